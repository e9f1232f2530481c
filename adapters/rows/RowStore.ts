/**
 * What a database has to do to be a storage by `RowStorage`: keep rows, and find them by their key,
 * in lists and in queues. A value is stored as a whole; nothing in it has to be understood. Every
 * operation is one synchronous step; `run` makes a transaction of them an effect.
 */
import { Effect } from "effect"
import { type Jobs, Storage, type Time } from "simplan/ports"
import type { Kind, Kinds } from "./Rows.ts"

/** A row, and who holds it: under a lease, or the reservation of a SIM. */
export interface Row<K extends Kind> {
  /** Exactly as it was put. */
  readonly value: Kinds[K]
  /** Null: nobody holds it, or it is nothing that is held. */
  readonly lease: Storage.Lease | null
}

/**
 * A row that is held, with the token. Without an organization: one whose id is unique in the whole
 * service.
 */
export interface Held {
  readonly organizationId?: string
  readonly id: string
  readonly token: string
}

/**
 * Where a row is, is what `Rows.placeOf` says of its value. What reads gives holds while nothing is
 * written.
 */
export interface RowStore {
  /**
   * Runs the body: all that it writes is there when this returns, and nothing of it if the body
   * throws.
   */
  readonly transaction: <A>(body: () => A) => A
  /** The row of that id, of any organization if none is given; null if there is none. */
  readonly find: <K extends Kind>(kind: K, id: string, organizationId?: string) => Row<K> | null
  /** Adds a row, or replaces the one of its kind, id and organization. */
  readonly put: <K extends Kind>(kind: K, value: Kinds[K], lease: Storage.Lease | null) => void
  /** Removes the row of the value's kind, id and organization, if it is there. */
  readonly remove: <K extends Kind>(kind: K, value: Kinds[K]) => void
  /**
   * An organization's rows of the kind by position and id: after a place, or before it if
   * descending; all of them for null.
   */
  readonly list: <K extends Kind>(
    kind: K,
    organizationId: string,
    from: Storage.CreatedCursor | null,
    direction: "ascending" | "descending"
  ) => Iterable<Row<K>>
  /**
   * The rows of the kind that are in the list as well (`Place.also`), by the position and id there,
   * after a place.
   */
  readonly also: <K extends Kind>(kind: K, list: string, after: Storage.CreatedCursor | null) => Iterable<Row<K>>
  /** Deletes rows of the kind with a smaller position, `limit` at most; returns how many went. */
  readonly purge: (kind: Kind, before: number, limit: number) => number
  /** The rows that stand in a queue, by when they are due and the id of that. */
  readonly waiting: <K extends Kind>(kind: K, queue: string) => Iterable<Row<K>>
  /**
   * As `Jobs.claim`, of a queue. What an earlier row about its subject keeps waiting is not there,
   * here and below.
   */
  readonly claim: <K extends Kind>(kind: K, queue: string, claim: Jobs.Claim) => ReadonlyArray<Kinds[K]>
  /** As `Jobs.pending`. */
  readonly pending: (kind: Kind, queue: string, at: Jobs.PendingQuery) => Jobs.Pending
  /** As `Jobs.partitions`. */
  readonly partitions: (kind: Kind, queue: string, query: Jobs.PartitionQuery) => Jobs.Partitions
  /** As `Jobs.backlog`. */
  readonly backlog: (
    kind: Kind,
    queue: string,
    at: { readonly now: Time.Instant; readonly machineNow: Time.Instant }
  ) => Jobs.Backlog
  /**
   * Moves the ends of leases; null ends them. A row that is not, or no longer, held with the token
   * stays as it is.
   */
  readonly lease: (kind: Kind, leases: Iterable<Held>, until: Time.Instant | null) => void
  /** Ends every lease on the rows of the kind that are due. */
  readonly release: (kind: Kind, now: Time.Instant) => void
}

/** What a store has thrown. */
export const failed = (cause: unknown): Storage.StorageError =>
  new Storage.StorageError({ message: cause instanceof Error ? cause.message : String(cause), cause })

/** Runs the body as a transaction of the store. */
export const run = <A>(store: RowStore, body: () => A): Effect.Effect<A, Storage.StorageError> =>
  Effect.try({ try: () => store.transaction(body), catch: failed })
