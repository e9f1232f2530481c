/**
 * Finding SIMs and subscriptions by what a customer can name (rule L1): the ICCID, the IMSI, the
 * phone number, the id of the subscription, the beginning of the metadata.
 */
import { Order } from "effect"
import * as Iccid from "./Iccid.ts"
import * as Id from "./Id.ts"
import type { Label } from "./Label.ts"
import * as Sim from "./Sim.ts"
import type { SimAggregate } from "./SimAggregate.ts"
import { isLive, type ServiceStatus, serviceStatus } from "./Subscription.ts"
import type { Instant } from "./Time.ts"

/** How many characters of the metadata are searched, in Unicode code points. */
export const METADATA = 64

/** What a search looks for. A SIM that fits any of it is found. */
export interface Search {
  /** The first or the last digits of an ICCID; null: the text is none. */
  readonly iccid: string | null
  /** A whole IMSI; null likewise. */
  readonly imsi: string | null
  /** A whole phone number, without its plus sign; null likewise. */
  readonly msisdn: string | null
  /** The id of the subscription. */
  readonly subscriptionId: string
  /** The beginning of metadata, as `folded` has it. */
  readonly metadata: string
}

const UPPER =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽ" +
  "ΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
const LOWER =
  "abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżž" +
  "άέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя"

const lowered = new Map(Array.from(UPPER, (character, at) => [character, LOWER[at] ?? character]))

/**
 * The part of a metadata that is searched, in any case: the first 64 characters, with small letters
 * for the capitals of the Latin, Greek and Cyrillic alphabets. Databases do not agree on the case
 * of other letters, so those have to be the same.
 */
export const folded = (metadata: string): string => {
  let text = ""
  let count = 0
  for (const character of metadata) {
    if (++count > METADATA) break
    text += lowered.get(character) ?? character
  }
  return text
}

/**
 * What a text looks for; null for a blank one. Digits may be grouped by spaces, hyphens and
 * parentheses.
 */
export const of = (text: string): Search | null => {
  const trimmed = text.trim()
  if (trimmed === "") return null
  const digits = trimmed.replace(/[\s()-]/g, "")
  const number = digits.replace(/^\+/, "")
  const iccid = Iccid.canonical(digits)
  return {
    iccid: /^\d{1,20}$/.test(iccid) ? iccid : null,
    imsi: /^\d{6,15}$/.test(digits) ? digits : null,
    msisdn: /^\d{1,15}$/.test(number) ? number : null,
    subscriptionId: Id.canonical(trimmed),
    metadata: folded(trimmed)
  }
}

const hasNumber = ({ sim }: SimAggregate, iccid: string): boolean =>
  sim.iccid.startsWith(iccid) || sim.iccid.endsWith(iccid)

const hasMetadata = ({ attachments, subscription }: SimAggregate, search: Search): boolean => {
  if (!isLive(subscription)) return false
  const hasText = (metadata: string): boolean => folded(metadata).startsWith(search.metadata)
  return (
    hasText(subscription.metadata) ||
    attachments.some(({ attachment }) => attachment.confirmed && hasText(attachment.metadata))
  )
}

/** By what a search finds a SIM, from what names one alone to what many have. */
export const places = ["subscriptionId", "imsi", "msisdn", "iccid", "metadata"] as const

/** What of a SIM a search has found. */
export type Place = (typeof places)[number]

const finds: { readonly [P in Place]: (of: SimAggregate, search: Search) => boolean } = {
  subscriptionId: ({ subscription }, search) =>
    isLive(subscription) && subscription.subscriptionId === search.subscriptionId,
  imsi: ({ sim }, { imsi }) => imsi !== null && sim.imsi === imsi,
  msisdn: ({ sim }, { msisdn }) => msisdn !== null && sim.msisdn === msisdn,
  iccid: (of, { iccid }) => iccid !== null && hasNumber(of, iccid),
  metadata: hasMetadata
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
}

const rank = ({ place }: Hit): number => places.indexOf(place)

/** The order of hits: by place, then by organization and ICCID. */
export const compareHits = (one: Hit, other: Hit): number =>
  rank(one) - rank(other) ||
  Order.String(one.organizationId, other.organizationId) ||
  Order.String(one.iccid, other.iccid)

/** Which SIMs or subscriptions a list has; null filters nothing. */
interface Filter {
  /** Those that it finds. */
  readonly search: Search | null
  /** The SIM's. */
  readonly label: Label | null
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

const isOf = (of: SimAggregate, createdAt: Instant, { createdAfter, label, search }: Filter): boolean =>
  (label === null || label === of.sim.label) &&
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
