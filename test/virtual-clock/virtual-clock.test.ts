import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { BusinessClock } from "simplan"
import * as VirtualClock from "simplan/virtual-clock"
import { expect, it } from "vitest"

it("The system's clock follows the machine's and cannot be set", () =>
  Effect.gen(function* () {
    const clock = yield* BusinessClock.BusinessClock
    expect(clock.set).toBeNull()
    yield* TestClock.setTime(1_000)
    expect(yield* clock.now).toBe(1_000)
    yield* TestClock.adjust("1 minute")
    expect(yield* clock.now).toBe(61_000)
  }).pipe(Effect.provide(VirtualClock.system), Effect.provide(TestClock.layer()), Effect.runPromise))

it("A virtual clock stands still until it is set, whatever the machine's does", () =>
  Effect.gen(function* () {
    const clock = yield* BusinessClock.BusinessClock
    yield* TestClock.adjust("1 hour")
    expect(yield* clock.now).toBe(5)
    yield* clock.set?.(7) ?? Effect.void
    yield* TestClock.adjust("1 hour")
    expect(yield* clock.now).toBe(7)
  }).pipe(Effect.provide(VirtualClock.virtual(5)), Effect.provide(TestClock.layer()), Effect.runPromise))
