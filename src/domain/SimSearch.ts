/**
 * Finding SIMs and subscriptions by what a customer can name (rule L1): the ICCID, the IMSI, the
 * phone number, the id of the subscription, the beginning of the metadata or words inside it.
 */
import { Order } from "effect"
import type { WithPackages } from "./Attachment.ts"
import * as CallingCodes from "./CallingCodes.ts"
import * as Iccid from "./Iccid.ts"
import * as Id from "./Id.ts"
import { isLabel, type Label } from "./Label.ts"
import * as Sim from "./Sim.ts"
import type { SimAggregate } from "./SimAggregate.ts"
import { isLive, type ServiceStatus, serviceStatus } from "./Subscription.ts"
import type { Instant } from "./Time.ts"

/** By how many characters of its beginning metadata is found, in Unicode code points. */
export const METADATA = 64

/** Among how many characters of its beginning the words of metadata are found. */
export const WORDS = 256

/** What a search looks for. A SIM that fits any of it is found. */
export interface Search {
  /** The first or the last digits of an ICCID; null: the text is none. */
  readonly iccid: string | null
  /** A whole IMSI; null likewise. */
  readonly imsi: string | null
  /** The whole phone numbers that the text may be, without a plus sign. */
  readonly msisdns: ReadonlyArray<string>
  /** The id of the subscription. */
  readonly subscriptionId: string
  /** The beginning of metadata, as `folded` has it. */
  readonly metadata: string
  /** What one metadata has all of, as `words` has them; none finds nothing. */
  readonly words: ReadonlyArray<string>
}

const UPPER =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽ" +
  "ΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
const LOWER =
  "abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżž" +
  "άέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя"

const lowered = new Map(Array.from(UPPER, (character, at) => [character, LOWER[at] ?? character]))

/** The first characters, with small letters. */
const lower = (text: string, most: number): string => {
  let found = ""
  let count = 0
  for (const character of text) {
    if (++count > most) break
    found += lowered.get(character) ?? character
  }
  return found
}

/**
 * The part of a metadata that is searched, in any case: the first 64 characters, with small letters
 * for the capitals of the Latin, Greek and Cyrillic alphabets. Databases do not agree on the case
 * of other letters, so those have to be the same.
 */
export const folded = (metadata: string): string => lower(metadata, METADATA)

/** What is between words: what ASCII has but letters and digits, spaces, dashes and quotes. */
const BETWEEN = /[\t\n\v\f\r !-/:-@[-`{-~\u00a0\u00ab\u00b7\u00bb\u2013\u2014\u2018\u2019\u201c-\u201e\u2026]+/

/** The words of a text, in the letters that `folded` has, each once. */
export const words = (text: string): ReadonlyArray<string> => [
  ...new Set(
    lower(text, WORDS)
      .split(BETWEEN)
      .filter((word) => word !== "")
  )
]

/**
 * What a text looks for; null for a blank one. Digits may be grouped by spaces, hyphens, dots,
 * slashes and parentheses.
 */
export const of = (text: string): Search | null => {
  const trimmed = text.trim()
  if (trimmed === "") return null
  const digits = trimmed.replace(/[\s()./-]/g, "")
  const iccid = Iccid.canonical(digits)
  return {
    iccid: /^\d{1,20}$/.test(iccid) ? iccid : null,
    imsi: /^\d{6,15}$/.test(digits) ? digits : null,
    msisdns: CallingCodes.numbersOf(trimmed),
    subscriptionId: Id.canonical(trimmed),
    metadata: folded(trimmed),
    words: words(trimmed)
  }
}

const hasNumber = ({ sim }: SimAggregate, iccid: string): boolean =>
  sim.iccid.startsWith(iccid) || sim.iccid.endsWith(iccid)

const hasText = (metadata: string, search: Search): boolean => {
  if (folded(metadata).startsWith(search.metadata)) return true
  if (search.words.length === 0) return false
  const found = new Set(words(metadata))
  return search.words.every((word) => found.has(word))
}

/** What a reader sees of the attachments, the newest first. */
const confirmed = (attachments: ReadonlyArray<WithPackages>) =>
  attachments
    .map(({ attachment }) => attachment)
    .filter((attachment) => attachment.confirmed)
    .toSorted((one, other) => other.createdAt - one.createdAt || Order.String(other.attachmentId, one.attachmentId))

/** What is written about a live subscription: its own metadata, then those of its attachments. */
const notes = ({ attachments, subscription }: SimAggregate): ReadonlyArray<string> =>
  isLive(subscription)
    ? [subscription.metadata, ...confirmed(attachments).map((attachment) => attachment.metadata)]
    : []

/** By what a search finds a SIM, from what names one alone to what many have. */
export const places = ["subscriptionId", "imsi", "msisdn", "iccid", "metadata"] as const

/** What of a SIM a search has found. */
export type Place = (typeof places)[number]

const finds: { readonly [P in Place]: (of: SimAggregate, search: Search) => boolean } = {
  subscriptionId: ({ subscription }, search) =>
    isLive(subscription) && subscription.subscriptionId === search.subscriptionId,
  imsi: ({ sim }, { imsi }) => imsi !== null && sim.imsi === imsi,
  msisdn: ({ sim }, { msisdns }) => sim.msisdn !== null && msisdns.includes(sim.msisdn),
  iccid: (of, { iccid }) => iccid !== null && hasNumber(of, iccid),
  metadata: (of, search) => notes(of).some((metadata) => hasText(metadata, search))
}

/** Rule L1: the first of `places` by which a search finds the SIM; undefined: it does not. */
export const placeOf = (of: SimAggregate, search: Search): Place | undefined =>
  places.find((place) => finds[place](of, search))

/**
 * Rule L1: whether a search finds the SIM, by itself or by its live subscription with the confirmed
 * attachments.
 */
export const isFound = (of: SimAggregate, search: Search): boolean => placeOf(of, search) !== undefined

/** How many SIMs a search over organizations gives (rule L4). */
export const MOST_HITS = 20

/** A SIM that a search over organizations has found (rule L4). */
export interface Hit {
  /** The organization that has it. */
  readonly organizationId: string
  /** That organization's name. */
  readonly organizationName: string
  /** The SIM's ICCID. */
  readonly iccid: string
  /** The SIM's label. */
  readonly label: Label
  /** The live subscription that has the SIM; null: none. */
  readonly subscriptionId: string | null
  /** By what it was found: the first of `places`. */
  readonly place: Place
  /** Where the SIM stands. */
  readonly status: Sim.Status
  /** Whether its service is paused (rule S7). */
  readonly isPaused: boolean
  /** The plan of the newest attachment of its live subscription; null: none. */
  readonly planName: string | null
  /**
   * The first 256 characters of the metadata that the search finds, the live subscription's own or
   * that of its newest attachment; of the subscription's own if it finds none. Null: nobody has it.
   */
  readonly metadata: string | null
}

/** The SIM as a hit of the search, in an organization of this name; null: it is not found. */
export const hitOf = (of: SimAggregate, organizationName: string, search: Search): Hit | null => {
  const place = placeOf(of, search)
  if (place === undefined) return null
  const { attachments, sim, subscription } = of
  const [own = null] = notes(of)
  const note = notes(of).find((metadata) => hasText(metadata, search)) ?? own
  return {
    organizationId: sim.organizationId,
    organizationName,
    iccid: sim.iccid,
    label: sim.label,
    subscriptionId: isLive(subscription) ? subscription.subscriptionId : null,
    place,
    status: Sim.status(sim),
    isPaused: serviceStatus(sim) === "paused",
    planName: isLive(subscription) ? (confirmed(attachments)[0]?.terms.name ?? null) : null,
    metadata: note === null ? null : Array.from(note).slice(0, WORDS).join("")
  }
}

const rank = ({ place }: Hit): number => places.indexOf(place)

/** The order of hits: by place, then by organization and ICCID. */
export const compareHits = (one: Hit, other: Hit): number =>
  rank(one) - rank(other) ||
  Order.String(one.organizationId, other.organizationId) ||
  Order.String(one.iccid, other.iccid)

/** What lists are asked for; what is null or absent filters nothing. */
export interface Asked<Status> {
  /** What somebody typed. */
  readonly search?: string | null | undefined
  /** The SIM's. An unknown one takes none. */
  readonly label?: string | null | undefined
  /** One that the SIM has, in any case (rule I14). */
  readonly tag?: string | null | undefined
  /** Only those that stand so. */
  readonly status?: Status | null | undefined
  /** Only those that were made after this instant. */
  readonly createdAfter?: Instant | null | undefined
}

/** Which SIMs or subscriptions a list has; null filters nothing. */
interface Filter {
  /** Those that it finds. */
  readonly search: Search | null
  /** The SIM's. */
  readonly label: Label | null
  /** One that the SIM has (rule I14), as `folded` has it. */
  readonly tag: string | null
  /** Those that were made after this instant. */
  readonly createdAfter: Instant | null
}

/** Which subscriptions a list has; null filters nothing. */
export interface SubscriptionFilter extends Filter {
  /** Only those that are paused, or only those that are not. */
  readonly status: ServiceStatus | null
}

/** Which SIMs a list has; null filters nothing. */
export interface SimFilter extends Filter {
  /** Only eSIMs, or only physical SIMs. */
  readonly isEsim: boolean | null
  /** Only those that stand so. */
  readonly status: Sim.Status | null
}

/** The filter of what is asked for; null: it takes none, whatever there is. */
export const filterOf = <Status>({
  createdAfter = null,
  label = null,
  search = null,
  status = null,
  tag = null
}: Asked<Status>): (Filter & { readonly status: Status | null }) | null =>
  label === null || isLabel(label)
    ? {
        createdAfter,
        label,
        search: search === null ? null : of(search),
        status,
        tag: tag === null ? null : folded(tag.trim())
      }
    : null

/** Whether the filter takes all. */
export const isWhole = (filter: Filter & { readonly status: unknown }): boolean =>
  Object.values(filter).every((one) => one === null)

const isOf = (of: SimAggregate, createdAt: Instant, { createdAfter, label, search, tag }: Filter): boolean =>
  (label === null || label === of.sim.label) &&
  (tag === null || of.sim.tags.some((one) => folded(one) === tag)) &&
  (createdAfter === null || createdAt > createdAfter) &&
  (search === null || isFound(of, search))

/** Whether a list of SIMs with this filter has the SIM. */
export const isAsked = (of: SimAggregate, filter: SimFilter): boolean =>
  (filter.isEsim === null || filter.isEsim === of.sim.isEsim) &&
  (filter.status === null || filter.status === Sim.status(of.sim)) &&
  isOf(of, of.sim.createdAt, filter)

/** Whether a list of subscriptions with this filter has the live subscription of the SIM. */
export const isSubscriptionAsked = (of: SimAggregate, filter: SubscriptionFilter): boolean =>
  isLive(of.subscription) &&
  (filter.status === null || filter.status === serviceStatus(of.sim)) &&
  isOf(of, of.subscription.createdAt, filter)
