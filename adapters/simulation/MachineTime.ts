/**
 * Machine time for a simulation in memory: a scheduler and a clock that belong together.
 *
 * All fibers run in turn, in the order in which they became ready. When none is ready, time jumps to the next sleeper
 * and no further: a time-out of 10 s costs nothing, fires exactly when nothing else can happen before it, and the order
 * of everything is the same at each run. Only for fibers that wait for nothing outside, such as a socket.
 */
import { type Clock, Effect, Scheduler } from "effect"
import { Duration } from "effect"

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
}

/** A machine time that begins at `start`, in milliseconds since the epoch. */
export const make = (start: number): MachineTime => {
  let now = start
  let order = 0
  let pumping = false
  const ready: Array<() => void> = []
  const sleepers: Array<Sleeper> = []

  const next = (): (() => void) | undefined => {
    const turn = ready.shift()
    if (turn !== undefined) return turn
    const sleeper = sleepers.shift()
    if (sleeper === undefined) return undefined
    now = Math.max(now, sleeper.at)
    return sleeper.wake
  }

  const pump = () => {
    const until = performance.now() + SLICE
    for (let turn = next(); turn !== undefined; turn = next()) {
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
