/**
 * The calls of each read that go over the most rows of tables that are filled as `Filled` has them.
 */
import type { Effect } from "effect"
import {
  Cost,
  type Jobs,
  Label,
  type Outbox,
  Quota,
  type ReadCosts,
  SimSearch,
  type Storage,
  UsageBook
} from "simplan/ports"
import * as Filled from "./Filled.ts"

type Call = Effect.Effect<unknown, unknown>

/** Each read that has a cost has at least one call. */
export type Calls = {
  readonly [Group in keyof typeof ReadCosts.costs]: {
    readonly [Name in keyof (typeof ReadCosts.costs)[Group]]: readonly [Call, ...ReadonlyArray<Call>]
  }
}

export interface Ports {
  readonly storage: Storage.Storage["Service"]
  readonly jobs: Jobs.Jobs["Service"]
  readonly outbox: Outbox.Outbox["Service"]
}

const organizationId = Filled.BIG
const iccid = Filled.FULL_SIM
const of = { organizationId }
const ofSim = { organizationId, iccid }
const PAGE = 101
const page = { after: null, limit: PAGE }
const pageOf = { ...page, organizationId }
const at = { now: Filled.NOW, machineNow: 1 }
const days = { from: Filled.TODAY - Filled.DAYS * 86_400_000, until: Filled.TODAY + 86_400_000 }
const watched = Array.from({ length: Filled.WATCHED }, (_, index) => Filled.organization(index + 1))
const since = 0
const sellAfter = 0

/** SIMs in service, as many as one request reports of, beside the one that has everything. */
const reported = Array.from({ length: 999 }, (_, index) => Filled.iccid(2 * (index + 1)))

const searchOf = (text: string): SimSearch.Search => {
  const search = SimSearch.of(text)
  if (search === null) throw new Error("a blank text finds nothing")
  return search
}

/**
 * An ICCID, the beginning of many, an IMSI or a phone number, metadata that many have, and a word
 * inside.
 */
const sought = [iccid, "8933", "208930000000002", "order", "inside"].map(searchOf)

const filters = { label: null, tag: null, createdAfter: null } as const

/** What fits, and what does not for another reason. */
const searches = sought.flatMap((search) => [null, "Red" as const].map((label) => ({ ...filters, label, search })))

const several = (calls: ReadonlyArray<Call>): readonly [Call, ...ReadonlyArray<Call>] => {
  const [first, ...rest] = calls
  if (first === undefined) throw new Error("a read has no call")
  return [first, ...rest]
}

/** `share`: how much of what grows the tables have. */
export const calls = ({ jobs, outbox, storage }: Ports, share: number): Calls => ({
  organizations: {
    page: [storage.organizations.page(page)],
    get: [storage.organizations.get(organizationId)],
    getAll: [storage.organizations.getAll(watched)],
    count: several(Quota.kinds.map((kind) => storage.organizations.count({ ...of, kind, atMost: 20_001 })))
  },
  operators: {
    byHash: [storage.operators.byHash("h-1")],
    get: [storage.operators.get("o-1")],
    named: [storage.operators.named("O-1")],
    page: [storage.operators.page(page)]
  },
  sessions: { get: [storage.sessions.get("session")] },
  apiKeys: {
    byHash: [storage.apiKeys.byHash("h-1")],
    get: [storage.apiKeys.get({ ...of, apiKeyId: "k-1" })],
    page: [storage.apiKeys.page(pageOf)]
  },
  webhookEndpoints: {
    get: [storage.webhookEndpoints.get({ ...of, endpointId: "w-1" })],
    page: [storage.webhookEndpoints.page(pageOf)],
    namedTypes: [storage.webhookEndpoints.namedTypes(of)],
    failingSince: [storage.webhookEndpoints.failingSince({ ...of, endpointId: "w-1", from: 0, createdFrom: 0 })],
    health: [
      storage.webhookEndpoints.health({
        ...of,
        endpointIds: Array.from({ length: 100 }, (_, index) => `w-${index + 1}`)
      })
    ],
    failing: [storage.webhookEndpoints.failing]
  },
  eventHandlers: {
    list: [storage.eventHandlers.list],
    delivery: [storage.eventHandlers.delivery({ ...of, deliveryId: "f-1" })],
    failed: several(
      [null, "v-1", "none"].map((eventId) => storage.eventHandlers.failed({ ...page, name: "handler-1", eventId }))
    )
  },
  plans: {
    get: [storage.plans.get({ ...of, planId: "p-1" })],
    page: [storage.plans.page({ ...pageOf, archived: null, label: null, search: "nowhere", covering: null })],
    uses: [storage.plans.uses]
  },
  regions: {
    get: [storage.regions.get({ ...of, coverageId: "c-1" })],
    find: [storage.regions.find("c-1"), storage.regions.find("none")],
    page: [storage.regions.page(pageOf)],
    like: [storage.regions.like({ ...of, regionName: "R-1", iso2List: ["DE"] })]
  },
  catalogues: { version: [storage.catalogues.version], get: [storage.catalogues.get] },
  simAggregates: {
    get: [storage.simAggregates.get(ofSim)],
    forAttachment: [storage.simAggregates.forAttachment({ ...ofSim, attachmentId: "a-1" })],
    forOccurrence: [storage.simAggregates.forOccurrence({ ...ofSim, attachmentId: "a-1", occurrence: 1 })],
    forReports: [
      storage.simAggregates.forReports({
        iccids: [iccid, ...reported].map((iccid) => ({ iccid, since, packageIds: ["t-1"], reportIds: ["r-1"] })),
        seenSince: 0
      })
    ],
    owner: [storage.simAggregates.owner(iccid)]
  },
  subscriptions: {
    get: [storage.subscriptions.get(ofSim)],
    page: [storage.subscriptions.page(pageOf)],
    find: several([
      storage.subscriptions.find({ ...pageOf, ...filters, status: "paused", search: null }),
      ...searches.map((search) => storage.subscriptions.find({ ...pageOf, ...search, status: null }))
    ]),
    attachments: [storage.subscriptions.attachments(ofSim)]
  },
  deliveries: {
    get: [storage.deliveries.get({ ...of, deliveryId: "v-1:w" })],
    page: [
      storage.deliveries.page({ ...pageOf, statuses: ["Failed"] }),
      storage.deliveries.page({ ...pageOf, type: "esim.smdp.stateChanged", endpointId: "w-1" }),
      storage.deliveries.page({ ...pageOf, iccid, statuses: ["Failed"] })
    ],
    attempts: [storage.deliveries.attempts({ ...of, deliveryId: "v-1:w" })],
    lastAttempts: [
      storage.deliveries.lastAttempts({
        ...of,
        deliveryIds: Array.from({ length: PAGE }, (_, index) => `v-${index + 1}:w`)
      })
    ],
    waitingCounts: [storage.deliveries.waitingCounts]
  },
  idempotencyRecords: { get: [storage.idempotencyRecords.get({ ...of, key: "i-1" })] },
  commands: {
    get: [storage.commands.get({ ...of, commandId: "m-1" })],
    page: several((["pending", "refused", null] as const).map((state) => storage.commands.page({ ...pageOf, state })))
  },
  auditEntries: {
    page: [
      storage.auditEntries.page({ ...pageOf, from: null, to: null, actor: "nobody", action: null, resourceId: null })
    ],
    actor: [storage.auditEntries.actor({ ...of, action: "plan_attachment.suspend", resourceId: "none", createdAt: 0 })]
  },
  jobs: {
    get: [storage.jobs.get({ organizationId, jobId: "w-1" })],
    waiting: [storage.jobs.waiting({ ...page, telco: "none" })],
    ofSim: [storage.jobs.ofSim({ ...ofSim, after: null, limit: 1_000 })],
    purchases: [storage.jobs.purchases({ ...of, limit: 1_000 })],
    backlog: [jobs.backlog(at)],
    partitions: [jobs.partitions({ ...at, after: "", limit: 100 })],
    pending: [jobs.pending(at)]
  },
  problems: {
    page: several(
      [undefined, organizationId, Filled.organization(1)].map((organizationId) =>
        storage.problems.page({ ...page, ...(organizationId !== undefined && { organizationId }) })
      )
    ),
    count: [storage.problems.count]
  },
  usage: {
    entries: [storage.usage.entries({ ...ofSim, ...days, after: null, limit: 800 })],
    latest: [storage.usage.latest({ ...ofSim, before: null, limit: 800 })],
    bookings: [
      storage.usage.bookings({
        ...of,
        attachmentIds: Array.from({ length: 500_000 * share }, (_, index) => `a-s-${2 * (index + 1)}`)
      })
    ],
    totals: several(
      UsageBook.totalGroupings.map((by) => storage.usage.totals({ ...of, ...days, by, after: null, limit: 800 }))
    ),
    sims: [storage.usage.sims({ ...of, ...days, after: null, limit: 800 })]
  },
  ledger: {
    spent: [storage.ledger.spent({ ...of, since: Filled.NOW - 86_400_000 })],
    booked: [storage.ledger.booked({ ...of, costId: "purchase:2" })],
    totals: several(
      [null, organizationId].flatMap((organizationId) =>
        Cost.groupings.map((by) => storage.ledger.totals({ organizationId, ...days, by, after: null, limit: 800 }))
      )
    )
  },
  overview: {
    waitingJobs: [storage.overview.waitingJobs({ organizationId: null }), storage.overview.waitingJobs(of)],
    failingEndpoints: [
      storage.overview.failingEndpoints({ organizationId: null }),
      storage.overview.failingEndpoints(of)
    ],
    stocks: [
      storage.overview.stocks({ organizationId: null, since, sellAfter }),
      storage.overview.stocks({ ...of, since, sellAfter })
    ],
    loads: [storage.overview.loads],
    database: [storage.overview.database]
  },
  processes: { list: [storage.processes.list({ since })] },
  sims: {
    get: [storage.sims.get(ofSim)],
    page: several(
      [null, true, false].flatMap((isEsim) =>
        [null, "Green" as const].map((label) => storage.sims.page({ ...pageOf, isEsim, label }))
      )
    ),
    find: several([
      storage.sims.find({ ...pageOf, ...filters, isEsim: null, status: "withdrawn", search: null }),
      ...searches.map((search) => storage.sims.find({ ...pageOf, ...search, isEsim: null, status: null }))
    ]),
    search: several(
      [null, organizationId].flatMap((owner) =>
        sought.map((search) => storage.sims.search({ search, organizationId: owner, limit: SimSearch.MOST_HITS + 1 }))
      )
    ),
    free: several(Label.labels.map((label) => storage.sims.free({ ...of, label, load: null }))),
    stock: [storage.sims.stock({ organizationIds: watched, sellAfter })],
    counts: [storage.sims.counts({ ...of, sellAfter })],
    countFree: [storage.sims.countFree({ ...of, label: "Green", atMost: 100_000 * share, sellAfter })],
    levels: [storage.sims.levels({ organizationIds: watched })],
    identities: [storage.sims.identities(ofSim)],
    smdpHistory: [storage.sims.smdpHistory(ofSim)]
  },
  outbox: {
    backlog: [outbox.backlog(at)],
    partitions: [outbox.partitions({ ...at, after: "", limit: 100 })],
    pending: [outbox.pending(at)],
    pendingForHandler: [outbox.pendingForHandler({ ...at, handler: "handler-1" })]
  }
})
