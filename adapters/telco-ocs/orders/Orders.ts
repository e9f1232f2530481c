/**
 * Orders packages exactly once from a system that knows no idempotency keys and no references.
 *
 * An order is written to the journal before the system is asked, with the packages that the SIM has
 * by then; its outcome is written after. `Decision` says what comes next, and the loops here carry
 * it out. Whichever process calls again, after a crash or an unknown outcome, continues from the
 * journal. A package belongs to the order that has claimed it, so two orders never share one, also
 * when both are worked on at once. What a call without an answer makes late is found by
 * `Settlement` in the order's watch time.
 *
 * Packages of simplan's templates that no order of the journal has are listed by names of their
 * own, `<telco>/<id>`, and can be cancelled by them: a SIM that is sold again must not have them
 * (rule S5).
 */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import type { Sims } from "simplan"
import { Allowance, Telco } from "simplan/ports"
import { CallFailure, Journal, SimLocks } from "../../telco-calls/index.ts"
import * as Api from "../api/Api.ts"
import { Settings } from "../Settings.ts"
import * as Templates from "../Templates.ts"
import type * as Zones from "../Zones.ts"
import * as Decision from "./Decision.ts"
import * as OrderJournal from "./OrderJournal.ts"
import * as Settlement from "./Settlement.ts"
import * as ZoneProof from "./ZoneProof.ts"

type Port = Telco.Telco["Service"]

/** In milliseconds: how soon a package is searched again that is not in the lists yet. */
const PAUSE = 1_000

const wording = ({ id, templateName, usedBytes }: Api.SubscriberPackage): string =>
  `${id} (${JSON.stringify(templateName)}, ${usedBytes} bytes used)`

/** Packages of the OCS, each order exactly once. */
export class Orders extends Context.Service<
  Orders,
  Pick<Port, "createPackage" | "suspendPackage" | "cancelPackage"> & {
    /** The packages of simplan's templates that a SIM has, and orders that may still make one. */
    readonly listPackages: NonNullable<Port["listPackages"]>
    /**
     * What a SIM has that nobody has, and whether orders that were cancelled explain all of it
     * (rule S5).
     */
    readonly listStock: (of: { readonly iccid: string }) => Effect.Effect<Sims.ListedInStock, CallFailure.TelcoFailure>
    /**
     * Settles the orders that are due for it, at most `limit` of them, and reports used duplicates.
     */
    readonly settle: Settlement.Settle
    /** Why no package with a window is ordered now; null: they are. */
    readonly disproof: Effect.Effect<ZoneProof.Disproof | null, Telco.Unavailable>
  }
>()("simplan/TelcoOcs/Orders") {}

const make = Effect.gen(function* () {
  const { listLag: lag, telco, timeZone, watch } = yield* Settings
  const zone = DateTime.zoneMakeNamedUnsafe(timeZone)
  const api = yield* Api.Api
  const locks = yield* SimLocks.SimLocks
  const templates = yield* Templates.make
  const journal = yield* Journal.Journal
  const orderJournal = yield* OrderJournal.open
  const settle = yield* Settlement.make
  const terminate = yield* OrderJournal.terminations
  const proof = yield* ZoneProof.open

  const put = Effect.fnUntraced(function* (
    key: string,
    iccid: string,
    kept: OrderJournal.Kept,
    order: OrderJournal.Order
  ) {
    const now = yield* Clock.currentTimeMillis
    const before = { order: kept.order, dueAt: kept.entry?.dueAt ?? null }
    return yield* orderJournal.put(key, iccid, kept, order, Decision.dueAfter(before, order, now, watch))
  })

  /** A call that is made again later, whatever came of it. */
  const later = <A>(call: Effect.Effect<A, CallFailure.CallFailure | Telco.Unavailable>) =>
    Effect.catchTag(call, "TelcoCalls.CallFailure", (failure) => Effect.fail(CallFailure.later(failure)))

  const observe = (iccid: string) => later(orderJournal.observe(iccid))

  /**
   * Makes a package the order's own. False: another order has it, or the order has changed
   * meanwhile.
   */
  const take = Effect.fnUntraced(function* (
    key: string,
    iccid: string,
    kept: OrderJournal.Kept,
    order: OrderJournal.Created
  ) {
    if (!(yield* orderJournal.claim(order.id, key, iccid))) return false
    if ((yield* put(key, iccid, kept, order)) === null) {
      yield* leaveToSettle(key, iccid, order.id)
      return false
    }
    return true
  })

  /**
   * If the order became final without this package, it is an extra: makes the order due at once.
   */
  const leaveToSettle = Effect.fnUntraced(function* (key: string, iccid: string, id: number) {
    const kept = yield* orderJournal.get(key)
    if (kept.order === null || kept.order._tag === "Open" || OrderJournal.idOf(kept.order) === id) return
    yield* orderJournal.put(key, iccid, kept, kept.order, yield* Clock.currentTimeMillis)
  })

  /**
   * The order under another template, if the system has refused one that it has no longer; else
   * null. Fails if the templates cannot be read now: a refusal is for good.
   */
  const renewed = Effect.fnUntraced(function* (terms: Telco.PackageOrder["terms"], order: OrderJournal.Open) {
    const { templateId, templateName } = order.asked
    // Failure: there is no other template: the first refusal stands.
    const now = yield* Effect.catchTag(templateOf(terms), "Telco.Refused", () => Effect.succeed(null))
    const isAnother = now !== null && now.templateName === templateName && now.templateId !== templateId
    return isAnother ? Decision.under(now.templateId, order) : null
  })

  /**
   * Asks the system for a package, once. The number of the package, if a list has to show first
   * that its times are right; the failure, if the order stays open and is not to be asked for again
   * at once.
   */
  const ask = Effect.fnUntraced(function* (
    { iccid, packageId, terms }: Telco.PackageOrder,
    before: OrderJournal.Kept,
    order: OrderJournal.Open,
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
      if (order.asked.trialZone !== null) {
        yield* orderJournal.claim(answer.success, packageId, iccid)
        return answer.success
      }
      const isTaken = yield* take(packageId, iccid, kept, Decision.created(order.asked, answer.success))
      return isTaken ? null : CallFailure.unavailable("Another call has gone on with this order", 1)
    }
    const { message } = answer.failure
    const outcome = answer.failure.outcome === "NotFound" ? "Refused" : answer.failure.outcome
    const now = yield* Clock.currentTimeMillis
    const failed = Decision.failed(order, outcome, message, now)
    if (outcome === "Refused") {
      yield* templates.forget(templateName)
      const unrefused = put(packageId, iccid, kept, Decision.failed(order, "NotDone", message, now))
      const again = isFirst ? yield* Effect.tapError(renewed(terms, order), () => unrefused) : null
      yield* put(packageId, iccid, kept, again ?? failed)
      return null
    }
    yield* put(packageId, iccid, kept, failed)
    const failure = CallFailure.later(answer.failure)
    return outcome === "NotDone" ? yield* failure : failure
  })

  const create = Effect.fnUntraced(function* (order: Telco.PackageOrder, held: SimLocks.Held) {
    const { iccid, packageId } = order
    let snapshot: OrderJournal.Snapshot | null = null
    let failure: Telco.Unavailable | null = null
    let answered: number | null = null
    let isFirst = true
    for (;;) {
      const kept = yield* orderJournal.get(packageId)
      const wanted = yield* wantedOf(order, kept.order)
      const now = yield* Clock.currentTimeMillis
      const known = { hasAsked: failure !== null, answered, lag, now }
      const decision = Decision.create(packageId, kept.order, snapshot, wanted, known)
      switch (decision.next) {
        case "Observe":
          snapshot = yield* observe(iccid)
          break
        case "Wait":
          if (answered === null) return yield* behind(decision.until, now)
          yield* Effect.sleep(PAUSE)
          snapshot = null
          break
        case "Take":
          if (decision.isProof && kept.order?.asked?.trialZone === timeZone) yield* proof.prove(decision.order.asked)
          yield* take(packageId, iccid, kept, decision.order)
          snapshot = null
          break
        case "Withdraw":
          return yield* withdraw(order, kept, decision)
        case "Ask": {
          if (kept.order === null && snapshot !== null) yield* checkOthers(order, snapshot, now)
          const disproof = decision.order.asked.window === null ? null : yield* proof.disproof
          if (disproof !== null) return yield* CallFailure.unavailable(disproof.message)
          const asked = yield* ask(order, kept, decision.order, held, isFirst)
          if (typeof asked === "number") answered = asked
          else failure = asked
          isFirst = false
          snapshot = null
          break
        }
        case "Answer":
          return OrderJournal.packageOf(decision.order)
        case "Refuse":
          return yield* new Telco.Refused({ message: decision.message })
        case "GiveUp":
          return yield* failure ?? CallFailure.unavailable("The order's outcome is unknown", 1)
      }
    }
  })

  /**
   * Rule S5: refuses the first order of a SIM that was free if the list shows packages that
   * nobody here has.
   */
  const checkOthers = Effect.fnUntraced(function* (
    { iccid, onlyAttachments }: Telco.PackageOrder,
    snapshot: OrderJournal.Snapshot,
    now: number
  ) {
    if (onlyAttachments === undefined) return
    const found = Decision.others(snapshot, { attachments: onlyAttachments, watch, now })
    if (found.length === 0) return
    const message = `${telco} has packages on ${iccid} that no subscription here has: ${found.map(wording).join("; ")}`
    return yield* new Telco.Refused({ message, occupiedBy: found.map(nameIn(snapshot)) })
  })

  /** What an order asks for that is not asked for yet, and in which zone on trial. */
  const wantedOf = Effect.fnUntraced(function* (
    { terms, window }: Telco.PackageOrder,
    order: OrderJournal.Order | null
  ) {
    const template = order?.asked ?? (yield* templateOf(terms))
    const thresholds = Allowance.eventThresholds(terms)
    const asked = order === null ? window : (order.asked?.window ?? null)
    if (asked === null) return { ...template, thresholds, window: null, trialZone: null }
    const writable = ZoneProof.writable(asked, zone)
    return { ...template, thresholds, window: writable, trialZone: (yield* proof.covers(writable)) ? null : timeZone }
  })

  /** A list may not yet show what a call has done that was made a moment ago. */
  const behind = (until: number, now: number) =>
    CallFailure.unavailable("The outcome of the last call is not in the lists yet", Math.ceil((until - now) / 1_000))

  /**
   * Deletes packages with the times of another zone. They say what the settings have to name, if it
   * was theirs.
   */
  const withdraw = Effect.fnUntraced(function* (
    { iccid, packageId }: Telco.PackageOrder,
    kept: OrderJournal.Kept,
    { order, packages }: Extract<Decision.Create, { readonly next: "Withdraw" }>
  ) {
    const { trialZone, window } = order.asked
    const [first] = packages
    const message =
      trialZone === timeZone && window !== null && first !== undefined
        ? yield* proof.disprove(iccid, window, first)
        : null
    for (const { id } of packages) yield* later(orderJournal.remove(id, packageId, iccid))
    yield* put(packageId, iccid, kept, order)
    return yield* CallFailure.unavailable(message ?? "A package with other times than were ordered is deleted", 1)
  })

  const templateOf = (terms: Telco.PackageOrder["terms"]) =>
    Effect.map(templates.of(terms), ({ id, name }) => ({ templateId: id, templateName: name }))

  const cancel = Effect.fnUntraced(function* ({ iccid, packageId }: Telco.PackageRef) {
    let snapshot: OrderJournal.Snapshot | null = null
    for (;;) {
      const kept = yield* orderJournal.get(packageId)
      const decision = Decision.cancel(packageId, kept.order, snapshot, lag, watch)
      switch (decision.next) {
        case "Observe":
          snapshot = yield* observe(iccid)
          break
        case "Wait":
          return yield* behind(decision.until, yield* Clock.currentTimeMillis)
        case "Spend":
          yield* put(packageId, iccid, kept, decision.order)
          break
        case "Delete":
          for (const id of decision.ids) yield* endCall(orderJournal.remove(id, packageId, iccid))
          yield* put(packageId, iccid, kept, decision.order)
          snapshot = null
          break
        case "Done":
          return
      }
    }
  })

  const endCall = <A>(call: Effect.Effect<A, CallFailure.CallFailure | Telco.Unavailable>) =>
    Effect.catchTag(call, "TelcoCalls.CallFailure", (failure) => Effect.fail(CallFailure.toPort(failure)))

  /** What a package is called by `listPackages`. */
  const nameIn =
    ({ orders }: OrderJournal.Snapshot) =>
    ({ id }: Api.SubscriberPackage): string =>
      [...orders].find(([, order]) => OrderJournal.idOf(order) === id)?.[0] ?? `${telco}/${id}`

  const namesIn = ({ orders, packages }: OrderJournal.Snapshot, now: number) => {
    const isOver = ({ expirationAt }: Api.SubscriberPackage) => expirationAt !== null && expirationAt + watch <= now
    const left = new Map(packages.filter((one) => !isOver(one)).map((one) => [one.id, one]))
    const keys: Array<string> = []
    for (const [key, order] of orders) {
      // What was deleted may be listed a moment longer, and what was made may not be listed yet.
      const isThere =
        order._tag === "Open" ||
        (order._tag === "Cancelled" && !order.confirmed) ||
        (order._tag === "Created" && (left.has(order.id) || now - order.asked.lastAt < watch))
      if (!isThere) continue
      keys.push(key)
      left.delete(OrderJournal.idOf(order) ?? 0)
    }
    const unowned = [...left.values()].filter(Templates.isOurs).map(({ id }) => `${telco}/${id}`)
    return [...keys, ...unowned]
  }

  const listPackages = Effect.fn("Orders.listPackages")(function* ({ iccid, onlyAttachments }: Telco.Listing) {
    const snapshot = yield* observe(iccid)
    const now = yield* Clock.currentTimeMillis
    if (onlyAttachments === undefined) return namesIn(snapshot, now)
    return Decision.others(snapshot, { attachments: onlyAttachments, watch, now }).map(nameIn(snapshot))
  })

  const listStock = Effect.fn("Orders.listStock")(function* ({ iccid }: { readonly iccid: string }) {
    const snapshot = yield* observe(iccid)
    const now = yield* Clock.currentTimeMillis
    const areOrdered = Decision.others(snapshot, { attachments: [], watch, now }).length === 0
    return { packageIds: namesIn(snapshot, now), areOrdered }
  })

  /** The system's id in a name of `listPackages`; null: it is the key of an order. */
  const listedId = (packageId: string): number | null => {
    const [, id] = packageId.startsWith(`${telco}/`) ? (/\/(\d+)$/.exec(packageId) ?? []) : []
    return id === undefined ? null : Number(id)
  }

  /**
   * Deletes a package that no order has, or whose order was cancelled. One that is used is refused,
   * unless an operator has said that it goes: who has assigned it, and to whom, is an operator's to
   * find out.
   */
  const removeListed = Effect.fnUntraced(function* (id: number, { iccid, isConfirmed, packageId }: Telco.PackageRef) {
    const { orders, packages } = yield* observe(iccid)
    const own = packages.find((listed) => listed.id === id)
    if (own === undefined || !Templates.isOurs(own)) return
    const owner = [...orders.values()].find((order) => OrderJournal.idOf(order) === id)
    if (owner === undefined && own.usedBytes > 0 && isConfirmed === undefined) {
      const message = `Package ${id} at ${telco} is of no order of simplan's, and ${own.usedBytes} bytes of it are used`
      return yield* new Telco.Refused({ message: `${message}: delete it at ${telco}` })
    }
    const claimant = (yield* orderJournal.claim(id, packageId, iccid)) ? null : yield* orderJournal.claimant(id)
    if (claimant?._tag === "Open" || owner?._tag === "Created") {
      return yield* CallFailure.unavailable(`An order has taken package ${id} meanwhile`, 1)
    }
    yield* endCall(CallFailure.unlessMissing(api.deletePackage(id)))
  })

  /**
   * Takes a package for an open order that may be its own, if a list shows one. The order that is
   * there then.
   */
  const adopted = Effect.fnUntraced(function* ({ iccid, packageId }: Telco.PackageRef) {
    let snapshot: OrderJournal.Snapshot | null = null
    for (;;) {
      const kept = yield* orderJournal.get(packageId)
      if (kept.order?._tag !== "Open") return kept.order
      const now = yield* Clock.currentTimeMillis
      const known = { hasAsked: true, answered: null, lag, now }
      const decision = Decision.create(packageId, kept.order, snapshot, kept.order.asked, known)
      if (decision.next === "Observe") snapshot = yield* observe(iccid)
      else if (decision.next === "Take") {
        yield* take(packageId, iccid, kept, decision.order)
        snapshot = null
      } else return kept.order
    }
  })

  const suspend = Effect.fnUntraced(function* (of: Telco.PackageRef) {
    const order = yield* adopted(of)
    if (order?._tag === "Created") yield* endCall(CallFailure.unlessMissing(api.setPackageStatus(order.id, false)))
  })

  /**
   * Rule S5: refuses the end of a package whose creation is undone if it was used, and keeps it:
   * its order has it, and what was used of it by then, so that the comparison of both books lists
   * it once more is used.
   */
  const refuseUsed = Effect.fnUntraced(function* (of: Telco.PackageRef) {
    const order = yield* adopted(of)
    const id = order === null ? null : OrderJournal.idOf(order)
    if (id === null || (order?._tag === "Cancelled" && order.confirmed)) return
    const { packages } = yield* observe(of.iccid)
    const usedBytes = packages.find((one) => one.id === id)?.usedBytes ?? 0
    if (usedBytes === 0) return
    yield* CallFailure.ofJournal(OrderJournal.review(journal, { telco, key: of.packageId }, usedBytes))
    const message = `The creation of package ${id} at ${telco} is undone, and ${usedBytes} bytes of it are used: it is kept`
    return yield* new Telco.Refused({ message: `${message}. A retry cancels it, a resolution leaves it` })
  })

  const end = Effect.fnUntraced(function* (of: Telco.PackageRef) {
    const id = listedId(of.packageId)
    return yield* id === null ? cancel(of) : removeListed(id, of)
  })

  /**
   * What failed before the order was written to the journal has asked the system for nothing
   * (rule S5).
   */
  const withoutOrder = (packageId: string, failure: Telco.Unavailable) =>
    Effect.flatMap(orderJournal.get(packageId), ({ order }) =>
      Effect.fail(order === null ? CallFailure.notDone(failure) : failure)
    )

  return Orders.of({
    listPackages,
    listStock,
    createPackage: Effect.fn("Orders.createPackage")(function* (order) {
      // What is known needs no turn among the SIM's calls.
      const known = (yield* orderJournal.get(order.packageId)).order
      if (known?._tag === "Created") return OrderJournal.packageOf(known)
      return yield* Effect.catchTag(
        locks.withLock(order.iccid, (held) => create(order, held)),
        "Telco.Unavailable",
        (failure) => withoutOrder(order.packageId, failure)
      )
    }),
    suspendPackage: Effect.fn("Orders.suspendPackage")((of) =>
      locks.withLock(of.iccid, () => terminate("suspend", of, suspend(of)))
    ),
    cancelPackage: Effect.fn("Orders.cancelPackage")((of) =>
      locks.withLock(of.iccid, () =>
        // Not one of the refusals that are kept: whether it is used is asked each time.
        Effect.andThen(of.isUndone === true ? refuseUsed(of) : Effect.void, terminate("cancel", of, end(of)))
      )
    ),
    settle,
    disproof: proof.disproof
  })
})

/** One for a process and an OCS: it keeps the SIMs' locks. */
export const layer: Layer.Layer<Orders, never, Api.Api | Journal.Journal | Settings | SimLocks.SimLocks | Zones.Zones> =
  Layer.effect(Orders, make)
