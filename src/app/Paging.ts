/**
 * Keyset pages: one page, or all of them as a stream that holds one page at a time.
 */
import { Effect, Option, Stream } from "effect"

/** Two pages of the longest rows take less than 1 MB (rule W10): a row has up to 17 kB, where its metadata are emoji. */
const STREAM_PAGE = 25

/** A page of a list, and the cursor of the next page; null if there is none. */
export interface Page<A, Cursor> {
  readonly items: ReadonlyArray<A>
  readonly next: Cursor | null
}

/** The page of the first `limit` of up to `limit + 1` rows. */
export const page = <A, Cursor>(
  found: ReadonlyArray<A>,
  limit: number,
  cursorOf: (item: A) => Cursor
): Page<A, Cursor> => {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null }
}

/** All rows, read page by page as they are consumed (rule W4). No connection is held between pages. */
export const stream = <A, Cursor, E, R>(
  read: (after: Cursor | null, limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>,
  cursorOf: (item: A) => Cursor
): Stream.Stream<A, E, R> =>
  Stream.paginate<Cursor | null, A, E, R>(null, (after) =>
    Effect.map(read(after, STREAM_PAGE), (items) => {
      const last = items.at(-1)
      return [items, items.length < STREAM_PAGE || last === undefined ? Option.none() : Option.some(cursorOf(last))]
    })
  )

/** All rows of pages that may be shorter than asked for while others follow. */
export const streamPages = <A, Cursor, E, R>(
  read: (after: Cursor | null, limit: number) => Effect.Effect<Page<A, Cursor>, E, R>
): Stream.Stream<A, E, R> =>
  Stream.paginate<Cursor | null, A, E, R>(null, (after) =>
    Effect.map(read(after, STREAM_PAGE), ({ items, next }) => [
      items,
      next === null ? Option.none() : Option.some(next)
    ])
  )
