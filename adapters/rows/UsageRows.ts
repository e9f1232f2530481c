/**
 * The book of usage over rows (rule U1): its reads.
 */
import { type Storage, UsageBook } from "simplan/ports"
import { take } from "./Lists.ts"
import * as Rows from "./Rows.ts"
import type { RowStore } from "./RowStore.ts"

type Query<Name extends keyof Storage.UsageBooks> = Parameters<Storage.UsageBooks[Name]>[0]

/** A SIM's entries of these days, and those from before the book. */
export const entries = (
  store: RowStore,
  { after, from, iccid, limit, organizationId, until }: Query<"entries">
): ReadonlyArray<UsageBook.SimEntry> => {
  const rows = store.also("usage", Rows.usageOf({ iccid, organizationId }), null)
  const found = take(rows, Number.POSITIVE_INFINITY, ({ attachmentId, bytes, countryAlpha2, day }) =>
    day === null || (day >= from && day < until) ? { attachmentId, bytes, countryAlpha2, day } : null
  )
  const rest = found.filter((entry) => after === null || UsageBook.compare(after, entry) < 0)
  return rest.toSorted(UsageBook.compare).slice(0, limit)
}

/** A SIM's entries that have a day, newest first. */
export const latest = (
  store: RowStore,
  { before, iccid, limit, organizationId }: Query<"latest">
): ReadonlyArray<UsageBook.SimEntry> => {
  const rows = store.also("usage", Rows.usageOf({ iccid, organizationId }), null)
  const found = take(rows, Number.POSITIVE_INFINITY, ({ attachmentId, bytes, countryAlpha2, day }) =>
    day === null ? null : { attachmentId, bytes, countryAlpha2, day }
  )
  const rest = found.filter((entry) => before === null || UsageBook.compare(entry, before) < 0)
  return rest.toSorted(UsageBook.compare).toReversed().slice(0, limit)
}

/** What the usage of attachments is booked under. Reads all SIMs. */
export const bookings = (
  store: RowStore,
  { attachmentIds, organizationId }: Query<"bookings">
): ReadonlyArray<UsageBook.Booking> => {
  const asked = new Set(attachmentIds)
  const found: Array<UsageBook.Booking> = []
  for (const { value } of store.list("sim", organizationId, null, "ascending")) {
    for (const { attachment } of value.attachments) {
      const { attachmentId, createdAt, planId, terms } = attachment
      if (asked.has(attachmentId)) found.push({ attachmentId, planId, label: terms.label, createdAt })
    }
  }
  return found
}

/** The entries of an organization of these days. */
function* usedOn(
  store: RowStore,
  organizationId: string,
  { from, until }: UsageBook.Days
): Iterable<UsageBook.Entry & { readonly day: number }> {
  const start = { createdAt: from, id: "" }
  for (const { value } of store.list("usage", organizationId, start, "ascending")) {
    const { day } = value
    if (day === null || day >= until) return
    yield { ...value, day }
  }
}

/** What an organization used on these days. */
export const totals = (store: RowStore, query: Query<"totals">): ReadonlyArray<UsageBook.Total> => {
  const { after, by, limit, organizationId } = query
  const all = UsageBook.totals(usedOn(store, organizationId, query), by)
  const rest = after === null ? all : all.filter((total) => UsageBook.compareTotals(after, total) < 0)
  return rest.slice(0, limit)
}

/** What each SIM used on these days. */
export const sims = (store: RowStore, query: Query<"sims">): ReadonlyArray<{ iccid: string; bytes: number }> => {
  const { after, limit, organizationId } = query
  const used = new Map<string, number>()
  for (const { bytes, iccid } of usedOn(store, organizationId, query)) {
    if (after === null || iccid > after) used.set(iccid, UsageBook.plus(used.get(iccid) ?? 0, bytes))
  }
  const all = Array.from(used, ([iccid, bytes]) => ({ iccid, bytes }))
  return all.sort((left, right) => (left.iccid < right.iccid ? -1 : 1)).slice(0, limit)
}
