/**
 * How much of the process the callers may hold at a time (rule W10): requests under way and streams per API key. These
 * bounds on memory hold without a rate limit too. Each process has bounds of its own, since they protect its own memory;
 * what a key gets from all processes together is bounded by its rate limit.
 */
import { Effect } from "effect"

export interface Bounds {
  /** The requests of a key that are under way at a time. */
  readonly requests: number
  /** The streamed answers of a key at a time. */
  readonly streams: number
}

export const defaults: Bounds = { requests: 32, streams: 8 }

/** How long a request waits for a place, in milliseconds. */
const PATIENCE = 1_000

/** How many requests of a key may wait for a place. */
const WAITING = 256

interface Held {
  requests: number
  streams: number
  readonly waiting: Set<() => void>
}

export interface Concurrency {
  /** Takes a place for a request, without waiting. Whoever got one calls `leave` once. */
  readonly tryEnter: (key: string) => boolean
  /** Takes a place for a request; false if there was none within a second. */
  readonly enter: (key: string, onEntered: () => void) => Effect.Effect<boolean>
  readonly leave: (key: string) => void
  /** Takes a place for a stream. Whoever got one calls `closeStream` once. */
  readonly tryOpenStream: (key: string) => boolean
  readonly closeStream: (key: string) => void
}

export const make = (bounds: Bounds): Concurrency => {
  const byKey = new Map<string, Held>()

  const holder = (key: string): Held => {
    let held = byKey.get(key)
    if (held === undefined) {
      held = { requests: 0, streams: 0, waiting: new Set() }
      byKey.set(key, held)
    }
    return held
  }

  const forget = (key: string, held: Held): void => {
    if (held.requests === 0 && held.streams === 0 && held.waiting.size === 0) byKey.delete(key)
  }

  const tryEnter = (key: string): boolean => {
    const held = holder(key)
    if (held.requests >= bounds.requests) return false
    held.requests += 1
    return true
  }

  /** Ends when a request has left. */
  const left = (held: Held): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const wake = (): void => resume(Effect.void)
      held.waiting.add(wake)
      return Effect.sync(() => void held.waiting.delete(wake))
    })

  const entered = (key: string, onEntered: () => void): Effect.Effect<true> =>
    Effect.suspend(() => {
      if (!tryEnter(key)) return Effect.andThen(left(holder(key)), entered(key, onEntered))
      onEntered()
      return Effect.succeed(true as const)
    })

  return {
    tryEnter,
    enter: (key, onEntered) =>
      Effect.suspend(() =>
        holder(key).waiting.size >= WAITING
          ? Effect.succeed(false)
          : Effect.timeoutOrElse(entered(key, onEntered), {
              duration: PATIENCE,
              orElse: () => Effect.succeed(false)
            })
      ),
    leave: (key) => {
      const held = holder(key)
      held.requests -= 1
      for (const wake of held.waiting) {
        held.waiting.delete(wake)
        wake()
        break
      }
      forget(key, held)
    },
    tryOpenStream: (key) => {
      const held = holder(key)
      if (held.streams >= bounds.streams) return false
      held.streams += 1
      return true
    },
    closeStream: (key) => {
      const held = holder(key)
      held.streams -= 1
      forget(key, held)
    }
  }
}
