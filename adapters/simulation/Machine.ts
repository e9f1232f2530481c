/**
 * The machine of a simulation in memory: time and randomness that are the same at each run.
 *
 * All fibers run in turn, in the order in which they became ready. When none is ready, one of the
 * parked fibers goes on; when none is parked, time jumps to the next sleeper and no further. A
 * time-out of 10 s costs nothing, fires exactly when nothing else can happen before it, and the
 * order of everything is the same at each run. Only for fibers that wait for nothing outside, such
 * as a socket. Ids and jitter come from a seed, so that nothing is secret.
 */
import { type Clock, Effect, Scheduler, Duration, Layer } from "effect"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/** How long turns are run before the host gets one, in milliseconds. */
const SLICE = 20

export interface MachineTime {
  readonly clock: Clock.Clock
  readonly scheduler: Scheduler.Scheduler
  /** Parks the fiber until nothing else is ready and it is chosen among those that are parked. */
  readonly park: Effect.Effect<void>
  /** How often one of several parked fibers was chosen. */
  readonly choices: () => number
}

/**
 * A machine time that begins at `start`, in milliseconds since the epoch. `choose` picks one of so
 * many parked fibers: the first one unless given. Where fibers wait for promises that are fulfilled
 * without the host, time stands still for so many `microtasks` after each turn.
 */
export const time = (start: number, choose: (count: number) => number = () => 0, microtasks = 0): MachineTime => {
  let now = start
  let order = 0
  let pumping = false
  let waited = 0
  const ready: Array<() => void> = []
  const parked: Array<() => void> = []
  let choices = 0
  const sleepers: Array<Sleeper> = []

  const present = (): (() => void) | undefined => {
    const turn = ready.shift()
    if (turn !== undefined) return turn
    if (parked.length > 1) choices++
    const [chosen] = parked.splice(parked.length > 1 ? choose(parked.length) : 0, 1)
    return chosen
  }

  const later = (): (() => void) | undefined => {
    const sleeper = sleepers.shift()
    if (sleeper === undefined) return undefined
    now = Math.max(now, sleeper.at)
    return sleeper.wake
  }

  const pump = () => {
    const until = performance.now() + SLICE
    for (;;) {
      const now = present()
      if (now === undefined && waited++ < microtasks) return queueMicrotask(pump)
      waited = 0
      const turn = now ?? later()
      if (turn === undefined) break
      turn()
      if (performance.now() > until) {
        setTimeout(pump, 0)
        return
      }
    }
    pumping = false
  }

  const wakeUp = () => {
    if (pumping) return
    pumping = true
    queueMicrotask(pump)
  }

  const sleepMillis = (millis: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const sleeper: Sleeper = { at: now + millis, order: order++, wake: () => resume(Effect.void) }
      const index = sleepers.findIndex(({ at }) => at > sleeper.at)
      sleepers.splice(index === -1 ? sleepers.length : index, 0, sleeper)
      wakeUp()
      return Effect.sync(() => {
        const at = sleepers.indexOf(sleeper)
        if (at !== -1) sleepers.splice(at, 1)
      })
    })

  const nanos = () => BigInt(Math.round(now * 1e6))

  return {
    choices: () => choices,
    park: Effect.callback((resume) => {
      const goOn = () => resume(Effect.void)
      parked.push(goOn)
      wakeUp()
      return Effect.sync(() => {
        const index = parked.indexOf(goOn)
        if (index !== -1) parked.splice(index, 1)
      })
    }),
    scheduler: new Scheduler.MixedScheduler("async", (turn) => {
      let cancelled = false
      ready.push(() => {
        if (!cancelled) turn()
      })
      wakeUp()
      return () => {
        cancelled = true
      }
    }),
    clock: {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) => {
        const millis = Duration.toMillis(duration)
        return millis <= 0 ? Effect.yieldNow : Number.isFinite(millis) ? sleepMillis(millis) : Effect.never
      }
    }
  }
}

/** Whole numbers of 32 bits: xoshiro128** by Blackman and Vigna, seeded by splitmix32. */
export const generator = (seed: number): (() => number) => {
  let mix = seed | 0
  const split = (): number => {
    mix = (mix + 0x9e3779b9) | 0
    let value = mix ^ (mix >>> 16)
    value = Math.imul(value, 0x21f0aaad)
    value ^= value >>> 15
    value = Math.imul(value, 0x735a2d97)
    return value ^ (value >>> 15)
  }
  let [a, b, c, d] = [split(), split(), split(), split() | 1]
  return () => {
    const t = b << 9
    let result = Math.imul(b, 5)
    result = Math.imul((result << 7) | (result >>> 25), 9)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = (d << 11) | (d >>> 21)
    return result >>> 0
  }
}

export const crypto = (seed: number): Layer.Layer<SecureRandom.SecureRandom | Digest.Digest> =>
  Layer.sync(SecureRandom.SecureRandom, () => {
    const next = generator(seed)
    return SecureRandom.make((size) => {
      const bytes = new Uint8Array(size)
      for (let index = 0; index < size; index += 4) {
        const value = next()
        for (let byte = 0; byte < 4 && index + byte < size; byte++) bytes[index + byte] = value >>> (8 * byte)
      }
      return bytes
    })
  }).pipe(Layer.merge(Digest.layerWebCrypto))
