/**
 * What the store has of one organization: its rows by id, and its lists in their order.
 */
import type {
  ApiKey,
  Attachment,
  Delivery,
  Idempotency,
  Label,
  Package,
  Plan,
  Region,
  Sim,
  SmdpHistory,
  Storage,
  Subscription,
  Time,
  WebhookEndpoint,
  WebhookEvent
} from "simplan"
import { Dated } from "./Dated.ts"
import { byCreation, byNumber } from "./Order.ts"
import { Queue } from "./Queue.ts"
import { type Order, SortedSet } from "./SortedSet.ts"

/** The place of an attachment: it is replaced as it changes, its packages change in place. */
export interface AttachmentPlace {
  attachment: Attachment.Attachment
  /** By occurrence, ascending. */
  readonly packages: Array<Package.Package>
  /** For each package, the latest expiry among it and those before it, so that what is over can be passed over. */
  readonly latestExpiries: Array<Time.Instant>
}

/** A SIM and the claim on it. */
export interface SimRow {
  readonly sim: Sim.Sim
  readonly lease: Storage.Lease | null
}

/** The place of a SIM: the row is replaced as the SIM changes. */
export interface SimPlace {
  row: SimRow
  /** Where it stands in the pools of its label; null where it is in none. */
  readonly entries: { -readonly [Purpose in keyof Pools]: PoolEntry | null }
  /** The pending or live one. */
  subscriptionId: string | null
}

export interface SubscriptionPlace {
  subscription: Subscription.Subscription
  readonly attachmentIds: SortedSet<Storage.CreatedCursor>
}

export interface DeliveryRow {
  readonly delivery: Delivery.Delivery
  readonly event: WebhookEvent.WebhookEvent
  readonly lease: Storage.Lease | null
}

/** A SIM in a pool, with what its place there depends on: what else changes about the SIM leaves the entry as it is. */
export interface PoolEntry {
  readonly place: SimPlace
  readonly serial: number
  readonly label: Label.Label
  readonly recycledAt: Time.Instant | null
  readonly lease: Storage.Lease | null
}

/** The eSIMs of one label that `claimSims` can give, for each purpose. */
export interface Pools {
  readonly subscription: Queue<PoolEntry>
  readonly "mobile plan": Queue<PoolEntry>
}

export interface Tenant {
  readonly apiKeys: Map<string, ApiKey.ApiKey>
  readonly endpoints: Map<string, WebhookEndpoint.WebhookEndpoint>
  readonly plans: Map<string, Plan.Plan>
  /** Without deleted ones. */
  readonly planList: SortedSet<Storage.CreatedCursor>
  readonly regions: Map<string, Region.Region>
  readonly regionList: SortedSet<Storage.CreatedCursor>
  readonly regionsByName: Map<string, Region.Region>
  readonly regionsByCountries: Map<string, Array<Region.Region>>
  /** By serial. */
  readonly sims: SortedSet<{ readonly serial: number; readonly place: SimPlace | null }>
  readonly pools: Map<Label.Label, Pools>
  readonly subscriptions: Map<string, SubscriptionPlace>
  /** Only live ones. */
  readonly subscriptionList: SortedSet<Storage.CreatedCursor>
  readonly attachments: Map<string, AttachmentPlace>
  readonly smdpEntries: Map<string, Array<SmdpHistory.Entry>>
  readonly deliveries: Map<string, DeliveryRow>
  readonly deliveryList: SortedSet<Storage.CreatedCursor>
  readonly seenReports: Dated<Time.Instant>
  readonly idempotency: Dated<Idempotency.IdempotencyRecord>
}

export const make = (): Tenant => ({
  apiKeys: new Map(),
  endpoints: new Map(),
  plans: new Map(),
  planList: new SortedSet(byCreation),
  regions: new Map(),
  regionList: new SortedSet(byCreation),
  regionsByName: new Map(),
  regionsByCountries: new Map(),
  sims: new SortedSet((left, right) => byNumber(left.serial, right.serial)),
  pools: new Map(),
  subscriptions: new Map(),
  subscriptionList: new SortedSet(byCreation),
  attachments: new Map(),
  smdpEntries: new Map(),
  deliveries: new Map(),
  deliveryList: new SortedSet(byCreation),
  seenReports: new Dated(),
  idempotency: new Dated()
})

const bySerial: Order<PoolEntry> = (left, right) => byNumber(left.serial, right.serial)

// Rule S2: never used ones first, then the longest recycled.
const byRecycling: Order<PoolEntry> = (left, right) =>
  byNumber(left.recycledAt ?? Number.NEGATIVE_INFINITY, right.recycledAt ?? Number.NEGATIVE_INFINITY) ||
  bySerial(left, right)

/** The order in which SIMs are given for each purpose. */
const orders: { readonly [Purpose in keyof Pools]: Order<PoolEntry> } = {
  subscription: byRecycling,
  "mobile plan": bySerial
}

export const makePools = (): Pools => ({
  subscription: new Queue(orders.subscription),
  "mobile plan": new Queue(orders["mobile plan"])
})

/** The same text for the same set of countries. */
export const countriesKey = (iso2List: ReadonlyArray<string>): string => [...new Set(iso2List)].sort().join(" ")
