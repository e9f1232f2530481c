/**
 * What the reads of the storage port have in common, and how the port fails.
 */
import { type Effect, Context, Data } from "effect"
import type { Instant } from "../../domain/Time.ts"

/** What is the matter with a transaction of the host (rule H1). */
export interface HostTransactionFailure {
  /**
   * `unusable`: nothing can be done in it, because it is not open, has failed, is read-only, or is
   * one of another database. `in conflict`: it met a deadlock, a serialization failure or a lock
   * that it may not wait for any longer, so the host has to roll it back, and begin it anew.
   * `timed out`: likewise, because it or a statement in it took longer than the host lets it.
   */
  readonly is: "unusable" | "in conflict" | "timed out"
  /** Of the database; null if the database has said nothing. */
  readonly sqlState: string | null
}

/**
 * Why a heavy read was not made, or not to its end: those of its own organization are in the way,
 * those of others are, or it took too long.
 */
export type RefusedRead = "own" | "others" | "too long"

/**
 * The storage is out of reach, full or broken. Whether a commit that failed so was made is unknown.
 * With `transaction` the storage is well, and nothing was made.
 */
export class StorageError extends Data.TaggedError("StorageError")<{
  /** A sentence for logs. */
  readonly message: string
  /** What the database or its client said. */
  readonly cause?: unknown
  /** Where it is the host's transaction that failed. */
  readonly transaction?: HostTransactionFailure
  /** Where the storage is well, and a read cost too much (rule W13). */
  readonly refusedRead?: RefusedRead
}> {}

/**
 * Another process has the lease of the work, or has ended it, so nothing of this process's try was
 * written. The storage is well.
 */
export class LeaseLost extends StorageError {}

/**
 * The commit changed nothing, because something that it relies on has changed. The use case loads
 * and decides again.
 *
 * `version`: the stored version of a guarded row is another one. `lease`: a job or delivery is not,
 * or no longer, leased with the token. The others name a unique key that is taken. If several
 * guards fail, any one of them is named.
 */
export class Conflict extends Data.TaggedError("Conflict")<{
  /** What did not fit: a version, a unique key, a lease. */
  readonly on:
    | "version"
    | "lease"
    | "iccid"
    | "region name"
    | "region countries"
    | "api key"
    | "operator token"
    | "operator name"
    | "idempotency key"
    | "command"
}> {}

/** A read of one consistent snapshot. */
export type Read<A> = Effect.Effect<A, StorageError>

/** How a heavy read is made. */
export interface Aside {
  /** After so many milliseconds the storage gives it up by itself, if it can. */
  readonly atMost: number
}

/**
 * Set for a read that may cost much: a storage that has connections makes it over one that carries
 * no other read meanwhile, and has its server stop what is interrupted or takes too long. Null: the
 * read is one of many.
 */
export const Aside = Context.Reference<Aside | null>("simplan/Storage/Aside", { defaultValue: () => null })

/** The organization whose rows are read. A read never returns a row of another organization. */
export interface OfOrganization {
  /** A row of another organization is not there. */
  readonly organizationId: string
}

/** A position in a list ordered by creation and id. */
export interface CreatedCursor {
  /** Of the last row that was read. */
  readonly createdAt: Instant
  /** Of the last row that was read; it orders rows of one instant. */
  readonly id: string
}

/**
 * One keyset page of a list: at most `limit` rows after the cursor. A row that existed before the
 * first page and does not change appears on exactly one page, whatever is inserted in between.
 */
export interface Keyset<Cursor> {
  /** Exclusive. Null: from the beginning. */
  readonly after: Cursor | null
  /** How many rows at most. */
  readonly limit: number
}

/** How many rows of a list a read with a filter scans, unless it is asked for fewer. */
export const SCAN_LIMIT = 512

/**
 * A part of a list that a filter goes over. The read stops after `limit` rows that the filter
 * takes, or after so many rows of the list, whether taken or not (rule W13): what it costs does not
 * grow with the list.
 */
export interface FilteredKeyset<Cursor = CreatedCursor> extends Keyset<Cursor> {
  /** How many rows to scan, at most; `SCAN_LIMIT` if absent. */
  readonly scanLimit?: number | undefined
}

/** What such a read found. */
export interface Filtered<A, Cursor = CreatedCursor> {
  /** The rows that the filter takes, in the list's order. */
  readonly items: ReadonlyArray<A>
  /** How many rows were scanned. An index may spare those of another value. */
  readonly rows: number
  /** The last row that was scanned, to go on after; null if the list has ended. */
  readonly next: Cursor | null
}

/** One keyset page of an organization's rows. */
export interface Page<Cursor> extends OfOrganization, Keyset<Cursor> {}
