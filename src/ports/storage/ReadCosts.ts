/**
 * What each read of the storage and of its queues goes over at the worst, in rows, for the largest
 * organization or service that is expected. A read without a line here does not compile. A test
 * fills the tables of PostgreSQL, and counts.
 *
 * Most have a bound that the service keeps: a page, a quota, a limit of the read itself. Those that
 * are `isHeavy` have none, or one that is far from cheap: they are made aside of all others, in
 * turns, and are stopped after a while (rule W13).
 */
import type { Jobs } from "../Jobs.ts"
import type { Outbox } from "../Outbox.ts"
import type { Reads, Service } from "../Storage.ts"
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

/**
 * How much that is due is held at a time by all processes, which all that look for more go over.
 */
const HELD = 1_000

/**
 * What has ended in refusals, of jobs and of what was due to a handler, if nobody has looked at
 * it for long.
 */
const FAILED = 100_000

/** The organizations whose stock is watched at a time, and the labels of each. */
const WATCHED = 101
const LABELS = 7

/** The free eSIMs of each label that are counted of each of them. */
const STOCKS = WATCHED * LABELS * 1_000

/**
 * What a word inside metadata is in, of the subscriptions of a large organization or of as many
 * attachments. No index has it in an order, so that a bucket of the index is gone over as a whole:
 * a tenth, if ids end with decimal digits.
 */
const INSIDE = 100_000

/**
 * The days, countries, plans and connections by which a large organization has sums of usage, and
 * its SIMs' entries.
 */
const BOOK = 2_000_000

/** What all organizations have bought and sold in the months that are asked for. */
const LEDGER = 2_000_000

/** The SIMs of a large organization. */
const INVENTORY = 1_000_000

/** The plans of all organizations. */
const PLANS = 20_100

type Costs<Reads> = { readonly [Name in keyof Reads]: ReadCost }

/** What no read is of the queues. */
type Claiming = "claim" | "handBack" | "release" | "renew"

/**
 * The groups of the storage of which every operation is a read, and the reads of its inventory and
 * its queues.
 */
interface Groups extends Omit<Reads, "jobs"> {
  readonly sims: Omit<Service["sims"], "import" | "release" | "reserve">
  readonly jobs: Service["jobs"] & Omit<Jobs["Service"], Claiming>
  readonly outbox: Omit<Outbox["Service"], Claiming | "claimForHandler">
}

/** The cost of each read, by the group that it is in. */
export const costs: { readonly [Group in keyof Groups]: Costs<Groups[Group]> } = {
  organizations: { page: light(PAGE), get: light(1), getAll: light(PAGE), count: light(20_001) },
  operators: { byHash: light(1), get: light(1), named: light(1), page: light(PAGE) },
  sessions: { get: light(1) },
  apiKeys: { byHash: light(2), get: light(2), page: light(2 * PAGE) },
  webhookEndpoints: {
    get: light(1),
    page: light(PAGE),
    namedTypes: light(200),
    failingSince: heavy(INVENTORY),
    // Each endpoint has up to 16 counts.
    health: light(1_600),
    failing: heavy(COUNTED)
  },
  eventHandlers: { list: light(PAGE), delivery: light(2), failed: heavy(FAILED) },
  plans: { get: light(1), page: light(SCAN_LIMIT), uses: heavy(PLANS) },
  regions: { get: light(1), find: heavy(INVENTORY), page: light(PAGE), like: light(2) },
  catalogues: { version: light(1), get: light(1) },
  simAggregates: {
    get: light(AGGREGATE),
    forAttachment: light(1_001),
    forOccurrence: light(4),
    // Of the SIMs of one request, each with an attachment and its package.
    forReports: light(AGGREGATE + 4 * 1_000),
    owner: light(2)
  },
  subscriptions: {
    get: light(2),
    page: light(2 * PAGE),
    // With a search: with other filters alone they are light, here and of SIMs.
    find: heavy(INSIDE),
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
  auditEntries: { page: light(SCAN_LIMIT), actor: light(100) },
  jobs: {
    get: light(1),
    waiting: light(SCAN_LIMIT),
    ofSim: heavy(COUNTED),
    purchases: light(1_000),
    backlog: heavy(COUNTED),
    partitions: light(HELD + PAGE),
    pending: light(2 * HELD)
  },
  // Those of one organization are among those of all.
  problems: { page: heavy(FAILED), count: heavy(COUNTED) },
  usage: {
    entries: heavy(120_000),
    latest: heavy(120_000),
    bookings: heavy(INVENTORY),
    totals: heavy(BOOK),
    sims: heavy(BOOK)
  },
  // What was bought within a day is read for each purchase.
  ledger: { spent: light(COUNTED), booked: light(1), totals: heavy(LEDGER) },
  overview: {
    waitingJobs: heavy(COUNTED),
    failingEndpoints: heavy(COUNTED),
    stocks: heavy(STOCKS),
    loads: heavy(2 * COUNTED),
    database: heavy(1_000)
  },
  processes: { list: light(PAGE) },
  sims: {
    get: light(1),
    page: light(PAGE),
    find: heavy(INSIDE),
    search: heavy(2 * INSIDE),
    // If none is free: those that are on their way back, and the creations under way.
    free: light(2_000),
    stock: heavy(STOCKS),
    counts: heavy(INVENTORY),
    countFree: heavy(100_000),
    levels: light(WATCHED * LABELS),
    identities: light(1),
    smdpHistory: heavy(COUNTED)
  },
  outbox: {
    backlog: heavy(COUNTED),
    partitions: light(HELD + PAGE),
    pending: light(2 * HELD),
    // All that is due to a handler and waits for earlier events of its SIMs, at which the handler
    // fails.
    pendingForHandler: heavy(4 * FAILED)
  }
}
