/**
 * A commit. Everything that it relies on is checked before anything is written, and writing cannot fail, so that it
 * happens as a whole or not at all.
 */
import {
  Delivery,
  EventHandler,
  Region,
  SimDifference,
  type Storage,
  WebhookEndpoint,
  type WebhookEvent
} from "simplan/ports"
import * as Deliveries from "./Deliveries.ts"
import * as Tables from "./Tables.ts"

interface Versioned {
  readonly organizationId: string
  readonly version: number
}

/** What stands against the commit; null where nothing does. */
export const conflict = (tables: Tables.Tables, commit: Storage.Commit): Storage.Conflict["on"] | null => {
  if (!leasesHold(tables, commit)) return "lease"
  if (!versionsHold(tables, commit) || !endsHold(tables, commit)) return "version"
  if (commit.apiKeys !== undefined && !keysAreUnique(tables, commit)) return "api key"
  if (commit.regions !== undefined) {
    const regions = [...commit.regions, ...[...tables.tenants.values()].flatMap((of) => [...of.regions.values()])]
    const isUnique = (key: (region: Region.Region) => string): boolean =>
      areUnique(regions.map((region) => JSON.stringify([region.organizationId, key(region)])))
    if (!isUnique(({ regionName }) => regionName)) return "region name"
    if (!isUnique(({ iso2List }) => Region.countriesKey(iso2List))) return "region countries"
  }
  if (!commandsAreNew(tables, commit)) return "command"
  return idempotencyKeysAreFree(tables, commit) ? null : "idempotency key"
}

const leasesHold = (tables: Tables.Tables, { deliveries = {}, jobs = {} }: Storage.Commit): boolean =>
  [...(jobs.finished ?? []), ...(jobs.retried ?? [])].every(
    ({ jobId, token }) => tables.jobs.get(jobId)?.lease?.token === token
  ) &&
  (deliveries.settled ?? []).every(
    ({ delivery, token }) =>
      Deliveries.queueOf(tables, delivery).get(Tables.deliveryKey(delivery))?.lease?.token === token
  )

const endsHold = (tables: Tables.Tables, { jobs = {} }: Storage.Commit): boolean =>
  [...(jobs.reopened ?? []), ...(jobs.resolved ?? [])].every(
    ({ endedAt, jobId }) => tables.jobs.get(jobId)?.value.endedAt === endedAt
  )

const versionsHold = (tables: Tables.Tables, commit: Storage.Commit): boolean => {
  const of = ({ organizationId }: Versioned) => tables.tenants.get(organizationId) ?? Tables.nobody
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

const areUnique = (values: ReadonlyArray<string>): boolean => new Set(values).size === values.length

const keysAreUnique = (tables: Tables.Tables, { apiKeys = [] }: Storage.Commit): boolean => {
  const written = new Set(apiKeys.map(({ apiKeyId }) => apiKeyId))
  const others = [...tables.tenants.values()].flatMap((tenant) => [...tenant.apiKeys.values()])
  return areUnique([...others.filter(({ apiKeyId }) => !written.has(apiKeyId)), ...apiKeys].map(({ hash }) => hash))
}

const commandsAreNew = (tables: Tables.Tables, { commands = {} }: Storage.Commit): boolean =>
  (commands.put ?? []).every(
    ({ commandId, organizationId }) => tables.tenants.get(organizationId)?.commands.has(commandId) !== true
  )

const idempotencyKeysAreFree = (tables: Tables.Tables, { idempotency = {} }: Storage.Commit): boolean =>
  (idempotency.put ?? []).every(({ record, replaces }) => {
    const known = tables.tenants.get(record.organizationId)?.idempotency.get(record.key)
    return known === undefined || known.createdAt <= replaces
  })

/** Writes all that the commit has. */
export const apply = (tables: Tables.Tables, commit: Storage.Commit): void => {
  const of = ({ organizationId }: { readonly organizationId: string }) => Tables.tenant(tables, organizationId)
  const next = <A extends Versioned>(written: A): A => ({ ...written, version: written.version + 1 })
  const { commands = {}, deliveries = {}, eventHandlers = {}, idempotency = {}, jobs = {}, reports = {} } = commit
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
  for (const command of commands.put ?? []) of(command).commands.set(command.commandId, command)
  for (const settlement of commands.settled ?? []) {
    const known = of(settlement).commands.get(settlement.commandId)
    if (known?.settledAt === null) of(settlement).commands.set(known.commandId, { ...known, ...settlement })
  }
  for (const event of commit.events ?? []) fanOut(tables, event)
  for (const handler of eventHandlers.put ?? []) {
    const { createdAt } = tables.handlers.get(handler.name) ?? handler
    tables.handlers.set(handler.name, { ...handler, createdAt })
  }
  for (const name of eventHandlers.removed ?? []) Deliveries.removeHandler(tables, name)
  for (const { jobId } of jobs.finished ?? []) tables.jobs.delete(jobId)
  for (const { attempts, dueAt, endedAt = null, jobId, refused } of jobs.retried ?? []) {
    const known = tables.jobs.get(jobId)
    const given = { attempts, dueAt, endedAt, ...(refused && { refused }) }
    if (known !== undefined) tables.jobs.put({ ...known.value, ...given }, null)
  }
  for (const { attempts, dueAt, jobId } of jobs.reopened ?? []) {
    const known = tables.jobs.get(jobId)
    if (known !== undefined) tables.jobs.put({ ...known.value, attempts, dueAt, endedAt: null }, null)
  }
  for (const { jobId } of jobs.resolved ?? []) tables.jobs.delete(jobId)
  for (const { job, lease } of jobs.put ?? []) {
    if (tables.jobs.get(job.jobId) === undefined) tables.jobs.put(job, lease)
  }
  const replaced = [...(deliveries.settled ?? []).map(({ delivery }) => delivery), ...(deliveries.replayed ?? [])]
  for (const delivery of replaced) {
    const queue = Deliveries.queueOf(tables, delivery)
    const known = queue.get(Tables.deliveryKey(delivery))
    if (known !== undefined) queue.put({ ...known.value, delivery }, null)
  }
  for (const { attempt, delivery } of deliveries.settled ?? []) {
    if (attempt === undefined) continue
    const { attempts } = of(delivery)
    const known = attempts.get(delivery.deliveryId) ?? new Map<number, Delivery.LoggedAttempt>()
    attempts.set(delivery.deliveryId, known.set(attempt.number, attempt))
  }
  for (const entry of commit.auditEntries ?? []) Tables.keepEntry(tables, entry)
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
  row.aggregate = SimDifference.applied(row.aggregate, SimDifference.difference(change))
  row.reservation = null
}

/** Writes one pending delivery for each endpoint and handler that receives the event. */
const fanOut = (tables: Tables.Tables, event: WebhookEvent.WebhookEvent): void => {
  const { deliveries, endpoints } = Tables.tenant(tables, event.organizationId)
  const add = (endpointId: string) => {
    const delivery = Delivery.pending(event, endpointId)
    deliveries.add({ createdAt: delivery.createdAt, id: delivery.deliveryId })
    Deliveries.queueOf(tables, delivery).put({ delivery, event }, null)
  }
  for (const endpoint of endpoints.values()) {
    if (WebhookEndpoint.receives(endpoint, event.payload)) add(endpoint.endpointId)
  }
  for (const handler of tables.handlers.values()) {
    if (EventHandler.receives(handler, event)) add(EventHandler.endpointId(handler.name))
  }
}
