/**
 * The storage port: snapshots to decide on, and commits. The reads of each resource are in
 * `storage/`.
 *
 * Every adapter gives these guarantees; the conformance suite in `src/testing` checks them:
 * - A commit happens as a whole or not at all, across facts, events and jobs.
 * - Each written SIM, plan, key, operator, session or endpoint carries the version that was loaded;
 *   0 says that it is new. If another version is stored, the commit changes nothing and fails
 *   with `Conflict`. A written value is stored with `version + 1`.
 * - ICCIDs, the hashes of keys and of operators' tokens, and the names of operators that are not
 *   deleted are unique in the whole service; in their organization, region names are, and the sets
 *   of countries of regions (`Region.countriesKey`). Texts are compared exactly, and ordered by
 *   code point (ids are ASCII).
 * - A read is one consistent snapshot.
 * - Instants round-trip to the millisecond. Strings round-trip exactly; the edge refuses NUL and
 *   lone surrogates. JSON round-trips as values; the payload of an event keeps the order of its
 *   keys as well.
 */
import { Context, type Effect } from "effect"
import type { Use } from "../domain/ApiKey.ts"
import type { Job } from "../domain/Job.ts"
import type { Label } from "../domain/Label.ts"
import type { Process } from "../domain/Process.ts"
import type { Instant } from "../domain/Time.ts"
import type * as Changes from "./Changes.ts"
import type { Commit } from "./storage/Commit.ts"
import type { Conflict, StorageError, Read } from "./storage/Read.ts"
import type {
  AuditEntries,
  Commands,
  Deliveries,
  IdempotencyRecords,
  Jobs,
  Overviews,
  Problems,
  Processes
} from "./storage/Operation.ts"
import type {
  ApiKeys,
  EventHandlers,
  Operators,
  Organizations,
  Sessions,
  WebhookEndpoints
} from "./storage/Organizations.ts"
import type { Ledger } from "./storage/Ledger.ts"
import type { Catalogues, Plans, Regions } from "./storage/Plans.ts"
import type { Sims } from "./storage/Sims.ts"
import type { SimAggregates, Subscriptions, UsageBooks } from "./storage/Subscriptions.ts"

export type { AuditEntries, AuditQuery, DeliveryFilter, WaitingFilter } from "./storage/Operation.ts"
export type * from "./storage/Commit.ts"
export type * from "./storage/Ledger.ts"
export * from "./storage/Read.ts"
export type * from "./storage/Plans.ts"
export type * from "./storage/Sims.ts"
export type * from "./storage/Subscriptions.ts"

/** The groups of which every operation is a read. */
export interface Reads {
  /** The tenants. */
  readonly organizations: Organizations
  /** Who the management API takes requests from (rule W14). */
  readonly operators: Operators
  /** The sessions of operators' browsers (rule W14). */
  readonly sessions: Sessions
  /** By hash for a request, and in pages; each with its last use. */
  readonly apiKeys: ApiKeys
  /** Reads of one endpoint, or of a page. */
  readonly webhookEndpoints: WebhookEndpoints
  /** The handlers that any process has registered (rule E2). */
  readonly eventHandlers: EventHandlers
  /** Reads of one plan, or of a page. */
  readonly plans: Plans
  /** Custom regions (rule I4). */
  readonly regions: Regions
  /** The replaced catalogue, if there is one. */
  readonly catalogues: Catalogues
  /** What decisions about a SIM go by, and views of it. */
  readonly simAggregates: SimAggregates
  /** In pages by creation. */
  readonly subscriptions: Subscriptions
  /** The log of deliveries and attempts. */
  readonly deliveries: Deliveries
  /** What requests with a key were answered (rule W2). */
  readonly idempotencyRecords: IdempotencyRecords
  /** What hosts asked of the telco, and what became of it (rule H1). */
  readonly commands: Commands
  /** In pages, newest first. */
  readonly auditEntries: AuditEntries
  /** By id, and which a request waits for. */
  readonly jobs: Jobs
  /** Jobs that have ended, in pages. */
  readonly problems: Problems
  /** What was used, by day and country (rule U1). */
  readonly usage: UsageBooks
  /** What was bought, and sold (rule C1). */
  readonly ledger: Ledger
  /** What operators see first. */
  readonly overview: Overviews
  /** Those that share the storage, as they have said. */
  readonly processes: Processes
}

/** What a storage does. Every operation may fail with `StorageError`. */
export interface Service extends Reads {
  /**
   * Writes all of it or nothing. Fails with `Conflict` if a version, a unique key or a lease
   * does not fit.
   */
  readonly commit: (commit: Commit) => Effect.Effect<void, Conflict | StorageError>
  /**
   * Remembers when keys were last used (`ApiKey.lastUsedAt`), each key once in a call: the latest
   * that it is given of one. It changes no version, waits for no commit and is no change to be
   * notified of. What it is given of unknown keys does nothing.
   */
  readonly recordKeyUses: (uses: ReadonlyArray<Use>) => Effect.Effect<void, StorageError>
  /** Import, pages, and reservations. */
  readonly sims: Sims
  /**
   * An outstanding purchase of the load for the organization's label (`Job.isPurchaseOf`) that
   * nobody awaits at `machineNow`, the oldest first; it is awaited until `until` from now on. One
   * that another statement has locked is skipped. Null: there is none.
   */
  readonly adoptPurchase: (of: {
    readonly organizationId: string
    readonly label: Label
    readonly load: string
    readonly machineNow: Instant
    readonly until: Instant
  }) => Effect.Effect<Job | null, StorageError>
  /**
   * Nobody awaits the purchase any more, unless it was adopted anew: it is awaited until another
   * time then.
   */
  readonly leavePurchase: (of: {
    readonly organizationId: string
    readonly jobId: string
    readonly until: Instant
  }) => Effect.Effect<void, StorageError>
  /** The instant at which a virtual clock stands; null if none was ever committed. */
  readonly virtualClock: Read<Instant | null>
  /**
   * By how many milliseconds the storage's clock is ahead of this machine's, so that all processes
   * on the storage go by one time; 0 if it has none of its own.
   */
  readonly clockOffset: Effect.Effect<number>
  /**
   * Notifies, until the scope ends, what commits on this storage have changed: commits of this
   * process before they return, those of other processes soon after. If some may have been
   * missed, it notifies `Changes.anything`.
   */
  readonly watch: Changes.Watch
  /**
   * The key that is stored for sealing what browsers keep of sessions; this one, if none is, from
   * now on.
   */
  readonly sessionKey: (candidate: string) => Effect.Effect<string, StorageError>
  /**
   * Deletes idempotency records from before this instant, commands that were settled before theirs,
   * and sessions that were over before theirs, which is machine time; returns how many rows went.
   */
  readonly purge: (older: {
    readonly idempotencyBefore: Instant
    readonly commandsBefore: Instant
    readonly sessionsBefore: Instant
  }) => Effect.Effect<number, StorageError>
  /**
   * Forgets the report ids that were received before `before`, the first instant of a UTC day, and
   * prepares for those of the days around `now`.
   */
  readonly purgeReports: (older: {
    readonly before: Instant
    readonly now: Instant
  }) => Effect.Effect<void, StorageError>
  /**
   * Deletes audit entries from before `before`, the first instant of a UTC month, and prepares for
   * those of the months around `now`.
   */
  readonly purgeAudit: (older: { readonly before: Instant; readonly now: Instant }) => Effect.Effect<void, StorageError>
  /**
   * Deletes webhook events from before an instant with their deliveries and attempts, the oldest
   * first, `limit` events at most; returns how many events went. An event with a pending delivery
   * is kept whole. What is left is deleted by the next call.
   */
  readonly purgeEvents: (older: {
    readonly before: Instant
    readonly limit: number
  }) => Effect.Effect<number, StorageError>
  /**
   * Deletes the usage of days before `before`, the first instant of a month, and prepares for that
   * of the months around `now`. What was used before the book began stays.
   */
  readonly purgeUsage: (older: { readonly before: Instant; readonly now: Instant }) => Effect.Effect<void, StorageError>
  /**
   * Keeps what a process says of itself, by its id, in place of what it said before; and forgets
   * others that last said something before `silentSince`.
   */
  readonly keepProcess: (said: {
    readonly process: Process
    readonly silentSince: Instant
  }) => Effect.Effect<void, StorageError>
  /** Forgets what the process has said, if anything. */
  readonly forgetProcess: (processId: string) => Effect.Effect<void, StorageError>
  /** Succeeds when the storage answers and its migrations are done. */
  readonly ready: Effect.Effect<void, StorageError>
  /**
   * Succeeds when the storage takes a write and has room for more. It writes one small row, always
   * the same one, which nothing reads; `at` is business time.
   */
  readonly probe: (at: Instant) => Effect.Effect<void, StorageError>
  /**
   * The servers with rows that do not answer, such as `10.0.0.2:5432`, of a storage that is
   * distributed over several: the organizations on them are not served. Empty while all answer.
   */
  readonly deadServers: Read<ReadonlyArray<string>>
}

/** The port of storage. `StorageSuite` of `simplan/testing` holds an adapter to its guarantees. */
export class Storage extends Context.Service<Storage, Service>()("simplan/Storage") {}
