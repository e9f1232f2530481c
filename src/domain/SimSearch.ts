/**
 * Finding SIMs and subscriptions by what a customer can name (rule L1): the ICCID, the IMSI, the phone number, the id of the
 * subscription, the beginning of the metadata.
 */
import type { Label } from "./Label.ts"
import * as Sim from "./Sim.ts"
import type { SimAggregate } from "./SimAggregate.ts"
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
 * The part of a metadata that is searched, in any case: the first 64 characters, with small letters for the capitals of the
 * Latin, Greek and Cyrillic alphabets. Databases do not agree on the case of other letters, so those have to be the same.
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

/** What a text looks for; null for a blank one. Digits may be grouped by spaces, hyphens and parentheses. */
export const of = (text: string): Search | null => {
  const trimmed = text.trim()
  if (trimmed === "") return null
  const digits = trimmed.replace(/[\s()-]/g, "")
  const number = digits.replace(/^\+/, "")
  const iccid = digits.replace(/(?<=^\d{18,20})F$/i, "")
  return {
    iccid: /^\d{1,20}$/.test(iccid) ? iccid : null,
    imsi: /^\d{6,15}$/.test(digits) ? digits : null,
    msisdn: /^\d{1,15}$/.test(number) ? number : null,
    subscriptionId: trimmed,
    metadata: folded(trimmed)
  }
}

/** Rule L1: whether a search finds the SIM, by itself or by its live subscription with the confirmed attachments. */
export const isFound = ({ attachments, sim, subscription }: SimAggregate, search: Search): boolean => {
  const { iccid, imsi, msisdn } = search
  if (iccid !== null && (sim.iccid.startsWith(iccid) || sim.iccid.endsWith(iccid))) return true
  if ((imsi !== null && sim.imsi === imsi) || (msisdn !== null && sim.msisdn === msisdn)) return true
  if (subscription?.status !== "Live") return false
  const hasText = (metadata: string): boolean => folded(metadata).startsWith(search.metadata)
  return (
    subscription.subscriptionId === search.subscriptionId ||
    hasText(subscription.metadata) ||
    attachments.some(({ attachment }) => attachment.confirmed && hasText(attachment.metadata))
  )
}

/** Which subscriptions a list has; null filters nothing. */
export interface Filter {
  /** Those that it finds. */
  readonly search: Search | null
  /** The SIM's. */
  readonly label: Label | null
  /** Those that were made after this instant. */
  readonly createdAfter: Instant | null
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
export const isSubscriptionAsked = (of: SimAggregate, filter: Filter): boolean =>
  of.subscription?.status === "Live" && isOf(of, of.subscription.createdAt, filter)
