/**
 * One telco that is down does not delay the work of others.
 */
import { Deferred, Effect, Fiber, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { Problems, Subscriptions } from "simplan"
import { type Label, Telco, TelcoPorts } from "simplan/ports"
import { describe, expect, it, onTestFinished } from "vitest"
import { CallGate } from "../../adapters/telco-calls/index.ts"
import * as Connected from "../../adapters/telco-routes/Connected.ts"
import * as Bridge from "../telco-http/Bridge.ts"
import * as World from "./World.ts"
import * as Tests from "../setup/Tests.ts"

/** A bridge that does all that it is asked for, and hangs while it is told to. */
const bridge = async () => {
  let hangs = false
  let underWay = 0
  let most = 0
  const started = await Bridge.start((asked, response, socket) => {
    underWay += 1
    most = Math.max(most, underWay)
    response.once("close", () => {
      underWay -= 1
    })
    if (hangs) return
    Bridge.answer(200, { telco_package_id: "t" })(asked, response, socket)
  })
  onTestFinished(started.close)
  return {
    ...started,
    hang: () => {
      hangs = true
      most = 0
    },
    most: () => most
  }
}

const CALLS_AT_ONCE = 2

/** Two telcos, and settings that send what has the label Green to the slow one. */
const two = async () => {
  const [slow, fast] = [await bridge(), await bridge()]
  const http = (url: string) => ({ kind: "http", url, key: { env: "KEY" }, calls_at_once: CALLS_AT_ONCE })
  const settings = World.settings(
    { slow: http(slow.url), fast: http(fast.url) },
    [{ label: "Green", packages: "slow" }, { packages: "fast" }],
    { KEY: "a-key-of-the-test" }
  )
  return { slow, fast, settings }
}

describe("a telco that hangs", () => {
  it("leaves the engine's slots, and the requests of others, to the others", async () => {
    const { fast, settings, slow } = await two()
    // Fewer slots than jobs that hang: without slots for each telco they would take all of them.
    const { run } = await World.start(settings, { works: true, concurrency: 8 })
    const { organizationId } = await run(World.organization)
    const plan = async (label: Label.Label) => (await run(World.plan(organizationId, label))).planId
    const plans = { Green: await plan("Green"), Blue: await plan("Blue") }
    const subscribe = (planId: string, iccid: string) =>
      Subscriptions.Subscriptions.use((all) =>
        all.create({ organizationId, planId, iccid, metadata: "", activePeriod: null })
      )
    const remove = (iccid: string) => Subscriptions.Subscriptions.use((all) => all.remove({ organizationId, iccid }))
    const green = await run(World.sims(organizationId, "Green", 24))
    const blue = await run(World.sims(organizationId, "Blue", 2))
    const [first = "", second = ""] = blue
    await run(Effect.forEach(green, (iccid) => subscribe(plans.Green, iccid), { concurrency: CALLS_AT_ONCE }))
    await run(subscribe(plans.Blue, first))

    slow.hang()
    await run(Effect.forEach(green, remove, { concurrency: "unbounded" }))
    await expect.poll(() => slow.most()).toBe(CALLS_AT_ONCE)

    const start = performance.now()
    const cancelled = () => fast.asked.filter(({ path }) => path.includes("cancel")).length
    await run(subscribe(plans.Blue, second))
    await run(remove(first))
    await expect.poll(cancelled, { timeout: 8_000 }).toBe(1)
    // A call that hangs does so for 10 s.
    expect(performance.now() - start).toBeLessThan(9_000)
    expect(slow.most()).toBe(CALLS_AT_ONCE)
  })
})

describe("a telco that does not answer in time", () => {
  it("is named by what waits for it, so that its own answers have that tried again (S6)", async () => {
    const { settings, slow } = await two()
    const { run } = await World.start(settings, { works: true, telcoTimeoutMillis: 300 })
    const { organizationId } = await run(World.organization)
    const { planId } = await run(World.plan(organizationId, "Green"))
    const [iccid = ""] = await run(World.sims(organizationId, "Green", 1))
    const all = Subscriptions.Subscriptions
    await run(all.use((of) => of.create({ organizationId, planId, iccid, metadata: "", activePeriod: null })))
    slow.hang()
    await run(all.use((of) => of.remove({ organizationId, iccid })))
    const waiting = run(
      Problems.WaitingJobs.use((of) => of.page({ after: null, limit: 10 })).pipe(
        Effect.map(({ items }) => items.map((job) => [job.work._tag, job.waiting.message, job.waiting.telco])),
        Effect.repeat({ until: (jobs) => jobs.length > 0, schedule: Schedule.spaced(20) })
      )
    )
    expect(await waiting).toEqual([["CancelPackages", "no answer within 300 ms", "slow"]])
  })
})

describe("the slots of a telco", () => {
  const job = { organizationId: "a", isAwaited: false, withinMillis: 10_000 }
  const slotsOf = (concurrency: number) =>
    Effect.map(CallGate.make({ telco: "a", concurrency }), (gate) => ({
      run: (call: Effect.Effect<unknown, Telco.Refused>) =>
        gate
          .inSlots({ ...Connected.unsupported("a"), sendSms: () => call })
          .sendSms({ messageId: "m", iccid: "8933010000000000018", from: "Acme", text: "Hello" })
    }))
  const begin = <A, E>(call: Effect.Effect<A, E>, caller: TelcoPorts.Caller = job) =>
    Effect.forkChild(Effect.provideService(call, TelcoPorts.Caller, caller), { startImmediately: true })

  Tests.onTestClock(
    "take calls up to their number, let jobs wait for a second and requests through half of their time",
    function* () {
      const slots = yield* slotsOf(2)
      const done = yield* Deferred.make<string>()
      const call = slots.run(Deferred.await(done))
      const underWay = yield* Effect.forEach([1, 2], () => begin(call))
      const waiting = yield* begin(Effect.flip(call))
      const request = yield* begin(Effect.flip(call), { ...job, isAwaited: true })
      const long = yield* begin(call, { ...job, isAwaited: true, withinMillis: 30_000 })
      yield* Effect.yieldNow
      yield* TestClock.adjust("1 second")
      const refused = yield* Fiber.join(waiting)
      expect(refused).toMatchObject({ isAsked: false, isDone: false, retryAfterSeconds: 1 })
      expect(refused.message).toBe("The telco a has 2 calls under way, and more wait")
      yield* TestClock.adjust("3999 millis")
      expect(request.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(request)).toMatchObject({ _tag: "Telco.Unavailable", isAsked: false })
      yield* Deferred.succeed(done, "done")
      expect(yield* Effect.forEach([...underWay, long], Fiber.join)).toEqual(["done", "done", "done"])
      expect(yield* call).toBe("done")
    }
  )

  Tests.onTestClock(
    "tell calls that come together to come back one after the other, at the pace at which slots become free",
    function* () {
      const slots = yield* slotsOf(1)
      const never = yield* begin(slots.run(Effect.never))
      const waiting = yield* Effect.forEach([1, 2, 3, 4], () => begin(slots.run(Effect.void)))
      yield* Effect.yieldNow
      const refused = Effect.flip(Effect.provideService(slots.run(Effect.void), TelcoPorts.Caller, job))
      const refusals = yield* Effect.forEach([1, 2, 3], () => refused)
      expect(refusals).toMatchObject([1, 2, 3].map((retryAfterSeconds) => ({ retryAfterSeconds })))
      // What waits of one organization refuses nothing of another (rule W13).
      const other = yield* begin(slots.run(Effect.succeed("done")), { ...job, organizationId: "b" })
      yield* Fiber.interrupt(never)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(other)).toBe("done")
      yield* Effect.forEach(waiting, Fiber.join)
    }
  )

  Tests.onTestClock("are given back by a call that fails or is interrupted", function* () {
    const slots = yield* slotsOf(1)
    const refused = new Telco.Refused({ message: "no" })
    expect(yield* Effect.flip(slots.run(Effect.fail(refused)))).toBe(refused)
    const hanging = yield* Effect.forkChild(slots.run(Effect.never), { startImmediately: true })
    yield* Fiber.interrupt(hanging)
    expect(yield* slots.run(Effect.succeed("done"))).toBe("done")
  })
})

describe("the circuit breaker of a telco", () => {
  const of = { packageId: "a:0", iccid: "8933010000000000018" }
  const failing = (failure: Telco.Unavailable): Telco.Telco["Service"] => {
    const fail = () => Effect.fail(failure)
    return {
      createPackage: fail,
      suspendPackage: fail,
      cancelPackage: fail,
      sendSms: fail,
      releaseProfile: fail,
      setMobilePlan: fail
    }
  }

  Tests.scoped("says of what it holds back, and of what never left, that it is not done (S5)", function* () {
    const message = "The telco cannot be reached: ECONNREFUSED"
    const unsent = new Telco.Unavailable({ message, isDone: false })
    const lost = new Telco.Unavailable({ message: "The answer was lost" })
    const gate = (telco: string) => CallGate.make({ telco, failures: 3, callsPerSecond: 1_000 })
    for (const [failure, isDone] of [
      [unsent, false],
      [lost, undefined]
    ] as const) {
      const telco = (yield* gate(failure.message)).around(failing(failure))
      for (let call = 0; call < 3; call++) {
        expect(yield* Effect.flip(telco.cancelPackage(of))).toMatchObject({
          message: failure.message,
          ...(isDone === false && { isDone })
        })
      }
      const heldBack = yield* Effect.flip(telco.cancelPackage(of))
      expect(heldBack).toMatchObject({ _tag: "Telco.Unavailable", isDone: false, retryAfterSeconds: 5 })
    }
  })

  Tests.scoped("hands on what a telco fails with, and counts no call that the telco was not asked", function* () {
    const failure = new Telco.Unavailable({
      message: "Too many calls",
      isAsked: false,
      isDone: false,
      telco: "inner"
    })
    const gate = yield* CallGate.make({ telco: "held back", failures: 3, callsPerSecond: 1_000 })
    const telco = gate.around(failing(failure))
    for (let call = 0; call < 9; call++) expect(yield* Effect.flip(telco.cancelPackage(of))).toEqual(failure)
  })
})
