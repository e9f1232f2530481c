/**
 * The times that the service goes by.
 *
 * - Business time is what the rules go by. The port `BusinessClock` has it: it follows the
 *   machine's clock, or stands still until it is moved.
 * - Monotonic time is what limits, leases, time-outs and caches run on (rule W13): it goes on
 *   evenly, whoever sets the machine's clock, and in whatever direction. It is in milliseconds
 *   since the epoch, as of when a process first read it, so that what is stored of it means
 *   something to a later process. It is no time to show: it does not follow the machine's clock. It
 *   runs on Effect's `Clock`, so a virtual clock and a simulation drive it too.
 */
import { Clock, Context, Effect, Layer, Ref } from "effect"
import type { Instant } from "../domain/Time.ts"
import { Storage } from "./Storage.ts"

/** The time that the rules go by: `system`, or a virtual one. */
export class BusinessClock extends Context.Service<
  BusinessClock,
  {
    /** In UTC milliseconds (rule T1). */
    readonly now: Effect.Effect<Instant>
    /**
     * How to move the clock if it is a virtual one that stands still until moved; null for the
     * machine's.
     */
    readonly set: ((instant: Instant) => Effect.Effect<void>) | null
  }
>()("simplan/BusinessClock") {}

/**
 * How far time never appears to have gone back, in milliseconds: a measurement may be off by so
 * much.
 */
const INEXACT = 100

/**
 * Follows the machine: the time of Effect's own clock, moved by the storage's clock offset, so that
 * all processes on one storage go by one time.
 */
export const system: Layer.Layer<BusinessClock, never, Storage> = Layer.effect(
  BusinessClock,
  Effect.map(Storage, ({ clockOffset }) => {
    let latest = Number.NEGATIVE_INFINITY
    const now = Clock.clockWith((clock) =>
      Effect.map(clockOffset, (offset) => {
        const shifted = clock.currentTimeMillisUnsafe() + offset
        if (shifted > latest || shifted < latest - INEXACT) latest = shifted
        return latest
      })
    )
    return { now, set: null }
  })
)

/** Stands at `start` until it is set. */
export const virtual = (start: Instant): Layer.Layer<BusinessClock> =>
  Layer.effect(
    BusinessClock,
    Effect.map(Ref.make(start), (instant) => ({
      now: Ref.get(instant),
      set: (to: Instant) => Ref.set(instant, to)
    }))
  )

interface Origin {
  readonly millis: number
  readonly nanos: bigint
}

/** By clock: what it showed when it was first read. */
const origins = new WeakMap<Clock.Clock, Origin>()

/** The monotonic time of a clock now. */
export const monotonicNowUnsafe = (clock: Clock.Clock): Instant => {
  let origin = origins.get(clock)
  if (origin === undefined) {
    origin = { millis: clock.currentTimeMillisUnsafe(), nanos: clock.monotonicTimeNanosUnsafe() }
    origins.set(clock, origin)
  }
  return origin.millis + Math.round(Number(clock.monotonicTimeNanosUnsafe() - origin.nanos) / 1e6)
}

/** The monotonic time now. */
export const monotonicNow: Effect.Effect<Instant> = Clock.clockWith((clock) =>
  Effect.succeed(monotonicNowUnsafe(clock))
)

/**
 * In milliseconds. The two differ while the storage's own clock has just been set, so that no lease
 * ends early.
 */
export interface LeaseOffset {
  /** Of the times at which leases are taken. */
  readonly ofClaims: number
  /** Of the times until which leases last. */
  readonly ofLeases: number
}

/**
 * By how much the times of leases in a storage are ahead of this process's monotonic time
 * (rule W13), so that the leases of all processes compare, whatever the clocks of their machines
 * show; read it again for each lease.
 *
 * An adapter whose storage several machines share provides this reference beside its ports, for
 * what keeps leases of its own in that storage. The default is for a process that is alone.
 */
export const LeaseOffset = Context.Reference<LeaseOffset>("simplan/LeaseOffset", {
  defaultValue: () => ({ ofClaims: 0, ofLeases: 0 })
})
