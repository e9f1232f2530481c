/**
 * What operators see first, over rows.
 */
import { Job, Overview, type Time } from "simplan/ports"
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
    const { endpointId, failingSince: since, organizationId, url } = endpoint
    if (since === null || !isOf(of, endpoint)) return null
    const pending = take(store.waiting("delivery", Rows.ENDPOINTS), Overview.COUNTED_OF_ENDPOINT, ({ delivery }) =>
      delivery.endpointId === endpointId ? delivery : null
    )
    return { organizationId, endpointId, url, since, pending: pending.length }
  })

/** How many free ones are counted where the level is lower. */
const COUNTED_FREE = 1_000

export const stocks = (
  store: RowStore,
  of: Overview.Watching & { readonly since: Time.Instant }
): ReadonlyArray<Overview.WatchedStock> => {
  const organizationIds =
    of.organizationId === null
      ? take(store.list("organization", "", null, "ascending"), Number.POSITIVE_INFINITY, (one) => one.organizationId)
      : [of.organizationId]
  const levels = organizationIds
    .toSorted()
    .flatMap((organizationId) => take(store.list("stockLevel", organizationId, null, "ascending"), Infinity, all))
    .filter(({ level }) => level > 0)
  const shown = levels.toSorted((a, b) => Number(b.isLow) - Number(a.isLow)).slice(0, Overview.STOCKS)
  return shown.map(({ isLow, label, level, organizationId }) => {
    const free = take(
      store.waiting("sim", Rows.freeSims({ organizationId, label })),
      Math.max(COUNTED_FREE, level),
      all
    )
    // The place before everything that was made at `since`.
    const from = { createdAt: of.since, id: "" }
    const sold = take(store.also("sim", Rows.liveOf(organizationId), from), Infinity, all).slice(-Overview.RATE_SAMPLE)
    const isWhole = sold.length < Overview.RATE_SAMPLE
    return {
      ...{ organizationId, label, level, isLow },
      free: free.length,
      sold: sold.filter(({ sim }) => sim.isEsim && sim.label === label).length,
      soldSince: isWhole ? of.since : (sold[0]?.subscription?.createdAt ?? of.since)
    }
  })
}

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
