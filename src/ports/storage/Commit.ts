/**
 * The storage port's commit: everything that one use case writes, as a whole or not at all.
 *
 * The caller sees to the following. A commit names each row at most once. Its rows belong to
 * organizations, and hang on SIMs, subscriptions and attachments, that are stored or in the same
 * commit. A SIM has at most one pending or live subscription. If a commit that writes endpoints has
 * events, those endpoints receive none of them, neither as they were nor as they become. Neither
 * keys nor operators trade their hashes, nor operators their names, in one commit.
 */
import type { ApiKey } from "../../domain/ApiKey.ts"
import type { AuditEntry } from "../../domain/AuditEntry.ts"
import type { Command, Settlement } from "../../domain/Command.ts"
import type { Catalogue } from "../../domain/Catalogue.ts"
import type * as Cost from "../../domain/Cost.ts"
import type { Delivery, LoggedAttempt } from "../../domain/Delivery.ts"
import type { EventHandler } from "../../domain/EventHandler.ts"
import type { IdempotencyRecord } from "../../domain/Idempotency.ts"
import type { Job, Refusals, Waiting, Work } from "../../domain/Job.ts"
import type { Operator } from "../../domain/Operator.ts"
import type { Organization } from "../../domain/Organization.ts"
import type { Session } from "../../domain/Session.ts"
import type { Plan } from "../../domain/Plan.ts"
import type { Region } from "../../domain/Region.ts"
import type { SimChange } from "../../domain/SimDifference.ts"
import type { Entry } from "../../domain/SmdpHistory.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Level } from "../../domain/Stock.ts"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import type { Entry as UsageEntry } from "../../domain/UsageBook.ts"
import type { WebhookEvent } from "../../domain/WebhookEvent.ts"
import type { JobLease, OfJob } from "../Jobs.ts"

/**
 * The hold of one worker on a job or delivery. `until` is machine time; from that instant on the
 * lease is over and the work anyone's. A commit knows no machine time: until someone else has taken
 * the work, the old token is still good.
 */
export interface Lease {
  /** The token of the claim, or of the commit that stored the job with its lease. */
  readonly token: string
  /** Machine time. */
  readonly until: Instant
}

/** A report id to be remembered (rule R1). */
export interface SeenReport {
  /** The organization that owns it. */
  readonly organizationId: string
  /** The id that the telco gave it; unique in an organization. */
  readonly reportId: string
  /** Business time, from which the 35 days count. */
  readonly receivedAt: Instant
}

/** A plan by its key, and the version that was loaded. */
export type PlanVersion = Pick<Plan, "organizationId" | "planId" | "version">

/** A job that has ended, and the instant at which it did. */
export interface EndedJob extends OfJob {
  /** Business time; it guards a retry and a resolution like a version. */
  readonly endedAt: Instant
}

/**
 * What one commit writes. Absent parts write nothing. Rows of one commit may belong to several
 * organizations.
 */
export interface Commit {
  /** Inserted or replaced by id. */
  readonly organizations?: ReadonlyArray<Organization>
  /**
   * Guarded by their versions; their hashes, and the names of those that are not deleted, are
   * unique (rule W14).
   */
  readonly operators?: ReadonlyArray<Operator>
  /** Guarded by their versions (rule W14). */
  readonly sessions?: ReadonlyArray<Session>
  /** Guarded by their versions; their hashes are unique in the whole service. */
  readonly apiKeys?: ReadonlyArray<ApiKey>
  /** Guarded by their versions. */
  readonly webhookEndpoints?: ReadonlyArray<WebhookEndpoint>
  /** Guarded by their versions. */
  readonly plans?: ReadonlyArray<Plan>
  /**
   * Plans that the commit relies on and does not write: a `Conflict` if another version is
   * stored.
   */
  readonly unchangedPlans?: ReadonlyArray<PlanVersion>
  /** Always new ones. */
  readonly regions?: ReadonlyArray<Region>
  /** Replaces the one that is stored as a whole. */
  readonly catalogue?: Catalogue
  /**
   * The version that `catalogue` replaces, 0 if none is stored: a `Conflict` if it is
   * another. Absent: whichever it is.
   */
  readonly catalogueVersion?: number
  /**
   * Changes of SIMs and of what hangs on them, written as `SimDifference.difference` has it. The
   * SIMs are stored already: they come in by `Sims.import`. Writing a SIM ends its reservation.
   */
  readonly sims?: ReadonlyArray<SimChange>
  /** What telco reports leave beside their SIMs' changes. */
  readonly reports?: {
    /** Appended to the SM-DP+ histories, whatever is there. */
    readonly smdpEntries?: ReadonlyArray<Entry>
    /** Inserted. Of several of one organization and report id the latest counts. */
    readonly seen?: ReadonlyArray<SeenReport>
    /**
     * Added to the book of usage (rule U1): to the bytes of the entry of the same SIM, attachment,
     * day and country, if there is one. A commit names each of them at most once, with a day,
     * and changes the entry's SIM as well. Negative bytes are taken from an entry that has as many
     * at least, and if none are left there is none any more; they leave the sums of the entry's
     * plan and label likewise.
     */
    readonly usage?: ReadonlyArray<UsageEntry>
  }
  /**
   * The ledger of costs (rules C1 and C2). A row that is there already stays as it is, and so does
   * one that is to be allotted and is not there. A commit names a row at most once.
   */
  readonly ledger?: Cost.Booking
  /** Records of keys (rule W2). */
  readonly idempotency?: {
    /**
     * A record of that key created at or before `replaces` is replaced, and so is one that was
     * interrupted in the attempt `insteadOf`, if one is named; any other is a `Conflict`.
     */
    readonly put?: ReadonlyArray<{
      readonly record: IdempotencyRecord
      readonly replaces: Instant
      readonly insteadOf?: string
    }>
    /** Sets the outcome of a record that is there; does nothing if it is not. */
    readonly settled?: ReadonlyArray<Pick<IdempotencyRecord, "organizationId" | "key" | "outcome">>
    readonly forgotten?: ReadonlyArray<Pick<IdempotencyRecord, "organizationId" | "key">>
  }
  /** What hosts ask of the telco, and what became of it (rule H1). */
  readonly commands?: {
    /** Always new ones: a `Conflict` if a command of that id is stored already. */
    readonly put?: ReadonlyArray<Command>
    /** Sets the outcome of a command that is pending; does nothing to any other. */
    readonly settled?: ReadonlyArray<Settlement>
  }
  /**
   * Stored, and fanned out in the same commit: one pending delivery, due at the event's
   * `createdAt`, for each of the organization's endpoints that receives it
   * (`WebhookEndpoint.receives`), and for each handler that does (`EventHandler.receives`), as they
   * were before the commit. It starts with no attempts, at retry step 0. An endpoint that misses
   * the event (`WebhookEndpoint.misses`) has one that has failed (`Delivery.DISABLED`) and is not
   * due.
   */
  readonly events?: ReadonlyArray<WebhookEvent>
  /** Handlers of hosts' processes (rule E2). */
  readonly eventHandlers?: {
    /** Inserted; if one of the name is there, its types and organization are replaced. */
    readonly put?: ReadonlyArray<EventHandler>
    /**
     * Removed by name, if they are there; their pending deliveries are given up
     * (`EventHandler.REMOVED`).
     */
    readonly removed?: ReadonlyArray<string>
  }
  /** Guarded by their versions (rule I12). */
  readonly stockLevels?: ReadonlyArray<Level>
  /** Durable work: new, done, to be tried again, ended. */
  readonly jobs?: {
    /** Stored unless a job of that id is there already; with a lease, it is held from the start. */
    readonly put?: ReadonlyArray<{ readonly job: Job; readonly lease: Lease | null }>
    /** Removed; a `Conflict` on the lease if the job is not held with that token. */
    readonly finished?: ReadonlyArray<JobLease>
    /** Given back for a later try, unheld; guarded likewise. */
    readonly retried?: ReadonlyArray<
      JobLease & {
        readonly dueAt: Instant
        readonly attempts: number
        /** Absent: the job's refusals stay as they are. */
        readonly refused?: Refusals
        /**
         * The job has ended: nobody is handed it until it is reopened. Absent or null: it is to be
         * tried again.
         */
        readonly endedAt?: Instant | null
        /** Absent or null: it does not wait for its next try, but for its time. */
        readonly waiting?: Waiting | null
        /** Who goes on with it; absent or null: nobody holds it. */
        readonly lease?: Lease | null
      }
    >
    /**
     * Jobs to be due at that instant, if they wait for their next try and are due later; does
     * nothing to others.
     */
    readonly hastened?: ReadonlyArray<OfJob & { readonly dueAt: Instant }>
    /**
     * Jobs that have ended, to be tried again. A `Conflict` on the version if the job has not
     * ended at that instant.
     */
    readonly reopened?: ReadonlyArray<
      EndedJob & {
        readonly dueAt: Instant
        readonly attempts: number
        /** What is to be done from now on; absent: what was. */
        readonly work?: Work
      }
    >
    /** Jobs that have ended, removed; guarded likewise. */
    readonly resolved?: ReadonlyArray<EndedJob>
    /**
     * Jobs of which no attempt was given back, removed, whoever holds them: their leases are lost.
     * A `Conflict` on the version if there is no such job.
     */
    readonly cancelled?: ReadonlyArray<OfJob>
  }
  /** Outcomes of attempts, and deliveries to be made again. */
  readonly deliveries?: {
    /**
     * The outcome of an attempt: replaces the delivery and ends the lease; guarded by the token
     * likewise. The attempt, if there was one, is added to the log; it replaces one of its number.
     */
    readonly settled?: ReadonlyArray<{
      readonly delivery: Delivery
      readonly token: string
      readonly attempt?: LoggedAttempt
    }>
    /**
     * Replaces the delivery, whoever holds it, and ends any lease; does nothing if it is not
     * there.
     */
    readonly replayed?: ReadonlyArray<Delivery>
  }
  /** Always new ones (rule W11). */
  readonly auditEntries?: ReadonlyArray<AuditEntry>
  /** The instant at which a virtual clock stands. */
  readonly clock?: Instant
}
