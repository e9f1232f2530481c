/**
 * A commit. Everything that it relies on is checked before anything is written, and writing cannot fail, so that it
 * happens as a whole or not at all.
 */
import { Delivery, SimDifference, type Storage, type WebhookEndpoint, type WebhookEvent } from "simplan"
import * as Tables from "./Tables.ts"

type On = Storage.Conflict["on"]

interface Versioned {
  readonly organizationId: string
  readonly version: number
}

/** What stands against the commit; null where nothing does. */
export const conflict = (tables: Tables.Tables, commit: Storage.Commit): On | null => {
  if (!leasesHold(tables, commit)) return "lease"
  if (!versionsHold(tables, commit)) return "version"
  if (!keysAreUnique(tables, commit)) return "api key"
  if (!regionNamesAreUnique(tables, commit)) return "region name"
  if (!idempotencyKeysAreFree(tables, commit)) return "idempotency key"
  return null
}

const leasesHold = (tables: Tables.Tables, { deliveries = {}, jobs = {} }: Storage.Commit): boolean =>
  [...(jobs.finished ?? []), ...(jobs.retried ?? [])].every(
    ({ jobId, token }) => tables.jobs.get(jobId)?.lease?.token === token
  ) &&
  (deliveries.settled ?? []).every(
    ({ delivery, token }) => tables.deliveries.get(Tables.deliveryKey(delivery))?.lease?.token === token
  )

const versionsHold = (tables: Tables.Tables, commit: Storage.Commit): boolean => {
  const none = Tables.makeTenant()
  const of = ({ organizationId }: Versioned) => tables.tenants.get(organizationId) ?? none
  const isStored = (stored: { readonly version: number } | undefined, { version }: Versioned): boolean =>
    (stored?.version ?? 0) === version
  const { apiKeys = [], plans = [], sims = [], unchangedPlans = [], webhookEndpoints = [] } = commit
  return (
    sims.every(
      ({ loaded: { sim } }) =>
        Tables.simOf(tables, sim.organizationId, sim.iccid)?.aggregate.sim.version === sim.version
    ) &&
    plans.every((plan) => isStored(of(plan).plans.get(plan.planId), plan)) &&
    unchangedPlans.every((plan) => of(plan).plans.get(plan.planId)?.version === plan.version) &&
    apiKeys.every((key) => isStored(of(key).apiKeys.get(key.apiKeyId), key)) &&
    webhookEndpoints.every((endpoint) => isStored(of(endpoint).endpoints.get(endpoint.endpointId), endpoint))
  )
}

const keysAreUnique = (tables: Tables.Tables, { apiKeys = [] }: Storage.Commit): boolean => {
  if (new Set(apiKeys.map((key) => key.hash)).size < apiKeys.length) return false
  const stored = [...tables.tenants.values()].flatMap((tenant) => [...tenant.apiKeys.values()])
  return apiKeys.every((key) =>
    stored.every(
      (known) =>
        known.hash !== key.hash || (known.apiKeyId === key.apiKeyId && known.organizationId === key.organizationId)
    )
  )
}

const regionNamesAreUnique = (tables: Tables.Tables, { regions = [] }: Storage.Commit): boolean => {
  const names = new Set<string>()
  for (const { organizationId, regionName } of regions) names.add(JSON.stringify([organizationId, regionName]))
  return (
    names.size === regions.length &&
    regions.every(({ organizationId, regionName }) =>
      [...(tables.tenants.get(organizationId)?.regions.values() ?? [])].every((one) => one.regionName !== regionName)
    )
  )
}

const idempotencyKeysAreFree = (tables: Tables.Tables, { idempotency = {} }: Storage.Commit): boolean =>
  (idempotency.put ?? []).every(({ record, replaces }) => {
    const known = tables.tenants.get(record.organizationId)?.idempotency.get(record.key)
    return known === undefined || known.createdAt <= replaces
  })

/** Writes all that the commit has. */
export const apply = (tables: Tables.Tables, commit: Storage.Commit): void => {
  const of = ({ organizationId }: { readonly organizationId: string }) => Tables.tenant(tables, organizationId)
  const next = <A extends Versioned>(written: A): A => ({ ...written, version: written.version + 1 })
  const { deliveries = {}, idempotency = {}, jobs = {}, reports = {} } = commit
  for (const one of commit.organizations ?? []) tables.organizations.set(one.organizationId, one)
  for (const key of commit.apiKeys ?? []) of(key).apiKeys.set(key.apiKeyId, next(key))
  for (const endpoint of commit.webhookEndpoints ?? []) of(endpoint).endpoints.set(endpoint.endpointId, next(endpoint))
  for (const plan of commit.plans ?? []) of(plan).plans.set(plan.planId, next(plan))
  for (const region of commit.regions ?? []) of(region).regions.set(region.coverageId, region)
  for (const change of commit.sims ?? []) changeSim(tables, change)
  for (const entry of reports.smdpEntries ?? []) {
    const { smdpEntries } = of(entry)
    smdpEntries.set(entry.iccid, [...(smdpEntries.get(entry.iccid) ?? []), entry])
  }
  for (const seen of reports.seen ?? []) of(seen).seenReports.set(seen.reportId, seen.receivedAt)
  for (const { record } of idempotency.put ?? []) of(record).idempotency.set(record.key, record)
  for (const { outcome, ...record } of idempotency.settled ?? []) {
    const known = of(record).idempotency.get(record.key)
    if (known !== undefined) of(record).idempotency.set(record.key, { ...known, outcome })
  }
  for (const record of idempotency.forgotten ?? []) of(record).idempotency.delete(record.key)
  for (const event of commit.events ?? []) fanOut(tables, event)
  for (const { jobId } of jobs.finished ?? []) tables.jobs.delete(jobId)
  for (const { attempts, dueAt, jobId } of jobs.retried ?? []) {
    const known = tables.jobs.get(jobId)
    if (known !== undefined) tables.jobs.put(jobId, { ...known.value, attempts, dueAt }, null)
  }
  for (const { job, lease } of jobs.put ?? []) {
    if (tables.jobs.get(job.jobId) === undefined) tables.jobs.put(job.jobId, job, lease)
  }
  const replaced = [...(deliveries.settled ?? []).map(({ delivery }) => delivery), ...(deliveries.replayed ?? [])]
  for (const delivery of replaced) {
    const known = tables.deliveries.get(Tables.deliveryKey(delivery))
    if (known !== undefined) tables.deliveries.put(Tables.deliveryKey(delivery), { ...known.value, delivery }, null)
  }
  if (commit.catalogue !== undefined) {
    tables.catalogue = commit.catalogue
    tables.catalogueVersion++
  }
  if (commit.clock !== undefined) tables.clock = commit.clock
}

const changeSim = (tables: Tables.Tables, change: SimDifference.SimChange): void => {
  const { iccid, organizationId } = change.loaded.sim
  const row = Tables.simOf(tables, organizationId, iccid)
  if (row === undefined) return
  const { subscriptions } = Tables.tenant(tables, organizationId)
  const before = row.aggregate.subscription
  if (before !== null) subscriptions.delete({ createdAt: before.createdAt, id: before.subscriptionId, row: null })
  row.aggregate = SimDifference.applied(row.aggregate, SimDifference.difference(change))
  row.reservation = null
  const after = row.aggregate.subscription
  if (after?.status === "Live") subscriptions.add({ createdAt: after.createdAt, id: after.subscriptionId, row })
}

const takes = (endpoint: WebhookEndpoint.WebhookEndpoint, type: WebhookEvent.Type): boolean =>
  endpoint.enabled && endpoint.deletedAt === null && (endpoint.events === null || endpoint.events.includes(type))

/** Writes one pending delivery for each endpoint that takes the event. */
const fanOut = (tables: Tables.Tables, event: WebhookEvent.WebhookEvent): void => {
  const { createdAt, eventId, organizationId, payload } = event
  const { deliveries, endpoints } = Tables.tenant(tables, organizationId)
  for (const endpoint of endpoints.values()) {
    if (!takes(endpoint, payload.type)) continue
    const { endpointId } = endpoint
    const delivery: Delivery.Delivery = {
      organizationId,
      deliveryId: Delivery.deliveryId(eventId, endpointId),
      eventId,
      endpointId,
      status: "Pending",
      attempts: 0,
      retryStep: 0,
      responseStatus: null,
      lastError: null,
      lastAttemptAt: null,
      nextAttemptAt: createdAt,
      createdAt
    }
    deliveries.add({ createdAt, id: delivery.deliveryId })
    tables.deliveries.put(Tables.deliveryKey(delivery), { delivery, event }, null)
  }
}
