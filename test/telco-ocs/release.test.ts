/**
 * S5 where the charging system has packages of simplan's that no order of the journal has, as a
 * process that died or a restored backup leaves them: a SIM is free only when nothing of ours is
 * left on it.
 */
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Problems, Time } from "simplan"
import { describe, expect } from "vitest"
import { ICCID, inWorld, START, TELCO, type World } from "./reports/ReportsWorld.ts"
import { orderOf } from "./simulation/Orders.ts"

const ids = ({ model }: World) => model.packages.map(({ id }) => id)

/** Adds a package like the first one, which was not ordered here. */
const addStray = ({ model }: World, of: Partial<World["model"]["packages"][number]> = {}) => {
  const [own = expect.fail()] = model.packages
  model.packages.push({ ...own, id: 70, ...of })
}

/** The journal as a backup from before all orders has it. */
const restoreJournal = ({ journal }: World) =>
  Effect.forEach(["package", "package-id"], (kind) =>
    journal.purge({ telco: TELCO, kind, before: START + Time.DAY, limit: 100 })
  )

const refusals = ({ problems }: World) => Effect.map(problems, (jobs) => jobs.map(({ refused }) => refused?.message))

/** Until the telco has refused often enough. */
const threeTries = (world: World) =>
  Effect.gen(function* () {
    for (let tried = 0; tried < 3; tried++) {
      yield* world.work
      yield* TestClock.adjust("1 hour")
    }
    yield* world.work
  })

describe("S5: a SIM that is sold again", () => {
  inWorld("has no package that a process has made and lost", function* (world) {
    yield* world.subscribe({ megaBytes: 1024 })
    addStray(world)
    yield* world.remove
    yield* world.work
    expect([yield* world.allocation, ids(world)]).toEqual(["Free", []])
    yield* world.subscribe({ megaBytes: 1024 })
    expect(ids(world)).toHaveLength(1)
    expect(yield* world.problems).toEqual([])
  })

  inWorld("has no package that a journal from a backup does not know", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* world.subscribe({ megaBytes: 2048 })
    yield* restoreJournal(world)
    yield* world.remove
    yield* world.work
    expect([yield* world.allocation, ids(world)]).toEqual(["Free", []])
  })

  inWorld(
    "has no package of an order that no subscription owns, whether its outcome is known or not",
    function* (world) {
      yield* world.subscribe({ megaBytes: 1024 })
      const order = orderOf(ICCID)
      const terms = { ...order("").terms, regionCode: "EUROPE" }
      yield* world.telco.createPackage(order("forgotten:0", { terms }))
      world.model.failing = new Set(["affectPackage"])
      yield* Effect.flip(world.telco.createPackage(order("open:0", { terms: { ...terms, dataMegaBytes: 5 } })))
      world.model.failing = new Set()
      expect(ids(world)).toEqual([1, 2])
      yield* world.remove
      yield* world.work
      expect([yield* world.allocation, ids(world)]).toEqual(["Free", []])
      // The key of the order without an outcome is spent, so nothing can come of it any more.
      expect(yield* Effect.flip(world.telco.createPackage(order("open:0", { terms })))).toMatchObject({
        _tag: "Telco.Refused"
      })
    }
  )

  inWorld("keeps packages of other templates, of recurring packages, and those that are long over", function* (world) {
    yield* world.subscribe({ megaBytes: 1024 })
    addStray(world, { id: 71, templateName: "Europe 5 GB" })
    addStray(world, { id: 72, isRecurring: true })
    addStray(world, { id: 73, activationAt: START - 31 * Time.DAY, expirationAt: START - Time.DAY })
    yield* world.remove
    yield* world.work
    expect([yield* world.allocation, ids(world)]).toEqual(["Free", [71, 72, 73]])
  })

  inWorld(
    "is not free while a package without an owner is used, until an operator has deleted that",
    function* (world) {
      yield* world.subscribe({ megaBytes: 1024 })
      addStray(world, { usedBytes: 5 })
      yield* world.remove
      yield* threeTries(world)
      expect([yield* world.allocation, ids(world)]).toEqual(["Releasing", [70]])
      expect(yield* refusals(world)).toEqual([
        "Package 70 at ocs is of no order of simplan's, and 5 bytes of it are used: delete it at ocs"
      ])
      world.model.packages = []
      const [{ jobId: problemId } = expect.fail()] = yield* world.problems
      yield* Context.get(world.services, Problems.Problems).retry({ problemId })
      yield* world.work
      expect([yield* world.allocation, yield* world.problems]).toEqual(["Free", []])
    }
  )

  inWorld("is not free while the system does not say what is on it", function* (world) {
    yield* world.subscribe({ megaBytes: 1024 })
    addStray(world)
    world.model.failing = new Set(["packages"])
    yield* world.remove
    yield* world.work
    expect(yield* world.allocation).toBe("Releasing")
    world.model.failing = new Set()
    yield* TestClock.adjust("1 hour")
    yield* world.work
    expect([yield* world.allocation, ids(world)]).toEqual(["Free", []])
  })

  inWorld("is free although a list that is behind still has its used package", function* (world) {
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024 })
    world.model.change(1, { usedBytes: 5 })
    const before = world.model.packages
    yield* world.telco.cancelPackage({ packageId: `${attachmentId}:0`, iccid: ICCID })
    world.model.packages = before
    const listed = yield* Effect.suspend(() => world.telco.listPackages?.({ iccid: ICCID }) ?? Effect.succeed(null))
    expect(listed).toEqual(["ocs/1"])
    yield* world.remove
    yield* world.work
    expect([yield* world.allocation, ids(world)]).toEqual(["Free", []])
  })
})
