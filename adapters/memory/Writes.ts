/**
 * Applies a commit whose guards hold. Nothing here can fail.
 */
import type { ApiKey, Plan, Region, Storage } from "simplan"
import * as Deliveries from "./Deliveries.ts"
import * as Inventory from "./Inventory.ts"
import * as Jobs from "./Jobs.ts"
import * as Lines from "./Lines.ts"
import * as Tables from "./Tables.ts"
import { countriesKey } from "./Tenant.ts"

/** Writes all that the commit carries. */
export const apply = (tables: Tables.Tables, commit: Storage.Commit): void => {
  for (const organization of commit.organizations ?? []) {
    tables.organizations.set(organization.organizationId, organization)
  }
  for (const key of commit.apiKeys ?? []) putApiKey(tables, key)
  for (const endpoint of commit.webhookEndpoints ?? []) {
    const { endpoints } = Tables.tenant(tables, endpoint.organizationId)
    endpoints.set(endpoint.endpointId, { ...endpoint, version: endpoint.version + 1 })
  }
  for (const plan of commit.plans ?? []) putPlan(tables, plan)
  for (const region of commit.regions ?? []) putRegion(tables, region)
  putLines(tables, commit)
  putReports(tables, commit)
  putIdempotency(tables, commit.idempotency ?? {})
  for (const event of commit.events ?? []) Deliveries.fanOut(tables, event)
  putWork(tables, commit)
  if (commit.catalogue !== undefined) {
    tables.catalogue = commit.catalogue
    tables.catalogueVersion++
  }
  if (commit.clock !== undefined) tables.clock = commit.clock
}

const putApiKey = (tables: Tables.Tables, key: ApiKey.ApiKey): void => {
  const { apiKeys } = Tables.tenant(tables, key.organizationId)
  const known = apiKeys.get(key.apiKeyId)
  if (known !== undefined) tables.apiKeysByHash.delete(known.hash)
  apiKeys.set(key.apiKeyId, { ...key, version: key.version + 1 })
  tables.apiKeysByHash.set(key.hash, { organizationId: key.organizationId, apiKeyId: key.apiKeyId })
}

const putPlan = (tables: Tables.Tables, plan: Plan.Plan): void => {
  const { planList, plans } = Tables.tenant(tables, plan.organizationId)
  const known = plans.get(plan.planId)
  if (known !== undefined) planList.delete({ createdAt: known.createdAt, id: known.planId })
  plans.set(plan.planId, { ...plan, version: plan.version + 1 })
  if (plan.deletedAt === null) planList.add({ createdAt: plan.createdAt, id: plan.planId })
}

const putRegion = (tables: Tables.Tables, region: Region.Region): void => {
  const tenant = Tables.tenant(tables, region.organizationId)
  tenant.regions.set(region.coverageId, region)
  tenant.regionList.add({ createdAt: region.createdAt, id: region.coverageId })
  tenant.regionsByName.set(region.regionName, region)
  const countries = countriesKey(region.iso2List)
  const known = tenant.regionsByCountries.get(countries)
  if (known === undefined) tenant.regionsByCountries.set(countries, [region])
  else known.push(region)
}

const putLines = (tables: Tables.Tables, commit: Storage.Commit): void => {
  for (const sim of commit.sims ?? []) Inventory.put(tables, sim)
  for (const sim of commit.touched ?? []) Inventory.touch(tables, sim)
  for (const { attachmentId, organizationId } of commit.removedAttachments ?? []) {
    Lines.removeAttachment(tables, organizationId, attachmentId)
  }
  for (const { organizationId, subscriptionId } of commit.removedSubscriptions ?? []) {
    Lines.removeSubscription(tables, organizationId, subscriptionId)
  }
  for (const subscription of commit.subscriptions ?? []) Lines.putSubscription(tables, subscription)
  for (const attachment of commit.attachments ?? []) Lines.putAttachment(tables, attachment)
  for (const one of commit.packages ?? []) Lines.putPackage(tables, one)
  for (const one of commit.confirmed ?? []) {
    Inventory.putIntoService(tables, one)
    Lines.confirm(tables, one)
  }
  for (const sim of commit.reported?.sims ?? []) Inventory.report(tables, sim)
  for (const attachment of commit.reported?.attachments ?? []) Lines.reportAttachment(tables, attachment)
  for (const one of commit.reported?.packages ?? []) Lines.reportPackage(tables, one)
}

const putReports = (tables: Tables.Tables, commit: Storage.Commit): void => {
  for (const entry of commit.smdpEntries ?? []) {
    const { smdpEntries } = Tables.tenant(tables, entry.organizationId)
    const known = smdpEntries.get(entry.iccid)
    if (known === undefined) smdpEntries.set(entry.iccid, [entry])
    else known.push(entry)
  }
  for (const { organizationId, receivedAt, reportId } of commit.seenReports ?? []) {
    Tables.tenant(tables, organizationId).seenReports.set(reportId, receivedAt, receivedAt)
  }
}

const putIdempotency = (tables: Tables.Tables, changes: NonNullable<Storage.Commit["idempotency"]>): void => {
  const records = (organizationId: string) => Tables.tenant(tables, organizationId).idempotency
  for (const { record } of changes.put ?? []) records(record.organizationId).set(record.key, record.createdAt, record)
  for (const { key, organizationId, outcome } of changes.settled ?? []) {
    const record = records(organizationId).get(key)
    if (record !== undefined) records(organizationId).set(key, record.createdAt, { ...record, outcome })
  }
  for (const { key, organizationId } of changes.forgotten ?? []) records(organizationId).delete(key)
}

const putWork = (tables: Tables.Tables, { deliveries, jobs }: Storage.Commit): void => {
  for (const { jobId } of jobs?.finished ?? []) Jobs.finish(tables, jobId)
  for (const { attempts, dueAt, jobId } of jobs?.retried ?? []) Jobs.retry(tables, jobId, { attempts, dueAt })
  for (const row of jobs?.put ?? []) Jobs.put(tables, row)
  for (const { delivery } of deliveries?.settled ?? []) Deliveries.replace(tables, delivery)
  for (const delivery of deliveries?.replayed ?? []) Deliveries.replace(tables, delivery)
}
