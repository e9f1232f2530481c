/**
 * The storage port's reads of what the service keeps about its own work: audit entries (rule W11),
 * deliveries, jobs, problems, commands and idempotency records.
 */
import type * as AuditEntry from "../../domain/AuditEntry.ts"
import type * as Command from "../../domain/Command.ts"
import type * as Delivery from "../../domain/Delivery.ts"
import type { IdempotencyRecord } from "../../domain/Idempotency.ts"
import type * as Job from "../../domain/Job.ts"
import type * as Overview from "../../domain/Overview.ts"
import type { Process } from "../../domain/Process.ts"
import type { Instant } from "../../domain/Time.ts"
import type { CreatedCursor, Filtered, FilteredKeyset, Keyset, OfOrganization, Page, Read } from "./Read.ts"
import type { Selling } from "./Sims.ts"

/** A page of an organization's entries, newest first, as far as the filter takes them. */
export interface AuditQuery extends FilteredKeyset, OfOrganization, AuditEntry.Filter {}

/** Reads of the audit log. A commit writes it. */
export interface AuditEntries {
  /** Those of `AuditEntry.isAsked`, by creation and id, descending: newest first. */
  readonly page: (query: AuditQuery) => Read<Filtered<AuditEntry.AuditEntry>>
  /**
   * Who made a change: the actor of the last entry of the instant with that action and resource;
   * null if there is none.
   */
  readonly actor: (
    of: OfOrganization & Pick<AuditEntry.AuditEntry, "action" | "resourceId" | "createdAt">
  ) => Read<string | null>
}

export type { Filter as DeliveryFilter } from "../../domain/Delivery.ts"

/** Reads of the webhook delivery log. */
export interface Deliveries {
  readonly get: (of: OfOrganization & { readonly deliveryId: string }) => Read<Delivery.LoggedDelivery | null>
  /** Those of `Delivery.isAsked`, by creation and id, descending: newest first. */
  readonly page: (query: FilteredKeyset & OfOrganization & Delivery.Filter) => Read<Filtered<Delivery.LoggedDelivery>>
  /** The last attempts of a delivery, up to 100, newest first. */
  readonly attempts: (
    of: OfOrganization & { readonly deliveryId: string }
  ) => Read<ReadonlyArray<Delivery.LoggedAttempt>>
  /** The last attempts of each of these that there is and that has any, in any order. */
  readonly lastAttempts: (
    of: OfOrganization & { readonly deliveryIds: ReadonlyArray<string> }
  ) => Read<ReadonlyArray<Delivery.DeliveryAttempts>>
  /**
   * The first 10,000 pending ones of all organizations by next attempt and id, counted by what
   * their last attempts met (`Delivery.waitingCounts`): held ones too, and none to handlers. For
   * watching.
   */
  readonly waitingCounts: Read<ReadonlyArray<Delivery.WaitingCount>>
}

export type { WaitingFilter } from "../../domain/Job.ts"

/** Reads of jobs. The jobs port hands them out. */
export interface Jobs {
  /**
   * The job of that id, whether it waits, is held or has ended in refusals; null if it is done, or
   * never was. Without an organization it may be of any, which takes longer if rows are on several
   * servers.
   */
  readonly get: (of: Partial<OfOrganization> & { readonly jobId: string }) => Read<Job.Job | null>
  /**
   * Those that wait for their next try (`Job.isWaiting`), of all organizations, by creation and id,
   * ascending.
   */
  readonly waiting: (query: FilteredKeyset & Job.WaitingFilter) => Read<Filtered<Job.WaitingJob>>
  /**
   * Those about a SIM that wait for their next try or have ended in refusals (rule S6), by creation
   * and id, ascending.
   */
  readonly ofSim: (
    of: OfOrganization & Keyset<CreatedCursor> & { readonly iccid: string }
  ) => Read<ReadonlyArray<Job.Job>>
  /** The outstanding purchases of an organization (`Job.isPurchase`), by creation and id. */
  readonly purchases: (of: OfOrganization & { readonly limit: number }) => Read<ReadonlyArray<Job.Job>>
}

/** Reads of jobs that have ended in refusals (rule S6). */
export interface Problems {
  /**
   * The jobs that have ended, by creation and id, ascending; of all organizations if none is
   * named.
   */
  readonly page: (query: Keyset<CreatedCursor> & Partial<OfOrganization>) => Read<ReadonlyArray<Job.Job>>
  /** How many there are, counted up to 10,000. */
  readonly count: Read<number>
}

/** Reads of commands (rule H1). */
export interface Commands {
  readonly get: (of: OfOrganization & { readonly commandId: string }) => Read<Command.Command | null>
  /** Those that stand so (`Command.stateOf`), or all for null; by creation and id, ascending. */
  readonly page: (
    query: Page<CreatedCursor> & { readonly state: Command.State | null }
  ) => Read<ReadonlyArray<Command.Command>>
}

/** Reads of idempotency records (rule W2). */
export interface IdempotencyRecords {
  readonly get: (of: OfOrganization & { readonly key: string }) => Read<IdempotencyRecord | null>
}

/**
 * Reads for what operators see first, of one organization or of all (`Overview.Watching`). Their
 * cost has a bound.
 */
export interface Overviews {
  /**
   * The first 10,000 jobs that wait for their next try (`Job.isWaiting`), by creation, counted by
   * kind, reason and telco (`Overview.waitingGroups`); of an organization, those among the first
   * 10,000 of all.
   */
  readonly waitingJobs: (of: Overview.Watching) => Read<ReadonlyArray<Overview.WaitingGroup>>
  /**
   * The endpoints that fail, by since when and id, at most `Overview.ENDPOINTS`; of an
   * organization, those among the first 10,000 of all.
   */
  readonly failingEndpoints: (of: Overview.Watching) => Read<ReadonlyArray<Overview.FailingEndpoint>>
  /**
   * The stocks of an organization in any order: of each label that it has a level for, or eSIMs as
   * `Sims.stock` finds them. Of all organizations, those of the `Overview.STOCKS` first levels, low
   * ones first, then by organization and label, and those of the `Overview.STOCKS` that have sold
   * last among the `Overview.ORGANIZATIONS` first. What was sold is counted among the
   * organization's `Overview.RATE_SAMPLE` newest subscriptions that are live and were made at
   * `since` or later.
   */
  readonly stocks: (
    of: Overview.Watching & Selling & { readonly since: Instant }
  ) => Read<ReadonlyArray<Overview.WatchedStock>>
  /**
   * Whose the first 10,000 jobs are that wait for their next try, by creation, and the first 10,000
   * pending deliveries to endpoints, by next attempt (`Overview.heaviest`).
   */
  readonly loads: Read<ReadonlyArray<Overview.Load>>
  /** What the database's server says of itself; null if there is none. */
  readonly database: Read<Overview.DatabaseFigures | null>
}

/** Reads of the processes that share the storage. */
export interface Processes {
  /** Those that last said something at `since` or later, as `Process.shown` has them. */
  readonly list: (query: { readonly since: Instant }) => Read<ReadonlyArray<Process>>
}
