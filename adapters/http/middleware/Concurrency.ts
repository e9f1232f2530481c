/**
 * How much the callers may have under way at a time (rule W10): requests and streams per API key, over all processes
 * together (`SharedBounds`). These bounds hold without a rate limit too.
 */
import { Effect, type Scope } from "effect"
import * as SharedBounds from "./SharedBounds.ts"

export type Bounds = SharedBounds.Bounds

export const defaults: Bounds = { requests: 32, streams: 8 }

/** How long a request waits for a place, in milliseconds. */
const PATIENCE = 1_000

/** How many requests of a key may wait for a place. */
const WAITING = 256

interface Held {
  requests: number
  streams: number
  /** How many there may be in this process. */
  allowed: Bounds
  readonly waiting: Set<() => void>
}

export interface Concurrency {
  /**
   * Takes a place for a request, without waiting. Whoever got one calls `leave` once. A key without room gets one place
   * only.
   */
  readonly tryEnter: (key: string, hasRoom?: () => boolean) => boolean
  /** Takes a place for a request; false if there was none within a second. */
  readonly enter: (key: string, onEntered: () => void, hasRoom?: () => boolean) => Effect.Effect<boolean>
  readonly leave: (key: string) => void
  /** Takes a place for a stream. Whoever got one calls `closeStream` once. */
  readonly tryOpenStream: (key: string) => boolean
  readonly closeStream: (key: string) => void
}

/** The bounds of all keys, shared with other processes until the scope ends. */
export const make = Effect.fnUntraced(function* (bounds: Bounds): Effect.fn.Return<Concurrency, never, Scope.Scope> {
  const byKey = new Map<string, Held>()

  const holder = (key: string): Held => {
    let held = byKey.get(key)
    if (held === undefined) {
      held = { requests: 0, streams: 0, allowed: bounds, waiting: new Set() }
      byKey.set(key, held)
    }
    return held
  }

  const forget = (key: string, held: Held): void => {
    if (held.requests + held.streams + held.waiting.size === 0 && held.allowed === bounds) byKey.delete(key)
  }

  const wake = (held: Held, count: number): void => {
    for (const one of held.waiting) {
      if (count-- <= 0) return
      held.waiting.delete(one)
      one()
    }
  }

  const shared = yield* SharedBounds.make(bounds, {
    taken: (key) => byKey.get(key) ?? { requests: 0, streams: 0 },
    allow: (key, allowed) => {
      const held = holder(key)
      held.allowed = allowed
      wake(held, allowed.requests - held.requests)
      forget(key, held)
    }
  })

  const tryEnter: Concurrency["tryEnter"] = (key, hasRoom) => {
    const held = holder(key)
    if (held.requests >= held.allowed.requests) return false
    if (held.requests > 0 && hasRoom?.() === false) return false
    held.requests += 1
    if (held.requests >= shared.publishThreshold.requests) shared.follow(key)
    return true
  }

  /** Ends when a request has left. */
  const left = (held: Held): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const go = (): void => resume(Effect.void)
      held.waiting.add(go)
      return Effect.sync(() => void held.waiting.delete(go))
    })

  const entered = (key: string, onEntered: () => void, hasRoom?: () => boolean): Effect.Effect<true> =>
    Effect.suspend(() => {
      if (!tryEnter(key, hasRoom)) return Effect.andThen(left(holder(key)), entered(key, onEntered, hasRoom))
      onEntered()
      return Effect.succeed(true as const)
    })

  return {
    tryEnter,
    enter: (key, onEntered, hasRoom) =>
      Effect.suspend(() =>
        holder(key).waiting.size >= WAITING
          ? Effect.succeed(false)
          : Effect.timeoutOrElse(entered(key, onEntered, hasRoom), {
              duration: PATIENCE,
              orElse: () => Effect.succeed(false)
            })
      ),
    leave: (key) => {
      const held = holder(key)
      held.requests -= 1
      wake(held, 1)
      forget(key, held)
    },
    tryOpenStream: (key) => {
      const held = holder(key)
      if (held.streams >= held.allowed.streams) return false
      held.streams += 1
      if (held.streams >= shared.publishThreshold.streams) shared.follow(key)
      return true
    },
    closeStream: (key) => {
      const held = holder(key)
      held.streams -= 1
      forget(key, held)
    }
  }
})
