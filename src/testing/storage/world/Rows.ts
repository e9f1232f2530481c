/**
 * Rows for the cases of the storage suite: plain, valid values of the world's organization, with
 * what a case is about changed.
 */
import { Effect } from "effect"
import type { ApiKey } from "../../../domain/ApiKey.ts"
import type { AuditEntry } from "../../../domain/AuditEntry.ts"
import type { Attachment } from "../../../domain/Attachment.ts"
import type { Command } from "../../../domain/Command.ts"
import type { IdempotencyRecord } from "../../../domain/Idempotency.ts"
import type { Job, Waiting } from "../../../domain/Job.ts"
import type { Session } from "../../../domain/Session.ts"
import type { Operator } from "../../../domain/Operator.ts"
import type { Package } from "../../../domain/Package.ts"
import type { Plan, PlanTerms } from "../../../domain/Plan.ts"
import type { Region } from "../../../domain/Region.ts"
import type { ForOccurrence, ForReports } from "../../../domain/SimAggregate.ts"
import type { Sim } from "../../../domain/Sim.ts"
import type { Entry } from "../../../domain/SmdpHistory.ts"
import type { Subscription } from "../../../domain/Subscription.ts"
import { DAY, type Instant } from "../../../domain/Time.ts"
import type * as Cost from "../../../domain/Cost.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { WebhookEndpoint } from "../../../domain/WebhookEndpoint.ts"
import type { WebhookEvent } from "../../../domain/WebhookEvent.ts"
import type { World } from "./World.ts"

export const apiKey = (world: World, changes: Partial<ApiKey> = {}): ApiKey => ({
  organizationId: world.organizationId,
  apiKeyId: world.id(),
  name: "Backend",
  scope: "full",
  hash: Array.from({ length: 64 }, () => world.random(16).toString(16)).join(""),
  hint: "x7Qz",
  previousHash: null,
  previousUntil: null,
  createdAt: world.now,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  version: 0,
  ...changes
})

/**
 * One that sees all organizations. No other has its name: names are unique in the whole service.
 */
export const session = (world: World, changes: Partial<Session> = {}): Session => ({
  sessionId: world.id(),
  endsAt: world.now,
  endedAt: null,
  renewals: 0,
  renewedAt: null,
  cookie: null,
  askedAt: null,
  version: 0,
  ...changes
})

export const operator = (world: World, changes: Partial<Operator> = {}): Operator => {
  const operatorId = world.id()
  const { hash, hint } = apiKey(world)
  return {
    operatorId,
    name: `Ada ${operatorId}`,
    role: "support",
    organizationId: null,
    hash,
    hint,
    previousHash: null,
    previousUntil: null,
    createdAt: world.now,
    expiresAt: null,
    deletedAt: null,
    version: 0,
    ...changes
  }
}

export const auditEntry = (world: World, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  organizationId: world.organizationId,
  entryId: world.id(),
  createdAt: world.now,
  actor: "admin",
  action: "plan.create",
  resourceId: world.id(),
  iccid: null,
  address: "192.0.2.7",
  requestId: world.id(),
  changed: [{ field: "label", before: null, after: "Green" }],
  reason: null,
  ...changes
})

export const endpoint = (world: World, changes: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  organizationId: world.organizationId,
  endpointId: world.id(),
  url: "https://hooks.example/simplan",
  events: null,
  description: "",
  disabled: null,
  failingSince: null,
  signingKeys: [{ key: "whsec_bmV3", validUntil: null }],
  createdAt: world.now,
  deletedAt: null,
  version: 0,
  ...changes
})

/** Writes an endpoint and gives it as it is stored. */
export const storedEndpoint = (world: World, changes: Partial<WebhookEndpoint> = {}) => {
  const written = endpoint(world, changes)
  return Effect.as(world.storage.commit({ webhookEndpoints: [written] }), { ...written, version: 1 })
}

export const terms = (world: World, changes: Partial<PlanTerms> = {}): PlanTerms => ({
  name: "Week",
  coverageId: world.id(),
  regionCode: "EUROPE",
  label: "Green",
  dataMegaBytes: 1_024,
  periodDays: 7,
  throttling: [],
  recurrence: null,
  ...changes
})

export const plan = (world: World, changes: Partial<Plan> = {}): Plan => ({
  organizationId: world.organizationId,
  planId: world.id(),
  terms: terms(world),
  metadata: "",
  price: null,
  bundle: null,
  createdAt: world.now,
  archivedAt: null,
  deletedAt: null,
  version: 0,
  ...changes
})

/**
 * Some countries, in no order. Codes are drawn, as a set of countries is unique in its
 * organization.
 */
const countries = ({ random }: World): ReadonlyArray<string> =>
  Array.from({ length: 5 }, () => String.fromCharCode(65 + random(26), 65 + random(26)))

export const region = (world: World, changes: Partial<Region> = {}): Region => {
  const coverageId = world.id()
  return {
    organizationId: world.organizationId,
    coverageId,
    regionCode: "NORDICS",
    regionName: `Nordics ${coverageId}`,
    label: "Green",
    iso2List: countries(world),
    createdAt: world.now,
    ...changes
  }
}

export const subscription = (world: World, sim: Sim, changes: Partial<Subscription> = {}): Subscription => ({
  organizationId: world.organizationId,
  subscriptionId: world.id(),
  iccid: sim.iccid,
  metadata: "",
  createdAt: world.now,
  status: "Live",
  ...changes
})

/** The SIM in service for a subscription. */
export const inService = (sim: Sim, { subscriptionId }: Subscription): Sim => ({
  ...sim,
  allocation: { _tag: "InService", subscriptionId }
})

export const attachment = (
  world: World,
  { iccid, subscriptionId }: Subscription,
  changes: Partial<Attachment> = {}
): Attachment => ({
  organizationId: world.organizationId,
  iccid,
  subscriptionId,
  attachmentId: world.id(),
  planId: world.id(),
  terms: terms(world),
  activePeriod: null,
  metadata: "",
  createdAt: world.now,
  confirmed: true,
  anchor: null,
  suspendedAt: null,
  lastThresholdNotified: 0,
  replacements: 0,
  ...changes
})

export const pack = (
  world: World,
  { attachmentId, iccid }: Attachment,
  occurrence: number,
  changes: Partial<Package> = {}
): Package => ({
  organizationId: world.organizationId,
  iccid,
  attachmentId,
  occurrence,
  status: "Created",
  refusal: null,
  telcoPackageId: null,
  activationAt: world.now,
  expirationAt: world.now + 7 * DAY,
  usedBytes: 0,
  replacement: null,
  ...changes
})

export const smdpEntry = (world: World, sim: Sim, changes: Partial<Entry> = {}): Entry => ({
  organizationId: world.organizationId,
  iccid: sim.iccid,
  reportId: world.id(),
  state: "Enable",
  modificationResult: "Success",
  modifiedAt: world.now,
  ...changes
})

/** What was used of an attachment on the day of `now`. */
export const usage = (
  { now }: Pick<World, "now">,
  { label }: Pick<Sim, "label">,
  {
    attachmentId,
    iccid,
    organizationId,
    planId
  }: Pick<Attachment, "attachmentId" | "iccid" | "organizationId" | "planId">,
  changes: Partial<UsageBook.Entry> = {}
): UsageBook.Entry => ({
  organizationId,
  iccid,
  attachmentId,
  planId,
  label,
  day: UsageBook.dayOf(now),
  countryAlpha2: "SE",
  bytes: 1_000,
  ...changes
})

/** A purchase in the ledger of costs. */
export const cost = (world: World, changes: Partial<Cost.Entry> = {}): Cost.Entry => ({
  organizationId: world.organizationId,
  costId: `purchase:${world.id()}`,
  kind: "purchase",
  at: world.now,
  telco: "esim-go",
  load: "esim_1GB",
  label: "Green",
  regionCode: "FR",
  iccid: "8988303000000000000",
  amount: { units: 190, scale: 2, currency: "USD" },
  attachmentId: null,
  planId: null,
  occurrence: null,
  ...changes
})

export const record = (world: World, changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  organizationId: world.organizationId,
  key: world.id(),
  fingerprint: "POST /v3/subscription 5feceb66",
  createdAt: world.now,
  outcome: { _tag: "Pending" },
  ...changes
})

/** A pending command that creates a subscription. */
export const command = (world: World, changes: Partial<Command> = {}): Command => ({
  organizationId: world.organizationId,
  commandId: world.id(),
  request: { _tag: "CreateSubscription", planId: world.id(), metadata: "order 7", iccid: null, activePeriod: null },
  createdAt: world.now,
  outcome: { _tag: "Pending" },
  settledAt: null,
  ...changes
})

/** An event of type `esim.smdp.stateChanged`. */
export const event = (world: World, changes: Partial<WebhookEvent> = {}): WebhookEvent => ({
  organizationId: world.organizationId,
  eventId: world.id(),
  createdAt: world.now,
  payload: {
    type: "esim.smdp.stateChanged",
    data: { sim: world.iccid(), smdpStateChange: { state: "Enable", modificationResult: "Success" } }
  },
  ...changes
})

export const job = (world: World, changes: Partial<Job> = {}): Job => ({
  jobId: world.id(),
  organizationId: world.organizationId,
  work: { _tag: "SuspendPackages", iccid: world.iccid(), attachmentId: world.id() },
  dueAt: world.now,
  attempts: 0,
  createdAt: world.now,
  idempotencyKey: null,
  origin: null,
  command: null,
  refused: null,
  waiting: null,
  endedAt: null,
  ...changes
})

/** Why a job waits that was first given back at that instant. */
export const waiting = (since: Instant): Waiting => ({ reason: "unavailable", message: 'no answer "\\ é', since })

/** What reports read of an aggregate, and nothing else. */
export const forReports = ({ attachments, sim }: ForReports): ForReports => {
  const { downloaded, iccid, isEsim, label, lastActivityAt, location, movedTo, organizationId, smdp } = sim
  const { purchase, version } = sim
  return {
    sim: {
      organizationId,
      iccid,
      label,
      isEsim,
      movedTo,
      downloaded,
      smdp,
      location,
      lastActivityAt,
      purchase,
      version
    },
    attachments: attachments.map(({ attachment, packages }) => {
      const { anchor, attachmentId, confirmed, createdAt, planId, replacements, suspendedAt, terms } = attachment
      const { lastThresholdNotified, metadata, subscriptionId } = attachment
      const { alertThresholds, dataMegaBytes, periodDays, recurrence } = terms
      const state = { confirmed, anchor, suspendedAt, lastThresholdNotified, replacements }
      return {
        attachment: {
          ...{ organizationId, iccid, attachmentId, planId, subscriptionId, metadata, createdAt, ...state },
          terms: { dataMegaBytes, periodDays, recurrence, ...(alertThresholds && { alertThresholds }) }
        },
        packages
      }
    })
  }
}

/** What the job of an occurrence reads of an aggregate, and nothing else. */
export const forOccurrence = (view: ForOccurrence | null): ForOccurrence | null => {
  if (view === null) return null
  const { iccid, organizationId, version } = view.sim
  const [{ attachment, packages }] = view.attachments
  const { anchor, attachmentId, confirmed, lastThresholdNotified, replacements, suspendedAt, terms } = attachment
  const state = { confirmed, anchor, suspendedAt, lastThresholdNotified, replacements }
  return {
    sim: { organizationId, iccid, version },
    attachments: [
      {
        attachment: {
          ...{ organizationId: attachment.organizationId, iccid: attachment.iccid, attachmentId, terms },
          ...state
        },
        packages
      }
    ]
  }
}
