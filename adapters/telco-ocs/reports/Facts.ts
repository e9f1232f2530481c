/**
 * The telco reports that follow from what the OCS says. Their ids follow from the content, so that
 * the same fact counts once, whether a notification or a poll of the OCS brings it, and however
 * often (rule R1).
 *
 * The OCS passes on the profile's states of several SM-DP+ systems. The documents name `Enable`;
 * the others are recognized by their words. The country and the operator of a location are those of
 * its MCC and MNC in the catalogue.
 */
import { SmdpHistory, type TelcoReport, Time, type Catalogue } from "simplan/ports"
import type { ProfileState, Network } from "../api/Api.ts"
import type { SimState } from "./SimState.ts"

type Instant = Time.Instant
type Report = TelcoReport.Report

interface OfPackage {
  readonly telco: string
  readonly iccid: string
  /** Ours: `<attachment id>:<occurrence>`. */
  readonly packageId: string
  /** The OCS's own. */
  readonly externalId: string
}

const ofPackage = ({ externalId, telco }: OfPackage, fact: string): string => `${telco}/package/${externalId}/${fact}`

/** A running total. */
export const usage = (of: OfPackage, bytes: number, occurredAt: Instant): Report => ({
  reportId: ofPackage(of, `used/${bytes}`),
  iccid: of.iccid,
  occurredAt,
  fact: { _tag: "Usage", packageId: of.packageId, usage: { _tag: "Total", bytes } }
})

/** The first use, at the instant that the OCS names. */
export const firstUse = (of: OfPackage, occurredAt: Instant): Report => ({
  reportId: ofPackage(of, "first-use"),
  iccid: of.iccid,
  occurredAt,
  fact: { _tag: "FirstUse", packageId: of.packageId }
})

interface OfSim {
  readonly telco: string
  readonly iccid: string
}

export const location = (
  { iccid, telco }: OfSim,
  place: Omit<Extract<TelcoReport.Fact, { _tag: "Location" }>, "_tag">,
  occurredAt: Instant
): Report => ({
  reportId: `${telco}/location/${iccid}/${Time.toIso(occurredAt)}`,
  iccid,
  occurredAt,
  fact: { _tag: "Location", ...place }
})

/** A state of the profile. `place` distinguishes it from the others of this SIM. */
export const profileState = (
  { iccid, telco }: OfSim,
  place: string,
  state: SmdpHistory.State,
  modificationResult: string | null,
  occurredAt: Instant
): Report => ({
  reportId: `${telco}/profile/${iccid}/${place}`,
  iccid,
  occurredAt,
  fact: { _tag: "SmdpState", state, modificationResult: modificationResult ?? SmdpHistory.SUCCESS }
})

const words: ReadonlyArray<readonly [RegExp, SmdpHistory.State]> = [
  [/^enabled?$/i, "Enable"],
  [/^disabled?$/i, "Disable"],
  [/^deleted?$/i, "Delete"],
  [/install|download/i, "BPP Installation"]
]

/**
 * The state of the interface; undefined for one that the interface has no word for, such as
 * `Available` or `Linked`.
 */
export const stateOf = (status: string): SmdpHistory.State | undefined =>
  words.find(([pattern]) => pattern.test(status.trim()))?.[1]

/** Whether the state says that a device has the profile. */
const isInstalled = (status: string): boolean => {
  const state = stateOf(status)
  return state === "Enable" || state === "Disable"
}

/**
 * The place of a notified state in the history: behind the state that began then. Such a
 * notification has no time of its own, and says nothing else by which a second one could be
 * distinguished from the first.
 */
export const placeInHistory = (state: SmdpHistory.State, after: Time.Instant | null): string =>
  `${state}/after/${after ?? "start"}`

export interface Read {
  /** The states of the interface that the history has, oldest first. */
  readonly states: ReadonlyArray<SmdpHistory.State>
  /** Those that were not reported yet. */
  readonly reports: ReadonlyArray<TelcoReport.Report>
  readonly profile: SimState["profile"]
}

interface Asked {
  readonly telco: string
  readonly iccid: string
  readonly now: Time.Instant
  readonly profile: SimState["profile"]
}

/** How many states are remembered; a profile has a handful. */
const MOST = 100

/**
 * The reports of the states that were not reported yet, oldest first. A state that a notification
 * has reported ahead of the history is not reported again.
 */
export const readHistory = (history: ReadonlyArray<ProfileState>, { iccid, now, profile, telco }: Asked): Read => {
  const reports: Array<TelcoReport.Report> = []
  const reported: Array<string> = []
  const states: Array<SmdpHistory.State> = []
  let latestAt: Time.Instant | null = null
  for (const { modificationResult, startedAt, status } of history.toSorted(
    (one, other) => one.startedAt - other.startedAt
  )) {
    const state = stateOf(status)
    if (state === undefined) continue
    const id = `${state}/${startedAt}`
    const isReported = profile.reported.includes(id) || profile.ahead.includes(placeInHistory(state, latestAt))
    if (!isReported) {
      reports.push(profileState({ iccid, telco }, id, state, modificationResult, Math.min(startedAt, now)))
    }
    reported.push(id)
    states.push(state)
    latestAt = startedAt
  }
  return {
    states,
    reports,
    profile: {
      polledAt: now,
      latestAt,
      isInstalled: profile.isInstalled || history.some(({ status }) => isInstalled(status)),
      reported: reported.slice(-MOST),
      ahead: profile.ahead.slice(-MOST)
    }
  }
}

interface Place {
  readonly countryAlpha2: string
  readonly operator: string
  readonly rat: string
  readonly imei: string
}

interface Codes {
  readonly byNetwork: ReadonlyMap<string, Catalogue.Operator>
  /** The country that most operators of a mobile country code belong to. */
  readonly countryOf: ReadonlyMap<number, string>
}

const made = new WeakMap<Catalogue.Catalogue, Codes>()

// The OCS drops leading zeros, so "01" and "001" are one code here; the operator that is listed
// first has it.
const key = (mcc: number, mnc: number): string => `${mcc}-${mnc}`

const build = ({ operators }: Catalogue.Catalogue): Codes => {
  const byNetwork = new Map<string, Catalogue.Operator>()
  const counts = new Map<number, Map<string, number>>()
  for (const operator of operators) {
    for (const code of operator.mccMnc) {
      const [mcc = Number.NaN, mnc = Number.NaN] = code.split("-").map(Number)
      if (!byNetwork.has(key(mcc, mnc))) byNetwork.set(key(mcc, mnc), operator)
      const count = counts.get(mcc) ?? new Map<string, number>()
      counts.set(mcc, count.set(operator.countryIso2, (count.get(operator.countryIso2) ?? 0) + 1))
    }
  }
  const most = (count: ReadonlyMap<string, number>): string =>
    [...count].reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0] as const)[0]
  return { byNetwork, countryOf: new Map([...counts].map(([mcc, count]) => [mcc, most(count)])) }
}

const codesOf = (catalogue: Catalogue.Catalogue): Codes => {
  const codes = made.get(catalogue) ?? build(catalogue)
  made.set(catalogue, codes)
  return codes
}

const technologies: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bNR\b|NG-?RAN/i, "5G"],
  [/E-?UTRAN|LTE/i, "4G"],
  [/UTRAN|UMTS|HSPA|WCDMA/i, "3G"],
  [/GERAN|GSM|GPRS|EDGE/i, "2G"]
]

/**
 * `4G - LTE` is 4G, `3G - UTRAN` is 3G; a name without a generation is known by its technology, any
 * other one stays.
 */
const ratOf = (name: string): string =>
  /\b([2-5])G/i.exec(name)?.[0].toUpperCase() ??
  technologies.find(([pattern]) => pattern.test(name))?.[1] ??
  name.trim().slice(0, 255)

/**
 * The place; undefined if the catalogue knows no country of that MCC. An unknown operator is called
 * by its code.
 */
export const placeOf = (catalogue: Catalogue.Catalogue, { imei, mcc, mnc, rat }: Network): Place | undefined => {
  const { byNetwork, countryOf } = codesOf(catalogue)
  const operator = byNetwork.get(key(mcc, mnc))
  const countryAlpha2 = operator?.countryIso2 ?? countryOf.get(mcc)
  if (countryAlpha2 === undefined || countryAlpha2 === "") return undefined
  return {
    countryAlpha2,
    operator: operator?.name ?? `${mcc}-${String(mnc).padStart(2, "0")}`,
    rat: rat === null ? "" : ratOf(rat),
    imei: imei?.slice(0, 255) ?? ""
  }
}
