/**
 * The ledger of costs over rows (rules C1 to C4): its reads.
 */
import { Cost, type Storage } from "simplan/ports"
import type { RowStore } from "./RowStore.ts"

type Query<Name extends keyof Storage.Ledger> = Parameters<Storage.Ledger[Name]>[0]

/** The rows of an organization from an instant until before another. */
function* chargedIn(store: RowStore, organizationId: string, from: number, until: number): Iterable<Cost.Entry> {
  const start = { createdAt: from, id: "" }
  for (const { value } of store.list("cost", organizationId, start, "ascending")) {
    if (value.at >= until) return
    yield value
  }
}

/** What an organization has spent since an instant. */
export const spent = (store: RowStore, { organizationId, since }: Query<"spent">): ReadonlyArray<Cost.Spent> =>
  Cost.spent(chargedIn(store, organizationId, since, Number.POSITIVE_INFINITY))

/** What one row has. */
export const booked = (store: RowStore, { costId, organizationId }: Query<"booked">): Cost.Booked | null => {
  const entry = store.find("cost", costId, organizationId)?.value
  return entry === undefined ? null : Cost.booked(entry)
}

/** The rows of all organizations. */
function* chargedToAll(store: RowStore, from: number, until: number): Iterable<Cost.Entry> {
  for (const { value } of [...store.list("organization", "", null, "ascending")]) {
    yield* chargedIn(store, value.organizationId, from, until)
  }
}

/** What was charged and sold. */
export const totals = (store: RowStore, query: Query<"totals">): ReadonlyArray<Cost.Total> => {
  const { after, by, from, limit, organizationId, until } = query
  const entries =
    organizationId === null ? chargedToAll(store, from, until) : chargedIn(store, organizationId, from, until)
  const all = Cost.totals(entries, by)
  const rest = after === null ? all : all.filter((total) => Cost.compareTotals(after, total) < 0)
  return rest.slice(0, limit)
}
