import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Clocks, Storage } from "simplan/ports"
import * as Memory from "simplan/memory"
import { expect, it } from "vitest"

it("The system's clock follows the machine's and cannot be set", () =>
  Effect.gen(function* () {
    const clock = yield* Clocks.BusinessClock
    expect(clock.set).toBeNull()
    yield* TestClock.setTime(1_000)
    expect(yield* clock.now).toBe(1_000)
    yield* TestClock.adjust("1 minute")
    expect(yield* clock.now).toBe(61_000)
  }).pipe(
    Effect.provide(Layer.provide(Clocks.system, Memory.layer)),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  ))

it("The system's clock is as far ahead of the machine's as the storage's, and does not go back by a little", () =>
  Effect.gen(function* () {
    let ahead = 7_200_000
    const storage = Storage.Storage.of({ ...(yield* Storage.Storage), clockOffset: Effect.sync(() => ahead) })
    const system = Layer.provide(Clocks.system, Layer.succeed(Storage.Storage, storage))
    const clock = Context.get(yield* Layer.build(system), Clocks.BusinessClock)
    yield* TestClock.setTime(1_000)
    expect(yield* clock.now).toBe(7_201_000)
    ahead -= 10
    expect(yield* clock.now).toBe(7_201_000)
    yield* TestClock.adjust(20)
    expect(yield* clock.now).toBe(7_201_010)
    ahead = 0
    expect(yield* clock.now).toBe(1_020)
  }).pipe(Effect.provide(Memory.layer), Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise))

it("A virtual clock stands still until it is set, whatever the machine's does", () =>
  Effect.gen(function* () {
    const clock = yield* Clocks.BusinessClock
    yield* TestClock.adjust("1 hour")
    expect(yield* clock.now).toBe(5)
    yield* clock.set?.(7) ?? Effect.void
    yield* TestClock.adjust("1 hour")
    expect(yield* clock.now).toBe(7)
  }).pipe(Effect.provide(Clocks.virtual(5)), Effect.provide(TestClock.layer()), Effect.runPromise))
