/**
 * Telco reports: what the underlying system tells of a SIM, late, twice and out of order as it comes (rule R1).
 */
import type { State } from "./SmdpHistory.ts"
import type { Instant } from "./Time.ts"
import { DAY, MINUTE } from "./Time.ts"

/** Usage is a running total of a package, or what came on top since the last report. */
export type Usage =
  | { readonly _tag: "Total"; readonly bytes: number }
  | { readonly _tag: "Delta"; readonly bytes: number }

export type Fact =
  | { readonly _tag: "Usage"; readonly packageId: string | null; readonly usage: Usage }
  | { readonly _tag: "FirstUse"; readonly packageId: string | null }
  | {
      readonly _tag: "Location"
      readonly countryAlpha2: string
      readonly operator: string
      readonly rat: string
      readonly imei: string
    }
  | { readonly _tag: "SmdpState"; readonly state: State; readonly modificationResult: string }

export interface Report {
  readonly reportId: string
  readonly iccid: string
  readonly occurredAt: Instant
  readonly fact: Fact
}

/** How long report ids are kept, and how old a delta may be. */
export const ID_RETENTION = 35 * DAY

/** How far ahead of the clock a report may be. */
export const AHEAD_LIMIT = 5 * MINUTE

/** What became of one report. */
export type Verdict =
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Duplicate" }
  | { readonly _tag: "Rejected"; readonly message: string }
