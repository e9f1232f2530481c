/**
 * What goes together: the groups that callers' questions are gathered into, and the commits that
 * may go as one.
 */
import { Context, Deferred, Effect, Exit, Fiber, Result } from "effect"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Batching from "../../../adapters/postgres/database/Batching.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { allSims, connect, newSims, on, touch } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

interface Asked {
  readonly name: string
  readonly size: number
  readonly keys: ReadonlyArray<string> | null
}

/** Until what was asked has gone, as far as it may: turns of the event loop, more than it takes. */
const turns = Effect.repeat(Effect.yieldNow, { times: 50 })

/** Groups of two at most, whose answers come when they are let through; what went is kept. */
const gate = (parallel: number, failing: string | null = null) => {
  const groups: Array<ReadonlyArray<string>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const ask = Batching.batch<Asked, string, string>({
    parallel,
    parallelFull: 2,
    limit: 2,
    size: ({ size }) => size,
    context: Context.empty(),
    keys: ({ keys }) => keys,
    // Questions of A are named with capitals.
    owner: ({ name }) => (name === name.toUpperCase() ? "A" : "b"),
    run: (group) =>
      Effect.gen(function* () {
        const open = Deferred.makeUnsafe<void>()
        gates.push(open)
        groups.push(group.map(({ name }) => name))
        yield* Deferred.await(open)
        return group.map(({ name }) => (name === failing ? Exit.fail(name) : Exit.succeed(name)))
      })
  })
  const letThrough = Effect.gen(function* () {
    for (let next = gates.shift(); next !== undefined; next = gates.shift()) {
      yield* Deferred.succeed(next, undefined)
      yield* turns
    }
  })
  return { ask, groups, letThrough }
}

const begin = (effect: Effect.Effect<string, string>) => Effect.forkChild(effect, { startImmediately: true })

const names = (...texts: ReadonlyArray<string>): ReadonlyArray<Asked> =>
  texts.map((text) => {
    const [name = "", ...keys] = text.split(" ")
    const size = name.length
    return { name, size, keys: keys[0] === "alone" ? null : keys }
  })

/**
 * The groups in which these went, each named with its keys, when the first was under way before the
 * others came.
 */
const goneAs = (...asked: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { ask, groups, letThrough } = gate(1)
    const fibers = yield* Effect.forEach(names(...asked), (one) => Effect.tap(begin(ask(one)), turns))
    yield* letThrough
    expect(yield* Effect.forEach(fibers, Fiber.join)).toEqual(names(...asked).map(({ name }) => name))
    return groups
  }).pipe(Effect.runPromise)

describe("A group", () => {
  it("is what was asked while another was under way, up to its limit", async () => {
    expect(await goneAs("a", "b", "c", "d")).toEqual([["a"], ["b", "c"], ["d"]])
  })

  it("never has two that share a key, and these go in the order in which they came", async () => {
    expect(await goneAs("a", "b x", "c x", "d y")).toEqual([["a"], ["b", "d"], ["c"]])
    expect(await goneAs("a", "b x", "c x y", "d y")).toEqual([["a"], ["b"], ["c"], ["d"]])
  })

  it("is one where that goes with no other", async () => {
    expect(await goneAs("a", "b", "c alone", "d", "e")).toEqual([["a"], ["b"], ["c"], ["d", "e"]])
  })

  it("is one that is full by itself, of which two may be under way", async () => {
    expect(await goneAs("full", "b", "c")).toEqual([["full"], ["b", "c"]])
    expect(await goneAs("a", "full", "b", "c")).toEqual([["a"], ["full"], ["b", "c"]])
    expect(await goneAs("a", "b", "full", "c")).toEqual([["a"], ["b"], ["full"], ["c"]])
  })

  it("is of all owners in turn, however many questions one of them has, and however many of these go alone", async () => {
    expect(await goneAs("A", "B", "C", "D", "b", "c")).toEqual([["A"], ["B", "b"], ["C", "c"], ["D"]])
    expect(await goneAs("A", "B alone", "C alone", "D alone", "b", "c", "d")).toEqual([
      ["A"],
      ["B"],
      ["b", "c"],
      ["C"],
      ["d"],
      ["D"]
    ])
    expect(await goneAs("A", "b", "B alone", "c", "C", "d")).toEqual([["A"], ["b", "c"], ["B"], ["d", "C"]])
  })

  Tests.scoped("goes beside another where it is full by itself", function* () {
    const { ask, groups, letThrough } = gate(1)
    const fibers = yield* Effect.forEach(names("a", "full", "more", "b"), (one) => Effect.tap(begin(ask(one)), turns))
    expect(groups).toEqual([["a"], ["full"]])
    yield* letThrough
    expect(yield* Effect.forEach(fibers, Fiber.join)).toEqual(["a", "full", "more", "b"])
    expect(groups).toEqual([["a"], ["full"], ["more"], ["b"]])
  })

  Tests.scoped("is what was asked in one turn, and beside as many others as may be", function* () {
    const { ask, groups, letThrough } = gate(2)
    const fibers = yield* Effect.forEach(names("a", "b", "c", "d", "e", "f"), (one) => begin(ask(one)))
    yield* turns
    expect(groups).toEqual([
      ["a", "b"],
      ["c", "d"]
    ])
    yield* letThrough
    yield* Effect.forEach(fibers, Fiber.join)
    expect(groups.at(-1)).toEqual(["e", "f"])
  })

  Tests.scoped("gives each its own answer", function* () {
    const { ask, letThrough } = gate(1, "b")
    const fibers = yield* Effect.forEach(names("a", "b", "c"), (one) => begin(ask(one)))
    yield* turns
    yield* letThrough
    const answers = yield* Effect.forEach(fibers, (fiber) => Effect.result(Fiber.join(fiber)))
    expect(answers).toEqual([Result.succeed("a"), Result.fail("b"), Result.succeed("c")])
  })

  Tests.scoped("goes without whom has been interrupted before", function* () {
    const { ask, groups, letThrough } = gate(1)
    const fibers = yield* Effect.forEach(names("a", "b", "c"), (one) => Effect.tap(begin(ask(one)), turns))
    const [a, b, c] = fibers
    if (a === undefined || b === undefined || c === undefined) throw new Error("three were asked")
    yield* Fiber.interrupt(b)
    yield* letThrough
    expect(yield* Effect.all([Fiber.join(a), Fiber.join(c)])).toEqual(["a", "c"])
    expect(groups).toEqual([["a"], ["c"]])
  })
})

describe("Commits that go as one", () => {
  const url = Databases.forEachTest()

  Tests.scoped("fail each for itself: what is sound is written", function* () {
    const adapter = yield* connect(url())
    yield* on(adapter, (storage) => storage.sims.import(newSims("org", 0, 30)))
    const sims = yield* allSims(adapter, "org")
    const commits = sims.map((sim, index) => ({ sims: [touch(index % 3 === 0 ? { ...sim, version: 7 } : sim)] }))
    const outcomes = yield* on(adapter, (storage) =>
      Effect.forEach(commits, (commit) => Effect.result(storage.commit(commit)), { concurrency: "unbounded" })
    )
    const stale = new Storage.Conflict({ on: "version" })
    expect(outcomes).toEqual(
      commits.map((_, index) => (index % 3 === 0 ? Result.fail(stale) : Result.succeed(undefined)))
    )
    expect((yield* allSims(adapter, "org")).map(({ version }) => version)).toEqual(
      commits.map((_, index) => (index % 3 === 0 ? 1 : 2))
    )
  })

  it("have nothing in common", () => {
    const settled = { organizationId: "o", key: "k", outcome: { _tag: "Pending" as const } }
    expect(Batching.commitKeys({ jobs: { finished: [{ organizationId: "o", jobId: "j", token: "t" }] } })).toEqual([
      "job j"
    ])
    expect(
      Batching.commitKeys({ idempotency: { settled: [settled], forgotten: [{ organizationId: "o", key: "f" }] } })
    ).toEqual(["key o k", "key o f"])
    expect(Batching.commitKeys({ clock: 1 })).toBe(null)
    expect(Batching.commitKeys({ organizations: [] })).toBe(null)
  })
})
