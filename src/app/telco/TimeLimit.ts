/**
 * One time limit for many calls, with one timer for all of them. A timer for each call would need two fibers more, and
 * hardly any call needs its timer.
 *
 * All calls have the same limit, so they reach it in the order in which they began. Time is the machine's monotonic time: a
 * clock that is set anew ends no call early.
 */
import { Clock as MachineClock, Effect, type Fiber, type Scope } from "effect"

export interface TimeLimit {
  /**
   * The outcome of the fiber, or that of `late` if the fiber is still running when the limit is reached. The limit counts
   * from this call on. The fiber is left running.
   */
  readonly join: <A, E>(fiber: Fiber.Fiber<A, E>, late: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

interface Waiting {
  /** When the limit is reached, in nanoseconds of monotonic time. */
  readonly until: bigint
  readonly expire: () => void
}

/** A limit of so many milliseconds. Its timer outlives the scope only for calls that are under way when the scope ends. */
export const make = (millis: number): Effect.Effect<TimeLimit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* MachineClock.Clock
    const fork = Effect.runForkWith(yield* Effect.context())
    const limit = BigInt(Math.ceil(millis * 1e6))
    // In the order in which the limit is reached.
    const waiting = new Set<Waiting>()
    let timer: Fiber.Fiber<void> | null = null
    let isClosed = false

    const watch: Effect.Effect<void> = Effect.suspend(() => {
      const now = clock.monotonicTimeNanosUnsafe()
      for (const one of waiting) {
        if (one.until > now) return Effect.andThen(Effect.sleep(Number(one.until - now) / 1e6), watch)
        waiting.delete(one)
        one.expire()
      }
      timer = null
      return Effect.void
    })

    const stopUnused = (): void => {
      if (!isClosed || waiting.size > 0) return
      timer?.interruptUnsafe()
      timer = null
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        stopUnused()
      })
    )

    const join = <A, E>(fiber: Fiber.Fiber<A, E>, late: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.callback<A, E>((resume) => {
        const one: Waiting = {
          until: clock.monotonicTimeNanosUnsafe() + limit,
          expire: () => {
            stopObserving()
            resume(late)
          }
        }
        const leave = (): void => {
          waiting.delete(one)
          stopUnused()
        }
        waiting.add(one)
        const stopObserving = fiber.addObserver((exit) => {
          leave()
          resume(exit)
        })
        if (timer === null) {
          const begun = fork(watch)
          // A limit of zero has been reached already.
          if (waiting.size > 0) timer = begun
        }
        return Effect.sync(() => {
          stopObserving()
          leave()
        })
      })

    return { join }
  })
