/**
 * S5 for SIMs in stock: what the charging system has of simplan's templates on a SIM that nobody
 * has is found before the SIM is sold, whether it was ever sold or not.
 */
import { Context, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Organizations, Problems, SimCorrections, Sims, Subscriptions, Time } from "simplan"
import { describe, expect } from "vitest"
import * as VirtualTime from "../scenarios/engine/VirtualTime.ts"
import { ICCID, inWorld, LEASE, START, type World } from "./reports/ReportsWorld.ts"

const ids = ({ model }: World) => model.packages.map(({ id }) => id)

const calls = ({ model }: World) => model.calls.filter((name) => name === "packages").length

/** The ICCID of a SIM of which there are many. */
const iccidOf = (index: number) => `89910000001${String(index).padStart(8, "0")}`

/** Adds a package of simplan's templates that nobody here has ordered. */
const addStray = ({ model }: World, of: Partial<World["model"]["packages"][number]> = {}) =>
  model.packages.push({
    id: 70,
    iccid: ICCID,
    templateId: 1,
    templateName: "simplan z28 1024MB 30d",
    assignedAt: START,
    activationAt: null,
    expirationAt: null,
    allowanceBytes: 1024 ** 3,
    usedBytes: 0,
    isActive: true,
    isRecurring: false,
    ...of
  })

const importMany = ({ organizationId, services }: World, count: number, from = 0) =>
  Context.get(services, Sims.Sims).importRows({
    organizationId,
    rows: Stream.fromIterable(
      Array.from({ length: count }, (_, index) => ({
        iccid: iccidOf(from + index),
        label: "Green",
        isEsim: true,
        lpa: `LPA:1$smdp.example$${from + index}`
      }))
    )
  })

/** As many turns as a small inventory needs. */
const turns = ({ drainOf }: World) => Effect.repeat(drainOf({}), { times: 7 })

const allocationOf = ({ organizationId, services }: World, iccid: string) =>
  Effect.map(Context.get(services, Sims.Sims).get({ organizationId, iccid }), ({ allocation: { _tag } }) => _tag)

describe("S5: a SIM in stock", () => {
  inWorld("leaves the stock while an unused package of nobody's is on it, though it was never sold", function* (world) {
    addStray(world)
    yield* world.background
    yield* TestClock.adjust("2 minutes")
    expect([yield* world.allocation, ids(world)]).toEqual(["Releasing", [70]])
    yield* world.work
    // It may be what a customer has paid for whom a restored backup does not know.
    const [{ refused } = expect.fail()] = yield* world.problems
    expect([yield* world.allocation, ids(world)]).toEqual(["Releasing", [70]])
    expect(refused?.message).toContain("that no subscription here has: ocs/70.")
  })

  inWorld("is sold on where what is on it is an order's that was cancelled", function* (world) {
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024 })
    yield* world.remove
    yield* world.work
    expect(yield* world.allocation).toBe("Free")
    // A deletion that the system has answered, and not kept.
    const entry = yield* world.journal.get({ telco: "ocs", kind: "package", key: `${attachmentId}:0` })
    addStray(world, { id: Number(entry?.externalId) })
    yield* TestClock.adjust("1 day")
    yield* turns(world)
    yield* world.work
    expect([yield* world.allocation, ids(world), yield* world.problems]).toEqual(["Free", [], []])
  })

  inWorld("with a package of nobody's is not sold before it had its turn either", function* (world) {
    addStray(world)
    const sold = yield* Effect.exit(world.subscribe({ megaBytes: 1024 }))
    expect([sold._tag, yield* world.allocation, ids(world)]).toEqual(["Failure", "Releasing", [70]])
    yield* world.work
    expect(yield* world.problems).toHaveLength(1)
  })

  inWorld(
    "is not sold while a package of nobody's on it is used, until an operator has deleted that",
    function* (world) {
      addStray(world, { usedBytes: 5 })
      yield* turns(world)
      yield* world.work
      const [{ jobId: problemId, refused } = expect.fail()] = yield* world.problems
      expect(refused?.message).toContain("that no subscription here has: ocs/70.")
      const sold = yield* Effect.exit(world.subscribe({ megaBytes: 1024 }))
      expect([sold._tag, yield* world.allocation]).toEqual(["Failure", "Releasing"])
      world.model.packages = []
      yield* Context.get(world.services, Problems.Problems).retry({ problemId })
      yield* world.work
      expect([yield* world.allocation, yield* world.problems]).toEqual(["Free", []])
      yield* world.subscribe({ megaBytes: 1024 })
      expect(yield* world.allocation).toBe("InService")
    }
  )

  inWorld("is compared soon after its import, and once a day from then on", function* (world) {
    yield* turns(world)
    expect(calls(world)).toBe(1)
    yield* importMany(world, 1)
    yield* TestClock.adjust("1 minute")
    yield* turns(world)
    expect(calls(world)).toBe(2)
    yield* TestClock.adjust("23 hours")
    yield* turns(world)
    expect(calls(world)).toBe(2)
    yield* TestClock.adjust("1 hour")
    yield* turns(world)
    expect(calls(world)).toBe(4)
    addStray(world, { iccid: iccidOf(0) })
    yield* TestClock.adjust("23 hours")
    yield* turns(world)
    expect(calls(world)).toBe(4)
    yield* TestClock.adjust("1 hour")
    yield* turns(world)
    expect([yield* allocationOf(world, iccidOf(0)), yield* world.allocation]).toEqual(["Releasing", "Free"])
  })

  inWorld("is compared at a quarter of the calls that are allowed, and none is left out", function* (world) {
    yield* importMany(world, 299)
    addStray(world, { iccid: iccidOf(298) })
    yield* world.background
    yield* VirtualTime.pass(30 * Time.SECOND)
    expect(calls(world)).toBeGreaterThan(120)
    expect(calls(world)).toBeLessThanOrEqual(160)
    yield* VirtualTime.pass(40 * Time.SECOND)
    expect(calls(world)).toBe(300)
    expect(yield* allocationOf(world, iccidOf(298))).toBe("Releasing")
  })

  inWorld("of each organization is compared, and one in service is not", function* (world) {
    yield* world.subscribe({ megaBytes: 1024 })
    const { organizationId } = yield* Context.get(world.services, Organizations.Organizations).create({ name: "B" })
    const other = { ...world, organizationId }
    yield* importMany(other, 1)
    addStray(world, { iccid: iccidOf(0) })
    addStray(world, { id: 71 })
    yield* world.background
    yield* TestClock.adjust("2 minutes")
    expect([yield* allocationOf(other, iccidOf(0)), yield* world.allocation]).toEqual(["Releasing", "InService"])
  })

  inWorld("is compared by one process, and goes on where another has stopped", function* (world) {
    yield* importMany(world, 99)
    yield* Effect.scoped(Effect.andThen(world.background, TestClock.adjust("10 seconds")))
    const before = calls(world)
    expect(before).toBeLessThan(100)
    yield* world.background
    yield* world.background
    yield* TestClock.adjust("2 minutes")
    expect(calls(world)).toBe(100)
  })

  inWorld("is compared a lease after a process has died, also if nothing could be handed back", function* (world) {
    addStray(world)
    yield* turns(world)
    yield* importMany(world, 1)
    addStray(world, { iccid: iccidOf(0) })
    yield* TestClock.adjust("1 minute")
    world.model.hanging = new Set(["packages"])
    world.journalFails.replace = "stock"
    world.renewals.areMade = false
    yield* Effect.scoped(Effect.andThen(world.background, TestClock.adjust("1 second")))
    expect(yield* allocationOf(world, iccidOf(0))).toBe("Free")
    world.model.hanging = new Set()
    delete world.journalFails.replace
    yield* world.background
    yield* TestClock.adjust(LEASE + Time.SECOND)
    expect(yield* allocationOf(world, iccidOf(0))).toBe("Releasing")
  })

  inWorld("is compared once the system answers again", function* (world) {
    addStray(world)
    world.model.failing = new Set(["packages"])
    yield* world.background
    yield* TestClock.adjust("2 minutes")
    expect(yield* world.allocation).toBe("Free")
    world.model.failing = new Set()
    yield* TestClock.adjust("2 minutes")
    expect(yield* world.allocation).toBe("Releasing")
  })

  inWorld("for which the system never answers keeps no other one from its turn", function* (world) {
    yield* importMany(world, 1)
    yield* turns(world)
    // Of the new one there is no answer, for days; the round goes on with the others.
    yield* importMany(world, 1, 1)
    world.model.unanswered = new Set([iccidOf(0), iccidOf(1)])
    yield* TestClock.adjust("1 day")
    addStray(world)
    yield* turns(world)
    expect(yield* world.allocation).toBe("Releasing")
    yield* world.work
    yield* TestClock.adjust("1 day")
    addStray(world)
    yield* turns(world)
    expect(yield* world.allocation).toBe("Releasing")
    addStray(world, { id: 71, iccid: iccidOf(1) })
    world.model.unanswered = new Set()
    yield* TestClock.adjust("1 minute")
    yield* turns(world)
    expect(yield* allocationOf(world, iccidOf(1))).toBe("Releasing")
  })

  inWorld("is not left out while the system does not answer for hours", function* (world) {
    addStray(world)
    world.model.failing = new Set(["packages"])
    for (let minute = 0; minute < 100; minute++) yield* Effect.andThen(turns(world), TestClock.adjust("1 minute"))
    world.model.failing = new Set()
    yield* turns(world)
    expect(yield* world.allocation).toBe("Releasing")
  })

  inWorld("of another telco's is not asked for", function* (world) {
    yield* Effect.repeat(world.drainOf({ isSupplied: ({ label }) => label === "Blue" }), { times: 7 })
    yield* TestClock.adjust("1 day")
    yield* Effect.repeat(world.drainOf({ isSupplied: ({ label }) => label === "Blue" }), { times: 7 })
    expect(calls(world)).toBe(0)
    yield* TestClock.adjust("1 day")
    yield* Effect.repeat(world.drainOf({ isSupplied: ({ label }) => label === "Green" }), { times: 7 })
    expect(calls(world)).toBe(1)
  })

  inWorld("that is sold while its packages are listed stays with its customer", function* (world) {
    const { organizationId, services } = world
    const list = Effect.as(world.subscribe({ megaBytes: 1024 }), { packageIds: ["ocs/1"], areOrdered: false })
    const sims = Context.get(services, Sims.Sims)
    expect(yield* sims.withhold({ organizationId, iccid: ICCID, list })).toBe("NotFree")
    expect([yield* world.allocation, yield* world.problems]).toEqual(["InService", []])
    yield* TestClock.adjust(Time.DAY)
  })
})

describe("S5: the comparison of all SIMs that an operator asks for", () => {
  const ended = ({ all }: World) => Effect.map(all.progress, (state) => state !== null && state.doneAt !== null)
  const figures = ({ all }: World) =>
    Effect.map(all.progress, (state) => [state?.compared ?? null, state?.unanswered ?? null])

  inWorld("has a quarter of the calls that are allowed, and leaves no SIM out", function* (world) {
    yield* importMany(world, 299)
    addStray(world, { iccid: iccidOf(298) })
    yield* world.all.background
    yield* VirtualTime.pass(5 * Time.SECOND)
    expect([calls(world), yield* world.all.progress]).toEqual([0, null])
    yield* world.all.request
    yield* VirtualTime.pass(30 * Time.SECOND)
    expect(calls(world)).toBeGreaterThan(120)
    expect(calls(world)).toBeLessThanOrEqual(170)
    expect(yield* ended(world)).toBe(false)
    yield* VirtualTime.pass(40 * Time.SECOND)
    expect([calls(world), yield* ended(world), yield* figures(world)]).toEqual([300, true, [300, 0]])
    expect(yield* allocationOf(world, iccidOf(298))).toBe("Releasing")
  })

  inWorld("has that quarter together with the daily comparison, and neither is left out", function* (world) {
    yield* importMany(world, 299)
    yield* world.all.request
    yield* world.background
    yield* VirtualTime.pass(30 * Time.SECOND)
    expect(calls(world)).toBeGreaterThan(120)
    expect(calls(world)).toBeLessThanOrEqual(150 + 30)
    yield* VirtualTime.pass(110 * Time.SECOND)
    expect([calls(world), yield* ended(world), yield* figures(world)]).toEqual([600, true, [300, 0]])
  })

  inWorld(
    "is one process's, goes on where it has stopped, and begins anew if it is asked for again",
    function* (world) {
      yield* importMany(world, 99)
      yield* world.all.request
      yield* Effect.scoped(Effect.andThen(world.all.background, TestClock.adjust("10 seconds")))
      const before = calls(world)
      expect([before > 0 && before < 100, yield* ended(world)]).toEqual([true, false])
      yield* world.all.background
      yield* world.all.background
      yield* TestClock.adjust("2 minutes")
      expect([calls(world), yield* figures(world)]).toEqual([100, [100, 0]])
      yield* world.all.request
      expect([yield* ended(world), yield* figures(world)]).toEqual([false, [0, 0]])
      yield* TestClock.adjust("2 minutes")
      expect([calls(world), yield* ended(world), yield* figures(world)]).toEqual([200, true, [100, 0]])
    }
  )

  inWorld("is taken over a lease after its process has died, and only then", function* (world) {
    yield* importMany(world, 99)
    yield* world.all.request
    yield* Effect.scoped(Effect.andThen(world.all.background, TestClock.adjust("10 seconds")))
    const before = calls(world)
    // The next turn is that of a process which is killed in it: nothing is written, renewed or
    // handed back.
    world.model.hanging = new Set(["packages"])
    world.journalFails.replace = "comparison"
    world.renewals.areMade = false
    yield* Effect.scoped(Effect.andThen(world.all.background, TestClock.adjust("1 second")))
    world.model.hanging = new Set()
    delete world.journalFails.replace
    const dead = calls(world)
    yield* world.all.background
    yield* TestClock.adjust(LEASE - 2 * Time.SECOND)
    expect([dead - before, calls(world)]).toEqual([5, dead])
    yield* TestClock.adjust("1 minute")
    // What the dead process has asked for is asked for again, and counts once.
    expect([calls(world), yield* ended(world), yield* figures(world)]).toEqual([105, true, [100, 0]])
  })

  inWorld(
    "waits some minutes for what is not answered, counts it, and keeps no other SIM from its turn",
    function* (world) {
      yield* importMany(world, 29)
      // Of two turns, which wait both.
      world.model.unanswered = new Set([iccidOf(0), iccidOf(25)])
      addStray(world, { iccid: iccidOf(28) })
      yield* world.all.request
      yield* world.all.background
      yield* TestClock.adjust("1 minute")
      expect([yield* ended(world), yield* allocationOf(world, iccidOf(28))]).toEqual([false, "Free"])
      yield* TestClock.adjust("2 minutes")
      expect([yield* ended(world), yield* figures(world)]).toEqual([false, [19, 1]])
      yield* TestClock.adjust("5 minutes")
      expect([yield* ended(world), yield* figures(world)]).toEqual([true, [28, 2]])
      // Only what was not answered is asked for again.
      expect(calls(world)).toBe(28)
      expect(yield* allocationOf(world, iccidOf(28))).toBe("Releasing")
    }
  )

  inWorld(
    "has SIMs that are withdrawn, once sold or never, and ends with SIMs that are unknown there",
    function* (world) {
      yield* importMany(world, 3)
      const { organizationId, services } = world
      const [first, second, sold] = [iccidOf(0), iccidOf(1), iccidOf(2)]
      yield* world.subscribe({ megaBytes: 1024, start: START, on: sold })
      yield* world.subscribe({ megaBytes: 1024, start: START, on: first })
      yield* Context.get(services, Subscriptions.Subscriptions).remove({ organizationId, iccid: first })
      yield* world.work
      yield* world.settle
      for (const iccid of [first, second]) {
        const of = { organizationId, iccid, status: "withdrawn", reason: "lost" }
        yield* Context.get(services, SimCorrections.SimCorrections).correct(of)
      }
      addStray(world, { id: 80, iccid: first, usedBytes: 20 })
      addStray(world, { id: 81, iccid: second, usedBytes: 20 })
      yield* world.all.background
      const compared = Effect.gen(function* () {
        yield* world.all.request
        for (let second = 0; second < 20; second++) {
          yield* TestClock.adjust("1 second")
          yield* world.polling.due
        }
        expect([yield* ended(world), yield* figures(world)]).toEqual([true, [4, 0]])
        return (yield* world.problems).map(({ jobId }) => jobId).toSorted()
      })
      expect(yield* compared).toEqual([])
      world.model.unknownSims = new Set([sold])
      expect(yield* compared).toEqual([])
      // What a list that is behind would explain is listed once it has lasted.
      yield* TestClock.adjust("16 minutes")
      yield* world.polling.due
      expect((yield* world.problems).map(({ jobId }) => jobId).toSorted()).toEqual(
        [`unknown/${sold}`, `unordered/${first}/80`, `unordered/${second}/81`]
          .map((id) => `review:ocs/${id}`)
          .toSorted()
      )
    }
  )

  inWorld("waits for polls of SIMs in service, which count only from when it was asked for", function* (world) {
    yield* importMany(world, 1)
    yield* world.subscribe({ megaBytes: 1024, start: START })
    const polled = Effect.map(world.journal.get({ telco: "ocs", kind: "sim", key: ICCID }), (entry) => entry?.dueAt)
    yield* TestClock.adjust("1 minute")
    yield* world.polling.due
    yield* TestClock.adjust("1 second")
    const requestedAt = START + Time.MINUTE + Time.SECOND
    expect(yield* polled).toBeGreaterThan(requestedAt)
    yield* world.all.request
    yield* world.all.background
    yield* TestClock.adjust("10 seconds")
    expect([yield* polled, yield* ended(world)]).toEqual([requestedAt, false])
    yield* world.polling.due
    yield* TestClock.adjust("10 seconds")
    expect([yield* ended(world), yield* figures(world)]).toEqual([true, [2, 0]])
    world.model.unanswered = new Set([ICCID])
    yield* world.all.request
    for (let second = 0; second < 300; second++) {
      yield* TestClock.adjust("1 second")
      yield* world.polling.due
    }
    expect([yield* ended(world), yield* figures(world)]).toEqual([true, [1, 1]])
  })
})
