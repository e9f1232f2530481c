/**
 * A machine's clock that is set while time goes on evenly: what the machine shows steps, and
 * nothing else of it does.
 */
import { type Clock, Effect } from "effect"

export interface SteppedClock {
  readonly clock: Clock.Clock
  /** Sets the clock so many milliseconds ahead, or back where that is negative. */
  readonly step: (millis: number) => void
}

/** A clock that goes with another one until it is set. */
export const of = (clock: Clock.Clock): SteppedClock => {
  let by = 0
  const millis = (): number => clock.currentTimeMillisUnsafe() + by
  const nanos = (): bigint => clock.currentTimeNanosUnsafe() + BigInt(by) * 1_000_000n
  return {
    step: (change) => {
      by += change
    },
    clock: {
      ...clock,
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: Effect.sync(() => clock.monotonicTimeNanosUnsafe()),
      sleep: (duration) => clock.sleep(duration)
    }
  }
}

/** A clock with times of its own, in milliseconds. It sleeps with another one. */
export const at = (clock: Clock.Clock, millis: () => number): Clock.Clock => {
  const nanos = (): bigint => BigInt(Math.round(millis() * 1e6))
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => clock.sleep(duration)
  }
}

/** The steps that are tried: ten minutes in each direction, in milliseconds. */
export const steps = [-600_000, 600_000] as const
