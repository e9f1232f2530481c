/**
 * The business clock, as hosts and callers see it.
 */
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const now = View.field(View.instant, "The business time", Samples.used)

export const MovedClock = View.answer("MovedClock", "A clock that was moved", { now })

export const ClockReading = View.answer("ClockReading", "The business time, and what clock has it", {
  now,
  virtual: View.field(View.boolean, "Whether the clock stands still until it is moved", true)
})

export const Advance = View.exampled(
  { by: "12 hours" },
  View.request("Advance", "One of the two", {
    to: View.optional(View.instant, "The instant to move to; not before now", Samples.end),
    by: View.optional(View.text, "A duration such as `12 hours`", "12 hours")
  })
)
