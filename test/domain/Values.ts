/**
 * Valid values for the tests of the domain. A test changes the fields that it is about. Everything
 * belongs to one organization and one SIM, and happens around `NOW`.
 */
import type { ApiKey } from "../../src/domain/ApiKey.ts"
import type { Attachment, WithPackages } from "../../src/domain/Attachment.ts"
import type { AuditEntry } from "../../src/domain/AuditEntry.ts"
import type { Decision } from "../../src/domain/Decision.ts"
import type { Delivery } from "../../src/domain/Delivery.ts"
import type { Job } from "../../src/domain/Job.ts"
import * as Aggregates from "../../src/domain/SimAggregate.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import * as SimDifference from "../../src/domain/SimDifference.ts"
import type { Operator } from "../../src/domain/Operator.ts"
import type { Package } from "../../src/domain/Package.ts"
import type { Process } from "../../src/domain/Process.ts"
import { type Counts, SPANS } from "../../src/domain/Rates.ts"
import type { Plan, PlanTerms, TermsRequest } from "../../src/domain/Plan.ts"
import type { Region } from "../../src/domain/Region.ts"
import type { Recurrence } from "../../src/domain/Recurrence.ts"
import * as Sims from "../../src/domain/Sim.ts"
import type { Sim } from "../../src/domain/Sim.ts"
import type { Subscription } from "../../src/domain/Subscription.ts"
import type { Fact, Report } from "../../src/domain/TelcoReport.ts"
import type { WebhookEndpoint } from "../../src/domain/WebhookEndpoint.ts"
import type { WebhookEvent } from "../../src/domain/WebhookEvent.ts"
import { HOUR_MS, instant } from "./Calendar.ts"

export const NOW = instant(2026, 3, 10, 12 * HOUR_MS)
export const ICCID = "8944500102198304826"
export const GIGABYTE = 1_073_741_824

const organizationId = "organization"
const subscriptionId = "subscription"

export const terms = (changes: Partial<PlanTerms> = {}): PlanTerms => ({
  name: "Ten days",
  coverageId: "coverage",
  regionCode: "EUROPE",
  label: "Green",
  dataMegaBytes: 1_024,
  periodDays: 10,
  throttling: [],
  recurrence: null,
  ...changes
})

/** Recurring terms: ten daily packages, each of which lasts a day. */
export const recurring = (recurrence: Partial<Recurrence> = {}, changes: Partial<PlanTerms> = {}) => ({
  ...terms({ periodDays: 1, ...changes }),
  recurrence: { periodicity: "Daily", frequency: 1, occurrences: 10, ...recurrence } satisfies Recurrence
})

/** A request for a throttled, recurring plan. */
export const termsRequest = (changes: Partial<TermsRequest> = {}): TermsRequest => ({
  name: "Monthly",
  coverageId: "coverage",
  dataMegaBytes: 1_024,
  periodDays: 30,
  throttling: [
    { percentage: 50, limit: "1024" },
    { percentage: 80, limit: "512" },
    { percentage: 100, limit: "128" }
  ],
  recurrence: { periodicity: "Monthly", frequency: 1, occurrences: 12 },
  ...changes
})

export const plan = (changes: Partial<Plan> = {}): Plan => ({
  organizationId,
  planId: "plan",
  terms: terms(),
  metadata: "",
  price: null,
  bundle: null,
  createdAt: NOW,
  archivedAt: null,
  deletedAt: null,
  version: 1,
  ...changes
})

/** A free eSIM to be imported. */
export const newSim = (changes: Partial<Sim> = {}): Omit<Sim, "importSequence" | "version"> => {
  const { importSequence: _, version: __, ...imported } = sim(changes)
  return imported
}

/** A free eSIM. */
export const sim = (changes: Partial<Sim> = {}): Sim => ({
  ...Sims.imported({
    ...Sims.leftOut,
    organizationId,
    simId: "sim",
    iccid: ICCID,
    label: "Green",
    isEsim: true,
    lpa: "LPA:1$smdp.example$CODE",
    createdAt: NOW
  }),
  importSequence: 7,
  version: 3,
  ...changes
})

export const subscription = (changes: Partial<Subscription> = {}): Subscription => ({
  organizationId,
  subscriptionId,
  iccid: ICCID,
  metadata: "first",
  createdAt: NOW,
  status: "Live",
  ...changes
})

export const attachment = (changes: Partial<Attachment> = {}): Attachment => ({
  organizationId,
  iccid: ICCID,
  subscriptionId,
  attachmentId: "attachment",
  planId: "plan",
  terms: terms(),
  activePeriod: null,
  metadata: "first",
  createdAt: NOW,
  confirmed: true,
  anchor: null,
  suspendedAt: null,
  lastThresholdNotified: 0,
  replacements: 0,
  ...changes
})

/** A package at the telco that waits for its first use. */
export const pack = (changes: Partial<Package> = {}): Package => ({
  organizationId,
  iccid: ICCID,
  attachmentId: "attachment",
  occurrence: 0,
  status: "Created",
  refusal: null,
  telcoPackageId: "telco-0",
  activationAt: null,
  expirationAt: null,
  usedBytes: 0,
  replacement: null,
  ...changes
})

/** An attachment with its packages. */
export const attached = (
  changes: Partial<Attachment> = {},
  packages: ReadonlyArray<Partial<Package>> = []
): WithPackages => {
  const of = attachment(changes)
  const { attachmentId } = of
  return { attachment: of, packages: packages.map((one) => pack({ attachmentId, ...one })) }
}

/** A SIM in service with its live subscription. */
export const aggregate = (attachments: ReadonlyArray<WithPackages> = [], changes: Partial<Sim> = {}): SimAggregate => ({
  sim: sim({ allocation: { _tag: "InService", subscriptionId }, ...changes }),
  subscription: subscription(),
  attachments
})

/** A job that nobody has tried yet. */
export const job = (changes: Pick<Job, "jobId" | "work"> & Partial<Job>): Job => ({
  organizationId,
  dueAt: NOW,
  attempts: 0,
  createdAt: 0,
  idempotencyKey: null,
  origin: null,
  command: null,
  refused: null,
  waiting: null,
  endedAt: null,
  ...changes
})

export const region = (changes: Partial<Region> = {}): Region => ({
  organizationId,
  coverageId: "region",
  regionCode: "R",
  regionName: "Region",
  label: "Green",
  iso2List: ["FR"],
  createdAt: NOW,
  ...changes
})

export const apiKey = (changes: Partial<ApiKey> = {}): ApiKey => ({
  organizationId,
  apiKeyId: "key",
  name: "Backend",
  scope: "full",
  hash: "hash",
  hint: "hint",
  previousHash: null,
  previousUntil: null,
  createdAt: NOW,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  version: 0,
  ...changes
})

const noCounts: Counts = { all: Array(SPANS).fill(0), failed: Array(SPANS).fill(0) }

/** A process in which nothing has happened. */
export const process = (changes: Partial<Process> = {}): Process => ({
  processId: "process",
  version: "1.0.0",
  host: "host",
  runs: ["v3", "worker"],
  startedAt: 0,
  beatAt: 0,
  heldJobs: 0,
  heldDeliveries: 0,
  rates: { from: 0, counts: { requests: noCounts, telcoCalls: noCounts, deliveries: noCounts, jobs: noCounts } },
  ...changes
})

/** An operator of the service who sees all organizations. */
export const operator = (changes: Partial<Operator> = {}): Operator => ({
  operatorId: "operator",
  name: "Ada",
  role: "support",
  organizationId: null,
  hash: "hash",
  hint: "hint",
  previousHash: null,
  previousUntil: null,
  createdAt: NOW,
  expiresAt: null,
  deletedAt: null,
  version: 0,
  ...changes
})

/** A webhook endpoint that takes the interface's events. */
export const endpoint = (changes: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  organizationId,
  endpointId: "endpoint",
  url: "https://hooks.example/simplan",
  events: null,
  description: "",
  disabled: null,
  failingSince: null,
  signingKeys: [],
  createdAt: NOW,
  deletedAt: null,
  version: 0,
  ...changes
})

/** An event of type `esim.smdp.stateChanged`. */
export const event = (changes: Partial<WebhookEvent> = {}, iccid = ICCID): WebhookEvent => ({
  organizationId,
  eventId: "event",
  createdAt: NOW,
  payload: {
    type: "esim.smdp.stateChanged",
    data: { sim: iccid, smdpStateChange: { state: "Enable", modificationResult: "Success" } }
  },
  ...changes
})

/** A delivery that is due. */
export const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
  organizationId,
  deliveryId: "event:endpoint",
  eventId: "event",
  endpointId: "endpoint",
  status: "Pending",
  attempts: 0,
  retryStep: 0,
  responseStatus: null,
  lastError: null,
  lastAttemptAt: null,
  nextAttemptAt: NOW,
  createdAt: NOW,
  ...changes
})

export const auditEntry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  organizationId,
  entryId: "entry",
  createdAt: NOW,
  actor: "admin",
  action: "plan.create",
  resourceId: "plan",
  iccid: null,
  address: null,
  requestId: null,
  changed: null,
  reason: null,
  ...changes
})

/** The rows that a decision adds, changes and removes. */
export const written = ({ sim }: Decision) => {
  const {
    attachments,
    packages,
    sim: of,
    subscriptions
  } = SimDifference.difference(sim ?? { loaded: free(), next: free() })
  return {
    fields: of.fields,
    subscriptions: [...subscriptions.added, ...subscriptions.changed.map(({ row }) => row)],
    removedSubscriptions: subscriptions.removed,
    attachments: [...attachments.added, ...attachments.changed.map(({ row }) => row)],
    removedAttachments: attachments.removed,
    packages: [...packages.added, ...packages.changed.map(({ row }) => row)]
  }
}

/** The view for an occurrence of an attachment. */
export const forOccurrence = (of: SimAggregate | null, occurrence: number, attachmentId = "attachment") =>
  of === null ? null : Aggregates.forOccurrence(of, { attachmentId, occurrence })

/** A SIM of the inventory. */
export const free = (changes: Partial<Sim> = {}): SimAggregate => ({
  sim: sim(changes),
  subscription: null,
  attachments: []
})

export const report = (fact: Fact, occurredAt = NOW, reportId = "report"): Report => ({
  reportId,
  iccid: ICCID,
  occurredAt,
  fact
})

export const total = (bytes: number, packageId: string | null = null): Fact => ({
  _tag: "Usage",
  packageId,
  usage: { _tag: "Total", bytes }
})

export const delta = (bytes: number, packageId: string | null = null): Fact => ({
  _tag: "Usage",
  packageId,
  usage: { _tag: "Delta", bytes }
})

export const firstUse = (packageId: string | null = null): Fact => ({ _tag: "FirstUse", packageId })

export const seenIn = (countryAlpha2: string, operator = "Telia"): Fact => ({
  _tag: "Location",
  countryAlpha2,
  operator,
  rat: "5G",
  imei: "356938035643809"
})

/** What a decision about a pause is given, where the telco has refused nothing. */
export const pauseChange = { changeId: "change", isRefused: false } as const
