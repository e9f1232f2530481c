/**
 * The two clocks that the service can go by: the machine's, and one that stands still until it is moved.
 */
import { Clock, Effect, Layer, Ref } from "effect"
import { BusinessClock, type Time } from "simplan"

/** Follows the machine: the time of Effect's own clock. */
export const system: Layer.Layer<BusinessClock.BusinessClock> = Layer.succeed(BusinessClock.BusinessClock, {
  now: Clock.currentTimeMillis,
  set: null
})

/** Stands at `start` until it is set. */
export const virtual = (start: Time.Instant): Layer.Layer<BusinessClock.BusinessClock> =>
  Layer.effect(
    BusinessClock.BusinessClock,
    Effect.map(Ref.make(start), (instant) => ({
      now: Ref.get(instant),
      set: (to: Time.Instant) => Ref.set(instant, to)
    }))
  )
