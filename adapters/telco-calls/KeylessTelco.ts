/**
 * The telco port over a system that knows no idempotency keys, by the journal: each call is written
 * down before the system is asked, and its outcome after it. Whoever repeats the call finds both.
 *
 * An order whose outcome is unknown is searched for on its SIM: the system's name of the order if
 * it keeps one, else a package that was not there before the order and is no other order's. Until
 * `lateMillis` have passed since the order it may still come, so the order is neither made again
 * nor taken for cancelled: the call is `Unavailable`. So there is never a second package of one
 * order, unless the system is later than that.
 *
 * A message whose answer was lost is never sent again. Of changes of a SIM's mobile plan the one
 * that was asked for last holds, and so it does of changes of its service. Such a change is done
 * only when no other one without an answer may come after it. Calls about one SIM follow each
 * other, over all processes on the journal.
 */
import { Clock, Effect, Schema } from "effect"
import { type Amount, Cost, Package, Telco, type TelcoPorts } from "simplan/ports"
import * as Journal from "./Journal.ts"
import * as CallFailure from "./CallFailure.ts"
import * as CallRecords from "./CallRecords.ts"
import * as Messages from "./Messages.ts"
import * as PurchaseRecords from "./purchases/PurchaseRecords.ts"
import * as ServiceChanges from "./ServiceChanges.ts"
import * as SimLocks from "./SimLocks.ts"

/** A package that is on a SIM at the system. */
export interface Listed extends Pick<Telco.TelcoPackage, "telcoPackageId"> {
  /** The `packageId` of its order, if the system keeps it; null if it does not. */
  readonly packageId: string | null
  /** When it is active, if the system says so. */
  readonly activationAt: number | null
  /** When it ends, if the system says so. */
  readonly expirationAt: number | null
  /** All that was used of it, in bytes, if the system says so (rule S8). */
  readonly usedBytes: number | null
  /** What it was ordered as, if the system says so; then it is no other order's. */
  readonly load?: string
}

/** A package of the system that an order has made. */
export interface Made {
  /** The system's own id. */
  readonly telcoPackageId: string
  /** The order's. */
  readonly packageId: string
  /** The SIM that it is on. */
  readonly iccid: string
}

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>
type Request<Kind extends TelcoPorts.Change> = Parameters<Required<Telco.Telco["Service"]>[Kind]>[0]

/**
 * What a system without keys has to offer. Each call is made as it is: the journal sees to it that
 * it is made once.
 */
export interface System {
  /** All packages on the SIM that are not cancelled, those of others included. */
  readonly listPackages: (iccid: string) => Call<ReadonlyArray<Listed>>
  /** Makes a package. */
  readonly createPackage: (order: Telco.PackageOrder) => Call<Telco.TelcoPackage>
  /**
   * What a package was charged at whose order was not answered; null: the system does not say.
   * Absent: it never does.
   */
  readonly costOf?: (telcoPackageId: string) => Call<Amount.Amount | null>
  /**
   * What came back for a package that was stopped or taken away; null: nothing. `others`: for how
   * many other packages of the same load on the SIM something did. Absent: nothing ever does.
   */
  readonly creditOf?: (of: Made & { readonly load: string; readonly others: number }) => Call<Amount.Amount | null>
  /** Stops a package for good; one that is stopped already too. */
  readonly suspendPackage: (of: Made) => Call<void>
  /**
   * Takes a package away. `isUndone`: the creation that ordered it is undone, and a system that
   * knows what was used refuses if any was (rule S5).
   */
  readonly cancelPackage: (of: Made, isUndone: boolean) => Call<void>
  /** Sends an SMS. */
  readonly sendSms: (sms: Request<"sendSms">) => Call<Telco.SentSms | void>
  /** Makes a profile available for a new download. */
  readonly releaseProfile: (of: Request<"releaseProfile">) => Call<void>
  /** Applies or removes the mobile plan. */
  readonly setMobilePlan: (of: Request<"setMobilePlan">) => Call<void>
  /** Stops the service of a SIM, or starts it again; absent: the system cannot do it. */
  readonly setService?: (of: Request<"setService">) => Call<void>
}

const PACKAGE = "package"

/** How long a call without an answer may still be done, in milliseconds. */
const LATE = 60_000

const Outcome = Schema.Struct({
  telcoPackageId: Schema.String,
  activationAt: Schema.NullOr(Schema.Finite),
  expirationAt: Schema.NullOr(Schema.Finite),
  /** Absent: the system does not say. */
  cost: Schema.optionalKey(PurchaseRecords.Money)
})

/** What is known of an order. */
const Order = Schema.Struct({
  /**
   * When the system was last asked for it, and what was on the SIM then; null: it has certainly
   * nothing of it.
   */
  asked: Schema.NullOr(
    Schema.Struct({
      at: Schema.Finite,
      before: Schema.Array(Schema.String),
      /** What it was ordered as. Absent: by its terms. */
      load: Schema.optionalKey(Schema.String)
    })
  ),
  made: Schema.NullOr(Outcome),
  refusal: Schema.NullOr(Schema.String),
  /** Whether the order's key is spent. */
  isCancelled: Schema.Boolean,
  /** What came back for it. Absent: nothing, or nobody has asked. */
  credit: Schema.optionalKey(PurchaseRecords.Money)
})

type Order = typeof Order.Type

const refused = (message: string) => Effect.fail(new Telco.Refused({ message }))

/**
 * Whether what the system keeps of a package is the id of an order, and not a note of somebody's.
 */
const isOrder = (packageId: string): boolean => /:\d+$/.test(packageId)

const unordered: Order = { asked: null, made: null, refusal: null, isCancelled: false }

const ordersIn = (journal: Journal.Journal["Service"], telco: string) =>
  CallRecords.make(journal, { telco, kind: PACKAGE }, Order)

/**
 * What the system calls the packages that were ordered on a SIM, cancelled ones included, by their
 * ids. One whose order was not answered is left out until a call has found it.
 */
export const madeOn =
  (journal: Journal.Journal["Service"], telco: string) =>
  (iccid: string): Effect.Effect<ReadonlyMap<string, string>, Telco.Unavailable> =>
    Effect.map(ordersIn(journal, telco).ofSim(iccid), (orders) => {
      const all = orders.flatMap(({ get, key }) => {
        const order = get()
        return order === null || order.made === null ? [] : [[key, order.made.telcoPackageId] as const]
      })
      return new Map(all)
    })

/** The package on a SIM that an order of the system has made; null: none is. */
export const ofOrder =
  (journal: Journal.Journal["Service"], telco: string) =>
  (iccid: string, telcoPackageId: string): Effect.Effect<PurchaseRecords.KnownOrder | null, Telco.Unavailable> =>
    Effect.map(ordersIn(journal, telco).ofSim(iccid), (orders) => {
      const found = orders.find(({ get }) => get()?.made?.telcoPackageId === telcoPackageId)
      return found === undefined ? null : { iccid: null, costId: Cost.topUpId(found.key) }
    })

const isCreditedFor =
  (load: string) =>
  ({ asked, credit }: Order): boolean =>
    asked?.load === load && credit !== undefined

/** For how many of the packages of a load that were ordered on a SIM something came back. */
export const creditedOn =
  (journal: Journal.Journal["Service"], telco: string) =>
  (iccid: string, load: string): Effect.Effect<number, Telco.Unavailable> =>
    Effect.map(
      ordersIn(journal, telco).ofSim(iccid),
      (orders) => orders.filter(({ get }) => isCreditedFor(load)(get() ?? unordered)).length
    )

/** The calls of a system that are about packages; one that stops none has no `suspendPackage`. */
export type Packages = Pick<System, "listPackages" | "createPackage" | "cancelPackage"> &
  Partial<Pick<System, "suspendPackage" | "costOf" | "creditOf">>

/** The calls of the port that are about packages, over a system that may have nothing else. */
export const packages = (
  system: Packages,
  { journal, ...options }: Parameters<typeof make>[2] & { readonly journal: Journal.Journal["Service"] }
): Pick<Telco.Telco["Service"], "createPackage" | "suspendPackage" | "cancelPackage"> => {
  const none = () => Effect.void
  const { cancelPackage, createPackage, suspendPackage } = make(
    { suspendPackage: none, sendSms: none, releaseProfile: none, setMobilePlan: none, ...system },
    journal,
    options
  )
  return { createPackage, suspendPackage, cancelPackage }
}

/** The port over the system. `telco` names it in the journal, which several telcos may share. */
export const make = (
  system: System,
  journal: Journal.Journal["Service"],
  { lateMillis = LATE, telco }: { readonly telco: string; readonly lateMillis?: number }
): Telco.Telco["Service"] => {
  const locks = SimLocks.make(journal, { telco })

  const orders = ordersIn(journal, telco)
  const onceOf = (kind: string) => CallRecords.make(journal, { telco, kind }, CallRecords.Once)
  const [ends, plans, releases] = [onceOf(Journal.END), onceOf(Journal.MOBILE_PLAN), onceOf(Journal.RELEASE)]

  /** An order as the journal knows it, and how to write it down. */
  const orderOf = (packageId: string, iccid: string) =>
    Effect.map(orders.open(packageId, iccid), ({ get, put }) => {
      const state = () => get() ?? unordered
      return { state, change: (to: Partial<Order>) => Effect.suspend(() => put({ ...state(), ...to })) }
    })

  type Known = Effect.Success<ReturnType<typeof orderOf>>

  /** All orders for a SIM, by their packages' ids. */
  const ordersOf = (iccid: string) =>
    Effect.map(orders.ofSim(iccid), (all) => new Map(all.map(({ get, key }) => [key, get() ?? unordered])))

  /** The other orders for a SIM. */
  const others = (iccid: string, packageId: string) =>
    Effect.map(ordersOf(iccid), (all) => [...all].flatMap(([key, order]) => (key === packageId ? [] : order)))

  /** Until when the outcome of an order is unknown: 0 if it is known. */
  const unknownUntil = ({ asked, made }: Order): number => (asked === null || made !== null ? 0 : asked.at + lateMillis)

  /** Fails while a call may still be done. */
  const pause = (until: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      until <= now
        ? Effect.void
        : Effect.fail(
            CallFailure.unavailable(
              "The telco has not answered an order for this SIM, and may still do it",
              Math.ceil((until - now) / 1_000)
            )
          )
    )

  /**
   * Finds the package of an order whose outcome is unknown, and writes it down. Fails while it may
   * still come; after that the order has certainly made none.
   */
  const resolve = Effect.fnUntraced(function* (packageId: string, iccid: string, order: Known) {
    const { asked, made } = order.state()
    if (asked === null || made !== null) return
    const listed = yield* CallFailure.asPort(system.listPackages(iccid)).pipe(Effect.catchTag("Telco.Refused", later))
    const taken = new Set((yield* others(iccid, packageId)).map((one) => one.made?.telcoPackageId))
    const found = listed.find((one) =>
      one.packageId === null
        ? !asked.before.includes(one.telcoPackageId) &&
          !taken.has(one.telcoPackageId) &&
          (asked.load === undefined || one.load === undefined || one.load === asked.load)
        : one.packageId === packageId
    )
    if (found !== undefined) {
      const { activationAt, expirationAt, telcoPackageId } = found
      const charged = system.costOf?.(telcoPackageId) ?? Effect.succeed(null)
      const cost = yield* Effect.mapError(charged, CallFailure.later)
      const made = { telcoPackageId, activationAt, expirationAt, ...(cost !== null && { cost }) }
      return yield* order.change({ made })
    }
    yield* pause(unknownUntil(order.state()))
    yield* order.change({ asked: null })
  })

  /** A system that does not list cannot refuse anything by that. */
  const later = ({ message }: Telco.Refused) => Effect.fail(CallFailure.unavailable(message))

  /**
   * Makes a call of which nothing is lost but what is on its way: its outcome is written down
   * whoever gives up.
   */
  const calling = <A, B, E>(
    call: Call<A>,
    outcome: (result: { readonly failure: CallFailure.CallFailure } | { readonly value: A }) => Effect.Effect<B, E>
  ): Effect.Effect<B, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.matchEffect(restore(call), {
        onFailure: (failure) => outcome({ failure }),
        onSuccess: (value) => outcome({ value })
      })
    )

  const create = (order: Telco.PackageOrder, known: Known, held: SimLocks.Held) =>
    Effect.gen(function* () {
      const { iccid, packageId } = order
      // What comes of two orders without an answer could not be distinguished.
      yield* pause(Math.max(0, ...(yield* others(iccid, packageId)).map(unknownUntil)))
      const listed = yield* Effect.tapErrorTag(
        CallFailure.asPort(system.listPackages(iccid)),
        "Telco.Refused",
        ({ message }) => known.change({ refusal: message })
      )
      const at = yield* Clock.currentTimeMillis
      const before = listed.map((one) => one.telcoPackageId)
      yield* known.change({ asked: { at, before, ...(order.load !== undefined && { load: order.load }) } })
      yield* held.keep
      return yield* calling(system.createPackage(order), (result) =>
        Effect.gen(function* () {
          if ("value" in result) {
            const { activationAt, cost, expirationAt, telcoPackageId } = result.value
            const made = { telcoPackageId, activationAt, expirationAt, ...(cost !== undefined && { cost }) }
            yield* known.change({ made })
            return made
          }
          const failure = CallFailure.toPort(result.failure)
          if (failure._tag === "Telco.Refused") yield* known.change({ asked: null, refusal: failure.message })
          else if (result.failure.outcome === "NotDone") yield* known.change({ asked: null })
          return yield* failure
        })
      )
    })

  /** What an order of a bundle was charged at. */
  const chargedFor = ({ asked, made }: Order): Telco.Settled =>
    made === null || asked?.load === undefined ? {} : { topUp: { load: asked.load, cost: made.cost ?? null } }

  /** What an order was charged at, and what came back for it since it was ended. */
  const settled = Effect.fnUntraced(function* (iccid: string, packageId: string, order: Known) {
    const charged = chargedFor(order.state())
    const { credit, made } = order.state()
    if (credit !== undefined) return { ...charged, credit }
    if (charged.topUp === undefined || made === null || system.creditOf === undefined) return charged
    const { load } = charged.topUp
    const credited = (yield* others(iccid, packageId)).filter(isCreditedFor(load)).length
    const { telcoPackageId } = made
    const call = system.creditOf({ iccid, packageId, telcoPackageId, load, others: credited })
    const found = yield* Effect.mapError(call, CallFailure.later)
    if (found === null) return charged
    yield* order.change({ credit: found })
    return { ...charged, credit: found }
  })

  /** Ends a package that is there, once for each key if it is refused. */
  const end = (
    what: "suspend" | "cancel",
    { iccid, key, packageId }: Telco.PackageRef,
    act: (order: Known, held: SimLocks.Held) => Effect.Effect<void, Telco.Refused | Telco.Unavailable>
  ) =>
    locks.withLock(iccid, (held) =>
      Effect.gen(function* () {
        const order = yield* orderOf(packageId, iccid)
        const record = yield* ends.open(`${what} ${key ?? packageId}`, iccid)
        yield* CallRecords.once(record, act(order, held), { isRepeatable: true }).pipe(
          Effect.catchTag("Telco.Refused", (refusal) =>
            Effect.fail(new Telco.Refused({ ...refusal, message: refusal.message, ...chargedFor(order.state()) }))
          )
        )
        return yield* settled(iccid, packageId, order)
      })
    )

  const { setService } = system

  return Telco.Telco.of({
    ...(setService !== undefined && {
      setService: ServiceChanges.make(setService, { telco, journal, locks, lateMillis })
    }),
    createPackage: (order) =>
      locks.withLock(order.iccid, (held) =>
        Effect.gen(function* () {
          const known = yield* orderOf(order.packageId, order.iccid)
          const { isCancelled, refusal } = known.state()
          if (isCancelled) return yield* refused(`The package ${order.packageId} was cancelled`)
          if (refusal !== null) return yield* refused(refusal)
          yield* resolve(order.packageId, order.iccid, known)
          return known.state().made ?? (yield* create(order, known, held))
        })
      ),
    suspendPackage: (of) =>
      end("suspend", of, (order, held) =>
        Effect.gen(function* () {
          const { iccid, packageId } = of
          yield* resolve(packageId, iccid, order)
          const { isCancelled, made } = order.state()
          if (made === null || isCancelled) return
          yield* held.keep
          const { telcoPackageId } = made
          yield* CallFailure.asPort(
            CallFailure.unlessMissing(system.suspendPackage({ iccid, packageId, telcoPackageId }))
          )
        })
      ),
    cancelPackage: (of) =>
      end("cancel", of, (order, held) =>
        Effect.gen(function* () {
          const { iccid, isUndone = false, packageId } = of
          // First, so that a creation that comes later is refused.
          if (!order.state().isCancelled) yield* order.change({ isCancelled: true })
          yield* resolve(packageId, iccid, order)
          const { made } = order.state()
          const listed = yield* CallFailure.asPort(system.listPackages(iccid))
          // The system may know an order that the journal does not, as one from a backup.
          const found = listed.find((one) =>
            made === null ? one.packageId === packageId : one.telcoPackageId === made.telcoPackageId
          )
          if (found === undefined) return
          const { telcoPackageId } = found
          yield* held.keep
          yield* CallFailure.asPort(
            CallFailure.unlessMissing(system.cancelPackage({ iccid, packageId, telcoPackageId }, isUndone))
          ).pipe(
            // One that was used stays, and so does its order.
            Effect.tapErrorTag("Telco.Refused", () => (isUndone ? order.change({ isCancelled: false }) : Effect.void))
          )
        })
      ),
    // The system's list is taken to be up to date.
    readUsage: Effect.fnUntraced(function* ({ iccid }) {
      const listed = yield* CallFailure.asPort(system.listPackages(iccid))
      const found: Array<Telco.PackageUsage> = []
      for (const [key, { made }] of yield* ordersOf(iccid)) {
        const own = listed.find(({ telcoPackageId }) => telcoPackageId === made?.telcoPackageId)
        if (typeof own?.usedBytes === "number") found.push({ packageId: key, usedBytes: own.usedBytes })
      }
      return listed.length > 0 && listed.every(({ usedBytes }) => usedBytes === null) ? null : found
    }),
    // Whose a package is that neither the system nor the journal knows by an order, cannot be
    // known: it is left out.
    listPackages: Effect.fnUntraced(function* ({ iccid, onlyAttachments = [] }) {
      const listed = yield* CallFailure.asPort(system.listPackages(iccid))
      const keys = new Map<string, string>()
      const unknown: Array<string> = []
      for (const [key, { asked, isCancelled, made }] of yield* ordersOf(iccid)) {
        if (made !== null && !isCancelled) keys.set(made.telcoPackageId, key)
        if (made === null && asked !== null) unknown.push(key)
      }
      const known = listed.flatMap(({ packageId, telcoPackageId }) =>
        packageId !== null && isOrder(packageId) ? packageId : (keys.get(telcoPackageId) ?? [])
      )
      const all = [...new Set([...known, ...unknown])]
      return all.filter((key) => !onlyAttachments.includes(Package.attachmentIdOf(key)))
    }),
    sendSms: Messages.make(journal, locks, telco, (sms, { begin }, held) =>
      Effect.andThen(
        held.keep,
        begin({ parts: 1, segments: null }).next(system.sendSms(sms), (sent) => ({ segments: sent?.segments ?? null }))
      )
    ),
    releaseProfile: (of) =>
      locks.withLock(of.iccid, () =>
        Effect.flatMap(releases.open(of.key, of.iccid), (record) =>
          CallRecords.once(record, CallFailure.asPort(system.releaseProfile(of)))
        )
      ),
    setMobilePlan: (of) =>
      locks.withLock(of.iccid, () =>
        Effect.gen(function* () {
          const { iccid, key } = of
          const changes = yield* plans.ofSim(iccid)
          const place = changes.findIndex((one) => one.key === key)
          // A newer change holds, whatever became of this one.
          if (place !== -1 && place < changes.length - 1) return
          const record = changes[place] ?? (yield* plans.open(key, iccid))
          if (record.get() === null) yield* record.put({ isDone: false, refusal: null })
          yield* CallRecords.once(record, CallFailure.asPort(system.setMobilePlan(of)))
        })
      )
  })
}
