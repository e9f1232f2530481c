/**
 * The storage port: snapshots to decide on, and commits.
 *
 * Guarantees that every adapter gives (the conformance suite in `src/testing` checks them):
 * - A commit happens as a whole or not at all, across facts, events and jobs.
 * - Each written SIM, plan, key or endpoint carries the version that was loaded (0: it is new). Where the stored
 *   version is another, the commit changes nothing and fails with `Conflict`. A written value is stored with
 *   `version + 1`.
 * - ICCIDs are unique in the whole service, region names in their organization, key hashes in the whole service.
 *   Texts are compared exactly, and ordered by their code points (ids are ASCII).
 * - A read is one consistent snapshot. Lists are keyset pages: what existed before the first page and is not changed
 *   meanwhile appears exactly once, whatever is inserted in between.
 * - Instants round-trip to the millisecond. Strings round-trip exactly; none has a NUL or a lone surrogate, which the
 *   edge refuses. JSON round-trips as values; an event's payload with the order of its keys as well.
 *
 * What a caller sees to: a commit names each row at most once; its rows belong to organizations that are stored or in
 * the same commit, and hang on SIMs, subscriptions and attachments that are stored or in the same commit; a SIM has
 * one pending or live subscription at most; a commit that writes endpoints has no events, and keys do not trade their
 * hashes in one. Which of several failing guards a `Conflict` names is open.
 */
import { Context, Data, type Effect, type Scope } from "effect"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { Attachment, WithPackages } from "../domain/Attachment.ts"
import type { Catalogue } from "../domain/Catalogue.ts"
import type { Confirmed } from "../domain/Decision.ts"
import type { Region } from "../domain/Region.ts"
import type { Delivery, LoggedDelivery } from "../domain/Delivery.ts"
import type { IdempotencyRecord } from "../domain/Idempotency.ts"
import type { Job } from "../domain/Job.ts"
import type { Label } from "../domain/Label.ts"
import type { SimAggregate } from "../domain/SimAggregate.ts"
import type { ReportedAttachment, ReportedLine, ReportedPackage, ReportedSim } from "../domain/ReportedLine.ts"
import type { Organization } from "../domain/Organization.ts"
import type { Package } from "../domain/Package.ts"
import type { Plan } from "../domain/Plan.ts"
import type { Present } from "../domain/Occurrence.ts"
import type { Loaded, Sim } from "../domain/Sim.ts"
import type { Entry } from "../domain/SmdpHistory.ts"
import type { Subscription, SubscriptionWithSim } from "../domain/Subscription.ts"
import type { Instant } from "../domain/Time.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { WebhookEvent } from "../domain/WebhookEvent.ts"
import type { Changes } from "./Changes.ts"

export type { Confirmed }

/** The storage could not do its work: it is out of reach, full or broken. Nothing is known of the commit. */
export class StorageError extends Data.TaggedError("StorageError")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/**
 * The commit changed nothing, because something it relied on has changed meanwhile. The use case loads and decides
 * again.
 */
export class Conflict extends Data.TaggedError("Conflict")<{
  /** `version`: a guard; `lease`: a job or delivery is not, or no longer, held; the others: a uniqueness. */
  readonly on: "version" | "lease" | "iccid" | "region name" | "api key" | "idempotency key"
}> {}

/**
 * The hold of one worker on a job or delivery. `until` is machine time; from that instant on the lease is over and the
 * work anyone's. A commit knows no machine time: until someone else has taken the work, the old token is still good.
 */
export interface Lease {
  readonly token: string
  readonly until: Instant
}

/** A report id to be remembered (rule R1). */
export interface SeenReport {
  readonly organizationId: string
  readonly reportId: string
  readonly receivedAt: Instant
}

/** A plan as it was when it was loaded. */
export type LoadedPlan = Pick<Plan, "organizationId" | "planId" | "version">

/** What one commit writes. Absent parts write nothing. Rows of one commit may belong to several organizations. */
export interface Commit {
  /** Inserted or replaced by id. */
  readonly organizations?: ReadonlyArray<Organization>
  readonly apiKeys?: ReadonlyArray<ApiKey>
  readonly webhookEndpoints?: ReadonlyArray<WebhookEndpoint>
  readonly plans?: ReadonlyArray<Plan>
  /** Plans that stay as they are, and that the commit rests on: a `Conflict` where another version is stored. */
  readonly plansAsLoaded?: ReadonlyArray<LoadedPlan>
  /** Always new ones. */
  readonly regions?: ReadonlyArray<Region>
  /**
   * Never new ones: SIMs come in by `importSims`, and ids, label, kind, activation code and time that they came in with
   * never change. Writing a SIM ends any claim on it.
   */
  readonly sims?: ReadonlyArray<Sim>
  /** SIMs that stay as they were loaded, but for their version: something that hangs on them changes. */
  readonly touched?: ReadonlyArray<Loaded>
  /** Inserted or replaced by id; the commit also writes their SIM, whose version guards them. Likewise below. */
  readonly subscriptions?: ReadonlyArray<Subscription>
  readonly attachments?: ReadonlyArray<Attachment>
  readonly packages?: ReadonlyArray<Package>
  /**
   * Attachments that are confirmed from now on, with their subscriptions live and their SIMs in service. All of them are
   * there, their SIMs guarded by their versions, and none of these written otherwise.
   */
  readonly confirmed?: ReadonlyArray<Confirmed>
  /** What the telco reported; all of it hangs on the SIMs named here, and what is not there is not made. */
  readonly reported?: {
    /**
     * Written as those above, one of which none of them is, but for what no report changes. Null: the SM-DP+ status and
     * the location stay as they are.
     */
    readonly sims?: ReadonlyArray<Omit<ReportedSim, "isEsim">>
    readonly attachments?: ReadonlyArray<
      Pick<ReportedAttachment, "attachmentId" | "anchor" | "thresholdTold"> & OfOrganization
    >
    readonly packages?: ReadonlyArray<Omit<ReportedPackage, "status" | "telcoPackageId"> & OfOrganization>
  }
  /** A removed subscription takes its attachments along. What is not there needs no removal. */
  readonly removedSubscriptions?: ReadonlyArray<{ readonly organizationId: string; readonly subscriptionId: string }>
  /** A removed attachment takes its packages along. */
  readonly removedAttachments?: ReadonlyArray<{ readonly organizationId: string; readonly attachmentId: string }>
  /** Appended, whatever is there. */
  readonly smdpEntries?: ReadonlyArray<Entry>
  /** Inserted, or replaced by organization and report id. */
  readonly seenReports?: ReadonlyArray<SeenReport>
  readonly idempotency?: {
    /** A record of that key created at or before `replaces` is replaced; a later one is a `Conflict`. */
    readonly put?: ReadonlyArray<{ readonly record: IdempotencyRecord; readonly replaces: Instant }>
    /** Sets the outcome of a record that is there; does nothing where it is not. */
    readonly settled?: ReadonlyArray<Pick<IdempotencyRecord, "organizationId" | "key" | "outcome">>
    readonly forgotten?: ReadonlyArray<Pick<IdempotencyRecord, "organizationId" | "key">>
  }
  /**
   * Stored, and fanned out in the same commit: one pending delivery, due at the event's `createdAt`, for each of the
   * organization's endpoints that is enabled, not deleted and takes the type. It starts with no attempts, on rung 0.
   */
  readonly events?: ReadonlyArray<WebhookEvent>
  readonly jobs?: {
    /** Stored unless a job of that id is there already; with a lease, it is held from the start. */
    readonly put?: ReadonlyArray<{ readonly job: Job; readonly lease: Lease | null }>
    /** Removed; a `Conflict` on the lease where the job is not held with that token. */
    readonly finished?: ReadonlyArray<{ readonly jobId: string; readonly token: string }>
    /** Given back for a later try, unheld; guarded likewise. */
    readonly retried?: ReadonlyArray<{
      readonly jobId: string
      readonly token: string
      readonly dueAt: Instant
      readonly attempts: number
    }>
  }
  readonly deliveries?: {
    /** The outcome of an attempt: replaces the delivery and ends the lease; guarded by the token likewise. */
    readonly settled?: ReadonlyArray<{ readonly delivery: Delivery; readonly token: string }>
    /** Replaces the delivery, whoever holds it, and ends any lease; does nothing where it is not there. */
    readonly replayed?: ReadonlyArray<Delivery>
  }
  readonly catalogue?: Catalogue
  /** The instant at which a virtual clock stands. */
  readonly clock?: Instant
}

/**
 * A SIM to be imported; the storage gives it its serial, rising in the order given, perhaps with gaps, and version 1.
 */
export type NewSim = Omit<Sim, "serial" | "version">

export interface ImportOutcome {
  /** The ICCIDs that are new, in the order given. */
  readonly imported: ReadonlyArray<string>
  /**
   * Those that were there before, with the organization that has them, in the order given. Of one ICCID twice in a
   * call the first row is imported, the other one taken.
   */
  readonly taken: ReadonlyArray<{ readonly iccid: string; readonly organizationId: string }>
}

/** SIMs to be claimed under one token, which nothing was ever claimed with before. */
export interface SimClaim {
  readonly organizationId: string
  readonly label: Label
  readonly purpose: "subscription" | "mobile plan"
  readonly token: string
  /** How many are wanted, at least one. */
  readonly count: number
  readonly machineNow: Instant
  readonly until: Instant
}

/** A SIM that is claimed, and the token that it is claimed with. */
export interface HeldSim {
  readonly iccid: string
  readonly token: string
}

export interface ClaimedSims {
  /** In the order in which they are to be given. The version in each counts the claim. */
  readonly sims: ReadonlyArray<Sim>
  /**
   * Null where they are as many as were wanted. `Busy`: there are no more now, but some are under a claim, be it this
   * one, that may yet come to nothing. `None`: there is not one.
   */
  readonly shortage: "Busy" | "None" | null
}

/** A place in a list ordered by creation: after this row. */
export interface CreatedCursor {
  readonly createdAt: Instant
  readonly id: string
}

export interface Page<Cursor> {
  readonly organizationId: string
  readonly after: Cursor | null
  readonly limit: number
}

/** What the reports about one ICCID need to be decided. */
export interface Reported {
  readonly line: ReportedLine
  /** Which of the asked report ids were seen. */
  readonly seen: ReadonlyArray<string>
}

/** Whose rows are meant: nothing of another organization is ever read. */
export interface OfOrganization {
  readonly organizationId: string
}

type Read<A> = Effect.Effect<A, StorageError>

export class Storage extends Context.Service<
  Storage,
  {
    readonly commit: (commit: Commit) => Effect.Effect<void, Conflict | StorageError>

    /** By creation and id, ascending, as are all lists called oldest first. */
    readonly organizations: Read<ReadonlyArray<Organization>>
    readonly organization: (id: string) => Read<Organization | null>

    readonly apiKeyByHash: (hash: string) => Read<ApiKey | null>
    /** Oldest first, revoked ones included. */
    readonly apiKeys: (of: OfOrganization) => Read<ReadonlyArray<ApiKey>>

    /** Oldest first, without deleted ones. */
    readonly webhookEndpoints: (of: OfOrganization) => Read<ReadonlyArray<WebhookEndpoint>>

    /** Deleted plans included. */
    readonly plan: (of: OfOrganization & { readonly planId: string }) => Read<Plan | null>
    /** By creation and id, ascending, without deleted ones. */
    readonly plans: (
      of: Page<CreatedCursor> & {
        /** Only archived, only live, or both. */
        readonly archived: boolean | null
        readonly label: Label | null
        /** A part of the name, literally but in any case: both are compared by their `toLowerCase()`. */
        readonly search: string | null
        /** Only plans whose coverage is one of these, or a custom region with all of these countries. */
        readonly covering: {
          readonly coverageIds: ReadonlyArray<string>
          readonly iso2List: ReadonlyArray<string>
        } | null
      }
    ) => Read<ReadonlyArray<Plan>>

    readonly region: (of: OfOrganization & { readonly coverageId: string }) => Read<Region | null>
    /** By creation and id, ascending. */
    readonly regions: (of: Page<CreatedCursor>) => Read<ReadonlyArray<Region>>
    /** The organization's regions that have this name, or exactly these countries in any order; unordered. */
    readonly regionsLike: (
      of: OfOrganization & { readonly regionName: string; readonly iso2List: ReadonlyArray<string> }
    ) => Read<ReadonlyArray<Region>>

    readonly importSims: (sims: ReadonlyArray<NewSim>) => Effect.Effect<ImportOutcome, StorageError>
    /** By serial, ascending; the cursor is a serial. */
    readonly sims: (
      of: Page<number> & { readonly isEsim: boolean | null; readonly label: Label | null }
    ) => Read<ReadonlyArray<Sim>>
    /**
     * Claims eSIMs of the label: for a `subscription` free ones (rule S2: never used first, by serial; then the
     * longest recycled, by serial where equal), for a `mobile plan` those whose mobile plan is settled and not applied,
     * by serial, whoever holds them. A SIM has one claim at most, whatever it is for: nobody else is given it until the
     * claim is over (`until` at or before `machineNow`), or handed back, or the SIM is written. The first in order that
     * no claim is on are given. Every claim raises the version. Locked rows are skipped but never taken for absent.
     */
    readonly claimSims: (claim: SimClaim) => Effect.Effect<ClaimedSims, StorageError>
    /** Ends claims. A SIM that is not, or no longer, claimed with that token stays as it is; versions stay. */
    readonly handBackSims: (
      of: OfOrganization & { readonly held: ReadonlyArray<HeldSim> }
    ) => Effect.Effect<void, StorageError>
    /**
     * Whether what the caller does goes along with a transaction that it has open, and is done or undone with that:
     * then it can be done neither for others nor by others.
     */
    readonly inTransaction: Effect.Effect<boolean>

    readonly line: (of: OfOrganization & { readonly iccid: string }) => Read<SimAggregate | null>
    /** The occurrence of an attachment on this ICCID; null where there is none, or its subscription is deleted. */
    readonly occurrence: (
      of: OfOrganization & { readonly iccid: string; readonly attachmentId: string; readonly occurrence: number }
    ) => Read<Present | null>
    /**
     * What reports change of the lines of these ICCIDs (each named once), of any organization and in any order; unknown
     * ICCIDs are left out. Of a SIM in service they have the attachments of its subscription that are confirmed, oldest
     * first, each with those of its packages that are at the telco (`Created`) and have no expiry, expire after `since`,
     * or whose id (ours or the telco's) is named. Report ids are looked up in the SIM's organization. `seenSince`: those
     * received before it count as unseen.
     */
    readonly reportedLines: (of: {
      readonly iccids: ReadonlyArray<{
        readonly iccid: string
        readonly since: Instant
        readonly packageIds: ReadonlyArray<string>
        readonly reportIds: ReadonlyArray<string>
      }>
      readonly seenSince: Instant
    }) => Read<ReadonlyArray<Reported>>
    /** The live one of a SIM; null where it has none, or one that is pending. */
    readonly subscription: (of: OfOrganization & { readonly iccid: string }) => Read<SubscriptionWithSim | null>
    /** Those of the live subscription of a SIM, oldest first, unconfirmed ones included; null where it has none. */
    readonly attachments: (of: OfOrganization & { readonly iccid: string }) => Read<ReadonlyArray<WithPackages> | null>
    /** Live ones, by creation and id, ascending. */
    readonly subscriptions: (of: Page<CreatedCursor>) => Read<ReadonlyArray<SubscriptionWithSim>>
    /** By `modifiedAt`, then as stored. */
    readonly smdpEntries: (of: OfOrganization & { readonly iccid: string }) => Read<ReadonlyArray<Entry>>

    /** By creation and id, descending: newest first. */
    readonly deliveries: (of: Page<CreatedCursor>) => Read<ReadonlyArray<LoggedDelivery>>
    readonly delivery: (of: OfOrganization & { readonly deliveryId: string }) => Read<LoggedDelivery | null>

    readonly idempotency: (of: OfOrganization & { readonly key: string }) => Read<IdempotencyRecord | null>

    /** How often the catalogue was replaced; 0 while it never was. */
    readonly catalogueVersion: Read<number>
    readonly catalogue: Read<Catalogue | null>

    readonly clock: Read<Instant | null>

    /**
     * By how many milliseconds the storage's clock is ahead of this machine's, so that all processes on it go by one
     * time; 0 where it has none of its own.
     */
    readonly ahead: Effect.Effect<number>
    /**
     * Tells, until the scope ends, what commits on this storage have changed: of this process's own commits before
     * they return, of other processes' soon. Where some may have been missed, `Changes.anything` is told.
     */
    readonly watch: (hear: (changes: Changes) => void) => Effect.Effect<void, never, Scope.Scope>

    /** Forgets report ids and idempotency records from before these instants; returns how many rows went. */
    readonly purge: (older: {
      readonly reportsBefore: Instant
      readonly idempotencyBefore: Instant
    }) => Effect.Effect<number, StorageError>

    /** Succeeds when the storage answers and its migrations are done. */
    readonly ready: Effect.Effect<void, StorageError>
  }
>()("simplan/Storage") {}
