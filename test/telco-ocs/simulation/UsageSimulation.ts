/**
 * The usage of a SIM over some days, from a seed: it roams, its polls come late and not at all,
 * also for weeks, processes die, calls fail, the system's clock is off, its lists are behind, and
 * its book of usage is written late. In the end, after the daily comparisons, simplan's book and
 * that of the system are equal to the byte, by day and country (rule U1); and what the system has
 * charged outside of all packages is among the problems, with both figures. So is a package that
 * was used before its creation was undone; one that an operator leaves there is so again once more
 * of it was used.
 */
import { Clock, Context, Effect, Layer, Logger, Random, Scheduler, type Scope, Stream } from "effect"
import { Problems, Time, Usage, Worker } from "simplan"
import { type Job, Problem, UsageBook } from "simplan/ports"
import * as Machine from "../../../adapters/simulation/Machine.ts"
import { CallFailure, Journal } from "../../../adapters/telco-calls/index.ts"
import { Api, type SubscriberPackage, type Used } from "../../../adapters/telco-ocs/api/Api.ts"
import * as Ocs from "../../../adapters/telco-ocs/Ocs.ts"
import * as Polling from "../../../adapters/telco-ocs/Polling.ts"
import * as Reporting from "../../../adapters/telco-ocs/Reporting.ts"
import * as Notifications from "../../../adapters/telco-ocs/reports/Notifications.ts"
import { apiOf, Model } from "../reports/OcsModel.ts"
import * as Service from "../Service.ts"

const { DAY, HOUR, MINUTE, SECOND } = Time

const TELCO = "ocs"
const ICCID = "8991000000000000012"

/** The networks in which it is used, and what the system's book says of their countries. */
export const networks = [
  { mcc: 208, mnc: 1, countryAlpha2: "FR" },
  { mcc: 262, mnc: 1, countryAlpha2: "DE" },
  { mcc: 222, mnc: 1, countryAlpha2: "IT" },
  { mcc: 999, mnc: 99, countryAlpha2: null }
] as const

export interface Stats {
  /** How often the system's book was read. */
  readonly comparisons: number
  /** What befell the run, and how often. */
  readonly faults: ReadonlyMap<string, number>
}

export interface Run {
  readonly seed: number
  /** What does not hold, a line each. */
  readonly problems: ReadonlyArray<string>
  readonly stats: Stats
}

export interface Written extends Used {
  readonly iccid: string
  /** By the clock of the service: from then on the system's book has it. */
  readonly writtenAt: number
}

const simulate = (seed: number, machine: Machine.MachineTime, start: number) =>
  Effect.gen(function* () {
    const next = Machine.generator(seed)
    const random = (bound: number): number => next() % bound
    const oneIn = (number: number): boolean => random(number) === 0
    const pick = <A>(from: ReadonlyArray<A>): A => from[random(from.length)] as A
    const struck = new Map<string, number>()
    const count = (what: string) => void struck.set(what, (struck.get(what) ?? 0) + 1)
    const now = () => machine.clock.currentTimeMillisUnsafe()

    // --- the system ---
    const skew = pick([0, 0, -1, 1]) * random(10 * MINUTE)
    const lag = pick([0, 5 * SECOND])
    const isFaulty = !oneIn(5)
    const chargesOutside = oneIn(6)
    /** For how long no process runs, once, while the SIM is used on most days. */
    const outage = oneIn(5) ? (5 + random(16)) * DAY : 0
    let isOutage = outage > 0
    const lasting = (2 + random(3)) * DAY + outage
    const calmFrom = start + lasting
    const model = new Model()
    const records: Array<Written> = []
    const lists: Array<{ readonly at: number; readonly packages: Model["packages"] }> = []
    let outside = 0
    let comparisons = 0
    let network = pick(networks)
    /** After how many calls and writes the process dies; 0: after none. */
    let dieIn = 0
    let isSubscribing = false

    const late = () => (isFaulty && oneIn(4) ? random(oneIn(4) ? 2 * HOUR : 40 * MINUTE) : 0)
    const write = (bytes: number) => {
      const at = Math.floor((now() + skew) / SECOND) * SECOND
      records.push({ iccid: ICCID, at, countryAlpha2: network.countryAlpha2, bytes, writtenAt: now() + late() })
    }
    const listed = () => void lists.push({ at: now(), packages: model.packages })
    const use = (isMeant: (id: number) => boolean = () => true) => {
      const at = now() + skew
      const usable = model.packages.filter(
        ({ expirationAt, id }) => isMeant(id) && (expirationAt === null || at < expirationAt)
      )
      if (usable.length === 0) return
      const one = pick(usable)
      const bytes = 1 + random(oneIn(3) ? 50_000_000 : 1_000)
      const times = one.activationAt === null ? { activationAt: at - (at % SECOND), expirationAt: at + 30 * DAY } : {}
      model.change(one.id, { usedBytes: one.usedBytes + bytes, ...times })
      model.network = { at, mcc: network.mcc, mnc: network.mnc, rat: "4G", imei: "490154203237518" }
      listed()
      write(bytes)
    }
    const roam = () => {
      network = pick(networks)
    }

    /** Here the process may die. */
    const point = Effect.suspend(() => {
      if (dieIn === 0 || --dieIn > 0) return Effect.void
      count("process dies")
      return Effect.die("the process dies")
    })
    /** A call: it may fail, and the SIM may be used meanwhile. */
    const call = <A>(name: string, answer: Effect.Effect<A, CallFailure.CallFailure>) =>
      Effect.gen(function* () {
        yield* point
        if (isSubscribing || now() >= calmFrom) return yield* answer
        if (oneIn(12)) use()
        yield* Effect.sleep(random(2 * SECOND))
        if (isFaulty && oneIn(15)) {
          count(`${name} fails`)
          return yield* new CallFailure.CallFailure({ outcome: "Unknown", message: `${name} timed out` })
        }
        const found = yield* answer
        if (oneIn(12)) use()
        return found
      })
    const ocs = apiOf(model)
    const api: Api["Service"] = {
      ...ocs,
      packages: (iccid) =>
        call(
          "packages",
          Effect.map(ocs.packages(iccid), (): ReadonlyArray<SubscriberPackage> => {
            const then = lists.findLast(({ at }) => at <= now() - lag)
            return (lag === 0 || then === undefined ? model.packages : then.packages).filter(
              (one) => one.iccid === iccid
            )
          })
        ),
      subscriber: (iccid) => call("subscriber", ocs.subscriber(iccid)),
      usage: ({ from, to }) =>
        call(
          "usage",
          Effect.sync(() => {
            comparisons++
            const first = UsageBook.dayOf(from)
            const last = UsageBook.dayOf(to)
            if (last - first >= 6 * DAY) throw new Error("more is read than the system answers")
            return records.filter(
              ({ at, writtenAt }) => writtenAt <= now() && UsageBook.dayOf(at) >= first && UsageBook.dayOf(at) <= last
            )
          })
        )
    }

    // --- the service ---
    const journal = yield* Journal.makeMemory
    const written: Journal.Journal["Service"] = {
      ...journal,
      replace: (entry, also) => Effect.andThen(point, Effect.tap(journal.replace(entry, also), point))
    }
    const apis = Layer.succeed(Api, api)
    const journals = Layer.succeed(Journal.Journal, written)
    const settings = { telco: TELCO, resellerId: 1, zones: { Green: { EUROPE: 28 } }, mobilePlanId: null, listLag: 0 }
    const orders = yield* Layer.build(Ocs.layer(settings).pipe(Layer.provide([apis, journals])))
    const service = yield* Service.make(orders, ICCID)
    const { organizationId, services } = service
    const limits = {
      telco: TELCO,
      fastest: pick([10 * MINUTE, HOUR]),
      slowest: 6 * HOUR,
      notified: [50, 80],
      meter: Reporting.makeMeter(20)
    }
    const needs = Layer.mergeAll(apis, journals, Layer.succeedContext(services), Layer.succeedContext(orders))
    /** A process. */
    const begin = Effect.gen(function* () {
      const polling = yield* Polling.make(limits)
      const { take } = yield* Notifications.make({ telco: TELCO, poll: polling.pollBeside })
      return { polling, take }
    }).pipe(Effect.provide(needs))
    let process = yield* begin
    /** What a process does; one that dies is replaced. */
    const survived = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(effect)
        if (exit._tag === "Failure") process = yield* begin
      })

    const subscribe = Effect.gen(function* () {
      isSubscribing = true
      yield* service.subscribe({ megaBytes: 100_000 })
      listed()
      isSubscribing = false
    })
    const { drain } = Context.get(services, Worker.Worker)
    /**
     * A top-up whose package is made while its answer is lost, and where the process dies, all that
     * it would have written. The package is used before the next process, or the undo, is answered
     * by the system.
     */
    const interrupted = Effect.gen(function* () {
      isSubscribing = true
      const dies = oneIn(2)
      count(dies ? "process dies while it tops up" : "top-up without an answer")
      const before = model.lastId
      model.outageAfter = "affectPackage"
      service.failCommits(() => dies && model.isOut)
      yield* Effect.exit(service.subscribe({ megaBytes: 50_000 }))
      listed()
      if (!oneIn(3)) use((id) => id > before)
      // Lists are behind, and what a dead process has taken falls due later.
      yield* Effect.sleep(lag + MINUTE + random(2 * MINUTE))
      service.failCommits(() => false)
      for (let tries = random(4); tries > 0; tries--) yield* Effect.andThen(drain, Effect.sleep(random(3 * MINUTE)))
      model.outageAfter = null
      model.isOut = false
      // What is refused is asked for some times.
      for (let tries = 0; tries < 6; tries++) yield* Effect.andThen(drain, Effect.sleep(2 * MINUTE))
      listed()
      isSubscribing = false
      if (oneIn(2)) yield* leave
    })
    const notify = Effect.suspend(() => {
      const one = pick(model.packages)
      const usage = {
        unitsBefore: 0,
        unitsAfter: one.usedBytes,
        thresholdPercentage: "50",
        thresholdUnits: String(one.usedBytes),
        subscriberPackageId: one.id,
        totalUnits: one.allowanceBytes ?? 0,
        subscriberId: 4,
        subscriberIMSI: "240010000000001",
        usageType: "DATA"
      }
      return survived(process.take({ subscriberPrepaidPackage: usage }))
    })
    const problems = Context.get(services, Problems.Problems)
    const page = Effect.map(problems.page({ after: null, limit: 100 }), ({ items }) => items)
    /**
     * What an operator has read that is used of packages that were left there, by the system's ids.
     */
    const left = new Map<number, number>()
    /**
     * The package that a problem wants to be cancelled by the system's id, and how much of it is
     * used by its message.
     */
    const undoneOf = ({ refused, work }: Job.Job) => {
      if (work._tag !== "CancelPackages" && work._tag !== "ReviewPackage") return null
      const found = /package (?:(\d+) at|\S+ \((\d+)\) is).* (\d+) bytes of it are used/.exec(refused?.message ?? "")
      return found === null ? null : { id: Number(found[1] ?? found[2]), usedBytes: Number(found[3]) }
    }
    /** An operator leaves packages there that were used before their creations were undone. */
    const leave = Effect.gen(function* () {
      for (const job of yield* page) {
        const one = undoneOf(job)
        if (one === null || oneIn(3)) continue
        yield* problems.resolve({ problemId: job.jobId })
        left.set(one.id, one.usedBytes)
        count("an undone package is left there")
      }
    })
    const entry = Effect.orDie(journal.get({ telco: TELCO, kind: "sim", key: ICCID }))
    /** Polls whatever falls due until then; nothing does while no process runs. */
    const until = Effect.fnUntraced(function* (target: number, isRunning: boolean) {
      while (isRunning) {
        const dueAt = (yield* entry)?.dueAt ?? null
        if (dueAt === null || dueAt > target) break
        yield* Effect.sleep(Math.max(0, dueAt - now()))
        if (now() < calmFrom && isFaulty && oneIn(20)) dieIn = 1 + random(8)
        const polls = Effect.tap(survived(process.polling.due), () =>
          Effect.sync(() => {
            dieIn = 0
          })
        )
        yield* now() < calmFrom && oneIn(10) ? Effect.all([polls, notify], { concurrency: 2, discard: true }) : polls
      }
      yield* Effect.sleep(Math.max(0, target - now()))
    })

    yield* subscribe
    if (oneIn(2)) yield* subscribe
    while (now() < calmFrom) {
      const midnight = UsageBook.dayOf(now()) + DAY
      const gap = oneIn(3) ? random(6 * HOUR) : random(oneIn(2) ? HOUR : 3 * MINUTE)
      // What is used around midnight is on another day than it is found.
      const near = midnight - 12 * MINUTE + random(24 * MINUTE)
      const target = oneIn(6) && near > now() ? near : now() + gap
      const isRunning = !oneIn(25)
      if (!isRunning) count("no process runs")
      yield* until(isRunning ? target : Math.min(calmFrom, target + random(30 * HOUR)), isRunning)
      if (isOutage && oneIn(4)) {
        isOutage = false
        count("no process runs for days")
        for (const end = now() + outage; now() < end; yield* until(now() + 1 + random(DAY), false)) {
          roam()
          use()
        }
      }
      if (oneIn(4)) roam()
      const what = random(20)
      if (what < 14) use()
      else if (what < 17) yield* notify
      else if (what === 17 && model.packages.length < 4) yield* isFaulty && oneIn(2) ? interrupted : subscribe
      else if (what === 18 && chargesOutside) {
        const bytes = 1 + random(1_000_000)
        outside += bytes
        write(bytes)
        // A SIM that is not used is not compared.
        use()
        count("charged outside")
      } else if (what === 19) yield* leave
    }
    const twice: Array<string> = []
    /**
     * An operator has the packages cancelled that were used before their creations were undone: how
     * much was used of them.
     */
    const resolved = Effect.gen(function* () {
      isSubscribing = true
      const before = model.packages
      const all = yield* page
      for (const { work } of all) {
        const packageId = work._tag === "ReviewPackage" ? Problem.cancelled(work) : null
        if (packageId !== null && all.some((one) => Problem.isCancelledBy(packageId, one)))
          twice.push(`package ${packageId} is among the problems twice`)
      }
      for (const job of all) {
        const isLeft = left.has(undoneOf(job)?.id ?? 0)
        if (!isLeft && (job.work._tag !== "UsageDiffers" || oneIn(2))) yield* problems.retry({ problemId: job.jobId })
      }
      yield* drain
      listed()
      isSubscribing = false
      return before.reduce((sum, one) => sum + (model.packages.some(({ id }) => id === one.id) ? 0 : one.usedBytes), 0)
    })
    dieIn = 0
    // A day on which a poll has seen no use is not compared.
    yield* until(now() + limits.slowest + HOUR, true)
    const undone = yield* resolved
    if (undone > 0) count("an undone package was used")
    // On until everything that was put off has been compared.
    yield* until(UsageBook.dayOf(now()) + 5 * DAY, true)

    // --- both books ---
    const found = twice
    const [from, to] = [start - DAY, now()].map(UsageBook.dateOf)
    const sums = yield* Context.get(services, Usage.Usage)
      .ofSim({ organizationId, iccid: ICCID, by: ["day", "country"], from, to })
      .pipe(Stream.runCollect)
    const ours = new Map(sums.map((one) => [`${UsageBook.dateOf(one.day ?? 0)} ${one.countryAlpha2}`, one.bytes]))
    const theirs = new Map<string, number>()
    for (const { at, bytes, countryAlpha2 } of records) {
      const key = `${UsageBook.dateOf(UsageBook.dayOf(at))} ${countryAlpha2}`
      theirs.set(key, (theirs.get(key) ?? 0) + bytes)
    }
    const items = yield* page
    const differing = items.flatMap(({ work }) => (work._tag === "UsageDiffers" ? [work.usage] : []))
    const totalOf = (book: ReadonlyMap<string, number>, day: number): number =>
      [...book].reduce((sum, [key, bytes]) => (key.startsWith(UsageBook.dateOf(day)) ? sum + bytes : sum), 0)
    for (let day = UsageBook.dayOf(start); day < now(); day += DAY) {
      const telco = totalOf(theirs, day)
      if (totalOf(ours, day) !== telco && !differing.some((one) => one.day === day && one.telco === telco))
        found.push(`${UsageBook.dateOf(day)} differs, and is not among the problems`)
    }
    const reported = differing.reduce((sum, { booked, telco }) => sum + telco - booked, 0)
    const kept = model.packages.filter(({ id }) => left.has(id))
    const unowned = undone + kept.reduce((sum, { usedBytes }) => sum + usedBytes, 0)
    if (reported !== outside + unowned)
      found.push(
        `${reported} bytes are among the problems, ${outside} were charged outside, and ${unowned} of what was undone`
      )
    const reviewed = new Set(items.flatMap((one) => undoneOf(one)?.id ?? []))
    for (const { expirationAt, id, usedBytes } of kept) {
      const isUsed = usedBytes !== left.get(id)
      if (isUsed) count("what was left there is used again")
      if (!isUsed && reviewed.has(id)) found.push(`package ${id} was left there, and is among the problems again`)
      const isOver = expirationAt !== null && expirationAt < now() + DAY
      if (isUsed && !isOver && !reviewed.has(id)) found.push(`package ${id} is used, and not among the problems again`)
    }
    if (outside + unowned === 0) {
      for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
        const [left = 0, right = 0] = [ours.get(key), theirs.get(key)]
        if (left !== right) found.push(`${key}: ${left} bytes by simplan's book, and ${right} by the system's`)
      }
    }
    const total = sums.reduce((sum, { bytes }) => sum + bytes, 0)
    const charged = model.packages.reduce((sum, { id, usedBytes }) => sum + (left.has(id) ? 0 : usedBytes), 0)
    if (total !== charged) found.push(`the days sum to ${total}, and ${charged} bytes of packages are used`)
    for (const job of items) {
      const { _tag } = job.work
      if (_tag !== "UsageDiffers" && !left.has(undoneOf(job)?.id ?? 0)) found.push(`there is a problem ${_tag}`)
    }
    return { problems: found, stats: { comparisons, faults: struck } }
  })

/**
 * What runs a seed of a simulation of days: on a machine of its own, from a time that the seed
 * says. `salt` has each simulation begin at another one.
 */
export const runner =
  <E>(
    salt: number,
    simulate: (
      seed: number,
      machine: Machine.MachineTime,
      start: number
    ) => Effect.Effect<Pick<Run, "problems" | "stats">, E, Scope.Scope>
  ) =>
  async (seed: number): Promise<Run> => {
    const generate = Machine.generator(seed ^ salt)
    const start = Date.UTC(2030, generate() % 12, 1 + (generate() % 28), 8) + (generate() % (8 * HOUR))
    const machine = Machine.time(start)
    const outcome = await simulate(seed, machine, start).pipe(
      Effect.scoped,
      Random.withSeed(seed),
      Effect.catchCause((cause) =>
        Effect.succeed({
          problems: [`the run has failed: ${String(cause)}`],
          stats: { comparisons: 0, faults: new Map<string, number>() }
        })
      ),
      Effect.provideService(Logger.CurrentLoggers, new Set()),
      Effect.provideService(Clock.Clock, machine.clock),
      Effect.provideService(Scheduler.Scheduler, machine.scheduler),
      Effect.runPromise
    )
    return { seed, ...outcome }
  }

/** Runs one seed. */
export const run = runner(0x5bd1e995, simulate)
