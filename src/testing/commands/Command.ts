/**
 * Commands: what can happen to a service under simulation, as plain data that survives JSON.
 *
 * A command names what it is about by a number, modulo what there is when it runs, and times by their distance from the
 * present one. So every list of commands makes sense, and any part of it that is left out leaves one that does: that is
 * what lets a failing list shrink.
 */
import type { Label } from "../../domain/Label.ts"
import type { TermsRequest } from "../../domain/Plan.ts"
import type { State } from "../../domain/SmdpHistory.ts"
import type { Fault } from "../Simulated.ts"

/** The first organization or the second. */
export type Side = 0 | 1

/** An active period by the distance of its ends from now, in milliseconds. */
export interface Period {
  readonly start: number | null
  readonly end: number | null
}

/** A package of a SIM, or one that there is not. */
export interface PackageOf {
  readonly attachment: number
  /** Counted from the last. */
  readonly back: number
  readonly named: "by our id" | "by the telco's id" | "wrongly"
}

/** Usage in percent of the allowance, and so many bytes beside it. */
export interface Amount {
  readonly percent: number
  readonly beside: number
}

export type Fact =
  | { readonly _tag: "FirstUse"; readonly package: PackageOf | null }
  | {
      readonly _tag: "Total" | "Delta"
      readonly package: PackageOf | null
      readonly amount: Amount
    }
  | {
      readonly _tag: "Location"
      readonly countryAlpha2: string
      readonly rat: string
    }
  | {
      readonly _tag: "SmdpState"
      readonly state: State
      readonly modificationResult: string
    }

export interface Report {
  /** When it happened, from now. */
  readonly after: number
  /** Null: an id of its own; else that of an earlier report, counted from the last. */
  readonly again: number | null
  readonly fact: Fact
}

/**
 * `by` is who asks. What is `foreign` is taken from what the other organization has. A `line` is a SIM in
 * service, or any where none is; a `sim` is any SIM of the inventory, or null for one that is chosen.
 */
export type Command =
  | {
      readonly _tag: "CreatePlan"
      readonly by: Side
      readonly label: Label
      readonly coverage: number
      readonly terms: Omit<TermsRequest, "coverageId">
      /** The field that is wrong; null where none is. */
      readonly flaw: string | null
    }
  | {
      readonly _tag: "ArchivePlan" | "UnarchivePlan" | "DeletePlan"
      readonly by: Side
      readonly plan: number
      readonly foreign: boolean
    }
  | {
      readonly _tag: "Subscribe"
      readonly by: Side
      readonly plan: number
      readonly sim: number | null
      readonly foreign: boolean
      readonly period: Period | null
      /** Whether it has an idempotency key. */
      readonly keyed: boolean
    }
  | {
      readonly _tag: "TopUp"
      readonly by: Side
      readonly plan: number
      readonly line: number
      readonly period: Period | null
      readonly keyed: boolean
    }
  | {
      readonly _tag: "Report"
      readonly of: Side
      readonly line: number
      readonly reports: ReadonlyArray<Report>
    }
  | {
      readonly _tag: "Suspend"
      readonly by: Side
      readonly line: number
      readonly attachment: number
      readonly foreign: boolean
    }
  | {
      readonly _tag: "Delete"
      readonly by: Side
      readonly line: number
      readonly foreign: boolean
    }
  | {
      readonly _tag: "SendSms"
      readonly by: Side
      readonly line: number
      readonly foreign: boolean
      readonly keyed: boolean
    }
  | {
      readonly _tag: "SetMobilePlan"
      readonly by: Side
      readonly sim: number | null
      readonly label: Label
      readonly apply: boolean
      readonly foreign: boolean
    }
  /** The request of so many keyed requests ago comes again, with its key. */
  | { readonly _tag: "Repeat"; readonly back: number }
  | { readonly _tag: "Advance"; readonly millis: number }
  /** To where something of an attachment changes, and `beside` it. Nothing where that is not ahead. */
  | {
      readonly _tag: "AdvanceTo"
      readonly of: Side
      readonly line: number
      readonly attachment: number
      readonly boundary: "due" | "activation" | "expiry"
      readonly beside: number
    }
  /** From the nth commit on, this command's and the following ones' together, the process stands still. */
  | {
      readonly _tag: "Kill"
      readonly commits: number
      readonly when: "before" | "after"
    }
  /** Another process, at once or after a time in which none runs. */
  | { readonly _tag: "Restart"; readonly downtime: number }
  | {
      readonly _tag: "Fault"
      readonly fault: Fault | null
      readonly times: number
    }
  /** The telco is well again, and all that was put off, or left to an operator, is done. */
  | { readonly _tag: "Quiet" }
