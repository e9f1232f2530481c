/**
 * What processes say of themselves: when, what others see of it, and that those that have stopped
 * or were killed are gone.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Context, Effect, Exit, Fiber, Layer, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Health, Processes, Rates, Services, Worker } from "simplan"
import * as Memory from "simplan/memory"
import { Clocks, type Jobs, type Outbox, Process, Storage } from "simplan/ports"
import { expect, it } from "vitest"
import * as Ids from "../../../src/app/commit/Ids.ts"
import * as Leases from "../../../src/app/jobs/Leases.ts"
import * as Ports from "../Ports.ts"

type Shared = Context.Context<Storage.Storage | Jobs.Jobs | Outbox.Outbox>

/** A process on the storage. What it holds is what is left of `held`. */
const open = Effect.fnUntraced(function* (
  shared: Shared,
  described: Processes.Description,
  held: ReadonlyArray<Leases.WorkLease> = []
) {
  const scope = yield* Scope.make()
  const leases = Layer.mock(Leases.Leases)({ held: Effect.sync(() => [...held]) })
  const needs = Layer.mergeAll(Layer.succeedContext(shared), leases, Layer.provide(Ids.layer, NodeCrypto.layer))
  const layer = Layer.fresh(Processes.layer).pipe(
    Layer.provide(needs),
    Layer.provide(Layer.succeed(Processes.Described, described))
  )
  const processes = Context.get(yield* Layer.buildWithScope(layer, scope), Processes.Processes)
  return {
    processes,
    runs: (...what: ReadonlyArray<string>) => Effect.provideService(processes.runs(what), Scope.Scope, scope),
    beat: Effect.forkIn(processes.beating, scope, { startImmediately: true }),
    stop: Scope.close(scope, Exit.void)
  }
})

const run = <A, E>(test: (shared: Shared) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    return yield* test(yield* Layer.build(Layer.fresh(Memory.layer)))
  }).pipe(
    Effect.scoped,
    // Other tests count in the registry that all share.
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )

const [one, two] = [
  { version: "1.0.0", host: "a" },
  { version: "1.1.0", host: "b" }
]

const none: Rates.Counts = { all: Array(Rates.SPANS).fill(0), failed: Array(Rates.SPANS).fill(0) }

/** Those of a process in which nothing has happened. */
const rates: Rates.Rates = {
  from: (1 - Rates.SPANS) * Rates.SPAN,
  counts: { requests: none, telcoCalls: none, deliveries: none, jobs: none }
}

const lease = (_tag: "Job" | "Delivery"): Leases.WorkLease =>
  _tag === "Job"
    ? { _tag, organizationId: "o", jobId: "j", token: "t" }
    : { _tag, organizationId: "o", deliveryId: "d", token: "t" }

it("processes see what each of them is, runs and holds", () =>
  run((shared) =>
    Effect.gen(function* () {
      const held = [lease("Job"), lease("Delivery"), lease("Job")]
      const first = yield* open(shared, one, held)
      yield* first.beat
      yield* TestClock.adjust(1)
      const second = yield* open(shared, two)
      yield* first.runs("worker")
      yield* first.runs("v3", "admin")
      yield* first.runs("v3")
      yield* TestClock.adjust(0)
      const itself = {
        ...{ ...one, processId: first.processes.processId, runs: ["admin", "v3", "worker"] },
        ...{ startedAt: 0, beatAt: 1, heldJobs: 2, heldDeliveries: 1, rates }
      }
      const other = {
        ...{ ...two, processId: second.processes.processId, runs: [] },
        ...{ startedAt: 1, beatAt: 1, heldJobs: 0, heldDeliveries: 0, rates }
      }
      expect(yield* second.processes.list).toEqual([itself, other])
      // The second one has said nothing yet.
      expect(yield* first.processes.list).toEqual([itself])
      yield* second.beat
      expect(yield* first.processes.list).toEqual([itself, other])
      held.pop()
      expect(yield* second.processes.list).toEqual([itself, other])
      yield* TestClock.adjust(Process.BEAT)
      const again = { beatAt: 1 + Process.BEAT }
      expect(yield* second.processes.list).toEqual([
        { ...itself, ...again, heldJobs: 1 },
        { ...other, ...again }
      ])
      for (const { stop } of [first, second]) yield* stop
    })
  ))

it("a process that stops is gone at once, and one that was killed after two minutes", () =>
  run((shared) =>
    Effect.gen(function* () {
      const [first, second, third] = [yield* open(shared, one), yield* open(shared, two), yield* open(shared, two)]
      const beats = yield* third.beat
      for (const { beat } of [first, second]) yield* beat
      const idsOf = Effect.map(first.processes.list, (all) => new Set(all.map(({ processId }) => processId)))
      const [a, b, c] = [first.processes.processId, second.processes.processId, third.processes.processId]
      expect(yield* idsOf).toEqual(new Set([a, b, c]))
      yield* second.stop
      expect(yield* idsOf).toEqual(new Set([a, c]))
      // As if killed: it says nothing any more, and has not taken its leave.
      yield* Fiber.interrupt(beats)
      yield* Context.get(shared, Storage.Storage).keepProcess({
        process: { ...two, processId: c, runs: [], startedAt: 0, beatAt: 0, heldJobs: 0, heldDeliveries: 0, rates },
        silentSince: -1
      })
      yield* TestClock.adjust(Process.SILENCE)
      expect(yield* idsOf).toEqual(new Set([a, c]))
      yield* TestClock.adjust(Process.BEAT)
      expect(yield* idsOf).toEqual(new Set([a]))
      expect(yield* Context.get(shared, Storage.Storage).processes.list({ since: 0 })).toHaveLength(1)
      yield* first.stop
      expect(yield* Context.get(shared, Storage.Storage).processes.list({ since: 0 })).toEqual([])
    })
  ))

it("a process that was killed is not shown after two minutes, though no other says anything", () =>
  run((shared) =>
    Effect.gen(function* () {
      const { keepProcess } = Context.get(shared, Storage.Storage)
      const process = {
        ...two,
        processId: "killed",
        runs: [],
        startedAt: 0,
        beatAt: 0,
        heldJobs: 0,
        heldDeliveries: 0,
        rates
      }
      yield* keepProcess({ process, silentSince: 0 })
      const { processes } = yield* open(shared, one)
      const shown = Effect.map(processes.list, (all) => all.map(({ processId }) => processId))
      yield* TestClock.adjust(Process.SILENCE)
      expect(yield* shown).toEqual(expect.arrayContaining(["killed", processes.processId]))
      yield* TestClock.adjust(1)
      expect(yield* shown).toEqual([processes.processId])
    })
  ))

it("a process goes by the clock of the storage", () =>
  run((shared) =>
    Effect.gen(function* () {
      const storage = Context.get(shared, Storage.Storage)
      const ahead = Context.add(shared, Storage.Storage, { ...storage, clockOffset: Effect.succeed(7_000) })
      const { beat, processes } = yield* open(ahead, one)
      yield* TestClock.adjust(1)
      expect(yield* processes.list).toMatchObject([{ startedAt: 7_000, beatAt: 7_001 }])
      yield* beat
      expect(yield* storage.processes.list({ since: 7_000 })).toMatchObject([{ startedAt: 7_000, beatAt: 7_001 }])
    })
  ))

it("a process goes on saying what it is after a storage that failed", () =>
  run((shared) =>
    Effect.gen(function* () {
      const storage = Context.get(shared, Storage.Storage)
      let isDown = true
      const failing = Context.add(shared, Storage.Storage, {
        ...storage,
        keepProcess: (said) =>
          isDown ? Effect.fail(new Storage.StorageError({ message: "It is not there" })) : storage.keepProcess(said)
      })
      const process = yield* open(failing, one)
      yield* process.beat
      yield* TestClock.adjust(3 * Process.BEAT)
      expect(yield* storage.processes.list({ since: 0 })).toEqual([])
      isDown = false
      yield* TestClock.adjust(Process.BEAT)
      expect(yield* storage.processes.list({ since: 0 })).toMatchObject([{ ...one, beatAt: 4 * Process.BEAT }])
      yield* process.stop
    })
  ))

it("the worker is what a process runs, and versions are a gauge", () => {
  const services = Services.layer.pipe(
    Layer.provideMerge(Ports.make(Clocks.virtual(0))),
    Layer.provideMerge(Memory.layer),
    Layer.provide(Layer.succeed(Processes.Described, one)),
    Layer.provideMerge(TestClock.layer())
  )
  return Effect.gen(function* () {
    const processes = yield* Processes.Processes
    const running = yield* Effect.forkChild(
      Effect.scoped(Effect.andThen(Layer.build(Worker.background), Effect.never)),
      {
        startImmediately: true
      }
    )
    yield* TestClock.adjust(0)
    expect(yield* processes.list).toMatchObject([{ ...one, runs: ["worker"] }])
    yield* Fiber.interrupt(running)
    expect(yield* processes.list).toMatchObject([{ ...one, runs: [] }])
    const process = { ...two, processId: "p", runs: [], startedAt: 0, beatAt: 0, heldJobs: 0, heldDeliveries: 0, rates }
    yield* (yield* Storage.Storage).keepProcess({ process, silentSince: 0 })
    yield* (yield* Health.QueueDepth).measure
    const found = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
      id === "simplan_processes" && "value" in state ? [[attributes?.["version"], Number(state.value)]] : []
    )
    expect(Object.fromEntries(found)).toEqual({ "1.0.0": 1, "1.1.0": 1 })
  }).pipe(
    Effect.provide(services),
    Effect.provideServiceEffect(
      Metric.MetricRegistry,
      Effect.sync(() => new Map())
    ),
    Effect.scoped,
    Effect.runPromise
  )
})
