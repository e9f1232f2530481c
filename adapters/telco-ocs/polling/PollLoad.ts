/**
 * How many of the allowed calls the looks of this process make, and what follows: while most calls are to spare, a look that
 * nothing hurries follows soon, so that a small inventory is shown as it is; when they are in use, it waits.
 */
import { Time } from "simplan/ports"
import type { Limits } from "./PollSchedule.ts"

type Instant = Time.Instant

/** The share of the allowed calls that was used of late, as it was at an instant. */
export interface Load {
  readonly share: number
  readonly at: Instant
}

export const none: Load = { share: 0, at: 0 }

/** What "of late" means: calls count for less the longer they are ago. */
const LATELY = 5 * Time.MINUTE

/** The share below which calls are to spare, and the one from which they are in use. */
const SPARE = 0.1
const IN_USE = 0.5

/** The least and the greatest share of the allowed calls that SIMs in stock have; in between, what the looks leave. */
const LEAST_STOCK = 0.05
const MOST_STOCK = 0.25

/** How soon a look that nothing hurries follows where calls are in use. */
export const UNHURRIED = Time.HOUR

const shareAt = ({ at, share }: Load, now: Instant): number => share * Math.exp((at - now) / LATELY)

/** The load after these calls, of `callsPerSecond` that are allowed. */
export const after = (load: Load, calls: number, callsPerSecond: number, now: Instant): Load => ({
  share: shareAt(load, now) + (calls * Time.SECOND) / (callsPerSecond * LATELY),
  at: now
})

/** How long a look that nothing hurries waits at least, in milliseconds: from `fastest` to an hour, as the load rises. */
export const spacing = (load: Load, { fastest, slowest }: Omit<Limits, "spacing">, now: Instant): number => {
  const most = Math.max(fastest, Math.min(UNHURRIED, slowest))
  const used = Math.max(0, Math.min(1, (shareAt(load, now) - SPARE) / (IN_USE - SPARE)))
  return Math.min(most, Math.ceil(fastest * (most / fastest) ** used))
}

/** Counts the calls of this process's looks at one OCS. Share it among all that looks there. */
export interface Meter {
  /** Counts calls that are made now. */
  readonly count: (calls: number, now: Instant) => void
  /** How long a look that nothing hurries waits at least, in milliseconds. */
  readonly spacing: (limits: Omit<Limits, "spacing">, now: Instant) => number
  /** How long so many calls about SIMs in stock take at the rate that they have now, in milliseconds. */
  readonly stockMillis: (calls: number, now: Instant) => number
}

export const makeMeter = (callsPerSecond: number): Meter => {
  let load = none
  return {
    count: (calls, now) => {
      load = after(load, calls, callsPerSecond, now)
    },
    spacing: (limits, now) => spacing(load, limits, now),
    stockMillis: (calls, now) => {
      const share = Math.max(LEAST_STOCK, Math.min(MOST_STOCK, 1 - shareAt(load, now)))
      return (calls * Time.SECOND) / (callsPerSecond * share)
    }
  }
}
