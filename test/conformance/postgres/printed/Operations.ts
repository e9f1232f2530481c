/**
 * One call of each operation of the ports, and one commit for each of its parts, by the names of their golden files.
 *
 * The rows that they name are not there: a commit may end in a conflict, and its statement is the same.
 */
import type { Effect } from "effect"
import { type AuditEntry, Cost, type Delivery, type Jobs, type Outbox, SimSearch, type Storage } from "simplan/ports"
import { inService, iccidOf, jobDue, newSim, terms, touch } from "../PostgresWorld.ts"
import { Session } from "simplan/ports"
import * as Values from "../../../domain/Values.ts"

interface Ports {
  readonly storage: Storage.Storage["Service"]
  readonly jobs: Jobs.Jobs["Service"]
  readonly outbox: Outbox.Outbox["Service"]
}

type Operation = (ports: Ports) => Effect.Effect<unknown, unknown>

const organizationId = "o"
const iccid = iccidOf(1)
const sim = { ...newSim(organizationId, 1), importSequence: 1, version: 1 }
const ofSim = { organizationId, iccid }
const after = { createdAt: 1, id: "a" }
const page = { organizationId, after, limit: 10 }
const at = { now: 1, machineNow: 1 }
const claim = { ...at, until: 2, token: "t", limit: 10 }
const shares = [{ partitionId: "p", organizationId, from: { dueAt: 0, id: "" }, limit: 1 }]
const jobLease = { organizationId, jobId: "j", token: "t" }
const deliveryLease = { organizationId, deliveryId: "d", token: "t" }

const delivery: Delivery.Delivery = Values.delivery({
  organizationId,
  deliveryId: "d",
  eventId: "e",
  endpointId: "w",
  status: "Delivered",
  attempts: 1,
  responseStatus: 200,
  lastAttemptAt: 1,
  nextAttemptAt: null,
  createdAt: 1
})

const auditEntry: AuditEntry.AuditEntry = Values.auditEntry({
  organizationId,
  entryId: "a",
  createdAt: 1,
  action: "organization.create",
  resourceId: organizationId
})

const charged: Cost.Entry = Cost.purchase(
  {
    ...{ ...ofSim, purchaseId: "b", telco: "esim-go", load: "esim_1GB", label: "Green", regionCode: "FR" },
    amount: { units: 190, scale: 2, currency: "USD" }
  },
  1
)

const spentBefore: Cost.Total = {
  ...{ month: 0, telco: null, currency: null, cost: 0n, price: 0n, purchases: 0, topUps: 0, refunds: 0, sales: 0 }
}

const live = { ...inService(sim, "s", 1).next }
const attached = live.attachments?.[0]

const searchOf = (text: string): SimSearch.Search => {
  const search = SimSearch.of(text)
  if (search === null) throw new Error("a blank text finds nothing")
  return search
}

/** What of the SIM changes, in service before and after. */
const changed = (next: Partial<typeof live>): Storage.Commit => ({
  sims: [{ loaded: live, next: { ...live, ...next } }]
})

const withAttachment = (attachment: Partial<NonNullable<typeof attached>["attachment"]>): Partial<typeof live> =>
  attached === undefined
    ? {}
    : { attachments: [{ ...attached, attachment: { ...attached.attachment, ...attachment } }] }

/** Each part of a commit. */
export const commits: Readonly<Record<string, Storage.Commit>> = {
  organizations: { organizations: [{ organizationId, name: "O", createdAt: 1 }] },
  operators: {
    operators: [Values.operator({ operatorId: "o", name: "O", hash: "h", hint: "h", createdAt: 1 })]
  },
  sessions: { sessions: [Session.begun({ sessionId: "s", endsAt: 2 })] },
  apiKeys: {
    apiKeys: [Values.apiKey({ organizationId, apiKeyId: "k", name: "K", hash: "h", hint: "h", createdAt: 1 })]
  },
  webhookEndpoints: {
    webhookEndpoints: [Values.endpoint({ organizationId, endpointId: "w", url: "https://example.com", createdAt: 1 })]
  },
  plans: {
    plans: [
      {
        organizationId,
        planId: "p",
        terms,
        metadata: "",
        price: null,
        bundle: null,
        createdAt: 1,
        archivedAt: null,
        deletedAt: null,
        version: 0
      }
    ]
  },
  unchangedPlans: { unchangedPlans: [{ organizationId, planId: "p", version: 1 }] },
  regions: {
    regions: [Values.region({ organizationId, coverageId: "c", regionName: "R", createdAt: 1 })]
  },
  catalogue: { catalogue: { countries: [], operators: [], profiles: [] } },
  clock: { clock: 1 },
  "sims.touched": { sims: [touch(sim)] },
  "sims.created": { sims: [inService(sim, "s", 1)] },
  "sims.provisioned": {
    sims: [
      {
        loaded: {
          sim: { ...sim, allocation: { _tag: "Provisioning", subscriptionId: "s" } },
          subscription: { ...ofSim, subscriptionId: "s", metadata: "", createdAt: 1, status: "Pending" },
          attachments: withAttachment({ confirmed: false }).attachments ?? []
        },
        next: live
      }
    ]
  },
  "sims.used": changed({
    sim: { ...live.sim, lastActivityAt: 2 },
    ...(attached && {
      attachments: [
        {
          attachment: { ...attached.attachment, anchor: 1, lastThresholdNotified: 50 },
          packages: attached.packages.map((one) => ({ ...one, usedBytes: 1 }))
        }
      ]
    })
  }),
  "sims.reported": changed({ sim: { ...live.sim, smdp: { state: "Enable", modifiedAt: 2 } } }),
  "sims.allocated": changed({ sim: { ...live.sim, allocation: { _tag: "Free" }, recycledAt: 2 } }),
  "sims.updated": changed({ sim: { ...live.sim, mobilePlan: { _tag: "Changing", applied: false, target: true } } }),
  "sims.purchased": changed({
    sim: {
      ...live.sim,
      lpa: "LPA:1$smdp.example$B",
      purchase: { purchaseId: "purchase", load: "1 GB", sellBy: null, cost: null, boughtAt: 1 }
    }
  }),
  "sims.corrected": changed({ sim: { ...live.sim, label: "Blue", lpa: "LPA:1$smdp.example$B" } }),
  "sims.suspended": changed(withAttachment({ suspendedAt: 2 })),
  "sims.removed": changed({ subscription: null, attachments: [] }),
  "reports.smdpEntries": {
    reports: {
      smdpEntries: [{ ...ofSim, reportId: "r", state: "Enable", modificationResult: "Success", modifiedAt: 1 }]
    }
  },
  "ledger.put": { ledger: { put: [charged] } },
  "ledger.allotted": { ledger: { allotted: [{ ...charged, planId: "p", attachmentId: "a", occurrence: 0 }] } },
  "reports.usage": {
    reports: {
      usage: [{ ...ofSim, attachmentId: "a", planId: "p", label: "Green", day: 0, countryAlpha2: "SE", bytes: 1 }]
    }
  },
  stockLevels: { stockLevels: [{ organizationId, label: "Green", level: 10, isLow: false, version: 0 }] },
  "reports.seen": { reports: { seen: [{ organizationId, reportId: "r", receivedAt: 1 }] } },
  "idempotency.put": {
    idempotency: {
      put: [
        {
          record: { organizationId, key: "k", fingerprint: "f", createdAt: 1, outcome: { _tag: "Pending" } },
          replaces: 0
        }
      ]
    }
  },
  "idempotency.settled": { idempotency: { settled: [{ organizationId, key: "k", outcome: { _tag: "Pending" } }] } },
  "idempotency.forgotten": { idempotency: { forgotten: [{ organizationId, key: "k" }] } },
  "commands.put": {
    commands: {
      put: [
        {
          organizationId,
          commandId: "c",
          request: { _tag: "SendSms", iccid, from: "f", text: "t" },
          createdAt: 1,
          outcome: { _tag: "Pending" },
          settledAt: null
        }
      ]
    }
  },
  "commands.settled": {
    commands: { settled: [{ organizationId, commandId: "c", outcome: { _tag: "Pending" }, settledAt: 1 }] }
  },
  events: {
    events: [
      {
        organizationId,
        eventId: "e",
        createdAt: 1,
        payload: { type: "subscription.created", data: { esim: iccid, subscriptionId: "s", metadata: "" } }
      }
    ]
  },
  "eventHandlers.put": {
    eventHandlers: { put: [{ name: "h", types: ["subscription.created"], organizationId: null, createdAt: 1 }] }
  },
  "eventHandlers.removed": { eventHandlers: { removed: ["h"] } },
  "jobs.put": { jobs: { put: [{ job: jobDue(1), lease: { token: "t", until: 2 } }] } },
  "jobs.finished": { jobs: { finished: [jobLease] } },
  "jobs.retried": { jobs: { retried: [{ ...jobLease, dueAt: 2, attempts: 1 }] } },
  "jobs.hastened": { jobs: { hastened: [{ organizationId, jobId: "j", dueAt: 1 }] } },
  "jobs.reopened": { jobs: { reopened: [{ organizationId, jobId: "j", endedAt: 1, dueAt: 2, attempts: 1 }] } },
  "jobs.resolved": { jobs: { resolved: [{ organizationId, jobId: "j", endedAt: 1 }] } },
  "jobs.cancelled": { jobs: { cancelled: [{ organizationId, jobId: "j" }] } },
  "deliveries.settled": { deliveries: { settled: [{ delivery, token: "t" }] } },
  "deliveries.replayed": { deliveries: { replayed: [delivery] } },
  auditEntries: { auditEntries: [auditEntry] }
}

const committed = Object.fromEntries(
  Object.entries(commits).map(([name, commit]): [string, Operation] => [
    `commit.${name}`,
    ({ storage }) => storage.commit(commit)
  ])
)

/** Each operation. */
export const operations: Readonly<Record<string, Operation>> = {
  ...committed,
  "organizations.page": ({ storage }) => storage.organizations.page({ after, limit: 10 }),
  "organizations.get": ({ storage }) => storage.organizations.get(organizationId),
  "organizations.getAll": ({ storage }) => storage.organizations.getAll([organizationId, "other"]),
  "organizations.count": ({ storage }) => storage.organizations.count({ organizationId, kind: "plans", atMost: 10 }),
  "operators.byHash": ({ storage }) => storage.operators.byHash("h"),
  "operators.get": ({ storage }) => storage.operators.get("o"),
  "operators.named": ({ storage }) => storage.operators.named("O"),
  "operators.page": ({ storage }) => storage.operators.page({ after, limit: 10 }),
  "sessions.get": ({ storage }) => storage.sessions.get("s"),
  sessionKey: ({ storage }) => storage.sessionKey("k"),
  "apiKeys.byHash": ({ storage }) => storage.apiKeys.byHash("h"),
  "apiKeys.get": ({ storage }) => storage.apiKeys.get({ organizationId, apiKeyId: "k" }),
  "apiKeys.page": ({ storage }) => storage.apiKeys.page(page),
  recordKeyUses: ({ storage }) => storage.recordKeyUses([{ organizationId, apiKeyId: "k", at: 1 }]),
  "webhookEndpoints.get": ({ storage }) => storage.webhookEndpoints.get({ organizationId, endpointId: "w" }),
  "webhookEndpoints.page": ({ storage }) => storage.webhookEndpoints.page(page),
  "webhookEndpoints.namedTypes": ({ storage }) => storage.webhookEndpoints.namedTypes({ organizationId }),
  "webhookEndpoints.failingSince": ({ storage }) =>
    storage.webhookEndpoints.failingSince({ organizationId, endpointId: "w", from: 1, createdFrom: 0 }),
  "webhookEndpoints.health": ({ storage }) => storage.webhookEndpoints.health({ organizationId, endpointIds: ["w"] }),
  "webhookEndpoints.failing": ({ storage }) => storage.webhookEndpoints.failing,
  "eventHandlers.list": ({ storage }) => storage.eventHandlers.list,
  "eventHandlers.delivery": ({ storage }) => storage.eventHandlers.delivery({ organizationId, deliveryId: "d" }),
  "eventHandlers.failed": ({ storage }) => storage.eventHandlers.failed({ after, limit: 10, name: "h", eventId: "e" }),
  "plans.get": ({ storage }) => storage.plans.get({ organizationId, planId: "p" }),
  "plans.uses": ({ storage }) => storage.plans.uses,
  "plans.page": ({ storage }) =>
    storage.plans.page({
      ...page,
      archived: false,
      label: "Green",
      search: "s",
      covering: { coverageIds: ["c"], iso2List: ["FR"] }
    }),
  "regions.get": ({ storage }) => storage.regions.get({ organizationId, coverageId: "c" }),
  "regions.find": ({ storage }) => storage.regions.find("c"),
  "regions.page": ({ storage }) => storage.regions.page(page),
  "regions.like": ({ storage }) => storage.regions.like({ organizationId, regionName: "R", iso2List: ["FR"] }),
  "catalogues.version": ({ storage }) => storage.catalogues.version,
  "catalogues.get": ({ storage }) => storage.catalogues.get,
  "sims.import": ({ storage }) => storage.sims.import([newSim(organizationId, 1)], auditEntry),
  "sims.get": ({ storage }) => storage.sims.get(ofSim),
  "sims.page": ({ storage }) => storage.sims.page({ ...page, after: 1, isEsim: null, label: "Green" }),
  "sims.find": ({ storage }) =>
    storage.sims.find({
      ...page,
      after: 1,
      isEsim: true,
      label: "Green",
      tag: "vip",
      status: "in_use",
      createdAfter: 1,
      search: SimSearch.of("0017")
    }),
  "sims.find without a search": ({ storage }) =>
    storage.sims.find({
      ...page,
      after: null,
      isEsim: null,
      label: null,
      tag: null,
      status: "free",
      createdAfter: null,
      search: null
    }),
  "sims.search": ({ storage }) =>
    storage.sims.search({ search: searchOf("46701234567"), organizationId: null, limit: 21 }),
  "sims.search of an organization": ({ storage }) =>
    storage.sims.search({ search: searchOf("46701234567"), organizationId, limit: 21 }),
  "sims.reserve": ({ storage }) =>
    storage.sims.reserve({
      organizationId,
      label: "Green",
      purpose: "subscription",
      load: null,
      token: "t",
      count: 1,
      machineNow: 1,
      until: 2
    }),
  "sims.reserve of a load": ({ storage }) =>
    storage.sims.reserve({
      organizationId,
      label: "Green",
      purpose: "subscription",
      load: { load: "1 GB", sellAfter: 1 },
      token: "t",
      count: 1,
      machineNow: 1,
      until: 2
    }),
  adoptPurchase: ({ storage }) =>
    storage.adoptPurchase({ organizationId, label: "Green", load: "1 GB", machineNow: 1, until: 2 }),
  leavePurchase: ({ storage }) => storage.leavePurchase({ organizationId, jobId: "j", until: 2 }),
  "sims.release": ({ storage }) => storage.sims.release({ organizationId, reservations: [{ iccid, token: "t" }] }),
  "sims.free": ({ storage }) => storage.sims.free({ organizationId, label: "Green", load: null }),
  "sims.stock": ({ storage }) => storage.sims.stock({ organizationIds: [organizationId], sellAfter: 1 }),
  "sims.counts": ({ storage }) => storage.sims.counts({ organizationId, sellAfter: 1 }),
  "sims.countFree": ({ storage }) =>
    storage.sims.countFree({ organizationId, label: "Green", atMost: 10, sellAfter: 1 }),
  "sims.countFree with a load": ({ storage }) =>
    storage.sims.countFree({ organizationId, label: "Green", atMost: 10, load: "1 GB", sellAfter: 1 }),
  "sims.levels": ({ storage }) => storage.sims.levels({ organizationIds: [organizationId] }),
  "sims.identities": ({ storage }) => storage.sims.identities(ofSim),
  "sims.smdpHistory": ({ storage }) => storage.sims.smdpHistory(ofSim),
  "simAggregates.get": ({ storage }) => storage.simAggregates.get(ofSim),
  "simAggregates.forAttachment": ({ storage }) => storage.simAggregates.forAttachment({ ...ofSim, attachmentId: "a" }),
  "simAggregates.forOccurrence": ({ storage }) =>
    storage.simAggregates.forOccurrence({ ...ofSim, attachmentId: "a", occurrence: 0 }),
  "simAggregates.forReports": ({ storage }) =>
    storage.simAggregates.forReports({
      iccids: [{ iccid, since: 1, packageIds: ["p"], reportIds: ["r"] }],
      seenSince: 0
    }),
  "simAggregates.owner": ({ storage }) => storage.simAggregates.owner(iccid),
  "subscriptions.get": ({ storage }) => storage.subscriptions.get(ofSim),
  "subscriptions.page": ({ storage }) => storage.subscriptions.page(page),
  "subscriptions.find": ({ storage }) =>
    storage.subscriptions.find({
      ...page,
      label: "Green",
      tag: "vip",
      status: "active",
      createdAfter: 1,
      search: SimSearch.of("208930000000001")
    }),
  "subscriptions.find of paused ones": ({ storage }) =>
    storage.subscriptions.find({ ...page, label: null, tag: null, status: "paused", createdAfter: null, search: null }),
  "subscriptions.attachments": ({ storage }) => storage.subscriptions.attachments({ ...ofSim, id: "a" }),
  "deliveries.get": ({ storage }) => storage.deliveries.get({ organizationId, deliveryId: "d" }),
  "deliveries.page": ({ storage }) =>
    storage.deliveries.page({ ...page, statuses: ["Failed"], type: "subscription.created", endpointId: "w" }),
  "deliveries.page of a SIM": ({ storage }) => storage.deliveries.page({ ...page, iccid }),
  "deliveries.attempts": ({ storage }) => storage.deliveries.attempts({ organizationId, deliveryId: "d" }),
  "deliveries.lastAttempts": ({ storage }) =>
    storage.deliveries.lastAttempts({ organizationId, deliveryIds: ["d", "e"] }),
  "deliveries.waitingCounts": ({ storage }) => storage.deliveries.waitingCounts,
  "commands.get": ({ storage }) => storage.commands.get({ organizationId, commandId: "c" }),
  "commands.page": ({ storage }) => storage.commands.page({ ...page, state: "pending" }),
  "idempotencyRecords.get": ({ storage }) => storage.idempotencyRecords.get({ organizationId, key: "k" }),
  "jobs.get": ({ storage }) => storage.jobs.get({ organizationId, jobId: "j" }),
  "jobs.waiting": ({ storage }) => storage.jobs.waiting({ after, limit: 10, organizationId, kind: "Provision" }),
  "jobs.ofSim": ({ storage }) => storage.jobs.ofSim({ ...ofSim, after, limit: 10 }),
  "jobs.purchases": ({ storage }) => storage.jobs.purchases({ organizationId, limit: 10 }),
  "problems.page": ({ storage }) => storage.problems.page({ after, limit: 10 }),
  "problems.page of an organization": ({ storage }) => storage.problems.page({ organizationId, after, limit: 10 }),
  "problems.count": ({ storage }) => storage.problems.count,
  "auditEntries.actor": ({ storage }) =>
    storage.auditEntries.actor({ organizationId, action: "plan_attachment.suspend", resourceId: "a", createdAt: 1 }),
  "auditEntries.page": ({ storage }) =>
    storage.auditEntries.page({
      ...page,
      from: 1,
      to: 2,
      actor: "admin",
      action: "organization.create",
      resourceId: organizationId
    }),
  "usage.latest": ({ storage }) =>
    storage.usage.latest({ ...ofSim, before: { attachmentId: "a", day: 0, countryAlpha2: "SE" }, limit: 10 }),
  "usage.entries": ({ storage }) =>
    storage.usage.entries({
      ...ofSim,
      from: 0,
      until: 1,
      after: { attachmentId: "a", day: 0, countryAlpha2: "SE" },
      limit: 10
    }),
  "usage.bookings": ({ storage }) => storage.usage.bookings({ organizationId, attachmentIds: ["a", "b"] }),
  "ledger.booked": ({ storage }) => storage.ledger.booked({ organizationId, costId: charged.costId }),
  "ledger.spent": ({ storage }) => storage.ledger.spent({ organizationId, since: 1 }),
  "ledger.totals": ({ storage }) =>
    storage.ledger.totals({ organizationId, from: 0, until: 1, by: ["plan", "supplier"], after: null, limit: 10 }),
  "ledger.totals of all organizations": ({ storage }) =>
    storage.ledger.totals({ organizationId: null, from: 0, until: 1, by: ["supplier"], after: null, limit: 10 }),
  "ledger.totals after a total": ({ storage }) =>
    storage.ledger.totals({ organizationId, from: 0, until: 1, by: ["supplier"], after: spentBefore, limit: 10 }),
  "usage.totals": ({ storage }) =>
    storage.usage.totals({ organizationId, from: 0, until: 1, by: ["country"], after: null, limit: 10 }),
  "usage.totals by day and country": ({ storage }) =>
    storage.usage.totals({ organizationId, from: 0, until: 1, by: ["day", "country"], after: null, limit: 10 }),
  "usage.totals by month": ({ storage }) =>
    storage.usage.totals({ organizationId, from: 0, until: 1, by: ["month"], after: null, limit: 10 }),
  "usage.sims": ({ storage }) => storage.usage.sims({ organizationId, from: 0, until: 1, after: iccid, limit: 10 }),
  "overview.waitingJobs": ({ storage }) => storage.overview.waitingJobs({ organizationId: null }),
  "overview.waitingJobs of an organization": ({ storage }) => storage.overview.waitingJobs({ organizationId }),
  "overview.failingEndpoints": ({ storage }) => storage.overview.failingEndpoints({ organizationId: null }),
  "overview.failingEndpoints of an organization": ({ storage }) =>
    storage.overview.failingEndpoints({ organizationId }),
  "overview.stocks": ({ storage }) => storage.overview.stocks({ organizationId: null, since: 1, sellAfter: 1 }),
  "overview.stocks of an organization": ({ storage }) =>
    storage.overview.stocks({ organizationId, since: 1, sellAfter: 1 }),
  "overview.loads": ({ storage }) => storage.overview.loads,
  "overview.database": ({ storage }) => storage.overview.database,
  "processes.list": ({ storage }) => storage.processes.list({ since: 1 }),
  virtualClock: ({ storage }) => storage.virtualClock,
  purge: ({ storage }) => storage.purge({ idempotencyBefore: 1, commandsBefore: 1, sessionsBefore: 1 }),
  purgeReports: ({ storage }) => storage.purgeReports({ before: 0, now: Date.UTC(2026, 10, 26) }),
  purgeAudit: ({ storage }) => storage.purgeAudit({ before: 0, now: Date.UTC(2026, 10, 26) }),
  purgeEvents: ({ storage }) => storage.purgeEvents({ before: 1, limit: 10 }),
  purgeUsage: ({ storage }) => storage.purgeUsage({ before: 0, now: Date.UTC(2026, 10, 26) }),
  keepProcess: ({ storage }) => storage.keepProcess({ process: Values.process({ processId: "p" }), silentSince: 1 }),
  forgetProcess: ({ storage }) => storage.forgetProcess("p"),
  ready: ({ storage }) => storage.ready,
  probe: ({ storage }) => storage.probe(1),
  "jobs.claim": ({ jobs }) => jobs.claim(claim),
  "jobs.claim of partitions": ({ jobs }) => jobs.claim({ ...claim, shares }),
  "jobs.renew": ({ jobs }) => jobs.renew({ leases: [jobLease], until: 2 }),
  "jobs.pending": ({ jobs }) => jobs.pending(at),
  "jobs.partitions": ({ jobs }) => jobs.partitions({ ...at, after: "", limit: 10 }),
  "jobs.backlog": ({ jobs }) => jobs.backlog(at),
  "jobs.release": ({ jobs }) => jobs.release({ now: 1 }),
  "jobs.handBack": ({ jobs }) => jobs.handBack([jobLease]),
  "outbox.claim": ({ outbox }) => outbox.claim(claim),
  "outbox.claim of partitions": ({ outbox }) => outbox.claim({ ...claim, shares }),
  "outbox.claimForHandler": ({ outbox }) => outbox.claimForHandler({ ...claim, handler: "h" }),
  "outbox.pendingForHandler": ({ outbox }) => outbox.pendingForHandler({ ...at, handler: "h" }),
  "outbox.renew": ({ outbox }) => outbox.renew({ leases: [deliveryLease], until: 2 }),
  "outbox.pending": ({ outbox }) => outbox.pending(at),
  "outbox.partitions": ({ outbox }) => outbox.partitions({ ...at, after: "", limit: 10 }),
  "outbox.backlog": ({ outbox }) => outbox.backlog(at),
  "outbox.release": ({ outbox }) => outbox.release({ now: 1 }),
  "outbox.handBack": ({ outbox }) => outbox.handBack([deliveryLease])
}
