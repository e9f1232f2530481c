/**
 * All that the storage has: what is unique in the whole service, and the rows of each organization by their ids.
 */
import type { Time } from "simplan"
import type {
  ApiKey,
  AuditEntry,
  Catalogue,
  Command,
  Delivery,
  EventHandler,
  Idempotency,
  Job,
  Organization,
  Plan,
  Region,
  SimAggregate,
  SmdpHistory,
  Storage,
  WebhookEndpoint
} from "simplan/ports"
import { Queue } from "./Queue.ts"
import { byNumber, byText, type Order, SortedList } from "./SortedList.ts"

/** A SIM with all that hangs on it, and its reservation. */
export interface SimRow {
  aggregate: SimAggregate.SimAggregate
  reservation: Storage.Lease | null
}

/** A place in the audit log; that of a cursor has no entry. */
interface AuditPlace extends Storage.CreatedCursor {
  readonly entry: AuditEntry.AuditEntry | null
}

export interface Tenant {
  readonly apiKeys: Map<string, ApiKey.ApiKey>
  readonly endpoints: Map<string, WebhookEndpoint.WebhookEndpoint>
  readonly plans: Map<string, Plan.Plan>
  readonly regions: Map<string, Region.Region>
  lastImportSequence: number
  /** By import sequence. */
  readonly sims: SortedList<{ readonly importSequence: number; readonly row: SimRow | null }>
  readonly smdpEntries: Map<string, Array<SmdpHistory.Entry>>
  readonly deliveries: SortedList<Storage.CreatedCursor>
  /** The attempts of each delivery by their numbers. */
  readonly attempts: Map<string, Map<number, Delivery.LoggedAttempt>>
  /** When each report id was received. */
  readonly seenReports: Map<string, Time.Instant>
  readonly idempotency: Map<string, Idempotency.IdempotencyRecord>
  readonly commands: Map<string, Command.Command>
  readonly auditEntries: SortedList<AuditPlace>
}

export interface Tables {
  readonly organizations: Map<string, Organization.Organization>
  readonly tenants: Map<string, Tenant>
  /** By ICCID. */
  readonly sims: Map<string, SimRow>
  readonly jobs: Queue<Job.Job>
  readonly handlers: Map<string, EventHandler.EventHandler>
  /** To endpoints. */
  readonly deliveries: Queue<Delivery.LoggedDelivery>
  /** To handlers, each a partition. */
  readonly handlerDeliveries: Queue<Delivery.LoggedDelivery>
  catalogue: Catalogue.Catalogue | null
  catalogueVersion: number
  clock: Time.Instant | null
}

/** By creation and id: the order of most lists. */
export const byCreation: Order<Storage.CreatedCursor> = (left, right) =>
  byNumber(left.createdAt, right.createdAt) || byText(left.id, right.id)

export const makeTenant = (): Tenant => ({
  apiKeys: new Map(),
  endpoints: new Map(),
  plans: new Map(),
  regions: new Map(),
  lastImportSequence: 0,
  sims: new SortedList((left, right) => byNumber(left.importSequence, right.importSequence)),
  smdpEntries: new Map(),
  deliveries: new SortedList(byCreation),
  attempts: new Map(),
  seenReports: new Map(),
  idempotency: new Map(),
  commands: new Map(),
  auditEntries: new SortedList<AuditPlace>(byCreation)
})

/** An organization that has no rows. */
export const nobody = makeTenant()

const deliveryQueue = () =>
  new Queue<Delivery.LoggedDelivery>(
    ({ delivery }) => deliveryKey(delivery),
    ({ delivery: { deliveryId, endpointId, nextAttemptAt, organizationId, status } }) =>
      status === "Pending" && nextAttemptAt !== null
        ? { dueAt: nextAttemptAt, id: deliveryId, partitionId: endpointId, organizationId }
        : null
  )

export const make = (): Tables => ({
  organizations: new Map(),
  tenants: new Map(),
  sims: new Map(),
  jobs: new Queue(
    ({ jobId }) => jobId,
    ({ dueAt, endedAt, jobId, organizationId }) =>
      endedAt === null ? { dueAt, id: jobId, partitionId: organizationId, organizationId } : null
  ),
  handlers: new Map(),
  deliveries: deliveryQueue(),
  handlerDeliveries: deliveryQueue(),
  catalogue: null,
  catalogueVersion: 0,
  clock: null
})

/** The organization's rows, made when something is first written for it. */
export const tenant = (tables: Tables, organizationId: string): Tenant => {
  const known = tables.tenants.get(organizationId)
  if (known !== undefined) return known
  const made = makeTenant()
  tables.tenants.set(organizationId, made)
  return made
}

/** The SIM of that ICCID, if it is this organization's. */
export const simOf = (tables: Tables, organizationId: string, iccid: string): SimRow | undefined => {
  const row = tables.sims.get(iccid)
  return row?.aggregate.sim.organizationId === organizationId ? row : undefined
}

/** The key of a delivery in the queue. */
export const deliveryKey = (of: { readonly organizationId: string; readonly deliveryId: string }): string =>
  `${of.organizationId} ${of.deliveryId}`

/** Keeps an audit entry. */
export const keepEntry = (tables: Tables, entry: AuditEntry.AuditEntry): void =>
  tenant(tables, entry.organizationId).auditEntries.add({ createdAt: entry.createdAt, id: entry.entryId, entry })
