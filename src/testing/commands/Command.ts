/**
 * Commands: what can happen to a service under simulation, as plain data that survives JSON; what a
 * command comes to when it runs, with ids and instants, and what came of it.
 *
 * A command names what it is about by a number, modulo what there is when it runs, and times by
 * their distance from the present one. So every list of commands makes sense, and any part of it
 * that is left out leaves one that does: that is what lets a failing list shrink.
 */
import type { Label } from "../../domain/Label.ts"
import type { Reason as EndReason } from "../../domain/PackageEnd.ts"
import type { TermsRequest, Plan } from "../../domain/Plan.ts"
import type * as SimCorrection from "../../domain/SimCorrection.ts"
import type { State } from "../../domain/SmdpHistory.ts"
import type * as Stock from "../../domain/Stock.ts"
import type { PeriodFromNow } from "../Arbitraries.ts"
import type { Fault } from "../Simulated.ts"
import type { MobilePlanStatus } from "../../domain/MobilePlan.ts"
import type { Plain } from "../../domain/Refusal.ts"
import type { Created, Replaced } from "../../domain/Subscription.ts"
import type { Report, Verdict } from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import type { TelcoBook } from "../../domain/UsageReconciliation.ts"

/** The first organization or the second. */
export type Side = 0 | 1

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
  | { readonly _tag: "End"; readonly package: PackageOf; readonly reason: EndReason }
  | {
      readonly _tag: "Total" | "Delta"
      readonly package: PackageOf | null
      readonly amount: Amount
      /** Absent or null: the report names none. */
      readonly countryAlpha2?: string | null
    }
  | { readonly _tag: "Location"; readonly countryAlpha2: string; readonly rat: string }
  | { readonly _tag: "SmdpState"; readonly state: State; readonly modificationResult: string }

export interface ReportFromNow {
  /** When it happened, from now. */
  readonly after: number
  /** Null: an id of its own; else that of an earlier report, counted from the last. */
  readonly again: number | null
  readonly fact: Fact
}

/** The archiving, unarchiving or deletion of a plan. */
interface PlanChange {
  readonly by: Side
  readonly plan: number
  readonly foreign: boolean
}

/** Something that is done to a SIM in service. */
interface LineChange {
  readonly by: Side
  readonly line: number
  readonly foreign: boolean
}

/**
 * The fields of each command. `by` is the caller. What is `foreign` is taken from what the other
 * organization has. A `line` is a SIM in service, or any if none is; a `sim` is any SIM of the
 * inventory, or null for one that is chosen.
 */
export interface Commands {
  readonly CreatePlan: {
    readonly by: Side
    readonly label: Label
    readonly coverage: number
    readonly terms: Omit<TermsRequest, "coverageId">
    /** The field that is wrong; null if none is. */
    readonly flaw: string | null
  }
  readonly ArchivePlan: PlanChange
  readonly UnarchivePlan: PlanChange
  readonly DeletePlan: PlanChange
  readonly Subscribe: {
    readonly by: Side
    readonly plan: number
    readonly sim: number | null
    /**
     * If it is given and there is one, a withdrawn SIM is named instead, counted from the last
     * that was withdrawn.
     */
    readonly left?: number | null
    readonly foreign: boolean
    readonly period: PeriodFromNow | null
    /** Whether it has an idempotency key. */
    readonly keyed: boolean
  }
  readonly TopUp: {
    readonly by: Side
    readonly plan: number
    readonly line: number
    readonly period: PeriodFromNow | null
    readonly keyed: boolean
  }
  readonly Report: {
    readonly of: Side
    readonly line: number
    /** If it is given, the reports are about this SIM, be it in service or not. */
    readonly sim?: number | null
    /**
     * Whether the telco pads ICCIDs, and writes our ids of packages in capitals. Absent: it does
     * not.
     */
    readonly spelled?: boolean
    readonly reports: ReadonlyArray<ReportFromNow>
  }
  /** The telco's own book of usage is read. */
  readonly ReconcileUsage: {
    readonly of: Side
    readonly line: number
    /** What it has of days that are over: how many days ago. */
    readonly used: ReadonlyArray<Amount & { readonly daysAgo: number; readonly countryAlpha2: string | null }>
    /** What it has of today, at least and beside that. */
    readonly today: { readonly least: Amount; readonly more: Amount }
  }
  readonly Suspend: LineChange & { readonly attachment: number }
  readonly Delete: LineChange
  /** The subscription moves to another eSIM (rule S8). */
  readonly Replace: LineChange
  /** Or a resumption, if `paused` is false. */
  readonly Pause: LineChange & { readonly paused: boolean }
  readonly SendSms: LineChange & { readonly keyed: boolean }
  readonly SetMobilePlan: {
    readonly by: Side
    readonly sim: number | null
    /** As in `Subscribe`. */
    readonly left?: number | null
    readonly label: Label
    readonly apply: boolean
    readonly foreign: boolean
  }
  readonly CorrectSim: {
    readonly by: Side
    readonly sim: number
    readonly foreign: boolean
    readonly correction: SimCorrection.Correction
  }
  /** The plan is a supplier's bundle from then on, of so many that there are; null: none. */
  readonly SetBundle: PlanChange & { readonly load: number | null }
  /**
   * A SIM goes back to its supplier: one that was bought and that nobody has, counted from the
   * last, or any if there is none.
   */
  readonly ReturnSim: { readonly by: Side; readonly back: number; readonly foreign: boolean }
  /** Sets these levels of free eSIMs, and ends all others. */
  readonly SetStockLevels: { readonly by: Side; readonly levels: ReadonlyArray<Stock.LevelRequest> }
  /** The request of so many keyed requests ago comes again, with its key. */
  readonly Repeat: { readonly back: number }
  readonly Advance: { readonly millis: number }
  /**
   * To where something of an attachment changes, and `beside` it. Nothing if that is not ahead.
   */
  readonly AdvanceTo: {
    readonly of: Side
    readonly line: number
    readonly attachment: number
    readonly boundary: "due" | "activation" | "expiry"
    readonly beside: number
  }
  /**
   * From the nth commit on, this command's and the following ones' together, the process stands
   * still.
   */
  readonly Kill: { readonly commits: number; readonly when: "before" | "after" }
  /** Another process, at once or after a time in which none runs. */
  readonly Restart: { readonly downtime: number }
  readonly Fault: { readonly fault: Fault | null; readonly times: number }
  /** The telco is well again, and all that was put off, or left to an operator, is done. */
  readonly Quiet: {}
}

/** The name of a command. */
export type Tag = keyof Commands

/** A command: its name and its fields. */
export type Command<Name extends Tag = Tag> = {
  readonly [Of in Name]: { readonly _tag: Of } & Commands[Of]
}[Name]

interface By {
  readonly organizationId: string
  /** Whether it names what is another organization's. */
  readonly foreign: boolean
}

/** Absolute times. */
export interface Period {
  readonly start: Instant | null
  readonly end: Instant | null
}

/** A request that a client may repeat if it has a key. */
export type Request =
  | (By & {
      readonly _tag: "Subscribe"
      readonly planId: string
      readonly iccid: string | null
      readonly period: Period | null
      readonly metadata: string
      readonly key: string | null
    })
  | (By & {
      readonly _tag: "SendSms"
      readonly iccid: string
      readonly text: string
      readonly key: string | null
    })

/**
 * A command with its numbers replaced by ids, ICCIDs and instants of the run. Histories keep it.
 */
export type Asked =
  /** There is nothing that the command could be about. */
  | { readonly _tag: "Nothing" }
  | Request
  | { readonly _tag: "Repeat"; readonly request: Request }
  | (By & { readonly _tag: "CreatePlan"; readonly terms: TermsRequest; readonly flaw: string | null })
  | (By & { readonly _tag: "ArchivePlan" | "UnarchivePlan" | "DeletePlan"; readonly planId: string })
  | { readonly _tag: "Report"; readonly reports: ReadonlyArray<Report>; readonly spelled?: boolean }
  | { readonly _tag: "ReconcileUsage"; readonly iccid: string; readonly book: TelcoBook }
  | (By & { readonly _tag: "Suspend"; readonly iccid: string; readonly attachmentId: string })
  | (By & { readonly _tag: "Delete" | "Replace"; readonly iccid: string })
  | (By & { readonly _tag: "Pause"; readonly iccid: string; readonly paused: boolean })
  | (By & {
      readonly _tag: "SetMobilePlan"
      readonly iccid: string | null
      readonly label: Label
      readonly apply: boolean
    })
  | (By & { readonly _tag: "CorrectSim"; readonly iccid: string; readonly correction: SimCorrection.Correction })
  | (By & { readonly _tag: "SetBundle"; readonly planId: string; readonly load: string | null })
  | (By & { readonly _tag: "ReturnSim"; readonly iccid: string })
  | (By & { readonly _tag: "SetStockLevels"; readonly levels: ReadonlyArray<Stock.LevelRequest> })
  | { readonly _tag: "Advance"; readonly to: Instant }
  | Command<"Kill" | "Restart" | "Fault" | "Quiet">

/**
 * What a request that was taken returned. `Done` stands for every answer without a body of its own.
 */
export type Answer =
  | { readonly kind: "Done" }
  | { readonly kind: "Plan"; readonly plan: Plan }
  | { readonly kind: "Created"; readonly created: Created }
  | { readonly kind: "Replaced"; readonly replaced: Replaced }
  | { readonly kind: "Verdicts"; readonly verdicts: ReadonlyArray<Verdict> }
  | { readonly kind: "MobilePlan"; readonly status: MobilePlanStatus }

/** How a command ended. `Refused` has the refusal that a client would get. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly answer: Answer }
  | { readonly _tag: "Refused"; readonly refusal: Plain }
  /** The process was killed in the middle of it, and another one was started. */
  | { readonly _tag: "Killed" }
  /** It ended as nothing may: with a storage error or a defect. */
  | { readonly _tag: "Broken"; readonly message: string }
