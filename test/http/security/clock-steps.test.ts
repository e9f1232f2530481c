/**
 * Setting the machine's clock moves no limit (rule W13).
 */
import { Clock, Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Clocks } from "simplan/ports"
import { describe, expect } from "vitest"
import * as RateLimit from "../../../adapters/http/middleware/RateLimit.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as Tests from "../../setup/Tests.ts"

/** Runs in virtual time, on a machine whose clock can be set. */
/** A test by a clock that can be set. */
const run = (name: string, body: Tests.Body<Scope.Scope, [step: (millis: number) => void]>): void =>
  Tests.onTestClock(name, function* () {
    const { clock, step } = SteppedClock.of(yield* Clock.Clock)
    yield* Effect.provideService(
      Effect.gen(() => body(step)),
      Clock.Clock,
      clock
    )
  })

for (const step of SteppedClock.steps) {
  describe(`A step of the clock by ${step / 60_000} minutes`, () => {
    run("leaves a quota as it is, and lets it come back as before", function* (set) {
      const limit = yield* RateLimit.make("requests", { requests: 10, window: "10 seconds" })
      if (limit === null) throw new Error("no limit")
      /** How many requests are admitted, one after the other. */
      const taken = Effect.gen(function* () {
        let count = 0
        while (limit.take("key", yield* Clocks.monotonicNow) === 0) count += 1
        return count
      })
      expect(yield* taken).toBe(10)
      set(step)
      expect(yield* taken).toBe(0)
      yield* TestClock.adjust("3 seconds")
      expect(yield* taken).toBe(3)
      set(-step)
      yield* TestClock.adjust("10 seconds")
      expect(yield* taken).toBe(10)
    })
  })
}
