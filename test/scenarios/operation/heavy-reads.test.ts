/**
 * Reads that may cost much take turns, are made aside of others, are stopped after a while, and are
 * charged for the time that they take (rule W13).
 */
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { RequestContext } from "simplan"
import * as Memory from "simplan/memory"
import { HostTransaction, Jobs, Outbox, ReadCosts, SimSearch, Storage } from "simplan/ports"
import { expect, it } from "vitest"
import * as HeavyReads from "../../../src/app/HeavyReads.ts"
import * as Operations from "../../conformance/postgres/printed/Operations.ts"
import * as Tests from "../../setup/Tests.ts"

type Seen = (name: string, read: Effect.Effect<unknown>) => Effect.Effect<unknown>

/** The object, each of whose operations `seen` makes, and those of the groups in it. */
const watched = <A extends object>(object: A, seen: Seen, prefix = ""): A =>
  new Proxy(object, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      const name = prefix + String(key)
      if (Effect.isEffect(value)) return seen(name, Effect.void)
      if (typeof value === "function") return () => seen(name, Effect.void)
      return typeof value === "object" && value !== null ? watched(value, seen, `${name}.`) : value
    }
  })

/** The ports in turns, over ones that answer as `seen` does. */
const ports = (seen: Seen, isInTransaction = false) =>
  Effect.gen(function* () {
    const memory = yield* Layer.build(Memory.layer)
    const base = Context.make(Storage.Storage, watched(Context.get(memory, Storage.Storage), seen)).pipe(
      Context.add(Jobs.Jobs, watched(Context.get(memory, Jobs.Jobs), seen, "jobs.")),
      Context.add(Outbox.Outbox, watched(Context.get(memory, Outbox.Outbox), seen, "outbox.")),
      Context.add(HostTransaction.HostTransaction, Effect.succeed(isInTransaction))
    )
    const made = yield* Layer.build(HeavyReads.layer.pipe(Layer.provide(Layer.succeedContext(base))))
    return {
      storage: Context.get(made, Storage.Storage),
      jobs: Context.get(made, Jobs.Jobs),
      outbox: Context.get(made, Outbox.Outbox)
    }
  })

const declared = new Map(
  Object.entries(ReadCosts.costs).flatMap(([group, reads]) =>
    Object.entries(reads).map(([name, cost]) => [`${group}.${name}`, cost] as const)
  )
)

it("each read that is declared heavy is made aside of others, and no other one", () =>
  Effect.gen(function* () {
    const aside = new Map<string, boolean>()
    const all = yield* ports((name) =>
      Effect.map(Storage.Aside, (given) => {
        aside.set(name, given !== null || aside.get(name) === true)
        return []
      })
    )
    for (const operation of Object.values(Operations.operations)) yield* Effect.exit(operation(all))
    for (const [name, { isHeavy, rows }] of declared) {
      expect([name, aside.get(name)]).toEqual([name, isHeavy])
      expect(rows).toBeGreaterThan(0)
    }
  }).pipe(Effect.scoped, Effect.runPromise))

const countries = (organizationId: string) => ({
  organizationId,
  from: 0,
  until: 1,
  by: ["country" as const],
  after: null,
  limit: 10
})

/** Reads that last until they are let go, in the order in which they begin. */
const held = Effect.gen(function* () {
  const begun: Array<string> = []
  const end = yield* Deferred.make<void>()
  let stopped = 0
  const all = yield* ports((name) =>
    Effect.suspend(() => {
      begun.push(name)
      return Effect.onInterrupt(Effect.as(Deferred.await(end), []), () => Effect.sync(() => stopped++))
    })
  )
  return { ...all, begun, end, stopped: () => stopped }
})

const filter = { label: null, tag: null, createdAfter: null, status: null, after: null, limit: 101 }
const lists = (organizationId: string, text: string | null) => {
  const search = text === null ? null : SimSearch.of(text)
  return { ...filter, organizationId, search }
}

Tests.onTestClock("two searches of an organization are made at a time, and its other reads beside them", function* () {
  const { begun, end, storage } = yield* held
  yield* Effect.forkChild(storage.usage.totals(countries("a")), { startImmediately: true })
  const searches = [
    storage.sims.find({ ...lists("a", "zzz"), isEsim: null }),
    storage.subscriptions.find(lists("a", "8933")),
    storage.sims.find({ ...lists("a", "anna"), isEsim: null }),
    storage.sims.find({ ...lists("b", "zzz"), isEsim: null })
  ]
  for (const search of searches) yield* Effect.forkChild(search, { startImmediately: true })
  yield* Effect.forkChild(storage.subscriptions.find(lists("a", null)), { startImmediately: true })
  yield* Effect.forkChild(storage.sims.find({ ...lists("a", null), isEsim: false }), { startImmediately: true })
  expect(begun).toEqual([
    "usage.totals",
    "sims.find",
    "subscriptions.find",
    "sims.find",
    "subscriptions.find",
    "sims.find"
  ])
  yield* Deferred.succeed(end, undefined)
})

const refusalOf = (exit: Exit.Exit<unknown, Storage.StorageError>) =>
  Exit.isFailure(exit) ? Exit.findErrorOption(exit) : exit

Tests.onTestClock("an organization has one under way, and others begin beside it", function* () {
  const { begun, end, storage } = yield* held
  const one = yield* Effect.forkChild(storage.usage.totals(countries("a")), { startImmediately: true })
  const second = yield* Effect.forkChild(Effect.exit(storage.sims.counts({ organizationId: "a", sellAfter: 0 })), {
    startImmediately: true
  })
  yield* Effect.forkChild(storage.usage.totals(countries("b")), { startImmediately: true })
  yield* Effect.forkChild(storage.overview.loads, { startImmediately: true })
  const fourth = yield* Effect.forkChild(Effect.exit(storage.usage.totals(countries("c"))), { startImmediately: true })
  expect(begun).toEqual(["usage.totals", "usage.totals", "overview.loads"])
  yield* TestClock.adjust("5 seconds")
  expect(refusalOf(yield* Fiber.join(second))).toMatchObject({ value: { refusedRead: "own" } })
  expect(refusalOf(yield* Fiber.join(fourth))).toMatchObject({ value: { refusedRead: "others" } })
  const third = yield* Effect.forkChild(storage.sims.counts({ organizationId: "a", sellAfter: 0 }), {
    startImmediately: true
  })
  yield* Deferred.succeed(end, undefined)
  yield* Fiber.join(one)
  yield* Fiber.join(third)
  expect(begun.at(-1)).toBe("sims.counts")
})

Tests.onTestClock("one that takes longer than 10 s is stopped, and charged for them", function* () {
  const { begun, stopped, storage } = yield* held
  const meter = { bytes: 0, millis: 0 }
  const read = yield* Effect.forkChild(
    Effect.provideService(Effect.exit(storage.usage.totals(countries("a"))), RequestContext.Current, {
      requestId: null,
      address: null,
      meter
    }),
    { startImmediately: true }
  )
  yield* TestClock.adjust("9999 millis")
  expect([begun.length, stopped()]).toEqual([1, 0])
  yield* TestClock.adjust("1 millis")
  expect(refusalOf(yield* Fiber.join(read))).toMatchObject({
    value: { refusedRead: "too long", message: expect.stringContaining("10 s") }
  })
  expect([stopped(), meter]).toEqual([1, { bytes: 0, millis: 10_000 }])
})

Tests.onTestClock("in a transaction of the host it waits for nothing and is not stopped", function* () {
  const begun: Array<boolean> = []
  const { storage } = yield* ports(
    () =>
      Effect.flatMap(Storage.Aside, (aside) => {
        begun.push(aside !== null)
        return Effect.never
      }),
    true
  )
  for (let n = 0; n < 5; n++) yield* Effect.forkChild(storage.usage.totals(countries("a")), { startImmediately: true })
  yield* TestClock.adjust("1 minute")
  expect(begun).toEqual([false, false, false, false, false])
})
