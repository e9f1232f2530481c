/**
 * Keyset pages: one at a time for a caller that turns them, or all of them as a stream that holds no more than one.
 */
import { Effect, Option, Stream } from "effect"

const STREAM_PAGE = 150

/** The first `limit` of up to `limit + 1` rows, and where the next page begins; null where there is none. */
export const page = <A, Cursor>(
  found: ReadonlyArray<A>,
  limit: number,
  cursorOf: (item: A) => Cursor
): { readonly items: ReadonlyArray<A>; readonly next: Cursor | null } => {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null }
}

/** All rows, read page by page as they are taken (rule W4): nothing is held open in between. */
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
