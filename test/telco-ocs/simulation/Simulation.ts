/**
 * Orders of packages under faults, from a seed: clients that try again, processes that die and
 * stand still at any call, and a system that loses, delays, doubles and refuses, with a clock and a
 * zone of its own. Some SIMs are paused and resumed meanwhile. All in virtual time, so that a run
 * of hours takes milliseconds, and its course is the seed's.
 */
import { Clock, Context, Effect, Fiber, Latch, Layer, Logger, Random, Scheduler } from "effect"
import { Telco } from "simplan/ports"
import * as Machine from "../../../adapters/simulation/Machine.ts"
import { Journal } from "../../../adapters/telco-calls/index.ts"
import { Api, Ocs, Orders, type Settlement } from "../../../adapters/telco-ocs/index.ts"
import * as Model from "../Model.ts"
import * as Surroundings from "./Surroundings.ts"
import * as Verdict from "./Verdict.ts"
import * as Values from "../../domain/Values.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND

const settings = { telco: "ocs", resellerId: 1, zones: { Green: { FR: 27, EUROPE: 28 } }, mobilePlanId: 10 }

/** Numbers from a seed (mulberry32). */
const generator = (seed: number) => {
  let state = seed >>> 0
  return (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}

export interface Stats {
  /** How often an operation of one process followed on an operation of another. */
  readonly switches: number
  /** Shows whether two runs went the same way. */
  readonly trace: number
  readonly calls: number
  readonly faults: ReadonlyMap<string, number>
}

export interface Run {
  readonly seed: number
  /** What does not hold, a line each. */
  readonly problems: ReadonlyArray<string>
  readonly stats: Stats
}

interface Process {
  readonly name: string
  readonly isDead: () => boolean
  /** The zone in its settings. */
  readonly timeZone: string
  readonly telco: Telco.Telco["Service"]
  readonly orders: Orders.Orders["Service"]
  readonly report: (used: ReadonlyArray<Settlement.Duplicate>) => Effect.Effect<void>
  readonly died: Effect.Effect<void>
}

type Operation = Effect.Effect<unknown, unknown>

const terms = (regionCode: string): Telco.PackageOrder["terms"] =>
  Values.terms({
    name: "Simulated",
    coverageId: "8a4a4f0e-3f8e-5a58-9a44-2d4d0c3f1f10",
    regionCode,
    dataMegaBytes: 100,
    periodDays: 7
  })

const windowsFrom = (start: number) => [
  null,
  { start: start + 2 * 60 * MINUTE, end: start + 7 * 1440 * MINUTE },
  {
    start: start + 5 * 60 * MINUTE + 250,
    end: start + 7 * 1440 * MINUTE + 250
  }
]

const make = (seed: number, surroundings: Surroundings.Surroundings) => {
  const { isOnline, lag, skew, start } = surroundings
  const random = generator(seed)
  const oneIn = (number: number): boolean => random(number) === 0
  const pick = <A>(from: ReadonlyArray<A>): A => from[random(from.length)] as A
  const struck = new Map<string, number>()
  const count = (what: string) => void struck.set(what, (struck.get(what) ?? 0) + 1)
  let trace = 0x811c9dc5
  let switches = 0
  let ran = ""
  /** Notes an operation of a process. */
  const mark = (process: string, operation: string) => {
    if (ran !== "" && ran !== process) switches++
    ran = process
    const what = process + operation
    for (let index = 0; index < what.length; index++) trace = Math.imul(trace ^ what.charCodeAt(index), 0x01000193)
  }
  const machine = Machine.time(start, random)
  const now = () => machine.clock.currentTimeMillisUnsafe()

  // Orders that are alike, of one SIM at one moment, are those that could take each other's
  // package.
  const areAlike = oneIn(2)

  // --- the system ---
  const faulty = !oneIn(10)
  const calmFrom = start + 30 * MINUTE
  const after = () => (oneIn(3) ? random(10 * MINUTE) : random(40 * SECOND))
  const severe = [
    "request lost",
    "answer lost",
    "request cut",
    "answer cut",
    "late",
    "late",
    "twice",
    "refused"
  ] as const
  const cuts = ["request cut", "answer cut"] as const
  // Where nothing is late and no process dies, one read is enough, and there is never a duplicate
  // to delete.
  const isPlain = oneIn(6)
  const ordering = isPlain
    ? (["request lost", "answer lost", "answer cut"] as const)
    : areAlike
      ? ([...severe, ...cuts, ...cuts, ...cuts, ...cuts] as const)
      : severe
  const fault = (name: keyof Api.Api["Service"]): Model.Fault | null => {
    const changes = name === "affectPackage" || name === "deletePackage" || name === "setSubscriberStatus"
    if (!faulty || now() > calmFrom || (changes ? random(10) >= (areAlike ? 8 : 5) : !oneIn(8))) return null
    if (oneIn(5)) return { kind: pick(["traffic control", "not reached"] as const) }
    if (!changes) return { kind: pick(["answer lost", "answer cut"] as const) }
    const drawn = pick(ordering)
    // A status that was set and answered is not set once more later.
    const kind = drawn === "twice" && name === "setSubscriberStatus" ? "late" : drawn
    if (kind === "late" || kind === "twice") return { kind, after: after() }
    // A deletion that is refused is left to an operator.
    return { kind: kind === "refused" && (name === "deletePackage" || oneIn(3)) ? "answer lost" : kind }
  }
  const latency = () =>
    oneIn(20) ? SECOND * (1 + random(3)) : pick(areAlike ? [0, 100, SECOND, 2 * SECOND] : [0, 0, 0, 100, 200])
  if (skew !== 0) count("clock off")
  if (isOnline) count("device online")
  const behind = generator(seed + 1)
  const writing = generator(seed + 2)
  const losesWrites = faulty && !isPlain && writing(3) === 0
  /** What befalls a write of the journal: one that fails may be done. */
  const writeFault = (): "not done" | "done" | null =>
    !losesWrites || now() > calmFrom || writing(12) > 0 ? null : writing(2) === 0 ? "not done" : "done"
  const model = Model.make({
    fault,
    latency,
    skew,
    lag: () => {
      if (lag > 0) count("list behind")
      return lag === 0 || behind(2) === 0 ? lag : behind(lag + 1)
    },
    isOnline: () => isOnline
  })
  /** What the operator has set for the system's zone. */
  const zoneSet = () => (now() < surroundings.correctedAt ? surroundings.setAtFirst : surroundings.zone)
  const iccids = !areAlike && oneIn(4) ? ["8988303000000000017", "8988303000000000025"] : ["8988303000000000017"]

  return {
    random,
    oneIn,
    pick,
    struck,
    count,
    mark,
    traced: () => ({ trace, switches }),
    machine,
    now,
    model,
    writeFault,
    surroundings,
    zoneSet,
    windows: windowsFrom(start),
    iccids,
    areAlike,
    isPlain,
    calmFrom
  }
}

type World = ReturnType<typeof make>

/** Starts a process, with a mishap to come in many cases. */
const start = Effect.fnUntraced(function* (
  world: World,
  shared: Journal.Journal["Service"],
  name: string,
  isSafe: boolean,
  reported: (used: Settlement.Duplicate) => void
) {
  const { count, mark, now, oneIn, random } = world
  const timeZone = world.zoneSet()
  const died = Latch.makeUnsafe(false)
  let isDead = false
  let dieIn = !isSafe && oneIn(2) ? 1 + random(80) : 0
  let freezeIn = !isSafe && oneIn(3) ? 1 + random(60) : 0
  let frozenUntil = 0

  /**
   * Where the process may stop: the scheduler decides whether it goes on, and the seed what befalls
   * it.
   */
  const point = Effect.gen(function* () {
    // Whatever takes a while lets others go on.
    if (oneIn(2)) yield* Effect.sleep(random(oneIn(8) ? 2 * SECOND : 50))
    if (freezeIn > 0 && --freezeIn === 0) {
      frozenUntil = now() + random(100 * SECOND)
      count("process stands still")
    }
    if (dieIn > 0 && --dieIn === 0) {
      isDead = true
      died.openUnsafe()
      count("process dies")
    }
    while (!isDead && frozenUntil > now()) yield* Effect.sleep(frozenUntil - now())
    if (isDead) yield* Effect.interruptible(Effect.never)
  })

  const call = (what: string, operation: Operation): Operation =>
    Effect.suspend((): Operation => {
      if (isDead) return Effect.die("the process is dead")
      return Effect.gen(function* () {
        yield* point
        mark(name, what)
        const exit = yield* Effect.exit(operation)
        yield* point
        return yield* exit
      })
    })

  /** The service, with a point before and after each operation. */
  const around = <S extends object>(service: S): S =>
    new Proxy(service, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property)
        const what = String(property)
        if (typeof value === "function") {
          return (...parameters: ReadonlyArray<unknown>) =>
            call(what, Reflect.apply(value, target, parameters) as Operation)
        }
        return Effect.isEffect(value) ? call(what, value as Operation) : value
      }
    })

  /** A write of the journal, which may fail. */
  const written = <A>(operation: Effect.Effect<A, Journal.JournalError>): Effect.Effect<A, Journal.JournalError> =>
    Effect.suspend(() => {
      const fault = world.writeFault()
      if (fault === null) return operation
      count("write of the journal fails")
      const failure = new Journal.JournalError({ message: "The journal is out of reach" })
      return fault === "done" ? Effect.andThen(operation, failure) : Effect.fail(failure)
    })
  const journal: Journal.Journal["Service"] = {
    ...shared,
    add: (entry, also) => written(shared.add(entry, also)),
    replace: (entry, also) => written(shared.replace(entry, also))
  }

  const report = (used: ReadonlyArray<Settlement.Duplicate>) =>
    call(
      "report",
      Effect.sync(() => used.forEach(reported))
    ).pipe(Effect.asVoid, Effect.orDie)

  const { affectPackage } = world.model.api
  const { zone } = world.surroundings
  const api = Api.Api.of({
    ...world.model.api,
    affectPackage: ({ window, ...order }) => {
      const read = window && Surroundings.windowRead(zone, window, timeZone)
      if (window !== null && read !== null && Math.abs(read.end - window.end) > SECOND) count("window misread")
      return affectPackage({ ...order, window: read })
    }
  })
  const layer = Ocs.layer({ ...settings, timeZone }).pipe(
    Layer.provide([Layer.succeed(Journal.Journal, around(journal)), Layer.succeed(Api.Api, around(api))])
  )
  const context = yield* Layer.build(layer)
  const it: Process = {
    name,
    isDead: () => isDead,
    timeZone,
    telco: Context.get(context, Telco.Telco),
    orders: Context.get(context, Orders.Orders),
    report,
    died: died.await
  }
  return it
})

const simulate = Effect.fnUntraced(function* (world: World) {
  const { areAlike, count, iccids, isPlain, model, now, oneIn, pick, random, windows, zoneSet } = world
  const journal = yield* Journal.makeMemory
  // Locks that never hold anybody up, as if each holder had stood still for too long: nothing may
  // depend on them.
  const shared =
    !isPlain && (areAlike ? !oneIn(3) : oneIn(4)) ? { ...journal, lock: () => Effect.succeed(true) } : journal
  const verdict = Verdict.make(model, world.surroundings.zone)
  const sleep = (bound: number) => Effect.sleep(Math.round(random(bound) / 200) * 200)

  let given = 0
  // Packages that an operator has given by hand are not to be touched.
  if (oneIn(3)) {
    model.templates.push({ id: 8000, name: "simplan z27 100MB 7d", isDeleted: false })
    // They were there before, so each list has them.
    const then = now() - MINUTE
    given = iccids.length
    for (const iccid of iccids) verdict.foreign(model.place(iccid, 8000, oneIn(2) ? null : pick(windows), then))
  }

  let started = 0
  const processes = [
    yield* start(world, shared, `p${started++}`, isPlain, verdict.reported),
    yield* start(world, shared, `p${started++}`, isPlain, verdict.reported)
  ]
  const isOutdated = (one: Process | undefined): boolean =>
    one === undefined || one.isDead() || one.timeZone !== zoneSet()
  /**
   * A process that is there; a dead one, and one with other settings, is replaced after a while.
   */
  const alive = Effect.fnUntraced(function* () {
    const slot = random(processes.length)
    const one = processes[slot] as Process
    if (!isOutdated(one)) return one
    yield* sleep(20 * SECOND)
    if (isOutdated(processes[slot])) {
      processes[slot] = yield* start(world, shared, `p${started++}`, now() > world.calmFrom, verdict.reported)
    }
    return processes[slot] as Process
  })

  /**
   * A call by some process, whose caller waits for so long. Null: it died, or the caller waited no
   * longer.
   */
  const attempt = Effect.fnUntraced(function* <A>(
    use: (process: Process) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
  ) {
    const process = yield* alive()
    const waitLimit = !isPlain && oneIn(8) ? random(5 * SECOND) : MINUTE
    const gone = Effect.race(Effect.sleep(waitLimit), process.died)
    return yield* Effect.raceFirst(Effect.result(use(process)), Effect.as(gone, null))
  })

  const until = Effect.fnUntraced(function* <A>(
    use: (process: Process) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>,
    tries: number
  ) {
    for (let tried = 0; tried < tries; tried++) {
      const result = yield* attempt(use)
      if (result?._tag === "Success") return result
      if (result?.failure._tag === "Telco.Refused") return result
      yield* sleep(oneIn(3) ? 90 * SECOND : 5 * SECOND)
    }
    return null
  })

  const client = Effect.fnUntraced(function* (key: string) {
    const iccid = pick(iccids)
    const window = areAlike ? null : pick(windows)
    const region = !areAlike && oneIn(4) ? "EUROPE" : "FR"
    const order: Telco.PackageOrder = { packageId: key, iccid, window, terms: terms(region) }
    const client = verdict.client(order)
    yield* sleep(areAlike || oneIn(2) ? SECOND : pick([5 * SECOND, 20 * MINUTE]))
    const create = (tries: number) =>
      Effect.gen(function* () {
        let wasEnded = false
        const use = (process: Process) =>
          Effect.suspend(() => {
            wasEnded = client.isEnded()
            return process.telco.createPackage(order)
          })
        const answer = yield* until(use, tries)
        if (answer !== null) client.created(answer, wasEnded)
        return answer
      })
    const cancel = Effect.gen(function* () {
      client.cancelling()
      const answer = yield* until((process) => process.telco.cancelPackage({ packageId: key, iccid }), 1_000)
      if (answer?._tag !== "Success") client.failed("the cancellation does not end")
      client.cancelled()
    })
    // A lease that was lost leaves a second caller with the same order.
    const soon = () => sleep(oneIn(2) ? SECOND : 30 * SECOND)
    const twin = oneIn(3) ? yield* Effect.forkChild(Effect.andThen(soon(), create(1))) : null
    const early = oneIn(5) ? yield* Effect.forkChild(Effect.andThen(soon(), cancel)) : null
    if (early !== null) {
      yield* create(1 + random(3))
      yield* Fiber.join(early)
    } else {
      const givesUp = oneIn(5)
      const answer = yield* create(givesUp ? 1 + random(3) : 1_000)
      if (answer === null && !givesUp) client.failed("the creation does not end")
      const next = answer?._tag === "Success" ? pick(["keep", "keep", "cancel", "suspend"] as const) : "cancel"
      if (next === "cancel") {
        yield* sleep(oneIn(2) ? SECOND : 20 * MINUTE)
        yield* cancel
      } else if (next === "suspend") {
        const suspended = yield* until((process) => process.telco.suspendPackage({ packageId: key, iccid }), 1_000)
        if (suspended?._tag === "Success") client.suspended()
      }
    }
    if (twin !== null) yield* Fiber.join(twin)
    if (oneIn(3)) yield* create(1_000)
  })

  /**
   * Pauses a SIM and resumes it as the core does: one change at a time. Where its first call is
   * refused, it may be wanted no more; else it is asked for under a new key. The SIM, if it is
   * paused in the end; else null.
   */
  const pausing = Effect.fnUntraced(function* (iccid: string) {
    let active = true
    for (let left = 1 + random(3); left > 0; left--) {
      yield* sleep(pick([SECOND, 30 * SECOND, 5 * MINUTE]))
      active = !active
      count(active ? "SIM resumed" : "SIM paused")
      for (let tried = 0; ; tried++) {
        const change = { key: `${iccid} ${left}:${tried}`, iccid, active }
        const use = ({ telco }: Process) => telco.setService?.(change) ?? Effect.die("it has no such operation")
        const first = yield* attempt(use)
        const isRefused = first?._tag === "Failure" && first.failure._tag === "Telco.Refused"
        // Without locks an order may have paused the SIM once more by what was refused.
        if (isRefused && tried === 0 && shared === journal && oneIn(2)) {
          active = !active
          break
        }
        const answer = isRefused || first?._tag === "Success" ? first : yield* until(use, 1_000)
        if (answer === null) verdict.problem(`a change of the service of ${iccid} does not end`)
        if (answer?._tag !== "Failure") break
      }
    }
    return active ? null : iccid
  })

  const settle = Effect.fnUntraced(function* (process: Process, limit: number) {
    const settled = yield* Effect.raceFirst(
      Effect.orDie(process.orders.settle({ limit, report: process.report })),
      Effect.as(process.died, null)
    )
    if (settled === null) return
    if (isPlain && settled.deleted > 0 && !verdict.hasCancelled())
      verdict.problem("a duplicate although nothing was late")
    for (let deleted = 0; deleted < settled.deleted; deleted++) count("duplicates deleted")
  })
  const settling = Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(30 * SECOND + SECOND * random(60))
      const entries = yield* Effect.forEach(iccids, (iccid) => journal.ofSim({ telco: "ocs", kind: "package", iccid }))
      // A claim of nothing would only take time.
      if (entries.flat().some(({ dueAt }) => dueAt !== null && dueAt <= now()))
        yield* settle(yield* alive(), 1 + random(4))
    }
  })
  const using = Effect.gen(function* () {
    for (;;) {
      yield* sleep(3 * MINUTE)
      const ids = [...model.packages.keys()]
      if (ids.length > 0) model.use(pick(ids), 1 + random(1_000_000), now())
    }
  })
  const background = [yield* Effect.forkChild(settling), ...(oneIn(2) ? [yield* Effect.forkChild(using)] : [])]
  const services = yield* Effect.forEach(oneIn(2) ? iccids : [], (iccid) => Effect.forkChild(pausing(iccid)))
  const keys = Array.from({ length: areAlike ? 2 + random(3) : 1 + random(4) }, (_, index) => `order-${index}:0`)
  yield* Effect.forEach(keys, client, { concurrency: "unbounded", discard: true })
  const paused = (yield* Fiber.joinAll(services)).flatMap((iccid) => iccid ?? [])
  yield* Fiber.interruptAll(background)

  // On to the end of all watch times: whatever is still to happen late has happened by then.
  yield* Effect.sleep(Math.max(0, world.calmFrom - now()) + 11 * MINUTE)
  const last = yield* start(world, shared, "last", true, verdict.reported)
  const entries = Effect.map(
    Effect.forEach(keys, (key) => shared.get({ telco: "ocs", kind: "package", key })),
    (all) => all.flatMap((entry) => entry ?? [])
  )
  for (let rounds = 0; ; rounds++) {
    const due = (yield* entries).flatMap(({ dueAt }) => dueAt ?? [])
    if (due.length === 0) break
    if (rounds > 100) {
      verdict.problem("settlings do not end")
      break
    }
    yield* Effect.sleep(Math.max(0, Math.min(...due) - now()))
    yield* settle(last, 10)
  }
  const made = model.packages.size + model.deleted.size - given
  if (isPlain && world.surroundings.setAtFirst === world.surroundings.zone && made > keys.length)
    verdict.problem(`${made} packages were made for ${keys.length} orders although nothing was late`)
  for (const iccid of iccids) {
    if (model.suspended.has(iccid) !== paused.includes(iccid))
      verdict.problem(
        `${iccid} is ${model.suspended.has(iccid) ? "paused and was resumed" : "in service and was paused"}`
      )
  }
  // Nobody polls here: a SIM with a package is due to be polled since its order.
  for (const { document, iccid } of yield* entries) {
    const polled = iccid === null ? null : yield* journal.get({ telco: "ocs", kind: "sim", key: iccid })
    if (document["_tag"] === "Created" && (polled?.dueAt ?? null) === null) verdict.problem(`nobody polls ${iccid}`)
  }
  const found = verdict.problems(yield* entries)
  return oneIn(2) ? [...found, ...(yield* released(world, journal, last.telco))] : found
})

/**
 * The SIMs are released as the core does it, perhaps over a journal from a backup: what remains of
 * simplan's templates is used, and was refused. A line for each package that is left otherwise.
 */
const released = Effect.fnUntraced(function* (
  { iccids, model, now, oneIn, random }: World,
  journal: Journal.Journal["Service"],
  telco: Telco.Telco["Service"]
) {
  // Lists are behind for a while.
  yield* Effect.sleep(2 * MINUTE)
  if (oneIn(2)) {
    const lost = { telco: "ocs", before: now() + MINUTE, limit: 1 + random(4) }
    for (const kind of ["package", "package-id"]) yield* journal.purge({ ...lost, kind })
  }
  const refused = new Set<string>()
  for (const iccid of iccids) {
    const listed = yield* Effect.suspend(() => telco.listPackages?.({ iccid }) ?? Effect.succeed(null))
    for (const packageId of listed ?? []) {
      const answer = yield* Effect.result(telco.cancelPackage({ packageId, iccid }))
      if (answer._tag === "Failure") refused.add(packageId)
    }
  }
  return [...model.packages.values()].flatMap(({ id, usedBytes }) =>
    usedBytes > 0 && refused.has(`ocs/${id}`) ? [] : [`package ${id} is left on a SIM that is released`]
  )
})

/** What surrounds the run of a seed. */
const drawn = (seed: number): Surroundings.Surroundings => Surroundings.of(generator(seed ^ 0x5bd1e995))

/** Runs one seed. */
export const run = async (seed: number, surroundings = drawn(seed)): Promise<Run> => {
  const world = make(seed, surroundings)
  const { machine, model, struck } = world
  const problems = await simulate(world).pipe(
    Effect.scoped,
    Random.withSeed(seed),
    Effect.catchCause((cause) => Effect.succeed([`the run has failed: ${String(cause)}`])),
    Effect.provideService(Logger.CurrentLoggers, new Set()),
    Effect.provideService(Clock.Clock, machine.clock),
    Effect.provideService(Scheduler.Scheduler, machine.scheduler),
    Effect.runPromise
  )
  const faults = new Map<string, number>([...struck, ...model.faults])
  return { seed, problems, stats: { ...world.traced(), calls: model.calls(), faults } }
}
