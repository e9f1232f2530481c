/**
 * Setting the machine's clock moves no limit (rule W13).
 */
import { Clock, Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Clocks } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as RateLimit from "../../../adapters/http/middleware/RateLimit.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"

/** Runs in virtual time, on a machine whose clock can be set. */
const run = <A, E>(effect: (step: (millis: number) => void) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    const { clock, step } = SteppedClock.of(yield* Clock.Clock)
    return yield* Effect.provideService(effect(step), Clock.Clock, clock)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

for (const step of SteppedClock.steps) {
  describe(`A step of the clock by ${step / 60_000} minutes`, () => {
    it("leaves a quota as it is, and lets it come back as before", () =>
      run((set) =>
        Effect.gen(function* () {
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
      ))
  })
}
