/**
 * Lets the time of a `TestClock` pass for fibers that also wait for what no clock governs.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** What is asked of the storage, and of the randomness of the machine, ends beside the clock. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/**
 * Lets so many milliseconds pass, for what also waits for turns of the event loop: 25 ms for each
 * five turns.
 */
export const pass = (millis: number) =>
  Effect.repeat(Effect.andThen(Effect.repeat(turn, { times: 4 }), TestClock.adjust(25)), { times: millis / 25 - 1 })

/** Lets virtual time pass until a fiber has ended. */
export const passUntil = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* turn
      yield* TestClock.adjust(10)
    }
    return yield* Fiber.join(fiber)
  })

/** Lets virtual time pass until an effect has ended. */
export const settled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), passUntil)
