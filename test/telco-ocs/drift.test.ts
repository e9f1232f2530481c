/**
 * The daily comparison of both books: what it finds, what it mends, and what it leaves alone. And
 * the parts that run in the background.
 */
import { Context, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Attachments, AuditLog, Pauses, Problems, Time, Wallet } from "simplan"
import { Problem } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as SimStates from "../../adapters/telco-ocs/drift/SimStates.ts"
import { GIGABYTE, ICCID, inWorld, START, type World } from "./reports/ReportsWorld.ts"
import { orderOf } from "./simulation/Orders.ts"
import * as Values from "../domain/Values.ts"

/** Of the plan that the tests attach, with as many megabytes. */
const terms = Values.terms({ name: "Plan", coverageId: "c", periodDays: 30 })

/** A day later, after the polls of that day. */
const nextDay = ({ polling }: World) =>
  Effect.gen(function* () {
    for (let round = 0; round < 5; round++) {
      yield* TestClock.adjust("6 hours")
      yield* polling.due
    }
  })

const findings = ({ problems }: World) =>
  Effect.map(problems, (jobs) => jobs.map(({ jobId, refused, work }) => [work._tag, jobId, refused?.message ?? ""]))

describe("Books that agree", () => {
  inWorld("are no problem, in use, at the end and long after it", function* (world) {
    yield* world.subscribe({ megaBytes: 1024 })
    yield* nextDay(world)
    const activationAt = START + 20 * Time.HOUR
    world.model.change(1, { activationAt, expirationAt: activationAt + 30 * Time.DAY, usedBytes: 100 })
    for (let day = 0; day < 40; day++) yield* nextDay(world)
    // The OCS drops what is over.
    world.model.packages = []
    for (let day = 0; day < 10; day++) yield* nextDay(world)
    expect(yield* world.problems).toEqual([])
  })
})

describe("Books that differ", () => {
  inWorld("list a package that the OCS has lost, once", function* (world) {
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024 })
    yield* nextDay(world)
    world.model.packages = []
    yield* nextDay(world)
    yield* nextDay(world)
    const [finding, ...others] = yield* findings(world)
    expect(others).toEqual([])
    expect(finding?.slice(0, 2)).toEqual(["ReviewPackage", `review:ocs/missing/${attachmentId}:0`])
    expect(finding?.[2]).toContain("is not listed any more")
  })

  inWorld("list a package of simplan's templates that was not ordered, and no other", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* world.polling.due
    // The orders themselves search what a call without an answer makes late.
    yield* world.settle
    const [own = expect.fail()] = world.model.packages
    const others = [{ templateName: "Europe 5 GB" }, { isRecurring: true }, { isActive: false }]
    world.model.packages.push({ ...own, id: 7 }, ...others.map((one, index) => ({ ...own, id: 8 + index, ...one })))
    yield* nextDay(world)
    expect((yield* findings(world)).map(([, id]) => id)).toEqual(["review:ocs/unordered/8991000000000000012/7"])
  })

  inWorld("list times that differ by more than the OCS can say", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START + 500 })
    world.model.change(1, { activationAt: START })
    yield* nextDay(world)
    expect(yield* world.problems).toEqual([])
    world.model.change(1, { expirationAt: START + 60 * Time.DAY })
    yield* nextDay(world)
    expect((yield* findings(world)).map(([, , message]) => message)).toEqual([
      expect.stringContaining("lasts from 2026-06-01T12:00:00.000Z to 2026-07-31T12:00:00.000Z")
    ])
  })

  inWorld("lose an unused package of a cancelled order, and list a used one", function* (world) {
    const first = yield* world.subscribe({ megaBytes: 1024, start: START })
    const second = yield* world.subscribe({ megaBytes: 2048, start: START })
    const before = world.model.packages
    for (const { attachmentId } of [first, second]) {
      yield* world.telco.cancelPackage({ packageId: `${attachmentId}:0`, iccid: before[0]?.iccid ?? "" })
    }
    expect(world.model.packages).toEqual([])
    yield* world.settle
    // Somebody has restored them at the OCS.
    world.model.packages = before.map((one) => (one.id === 2 ? { ...one, usedBytes: GIGABYTE } : one))
    yield* nextDay(world)
    expect(world.model.packages.map(({ id }) => id)).toEqual([2])
    expect((yield* findings(world)).map(([, id]) => id)).toEqual([`review:ocs/cancelled/${second.attachmentId}:0`])
  })

  inWorld(
    "say what to do about the used package of a cancelled order whose id is not known, until it is gone",
    function* (world) {
      const { attachmentId } = yield* world.subscribe({ megaBytes: 1024, start: START })
      yield* world.polling.due
      // The next order takes effect, but its answer and every read after it are lost.
      const [own = expect.fail()] = world.model.packages
      const packageId = `${attachmentId}:1`
      const window = { start: START + 30 * Time.DAY, end: START + 60 * Time.DAY }
      world.model.failing = new Set(["affectPackage"])
      yield* Effect.flip(world.telco.createPackage({ packageId, iccid: own.iccid, window, terms }))
      world.model.failing = new Set()
      world.model.packages.push({
        ...own,
        id: 5,
        usedBytes: 3,
        activationAt: window.start,
        expirationAt: window.end
      })
      yield* world.telco.cancelPackage({ packageId, iccid: own.iccid })
      yield* Effect.scoped(Effect.andThen(world.background, TestClock.adjust("16 minutes")))
      const expected = [
        "ReviewPackage",
        "review:ocs/unordered/8991000000000000012/5",
        `ocs: package 5 came of ${packageId}, which was cancelled, and 3 bytes of it are used. Delete package 5 at ocs, then resolve this problem`
      ]
      expect(yield* findings(world)).toEqual([expected])
      const problems = Context.get(world.services, Problems.Problems)
      const resolve = problems.resolve({ problemId: expected[1] ?? "" })
      yield* nextDay(world)
      expect(yield* findings(world)).toEqual([expected])
      // Resolved without being deleted, it comes back; deleted, it does not.
      yield* resolve
      yield* nextDay(world)
      expect((yield* findings(world)).map(([, id]) => id)).toEqual([expected[1]])
      world.model.packages = world.model.packages.filter(({ id }) => id !== 5)
      yield* resolve
      yield* nextDay(world)
      expect(yield* findings(world)).toEqual([])
    }
  )

  inWorld("are compared anew after a retry and after a resolution", function* (world) {
    yield* world.subscribe({ megaBytes: 1024 })
    yield* nextDay(world)
    const lost = world.model.packages
    world.model.packages = []
    yield* nextDay(world)
    const problems = Context.get(world.services, Problems.Problems)
    const [{ jobId: problemId } = expect.fail()] = yield* world.problems
    yield* problems.retry({ problemId })
    expect(yield* world.problems).toEqual([])
    yield* world.work
    yield* nextDay(world)
    expect(yield* world.problems).toHaveLength(1)
    yield* problems.resolve({ problemId })
    world.model.packages = lost
    yield* nextDay(world)
    expect(yield* world.problems).toEqual([])
  })
})

describe("The background", () => {
  inWorld("polls, settles and reports a used duplicate until it is stopped", function* (world) {
    yield* world.background
    yield* world.subscribe({ megaBytes: 1024 })
    world.model.change(1, { activationAt: START, expirationAt: START + 30 * Time.DAY, usedBytes: 77 })
    yield* TestClock.adjust("1 minute")
    expect((yield* world.attachment).usedBytes).toBe(77)
    const entries = yield* Context.get(world.services, AuditLog.AuditLog).page({
      organizationId: world.organizationId,
      ...{ from: null, to: null, actor: null, action: "sim.report", resourceId: null },
      after: null,
      limit: 10
    })
    expect(entries.items.map(({ actor }) => actor)).toEqual(["telco"])
    // A call without an answer that took effect after all.
    const [own = expect.fail()] = world.model.packages
    world.model.packages.push({ ...own, id: 5, usedBytes: 3 })
    yield* TestClock.adjust("16 minutes")
    expect((yield* findings(world)).map(([, id]) => id)).toEqual(["review:ocs/unordered/8991000000000000012/5"])
  })

  inWorld("reports a zone that the settings have wrong", function* (world) {
    world.model.ahead = 2 * Time.HOUR
    const order = orderOf(ICCID)
    const window = { start: START + Time.DAY, end: START + 31 * Time.DAY }
    const ordering = world.telco.createPackage(order("a:0", { window, terms }))
    expect((yield* Effect.flip(ordering)).message).toContain("UTC+02:00")
    expect(world.model.packages).toEqual([])
    yield* world.background
    yield* TestClock.adjust("1 minute")
    const [finding, ...others] = yield* findings(world)
    expect(others).toEqual([])
    expect(finding?.slice(0, 2)).toEqual(["ReviewPackage", "review:ocs/time-zone"])
    expect(finding?.[2]).toContain("Set time_zone to the zone in which ocs reads the times of orders")
  })

  inWorld("compares the books of a SIM at its first poll, and a day later again", function* (world) {
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024, start: START })
    world.model.change(1, { expirationAt: START + 60 * Time.DAY })
    const running = yield* Scope.fork(yield* Effect.scope)
    yield* Scope.provide(world.background, running)
    yield* TestClock.adjust("10 seconds")
    expect((yield* findings(world)).map(([, , message]) => message)).toEqual([
      expect.stringContaining("2026-07-31T12:00:00.000Z")
    ])
    // No process polls for a day, and then another process does.
    yield* Scope.close(running, Exit.void)
    yield* TestClock.adjust("1 day")
    world.model.packages = []
    yield* world.background
    yield* TestClock.adjust("14 minutes")
    expect((yield* findings(world)).map(([, id]) => id)).not.toContain(`review:ocs/missing/${attachmentId}:0`)
    yield* TestClock.adjust("2 minutes")
    expect((yield* findings(world)).map(([, id]) => id)).toContain(`review:ocs/missing/${attachmentId}:0`)
  })
})

/** The statuses of the OCS that are known, and any other. */
const statuses = ["ACTIVE", "SUSPENDED", "DISCONNECTED", "END_OF_LIFE", "BLOCKED"]

/** All that a SIM may be here, and which status and mobile plan there agree with that. */
const states = [
  { ours: "in service", of: { pausedAt: null }, status: "ACTIVE" },
  { ours: "paused since 2026-06-01T12:00:00.000Z", of: { pausedAt: START }, status: "SUSPENDED" },
  { ours: "mobile plan 10", of: { hasMobilePlan: true }, plans: [10] },
  { ours: "none", of: { hasMobilePlan: false }, plans: [null, 77] }
] as const

describe("Each pair of states", () => {
  const find = (
    of: { readonly pausedAt?: number | null; readonly hasMobilePlan?: boolean },
    theirs: SimStates.Theirs
  ) => {
    const books = { telco: "ocs", iccid: ICCID, mobilePlanId: 10, theirs, expected: { owners: [], ...of } }
    return [...SimStates.ofService(books), ...SimStates.ofMobilePlan(books)].map(({ sides }) => sides)
  }

  for (const { of, ours, ...agreeing } of states) {
    it(`of a SIM, "${ours}" here, is silent only if it agrees, and else has both sides`, () => {
      fc.assert(
        fc.property(
          fc.oneof(fc.constantFrom(...statuses), fc.string({ minLength: 1 })),
          fc.oneof(fc.constantFrom(10, 77, null), fc.nat()),
          (status, mobilePlanId) => {
            const found = find(of, { status, mobilePlanId })
            if ("status" in agreeing)
              expect(found).toEqual(status === agreeing.status ? [] : [{ ours, theirs: status }])
            else {
              const isThere = mobilePlanId === 10
              const agrees = isThere === agreeing.plans.some((plan) => plan === 10)
              const theirs = mobilePlanId === null ? "none" : `mobile plan ${mobilePlanId}`
              expect(found).toEqual(agrees ? [] : [{ ours, theirs }])
            }
          }
        )
      )
      const isService = "status" in agreeing
      expect(find(of, "Unknown")).toEqual(isService ? [{ ours, theirs: "unknown" }] : [])
      expect(find(of, null)).toEqual([])
    })
  }
})

describe("Each drift has both sides, and a correction that makes it ours", () => {
  /** The days until a difference has lasted. */
  const found = (world: World) =>
    Effect.gen(function* () {
      yield* nextDay(world)
      yield* nextDay(world)
      return yield* world.problems
    })

  const servicesOf = ({ organizationId, services }: World) => ({
    of: { organizationId, iccid: ICCID },
    pauses: Context.get(services, Pauses.Pauses),
    wallet: Context.get(services, Wallet.Wallet),
    attachments: Context.get(services, Attachments.Attachments)
  })

  /** Finds the difference with both sides, has it corrected, and finds none from then on. */
  const corrected = (world: World, id: string, sides: readonly [ours: string, theirs: string]) =>
    Effect.gen(function* () {
      const all = yield* found(world)
      expect(all.map(({ jobId, work }) => [jobId, Problem.sides(work)])).toEqual([
        [`review:ocs/${id}`, { ours: expect.stringContaining(sides[0]), theirs: expect.stringContaining(sides[1]) }]
      ])
      const [{ jobId: problemId } = expect.fail()] = all
      yield* Context.get(world.services, Problems.Problems).correct({ problemId })
      yield* world.work
      expect(yield* found(world)).toEqual([])
    })

  for (const again of [false, true]) {
    inWorld(`a SIM that is paused here and ACTIVE there${again ? ", twice" : ""}`, function* (world) {
      yield* world.subscribe({ megaBytes: 1024, start: START })
      const { of, pauses } = servicesOf(world)
      yield* pauses.pause(of)
      yield* world.work
      yield* world.settle
      for (let time = 0; time < (again ? 2 : 1); time++) {
        expect(world.model.status).toBe("SUSPENDED")
        world.model.status = "ACTIVE"
        yield* corrected(world, `service/${ICCID}`, ["paused since 2026-06-01", "ACTIVE"])
        expect(world.model.status).toBe("SUSPENDED")
      }
    })
  }

  inWorld("of a paused SIM that an open order gives service, only once the order is settled", function* (world) {
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024, start: START })
    const { of, pauses } = servicesOf(world)
    yield* pauses.pause(of)
    yield* world.work
    yield* nextDay(world)
    // The order takes effect late, and starts the service.
    world.model.failing = new Set(["affectPackage"])
    const window = { start: START + 30 * Time.DAY, end: START + 60 * Time.DAY }
    yield* Effect.flip(world.telco.createPackage({ packageId: `${attachmentId}:1`, iccid: of.iccid, window, terms }))
    world.model.failing = new Set()
    world.model.status = "ACTIVE"
    yield* nextDay(world)
    yield* nextDay(world)
    expect(yield* findings(world)).toEqual([])
    yield* world.settle
    expect(world.model.status).toBe("SUSPENDED")
    yield* nextDay(world)
    expect(yield* findings(world)).toEqual([])
  })

  inWorld("a SIM that is paused here and DISCONNECTED there", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    const { of, pauses } = servicesOf(world)
    yield* pauses.pause(of)
    yield* world.work
    yield* world.settle
    world.model.status = "DISCONNECTED"
    yield* corrected(world, `service/${ICCID}`, ["paused since 2026-06-01", "DISCONNECTED"])
    expect(world.model.status).toBe("SUSPENDED")
  })

  for (const calls of [["packages", "subscriber"], ["packages"], ["subscriber"]]) {
    inWorld(`a SIM that is sold and unknown there, by ${calls.join(" and ")}, until it is known`, function* (world) {
      yield* world.subscribe({ megaBytes: 1024, start: START })
      yield* nextDay(world)
      world.model.unknown = new Set(calls)
      const all = yield* found(world)
      expect(all.map(({ jobId, work }) => [jobId, Problem.sides(work)])).toEqual([
        [`review:ocs/unknown/${ICCID}`, { ours: "in service", theirs: "unknown" }]
      ])
      world.model.unknown = new Set()
      world.model.change(1, { usedBytes: 5 })
      // It was polled all the time, so its use is found within hours.
      yield* TestClock.adjust("6 hours")
      yield* world.polling.due
      expect((yield* world.attachment).usedBytes).toBe(5)
      const [{ jobId: problemId } = expect.fail()] = all
      yield* Context.get(world.services, Problems.Problems).resolve({ problemId })
      expect(yield* found(world)).toEqual([])
    })
  }

  for (const status of ["SUSPENDED", "DISCONNECTED", "BLOCKED"]) {
    inWorld(`a SIM that is active here and ${status} there`, function* (world) {
      yield* world.subscribe({ megaBytes: 1024, start: START })
      world.model.status = status
      yield* corrected(world, `service/${ICCID}`, ["in service", status])
      expect(world.model.status).toBe("ACTIVE")
    })
  }

  inWorld("of the SIM, a day later where the OCS did not answer at one comparison", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    world.model.status = "DISCONNECTED"
    world.model.failing = new Set(["subscriber"])
    expect(yield* found(world)).toEqual([])
    world.model.failing = new Set()
    yield* corrected(world, `service/${ICCID}`, ["in service", "DISCONNECTED"])
  })

  inWorld("an active package of a suspended plan", function* (world) {
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024, start: START })
    const { attachments, of } = servicesOf(world)
    yield* attachments.suspend({ ...of, attachmentId })
    yield* world.work
    expect(world.model.packages.map(({ isActive }) => isActive)).toEqual([false])
    world.model.change(1, { isActive: true })
    yield* corrected(world, `unsuspended/${attachmentId}:0`, ["suspended since 2026-06-01", "active"])
    expect(world.model.packages.map(({ isActive }) => isActive)).toEqual([false])
  })

  inWorld("a mobile plan that went", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    const { of, wallet } = servicesOf(world)
    yield* wallet.setMobilePlan({ ...of, apply: true, label: "Green" })
    expect(world.model.mobilePlanId).toBe(10)
    world.model.mobilePlanId = null
    yield* corrected(world, `mobile-plan/${ICCID}`, ["mobile plan 10", "none"])
    expect(world.model.mobilePlanId).toBe(10)
  })

  inWorld("a mobile plan that is there, and was taken away here or never applied", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    const { of, wallet } = servicesOf(world)
    for (const isRemoved of [false, true]) {
      if (isRemoved) {
        yield* wallet.setMobilePlan({ ...of, apply: true, label: "Green" })
        yield* wallet.setMobilePlan({ ...of, apply: false, label: "Green" })
      }
      world.model.mobilePlanId = 10
      yield* corrected(world, `mobile-plan/${ICCID}`, ["none", "mobile plan 10"])
      expect(world.model.mobilePlanId).toBe(null)
    }
    // Another plan is none of simplan's.
    world.model.mobilePlanId = 77
    expect(yield* found(world)).toEqual([])
  })

  inWorld("a package that nobody has ordered, used or not", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* world.settle
    const [own = expect.fail()] = world.model.packages
    world.model.packages.push({ ...own, id: 7, usedBytes: 5 })
    yield* corrected(world, `unordered/${ICCID}/7`, ["not ordered", "5 bytes of it are used"])
    expect(world.model.packages.map(({ id }) => id)).toEqual([1])
  })

  inWorld("a package on a SIM in stock, which is free once an operator has said that it goes", function* (world) {
    world.model.packages.push({
      ...{ id: 70, iccid: ICCID, templateId: 1, templateName: "simplan z28 1024MB 30d", assignedAt: START },
      ...{ activationAt: null, expirationAt: null, allowanceBytes: GIGABYTE, usedBytes: 5 },
      ...{ isActive: true, isRecurring: false }
    })
    yield* Effect.exit(world.subscribe({ megaBytes: 1024 }))
    yield* world.work
    const [{ jobId: problemId } = expect.fail()] = yield* world.problems
    expect([yield* world.allocation, world.model.packages.length]).toEqual(["Releasing", 1])
    yield* Context.get(world.services, Problems.Problems).correct({ problemId })
    yield* world.work
    expect([yield* world.allocation, world.model.packages, yield* world.problems]).toEqual(["Free", [], []])
  })

  inWorld("but none where the OCS is behind, does not say, or is being asked", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    const { of, pauses } = servicesOf(world)
    world.model.status = "SUSPENDED"
    yield* world.polling.due
    world.model.status = null
    yield* nextDay(world)
    world.model.failing = new Set(["setSubscriberStatus"])
    yield* pauses.pause(of)
    world.model.status = "ACTIVE"
    expect(yield* found(world)).toEqual([])
  })

  inWorld("and what cannot be asked for says so, and stays", function* (world) {
    yield* world.subscribe({ megaBytes: 1024 })
    yield* nextDay(world)
    world.model.packages = []
    const [{ jobId: problemId, work } = expect.fail()] = yield* found(world)
    expect(Problem.sides(work)?.theirs).toBe("no such package")
    const refused = yield* Effect.flip(Context.get(world.services, Problems.Problems).correct({ problemId }))
    expect(refused._tag).toBe("NotSupported")
    expect(yield* world.problems).toHaveLength(1)
  })

  inWorld("and a correction that the OCS refuses is a problem again", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    world.model.status = "SUSPENDED"
    const [{ jobId: problemId } = expect.fail()] = yield* found(world)
    world.model.refusing = new Set(["setSubscriberStatus"])
    const problems = Context.get(world.services, Problems.Problems)
    yield* problems.correct({ problemId })
    for (let tried = 0; tried < 4; tried++) {
      yield* world.work
      yield* TestClock.adjust("1 minute")
    }
    expect((yield* world.problems).map(({ refused, work }) => [work._tag, refused?.message])).toEqual([
      ["CorrectDifference", "setSubscriberStatus is refused"]
    ])
    world.model.refusing = new Set()
    yield* problems.correct({ problemId })
    yield* world.work
    expect([world.model.status, yield* world.problems]).toEqual(["ACTIVE", []])
  })
})
