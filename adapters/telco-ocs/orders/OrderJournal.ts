/**
 * What the journal keeps of orders: the orders themselves, under the kind `package` with the
 * package's id as the key, claims on packages, and refused terminations.
 *
 * `Open` was asked for, or was about to be, and its outcome is not known for certain. The other
 * states of an order are final: a `Created` order may only become `Cancelled`.
 *
 * The write that makes an order `Created` has its SIM polled: the SIM's entry is due by it, so that
 * no SIM has a package that nobody polls.
 *
 * A claim is an entry of the kind `package-id` with the package's id as its key, so a package is
 * one order's at most, whichever processes reach for it at once. A package is claimed before it is
 * taken for an order's own, and before it is deleted as an extra.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Allowance, type Telco } from "simplan/ports"
import { CallFailure, CallRecords, Journal } from "../../telco-calls/index.ts"
import * as Api from "../api/Api.ts"
import { Settings } from "../Settings.ts"
import * as Subscribers from "../Subscribers.ts"

export const KIND = "package"

/** Machine time in milliseconds. */
const Millis = Schema.Finite

/** What was asked for, and when; and at which thresholds of its usage an event may fire. */
export const Asked = Schema.Struct({
  templateId: Schema.Finite,
  templateName: Schema.String,
  /** In percent; of an order that was made before they were kept, the default ones. */
  thresholds: Schema.Array(Schema.Finite).pipe(Schema.withDecodingDefaultKey(Effect.succeed(Allowance.thresholds))),
  /** Null: from the first use. */
  window: Schema.NullOr(Schema.Struct({ start: Millis, end: Millis })),
  /** The ids of the packages that the subscriber had before it was first asked for. */
  before: Schema.Array(Schema.Finite),
  firstAt: Millis,
  /** When it was last asked for, or when the last call without an answer was given up. */
  lastAt: Millis,
  /** How many of the calls have no known outcome. */
  uncertain: Schema.Finite,
  /**
   * The zone that the window was written in, while nothing has proved that the system reads it so:
   * what came of the calls may have other times. Null: proved for each call, or there is no window.
   */
  trialZone: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})

export type Asked = typeof Asked.Type

/**
 * What was used of it when it was last listed for an operator as kept, since its creation is undone
 * (rule S5). Absent: never.
 */
const reviewedBytes = Schema.optionalKey(Schema.Finite)

export const Order = Schema.TaggedUnion({
  Open: { asked: Asked },
  Created: {
    asked: Asked,
    /** The system's id. */
    id: Schema.Finite,
    activationAt: Schema.NullOr(Millis),
    expirationAt: Schema.NullOr(Millis),
    reviewedBytes
  },
  Refused: { asked: Asked, message: Schema.String },
  Cancelled: {
    /** Null: it was never asked for. */
    asked: Schema.NullOr(Asked),
    id: Schema.NullOr(Schema.Finite),
    /** Whether the system has confirmed that what was there is deleted. */
    confirmed: Schema.Boolean,
    reviewedBytes
  }
})

export type Order = typeof Order.Type
export type Open = Extract<Order, { readonly _tag: "Open" }>
export type Created = Extract<Order, { readonly _tag: "Created" }>
export type Cancelled = Extract<Order, { readonly _tag: "Cancelled" }>

const decode = Schema.decodeUnknownEffect(Order)

/** The order in an entry of this kind, for readers that can do without it. */
export const decodeOption = Schema.decodeUnknownOption(Order)

const encode = Schema.encodeSync(Order)

/** The system's id of the order's package, if it has one that is known. */
export const idOf = (order: Order): number | null =>
  order._tag === "Created" || order._tag === "Cancelled" ? order.id : null

/**
 * What an operator reads that is used of a package which is kept although its creation is undone;
 * null: nothing.
 */
export const reviewedBytesOf = (order: Order | undefined): number | null =>
  order?._tag === "Created" || order?._tag === "Cancelled" ? (order.reviewedBytes ?? null) : null

/** The parts of an entry that an order makes up. */
const toEntry = (order: Order): Pick<Journal.Entry, "document" | "externalId"> => {
  const id = idOf(order)
  return { document: encode(order), externalId: id === null ? null : String(id) }
}

export const packageOf = ({ activationAt, expirationAt, id }: Created): Telco.TelcoPackage => ({
  telcoPackageId: String(id),
  activationAt,
  expirationAt
})

/**
 * Remembers how much an operator reads that is used of a package which is kept although its
 * creation is undone. An order that another process changes meanwhile stays as that leaves it: the
 * package is listed again.
 */
export const review = Effect.fnUntraced(function* (
  journal: Journal.Journal["Service"],
  place: Omit<Journal.Place, "kind">,
  usedBytes: number
) {
  const entry = yield* journal.get({ ...place, kind: KIND })
  const order = Option.getOrUndefined(decodeOption(entry?.document))
  if (entry === null || (order?._tag !== "Created" && order?._tag !== "Cancelled")) return
  if (order.reviewedBytes === usedBytes) return
  yield* journal.replace({ ...entry, document: encode({ ...order, reviewedBytes: usedBytes }) })
})

/** What is there of a SIM at one moment. */
export interface Snapshot {
  /** Machine time at which the packages were asked for. */
  readonly at: number
  readonly packages: ReadonlyArray<Api.SubscriberPackage>
  /** The orders of the SIM, by their keys. */
  readonly orders: ReadonlyMap<string, Order>
  /** Who has claimed a package: the key of its order, by the package's id. */
  readonly claims: ReadonlyMap<number, string>
}

const CLAIM = "package-id"

const Claim = Schema.Struct({ order: Schema.String })

const decodeClaim = Schema.decodeUnknownEffect(Claim)

const foreign = (): Telco.Unavailable =>
  CallFailure.unavailable("The journal of the telco's calls has an entry of another form")

/** An order with its entry, which is null if it is new. */
export interface Kept {
  readonly entry: Journal.Entry | null
  readonly order: Order | null
}

export const open = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api

  const orderOf = (entry: Journal.Entry) => Effect.mapError(decode(entry.document), foreign)
  const claimOf = (entry: Journal.Entry) =>
    Effect.mapBoth(decodeClaim(entry.document), { onSuccess: ({ order }) => order, onFailure: foreign })

  const get = Effect.fnUntraced(function* (key: string) {
    const entry = yield* CallFailure.ofJournal(journal.get({ telco, kind: KIND, key }))
    const kept: Kept = { entry, order: entry === null ? null : yield* orderOf(entry) }
    return kept
  })

  /** Writes the next state of an order; null: somebody else has changed it since it was read. */
  const put = Effect.fnUntraced(function* (
    key: string,
    iccid: string,
    { entry, order: before }: Kept,
    order: Order,
    dueAt: number | null
  ) {
    const next = { telco, kind: KIND, key, iccid, dueAt, ...toEntry(order) }
    const isMade = order._tag === "Created" && before?._tag !== "Created"
    const polled = { telco, kind: Subscribers.KIND, key: iccid, iccid, dueAt: yield* Clock.currentTimeMillis }
    const also = isMade ? polled : undefined
    const written = yield* CallFailure.ofJournal(Journal.write(journal, entry, next, also))
    return written === null ? null : ({ entry: written, order } satisfies Kept)
  })

  /** Claims a package for an order. True: the order has the claim, now or from before. */
  const claim = Effect.fnUntraced(function* (id: number, key: string, iccid: string) {
    const place = { telco, kind: CLAIM, key: String(id) }
    const added = yield* CallFailure.ofJournal(
      journal.add({ ...place, iccid, externalId: null, document: { order: key }, dueAt: null })
    )
    if (added !== null) return true
    const held = yield* CallFailure.ofJournal(journal.get(place))
    return held !== null && (yield* claimOf(held)) === key
  })

  /**
   * Lists the packages first, and reads the orders and claims then. So the order of any package
   * that the adapter has asked for is among those that were read, whoever asks at the same moment.
   */
  const observe = Effect.fnUntraced(function* (iccid: string) {
    const at = yield* Clock.currentTimeMillis
    // A subscriber that is not there has no packages.
    const packages = yield* Effect.catchIf(
      api.packages(iccid),
      ({ outcome }) => outcome === "NotFound",
      () => Effect.succeed([])
    )
    const orders = new Map<string, Order>()
    for (const entry of yield* CallFailure.ofJournal(journal.ofSim({ telco, kind: KIND, iccid }))) {
      orders.set(entry.key, yield* orderOf(entry))
    }
    const claims = new Map<number, string>()
    for (const entry of yield* CallFailure.ofJournal(journal.ofSim({ telco, kind: CLAIM, iccid }))) {
      claims.set(Number(entry.key), yield* claimOf(entry))
    }
    const snapshot: Snapshot = { at, packages, orders, claims }
    return snapshot
  })

  /**
   * The order that has claimed a package; null if none has, or if the journal has lost it.
   */
  const claimant = Effect.fnUntraced(function* (id: number) {
    const held = yield* CallFailure.ofJournal(journal.get({ telco, kind: CLAIM, key: String(id) }))
    return held === null ? null : (yield* get(yield* claimOf(held))).order
  })

  /**
   * Deletes a package that is an order's to delete, unless another order has claimed it meanwhile
   * that is not final. The call is repeated if a package is there no longer.
   */
  const remove = Effect.fnUntraced(function* (id: number, key: string, iccid: string) {
    if (!(yield* claim(id, key, iccid))) {
      const owner = yield* claimant(id)
      if (owner === null || owner._tag === "Open" || idOf(owner) === id) return
    }
    yield* CallFailure.unlessMissing(api.deletePackage(id))
  })

  return { get, put, claim, claimant, observe, remove }
})

/**
 * The ends of packages. A suspension or cancellation that was refused stays refused by its key
 * (rule S6); others may be repeated.
 */
export const terminations = Effect.gen(function* () {
  const { telco } = yield* Settings
  const records = CallRecords.make(yield* Journal.Journal, { telco, kind: Journal.END }, CallRecords.Once)
  return (
    operation: "suspend" | "cancel",
    { iccid, key, packageId }: Telco.PackageRef,
    end: Effect.Effect<void, CallFailure.TelcoFailure>
  ) =>
    Effect.flatMap(records.open(`${operation}/${key ?? packageId}`, iccid), (record) =>
      CallRecords.once(record, end, { isRepeatable: true })
    )
})
