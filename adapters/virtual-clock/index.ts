/**
 * The two clocks that the service can go by: the machine's, and one that stands still until it is moved.
 */
import { Clock, Effect, Layer, Ref } from "effect"
import type { Time } from "simplan"
import { BusinessClock, Storage } from "simplan/ports"

/** How far time never appears to have gone back, in milliseconds: a measurement may be off by so much. */
const INEXACT = 100

/**
 * Follows the machine: the time of Effect's own clock, moved by the storage's clock offset, so that all processes on one
 * storage go by one time.
 */
export const system: Layer.Layer<BusinessClock.BusinessClock, never, Storage.Storage> = Layer.effect(
  BusinessClock.BusinessClock,
  Effect.map(Storage.Storage, ({ clockOffset }) => {
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
export const virtual = (start: Time.Instant): Layer.Layer<BusinessClock.BusinessClock> =>
  Layer.effect(
    BusinessClock.BusinessClock,
    Effect.map(Ref.make(start), (instant) => ({
      now: Ref.get(instant),
      set: (to: Time.Instant) => Ref.set(instant, to)
    }))
  )
