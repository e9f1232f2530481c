/**
 * The last operator that a SIM connected to (rule R3).
 */
import type { Instant } from "./Time.ts"
import { DAY } from "./Time.ts"

/** The network that a SIM was last seen in, as the telco reported it (rule R3). */
export interface LastOperator {
  /** ISO 3166 alpha-2. */
  readonly countryAlpha2: string
  /** The network's name in the telco's report. */
  readonly operator: string
  /** The radio access technology in the telco's report, such as `4G`. */
  readonly rat: string
  /** The IMEI of the device. */
  readonly imei: string
  /** When it was seen there. */
  readonly at: Instant
  /**
   * Where it was before, newest first: when it was first seen in each country that it came to
   * (rule U1). Absent if the network above is all that was reported, and in what was stored
   * before there was a book of usage.
   */
  readonly visits?: ReadonlyArray<Visit>
}

/** A country that a SIM came to, and since when it was seen there. */
export interface Visit {
  /** ISO 3166 alpha-2. */
  readonly countryAlpha2: string
  /** When it was first seen there. */
  readonly at: Instant
}

/** How many visits are kept of a SIM. */
const VISITS = 8

/**
 * Rule R3: how long after its last activity a SIM's last operator is shown. Exactly 7 days is still
 * inside.
 */
export const ACTIVITY_WINDOW = 7 * DAY

/** The visits with one more. Of those in a row in one country the oldest is kept. */
const withVisit = (visits: ReadonlyArray<Visit>, { at, countryAlpha2 }: Visit): ReadonlyArray<Visit> => {
  const older = visits.findIndex((one) => one.at <= at)
  const place = older === -1 ? visits.length : older
  if (visits[place]?.countryAlpha2 === countryAlpha2) return visits
  const newer = visits[place - 1]?.countryAlpha2 === countryAlpha2 ? place - 1 : place
  return [...visits.slice(0, newer), { countryAlpha2, at }, ...visits.slice(place)].slice(0, VISITS)
}

/**
 * Rule R3: the last operator after a report. A report that is older than the last operator changes
 * nothing but where the SIM was before.
 */
export const withReport = (last: LastOperator | null, report: LastOperator): LastOperator => {
  if (last === null) return report
  const before = withVisit(last.visits ?? [], last)
  const visits = withVisit(before, report)
  const isOlder = report.at < last.at
  if (isOlder && visits === before) return last
  return { ...(isOlder ? last : report), visits }
}

/**
 * Rule U1: the country in which a SIM was last seen at or before an instant; null if that is not
 * known.
 */
export const countryAt = (last: LastOperator | null, at: Instant): string | null =>
  (last === null || last.at <= at ? last : last.visits?.find((one) => one.at <= at))?.countryAlpha2 ?? null

/** Rule R3: the last operator as shown at `now`; null without activity in the last 7 days. */
export const visible = (
  last: LastOperator | null,
  lastActivityAt: Instant | null,
  now: Instant
): LastOperator | null => (lastActivityAt === null || now - lastActivityAt > ACTIVITY_WINDOW ? null : last)
