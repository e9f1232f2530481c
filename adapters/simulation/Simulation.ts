/**
 * A whole service under a virtual clock, in one call: memory storage, simulated telco, catalogue, two organizations
 * with inventories, and a receiver for their webhooks.
 *
 * Everything follows from the seed and the steps: ids, jitter, faults, and the order in which things happen. It needs
 * neither Node nor a test runner.
 */
import { Clock as MachineClock, Context, Effect, Layer, Scheduler, Scope, Stream } from "effect"
import {
  BusinessClock,
  type Catalogues,
  Clock,
  Jobs,
  type Label,
  Organizations,
  Outbox,
  Services,
  Settings,
  Sims,
  Storage,
  Telco,
  Time,
  WebhookSender,
  Webhooks
} from "simplan"
import { StandardCatalogue } from "simplan/catalogue"
import * as Memory from "simplan/memory"
import { TelcoSimulator } from "simplan/telco-simulator"
import * as VirtualClock from "simplan/virtual-clock"
import type { Simulated } from "../../src/testing/index.ts"
import * as MachineTime from "./MachineTime.ts"
import * as SeededCrypto from "./SeededCrypto.ts"
import * as TelcoCalls from "./TelcoCalls.ts"

/** What another storage has to be. */
export type StorageLayer = Layer.Layer<Storage.Storage | Jobs.Jobs | Outbox.Outbox>

export interface Options {
  /** Decides everything that is random: 1 unless given. */
  readonly seed?: number
  /** Where business time begins: 2026-01-01T00:00:00Z unless given. */
  readonly start?: Time.Instant
  /** How many eSIMs of each label an organization begins with: 10 of `Green` unless given. */
  readonly esims?: Readonly<Partial<Record<Label.Label, number>>>
  /** How many physical SIMs of label `Green` it begins with: 2 unless given. */
  readonly physicalSims?: number
  /** Whether the telco reports a package's times: as it was asked for, unless given otherwise. */
  readonly telcoTimes?: "reported" | "withheld"
  /** Memory unless given. Another storage goes by the machine's own time. */
  readonly storage?: StorageLayer
  /** Is told every call to the telco. */
  readonly onTelcoCall?: TelcoCalls.Listener
}

export const DEFAULT_START: Time.Instant = Date.UTC(2026, 0, 1)

/** The ICCID of a simulated SIM, with its Luhn digit. */
const iccidOf = (organization: number, serial: number): string => {
  const body = `89330${organization}${String(serial).padStart(12, "0")}`
  const sum = [...body].reverse().reduce((total, character, index) => {
    const digit = Number(character)
    const doubled = index % 2 === 0 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

const inventory = (organization: number, options: Options): ReadonlyArray<Sims.ImportRow> => {
  const esims = Object.entries(options.esims ?? { Green: 10 }).flatMap(([label, count]) =>
    Array.from({ length: count }, () => ({ label, isEsim: true }))
  )
  const physical = Array.from({ length: options.physicalSims ?? 2 }, () => ({ label: "Green", isEsim: false }))
  return [...esims, ...physical].map((sim, index) => {
    const iccid = iccidOf(organization, index + 1)
    return { ...sim, iccid, lpa: sim.isEsim ? `LPA:1$smdp.example$${iccid}` : null }
  })
}

/** Storage whose process can be made to stand still at a commit. */
const killable = (storage: Storage.Storage["Service"]) => {
  let process = 0
  let left = Number.POSITIVE_INFINITY
  let when: "before" | "after" = "before"
  return {
    kill: (at: { readonly commits: number; readonly when: "before" | "after" }) => {
      left = at.commits
      when = at.when
    },
    /** The storage of another process; the one before stands still for good. */
    next: (): { readonly storage: Storage.Storage["Service"]; readonly isDead: () => boolean } => {
      const mine = ++process
      let dead = false
      left = Number.POSITIVE_INFINITY
      return {
        isDead: () => dead || mine !== process,
        storage: {
          ...storage,
          commit: (commit) => {
            if (dead || mine !== process) return Effect.never
            left -= 1
            if (left > 0) return storage.commit(commit)
            dead = true
            return when === "before" ? Effect.never : Effect.andThen(storage.commit(commit), Effect.never)
          }
        }
      }
    }
  }
}

const importInventory = Effect.fnUntraced(function* (name: string, rows: ReadonlyArray<Sims.ImportRow>) {
  const { organizationId } = yield* Organizations.Organizations.use((of) => of.create({ name }))
  yield* Sims.Sims.use((of) => of.importRows({ organizationId, rows: Stream.fromIterable(rows) }))
  const url = `https://receiver.example/${organizationId}`
  yield* Webhooks.Webhooks.use((of) => of.create({ organizationId, url, events: null, description: name }))
  return organizationId
})

/** Builds the service with the catalogue of the real world; it is there until the scope closes. */
export const make = (options: Options = {}): Effect.Effect<Simulated.Simulated, never, Scope.Scope> =>
  makeOver(StandardCatalogue.layer, options)

/** Builds the service with a catalogue of the caller's: a bundle that uses this alone does without the real one. */
export const makeOver = Effect.fnUntraced(function* (
  catalogue: Layer.Layer<Catalogues.BuiltIn>,
  options: Options
): Effect.fn.Return<Simulated.Simulated, never, Scope.Scope> {
  const seed = options.seed ?? 1
  const start = options.start ?? DEFAULT_START
  const webhooks: Array<Simulated.ReceivedWebhook> = []
  const receiver = Layer.effect(
    WebhookSender.WebhookSender,
    Effect.map(BusinessClock.BusinessClock, (clock) => ({
      send: ({ body, url }: WebhookSender.WebhookCall) =>
        Effect.map(clock.now, (at) => {
          webhooks.push({ at, organizationId: url.slice(url.lastIndexOf("/") + 1), body })
          return { status: 200 }
        })
    }))
  )
  const times = options.telcoTimes ?? "reported"
  const ports = Layer.mergeAll(
    options.storage ?? Memory.layer,
    TelcoSimulator.layerMemory({ times }),
    catalogue,
    SeededCrypto.layer(seed),
    receiver.pipe(Layer.provideMerge(VirtualClock.virtual(start)))
  )
  // Fibers that wait for a database cannot be told from fibers that wait for nothing: those go by the real machine.
  const machine = options.storage === undefined ? MachineTime.make(start) : undefined
  const inMachineTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    machine === undefined
      ? effect
      : effect.pipe(
          Effect.provideService(MachineClock.Clock, machine.clock),
          Effect.provideService(Scheduler.Scheduler, machine.scheduler)
        )
  const scope = yield* Effect.scope
  const context = yield* inMachineTime(Layer.buildWithScope(ports, scope))
  const storage = Context.get(context, Storage.Storage)
  const telco = Context.get(context, TelcoSimulator.TelcoSimulator)
  const clock = Context.get(context, BusinessClock.BusinessClock)
  const process = killable(storage)
  const called = Context.get(context, Telco.Telco)
  const toTelco = options.onTelcoCall === undefined ? called : TelcoCalls.heard(called, clock.now, options.onTelcoCall)
  const limits = Layer.effect(
    Settings.Settings,
    Effect.map(Settings.Settings, (defaults) =>
      machine === undefined ? { ...defaults, telcoTimeoutMillis: 100 } : defaults
    )
  )

  // Each process has a scope of its own. One that was killed is never closed: it stands still for good.
  const begin = Effect.gen(function* () {
    const own = yield* Scope.make()
    const present = process.next()
    const built = yield* Layer.buildWithScope(
      Services.layer.pipe(
        Layer.provide(
          Layer.succeedContext(
            context.pipe(Context.add(Storage.Storage, present.storage), Context.add(Telco.Telco, toTelco))
          )
        ),
        Layer.provide(limits)
      ),
      own
    )
    yield* Effect.addFinalizer((exit) => (present.isDead() ? Effect.void : inMachineTime(Scope.close(own, exit))))
    return built
  }).pipe(inMachineTime, Effect.provideService(Scope.Scope, scope))
  let services = yield* begin
  const use = <A, E>(effect: Effect.Effect<A, E, Services.Services>): Effect.Effect<A, E> =>
    inMachineTime(Effect.suspend(() => Effect.provideContext(effect, services)))

  const rows = [inventory(0, options), inventory(1, options)] as const
  const first = yield* Effect.orDie(use(importInventory("First Travel", rows[0])))
  const second = yield* Effect.orDie(use(importInventory("Second Travel", rows[1])))
  const iccids = new Map(
    [first, second].map((organizationId, index) => [
      organizationId,
      (rows[index] ?? []).map(({ iccid }) => String(iccid))
    ])
  )
  return {
    seed,
    start,
    organizationIds: [first, second],
    iccids: (organizationId) => iccids.get(organizationId) ?? [],
    use,
    now: clock.now,
    advanceTo: (instant) => use(Clock.Clock.use((of) => of.advanceTo(instant))),
    advanceBy: (millis) => use(Clock.Clock.use((of) => of.advanceBy(millis))),
    setFault: (fault, times) =>
      telco.setFaults(fault === null ? [] : fault === "slow" ? [{ fault, delay: SLOW, times }] : [{ fault, times }]),
    telco: Effect.orDie(
      Effect.gen(function* () {
        return {
          packages: yield* telco.packages,
          messages: (yield* telco.messages).map(({ messageId }) => messageId),
          mobilePlans: [...(yield* telco.mobilePlans)]
        }
      })
    ),
    kill: (at) => Effect.sync(() => process.kill(at)),
    restart: Effect.gen(function* () {
      services = yield* begin
      yield* Context.get(context, Jobs.Jobs).release
      yield* Context.get(context, Outbox.Outbox).release
    }),
    webhooks: Effect.sync(() => [...webhooks]),
    storage
  }
})

/** Longer than the service waits for its telco. */
const SLOW = 15 * Time.SECOND
