/**
 * SM-DP+ state history of an eSIM profile (rules I2 and R3).
 *
 * Every report is kept, oldest first. The current status is the state of the latest successful report. A report that
 * arrives late never moves it back.
 */
import type { Instant } from "./Time.ts"

/** The states as the interface names them. */
export const states = ["BPP Installation", "Enable", "Disable", "Delete"] as const

export type State = (typeof states)[number]

export interface Entry {
  readonly organizationId: string
  readonly iccid: string
  readonly reportId: string
  readonly state: State
  readonly modificationResult: string
  readonly modifiedAt: Instant
}

export interface CurrentStatus {
  readonly state: State
  readonly modifiedAt: Instant
}

/** The result of a report that names none. */
export const SUCCESS = "Success"

const successful = new Set(["success", "successful", "ok", "executed-success", "executed-withwarning"])

/** Whether a modification result counts (rule R3); the `Executed-…` names are those of SGP.22 notifications. */
export const isSuccessful = (modificationResult: string): boolean => successful.has(modificationResult.toLowerCase())

/** Rule R3: the current status after a report. A failed report and an older one change nothing. */
export const withEntry = (current: CurrentStatus | null, entry: Entry): CurrentStatus | null => {
  if (!isSuccessful(entry.modificationResult)) return current
  if (current !== null && entry.modifiedAt < current.modifiedAt) return current
  return { state: entry.state, modifiedAt: entry.modifiedAt }
}
