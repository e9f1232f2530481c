/**
 * What the reads of the storage port have in common.
 */
import type { Effect } from "effect"
import type { Instant } from "../../domain/Time.ts"
import type { StorageError } from "./Failure.ts"

/** A read of one consistent snapshot. */
export type Read<A> = Effect.Effect<A, StorageError>

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
 * One keyset page of a list: at most `limit` rows after the cursor. A row that existed before the first page and does
 * not change appears on exactly one page, whatever is inserted in between.
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
 * A part of a list that a filter goes over. The read stops after `limit` rows that the filter takes, or after so many
 * rows of the list, whether taken or not (rule W13): what it costs does not grow with the list.
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
  /** The last row that was scanned, to go on after; null where the list has ended. */
  readonly next: Cursor | null
}

/** One keyset page of an organization's rows. */
export interface Page<Cursor> extends OfOrganization, Keyset<Cursor> {}
