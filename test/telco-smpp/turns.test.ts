/**
 * Rule W13: the turns of organizations at an SMSC, on a virtual clock.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Clocks, TelcoPorts } from "simplan/ports"
import { describe, expect } from "vitest"
import { Turns } from "../../adapters/telco-calls/index.ts"
import * as Pace from "../../adapters/telco-smpp/Pace.ts"
import * as Tests from "../setup/Tests.ts"

const paced = (messagesPerSecond: number) =>
  Pace.make({ messagesPerSecond, pauseMillis: 500, longestPauseMillis: 1_000 })

interface Submitted {
  readonly of: string
  readonly at: number
}

/** What submits messages, and when each was; each is answered after `answerMillis`. */
const world = (options: Turns.Options, answerMillis: number) =>
  Effect.gen(function* () {
    const turns = Turns.make(options)
    const start = yield* Clocks.monotonicNow
    const submitted: Array<Submitted> = []
    const submit = (organizationId: string) =>
      turns
        .take({
          ready: Effect.succeed(organizationId),
          use: (of) =>
            Effect.flatMap(Clocks.monotonicNow, (now) => {
              submitted.push({ of, at: now - start })
              return Effect.as(Effect.sleep(answerMillis), "submitted")
            }),
          tooLate: (millis) => Effect.fail(millis)
        })
        .pipe(Effect.provideService(TelcoPorts.Caller, { organizationId, isAwaited: true, withinMillis: 10_000 }))
    const inBackground = (organizationId: string, count: number) =>
      Effect.forEach(Array.from({ length: count }), () => Effect.forkScoped(Effect.result(submit(organizationId))))
    return { submit, inBackground, submitted }
  })

describe("W13: messages to an SMSC", () => {
  for (const [window, answer] of [
    [10, 50],
    [10, 2_000],
    [1, 50]
  ] as const) {
    const when = `window ${window}, answers after ${answer} ms`
    Tests.onTestClock(`of one organization, 500, hold up another's by its turn (${when})`, function* () {
      const all = yield* world({ window, waitMillis: 100_000, pace: paced(10) }, answer)
      yield* all.inBackground("loud", 500)
      yield* TestClock.adjust("1 second")
      const one = yield* Effect.forkChild(all.submit("quiet"))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(one)
      const mine = all.submitted.find(({ of }) => of === "quiet")
      // Before it come the message that waits for its instant now and one more, and a response
      // where there is one place.
      expect(mine?.at).toBeLessThanOrEqual(1_000 + 3 * 100 + (window === 1 ? answer : 0))
    })
  }

  Tests.onTestClock(
    "are by turns where several organizations have some waiting, and as fast as the pace allows",
    function* () {
      const all = yield* world({ window: 10, waitMillis: 100_000, pace: paced(10) }, 10)
      for (const [of, count] of [
        ["a", 50],
        ["b", 5],
        ["c", 5]
      ] as const)
        yield* all.inBackground(of, count)
      yield* TestClock.adjust("100 seconds")
      expect(all.submitted.map(({ at }) => at)).toEqual(Array.from({ length: 60 }, (_, n) => 100 * n))
      for (const of of ["b", "c"]) {
        expect(all.submitted.filter((one) => one.of === of).at(-1)?.at).toBeLessThanOrEqual(100 * 25)
      }
    }
  )

  Tests.onTestClock("that could not come to their turn in time are refused at once, others are not", function* () {
    const all = yield* world({ window: 10, waitMillis: 3_000, pace: paced(10) }, 10)
    yield* all.inBackground("loud", 500)
    yield* TestClock.adjust(0)
    expect(yield* Effect.flip(all.submit("loud"))).toBeGreaterThan(3_000)
    const one = yield* Effect.forkChild(all.submit("quiet"))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(one)).toBe("submitted")
    yield* TestClock.adjust("10 seconds")
    expect(all.submitted.length).toBeLessThanOrEqual(32)
    const after = yield* Effect.forkChild(all.submit("loud"))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(after)).toBe("submitted")
  })

  Tests.onTestClock("wait through a pause of the SMSC that begins while they wait", function* () {
    const pace = paced(10)
    const all = yield* world({ window: 10, waitMillis: 3_000, pace }, 10)
    yield* all.inBackground("a", 3)
    yield* TestClock.adjust("50 millis")
    pace.slowDown(yield* Clocks.monotonicNow)
    yield* TestClock.adjust("10 seconds")
    expect(all.submitted.map(({ at }) => at)).toEqual([0, 550, 650])
  })

  Tests.onTestClock("give their turn back where they are interrupted", function* () {
    const all = yield* world({ window: 1, waitMillis: 60_000, pace: paced(1) }, 10_000)
    const fibers = yield* all.inBackground("a", 3)
    yield* TestClock.adjust("100 millis")
    yield* Effect.forEach(fibers, Fiber.interrupt)
    const after = yield* Effect.forkChild(all.submit("a"))
    yield* TestClock.adjust("11 seconds")
    expect(yield* Fiber.join(after)).toBe("submitted")
    expect(all.submitted).toHaveLength(2)
  })
})
