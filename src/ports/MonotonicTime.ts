/**
 * The time that limits, leases, time-outs and caches run on (rule W13): it goes on evenly, whoever sets the machine's
 * clock, and in whatever direction.
 *
 * It is in milliseconds since the epoch, as of when a process first read it, so that what is stored of it means something
 * to a later process. It is no business time, and no time to show: it does not follow the machine's clock. It runs on
 * Effect's `Clock`, so a virtual clock and a simulation drive it too.
 */
import { Clock, Effect } from "effect"
import type { Instant } from "../domain/Time.ts"

interface Origin {
  readonly millis: number
  readonly nanos: bigint
}

/** By clock: what it showed when it was first read. */
const origins = new WeakMap<Clock.Clock, Origin>()

/** The time of a clock now. */
export const nowUnsafe = (clock: Clock.Clock): Instant => {
  let origin = origins.get(clock)
  if (origin === undefined) {
    origin = { millis: clock.currentTimeMillisUnsafe(), nanos: clock.monotonicTimeNanosUnsafe() }
    origins.set(clock, origin)
  }
  return origin.millis + Math.round(Number(clock.monotonicTimeNanosUnsafe() - origin.nanos) / 1e6)
}

/** The time now. */
export const now: Effect.Effect<Instant> = Clock.clockWith((clock) => Effect.succeed(nowUnsafe(clock)))
