/**
 * The time limit that the calls of a process share.
 */
import { Clock, type Duration, Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import * as TelcoCall from "../../../src/app/telco/TelcoCall.ts"
import * as Tests from "../../setup/Tests.ts"

const LIMIT = 1_000

/** A call that takes so many milliseconds, under the limit. */
const call = (limit: TelcoCall.TimeLimit, millis: number) =>
  Effect.gen(function* () {
    const asked = yield* Effect.forkDetach(Effect.as(Effect.sleep(millis), "answered"))
    return yield* limit.join(asked, Effect.succeed("late"))
  })

const outcome = (fiber: Fiber.Fiber<string>): string => {
  const exit = fiber.pollUnsafe()
  return exit === undefined ? "under way" : exit._tag === "Success" ? exit.value : "failed"
}

describe("the time limit of calls", () => {
  Tests.onTestClock("is reached by each call that takes longer, as long after the call began", function* () {
    const limit = yield* TelcoCall.makeTimeLimit(LIMIT)
    const [first, quick] = [
      yield* Effect.forkChild(call(limit, 2 * LIMIT), { startImmediately: true }),
      yield* Effect.forkChild(call(limit, LIMIT / 2), { startImmediately: true })
    ]
    yield* TestClock.adjust(LIMIT - 300)
    const second = yield* Effect.forkChild(call(limit, Number.POSITIVE_INFINITY), { startImmediately: true })
    const outcomes = () => [first, quick, second].map(outcome)
    yield* TestClock.adjust(299)
    expect(outcomes()).toEqual(["under way", "answered", "under way"])
    yield* TestClock.adjust(1)
    expect(outcomes()).toEqual(["late", "answered", "under way"])
    yield* TestClock.adjust(LIMIT - 301)
    expect(outcomes()).toEqual(["late", "answered", "under way"])
    yield* TestClock.adjust(1)
    expect(outcomes()).toEqual(["late", "answered", "late"])
    // After a pause without calls too.
    yield* TestClock.adjust(10 * LIMIT)
    const third = yield* Effect.forkChild(call(limit, 2 * LIMIT), { startImmediately: true })
    yield* TestClock.adjust(LIMIT)
    expect(outcome(third)).toBe("late")
  })

  Tests.onTestClock("is reached at once by each call where it is zero", function* () {
    const limit = yield* TelcoCall.makeTimeLimit(0)
    expect([yield* call(limit, LIMIT), yield* call(limit, LIMIT)]).toEqual(["late", "late"])
  })

  Tests.onTestClock("holds for a call that is under way when the scope ends", function* () {
    const under = yield* Effect.scoped(
      Effect.flatMap(TelcoCall.makeTimeLimit(LIMIT), (limit) =>
        Effect.forkDetach(call(limit, 2 * LIMIT), { startImmediately: true })
      )
    )
    yield* TestClock.adjust(LIMIT - 1)
    expect(outcome(under)).toBe("under way")
    yield* TestClock.adjust(1)
    expect(outcome(under)).toBe("late")
  })

  Tests.onTestClock("leaves no timer behind once the scope has ended and no call is under way", function* () {
    const clock = yield* Clock.Clock
    let timers = 0
    const counting = {
      ...clock,
      sleep: (duration: Duration.Duration) =>
        Effect.acquireUseRelease(
          Effect.sync(() => timers++),
          () => clock.sleep(duration),
          () => Effect.sync(() => timers--)
        )
    }
    const under = yield* Effect.provideService(
      Effect.scoped(
        Effect.flatMap(TelcoCall.makeTimeLimit(LIMIT), (limit) =>
          Effect.forkDetach(call(limit, LIMIT / 2), { startImmediately: true })
        )
      ),
      Clock.Clock,
      counting
    )
    yield* Effect.yieldNow
    expect(timers).toBe(2)
    yield* TestClock.adjust(LIMIT / 2)
    expect(outcome(under)).toBe("answered")
    expect(timers).toBe(0)
  })
})
