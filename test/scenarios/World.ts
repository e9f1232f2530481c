/**
 * A whole service in memory under a virtual clock: real services, the simulated telco, and a
 * receiver that writes down the webhooks it gets.
 */
import { Context, Effect, Layer, ManagedRuntime, Stream } from "effect"
import { Clock, Organizations, type Plans, Services, Settings, Sims, type Time, Webhooks, Worker } from "simplan"
import { Clocks, Jobs, type Label, Outbox, Storage } from "simplan/ports"
import * as Memory from "simplan/memory"
import { type Faults, TelcoSimulator } from "simplan/telco-simulator"
import * as Ports from "./Ports.ts"
import { onTestFinished } from "vitest"
import * as Shop from "../setup/Shop.ts"

/** Where every story begins. */
export const START: Time.Instant = Date.UTC(2026, 0, 31, 12)

export interface ReceivedWebhook {
  readonly id: string
  readonly type: string
  readonly timestamp: number
  readonly data: Record<string, unknown>
}

/**
 * A service of its own, with one organization; it is closed when the test has ended. `beside` has
 * references that stand beside the ports.
 */
export const make = async (
  options: Partial<Pick<Settings.Limits, "telcoTimeoutMillis" | "drainMillis">> = {},
  telco: TelcoSimulator.Options = {},
  beside: Layer.Layer<never> = Layer.empty
) => {
  const received: Array<ReceivedWebhook> = []
  const receiver = { status: 200, hangs: false }
  const outer = Ports.make(
    Clocks.virtual(START),
    ({ body }) =>
      Effect.suspend(() => {
        if (receiver.hangs) return Effect.never
        received.push(JSON.parse(body))
        return Effect.succeed({ status: receiver.status })
      }),
    telco
  )
  const ports = Layer.mergeAll(Memory.layer, outer, beside)
  const limits = Layer.effect(
    Settings.Settings,
    Effect.map(Settings.Settings, (defaults) => ({
      ...defaults,
      telcoTimeoutMillis: 200,
      claimMillis: 200,
      ...options
    }))
  )
  const outside = ManagedRuntime.make(ports)
  const context = await outside.context()
  const storage = Context.get(context, Storage.Storage)
  const crash: { at: number; when: "before" | "after"; reached: () => void } = {
    at: Number.POSITIVE_INFINITY,
    when: "before",
    reached: () => undefined
  }
  const failing: { next: (commit: Storage.Commit) => boolean } = { next: () => false }
  const watching: { before: (commit: Storage.Commit) => Promise<void> } = { before: async () => {} }
  const crashing = Context.add(context, Storage.Storage, {
    ...storage,
    commit: (commit) => {
      if (failing.next(commit)) {
        failing.next = () => false
        return Effect.fail(new Storage.StorageError({ message: "The storage is out of reach", cause: null }))
      }
      crash.at -= 1
      const write = Effect.andThen(
        Effect.promise(() => watching.before(commit)),
        storage.commit(commit)
      )
      if (crash.at > 0) return write
      const stop = Effect.andThen(Effect.sync(crash.reached), Effect.never)
      return crash.when === "before" ? stop : Effect.andThen(write, stop)
    }
  })
  const start = () =>
    ManagedRuntime.make(Services.layer.pipe(Layer.provideMerge(Layer.succeedContext(crashing)), Layer.provide(limits)))
  let runtime = start()
  const run = <A, E>(effect: Effect.Effect<A, E, Services.Services | Layer.Success<typeof ports>>) =>
    runtime.runPromise(effect)
  const { organizationId } = await run(Organizations.Organizations.use((of) => of.create({ name: "Traveller Ltd" })))
  await run(
    Webhooks.Webhooks.use((of) =>
      of.create({ organizationId, url: "https://receiver.example/hooks", events: null, description: "" })
    )
  )
  onTestFinished(() => outside.dispose())
  return {
    organizationId,
    run,
    received,
    receiver,
    /**
     * From its nth commit on, the process stands still before or after it, as if killed there. What
     * is returned begins something that will never end, and waits until the process stands still;
     * it fails where that ends before.
     */
    crashAt: (at: number, when: "before" | "after") => {
      const standsStill = new Promise<void>((resolve) => Object.assign(crash, { at, when, reached: resolve }))
      return async (begin: () => Promise<unknown>): Promise<void> => {
        const ended = begin().then(() => Promise.reject(new Error(`All has ended before commit ${at}`)))
        await Promise.race([standsStill, ended])
      }
    },
    /**
     * Has the next commit fail of which this holds, once: it is not done. Whether one has failed.
     */
    failNextCommit: (isMeant: (commit: Storage.Commit) => boolean) => {
      failing.next = isMeant
      return () => failing.next !== isMeant
    },
    /** Has each commit wait for this from now on. */
    beforeCommit: (before: (commit: Storage.Commit) => Promise<void>) => {
      watching.before = before
    },
    /** Another process on the same storage and telco; the one before is left where it stands. */
    restart: async () => {
      crash.at = Number.POSITIVE_INFINITY
      runtime = start()
      await run(Worker.takeOver)
    },
    /** Another process, once this one is asked to stop and has stopped. */
    stopAndStart: async () => {
      await runtime.dispose()
      runtime = start()
    },
    /** How many jobs and deliveries somebody holds. */
    held: async () => {
      const at = { now: Number.MAX_SAFE_INTEGER, machineNow: Date.now() }
      const jobs = await outside.runPromise(Jobs.Jobs.use((of) => of.pending(at)))
      const deliveries = await outside.runPromise(Outbox.Outbox.use((of) => of.pending(at)))
      return { jobs: jobs.held, deliveries: deliveries.held }
    },
    /** Imports eSIMs of a label; the ICCIDs they get. */
    importSims: async (count: number, label: Label.Label = "Green", isEsim = true): Promise<ReadonlyArray<string>> => {
      const iccids = Array.from({ length: count }, () => iccid(nextIccid++))
      const rows = Stream.fromIterable(iccids.map((one) => ({ iccid: one, label, isEsim })))
      await run(Sims.Sims.use((of) => of.importRows({ organizationId, rows })))
      return iccids
    },
    /** Creates a plan for a country's standard profile; its id. */
    createPlan: async (terms: Partial<Parameters<Plans.Plans["Service"]["create"]>[0]["terms"]> = {}) => {
      const plan = await run(Shop.createPlan(organizationId, { name: "France 1 GB", ...terms }))
      return plan.planId
    },
    advanceTo: (to: Time.Instant) => run(Clock.Clock.use((of) => of.advanceTo(to))),
    advanceBy: (millis: number) => run(Clock.Clock.use((of) => of.advanceBy(millis))),
    /** Does all that is due at the standing instant. */
    settle: () => run(Worker.Worker.use((of) => of.drain)),
    setFaults: (faults: ReadonlyArray<Faults.Fault>) =>
      run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults(faults))),
    telcoPackages: () => run(TelcoSimulator.TelcoSimulator.use((of) => of.packages))
  }
}

export type World = Awaited<ReturnType<typeof make>>

let nextIccid = 1

/** An ICCID with its Luhn digit. */
const iccid = (serial: number): string => {
  const body = `893301${String(serial).padStart(12, "0")}`
  const sum = [...body].reverse().reduce((total, character, index) => {
    const digit = Number(character)
    const doubled = index % 2 === 0 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}
