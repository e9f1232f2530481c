/**
 * A shop whose database goes back to an earlier state while the charging system stays (rule S5),
 * from a seed: sales, some of plans that begin later, top-ups, pauses, mobile plans, withdrawals
 * and deletions before the backup and after it, the restore within the watch time of orders or
 * after it, all SIMs compared or not, sales and moves again, and SIMs that are removed there. Calls
 * fail meanwhile. In the end no SIM of a customer whom the backup does not know was sold again or
 * moved to, each customer keeps what was paid, no SIM has more packages than its subscription, and
 * whatever differs is among the problems. A move that the system does not answer may come to such a
 * SIM: nothing is ordered there, nor for a further plan, and the customer keeps what was paid also
 * once the subscription that has moved is deleted.
 */
import { Clock, Context, Effect, Layer, Result, Stream } from "effect"
import {
  Attachments,
  Catalogues,
  Organizations,
  Pauses,
  Plans,
  Problems,
  Replacements,
  Services,
  SimCorrections,
  Sims,
  Subscriptions,
  Time,
  Wallet,
  Worker
} from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import { Clocks, Subscription, WebhookSender } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Machine from "../../../adapters/simulation/Machine.ts"
import { Journal } from "../../../adapters/telco-calls/index.ts"
import { Api } from "../../../adapters/telco-ocs/api/Api.ts"
import * as Ocs from "../../../adapters/telco-ocs/Ocs.ts"
import * as Reporting from "../../../adapters/telco-ocs/Reporting.ts"
import * as Model from "../Model.ts"
import * as Restores from "./Restores.ts"
import { runner } from "./UsageSimulation.ts"

const { DAY, HOUR, MINUTE, SECOND } = Time

const TELCO = "ocs"
const SIMS = 12
/** The mobile plan of the settings. */
const PLAN = 10
const ICCIDS = Array.from({ length: SIMS }, (_, index) => `8991000000000000${String(index + 10)}7`)

const clock = Layer.succeed(Clocks.BusinessClock, { now: Clock.currentTimeMillis, set: null })
const sender = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) })

const simulate = (seed: number) =>
  Effect.gen(function* () {
    const next = Machine.generator(seed)
    const random = (bound: number): number => next() % bound
    const oneIn = (number: number): boolean => random(number) === 0
    const pick = <A>(from: ReadonlyArray<A>): A => from[random(from.length)] as A
    const struck = new Map<string, number>()
    const count = (what: string) => void struck.set(what, (struck.get(what) ?? 0) + 1)
    const found: Array<string> = []

    // --- the system ---
    const isFaulty = oneIn(2)
    /** Nothing befalls a call. */
    let isCalm = true
    /** The next list of packages is not answered. */
    let isSilent = false
    /** Lists of packages that were not answered. */
    let unanswered = 0
    const befalls = (name: string): Model.Fault | null => {
      if (isSilent && name === "packages") return { kind: "not reached" }
      if (isCalm || !isFaulty || !oneIn(12)) return null
      if (name !== "affectPackage") return { kind: pick(["request lost", "answer lost", "not reached"] as const) }
      return { kind: pick(["request lost", "answer lost", "not reached", "refused"] as const) }
    }
    const fault = (name: string): Model.Fault | null => {
      const one = befalls(name)
      if (name === "packages" && one !== null) {
        unanswered++
        isSilent = false
      }
      return one
    }
    const model = Model.make({ fault, period: 30 * DAY })
    const thereOn = (iccid: string) => [...model.packages.values()].filter((one) => one.iccid === iccid && one.isActive)

    // --- the service, and what a backup has ---
    const memory = Restores.of(yield* Layer.build(Memory.layer), yield* Layer.build(Layer.fresh(Memory.layer)))
    const journals = Restores.of(
      Context.make(Journal.Journal, yield* Journal.makeMemory),
      Context.make(Journal.Journal, yield* Journal.makeMemory)
    )
    const settings = { telco: TELCO, resellerId: 1, zones: { Green: { EUROPE: 28 } }, mobilePlanId: PLAN, listLag: 0 }
    /** A process of the service over a state. */
    const start = Effect.fnUntraced(function* (at: "live" | "backup", ids: number) {
      const below = Layer.merge(Layer.succeed(Api, model.api), Layer.succeedContext(journals[at]))
      const telco = yield* Layer.build(Layer.fresh(Layer.provide(Ocs.layer(settings), below)))
      const services = yield* Layer.build(
        Layer.fresh(
          Services.layer.pipe(
            Layer.provide([
              Layer.succeedContext(memory[at]),
              StandardCatalogue.layer,
              Machine.crypto(ids),
              clock,
              sender
            ]),
            Layer.provide(Layer.succeedContext(telco))
          )
        )
      )
      const options = { telco: TELCO, fastest: 10 * MINUTE, slowest: 6 * HOUR, meter: Reporting.makeMeter(10_000) }
      const all = Layer.mergeAll(below, Layer.succeedContext(services), Layer.succeedContext(telco))
      return {
        services,
        turn: Effect.andThen(
          Effect.exit(Effect.provide(Reporting.drain(options), all)),
          Effect.exit(Context.get(services, Worker.Worker).drain)
        ),
        compareAll: Effect.provide(Reporting.compareAll(TELCO), below),
        comparison: Effect.provide(Reporting.comparison(TELCO), below)
      }
    })
    let process = yield* start("live", seed * 2 + 1)
    const use = <I, S>(service: Context.Key<I, S>) => Context.getUnsafe(process.services, service)

    const { organizationId } = yield* use(Organizations.Organizations).create({ name: "Acme" })
    const rows = ICCIDS.map((iccid) => ({ iccid, label: "Green", isEsim: true, lpa: `LPA:1$smdp.example$${iccid}` }))
    yield* use(Sims.Sims).importRows({ organizationId, rows: Stream.fromIterable(rows) })
    const { profiles } = yield* use(Catalogues.Catalogues).current
    const profile = profiles.find(({ label, regionCode }) => label === "Green" && regionCode === "EUROPE")
    const terms = { name: "Plan", dataMegaBytes: 1024, periodDays: 30, throttling: [], recurrence: null }
    const { planId } = yield* use(Plans.Plans).create({
      organizationId,
      terms: { ...terms, coverageId: profile?.coverageId ?? "" }
    })
    const recurrence = { periodicity: "Monthly", frequency: 1, occurrences: 2 } as const
    const recurring = yield* use(Plans.Plans).create({
      organizationId,
      terms: { ...terms, name: "Later", coverageId: profile?.coverageId ?? "", recurrence }
    })

    // --- the shop ---
    /** The SIMs in service by what this state has sold, with their last attachments. */
    let sold = new Map<string, string>()
    const sell = Effect.fnUntraced(function* (iccid: string | null) {
      const request = { organizationId, planId, metadata: "", iccid, activePeriod: null }
      const isLater = oneIn(4)
      const start = (yield* Clock.currentTimeMillis) + pick([12 * HOUR + MINUTE, 2 * DAY])
      const period = { planId: recurring.planId, activePeriod: { start, end: null } }
      const answer = yield* Effect.result(
        use(Subscriptions.Subscriptions).create(isLater ? { ...request, ...period } : request)
      )
      if (isLater) count("sold with a plan that begins later")
      if (Result.isFailure(answer)) return null
      sold.set(answer.success.sim.iccid, answer.success.attachmentId)
      return answer.success.sim.iccid
    })
    const suspend = (iccid: string) =>
      use(Attachments.Attachments).suspend({ organizationId, iccid, attachmentId: sold.get(iccid) ?? "" })
    const act = Effect.gen(function* () {
      const on = sold.size === 0 ? null : pick([...sold.keys()])
      const what = random(14)
      if (what >= 12) {
        // A SIM that is withdrawn is made available again and sold, and the other way round.
        const others = yield* Effect.forEach(
          ICCIDS.filter((one) => !sold.has(one)),
          (one) => use(Sims.Sims).get({ organizationId, iccid: one })
        )
        const withdrawn = others.filter(({ allocation }) => allocation._tag === "Withdrawn")
        const isWithdrawn = withdrawn.length > 0 && !oneIn(3)
        const { iccid } = pick(isWithdrawn ? withdrawn : others)
        const to = isWithdrawn ? { status: "available" } : { status: "withdrawn", reason: "lost" }
        yield* Effect.result(use(SimCorrections.SimCorrections).correct({ organizationId, iccid, ...to }))
        return isWithdrawn ? yield* sell(iccid) : null
      }
      if (what < 4 || on === null) return yield* sell(null)
      const of = { organizationId, iccid: on }
      if (what < 6) yield* sell(on)
      else if (what === 6) yield* Effect.result(use(Pauses.Pauses).pause(of))
      else if (what === 7) yield* Effect.result(use(Pauses.Pauses).resume(of))
      else if (what >= 10)
        yield* Effect.result(use(Wallet.Wallet).setMobilePlan({ ...of, apply: oneIn(2), label: "Green" }))
      else if (what === 8) yield* Effect.result(suspend(on))
      else if (Result.isSuccess(yield* Effect.result(use(Subscriptions.Subscriptions).remove(of)))) sold.delete(on)
      return null
    })
    /** The SIMs that are among the problems. */
    const listed = Effect.suspend(() =>
      Effect.map(
        use(Problems.Problems).page({ after: null, limit: 200 }),
        ({ items }) => new Set(items.map(({ work }) => ("iccid" in work ? work.iccid : "")))
      )
    )
    const turns = Effect.fnUntraced(function* (number: number, pause: number) {
      for (let turn = 0; turn < number; turn++) {
        yield* process.turn
        yield* Effect.sleep(pause)
      }
    })
    for (let step = 1 + random(5); step > 0; step--) {
      yield* act
      yield* turns(1, random(10 * MINUTE))
    }
    // Perhaps within the watch time of orders.
    yield* turns(6, pick([SECOND, 5 * MINUTE]))
    memory.take()
    journals.take()
    const kept = new Map(sold)
    /** What the backup knows of: what was there on the SIMs of its customers. */
    const known = new Map([...kept.keys()].map((iccid) => [iccid, thereOn(iccid).map(({ id }) => id)]))
    for (let step = 1 + random(6); step > 0; step--) {
      yield* act
      yield* turns(1, random(10 * MINUTE))
    }
    yield* turns(4, pick([SECOND, 5 * MINUTE]))

    // --- the restore ---
    /** SIMs of customers whom the backup does not know, with what they have paid. */
    const lost = new Map(
      ICCIDS.filter((iccid) => !kept.has(iccid)).flatMap((iccid) => {
        const ids = thereOn(iccid).map(({ id }) => id)
        return ids.length === 0 ? [] : [[iccid, ids] as const]
      })
    )
    const changed = [...kept.keys()].filter((iccid) => !sold.has(iccid))
    /** What customers whom the backup knows have paid for since, of which it knows nothing. */
    const further = [...known].flatMap(([iccid, ids]) =>
      thereOn(iccid).flatMap(({ id }) => (ids.includes(id) ? [] : [{ iccid, id }]))
    )
    if (further.length > 0) count("restored before further plans")
    if (lost.size > 0) count("restored before sales")
    if (changed.length > 0) count("restored before deletions")
    sold = kept
    process = yield* start("backup", seed * 2 + 2)
    yield* Effect.sleep(random(pick([MINUTE, HOUR])))
    isCalm = false
    if (oneIn(2)) {
      yield* process.compareAll
      for (let turn = 0; turn < 200 && (yield* process.comparison)?.doneAt === null; turn++) yield* turns(1, 2 * SECOND)
      count("restored and compared")
      for (const iccid of lost.keys()) {
        const { allocation } = yield* use(Sims.Sims).get({ organizationId, iccid })
        if (allocation._tag === "Free") found.push(`${iccid} was compared, and is for sale`)
      }
    }
    const again: Array<string> = []
    const sales = Effect.gen(function* () {
      for (let sale = 1 + random(5); sale > 0; sale--) {
        const iccid = yield* sell(oneIn(4) ? pick(ICCIDS.filter((one) => !kept.has(one))) : null)
        if (iccid !== null) again.push(iccid)
        yield* turns(1, random(10 * MINUTE))
      }
    })
    /** The SIMs that were left, which nobody has any more. */
    const left = new Set<string>()
    /** SIMs of later customers that subscriptions came to, while the system did not say so. */
    const occupied = new Set<string>()
    const move = Effect.fnUntraced(function* (iccid: string) {
      // What is suspended has the name that the system gave it on the SIM that is left.
      if (oneIn(2)) yield* Effect.result(suspend(iccid))
      isSilent = !oneIn(3)
      const before = unanswered
      const answer = yield* Effect.result(use(Replacements.Replacements).replace({ organizationId, iccid }))
      isSilent = false
      if (Result.isFailure(answer)) return
      count("moved after a restore")
      const to = answer.success.sim.iccid
      left.add(iccid)
      sold.set(to, sold.get(iccid) ?? "")
      sold.delete(iccid)
      if (unanswered > before && lost.has(to)) {
        count("moved to a later customer's SIM")
        occupied.add(to)
      } else again.push(to)
      yield* turns(1, random(10 * MINUTE))
    })
    const moves = Effect.gen(function* () {
      for (let more = 1 + random(3); more > 0; more--) {
        const own = [...kept.keys()].filter((one) => sold.has(one))
        if (own.length > 0) yield* move(pick(own))
      }
    })
    // A sale has SIMs of later customers leave the stock.
    yield* Effect.all(oneIn(2) ? [moves, sales] : [sales, moves], { discard: true })
    for (const iccid of occupied) {
      if (oneIn(2)) {
        const request = { organizationId, planId, metadata: "", iccid, activePeriod: null }
        const topUp = yield* Effect.result(use(Subscriptions.Subscriptions).create(request))
        if (Result.isSuccess(topUp)) found.push(`${iccid} got a further plan, and is a later customer's`)
      }
      if (oneIn(4)) continue
      const removed = yield* Effect.result(use(Subscriptions.Subscriptions).remove({ organizationId, iccid }))
      if (Result.isFailure(removed)) continue
      count("deleted on a later customer's SIM")
      sold.delete(iccid)
      yield* turns(1, random(10 * MINUTE))
    }
    isCalm = true
    /** Somebody removes SIMs there that are sold here. */
    for (const iccid of sold.keys()) {
      if (!oneIn(5)) continue
      model.removed.add(iccid)
      count("SIM removed there")
    }
    yield* process.compareAll
    yield* turns(30, 2 * SECOND)
    yield* turns(30, HOUR)

    // --- what was sold ---
    for (const iccid of again) if (lost.has(iccid)) found.push(`${iccid} was sold again`)
    if (new Set(again).size < again.length) found.push("a SIM was sold twice")
    for (const [iccid, ids] of lost) {
      const left = thereOn(iccid).map(({ id }) => id)
      if (left.join() !== ids.join()) found.push(`${iccid} had the packages ${ids.join()}, and has ${left.join()}`)
    }

    for (const { iccid, id } of further) {
      if (!model.packages.has(id)) found.push(`package ${id} of ${iccid} was paid for after the backup, and is gone`)
    }

    // --- what is listed ---
    const problems = yield* listed
    for (const { iccid, id } of further) {
      if (model.packages.get(id)?.isActive && !problems.has(iccid))
        found.push(`package ${id} of ${iccid} is not listed`)
    }
    for (const iccid of left) {
      if (thereOn(iccid).length > 0 && !problems.has(iccid)) found.push(`${iccid} was left with packages, unlisted`)
    }
    for (const iccid of lost.keys()) {
      const { allocation } = yield* use(Sims.Sims).get({ organizationId, iccid })
      if (allocation._tag === "Withdrawn") count("restored to a withdrawn SIM that is sold")
      if (!problems.has(iccid)) found.push(`${iccid} is not among the problems`)
    }
    for (const iccid of sold.keys()) {
      const { sim } = yield* use(Subscriptions.Subscriptions).get({ organizationId, iccid })
      const all = yield* use(Attachments.Attachments).list({ organizationId, iccid })
      const active = all.filter(({ attachment }) => attachment.suspendedAt === null)
      const ids = active.flatMap(({ packages }) => packages.flatMap(({ telcoPackageId }) => telcoPackageId ?? []))
      const there = thereOn(iccid).map(({ id }) => String(id))
      const isEqual = ids.length === there.length && ids.every((id) => there.includes(id))
      const isPaused = Subscription.serviceStatus(sim) === "paused"
      if (!isEqual && !problems.has(iccid))
        found.push(`${iccid} has ${there.join()} in place of ${ids.join()}, unlisted`)
      if (model.removed.has(iccid) && !problems.has(iccid)) found.push(`${iccid} is not there, unlisted`)
      const isApplied = sim.mobilePlan._tag === "Settled" ? sim.mobilePlan.applied : null
      const isThere = model.mobilePlans.get(iccid) === PLAN
      if (isApplied !== null && isApplied !== isThere) count("restored with another mobile plan")
      if (isApplied !== null && isApplied !== isThere && !problems.has(iccid))
        found.push(`${iccid} has ${isApplied ? "a" : "no"} mobile plan here, and otherwise there, unlisted`)
      if (isPaused !== model.suspended.has(iccid) && !problems.has(iccid))
        found.push(`${iccid} is ${isPaused ? "" : "not "}paused here, and otherwise there, unlisted`)
    }
    for (const [what, times] of model.faults) struck.set(what, (struck.get(what) ?? 0) + times)
    return { problems: found, stats: { comparisons: 0, faults: struck } }
  })

/** Runs one seed. */
export const run = runner(0x7f4a7c15, simulate)
