/**
 * What operators of the service need: reports of the telco, the audit log, and the clock.
 */
import type { CallOptions, InstantInput, PagedList, TimeSpan, WriteOptions } from "./Calls.ts"
import type { AuditEntry, AuditFilter, NoteOnSim, SimNote } from "./printed/AuditLog.ts"
import type { Seller, SoldBundle, SoldBundlesOf } from "./printed/Bundles.ts"
import type { ClockReading, MovedClock } from "./printed/Clock.ts"
import type { OfTelco, SetTelcoZone, TelcoComparison, TelcoZone } from "./printed/Telcos.ts"
import type { SmdpState } from "./SimsTypes.ts"

export type * from "./printed/AuditLog.ts"
export type * from "./printed/Clock.ts"
export type * from "./printed/Telcos.ts"

/** What every report has. */
export interface ReportHead {
  /**
   * The report's id; one seen in the last 35 days is a duplicate, as rule R1 has it. At most 255
   * characters.
   */
  readonly id: string
  /** The SIM. */
  readonly iccid: string
  /** When it happened; at most 5 minutes ahead of the clock. */
  readonly occurredAt: InstantInput
}

/** Usage of a package: a running total, or the increase since the last report (rule R1). */
export interface UsageReport extends ReportHead {
  /** The kind of report. */
  readonly type: "usage"
  /** Our id of the package, or the telco's own; absent or null: the package that is active then. */
  readonly packageId?: string | null | undefined
  /** Where it was used (rule U1); absent or null: where the SIM was last seen by then. */
  readonly countryIso2?: string | null | undefined
  /** The running total in bytes. Either this or `deltaBytes`. */
  readonly totalBytes?: number | undefined
  /** The increase in bytes; not older than 35 days. */
  readonly deltaBytes?: number | undefined
}

/** The first use of a package (rule T3). */
export interface FirstUseReport extends ReportHead {
  /** The kind of report. */
  readonly type: "first_use"
  /**
   * Our id of the package, or the telco's own; absent or null: the oldest that waits for its first
   * use.
   */
  readonly packageId?: string | null | undefined
}

/** The telco has ended a package before its time (rule R4). */
export interface PackageEndReport extends ReportHead {
  /** The kind of report. */
  readonly type: "package_end"
  /** Our id of the package, or the telco's own. */
  readonly packageId: string
  /**
   * Its data are used up, its time is over, it was taken back, or it was never used and may not be
   * any more.
   */
  readonly reason: "depleted" | "expired" | "revoked" | "lapsed"
}

/** Where a SIM is (rule R3). */
export interface LocationReport extends ReportHead {
  /** The kind of report. */
  readonly type: "location"
  /** ISO 3166-1 alpha-2 code, in any case. */
  readonly countryIso2: string
  /** The operator, at most 255 characters. */
  readonly operator: string
  /** The radio access technology, at most 255 characters. */
  readonly rat: string
  /** The device's IMEI, at most 255 characters. */
  readonly imei: string
}

/** A state of an eSIM's profile at the SM-DP+ server (rules I2 and R3). */
export interface SmdpStateReport extends ReportHead {
  /** The kind of report. */
  readonly type: "smdp_state"
  /** The state. */
  readonly state: SmdpState
  /** How the change went; `Success` by default. Only a successful one counts. */
  readonly modificationResult?: string | undefined
}

/** What the telco reports about a SIM. */
export type Report = UsageReport | FirstUseReport | PackageEndReport | LocationReport | SmdpStateReport

/** What became of a batch of reports. */
export interface ReportOutcome {
  /** How many were taken. */
  readonly accepted: number
  /** How many were seen before. */
  readonly duplicates: number
  /**
   * Those that changed nothing, and why. `index` is the place in the batch, from 0; `id` is null
   * if there is none.
   */
  readonly rejected: ReadonlyArray<{ readonly index: number; readonly id: string | null; readonly message: string }>
}

/** Reports of the telco (rules R1 to R3). */
export interface Reports {
  /**
   * Takes a batch, of any organizations. It is committed as a whole, in the order in which its
   * reports happened; a bad report is rejected alone.
   *
   * Errors: `InvalidFieldError`, if `reports` is no array or has more than 1,000 reports.
   */
  readonly take: (
    request: { readonly reports: ReadonlyArray<Report> },
    options?: WriteOptions
  ) => Promise<ReportOutcome>
}

/** The audit log of an organization, or of the service itself (rules W11 and W12). */
export interface AuditLog {
  /** Entries, newest first; they are kept a year. */
  readonly list: (of: AuditFilter, options?: CallOptions) => PagedList<AuditEntry>
  /**
   * Leaves a note on a SIM, which its history has (rule L3), with who has left it. Errors:
   * `NotFoundError`, `InvalidFieldError` if it is blank or too long.
   */
  readonly note: (of: NoteOnSim, options?: WriteOptions) => Promise<SimNote>
}

/**
 * Routed telcos (`simplan/telco-routes`): the comparisons with their books, and their zones; and
 * what telcos sell.
 */
export interface Telcos {
  /**
   * How far the last comparison of all SIMs with each telco is. What it finds is among the
   * problems.
   */
  readonly comparisons: (options?: CallOptions) => Promise<ReadonlyArray<TelcoComparison>>
  /**
   * Has all SIMs compared now, those in stock too, at the rate that the telco's calls allow: after
   * each restore of a backup, before the service sells again. What was compared before does not
   * count from then on. Asked again, it begins anew. It is done in the background, by the processes
   * whose worker runs, or by `drain`.
   */
  readonly compare: (options?: WriteOptions) => Promise<ReadonlyArray<TelcoComparison>>
  /**
   * The location zones that were set for coverage profiles at a telco, by label and coverage id.
   * Errors: `NotFoundError`, also for a telco that has no zones.
   */
  readonly zones: (of: OfTelco, options?: CallOptions) => Promise<ReadonlyArray<TelcoZone>>
  /**
   * Says which location zone of the telco a coverage profile is, for plans of the label (rule P4).
   * A custom region needs it before its first plan; for a standard profile it goes before the
   * settings file. Packages that exist keep theirs.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`.
   */
  readonly setZone: (request: SetTelcoZone, options?: WriteOptions) => Promise<TelcoZone>
  /**
   * The telcos that sell bundles, and what this process has read of each. Nothing is read for it.
   */
  readonly sellers: (options?: CallOptions) => Promise<ReadonlyArray<Seller>>
  /**
   * What a telco sells, in its own order (rule P5). A process reads it when it is first asked for,
   * and keeps it for an hour; if it cannot be read again, that of before is given, with when it was
   * read. A page's place moves if the list is read anew meanwhile.
   *
   * Errors: `InvalidFieldError`, `NotFoundError` for a telco that sells nothing,
   * `TelcoRefusedError`, `TelcoUnavailableError`, `InsideTransactionError`.
   */
  readonly bundles: (of: SoldBundlesOf, options?: CallOptions) => PagedList<SoldBundle>
}

/** The business clock: the time that the rules go by. */
export interface Clock {
  /** The time, and whether the clock is a virtual one. */
  readonly read: (options?: CallOptions) => Promise<ClockReading>
  /**
   * Moves a virtual clock, from due instant to due instant; returns when all work due by then is
   * done. The present instant is allowed.
   *
   * Errors: `InvalidFieldError` for an earlier instant, `ClockRefusedError`.
   */
  readonly advanceTo: (request: { readonly to: InstantInput }, options?: WriteOptions) => Promise<MovedClock>
  /**
   * Moves a virtual clock by a length of time that is not negative. Errors: `InvalidFieldError`,
   * `ClockRefusedError`.
   */
  readonly advanceBy: (request: { readonly by: TimeSpan }, options?: WriteOptions) => Promise<MovedClock>
}
