/**
 * What a commit relies on. Everything is checked before anything is written, and writing cannot fail, so that a
 * commit happens as a whole or not at all.
 */
import type { Sim, Storage } from "simplan"
import { type Tables, simOf } from "./Tables.ts"

type On = Storage.Conflict["on"]

/** What stands against the commit; null where nothing does. */
export const conflict = (tables: Tables, commit: Storage.Commit): On | null => {
  if (!leasesHold(tables, commit)) return "lease"
  if (!versionsHold(tables, commit)) return "version"
  if (!keysAreUnique(tables, commit)) return "api key"
  if (!regionNamesAreUnique(tables, commit)) return "region name"
  if (!idempotencyKeysAreFree(tables, commit)) return "idempotency key"
  return null
}

const leasesHold = (tables: Tables, { deliveries, jobs }: Storage.Commit): boolean =>
  [...(jobs?.finished ?? []), ...(jobs?.retried ?? [])].every(
    ({ jobId, token }) => tables.jobs.get(jobId)?.lease?.token === token
  ) &&
  (deliveries?.settled ?? []).every(
    ({ delivery, token }) =>
      tables.tenants.get(delivery.organizationId)?.deliveries.get(delivery.deliveryId)?.lease?.token === token
  )

const simHolds = (tables: Tables, { iccid, organizationId, version }: Sim.Loaded): boolean =>
  simOf(tables, organizationId, iccid)?.row.sim.version === version

const versionsHold = (tables: Tables, commit: Storage.Commit): boolean => {
  const tenant = (organizationId: string) => tables.tenants.get(organizationId)
  return (
    (commit.sims ?? []).every((sim) => simHolds(tables, sim)) &&
    (commit.touched ?? []).every((sim) => simHolds(tables, sim)) &&
    (commit.confirmed ?? []).every((sim) => simHolds(tables, sim)) &&
    (commit.reported?.sims ?? []).every((sim) => simHolds(tables, sim)) &&
    (commit.plans ?? []).every(
      (plan) => (tenant(plan.organizationId)?.plans.get(plan.planId)?.version ?? 0) === plan.version
    ) &&
    (commit.plansAsLoaded ?? []).every(
      (plan) => tenant(plan.organizationId)?.plans.get(plan.planId)?.version === plan.version
    ) &&
    (commit.apiKeys ?? []).every(
      (key) => (tenant(key.organizationId)?.apiKeys.get(key.apiKeyId)?.version ?? 0) === key.version
    ) &&
    (commit.webhookEndpoints ?? []).every(
      (endpoint) =>
        (tenant(endpoint.organizationId)?.endpoints.get(endpoint.endpointId)?.version ?? 0) === endpoint.version
    )
  )
}

const keysAreUnique = (tables: Tables, { apiKeys = [] }: Storage.Commit): boolean =>
  new Set(apiKeys.map((key) => key.hash)).size === apiKeys.length &&
  apiKeys.every((key) => {
    const owner = tables.apiKeysByHash.get(key.hash)
    return owner === undefined || (owner.apiKeyId === key.apiKeyId && owner.organizationId === key.organizationId)
  })

const regionNamesAreUnique = (tables: Tables, { regions = [] }: Storage.Commit): boolean =>
  new Set(regions.map((region) => JSON.stringify([region.organizationId, region.regionName]))).size ===
    regions.length &&
  regions.every((region) => !tables.tenants.get(region.organizationId)?.regionsByName.has(region.regionName))

const idempotencyKeysAreFree = (tables: Tables, { idempotency }: Storage.Commit): boolean =>
  (idempotency?.put ?? []).every(({ record, replaces }) => {
    const known = tables.tenants.get(record.organizationId)?.idempotency.get(record.key)
    return known === undefined || known.createdAt <= replaces
  })
