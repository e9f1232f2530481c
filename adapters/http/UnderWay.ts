/**
 * The requests that are under way, to be ended with a scope. Each has a place that is used again after it: a set would
 * be rebuilt every few dozen requests, and V8 keeps what was in the tables of old ones.
 */
import { Effect, Fiber, type Scope } from "effect"

export interface UnderWay {
  /** Takes a fiber in for as long as it runs. */
  readonly add: (fiber: Fiber.Fiber<unknown, unknown>) => void
}

/** What is in there when the scope closes is interrupted, and waited for. */
export const make: Effect.Effect<UnderWay, never, Scope.Scope> = Effect.gen(function* () {
  const places: Array<Fiber.Fiber<unknown, unknown> | undefined> = []
  const free: Array<number> = []
  let isOver = false

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isOver = true
      return Fiber.interruptAll(places.filter((fiber) => fiber !== undefined))
    })
  )

  return {
    add: (fiber) => {
      if (fiber.pollUnsafe() !== undefined) return
      if (isOver) fiber.interruptUnsafe()
      const place = free.pop() ?? places.length
      places[place] = fiber
      fiber.addObserver(() => {
        places[place] = undefined
        free.push(place)
      })
    }
  }
})
