/**
 * Rule W13: how many SMS an organization sends to one of its SIMs, on a virtual machine clock.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Messages, Settings } from "simplan"
import { RateLimitUsage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as JoinedProcesses from "../../http/JoinedProcesses.ts"
import * as Calls from "../Calls.ts"
import * as World from "../World.ts"
import * as Tests from "../../setup/Tests.ts"

const limited = (
  smsLimit: Settings.Limits["smsLimit"],
  usage: RateLimitUsage.RateLimitUsage = RateLimitUsage.RateLimitUsage.defaultValue()
) =>
  Messages.makeSmsLimit.pipe(
    Effect.provideServiceEffect(
      Settings.Settings,
      Effect.map(Settings.Settings, (preset) => ({ ...preset, smsLimit }))
    ),
    Effect.provideService(RateLimitUsage.RateLimitUsage, usage)
  )

/** How many of so many messages at once are let through. */
const taken = (limit: Messages.SmsLimit, count: number, to = { organizationId: "a", iccid: "1" }) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => Effect.exit(limit.take(to))),
    (exits) => exits.filter(({ _tag }) => _tag === "Success").length
  )

describe("W13: SMS to one SIM", () => {
  Tests.onTestClock("are as many together as the limit says, and then come back one by one", function* () {
    const limit = yield* limited({ messages: 30, windowMillis: 60_000 })
    expect(yield* taken(limit, 2_195)).toBe(30)
    expect(yield* Effect.flip(limit.take({ organizationId: "a", iccid: "1" }))).toMatchObject({
      _tag: "SmsLimited",
      iccid: "1",
      retryAfterSeconds: 2
    })
    yield* TestClock.adjust("2 seconds")
    expect(yield* taken(limit, 10)).toBe(1)
    yield* TestClock.adjust("20 seconds")
    expect(yield* taken(limit, 50)).toBe(10)
    yield* TestClock.adjust("1 hour")
    expect(yield* taken(limit, 50)).toBe(30)
  })

  Tests.onTestClock(
    "are limited over all processes together, and are made up for where several let them through at once",
    function* () {
      const thirty = { messages: 30, windowMillis: 60_000 }
      const processes = JoinedProcesses.make()
      let isLost = false
      const first = yield* limited(thirty, processes.join("first"))
      const second = yield* limited(
        thirty,
        processes.join("second", () => isLost)
      )
      expect(yield* taken(first, 20)).toBe(20)
      expect(yield* taken(second, 20)).toBe(10)
      expect(yield* taken(first, 20)).toBe(0)
      expect(yield* taken(first, 1, { organizationId: "b", iccid: "1" })).toBe(1)
      yield* TestClock.adjust("20 seconds")
      expect([yield* taken(second, 6), yield* taken(first, 20)]).toEqual([6, 4])
      yield* TestClock.adjust("1 hour")
      isLost = true
      expect([yield* taken(second, 50), yield* taken(first, 50)]).toEqual([30, 30])
      yield* TestClock.adjust("10 seconds")
      expect([yield* taken(second, 50), yield* taken(first, 50)]).toEqual([0, 5])
    }
  )

  Tests.onTestClock("count by organization and SIM, and not at all without a limit", function* () {
    const limit = yield* limited({ messages: 3, windowMillis: 1_000 })
    expect(yield* taken(limit, 5)).toBe(3)
    expect(yield* taken(limit, 5, { organizationId: "a", iccid: "2" })).toBe(3)
    expect(yield* taken(limit, 5, { organizationId: "b", iccid: "1" })).toBe(3)
    expect(yield* taken(yield* limited(null), 100)).toBe(100)
  })

  it("are refused by the service beyond the limit, and the telco gets none of those", async () => {
    const world = await World.make()
    const [iccid = ""] = await world.importSims(1)
    const planId = await world.createPlan()
    await Calls.create(world, { planId, iccid })
    const { organizationId } = world
    const send = Messages.Messages.use((of) => of.send({ organizationId, iccid, from: "Acme", text: "Hello" }))
    // On a machine clock that stands still.
    const outcomes = await world.run(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: 32 }), () => Effect.flip(Effect.asVoid(send)).pipe(Effect.option))
        )
        return yield* Fiber.join(fiber)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    expect(outcomes.map(({ _tag }) => _tag).indexOf("Some")).toBe(30)
    expect(outcomes[31]).toMatchObject({ value: { _tag: "SmsLimited", iccid, retryAfterSeconds: 2 } })
  })
})
