/**
 * The journal of orders: the orders themselves, claims on packages, refused terminations, and with what the system lists the
 * snapshot of a SIM.
 *
 * A claim is an entry of the kind `package-id` with the package's id as its key, so a package is one order's at most,
 * whichever processes reach for it at once. A package is claimed before it is taken for an order's own, and before it is
 * deleted as an extra.
 */
import { Clock, Effect, Schema } from "effect"
import { Telco } from "simplan/ports"
import { Journal, CallFailure } from "../../telco-calls/index.ts"
import * as Api from "../api/Api.ts"
import { Settings } from "../Settings.ts"
import * as Order from "./Order.ts"
import type { Snapshot } from "./Snapshot.ts"

const CLAIM = "package-id"

const Claim = Schema.Struct({ order: Schema.String })

const decodeClaim = Schema.decodeUnknownEffect(Claim)

const foreign = (): Telco.Unavailable =>
  CallFailure.unavailable("The journal of the telco's calls has an entry of another form")

/** An order with its entry, which is null if it is new. */
export interface Kept {
  readonly entry: Journal.Entry | null
  readonly order: Order.Order | null
}

export const open = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal
  const api = yield* Api.Api

  const orderOf = (entry: Journal.Entry) => Effect.mapError(Order.decode(entry.document), foreign)
  const claimOf = (entry: Journal.Entry) =>
    Effect.mapBoth(decodeClaim(entry.document), { onSuccess: ({ order }) => order, onFailure: foreign })

  const get = Effect.fnUntraced(function* (key: string) {
    const entry = yield* CallFailure.ofJournal(journal.get({ telco, kind: Order.KIND, key }))
    const kept: Kept = { entry, order: entry === null ? null : yield* orderOf(entry) }
    return kept
  })

  /** Writes the next state of an order; null: somebody else has changed it since it was read. */
  const put = (
    key: string,
    iccid: string,
    { entry }: Kept,
    order: Order.Order,
    dueAt: number | null
  ): Effect.Effect<Kept | null, Telco.Unavailable> => {
    const next = { telco, kind: Order.KIND, key, iccid, dueAt, ...Order.toEntry(order) }
    const written = entry === null ? journal.add(next) : journal.replace({ ...next, version: entry.version })
    return Effect.map(CallFailure.ofJournal(written), (now) => (now === null ? null : { entry: now, order }))
  }

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

  /** Lists first and reads then, which `Snapshot` says the reason for. */
  const observe = Effect.fnUntraced(function* (iccid: string) {
    const at = yield* Clock.currentTimeMillis
    // A subscriber that is not there has no packages.
    const packages = yield* Effect.catchIf(
      api.packages(iccid),
      ({ outcome }) => outcome === "NotFound",
      () => Effect.succeed([])
    )
    const orders = new Map<string, Order.Order>()
    for (const entry of yield* CallFailure.ofJournal(journal.ofSim({ telco, kind: Order.KIND, iccid }))) {
      orders.set(entry.key, yield* orderOf(entry))
    }
    const claims = new Map<number, string>()
    for (const entry of yield* CallFailure.ofJournal(journal.ofSim({ telco, kind: CLAIM, iccid }))) {
      claims.set(Number(entry.key), yield* claimOf(entry))
    }
    const snapshot: Snapshot = { at, packages, orders, claims }
    return snapshot
  })

  /** The order that has claimed a package; null where none has, or where the journal has lost it. */
  const claimant = Effect.fnUntraced(function* (id: number) {
    const held = yield* CallFailure.ofJournal(journal.get({ telco, kind: CLAIM, key: String(id) }))
    return held === null ? null : (yield* get(yield* claimOf(held))).order
  })

  /**
   * Deletes a package that is an order's to delete, unless another order has claimed it meanwhile that is not final. The
   * call is repeated where a package is there no longer.
   */
  const remove = Effect.fnUntraced(function* (id: number, key: string, iccid: string) {
    if (!(yield* claim(id, key, iccid))) {
      const owner = yield* claimant(id)
      if (owner === null || owner._tag === "Open" || Order.idOf(owner) === id) return
    }
    yield* CallFailure.unlessMissing(api.deletePackage(id))
  })

  return { get, put, claim, claimant, observe, remove }
})

export type OrderJournal = Effect.Success<typeof open>

const Refusal = Schema.Struct({ message: Schema.String })

const decodeRefusal = Schema.decodeUnknownEffect(Refusal)

/**
 * Refused ends of packages, so that a suspension or cancellation stays refused by its key (rule S6). Others are not kept:
 * they may be repeated.
 */
export const refusedTerminations = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal

  return {
    /** Ends a package, unless that was refused under the same key. */
    once: Effect.fnUntraced(function* (
      operation: "suspend" | "cancel",
      { iccid, key, packageId }: Telco.PackageRef,
      end: Effect.Effect<void, CallFailure.TelcoFailure>
    ) {
      const place = { telco, kind: Journal.END, key: `${operation}/${key ?? packageId}` }
      const entry = yield* CallFailure.ofJournal(journal.get(place))
      if (entry !== null) {
        const { message } = yield* Effect.mapError(decodeRefusal(entry.document), () =>
          CallFailure.unavailable("The refusal's entry has another form")
        )
        return yield* new Telco.Refused({ message })
      }
      return yield* Effect.tapErrorTag(end, "Telco.Refused", ({ message }) =>
        CallFailure.ofJournal(journal.add({ ...place, iccid, externalId: null, document: { message }, dueAt: null }))
      )
    })
  }
})
