/**
 * The ports `Jobs` and `Outbox` over a `RowStore`: what waits to be done, and who holds it.
 */
import { Delivery, Job, type Jobs, type Outbox, type Storage } from "simplan/ports"
import { take } from "./Lists.ts"
import * as Rows from "./Rows.ts"
import { type RowStore, run } from "./RowStore.ts"

/** A delivery without its attempts. */
export const logged = ({ delivery, event }: Delivery.LoggedDelivery): Delivery.LoggedDelivery => ({ delivery, event })

/** The last attempts of a delivery that has any. */
export const lastAttempts = (found: Rows.Kinds["delivery"] | null): ReadonlyArray<Delivery.DeliveryAttempts> => {
  if (found === null || found.attempts.length === 0) return []
  const last = found.attempts.toReversed().slice(0, Delivery.LAST_ATTEMPTS)
  return [
    {
      deliveryId: found.delivery.deliveryId,
      attempts: last.map(({ responseBody: _, ...attempt }) => attempt)
    }
  ]
}

/** The jobs about a SIM that wait for their next try or have ended. */
export const ofSim = (
  store: RowStore,
  { after, iccid, limit, organizationId }: Parameters<Storage.Service["jobs"]["ofSim"]>[0]
): ReadonlyArray<Job.Job> =>
  [Rows.WAITING, Rows.PROBLEMS]
    .flatMap((list) =>
      take(store.also("job", list, after), Number.POSITIVE_INFINITY, (job) =>
        job.organizationId === organizationId && "iccid" in job.work && job.work.iccid === iccid ? job : null
      )
    )
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.jobId < b.jobId ? -1 : 1))
    .slice(0, limit)

/** The port of jobs. */
export const jobs = (store: RowStore): Jobs.Jobs["Service"] => {
  const held = (leases: ReadonlyArray<Jobs.JobLease>) =>
    leases.map(({ jobId: id, organizationId, token }) => ({ organizationId, id, token }))
  return {
    claim: (claim) => run(store, () => store.claim("job", Rows.JOBS, claim)),
    renew: ({ leases, until }) => run(store, () => store.lease("job", held(leases), until)),
    pending: (at) => run(store, () => store.pending("job", Rows.JOBS, at)),
    partitions: (query) => run(store, () => store.partitions("job", Rows.JOBS, query)),
    backlog: (at) => run(store, () => store.backlog("job", Rows.JOBS, at)),
    release: ({ now }) => run(store, () => store.release("job", now)),
    handBack: (leases) => run(store, () => store.lease("job", held(leases), null))
  }
}

/** The port of deliveries. */
export const outbox = (store: RowStore): Outbox.Outbox["Service"] => {
  const held = (leases: ReadonlyArray<Outbox.DeliveryLease>) =>
    leases.map(({ deliveryId: id, organizationId, token }) => ({ organizationId, id, token }))
  return {
    claim: (claim) =>
      run(store, () =>
        store.claim("delivery", Rows.ENDPOINTS, claim).flatMap(({ delivery, event }) => {
          const endpoint = store.find("endpoint", delivery.endpointId, delivery.organizationId)?.value
          return endpoint === undefined ? [] : [{ delivery, event, endpoint }]
        })
      ),
    claimForHandler: ({ handler, ...claim }) =>
      run(store, () => store.claim("delivery", Rows.dueToHandler(handler), claim).map(logged)),
    pendingForHandler: ({ handler, ...at }) =>
      run(store, () => store.pending("delivery", Rows.dueToHandler(handler), at)),
    renew: ({ leases, until }) => run(store, () => store.lease("delivery", held(leases), until)),
    pending: (at) => run(store, () => store.pending("delivery", Rows.ENDPOINTS, at)),
    partitions: (query) => run(store, () => store.partitions("delivery", Rows.ENDPOINTS, query)),
    backlog: (at) => run(store, () => store.backlog("delivery", Rows.ENDPOINTS, at)),
    release: ({ now }) => run(store, () => store.release("delivery", now)),
    handBack: (leases) => run(store, () => store.lease("delivery", held(leases), null))
  }
}

/** Rule I15: the outstanding purchases of an organization. */
export const purchases = (
  store: RowStore,
  { limit, organizationId }: Parameters<Storage.Service["jobs"]["purchases"]>[0]
): ReadonlyArray<Job.Job> =>
  take(store.list("job", organizationId, null, "ascending"), limit, (job) => (Job.isPurchase(job) ? job : null))

/** Rule I15: an outstanding purchase that nobody awaits, awaited from now on. */
export const adoptPurchase = (
  store: RowStore,
  { machineNow, until, ...of }: Parameters<Storage.Service["adoptPurchase"]>[0]
): Job.Job | null => {
  const { organizationId } = of
  for (const { value: job } of store.list("job", organizationId, null, "ascending")) {
    if (!Job.isPurchaseOf(job, of)) continue
    const awaited = store.find("awaitedPurchase", job.jobId, organizationId)?.value
    if (awaited !== undefined && awaited.until > machineNow) continue
    store.put("awaitedPurchase", { organizationId, jobId: job.jobId, until }, null)
    return job
  }
  return null
}

/** Rule I15: the purchase is awaited no more by who adopted it until then. */
export const leavePurchase = (
  store: RowStore,
  { jobId, organizationId, until }: Parameters<Storage.Service["leavePurchase"]>[0]
): void => {
  const awaited = store.find("awaitedPurchase", jobId, organizationId)?.value
  if (awaited?.until === until) store.remove("awaitedPurchase", awaited)
}
