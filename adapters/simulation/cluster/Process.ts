/**
 * A process of a simulated cluster: the production engine and services over ports that all
 * processes share.
 *
 * Each call of a port parks before it and after it. There the seeded scheduler decides who goes
 * next, and there the process dies, freezes, waits for slow storage, or loses an answer.
 */
import { Clock as MachineClock, Context, Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { Services, Settings, Worker } from "simplan"
import { Clocks, Jobs, Outbox, Storage, Telco, WebhookSender } from "simplan/ports"
import type { MachineTime } from "../Machine.ts"
import * as Machine from "../Machine.ts"
import { around } from "../Processes.ts"

export type SharedPorts = Exclude<Services.Ports, Clocks.BusinessClock>

/** The faults that wait for a process. */
export interface Faults {
  dieIn: number
  /** Whether only calls to the telco count. */
  isOfTelco: boolean
  downtime: number
  freezeIn: number
  freezeMillis: number
  loseIn: number
  isDone: boolean
  slowCalls: number
  slowMillis: number
  lostNotifications: number
}

export const noFaults = (): Faults => ({
  dieIn: 0,
  isOfTelco: false,
  downtime: 0,
  freezeIn: 0,
  freezeMillis: 0,
  loseIn: 0,
  isDone: false,
  slowCalls: 0,
  slowMillis: 0,
  lostNotifications: 0
})

export interface Options {
  readonly ports: Context.Context<SharedPorts>
  readonly machine: MachineTime
  /** By how many milliseconds the process's clock is ahead. */
  readonly skew: number
  readonly faults: Faults
  readonly seed: number
  /** A whole number from 0 on, below the bound. */
  readonly random: (bound: number) => number
  /** Whether storage is out of reach. */
  readonly isOut: () => boolean
  readonly limits: Partial<Settings.Limits>
  readonly count: (what: string) => void
}

export interface Process {
  readonly use: <A, E>(effect: Effect.Effect<A, E, Services.Services>) => Effect.Effect<A, E>
  readonly isDead: () => boolean
  /** Ends when the process is dead. */
  readonly died: Effect.Effect<void>
  /** Asks the process to stop; ends when it has stopped. */
  readonly stop: Effect.Effect<void>
  /** No call returns from now on. */
  readonly kill: () => void
}

/** Operations that reach nothing outside the process. */
const local = new Set(["clockOffset", "watch"])

type Sims = Storage.Storage["Service"]["sims"]

/**
 * The operations that change what is stored. One that is added to a port does not compile until it
 * is listed somewhere.
 */
type Writing =
  | Exclude<
      keyof Storage.Storage["Service"],
      keyof Storage.Reads | "sims" | "virtualClock" | "clockOffset" | "watch" | "ready" | "deadServers"
    >
  | `sims.${Exclude<
      keyof Sims,
      | "get"
      | "page"
      | "find"
      | "search"
      | "free"
      | "stock"
      | "counts"
      | "countFree"
      | "levels"
      | "identities"
      | "smdpHistory"
    >}`
  | Exclude<
      keyof Jobs.Jobs["Service"] | keyof Outbox.Outbox["Service"],
      "pending" | "pendingForHandler" | "partitions" | "backlog"
    >

const writing: Readonly<Record<Writing, true>> = {
  commit: true,
  purge: true,
  purgeReports: true,
  purgeAudit: true,
  purgeEvents: true,
  purgeUsage: true,
  probe: true,
  keepProcess: true,
  forgetProcess: true,
  recordKeyUses: true,
  adoptPurchase: true,
  leavePurchase: true,
  sessionKey: true,
  "sims.import": true,
  "sims.reserve": true,
  "sims.release": true,
  claim: true,
  claimForHandler: true,
  renew: true,
  release: true,
  handBack: true
}

/** One call in so many takes a while. */
const DELAYED = 8
const DELAY = 20

/** The machine's clock as a process reads it. */
const skewed = (clock: MachineClock.Clock, skew: number): MachineClock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() + skew
  const nanos = () => BigInt(Math.round(millis())) * 1_000_000n
  return {
    ...clock,
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The parts of a commit that lead to a lease. */
const leased = new Set(["jobs", "put", "retried", "lease"])

/**
 * Moves machine times from the process's clock to the storage's, as an adapter for a database does.
 */
const moved = (asked: unknown, by: number): unknown => {
  if (Array.isArray(asked)) return asked.map((one) => moved(one, by))
  if (!isRecord(asked)) return asked
  const entries = Object.entries(asked).map(([name, value]) => {
    if ((name === "machineNow" || name === "until") && typeof value === "number") return [name, value + by]
    return [name, leased.has(name) ? moved(value, by) : value]
  })
  return Object.fromEntries(entries)
}

/** Starts a process; it is there until it is stopped or dies. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const { count, faults, machine, ports, random, skew } = options
  const died = Latch.makeUnsafe(false)
  let isDead = false
  let frozenUntil = Number.NEGATIVE_INFINITY
  const now = () => machine.clock.currentTimeMillisUnsafe()
  const kill = () => {
    isDead = true
    died.openUnsafe()
  }
  const counted = (name: "dieIn" | "freezeIn"): boolean => {
    if (faults[name] === 0) return false
    faults[name] -= 1
    return faults[name] === 0
  }

  /** Where the scheduler decides whether the process goes on. */
  const pointOf = Effect.fnUntraced(function* (isTelco: boolean) {
    yield* machine.park
    if (counted("freezeIn")) {
      frozenUntil = now() + faults.freezeMillis
      count("Freeze")
    }
    if ((isTelco || !faults.isOfTelco) && counted("dieIn")) {
      count("Die")
      kill()
    }
    while (!isDead && frozenUntil > now()) yield* Effect.sleep(frozenUntil - now())
    if (isDead) yield* Effect.never
  })
  const point = pointOf(false)
  const delay = Effect.suspend(() => (random(DELAYED) === 0 ? Effect.sleep(1 + random(DELAY)) : Effect.void))
  const slowness = Effect.suspend(() => {
    if (faults.slowCalls === 0) return Effect.void
    faults.slowCalls -= 1
    count("SlowStorage")
    return Effect.sleep(random(faults.slowMillis + 1))
  })

  const callAt = (at: Effect.Effect<void>) => (name: string, operation: Effect.Effect<unknown, unknown>) =>
    local.has(name)
      ? operation
      : Effect.gen(function* () {
          yield* at
          yield* delay
          const exit = yield* Effect.exit(operation)
          yield* at
          return yield* exit
        })
  const call = callAt(point)
  const stored = (name: string, operation: Effect.Effect<unknown, unknown>) =>
    local.has(name)
      ? operation
      : call(
          name,
          Effect.gen(function* () {
            yield* slowness
            if (options.isOut()) return yield* new Storage.StorageError({ message: "out of reach" })
            if (!Object.hasOwn(writing, name) || faults.loseIn === 0) return yield* operation
            faults.loseIn -= 1
            if (faults.loseIn > 0) return yield* operation
            count("LoseAnswer")
            if (faults.isDone) yield* Effect.exit(operation)
            return yield* new Storage.StorageError({ message: "the answer was lost" })
          })
        )

  let isCommitting = false
  const storage = Context.get(ports, Storage.Storage)
  // What this process commits is notified at once, what others commit soon, unless it is lost.
  const watch: Storage.Storage["Service"]["watch"] = (listener) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Scope.Scope>()
      const fork = Effect.runForkWith(context)
      yield* storage.watch((changes) => {
        if (isDead) return
        if (isCommitting) return listener(changes)
        if (faults.lostNotifications > 0) {
          faults.lostNotifications -= 1
          count("LoseNotifications")
          return
        }
        fork(
          Effect.andThen(
            Effect.andThen(point, delay),
            Effect.sync(() => listener(changes))
          )
        )
      })
    })
  const committing: Storage.Storage["Service"]["commit"] = (commit) =>
    Effect.suspend(() => {
      isCommitting = true
      return Effect.ensuring(
        storage.commit(commit),
        Effect.sync(() => {
          isCommitting = false
        })
      )
    })
  const asked = (_: string, argument: unknown) => moved(argument, -skew)
  const same = (_: string, argument: unknown) => argument
  const own = ports.pipe(
    Context.add(
      Storage.Storage,
      around({ ...storage, commit: committing, watch, clockOffset: Effect.succeed(-skew) }, { ask: asked, run: stored })
    ),
    Context.add(Jobs.Jobs, around(Context.get(ports, Jobs.Jobs), { ask: asked, run: stored })),
    Context.add(Outbox.Outbox, around(Context.get(ports, Outbox.Outbox), { ask: asked, run: stored })),
    Context.add(Telco.Telco, around(Context.get(ports, Telco.Telco), { ask: same, run: callAt(pointOf(true)) })),
    Context.add(
      WebhookSender.WebhookSender,
      around(Context.get(ports, WebhookSender.WebhookSender), { ask: same, run: call })
    )
  )
  const limits = Layer.effect(
    Settings.Settings,
    Effect.map(Settings.Settings, (defaults) => ({ ...defaults, ...options.limits }))
  )
  const inItsTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, MachineClock.Clock, skewed(machine.clock, skew))
  const scope = yield* Scope.make()
  const built = Layer.provideMerge(Worker.background, Services.layer).pipe(
    Layer.provide(Clocks.system.pipe(Layer.provide(Layer.succeedContext(own)))),
    Layer.provide(Machine.crypto(options.seed)),
    Layer.provide(Layer.succeedContext(own)),
    Layer.provide(limits),
    (layer) => inItsTime(Layer.buildWithScope(layer, scope))
  )
  // A process may die before it has started, and while it stops.
  const unlessDead = <A>(effect: Effect.Effect<A>): Effect.Effect<A | null> =>
    Effect.flatMap(Effect.forkDetach(effect), (fiber) =>
      Effect.raceFirst(Fiber.join(fiber), Effect.as(died.await, null))
    )
  const services = yield* unlessDead(built)
  const process: Process = {
    use: (effect) => (services === null ? Effect.never : inItsTime(Effect.provideContext(effect, services))),
    isDead: () => isDead,
    died: died.await,
    stop: Effect.andThen(unlessDead(inItsTime(Scope.close(scope, Exit.void))), Effect.sync(kill)),
    kill
  }
  return process
})
