/**
 * Lists of rows: how many are taken of them, how far a filter goes over them, and where the next
 * page begins.
 */
import { type SimAggregate, Storage } from "simplan/ports"
import type * as Rows from "./Rows.ts"
import type { Row } from "./RowStore.ts"

/** The values of rows, up to `limit` of those that are selected. */
export const take = <K extends Rows.Kind, A>(
  rows: Iterable<Row<K>>,
  limit: number,
  select: (value: Rows.Kinds[K]) => A | null
): ReadonlyArray<A> => {
  const taken: Array<A> = []
  if (limit <= 0) return taken
  for (const { value } of rows) {
    const selected = select(value)
    if (selected !== null && taken.push(selected) >= limit) break
  }
  return taken
}

/** The part of a list that a filter goes over. */
export const scan = <K extends Rows.Kind, A, Cursor>(
  rows: Iterable<Row<K>>,
  { limit, scanLimit = Storage.SCAN_LIMIT }: Storage.FilteredKeyset<Cursor>,
  cursorOf: (value: Rows.Kinds[K]) => Cursor,
  select: (value: Rows.Kinds[K]) => A | null
): Storage.Filtered<A, Cursor> => {
  const items: Array<A> = []
  let scanned = 0
  for (const { value } of rows) {
    scanned += 1
    const selected = select(value)
    if (selected !== null) items.push(selected)
    if (items.length < limit && scanned < scanLimit) continue
    return { items, rows: scanned, next: cursorOf(value) }
  }
  return { items, rows: scanned, next: null }
}

/** The position of a row in its organization's list. */
export const listed =
  <A>(placeOf: (value: A) => Rows.Place) =>
  (value: A): Storage.CreatedCursor => {
    const { id, position } = placeOf(value)
    return { createdAt: position, id }
  }

/** The position among the live subscriptions. */
export const subscribed = ({ sim, subscription }: SimAggregate.SimAggregate): Storage.CreatedCursor => ({
  createdAt: subscription?.createdAt ?? 0,
  id: subscription?.subscriptionId ?? sim.iccid
})

/** Selects every row. */
export const all = <A>(value: A): A => value
