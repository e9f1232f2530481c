/**
 * A whole service under a virtual clock, in one call: memory storage, simulated telco, catalogue,
 * two organizations with inventories, and a receiver for their webhooks.
 *
 * Everything follows from the seed and the steps: ids, jitter, faults, and the order in which
 * things happen. It needs neither Node nor a test runner. A mistake in its use is one sentence that
 * names the field, the value and what is allowed.
 */
import { Clock as MachineClock, Context, Data, Duration, Effect, Layer, Logger, Scheduler, Scope } from "effect"
import { Catalogues, Clock, EventHandlers, Services, Settings, Time, Worker } from "simplan"
import { Clocks, Jobs, Outbox, Storage, Telco, WebhookSender } from "simplan/ports"
import { StandardCatalogue } from "simplan/catalogue"
import * as Memory from "simplan/memory"
import { Books, type Faults, TelcoSimulator } from "simplan/telco-simulator"
import type { Simulated } from "../../src/testing/index.ts"
import * as Inventory from "./Inventory.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import * as SimulatedTelco from "./Telco.ts"

/** What another storage has to be. */
export type StorageLayer = Layer.Layer<Storage.Storage | Jobs.Jobs | Outbox.Outbox>

/**
 * How a simulation is built. Every option may be left out; `make` refuses values that cannot be.
 */
export interface Options extends Inventory.Options {
  /** Decides everything that is random: 1 unless given. */
  readonly seed?: number
  /** Where business time begins: 2026-01-01T00:00:00Z unless given. */
  readonly start?: Time.Instant
  /** Whether the telco reports a package's times: as it was asked for, unless given otherwise. */
  readonly telcoTimes?: "reported" | "withheld"
  /**
   * Within how many days the eSIMs that the telco sells have to be put into use, in turn; null:
   * they need not be, as all unless given.
   */
  readonly sellableDays?: ReadonlyArray<number | null>
  /** Memory unless given. Another storage goes by the machine's own time. */
  readonly storage?: StorageLayer
  /**
   * Whether what happened outside the service is kept to be observed: the telco's records, the
   * calls to it, and the webhooks that arrived. It is unless this is false; a run of a million
   * events may want the memory.
   */
  readonly keepsHistory?: boolean
  /** Called with every call to the telco. */
  readonly onTelcoCall?: SimulatedTelco.Listener
  /**
   * Handlers of events in each process (rule E2), which do nothing with what they are given: none
   * unless given. In memory an advance that waits for the machine's clock is a mishap then, unless
   * the telco was slow or a process was killed.
   */
  readonly handlers?: ReadonlyArray<{ readonly name: string; readonly types: ReadonlyArray<string> }>
  /** What to put around the ports: to plant a fault, and see it found. */
  readonly around?: (ports: Context.Context<Ports>) => Context.Context<Ports>
}

/** A mistake in the use of a simulation: which field it is in, and one sentence for it. */
export class Misuse extends Data.TaggedError("Simulation.Misuse")<{
  /** Such as `esims.Green`. */
  readonly field: string
  /** Names the field, the value and what is allowed. */
  readonly message: string
}> {}

/** The ports of a simulated service. */
export type Ports = Services.Ports

/** 2026-01-01T00:00:00Z, in UTC milliseconds. */
export const DEFAULT_START: Time.Instant = Date.UTC(2026, 0, 1)

/**
 * Builds the service with the catalogue of the real world; it is there until the scope closes.
 * Options that cannot be are a defect, a `Misuse` whose sentence says which.
 */
export const make = (options: Options = {}): Effect.Effect<Simulated.Simulated, never, Scope.Scope> =>
  makeOver(StandardCatalogue.layer, options)

/**
 * Builds the service with a catalogue of the caller's: a bundle that uses this alone does without
 * the real one.
 */
export const makeOver = Effect.fnUntraced(function* (
  catalogue: Layer.Layer<Catalogues.BuiltIn>,
  options: Options
): Effect.fn.Return<Simulated.Simulated, never, Scope.Scope> {
  yield* Effect.orDie(checkedOptions(options))
  const seed = options.seed ?? 1
  const start = options.start ?? DEFAULT_START
  const keepsHistory = options.keepsHistory ?? true
  const webhooks: Array<Simulated.ReceivedWebhook> = []
  const calls: Array<Simulated.TelcoCall> = []
  const receiver = Layer.effect(
    WebhookSender.WebhookSender,
    Effect.map(Clocks.BusinessClock, (clock) => ({
      send: ({ body, url }: WebhookSender.WebhookCall) =>
        Effect.map(clock.now, (at) => {
          if (keepsHistory) {
            const organizationId = url.slice(url.lastIndexOf("/") + 1)
            webhooks.push({ at, organizationId, body, callsBefore: calls.length })
          }
          return { status: 200 }
        })
    }))
  )
  const journal = SimulatedTelco.journal()
  const sales = SimulatedTelco.sales(journal, options.sellableDays ?? [null])
  const simulator = Layer.unwrap(
    Effect.map(Clocks.BusinessClock, (clock) =>
      TelcoSimulator.layer({
        times: options.telcoTimes ?? "reported",
        sale: (purchase) => sales.of(purchase, Effect.runSync(clock.now))
      })
    )
  )
  const outside = Layer.mergeAll(
    options.storage ?? Memory.layer,
    catalogue,
    Machine.crypto(seed),
    simulator.pipe(Layer.provide(keepsHistory ? journal.layer : Books.layerMemory)),
    receiver
  ).pipe(Layer.provideMerge(Clocks.virtual(start)))
  // Fibers that wait for a database cannot be distinguished from fibers that wait for nothing:
  // those go by the real machine.
  const machine = options.storage === undefined ? Machine.time(start) : undefined
  const mishaps = Processes.mishaps()
  const inItsTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const logged = Effect.provideService(effect, Logger.CurrentLoggers, mishaps.loggers)
    return machine === undefined
      ? logged
      : logged.pipe(
          Effect.provideService(MachineClock.Clock, machine.clock),
          Effect.provideService(Scheduler.Scheduler, machine.scheduler)
        )
  }
  const pace = machine === undefined ? realPace : simulatedPace
  const scope = yield* Effect.scope
  const built = yield* inItsTime(Layer.buildWithScope(outside, scope))
  const clock = Context.get(built, Clocks.BusinessClock)
  const telco = Context.get(built, TelcoSimulator.TelcoSimulator)
  const observed = SimulatedTelco.observed(Context.get(built, Telco.Telco), clock.now, (call) => {
    if (keepsHistory) calls.push(call)
    options.onTelcoCall?.(call)
  })
  const ports = (options.around ?? ((same) => same))(Context.add(built, Telco.Telco, observed))
  const [storage, jobs, outbox] = [
    Context.get(ports, Storage.Storage),
    Context.get(ports, Jobs.Jobs),
    Context.get(ports, Outbox.Outbox)
  ]
  const processes = Processes.over(ports)
  const limits = Layer.effect(
    Settings.Settings,
    Effect.map(Settings.Settings, (defaults) => ({ ...defaults, ...KEPT, ...pace.limits }))
  )

  // Each process has a scope of its own. One that was killed is never closed: it stands still for
  // good.
  const begin = Effect.gen(function* () {
    const own = yield* Scope.make()
    const present = processes.next()
    const services = yield* Layer.buildWithScope(
      Services.layer.pipe(
        Layer.provide(Layer.succeedContext(Context.merge(ports, present.ports))),
        Layer.provide(limits)
      ),
      own
    )
    const handlers = Context.get(services, EventHandlers.EventHandlers)
    for (const { name, types } of options.handlers ?? [])
      yield* Effect.orDie(handlers.on({ name, types }, () => Effect.void))
    yield* Effect.addFinalizer((exit) => {
      if (present.isDead()) return Effect.void
      processes.kill(null)
      return inItsTime(Scope.close(own, exit))
    })
    return services
  }).pipe(inItsTime, Effect.provideService(Scope.Scope, scope))
  let services = yield* begin
  const restart = Effect.gen(function* () {
    services = yield* begin
    yield* Effect.provideContext(Worker.takeOver, ports)
  })
  const use = <A, E>(effect: Effect.Effect<A, E, Services.Services>): Effect.Effect<A, E> =>
    inItsTime(Effect.suspend(() => Effect.provideContext(effect, services)))

  let mayWait = machine === undefined || options.handlers === undefined
  /** An advance, which does not wait for the machine's clock. */
  const advancing = <A, E>(effect: Effect.Effect<A, E, Services.Services>): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      const before = machine?.clock.currentTimeMillisUnsafe() ?? 0
      const result = yield* use(effect)
      const waited = (machine?.clock.currentTimeMillisUnsafe() ?? 0) - before
      if (waited > 0 && !mayWait) mishaps.add(`an advance has waited ${waited} ms for the machine's clock`)
      return result
    })

  const inventories = [Inventory.rows(0, options), Inventory.rows(1, options)] as const
  const first = yield* Effect.orDie(use(Inventory.furnish("First Travel", inventories[0], options)))
  const second = yield* Effect.orDie(use(Inventory.furnish("Second Travel", inventories[1], options)))
  const iccids = new Map([
    [first, Inventory.iccids(inventories[0])],
    [second, Inventory.iccids(inventories[1])]
  ])
  const { profiles } = yield* Context.get(built, Catalogues.BuiltIn).catalogue
  return {
    seed,
    start,
    organizationIds: [first, second],
    iccids: (organizationId) => [...(iccids.get(organizationId) ?? []), ...sales.iccids(organizationId)],
    coverageIds: (label) => profiles.filter((profile) => profile.label === label).map(({ coverageId }) => coverageId),
    use,
    inItsTime,
    now: clock.now,
    advanceTo: (instant) =>
      Effect.flatMap(clock.now, (now) =>
        Effect.andThen(checkedInstant(instant, now), advancing(Clock.Clock.use((of) => of.advanceTo(instant))))
      ),
    advanceBy: (by) =>
      Effect.flatMap(checkedSpan(by), (millis) => advancing(Clock.Clock.use((of) => of.advanceBy(millis)))),
    sleepThrough: (millis) =>
      Effect.gen(function* () {
        processes.next()
        const now = yield* clock.now
        yield* clock.set?.(now + millis) ?? Effect.void
        yield* restart
      }),
    setFault: (fault, times) =>
      Effect.suspend(() => {
        mayWait ||= fault === "slow"
        return telco.setFaults(fault === null ? [] : [faultOf(fault, times, pace.slow)])
      }),
    arrivals: inItsTime(Effect.sleep(2 * pace.slow)),
    telco: Effect.sync(() => SimulatedTelco.booksOf(journal.records)),
    telcoRecords: (from) => journal.records.slice(from),
    telcoCalls: (from) => calls.slice(from),
    kill: (at) =>
      Effect.sync(() => {
        mayWait = true
        processes.kill(at)
      }),
    killed: inItsTime(processes.killed),
    restart,
    mishaps: (from) => mishaps.messages.slice(from),
    received: (from) => webhooks.slice(from),
    webhooks: Effect.sync(() => [...webhooks]),
    storage,
    jobs,
    outbox
  }
})

/** What a refusal ends at once. */
const refusable: ReadonlySet<Faults.Kind> = new Set(["createPackage", "sendSms", "setMobilePlan"])

const faultOf = (fault: Simulated.Fault, times: number, delay: number): Faults.Fault => {
  switch (fault) {
    case "refuse":
      return { fault, times, when: ({ kind }) => refusable.has(kind) }
    case "refuse to end":
      return { fault: "refuse", times, when: ({ kind }) => !refusable.has(kind) }
    case "unreachable":
      return { fault: "unavailable", times, isDone: false }
    case "slow":
      return { fault, times, delay }
    case "allocating":
      return { fault: "unavailable", on: "buySim", message: "It is being allocated", retryAfterSeconds: 30, times }
    case "sold_out":
    case "no_balance":
      return { fault: "refuse", on: "buySim", message: fault, times }
    case "unavailable":
    case "answer lost":
      return { fault, times }
  }
}

/**
 * How long to wait for a telco: as in service, where waiting costs nothing, or as briefly as a real
 * machine can.
 */
const simulatedPace = { slow: 15 * Time.SECOND, limits: {} } as const
const realPace = { slow: 250, limits: { telcoTimeoutMillis: 100, claimMillis: 200 } } as const

/**
 * A history has every event, however far the clock is advanced at once, so events are kept for
 * longer than any run.
 */
const KEPT = { retentionMillis: 10_000 * 366 * Time.DAY } as const

const shown = (value: unknown): string =>
  typeof value === "string"
    ? `"${value}"`
    : typeof value === "number"
      ? String(value)
      : (JSON.stringify(value) ?? String(value))

const misuse = (field: string, value: string, allowed: string): Misuse =>
  new Misuse({ field, message: `${field} is ${value}, but must be ${allowed}` })

const isInstant = (instant: number): boolean =>
  Number.isSafeInteger(instant) && instant >= Time.START_OF_TIME && instant < Time.END_OF_TIME

const shownInstant = (instant: number): string => (isInstant(instant) ? Time.toIso(instant) : shown(instant))

/** The whole milliseconds of a span forwards, such as `3_600_000` or `"12 hours"`. */
const checkedSpan = (by: Duration.Input): Effect.Effect<number, Misuse> =>
  Effect.suspend(() => {
    const given = Duration.fromInput(by)
    const length = given._tag === "Some" ? Duration.toMillis(given.value) : Number.NaN
    const isForwards = typeof by !== "number" || by >= 0
    return Number.isSafeInteger(length) && isForwards
      ? Effect.succeed(length)
      : misuse("by", shown(by), 'a span of whole milliseconds forwards, such as 3600000 or "12 hours"')
  })

/** An instant to advance to, not before `now`. */
const checkedInstant = (to: Time.Instant, now: Time.Instant): Effect.Effect<Time.Instant, Misuse> =>
  isInstant(to) && to >= now
    ? Effect.succeed(to)
    : misuse("to", shownInstant(to), `an instant in whole milliseconds, from now, ${Time.toIso(now)}, to the year 9999`)

/** What an organization begins with, and when. */
const checkedOptions = ({
  esims = {},
  physicalSims = 0,
  seed = 1,
  start = 0
}: Inventory.Options & { readonly seed?: number; readonly start?: Time.Instant }): Effect.Effect<void, Misuse> => {
  if (!Number.isSafeInteger(seed)) return misuse("seed", shown(seed), "a whole number")
  if (!isInstant(start)) return misuse("start", shown(start), "an instant in whole milliseconds, up to the year 9999")
  const counts: ReadonlyArray<readonly [string, number]> = [...Object.entries(esims), ["physicalSims", physicalSims]]
  const wrong = counts.find(([, count]) => !Number.isSafeInteger(count) || count < 0)
  return wrong === undefined
    ? Effect.void
    : misuse(wrong[0] === "physicalSims" ? wrong[0] : `esims.${wrong[0]}`, shown(wrong[1]), "a whole number from 0 on")
}
