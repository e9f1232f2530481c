/**
 * The hand of SIMs that a process claims ahead of need (rule S2), on a machine time of its own:
 * each SIM is given once, no request is refused for want of one while one is left, and a quiet
 * process holds none.
 */
import { Clock, Context, Effect, Exit, Fiber, Layer, Scheduler, Scope } from "effect"
import type { Refusal } from "simplan"
import { HostTransaction, type Sim, Storage } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as Machine from "../../../adapters/simulation/Machine.ts"
import * as Ids from "../../../src/app/commit/Ids.ts"
import { Settings } from "../../../src/app/Settings.ts"
import * as SimReservations from "../../../src/app/sims/SimReservations.ts"
import { iccidOf, inService, newSims } from "../../conformance/postgres/PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const kind = { organizationId: "org", label: "Green", purpose: "subscription", load: null } as const
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => iccidOf(from + index))

/**
 * How long a hop to the storage takes, and how long a request has its SIM before it commits, in
 * milliseconds.
 */
const HOP = 2
const REQUEST = 5

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => {
  const machine = Machine.time(1_000_000)
  return Effect.scoped(effect).pipe(
    Effect.provideService(Clock.Clock, machine.clock),
    Effect.provideService(Scheduler.Scheduler, machine.scheduler),
    Effect.runPromise
  )
}

const test = Tests.by<Scope.Scope>(run)

const stock = Effect.fnUntraced(function* (count: number) {
  const storage = Context.get(yield* Layer.build(Layer.fresh(Memory.layer)), Storage.Storage)
  yield* storage.sims.import(newSims("org", 0, count))
  return storage
})

let processes = 0

const pooled = Layer.effect(
  Settings,
  Effect.map(Settings, (defaults) => ({
    ...defaults,
    fastPaths: { ...defaults.fastPaths, simReservationPool: true }
  }))
)

/** A process on the storage, which is a hop away; null: it answers at once. */
const process = Effect.fnUntraced(function* (
  storage: Storage.Storage["Service"],
  inTransaction = false,
  millis: number | null = HOP
) {
  const claimed: Array<number> = []
  const handedBack: Array<number> = []
  const state = { isDead: false }
  const hop = Effect.suspend(() => {
    if (state.isDead) return Effect.never
    return millis === null ? Effect.void : Effect.sleep(millis)
  })
  const away = Storage.Storage.of({
    ...storage,
    sims: {
      ...storage.sims,
      reserve: (claim) => {
        claimed.push(claim.count)
        return Effect.andThen(hop, storage.sims.reserve(claim))
      },
      release: (of) => {
        handedBack.push(of.reservations.length)
        return Effect.andThen(hop, storage.sims.release(of))
      }
    },
    commit: (commit) => Effect.andThen(hop, storage.commit(commit))
  })
  const scope = yield* Scope.fork(yield* Effect.scope)
  const layer = SimReservations.layer.pipe(
    Layer.provide(Ids.layer.pipe(Layer.provide(Machine.crypto(++processes)))),
    Layer.provide([Layer.succeed(Storage.Storage, away), pooled]),
    Layer.provide(Layer.succeed(HostTransaction.HostTransaction, Effect.succeed(inTransaction)))
  )
  const { during } = Context.get(
    yield* Layer.buildWithScope(Layer.fresh(layer), scope),
    SimReservations.SimReservations
  )
  const put = (sim: Sim.Sim) => Effect.as(away.commit({ sims: [inService(sim, `of ${sim.iccid}`, 1)] }), sim.iccid)
  const request: Effect.Effect<
    string,
    Refusal.NoFreeSim | Refusal.SimsReleasing | Storage.StorageError | Storage.Conflict
  > = during((claim) => Effect.flatMap(claim(kind), (sim) => Effect.andThen(Effect.sleep(REQUEST), put(sim))))
  /** Requests of some callers, each one after the other, with a pause in between. */
  const load = (callers: number, each: number, pause = 0) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: callers }),
        () =>
          Effect.forEach(Array.from({ length: each }), () =>
            Effect.delay(
              Effect.catchTag(request, "NoFreeSim", () => Effect.succeed(null)),
              pause
            )
          ),
        { concurrency: "unbounded" }
      ),
      (all) => all.flat()
    )
  return { claimed, handedBack, state, during, request, load, away, stop: Scope.close(scope, Exit.void) }
})

const total = (counts: ReadonlyArray<number>) => counts.reduce((sum, count) => sum + count, 0)

/** How many are free and under no claim. */
const open = (storage: Storage.Storage["Service"]) =>
  Effect.gen(function* () {
    const machineNow = yield* Clock.currentTimeMillis
    const token = `open ${machineNow}`
    const { sims } = yield* storage.sims.reserve({ ...kind, token, count: 10_000, machineNow, until: machineNow + 1 })
    const held = sims.map(({ iccid }) => ({ iccid, token }))
    yield* storage.sims.release({ organizationId: "org", reservations: held })
    return held.length
  })

test("gives each SIM once under load, the oldest first, for far fewer claims than requests, and keeps none", function* () {
  const storage = yield* stock(500)
  const one = yield* process(storage)
  const given = yield* one.load(20, 20)
  expect(given.toSorted()).toEqual(numbers(0, 400))
  expect(one.claimed.length).toBeLessThan(80)
  yield* Effect.sleep(250)
  expect(yield* open(storage)).toBe(100)
})

test("answers most requests under load without a hop", function* () {
  const one = yield* process(yield* stock(1_000))
  yield* one.load(20, 10)
  const before = yield* Clock.currentTimeMillis
  yield* one.load(20, 20)
  // Each takes 5 ms and the hop of its commit; a hop for the claim would make it 9 ms.
  expect(((yield* Clock.currentTimeMillis) - before) / 20).toBeLessThan(REQUEST + HOP + 0.5)
})

test("claims nothing ahead where requests come one at a time", function* () {
  const one = yield* process(yield* stock(30))
  expect(yield* one.load(1, 20)).toEqual(numbers(0, 20))
  expect(one.claimed).toEqual(Array.from({ length: 20 }, () => 1))
  expect(one.handedBack).toEqual([])
})

test("claims nothing ahead any more once requests come one at a time again", function* () {
  const storage = yield* stock(500)
  const one = yield* process(storage)
  yield* one.load(10, 10)
  yield* one.load(1, 40)
  const claims = one.claimed.length
  expect(yield* one.load(1, 5)).toEqual(numbers(140, 5))
  expect(one.claimed.slice(claims)).toEqual([1, 1, 1, 1, 1])
  expect(yield* open(storage)).toBe(500 - 145)
})

test("lets another process wait for what it has claimed ahead, and have it soon", function* () {
  const storage = yield* stock(300)
  const [one, other] = [yield* process(storage), yield* process(storage)]
  const first = yield* one.load(10, 10)
  // What is left, while the first process holds some of it.
  expect(yield* open(storage)).toBeLessThan(200)
  const before = yield* Clock.currentTimeMillis
  const rest = yield* other.load(40, 5)
  expect((yield* Clock.currentTimeMillis) - before).toBeLessThan(500)
  expect([...first, ...rest].toSorted()).toEqual(numbers(0, 300))
})

test("gives every SIM to one of the requests of two processes, and none is refused too early for want of one", function* () {
  const storage = yield* stock(200)
  const [one, other] = [yield* process(storage), yield* process(storage)]
  const loads = [one.load(16, 8), other.load(8, 12)]
  const given = (yield* Effect.all(loads, { concurrency: "unbounded" })).flat()
  expect(given.filter((iccid) => iccid !== null).toSorted()).toEqual(numbers(0, 200))
  expect(given.filter((iccid) => iccid === null)).toHaveLength(24)
})

test("gives SIMs in order, and to whoever asked first", function* () {
  const storage = yield* stock(600)
  const { during, load } = yield* process(storage)
  yield* load(20, 10)
  const given: Array<readonly [number, string]> = []
  const ask = (number: number) =>
    Effect.delay(
      during((claim) =>
        Effect.tap(claim(kind), ({ iccid }) => {
          given.push([number, iccid])
          return Effect.sleep(REQUEST)
        })
      ),
      Math.floor(number / 3)
    )
  yield* Effect.all(
    Array.from({ length: 300 }, (_, number) => ask(number)),
    { concurrency: "unbounded" }
  )
  expect(given.map(([, iccid]) => iccid)).toEqual(given.map(([, iccid]) => iccid).toSorted())
  expect(given.map(([number]) => number)).toEqual(Array.from({ length: 300 }, (_, number) => number))
})

test("leaves those without a SIM who asked last", function* () {
  const { request } = yield* process(yield* stock(20))
  const outcomes = yield* Effect.all(
    Array.from({ length: 25 }, () => Effect.exit(request)),
    { concurrency: "unbounded" }
  )
  expect(outcomes.map(Exit.isSuccess)).toEqual(Array.from({ length: 25 }, (_, number) => number < 20))
})

test("keeps no more than are asked for in a while", function* () {
  const storage = yield* stock(600)
  const one = yield* process(storage)
  yield* one.load(30, 10)
  // Two at a time, twice in 100 ms.
  const given = (yield* one.load(2, 6, 45)).length
  expect(yield* open(storage)).toBeGreaterThanOrEqual(600 - 300 - given - 6)
})

test("keeps none for a mobile plan", function* () {
  const storage = yield* stock(300)
  const one = yield* process(storage)
  const request = one.during((claim) =>
    Effect.andThen(claim({ ...kind, purpose: "mobile plan", load: null }), Effect.sleep(REQUEST))
  )
  const requests = Effect.all([request, request, request], { discard: true })
  yield* Effect.all(
    Array.from({ length: 20 }, () => requests),
    { concurrency: "unbounded" }
  )
  expect(total(one.claimed)).toBe(60)
})

test("polls every 10 ms for a SIM while all are under claims", function* () {
  const storage = yield* stock(1)
  const [one, other] = [yield* process(storage), yield* process(storage)]
  yield* Effect.forkChild(one.during((claim) => Effect.andThen(claim(kind), Effect.sleep(100))))
  yield* Effect.sleep(10)
  const waiting = yield* Effect.forkChild(other.load(5, 1))
  yield* Effect.sleep(60)
  expect(other.claimed).toEqual([5, 5, 5, 5, 5])
  yield* Fiber.interrupt(waiting)
})

test("claims nothing ahead for a second after there were fewer than were wanted", function* () {
  const storage = yield* stock(40)
  const one = yield* process(storage)
  yield* one.load(10, 5)
  const claimed = total(one.claimed)
  yield* storage.sims.import(newSims("org", 40, 600))
  yield* one.load(10, 10)
  expect(total(one.claimed)).toBe(claimed + 100)
  yield* Effect.sleep(1_000)
  yield* one.load(10, 10)
  expect(total(one.claimed)).toBeGreaterThan(claimed + 200)
})

test("holds none ahead once there were fewer than were wanted", function* () {
  const storage = yield* stock(52)
  const one = yield* process(storage)
  yield* one.load(10, 5)
  yield* Effect.sleep(2 * HOP)
  expect(yield* open(storage)).toBe(2)
})

test("gives a request whose SIM was taken another one, and one whose commit failed otherwise the same again", function* () {
  const storage = yield* stock(3)
  const { during } = yield* process(storage)
  const taken = yield* during((claim) =>
    Effect.gen(function* () {
      const sim = yield* claim(kind)
      yield* storage.commit({ sims: [inService(sim, "another", 1)] })
      return [sim.iccid, (yield* claim(kind)).iccid, (yield* claim(kind)).iccid]
    })
  )
  expect(taken).toEqual([iccidOf(0), iccidOf(1), iccidOf(1)])
  // Its claim goes on, and there is no other.
  expect(yield* open(storage)).toBe(1)
})

test("asks once more when a reservation ends, also if the storage answers at once", function* () {
  const storage = yield* stock(1)
  yield* storage.sims.import(newSims("other", 1, 1))
  const machineNow = yield* Clock.currentTimeMillis
  yield* storage.sims.reserve({ ...kind, token: "another", count: 1, machineNow, until: machineNow + 1_000 })
  const { claimed, during, request } = yield* process(storage, false, null)
  const waiting = yield* Effect.forkChild(request)
  yield* Effect.sleep(5)
  const before = claimed.length
  const other = { ...kind, organizationId: "other" }
  yield* Effect.ignore(during((claim) => Effect.andThen(claim(other), Effect.fail("no"))))
  yield* Effect.sleep(1)
  expect(claimed.length - before).toBeLessThanOrEqual(3)
  yield* storage.sims.release({ organizationId: "org", reservations: [{ iccid: iccidOf(0), token: "another" }] })
  expect(yield* Fiber.join(waiting)).toBe(iccidOf(0))
})

test("gives the last SIM again to a request that claims again", function* () {
  const { during } = yield* process(yield* stock(1))
  const twice = during((claim) => Effect.all([claim(kind), claim(kind)]))
  expect((yield* twice).map(({ iccid }) => iccid)).toEqual([iccidOf(0), iccidOf(0)])
})

test("hands back what a request had that failed or was interrupted", function* () {
  const storage = yield* stock(2)
  const { during } = yield* process(storage)
  const failing = Effect.ignore(during((claim) => Effect.andThen(claim(kind), Effect.fail("no"))))
  yield* Effect.all([failing, failing, failing], { concurrency: "unbounded" })
  yield* Effect.sleep(200)
  expect(yield* open(storage)).toBe(2)
  const fiber = yield* Effect.forkChild(during((claim) => Effect.andThen(claim(kind), Effect.never)))
  const waiting = yield* Effect.forkChild(
    Effect.delay(
      during((claim) => claim(kind)),
      HOP + 1
    )
  )
  yield* Effect.sleep(2 * HOP)
  yield* Fiber.interrupt(fiber)
  yield* Fiber.interrupt(waiting)
  yield* Effect.sleep(3 * HOP)
  expect(yield* open(storage)).toBe(2)
})

test("refuses no request for want of a SIM by a claim that was made before it", function* () {
  const storage = yield* stock(0)
  const one = yield* process(storage)
  // Found to be empty as its hop ends; a SIM comes, and who asks then is not answered by the answer
  // on its way back.
  const slow = yield* process({
    ...storage,
    sims: {
      ...storage.sims,
      reserve: (claim) => Effect.tap(storage.sims.reserve(claim), () => Effect.sleep(20))
    }
  })
  const first = yield* Effect.forkChild(Effect.flip(slow.request))
  yield* Effect.sleep(10)
  yield* storage.sims.import(newSims("org", 0, 1))
  expect(yield* slow.request).toBe(iccidOf(0))
  expect(yield* Fiber.join(first)).toMatchObject({ _tag: "NoFreeSim" })
  expect(yield* one.load(1, 1)).toEqual([null])
})

it("gives each SIM once whatever becomes of requests, processes and SIMs, and keeps none", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 120 }),
      fc.array(
        fc.record({
          other: fc.boolean(),
          at: fc.integer({ min: 0, max: 300 }),
          // So many milliseconds after it came it is interrupted.
          waitLimit: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 4 }),
          // Which SIM somebody takes by its name at that moment.
          named: fc.option(fc.integer({ min: 0, max: 119 }), { freq: 6 })
        }),
        { minLength: 1, maxLength: 150 }
      ),
      (count, requests) =>
        run(
          Effect.gen(function* () {
            const storage = yield* stock(count)
            const processes = [yield* process(storage), yield* process(storage)]
            const given: Array<string> = []
            let refused = 0
            const asking = (of: (typeof processes)[number] | undefined): Effect.Effect<void, Storage.StorageError> =>
              (of?.request ?? Effect.never).pipe(
                Effect.tap((iccid) => Effect.sync(() => given.push(iccid))),
                Effect.catchTag("Conflict", () => asking(of)),
                Effect.catchTag(["NoFreeSim", "SimsReleasing"], () => Effect.sync(() => refused++)),
                Effect.asVoid
              )
            const naming = Effect.fnUntraced(function* (number: number) {
              const line = yield* storage.simAggregates.get({ organizationId: "org", iccid: iccidOf(number) })
              if (line?.sim.allocation._tag !== "Free") return
              yield* storage.commit({ sims: [inService(line.sim, `named ${number}`, 1)] })
              given.push(line.sim.iccid)
            })
            const doing = requests.map(({ at, named, other, waitLimit }) => {
              const asked = named === null ? asking(processes[other ? 1 : 0]) : naming(named)
              return Effect.delay(waitLimit === null ? asked : Effect.timeoutOption(asked, waitLimit), at)
            })
            yield* Effect.all(doing, { concurrency: "unbounded" })
            yield* Effect.sleep(300)
            const used = yield* storage.subscriptions.page({ organizationId: "org", after: null, limit: 1_000 })
            const iccids = used.map(({ subscription }) => subscription.iccid)
            // An interrupted request may have been put into service, or not.
            expect(iccids).toEqual(expect.arrayContaining(given))
            expect(new Set(given).size).toBe(given.length)
            expect(yield* open(storage)).toBe(count - iccids.length)
            if (refused > 0) expect(iccids).toHaveLength(count)
          })
        )
    ),
    { numRuns: 60 }
  ))

test("hands back what requests had that failed under load", function* () {
  const storage = yield* stock(300)
  const { during, load } = yield* process(storage)
  const failing = Effect.ignore(during((claim) => Effect.andThen(claim(kind), Effect.fail("no"))))
  yield* Effect.all([load(10, 20), Effect.delay(Effect.all(Array.from({ length: 40 }, () => failing)), 30)], {
    concurrency: "unbounded"
  })
  yield* Effect.sleep(250)
  expect(yield* open(storage)).toBe(100)
})

test("leaves the SIMs of a process that is dead to the others when their claims are over", function* () {
  const storage = yield* stock(300)
  const [one, other] = [yield* process(storage), yield* process(storage)]
  const load = yield* Effect.forkChild(one.load(10, 20))
  yield* Effect.sleep(60)
  one.state.isDead = true
  yield* Effect.sleep(10)
  const before = yield* Clock.currentTimeMillis
  const used = yield* storage.subscriptions.page({ organizationId: "org", after: null, limit: 1_000 })
  const left = 300 - used.length
  const given = yield* other.load(1, left)
  expect(new Set([...given, ...used.map(({ subscription }) => subscription.iccid)]).size).toBe(300)
  expect((yield* Clock.currentTimeMillis) - before).toBeGreaterThan(4_900)
  yield* Fiber.interrupt(load)
})

test("hands all back when it stops", function* () {
  const storage = yield* stock(300)
  const one = yield* process(storage)
  yield* one.load(10, 10)
  expect(yield* open(storage)).toBeLessThan(200)
  const before = yield* Clock.currentTimeMillis
  yield* one.stop
  expect((yield* Clock.currentTimeMillis) - before).toBeLessThan(5 * HOP)
  expect(yield* open(storage)).toBe(200)
  const claimed = total(one.claimed)
  expect(yield* one.load(10, 10)).toHaveLength(100)
  expect(total(one.claimed)).toBe(claimed + 100)
  expect(yield* open(storage)).toBe(100)
})

test("does not give what it has claimed so long ago that the claim may end before the commit", function* () {
  const storage = yield* stock(300)
  const one = yield* process(storage)
  yield* one.load(10, 10)
  const held = 200 - (yield* open(storage))
  expect(held).toBeGreaterThan(0)
  const claims = one.claimed.length
  const clock = yield* Clock.Clock
  const later = SteppedClock.at(clock, () => clock.currentTimeMillisUnsafe() + 1_001)
  // The process stood still: its timers have not gone off.
  yield* Effect.provideService(one.request, Clock.Clock, later)
  expect(one.claimed.length).toBeGreaterThan(claims)
  expect(total(one.handedBack)).toBeGreaterThanOrEqual(held)
})

test("fails for all who wait where the storage fails, and goes on after it", function* () {
  const storage = yield* stock(500)
  let isBroken = true
  const error = new Storage.StorageError({ message: "out of reach" })
  const one = yield* process({
    ...storage,
    sims: {
      ...storage.sims,
      reserve: (claim) => (isBroken ? Effect.fail(error) : storage.sims.reserve(claim))
    }
  })
  const outcomes = yield* Effect.all(
    Array.from({ length: 5 }, () => Effect.exit(one.request)),
    { concurrency: "unbounded" }
  )
  expect(outcomes.map(Exit.isFailure)).toEqual([true, true, true, true, true])
  isBroken = false
  expect(yield* one.load(5, 20)).toHaveLength(100)
  isBroken = true
  const claims = one.claimed.length
  expect(yield* Effect.exit(one.load(5, 2))).toMatchObject({ _tag: "Failure" })
  yield* Effect.sleep(1_000)
  expect(one.claimed.length).toBeLessThan(claims + 10)
})

test("has a claim of its own for a request in a transaction", function* () {
  const storage = yield* stock(300)
  const one = yield* process(storage, true)
  expect((yield* one.load(10, 10)).toSorted()).toEqual(numbers(0, 100))
  expect(total(one.claimed)).toBe(100)
  expect(yield* Settings).toMatchObject({ claimMillis: 5_000 })
})
