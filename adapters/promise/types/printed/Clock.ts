/** Printed from the views by `npm run print`: what hosts see and send. */
import type { InstantInput } from "../Calls.ts"

/** A clock that was moved. */
export interface MovedClock {
  /** The business time. */
  readonly now: Date
}

/** The business time, and what clock has it. */
export interface ClockReading {
  /** The business time. */
  readonly now: Date
  /** Whether the clock stands still until it is moved. */
  readonly virtual: boolean
}

/** One of the two. */
export interface Advance {
  /** The instant to move to; not before now. */
  readonly to?: InstantInput | undefined
  /** A duration such as `12 hours`. */
  readonly by?: string | undefined
}
