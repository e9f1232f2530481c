/**
 * The rows of a `RowStore`: their kinds, and where each of them is. The value of a row is one of
 * the domain's.
 */
import type { ApiKey, AuditEntry, Catalogue, Command, Cost, Idempotency, Job } from "simplan/ports"
import type {
  Operator,
  Organization,
  Plan,
  Process,
  Region,
  Session,
  SimAggregate,
  SmdpHistory,
  Storage,
  Time
} from "simplan/ports"
import {
  Delivery,
  EventHandler,
  Sim,
  type Stock,
  Subscription,
  type UsageBook,
  WebhookEndpoint,
  WebhookEvent
} from "simplan/ports"
/** The kinds of rows, and what each has as its value. */
export interface Kinds {
  /** The id is `organizationId`. */
  readonly organization: Organization.Organization
  /** The id is `operatorId`; of the whole service; listed by its token's hash as well. */
  readonly operator: Operator.Operator
  /** By its end. The id is `sessionId`; of the whole service. */
  readonly session: Session.Session
  /** At most one row, of the whole service. */
  readonly sessionKey: { readonly value: string }
  /** The id is `apiKeyId`; listed by its hash as well. The last use in it counts for nothing. */
  readonly apiKey: ApiKey.ApiKey
  /** Whose the secret before the last rotation is. The id is its hash; of the whole service. */
  readonly formerKey: Pick<ApiKey.ApiKey, "organizationId" | "apiKeyId"> & { readonly hash: string }
  /** When a key was last used. The id is `apiKeyId`. */
  readonly apiKeyUse: ApiKey.Use
  /** The id is `endpointId`; deleted ones stay. */
  readonly endpoint: WebhookEndpoint.WebhookEndpoint
  /** The id is its name; of the whole service. */
  readonly handler: EventHandler.EventHandler
  /** The id is `planId`; deleted ones stay. */
  readonly plan: Plan.Plan
  /** The id is `coverageId`. */
  readonly region: Region.Region
  /** At most one row, as of the clock. */
  readonly catalogue: { readonly version: number; readonly catalogue: Catalogue.Catalogue }
  /** Where a virtual clock stands: at most one row, of the whole service. */
  readonly clock: { readonly at: Time.Instant }
  /**
   * When it was last tried whether the store takes a write: at most one row, of the whole service.
   */
  readonly probe: { readonly at: Time.Instant }
  /**
   * What a process says of itself, by when it said so. The id is `processId`; of the whole service.
   */
  readonly process: Process.Process
  /** A SIM with all that hangs on it. The id is its ICCID. */
  readonly sim: SimAggregate.SimAggregate
  /** The entries of a SIM, as stored. The id is its ICCID. */
  readonly smdpHistory: Pick<Sim.Sim, "organizationId" | "iccid"> & {
    readonly entries: ReadonlyArray<SmdpHistory.Entry>
  }
  /** A report id that was seen (rule R1). */
  readonly report: Storage.SeenReport
  /** An entry of the book of usage (rule U1), by its day. The id is made of its key. */
  readonly usage: UsageBook.Entry
  /** A row of the ledger of costs, by when it was charged. The id is `costId` (rule C1). */
  readonly cost: Cost.Entry
  /** The level of a label (rule I12). The id is the label. */
  readonly stockLevel: Stock.Level
  /** The id is the key (rule W2). */
  readonly idempotencyRecord: Idempotency.IdempotencyRecord
  /** The id is `commandId` (rule H1). */
  readonly command: Command.Command
  /** The id is `jobId`; it stands in a queue while it is to be done. */
  readonly job: Job.Job
  /**
   * Until when a request awaits a purchase (rule I15), in machine time. The id is the `jobId` of
   * the purchase.
   */
  readonly awaitedPurchase: { readonly organizationId: string; readonly jobId: string; readonly until: Time.Instant }
  /** With its attempts, oldest first. */
  readonly delivery: Delivery.LoggedDelivery & { readonly attempts: ReadonlyArray<Delivery.LoggedAttempt> }
  /** The id is `entryId` (rule W11). */
  readonly auditEntry: AuditEntry.AuditEntry
}

/** The name of a kind, which a store may use as a table's. */
export type Kind = keyof Kinds

/** A place in a list. */
export interface Listed {
  /** Which list it is. */
  readonly list: string
  /** What the list is ordered by, before the id. */
  readonly position: number
  /** Orders rows of one position; compared by code point. */
  readonly id: string
}

/** What a row waits for. It stands in a queue, by when it is due and by an id. */
export interface Work {
  /** Which queue of its kind it stands in. */
  readonly queue: string
  /** Business time. */
  readonly dueAt: Time.Instant
  /** Orders rows that are due at one instant; compared by code point. */
  readonly dueId: string
  /** Whose turn it takes: an organization's id, or an endpoint's. */
  readonly partitionId: string
  /**
   * Of the rows about one subject in a queue the first by position and id goes first (rule E2);
   * null: about none.
   */
  readonly subject: string | null
}

/** Where a row is. */
export interface Place {
  /** Empty for what belongs to the whole service. */
  readonly organizationId: string
  /** Unique in the kind and the organization; that of a SIM and of a job in the whole service. */
  readonly id: string
  /**
   * The place in its organization's list of the kind, before the id: mostly when it was created.
   */
  readonly position: number
  /** Another list that it is in. */
  readonly also: Listed | null
  /** Null: it waits for nothing, or for nothing any more. */
  readonly work: Work | null
}

const created =
  <Id extends string>(id: Id) =>
  (value: { readonly [Name in Id | "organizationId"]: string } & { readonly createdAt: Time.Instant }): Place => ({
    organizationId: value.organizationId,
    id: value[id],
    position: value.createdAt,
    also: null,
    work: null
  })

const ofService = (id: string, position: number): Place => ({
  organizationId: "",
  id,
  position,
  also: null,
  work: null
})

/** The API keys with a hash. */
export const keysWith = (hash: string): string => `hash:${hash}`

/** The operators whose token has a hash. */
export const operatorsWith = (hash: string): string => `operator:${hash}`

/** An organization's SIMs with a live subscription, by the creation of that. */
export const liveOf = (organizationId: string): string => `live:${organizationId}`

/** An organization's commands, by their creation. */
export const commandsOf = (organizationId: string): string => `commands:${organizationId}`
/** An organization's eSIMs of a label that are on their way back to stock (rule S5). */
export const returningSims = ({ label, organizationId }: Pick<Sim.Sim, "label" | "organizationId">): string =>
  `returning:${organizationId}:${label}`

/** The entries of a SIM in the book of usage, by their days. */
export const usageOf = ({ iccid, organizationId }: Pick<UsageBook.Entry, "iccid" | "organizationId">): string =>
  `usage:${organizationId}:${iccid}`

/** The jobs that have ended. */
export const PROBLEMS = "problems"

/** The jobs that were tried and wait for their next try. */
export const WAITING = "waiting"

/** The endpoints that fail, or are disabled for it, by since when (`troubledSince`). */
export const FAILING = "failing"

/** The queue of jobs. */
export const JOBS = "jobs"

/** The queue of deliveries to endpoints. */
export const ENDPOINTS = "endpoints"

/** The queue of deliveries to a handler. */
export const dueToHandler = (name: string): string => EventHandler.endpointId(name)

/** The deliveries to a handler, by the id that stands for it, that were given up. */
export const givenUpBy = (endpointId: string): string => `failed:${endpointId}`

/**
 * The queue of free eSIMs: those that were never used come first, then those that were recycled
 * first (rule S2).
 */
export const freeSims = ({ label, organizationId }: Pick<Sim.Sim, "label" | "organizationId">): string =>
  `free:${organizationId}:${label}`

const ofKey = (key: ApiKey.ApiKey): Place => {
  const { position, ...place } = created("apiKeyId")(key)
  return { ...place, position, also: { list: keysWith(key.hash), position, id: place.id } }
}

const ofOperator = ({ createdAt: position, hash, operatorId: id }: Operator.Operator): Place => ({
  ...ofService(id, position),
  also: { list: operatorsWith(hash), position, id }
})

const ofSim = ({ sim, subscription }: SimAggregate.SimAggregate): Place => {
  const { iccid: id, importSequence: position, organizationId, recycledAt } = sim
  const isLive = Subscription.isLive(subscription)
  const returning = Sim.isReturning(sim) ? { list: returningSims(sim), position, id } : null
  return {
    organizationId,
    id,
    position,
    also: isLive
      ? { list: liveOf(organizationId), position: subscription.createdAt, id: subscription.subscriptionId }
      : returning,
    work: Sim.isFree(sim)
      ? {
          queue: freeSims(sim),
          dueAt: recycledAt ?? Number.MIN_SAFE_INTEGER,
          dueId: String(position).padStart(16, "0"),
          partitionId: organizationId,
          subject: null
        }
      : null
  }
}

const ofEndpoint = (endpoint: WebhookEndpoint.WebhookEndpoint): Place => {
  const place = created("endpointId")(endpoint)
  const since = WebhookEndpoint.troubledSince(endpoint)
  return since === null ? place : { ...place, also: { list: FAILING, position: since, id: place.id } }
}

const ofJob = (job: Job.Job): Place => {
  const { createdAt: position, dueAt, endedAt, jobId: id, organizationId } = job
  return endedAt === null
    ? {
        organizationId,
        id,
        position,
        // A job that was stored before there were reasons has none.
        also: job.waiting ? { list: WAITING, position, id } : null,
        work: { queue: JOBS, dueAt, dueId: id, partitionId: organizationId, subject: null }
      }
    : { organizationId, id, position, also: { list: PROBLEMS, position, id }, work: null }
}

const ofDelivery = ({ delivery, event }: Delivery.LoggedDelivery): Place => {
  const { deliveryId: dueId, endpointId: partitionId, nextAttemptAt: dueAt } = delivery
  const place = created("deliveryId")(delivery)
  const isToHandler = EventHandler.nameOf(delivery) !== null
  if (isToHandler && Delivery.isFailed(delivery)) {
    return { ...place, also: { list: givenUpBy(partitionId), position: place.position, id: dueId } }
  }
  if (!Delivery.isPending(delivery) || dueAt === null) return place
  const queue = isToHandler ? partitionId : ENDPOINTS
  return {
    ...place,
    work: { queue, dueAt, dueId, partitionId, subject: isToHandler ? WebhookEvent.iccid(event.payload) : null }
  }
}

// Entries without a day never grow old.
const ofUsage = (entry: UsageBook.Entry): Place => {
  const { attachmentId, countryAlpha2, day, iccid, organizationId } = entry
  const position = day ?? Number.MAX_SAFE_INTEGER
  const id = `${position} ${countryAlpha2 ?? ""} ${attachmentId} ${iccid}`
  return { organizationId, id, position, also: { list: usageOf(entry), position, id }, work: null }
}

/** What a SIM has that was stored before it could be paused, moved, tagged or bought. */
const former = { movedTo: null, moves: [], service: Sim.inService, tags: [], purchase: null } satisfies Partial<Sim.Sim>

/** A SIM as it is read: what it was stored without is added. */
export const supplied = (aggregate: Kinds["sim"]): Kinds["sim"] => {
  const { sim } = aggregate
  const isWhole = Object.keys(former).every((name) => Object.hasOwn(sim, name))
  return isWhole ? aggregate : { ...aggregate, sim: { ...former, ...sim } }
}

/**
 * A key as it is read, with its last use: one that was stored before secrets overlapped has none
 * before.
 */
export const withUse = (key: Kinds["apiKey"], use: Kinds["apiKeyUse"] | null): Kinds["apiKey"] => {
  const { previousHash = null, previousUntil = null }: Partial<Kinds["apiKey"]> = key
  return { ...key, previousHash, previousUntil, lastUsedAt: use?.at ?? null }
}

/** Where the row of a value is. */
export const placeOf: { readonly [K in Kind]: (value: Kinds[K]) => Place } = {
  organization: ({ createdAt, organizationId }) => ofService(organizationId, createdAt),
  operator: ofOperator,
  session: ({ endsAt, sessionId }) => ofService(sessionId, endsAt),
  sessionKey: () => ofService("", 0),
  apiKey: ofKey,
  formerKey: ({ hash }) => ofService(hash, 0),
  apiKeyUse: ({ apiKeyId, organizationId }) => ({ ...ofService(apiKeyId, 0), organizationId }),
  endpoint: ofEndpoint,
  handler: ({ name }) => ofService(name, 0),
  plan: created("planId"),
  region: created("coverageId"),
  catalogue: () => ofService("", 0),
  clock: () => ofService("", 0),
  probe: () => ofService("", 0),
  process: ({ beatAt, processId }) => ofService(processId, beatAt),
  sim: ofSim,
  smdpHistory: ({ iccid, organizationId }) => ({ ...ofService(iccid, 0), organizationId }),
  report: ({ organizationId, receivedAt, reportId }) => ({ ...ofService(reportId, receivedAt), organizationId }),
  usage: ofUsage,
  cost: ({ at, costId, organizationId }) => ({ ...ofService(costId, at), organizationId }),
  stockLevel: ({ label, organizationId }) => ({ ...ofService(label, 0), organizationId }),
  idempotencyRecord: created("key"),
  // By when it was settled: so it is purged. It is listed by when it was created.
  command: ({ commandId: id, createdAt, organizationId, settledAt }) => ({
    organizationId,
    id,
    position: settledAt ?? Number.MAX_SAFE_INTEGER,
    also: { list: commandsOf(organizationId), position: createdAt, id },
    work: null
  }),
  job: ofJob,
  awaitedPurchase: ({ jobId, organizationId }) => ({ ...ofService(jobId, 0), organizationId }),
  delivery: ofDelivery,
  auditEntry: created("entryId")
}
