/**
 * What operators see first, over rows.
 */
import { Job, Overview, type Stock, type Storage, type Time, WebhookEndpoint } from "simplan/ports"
import * as Inventory from "./Inventory.ts"
import { all, take } from "./Lists.ts"
import * as Rows from "./Rows.ts"
import type { RowStore } from "./RowStore.ts"

const isOf = ({ organizationId }: Overview.Watching, value: { readonly organizationId: string }): boolean =>
  organizationId === null || organizationId === value.organizationId

const waiting = (store: RowStore, of: Overview.Watching): ReadonlyArray<Job.WaitingJob> =>
  take(store.also("job", Rows.WAITING, null), Overview.COUNTED, (job) => (Job.isWaiting(job) ? job : null)).filter(
    (job) => isOf(of, job)
  )

export const waitingJobs = (store: RowStore, of: Overview.Watching): ReadonlyArray<Overview.WaitingGroup> =>
  Overview.waitingGroups(waiting(store, of))

export const failingEndpoints = (store: RowStore, of: Overview.Watching): ReadonlyArray<Overview.FailingEndpoint> =>
  take(store.also("endpoint", Rows.FAILING, null), Overview.ENDPOINTS, (endpoint) => {
    const { disabled, endpointId, organizationId, url } = endpoint
    const since = WebhookEndpoint.troubledSince(endpoint)
    if (since === null || !isOf(of, endpoint)) return null
    const pending = take(store.waiting("delivery", Rows.ENDPOINTS), Overview.COUNTED_OF_ENDPOINT, ({ delivery }) =>
      delivery.endpointId === endpointId ? delivery : null
    )
    return { organizationId, endpointId, url, since, disabledAt: disabled?.at ?? null, pending: pending.length }
  })

/** How many free ones are counted if the level is lower. */
const COUNTED_FREE = 1_000

type Stocks = Overview.Watching & Storage.Selling & { readonly since: Time.Instant }

const levelsOf = (store: RowStore, organizationId: string): ReadonlyArray<Stock.Level> =>
  take(store.list("stockLevel", organizationId, null, "ascending"), Infinity, ({ level, ...one }) =>
    level > 0 ? { ...one, level } : null
  )

/** The organizations of which stocks are given. */
const holders = (store: RowStore, { organizationId }: Stocks): Iterable<string> => {
  if (organizationId !== null) return [organizationId]
  const ids = take(store.list("organization", "", null, "ascending"), Infinity, (one) => one.organizationId)
  const levels = ids
    .toSorted()
    .flatMap((id) => levelsOf(store, id))
    .toSorted((a, b) => Number(b.isLow) - Number(a.isLow))
  const lastSale = (id: string) => take(store.also("sim", Rows.liveOf(id), null), Infinity, all).at(-1)
  const sold = ids.slice(0, Overview.ORGANIZATIONS).map((id) => {
    const at = lastSale(id)?.subscription?.createdAt ?? Number.NEGATIVE_INFINITY
    return { organizationId: id, at }
  })
  // Neither of two that sold nothing is first: the difference of the infinities is not a number.
  const last = sold.toSorted((a, b) => b.at - a.at || (a.organizationId < b.organizationId ? -1 : 1))
  const found = [...levels.slice(0, Overview.STOCKS), ...last.slice(0, Overview.STOCKS)]
  return new Set(found.map((one) => one.organizationId))
}

const stocksOf = (
  store: RowStore,
  organizationId: string,
  { sellAfter, since }: Pick<Stocks, "since" | "sellAfter">
): ReadonlyArray<Overview.WatchedStock> => {
  const levels = new Map(levelsOf(store, organizationId).map((level) => [level.label, level]))
  const stocked = Inventory.stockOf(store, { organizationId, sellAfter }).map(({ label }) => label)
  // The place before everything that was made at `since`.
  const from = { createdAt: since, id: "" }
  const sold = take(store.also("sim", Rows.liveOf(organizationId), from), Infinity, all).slice(-Overview.RATE_SAMPLE)
  const isWhole = sold.length < Overview.RATE_SAMPLE
  const soldSince = isWhole ? since : (sold[0]?.subscription?.createdAt ?? since)
  return [...new Set([...stocked, ...levels.keys()])].map((label) => {
    const { isLow = false, level = null } = levels.get(label) ?? {}
    const atMost = Math.max(COUNTED_FREE, level ?? 0)
    return {
      ...{ organizationId, label, level, isLow, soldSince },
      free: Inventory.countFree(store, { organizationId, label, atMost, sellAfter }),
      sold: sold.filter(({ sim }) => sim.isEsim && sim.label === label).length
    }
  })
}

export const stocks = (store: RowStore, of: Stocks): ReadonlyArray<Overview.WatchedStock> =>
  Array.from(holders(store, of)).flatMap((organizationId) => stocksOf(store, organizationId, of))

export const loads = (store: RowStore): ReadonlyArray<Overview.Load> => {
  const found = new Map<string, Overview.Load>()
  const add = (organizationId: string, waitingJobs: number, pendingDeliveries: number) => {
    const known = found.get(organizationId)
    found.set(organizationId, {
      organizationId,
      waitingJobs: (known?.waitingJobs ?? 0) + waitingJobs,
      pendingDeliveries: (known?.pendingDeliveries ?? 0) + pendingDeliveries
    })
  }
  for (const { organizationId } of waiting(store, { organizationId: null })) add(organizationId, 1, 0)
  const pending = take(store.waiting("delivery", Rows.ENDPOINTS), Overview.COUNTED, ({ delivery }) => delivery)
  for (const { organizationId } of pending) add(organizationId, 0, 1)
  return Overview.heaviest(found.values())
}
