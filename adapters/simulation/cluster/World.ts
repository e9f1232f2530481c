/**
 * Several processes of the production engine on one storage, in one Node process, under a seeded
 * scheduler and faults.
 *
 *     const { complaints } = yield* Cluster.run(plan)
 *
 * All time is virtual machine time. One plan gives one history: who goes next, how long each call
 * takes and where each fault strikes follow from its seed and its steps. In the end all faults are
 * over and all work is done; then each process has to serve a few requests promptly, and what must
 * hold of every history has to hold of this one.
 */
import { Clock as MachineClock, Context, Effect, Fiber, Layer, Logger, Scheduler } from "effect"
import { Catalogues, type Services, Time } from "simplan"
import { Clocks, Jobs, Outbox, Storage, Telco, WebhookSender } from "simplan/ports"
import { StandardCatalogue } from "../../catalogue/index.ts"
import * as Memory from "../../memory/index.ts"
import { type Faults, TelcoSimulator } from "../../telco-simulator/index.ts"
import { Commands, type Simulated } from "../../../src/testing/index.ts"
import * as Inventory from "../Inventory.ts"
import * as Machine from "../Machine.ts"
import * as Processes from "../Processes.ts"
import * as SimulatedTelco from "../Telco.ts"
import * as Ledger from "./Ledger.ts"
import type { Fault, Plan, Step } from "./Plan.ts"
import * as Process from "./Process.ts"

/** A request that was made, and what came of it. */
export interface Answered extends Commands.Ran {
  readonly command: Commands.Command
  readonly process: number
  readonly began: Time.Instant
  readonly ended: Time.Instant
}

/** A webhook on its way to its receiver. */
export interface Sent {
  readonly at: Time.Instant
  readonly eventId: string
  readonly isTaken: boolean
}

/** The processes of a run, what they share, and the means to disturb them. */
export interface World {
  /** The plan that is played. */
  readonly plan: Plan
  /**
   * The service as invariants and commands see it. Operations that a cluster has not, such as
   * `advanceTo` and `kill`, are defects.
   */
  readonly simulated: Simulated.Simulated
  /** Requests that have ended, in the order of their ends. */
  readonly answered: ReadonlyArray<Answered>
  /** Every attempt to send a webhook, in order, those that failed included. */
  readonly sent: ReadonlyArray<Sent>
  /** How often each fault struck. */
  readonly struck: ReadonlyMap<string, number>
  /** How often the scheduler chose between fibers. */
  readonly choices: () => number
  /** How many processes were started so far, replacements included. */
  readonly processes: () => number
  /**
   * Leases and reservations that storage gave; its `complaints` are faults of storage or engine.
   */
  readonly ledger: Ledger.Ledger
  /** What receivers found. */
  readonly complaints: ReadonlyArray<string>
  /** Makes requests at once; ends when all are answered, or after so many milliseconds. */
  readonly ask: (
    requests: ReadonlyArray<{ readonly process: number; readonly command: Commands.Command }>,
    waitLimit: number
  ) => Effect.Effect<void>
  /** How many requests have no answer. */
  readonly unanswered: () => number
  /**
   * Ends when the step is over. It waits at most 2 s for requests, and ends at once for a fault.
   */
  readonly perform: (step: Step) => Effect.Effect<void>
  /**
   * Stops the process as a deployment does, and ends when it has stopped. Another one starts in its
   * place.
   */
  readonly stop: (process: number) => Effect.Effect<void>
  /** Runs a use case in that process. */
  readonly useIn: <A, E>(process: number, effect: Effect.Effect<A, E, Services.Services>) => Effect.Effect<A, E>
  /** The telco itself, with no process between. */
  readonly telco: Telco.Telco["Service"]
  /** The next calls to the telco meet these faults. */
  readonly setTelco: (faults: ReadonlyArray<Faults.Fault>) => Effect.Effect<void>
  /** Ends all faults, and starts the processes that are dead. */
  readonly heal: Effect.Effect<void>
  /**
   * The next `times` webhooks meet this fault; null: of either organization. Replaces what was said
   * before.
   */
  readonly setReceiver: (
    fault: Extract<Fault, { _tag: "Receiver" }>["fault"],
    times: number,
    organizationId: string | null
  ) => void
}

export const START: Time.Instant = Date.UTC(2026, 0, 1)

/** A lease is short, so that a slow receiver and a slow telco outlast it. */
export const limits = {
  leaseMillis: 10_000,
  telcoTimeoutMillis: 12_000,
  pollMillis: 30_000
} as const

const SLOW_RECEIVER = 14_000

/**
 * For how long a receiver that is busy asks not to be called: longer than the first two waits of
 * the schedule (rule W7).
 */
const PAUSE_SECONDS = 600
const SLOW_TELCO = 40_000

/**
 * The first organization soon has no free SIM left; of the second one's, some may be reserved
 * ahead.
 */
const inventory = { esims: { Green: 6 }, physicalSims: 1, lifecycle: true } as const
const largeInventory = { ...inventory, esims: { Green: 24 } } as const

/** The process of the running request. */
const CurrentProcess = Context.Reference<number>("simplan/Cluster/CurrentProcess", { defaultValue: () => 0 })

const unused = Effect.die("a cluster has no such thing")

/** Builds the world, runs `story` in it and kills all processes. */
export const run = <A>(
  plan: Plan,
  story: (world: World) => Effect.Effect<A>,
  around: (ports: Context.Context<Process.SharedPorts>) => Context.Context<Process.SharedPorts> = (same) => same
): Effect.Effect<A> => {
  const next = Machine.generator(plan.seed)
  const random = (bound: number) => next() % bound
  const machine = Machine.time(START, random)
  const mishaps = Processes.mishaps()
  return Effect.scoped(build(plan, machine, random, mishaps, story, around)).pipe(
    Effect.provideService(Logger.CurrentLoggers, mishaps.loggers),
    Effect.provideService(MachineClock.Clock, machine.clock),
    Effect.provideService(Scheduler.Scheduler, machine.scheduler)
  )
}

const build = Effect.fnUntraced(function* <A>(
  plan: Plan,
  machine: Machine.MachineTime,
  random: (bound: number) => number,
  mishaps: Processes.Mishaps,
  story: (world: World) => Effect.Effect<A>,
  around: (ports: Context.Context<Process.SharedPorts>) => Context.Context<Process.SharedPorts>
) {
  const struck = new Map<string, number>()
  const count = (what: string) => void struck.set(what, (struck.get(what) ?? 0) + 1)
  const now = machine.clock.currentTimeMillis
  const sent: Array<Sent> = []
  const webhooks: Array<Simulated.ReceivedWebhook> = []
  const calls: Array<Simulated.TelcoCall> = []
  const receiver: { faults: Array<Extract<Fault, { _tag: "Receiver" }>["fault"]>; organizationId: string | null } = {
    faults: [],
    organizationId: null
  }
  /** Until when the receiver has asked not to be called again about an event. */
  const asked = new Map<string, Time.Instant>()
  const complaints: Array<string> = []
  const send = Effect.fnUntraced(function* ({ body, eventId, url }: WebhookSender.WebhookCall) {
    const organizationId = url.slice(url.lastIndexOf("/") + 1)
    const at = yield* now
    const isMeant = receiver.organizationId === null || receiver.organizationId === organizationId
    const fault = isMeant ? receiver.faults.shift() : undefined
    if (fault !== undefined) count(`Receiver ${fault}`)
    // If the process died before it stored the answer, nobody knows of the pause.
    if (ledger.busy.has(eventId) && at < (asked.get(eventId) ?? at)) {
      complaints.push(`${eventId} was sent sooner than its receiver has asked for`)
    }
    sent.push({ at, eventId, isTaken: fault === undefined || fault === "slow" })
    if (fault === "slow") yield* Effect.sleep(SLOW_RECEIVER)
    if (fault === "no answer") return yield* new WebhookSender.SendFailed({ message: "no answer" })
    if (fault === "error") return { status: 500 }
    if (fault === "busy") {
      asked.set(eventId, (yield* now) + PAUSE_SECONDS * Time.SECOND)
      return { status: sent.length % 2 === 0 ? 429 : 503, retryAfterSeconds: PAUSE_SECONDS }
    }
    webhooks.push({ at, organizationId, body, callsBefore: calls.length })
    return { status: 200 }
  })

  const journal = SimulatedTelco.journal()
  const clock = Layer.succeed(Clocks.BusinessClock, { now, set: null })
  const outside = yield* Layer.build(
    Layer.mergeAll(
      Memory.layer,
      StandardCatalogue.layer,
      Machine.crypto(plan.seed),
      TelcoSimulator.layer({ times: "reported" }).pipe(Layer.provide(journal.layer)),
      Layer.succeed(WebhookSender.WebhookSender, { send })
    ).pipe(Layer.provideMerge(clock))
  )
  const telco = Context.get(outside, TelcoSimulator.TelcoSimulator)
  const observed = SimulatedTelco.observed(Context.get(outside, Telco.Telco), now, (call) => void calls.push(call))
  const ledger = Ledger.beside(around(Context.add(outside, Telco.Telco, observed)))
  const [storage, jobs, outbox] = [
    Context.get(outside, Storage.Storage),
    Context.get(outside, Jobs.Jobs),
    Context.get(outside, Outbox.Outbox)
  ]

  let started = 0
  let outUntil = Number.NEGATIVE_INFINITY
  const faults = plan.clocks.map(() => Process.noFaults())
  const faultsOf = (index: number) => faults[index % faults.length] ?? Process.noFaults()
  const processes: Array<Process.Process> = []
  const begin = Effect.fnUntraced(function* (index: number) {
    started += 1
    processes[index] = yield* Process.start({
      ports: ledger.ports,
      machine,
      skew: plan.clocks[index] ?? 0,
      faults: faultsOf(index),
      seed: plan.seed * 1_000 + started,
      random,
      isOut: () => machine.clock.currentTimeMillisUnsafe() < outUntil,
      limits: { ...limits, concurrency: plan.concurrency },
      count
    })
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const process of processes) process.kill()
    })
  )

  const scope = yield* Effect.scope
  /** Starts another process if one dies; the next one dies in its turn. */
  const keepUp = (index: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      yield* processes[index]?.died ?? Effect.never
      yield* Effect.sleep(faultsOf(index).downtime)
      yield* begin(index)
      return yield* keepUp(index)
    })

  const current = Effect.map(CurrentProcess, (index) => {
    const process = processes[index % processes.length]
    if (process === undefined) throw new Error("there is no process")
    return process
  })
  const use: Simulated.Simulated["use"] = (effect) => Effect.flatMap(current, (process) => process.use(effect))

  for (const index of plan.clocks.keys()) yield* begin(index)
  const inventories = [Inventory.rows(0, inventory), Inventory.rows(1, largeInventory)] as const
  const first = yield* Effect.orDie(use(Inventory.furnish("First Travel", inventories[0], inventory)))
  const second = yield* Effect.orDie(use(Inventory.furnish("Second Travel", inventories[1], inventory)))
  for (const index of plan.clocks.keys()) yield* Effect.forkIn(keepUp(index), scope)
  const { profiles } = yield* Context.get(outside, Catalogues.BuiltIn).catalogue
  const simulated: Simulated.Simulated = {
    seed: plan.seed,
    start: START,
    organizationIds: [first, second],
    iccids: (organizationId) => Inventory.iccids(inventories[organizationId === first ? 0 : 1]),
    coverageIds: (label) => profiles.filter((profile) => profile.label === label).map(({ coverageId }) => coverageId),
    use,
    inItsTime: (story) => story,
    now,
    advanceTo: () => unused,
    advanceBy: () => unused,
    sleepThrough: () => unused,
    setFault: () => unused,
    arrivals: unused,
    telco: Effect.sync(() => SimulatedTelco.booksOf(journal.records)),
    telcoRecords: (from) => journal.records.slice(from),
    telcoCalls: (from) => calls.slice(from),
    kill: () => unused,
    killed: Effect.flatMap(current, (process) => process.died),
    restart: Effect.void,
    mishaps: (from) => mishaps.messages.slice(from),
    received: (from) => webhooks.slice(from),
    webhooks: Effect.sync(() => [...webhooks]),
    storage,
    jobs,
    outbox
  }
  const session = Commands.begin(simulated, false)
  const answered: Array<Answered> = []
  let unanswered = 0

  const ask: World["ask"] = Effect.fnUntraced(function* (requests, waitLimit) {
    const fibers: Array<Fiber.Fiber<void>> = []
    for (const { command, process } of requests) {
      unanswered += 1
      const request = Effect.gen(function* () {
        const began = yield* now
        const ran = yield* Effect.orDie(Commands.run(session, command))
        unanswered -= 1
        answered.push({ ...ran, command, process, began, ended: yield* now })
      })
      fibers.push(
        yield* Effect.forkIn(Effect.provideService(request, CurrentProcess, process % plan.clocks.length), scope)
      )
    }
    yield* Effect.timeoutOption(Fiber.awaitAll(fibers), waitLimit)
  })

  const setReceiver: World["setReceiver"] = (fault, times, organizationId) => {
    receiver.faults = Array.from({ length: times }, () => fault)
    receiver.organizationId = organizationId
  }
  const strike = (fault: Fault): Effect.Effect<void> => {
    switch (fault._tag) {
      case "Die":
        return Effect.sync(() =>
          Object.assign(faultsOf(fault.process), {
            dieIn: fault.calls,
            isOfTelco: fault.of === "telco",
            downtime: fault.downtime
          })
        )
      case "Freeze":
        return Effect.sync(() =>
          Object.assign(faultsOf(fault.process), { freezeIn: fault.calls, freezeMillis: fault.millis })
        )
      case "LoseAnswer":
        return Effect.sync(() => Object.assign(faultsOf(fault.process), { loseIn: fault.writes, isDone: fault.isDone }))
      case "SlowStorage":
        return Effect.sync(() =>
          Object.assign(faultsOf(fault.process), { slowCalls: fault.times, slowMillis: fault.millis })
        )
      case "Outage":
        count("Outage")
        outUntil = machine.clock.currentTimeMillisUnsafe() + fault.millis
        return Effect.void
      case "LoseNotifications":
        return Effect.sync(() => Object.assign(faultsOf(fault.process), { lostNotifications: fault.times }))
      case "Stop":
        count("Stop")
        return Effect.asVoid(Effect.forkIn(stop(fault.process), scope))
      case "Telco":
        count(`Telco ${fault.fault}`)
        return telco.setFaults([telcoFault(fault)])
      case "Receiver":
        setReceiver(fault.fault, fault.times, null)
        return Effect.void
    }
  }
  const stop = (process: number) => processes[process % processes.length]?.stop ?? Effect.void

  const world: World = {
    plan,
    simulated,
    answered,
    sent,
    struck,
    choices: machine.choices,
    processes: () => started,
    ledger,
    complaints,
    ask,
    unanswered: () => unanswered,
    perform: (step) => {
      switch (step._tag) {
        case "Requests":
          return ask(step.requests, 2_000)
        case "Wait":
          return Effect.sleep(step.millis)
        case "Fault":
          return strike(step.fault)
      }
    },
    stop,
    useIn: (process, effect) => Effect.provideService(use(effect), CurrentProcess, process % plan.clocks.length),
    telco: Context.get(outside, Telco.Telco),
    setTelco: telco.setFaults,
    heal: Effect.gen(function* () {
      for (const of of faults) Object.assign(of, { ...Process.noFaults(), downtime: of.downtime })
      receiver.faults = []
      yield* telco.setFaults([])
      // A frozen process goes on, perhaps to die, or to stop; and another one starts if one is
      // dead.
      yield* Effect.sleep(3 * MOST)
    }),
    setReceiver
  }
  return yield* story(world)
})

/** What the telco may refuse for good. */
const refusable = new Set(["createPackage", "sendSms", "setMobilePlan"])

const telcoFault = ({ after, fault, times }: Extract<Fault, { _tag: "Telco" }>): Faults.Fault => {
  switch (fault) {
    case "slow":
      return { fault, after, times, delay: SLOW_TELCO }
    case "refuse":
      return { fault, after, times, when: ({ kind }) => refusable.has(kind) }
    case "unreachable":
      return { fault: "unavailable", after, times, isDone: false }
    case "unavailable":
    case "answer lost":
      return { fault, after, times }
  }
}

/** The longest freeze and downtime, in milliseconds, with some to spare. */
export const MOST = 61_000
