/**
 * Orders packages exactly once from a system that knows no idempotency keys and no references.
 *
 * An order is written to the journal before the system is asked, with the packages that the SIM has by then; its outcome
 * is written after. `Decision` says what comes next, and the loops here carry it out. Whichever process calls again, after
 * a crash or an unknown outcome, continues from the journal. A package belongs to the order that has claimed it, so two
 * orders never share one, also when both are worked on at once. What a call without an answer makes late is found by
 * `Settlement` in the order's watch time.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Telco } from "simplan/ports"
import { type CallFailure, type Journal, SimLocks, PortFailure } from "../../telco-calls/index.ts"
import * as Api from "../api/Api.ts"
import { Settings, watchOf } from "../Settings.ts"
import * as Subscribers from "../Subscribers.ts"
import * as Templates from "../Templates.ts"
import * as Decision from "./Decision.ts"
import * as Ends from "./Ends.ts"
import * as Order from "./Order.ts"
import * as Settlement from "./Settlement.ts"
import type { Sighting } from "./Sighting.ts"
import * as SimBooks from "./SimBooks.ts"

type Port = Telco.Telco["Service"]

/** Packages of the OCS, each order exactly once. */
export class Orders extends Context.Service<
  Orders,
  Pick<Port, "createPackage" | "suspendPackage" | "cancelPackage"> & {
    /** Looks again at the orders that are due for it, at most `limit` of them, and tells of used duplicates. */
    readonly settle: Settlement.Settle
  }
>()("simplan/TelcoOcs/Orders") {}

const make = Effect.gen(function* () {
  const watch = watchOf(yield* Settings)
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks
  const subscribers = yield* Subscribers.Subscribers
  const templates = yield* Templates.Templates
  const books = yield* SimBooks.open
  const settle = yield* Settlement.make
  const ends = yield* Ends.make

  const put = Effect.fnUntraced(function* (key: string, iccid: string, kept: SimBooks.Kept, order: Order.Order) {
    const now = yield* Clock.currentTimeMillis
    const before = { order: kept.order, dueAt: kept.entry?.dueAt ?? null }
    return yield* books.put(key, iccid, kept, order, Decision.dueAfter(before, order, now, watch))
  })

  const look = (iccid: string) =>
    Effect.catchTag(books.look(iccid), "TelcoCalls.CallFailure", (failure) => Effect.fail(PortFailure.later(failure)))

  /** Makes a package the order's own. False: another order has it, or the order has changed meanwhile. */
  const take = Effect.fnUntraced(function* (key: string, iccid: string, kept: SimBooks.Kept, order: Order.Created) {
    if (!(yield* books.claim(order.id, key, iccid))) return false
    if ((yield* put(key, iccid, kept, order)) === null) {
      yield* leaveToSettle(key, iccid, order.id)
      return false
    }
    // The poller comes by in any case, only later.
    yield* Effect.ignore(subscribers.watch(iccid))
    return true
  })

  /** Where the order became final without this package, it is an extra: makes the order due at once. */
  const leaveToSettle = Effect.fnUntraced(function* (key: string, iccid: string, id: number) {
    const kept = yield* books.get(key)
    if (kept.order === null || kept.order._tag === "Open" || Order.idOf(kept.order) === id) return
    yield* books.put(key, iccid, kept, kept.order, yield* Clock.currentTimeMillis)
  })

  /** The order under another template, where the system has refused one that it has no longer; else null. */
  const renewed = Effect.fnUntraced(function* (terms: Telco.PackageOrder["terms"], order: Order.Open) {
    const { templateId, templateName } = order.asked
    const now = Option.getOrNull(yield* Effect.option(wantedOf(terms)))
    const isAnother = now !== null && now.templateName === templateName && now.templateId !== templateId
    return isAnother ? Decision.under(now.templateId, order) : null
  })

  /** Asks the system for a package, once. The failure, if the order stays open and is not to be asked for again at once. */
  const ask = Effect.fnUntraced(function* (
    { iccid, packageId, terms }: Telco.PackageOrder,
    before: SimBooks.Kept,
    order: Order.Open,
    held: SimLocks.Held,
    isFirst: boolean
  ) {
    yield* held.keep
    const kept = yield* put(packageId, iccid, before, order)
    if (kept === null) return null
    yield* held.check
    const { templateId, templateName, window } = order.asked
    const answer = yield* Effect.result(api.affectPackage({ iccid, templateId, window }))
    if (answer._tag === "Success") {
      const isTaken = yield* take(packageId, iccid, kept, Decision.created(order.asked, answer.success))
      return isTaken ? null : PortFailure.unavailable("Another call has gone on with this order", 1)
    }
    const { message } = answer.failure
    const outcome = answer.failure.outcome === "NotFound" ? "Refused" : answer.failure.outcome
    const now = yield* Clock.currentTimeMillis
    const failed = Decision.failed(order, outcome, message, now)
    if (outcome === "Refused") {
      yield* templates.forget(templateName)
      const again = isFirst ? yield* renewed(terms, order) : null
      yield* put(packageId, iccid, kept, again ?? failed)
      return null
    }
    yield* put(packageId, iccid, kept, failed)
    const failure = PortFailure.later(answer.failure)
    return outcome === "NotDone" ? yield* failure : failure
  })

  const create = Effect.fnUntraced(function* (order: Telco.PackageOrder, held: SimLocks.Held) {
    const { iccid, packageId, terms, window } = order
    let sighting: Sighting | null = null
    let failure: Telco.Unavailable | null = null
    let isFirst = true
    for (;;) {
      const kept = yield* books.get(packageId)
      const wanted = kept.order?.asked ?? { ...(yield* wantedOf(terms)), window }
      const now = yield* Clock.currentTimeMillis
      const decision = Decision.create(packageId, kept.order, sighting, wanted, failure !== null, now)
      switch (decision.next) {
        case "Look":
          sighting = yield* look(iccid)
          break
        case "Take":
          yield* take(packageId, iccid, kept, decision.order)
          sighting = null
          break
        case "Ask":
          failure = yield* ask(order, kept, decision.order, held, isFirst)
          isFirst = false
          sighting = null
          break
        case "Answer":
          return Order.packageOf(decision.order)
        case "Refuse":
          return yield* new Telco.Refused({ message: decision.message })
        case "GiveUp":
          return yield* failure ?? PortFailure.unavailable("The order's outcome is unknown", 1)
      }
    }
  })

  const wantedOf = (terms: Telco.PackageOrder["terms"]) =>
    Effect.map(templates.of(terms), ({ id, name }) => ({ templateId: id, templateName: name }))

  const cancel = Effect.fnUntraced(function* ({ iccid, packageId }: Telco.PackageRef) {
    let sighting: Sighting | null = null
    for (;;) {
      const kept = yield* books.get(packageId)
      const decision = Decision.cancel(packageId, kept.order, sighting)
      switch (decision.next) {
        case "Look":
          sighting = yield* look(iccid)
          break
        case "Spend":
          yield* put(packageId, iccid, kept, decision.order)
          break
        case "Delete":
          for (const id of decision.ids) yield* endCall(books.remove(id, packageId, iccid))
          yield* put(packageId, iccid, kept, decision.order)
          sighting = null
          break
        case "Done":
          return
      }
    }
  })

  const endCall = <A>(call: Effect.Effect<A, CallFailure.CallFailure | Telco.Unavailable>) =>
    Effect.catchTag(call, "TelcoCalls.CallFailure", (failure) => Effect.fail(PortFailure.of(failure)))

  const suspend = Effect.fnUntraced(function* ({ iccid, packageId }: Telco.PackageRef) {
    let sighting: Sighting | null = null
    for (;;) {
      const { entry, order } = yield* books.get(packageId)
      if (order?._tag === "Created") {
        return yield* endCall(PortFailure.unlessMissing(api.setPackageStatus(order.id, false)))
      }
      if (order?._tag !== "Open") return
      // An order without an outcome may have a package that can be suspended.
      const now = yield* Clock.currentTimeMillis
      const decision = Decision.create(packageId, order, sighting, order.asked, true, now)
      if (decision.next === "Look") sighting = yield* look(iccid)
      else if (decision.next === "Take") {
        yield* take(packageId, iccid, { entry, order }, decision.order)
        sighting = null
      } else return
    }
  })

  return Orders.of({
    createPackage: Effect.fn("Orders.createPackage")(function* (order) {
      // What is known needs no turn among the SIM's calls.
      const known = (yield* books.get(order.packageId)).order
      if (known?._tag === "Created") return Order.packageOf(known)
      return yield* locks.withLock(order.iccid, (held) => create(order, held))
    }),
    suspendPackage: Effect.fn("Orders.suspendPackage")((of) =>
      locks.withLock(of.iccid, () => ends.once("suspend", of, suspend(of)))
    ),
    cancelPackage: Effect.fn("Orders.cancelPackage")((of) =>
      locks.withLock(of.iccid, () => ends.once("cancel", of, cancel(of)))
    ),
    settle
  })
})

/** One for a process and an OCS: it keeps the SIMs' locks. */
export const layer: Layer.Layer<
  Orders,
  never,
  Api.Api | Journal.Journal | Settings | SimLocks.SimLocks | Subscribers.Subscribers | Templates.Templates
> = Layer.effect(Orders, make)
