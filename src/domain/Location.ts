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
}

/** Rule R3: how long after its last activity a SIM's last operator is shown. Exactly 7 days is still inside. */
export const ACTIVITY_WINDOW = 7 * DAY

/** Rule R3: the last operator after a report. A report that is older than the last operator changes nothing. */
export const withReport = (last: LastOperator | null, report: LastOperator): LastOperator =>
  last !== null && report.at < last.at ? last : report

/** Rule R3: the last operator as shown at `now`; null without activity in the last 7 days. */
export const visible = (
  last: LastOperator | null,
  lastActivityAt: Instant | null,
  now: Instant
): LastOperator | null => (lastActivityAt === null || now - lastActivityAt > ACTIVITY_WINDOW ? null : last)
