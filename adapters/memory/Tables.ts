/**
 * All that the store has: the organizations' rows, and what goes across organizations (ICCIDs, key hashes, the queues,
 * the catalogue, the clock).
 */
import type { Catalogue, Job, Organization, Storage, Time } from "simplan"
import { byNumber, byText } from "./Order.ts"
import { Queue } from "./Queue.ts"
import * as Tenant from "./Tenant.ts"

export interface JobRow {
  readonly job: Job.Job
  readonly lease: Storage.Lease | null
}

export interface Tables {
  readonly organizations: Map<string, Organization.Organization>
  readonly tenants: Map<string, Tenant.Tenant>
  readonly sims: Map<string, Tenant.SimPlace>
  serial: number
  readonly apiKeysByHash: Map<string, { readonly organizationId: string; readonly apiKeyId: string }>
  readonly jobs: Map<string, JobRow>
  readonly jobQueue: Queue<JobRow>
  /** Only pending ones. */
  readonly deliveryQueue: Queue<Tenant.DeliveryRow>
  catalogue: Catalogue.Catalogue | null
  catalogueVersion: number
  clock: Time.Instant | null
}

const nextAttempt = (row: Tenant.DeliveryRow): Time.Instant => row.delivery.nextAttemptAt ?? Number.POSITIVE_INFINITY

export const make = (): Tables => ({
  organizations: new Map(),
  tenants: new Map(),
  sims: new Map(),
  serial: 0,
  apiKeysByHash: new Map(),
  jobs: new Map(),
  jobQueue: new Queue(
    (left, right) => byNumber(left.job.dueAt, right.job.dueAt) || byText(left.job.jobId, right.job.jobId)
  ),
  deliveryQueue: new Queue(
    (left, right) =>
      byNumber(nextAttempt(left), nextAttempt(right)) || byText(left.delivery.deliveryId, right.delivery.deliveryId)
  ),
  catalogue: null,
  catalogueVersion: 0,
  clock: null
})

/** The organization's part, made when something is first written for it. */
export const tenant = (tables: Tables, organizationId: string): Tenant.Tenant => {
  const known = tables.tenants.get(organizationId)
  if (known !== undefined) return known
  const made = Tenant.make()
  tables.tenants.set(organizationId, made)
  return made
}

/** The SIM of that ICCID where it is this organization's. */
export const simOf = (tables: Tables, organizationId: string, iccid: string): Tenant.SimPlace | undefined => {
  const place = tables.sims.get(iccid)
  return place?.row.sim.organizationId === organizationId ? place : undefined
}
