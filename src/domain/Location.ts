/**
 * The last operator that a SIM connected to (rule R3).
 */
import type { Instant } from "./Time.ts"
import { DAY } from "./Time.ts"

export interface LastOperator {
  readonly countryAlpha2: string
  readonly operator: string
  readonly rat: string
  readonly imei: string
  readonly at: Instant
}

/** How long after its last activity a SIM's last operator is still told: 7 days, the 7th day's end included. */
export const ACTIVITY_WINDOW = 7 * DAY
