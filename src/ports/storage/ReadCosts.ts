/**
 * What each read of the storage and of its queues goes over at the worst, in rows, for the largest organization or
 * service that is expected. A read without a line here does not compile.
 *
 * Most have a bound that the service keeps: a page, a quota, a limit of the read itself. Those that are `isHeavy` have none, or
 * one that is far from cheap: they are made aside of all others, in turns, and are stopped after a while (rule W13).
 */
import type { Jobs } from "../Jobs.ts"
import type { Outbox } from "../Outbox.ts"
import type { Service } from "../Storage.ts"
import { SCAN_LIMIT } from "./Read.ts"

/** What a read costs at the worst. */
export interface ReadCost {
  /** The rows of tables that it goes over. */
  readonly rows: number
  /** Whether it is made aside of other reads, in the turn of its organization. */
  readonly isHeavy: boolean
}

const light = (rows: number): ReadCost => ({ rows, isHeavy: false })
const heavy = (rows: number): ReadCost => ({ rows, isHeavy: true })

/** The most rows of a page, with the one after it. */
const PAGE = 101

/** The attachments of a full subscription, and their packages (rule W9). */
const AGGREGATE = 1_600

/** Up to how many what waits is counted. */
const COUNTED = 10_000

/** How many rows a step of a search goes over. */
const SEARCHED = 8 * SCAN_LIMIT

/** The days, countries, plans and connections by which a large organization has sums of usage, and its SIMs' entries. */
const BOOK = 2_000_000

/** The SIMs of a large organization. */
const INVENTORY = 1_000_000

type Costs<Reads> = { readonly [Name in keyof Reads]: ReadCost }

/** The groups of the storage of which every operation is a read, and the reads of its inventory and its queues. */
interface Groups
  extends Pick<
    Service,
    | "apiKeys"
    | "auditEntries"
    | "catalogues"
    | "commands"
    | "deliveries"
    | "eventHandlers"
    | "idempotencyRecords"
    | "operators"
    | "organizations"
    | "overview"
    | "plans"
    | "problems"
    | "processes"
    | "regions"
    | "simAggregates"
    | "subscriptions"
    | "usage"
    | "webhookEndpoints"
  > {
  readonly sims: Omit<Service["sims"], "import" | "release" | "reserve">
  readonly jobs: Service["jobs"] & Pick<Jobs["Service"], "backlog" | "partitions" | "pending">
  readonly outbox: Pick<Outbox["Service"], "backlog" | "partitions" | "pending" | "pendingForHandler">
}

/** The cost of each read, by the group that it is in. */
export const costs: { readonly [Group in keyof Groups]: Costs<Groups[Group]> } = {
  organizations: { page: light(PAGE), get: light(1), getAll: light(PAGE), count: light(20_001) },
  operators: { byHash: light(1), get: light(1), named: light(1), page: light(PAGE) },
  apiKeys: { byHash: light(1), get: light(1), page: light(PAGE) },
  webhookEndpoints: {
    get: light(1),
    page: light(PAGE),
    namedTypes: light(200),
    failingSince: heavy(INVENTORY),
    // Each endpoint has up to 16 counts.
    health: light(1_600),
    failing: heavy(COUNTED)
  },
  eventHandlers: { list: light(PAGE), delivery: light(2), failed: light(2 * PAGE) },
  plans: { get: light(1), page: light(SCAN_LIMIT) },
  regions: { get: light(1), find: heavy(INVENTORY), page: light(PAGE), like: light(1_000) },
  catalogues: { version: light(1), get: light(1) },
  simAggregates: {
    get: light(AGGREGATE),
    forAttachment: light(1_001),
    forOccurrence: light(4),
    forReports: light(AGGREGATE),
    owner: light(1)
  },
  subscriptions: {
    get: light(2),
    page: light(2 * PAGE),
    find: light(SEARCHED),
    attachments: light(AGGREGATE)
  },
  deliveries: {
    get: light(2),
    page: light(2 * SCAN_LIMIT),
    attempts: light(100),
    lastAttempts: light(10 * PAGE),
    waitingCounts: heavy(COUNTED)
  },
  idempotencyRecords: { get: light(1) },
  commands: { get: light(1), page: light(PAGE) },
  auditEntries: { page: light(SCAN_LIMIT), actor: light(PAGE) },
  jobs: {
    get: light(1),
    waiting: light(SCAN_LIMIT),
    ofSim: light(1_000),
    waitingCounts: heavy(COUNTED),
    backlog: heavy(COUNTED),
    partitions: light(PAGE),
    pending: light(1_000)
  },
  problems: { page: light(PAGE), count: heavy(COUNTED) },
  usage: {
    entries: heavy(120_000),
    latest: heavy(120_000),
    bookings: heavy(INVENTORY),
    totals: heavy(BOOK),
    sims: heavy(BOOK)
  },
  overview: {
    waitingJobs: heavy(COUNTED),
    failingEndpoints: heavy(COUNTED),
    stocks: heavy(400_000),
    loads: heavy(2 * COUNTED),
    database: heavy(1_000)
  },
  processes: { list: light(PAGE) },
  sims: {
    get: light(1),
    page: light(PAGE),
    find: light(SEARCHED),
    search: heavy(8 * SCAN_LIMIT),
    free: light(2),
    stock: heavy(400_000),
    counts: heavy(INVENTORY),
    countFree: heavy(100_000),
    levels: light(400),
    identities: light(1),
    smdpHistory: heavy(COUNTED)
  },
  outbox: { backlog: heavy(COUNTED), partitions: light(PAGE), pending: light(1_000), pendingForHandler: light(1_000) }
}
