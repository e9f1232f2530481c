/**
 * Keyset pages: one page, all of them as a stream that holds one page at a time, and the pages of
 * filtered lists.
 */
import { Context, Effect, Layer, Option, Stream } from "effect"
import * as Clocks from "../ports/Clocks.ts"
import { Aside, type CreatedCursor, type Filtered, type Keyset, SCAN_LIMIT } from "../ports/Storage.ts"
import * as FairSlots from "./FairSlots.ts"
import * as RequestContext from "./RequestContext.ts"

/**
 * Two pages of the longest rows take less than 1 MB (rule W10): a row has up to 17 kB, if its
 * metadata are emoji.
 */
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

/**
 * All rows, read page by page as they are consumed (rule W4). No connection is held between pages.
 */
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

/** How many rows a page scans, at most: all plans that an organization has by its usual quota. */
export const MOST_SCANNED = 40 * SCAN_LIMIT

/**
 * How many rows a step of a search looks at: what it finds among so many is all read at once
 * (rule L1).
 */
const SEARCHED = 8 * SCAN_LIMIT

/** How many rows a step scans, if that differs from other lists. */
export const searching = (search: unknown): { readonly scanLimit?: number } =>
  search === null ? {} : { scanLimit: SEARCHED }

/** Which page, and of whose list. */
export interface Asked<Cursor = CreatedCursor> extends Keyset<Cursor> {
  /** Whose turns it takes. Empty: those of the service itself. */
  readonly organizationId: string
}

/** Reads a step: as many rows that the filter takes. */
type Step<A, Cursor, E> = (of: Keyset<Cursor>) => Effect.Effect<Filtered<A, Cursor>, E>

/**
 * Reads filtered lists within bounds (rule W13), whatever the storage: how many rows a page scans,
 * and that what one organization searches waits for its turn among the searches of others. All of a
 * process take the same turns.
 *
 * A page is read in steps of a few hundred rows. The first one is made at once: mostly it is
 * enough. Each further one takes its turn, so that no search holds up the reads of others for
 * longer than a step takes. What was scanned is charged to the request (`RequestContext`).
 */
export class FilteredLists extends Context.Service<
  FilteredLists,
  {
    /**
     * A page. It has fewer than `limit` rows, or none, and a `next`, if `MOST_SCANNED` rows were
     * scanned, or if no turn came in time: 2 s after the page was asked for, it goes on only
     * while it need not wait.
     */
    readonly page: <A, Cursor, E>(
      asked: Asked<Cursor>,
      step: Step<A, Cursor, E>,
      cursorOf: (item: A) => Cursor
    ) => Effect.Effect<Page<A, Cursor>, E>
  }
>()("simplan/FilteredLists") {}

/**
 * How many steps beyond a page's first are made at a time, aside of other reads: they share a
 * processor of the database.
 */
const SLOTS = 1
/** How a step beyond the first is made. */
const STEP: Aside = { atMost: 10_000 }
/**
 * How many requests of one organization may wait for their turn, and how long after it was asked
 * for a page may, in ms.
 */
const MOST_WAITING = 256
const WAIT_LIMIT = 2_000

/** The turns of this process. */
export const filteredListsLayer: Layer.Layer<FilteredLists> = Layer.sync(FilteredLists, () => {
  const slots = FairSlots.make({ slots: SLOTS, mostWaiting: MOST_WAITING })
  return FilteredLists.of({
    page: Effect.fnUntraced(function* <A, Cursor, E>(
      { after, limit, organizationId }: Asked<Cursor>,
      step: Step<A, Cursor, E>,
      cursorOf: (item: A) => Cursor
    ) {
      const items: Array<A> = []
      const until = (yield* Clocks.monotonicNow) + WAIT_LIMIT
      let [next, rows] = [after, 0]
      do {
        // One more than asked for, to know whether another page follows.
        const read = step({ after: next, limit: limit + 1 - items.length })
        const waitLimitMillis = Math.max(0, until - (yield* Clocks.monotonicNow))
        const turn = { organizationId, isUrgent: true, waitLimitMillis }
        const found: Filtered<A, Cursor> | null = yield* rows === 0
          ? read
          : slots.run(turn, Effect.provideService(read, Aside, STEP), Effect.succeed(null))
        if (found === null) return { items, next }
        yield* RequestContext.countRows(found.rows)
        items.push(...found.items)
        const last = items[limit - 1]
        if (items.length > limit && last !== undefined) return { items: items.slice(0, limit), next: cursorOf(last) }
        next = found.next
        rows += found.rows
      } while (next !== null && rows < MOST_SCANNED)
      return { items, next }
    })
  })
})
