/**
 * Lets the time of a `TestClock` pass for fibers that also wait for what no clock governs.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** Lets virtual time pass until a fiber has ended. */
export const passUntil = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      // What is asked of the storage, and of the randomness of the machine, ends beside the clock.
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(10)
    }
    return yield* Fiber.join(fiber)
  })

/** Lets virtual time pass until an effect has ended. */
export const settled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), passUntil)
