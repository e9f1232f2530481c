/**
 * SM-DP+ state history of an eSIM profile (rules I2 and R3).
 *
 * Every report is kept, oldest first. The current status is the state of the latest successful
 * report. A report that arrives late never moves it back.
 */
import type { Instant } from "./Time.ts"

/** The states as the interface names them. */
export const states = ["BPP Installation", "Enable", "Disable", "Delete"] as const

/** A state that the SM-DP+ reports of a profile. */
export type State = (typeof states)[number]

/** One report of the SM-DP+ about an eSIM (rule I2). */
export interface Entry {
  /** The organization that owns it. */
  readonly organizationId: string
  /** 18 to 20 digits (rule I1). */
  readonly iccid: string
  /** The telco report that brought it, which counts once (rule R1). */
  readonly reportId: string
  /** The state that the profile was to get. */
  readonly state: State
  /** As the telco sent it; rule R3 says which are successful. */
  readonly modificationResult: string
  /** When it happened at the SM-DP+. */
  readonly modifiedAt: Instant
}

/** The state in the last successful report (rule R3). */
export interface CurrentStatus {
  /** The state of the profile at the SM-DP+. */
  readonly state: State
  /** When it happened at the SM-DP+. */
  readonly modifiedAt: Instant
}

/** The result of a report that names none. */
export const SUCCESS = "Success"

const successful = new Set(["success", "successful", "ok", "executed-success", "executed-withwarning"])

/**
 * Whether a modification result counts (rule R3); the `Executed-…` names are those of SGP.22
 * notifications.
 */
export const isSuccessful = (modificationResult: string): boolean => successful.has(modificationResult.toLowerCase())

/** Rule R3: the current status after a report. A failed report and an older one change nothing. */
export const withEntry = (current: CurrentStatus | null, entry: Entry): CurrentStatus | null => {
  if (!isSuccessful(entry.modificationResult)) return current
  if (current !== null && entry.modifiedAt < current.modifiedAt) return current
  return { state: entry.state, modifiedAt: entry.modifiedAt }
}
