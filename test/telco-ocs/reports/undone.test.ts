/**
 * S5 and S6 of a creation whose package the charging system has made, though its caller was told
 * that it was not: what was used of it before it could be cancelled is kept, and listed.
 */
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Problems } from "simplan"
import { describe, expect } from "vitest"
import { inWorld, START, type World } from "./ReportsWorld.ts"

const ids = ({ model }: World) => model.packages.map(({ id }) => id)

/** A top-up with whose order an outage begins: its package is there. */
const topUpInVain = (world: World) =>
  Effect.gen(function* () {
    const { model } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    model.outageAfter = "affectPackage"
    expect((yield* Effect.exit(world.subscribe({ megaBytes: 2048 })))._tag).toBe("Failure")
    yield* world.work
    expect(ids(world)).toEqual([1, 2])
  })

/** The outage is over, and the telco is asked until it has refused often enough. */
const recover = (world: World) =>
  Effect.gen(function* () {
    world.model.outageAfter = null
    world.model.isOut = false
    for (let tried = 0; tried < 4; tried++) {
      yield* TestClock.adjust("1 minute")
      yield* world.work
    }
  })

/** What the operator is told, who then has it cancelled. */
const retried = (world: World) =>
  Effect.gen(function* () {
    const [{ jobId, refused } = expect.fail(), ...more] = yield* world.problems
    expect(more).toEqual([])
    yield* Context.get(world.services, Problems.Problems).retry({ problemId: jobId })
    yield* recover(world)
    expect([ids(world), yield* world.problems]).toEqual([[1], []])
    return refused?.message
  })

/** Two days pass, with their comparisons of both books. */
const settled = (world: World) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < 8; passed++) {
      yield* world.settle
      yield* TestClock.adjust("6 hours")
      yield* world.polling.due
    }
  })

const kinds = ({ problems }: World) => Effect.map(problems, (all) => all.map(({ work }) => work._tag))

/**
 * An operator leaves a package there, each time that it was used; it is among the problems in the
 * end.
 */
const stayingResolved = (world: World, id: number) =>
  Effect.gen(function* () {
    for (const [index, expected] of ["CancelPackages", "ReviewPackage", "ReviewPackage"].entries()) {
      expect(yield* kinds(world)).toEqual([expected])
      const [{ jobId: problemId } = expect.fail()] = yield* world.problems
      yield* Context.get(world.services, Problems.Problems).resolve({ problemId })
      yield* settled(world)
      expect(yield* kinds(world)).toEqual([])
      world.model.change(id, { usedBytes: 100 + index })
      yield* settled(world)
    }
    expect(yield* kinds(world)).toEqual(["ReviewPackage"])
  })

describe("S5: a top-up that was undone", () => {
  inWorld("keeps a package that was used before it could be cancelled, and lists it", function* (world) {
    yield* topUpInVain(world)
    world.model.change(2, { usedBytes: 8_388_608, activationAt: START })
    yield* recover(world)
    expect(ids(world)).toEqual([1, 2])
    expect(yield* retried(world)).toContain("package 2 at ocs is undone, and 8388608 bytes of it are used")
  })

  inWorld(
    "lists it once, though the comparison finds it too, and once more only after it was used again",
    function* (world) {
      yield* topUpInVain(world)
      world.model.change(2, { usedBytes: 5, activationAt: START })
      yield* recover(world)
      yield* settled(world)
      expect(yield* kinds(world)).toEqual(["CancelPackages"])
      yield* stayingResolved(world, 2)
    }
  )

  inWorld("lists nothing of one that was resolved before any comparison, until it is used again", function* (world) {
    yield* topUpInVain(world)
    world.model.change(2, { usedBytes: 5, activationAt: START })
    yield* recover(world)
    yield* stayingResolved(world, 2)
  })

  inWorld("keeps one that was used after its cancellation had begun", function* (world) {
    const { model } = world
    yield* topUpInVain(world)
    model.isOut = false
    model.failing = new Set(["deletePackage"])
    yield* TestClock.adjust("1 minute")
    yield* world.work
    model.failing = new Set()
    model.change(2, { usedBytes: 5, activationAt: START })
    yield* recover(world)
    expect(ids(world)).toEqual([1, 2])
    yield* stayingResolved(world, 2)
    const [{ jobId: problemId } = expect.fail()] = yield* world.problems
    yield* Context.get(world.services, Problems.Problems).correct({ problemId })
    yield* world.work
    expect([ids(world), yield* world.problems]).toEqual([[1], []])
  })

  inWorld("is over soon after an outage, also if storage has failed to have its job tried sooner", function* (world) {
    yield* topUpInVain(world)
    const wait = Effect.andThen(TestClock.adjust("5 minutes"), world.work)
    yield* Effect.repeat(wait, { times: 40 })
    let failed = 0
    world.failCommits(({ jobs }) => jobs?.hastened !== undefined && ++failed > 0)
    yield* wait
    expect(failed).toBeGreaterThan(0)
    world.failCommits(() => false)
    world.model.outageAfter = null
    world.model.isOut = false
    // The wait that ends with the next second, and that of the probe.
    for (const passes of ["1 second", "10 seconds"] as const) {
      yield* TestClock.adjust(passes)
      yield* world.work
    }
    expect(ids(world)).toEqual([1])
  })

  inWorld("leaves no package that nobody has used", function* (world) {
    yield* topUpInVain(world)
    yield* recover(world)
    expect([ids(world), yield* world.problems]).toEqual([[1], []])
  })
})
