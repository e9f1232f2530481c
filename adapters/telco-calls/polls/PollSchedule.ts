/**
 * When a SIM is polled again: as often as its packages need it, within the operator's limits.
 *
 * A poll costs a call, and calls are few: 20 per second are one poll of each of 100,000 SIMs in 83
 * minutes. So a package is polled by what is expected of it next:
 *
 * - before its planned start: not at all; after its end: once, for the total that is final then;
 * - waiting for its first use: after a third of the time that it has waited so far, and not later
 *   than some of the shortest unhurried waits (`FIRST_USE`): 10 minutes if calls are to spare;
 * - in use: in half the time in which its present rate would reach the next threshold, so that
 *   polls close in on it;
 * - never later than `slowest`. If the next threshold is one that the OCS does not notify, never
 *   later than `TOLERANCE` after the package could reach it at `PEAK`;
 * - while idle, after half the time that it has been, since use comes in bursts;
 * - if it is idle, or the OCS notifies the next threshold, nothing hurries: not sooner than
 *   `spacing`, which depends on how many calls are to spare: while most are, a poll that nothing
 *   hurries follows soon, so that a small inventory is shown as it is; when they are in use, it
 *   waits.
 *
 * The thresholds are those at which an event may fire for the plan (`Allowance.eventThresholds`).
 * Each one that the OCS does not notify costs polls: the closer they are together, the more. If
 * a subscription has moved to this SIM (rule S8), they lie elsewhere in what is left of it than
 * those of the OCS, which notifies them of what it has granted here.
 *
 * The thresholds that the OCS notifies need few polls: the OCS pushes them. So the operator sets
 * its two thresholds to 50 and 80, and polls find 100 from 80 % on, where few packages are at a
 * time. With 80 and 100 in their place, polls would have to find 50 % of all packages that have
 * used less.
 */
import { Time } from "simplan/ports"

type Instant = Time.Instant

/**
 * What a plan grants of which a package is what was left when its subscription moved to this SIM
 * (rule S8).
 */
export interface Whole {
  /** All that the plan grants, in bytes, on former SIMs and on this one. */
  readonly allowanceBytes: number
  /** What was used of it on former SIMs. */
  readonly usedBefore: number
}

/** A package of a SIM, as far as it decides when the SIM is polled. */
export interface Pack {
  /** What was granted on this SIM. */
  readonly allowanceBytes: number | null
  /** What is used on this SIM. */
  readonly usedBytes: number
  /** The percentages at which an event may fire, in rising order. */
  readonly thresholds: ReadonlyArray<number>
  /** Null: the package has all that its plan grants. */
  readonly whole: Whole | null
  /** Bytes in a millisecond between the last two polls. */
  readonly rate: number
  /** When use was last found. */
  readonly usedAt: Instant
  /** From when it waits for its first use; null: that is not known. */
  readonly assignedAt: Instant | null
  /** Null before the first use. */
  readonly activationAt: Instant | null
  /** When its time ends; null: that is not known yet, or it has no end. */
  readonly expirationAt: Instant | null
}

/** How often polls may be made, and what the OCS tells without them. */
export interface Limits {
  /** How soon and how late a SIM is polled again, in milliseconds. */
  readonly fastest: number
  /** In milliseconds; for SIMs whose next threshold is far away. */
  readonly slowest: number
  /** The thresholds that the OCS notifies for sure, in percent (see `NotifiedThresholds`). */
  readonly notified: ReadonlyArray<number>
  /** How soon a poll that nothing hurries may follow the one before. */
  readonly spacing: number
}

/** The rate at which an idle package may come into use: 20 Mbit/s, in bytes per millisecond. */
export const PEAK = 20_000_000 / 8 / 1_000

/** How late a threshold may be found: the 15 minutes that are promised, less 3 for a queue. */
export const TOLERANCE = 12 * Time.MINUTE

/** The longest wait for a first use, in shortest unhurried waits. */
const FIRST_USE = 60

/** How long after a package's end its total is final: the OCS may close a session of data late. */
export const CLOSING = Time.MINUTE

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

interface Threshold {
  readonly missingBytes: number
  readonly isNotified: boolean
}

/**
 * The plan's next threshold, by what is used on this SIM. The OCS notifies thresholds of what it
 * has granted there; one of them on the way to the plan's has the SIM polled at once.
 */
const nextThreshold = (
  { allowanceBytes, thresholds, usedBytes, whole }: Pack,
  { notified }: Limits
): Threshold | undefined => {
  if (allowanceBytes === null) return undefined
  const { allowanceBytes: granted, usedBefore } = whole ?? { allowanceBytes, usedBefore: 0 }
  const percent = thresholds.find((one) => (usedBefore + usedBytes) * 100 < granted * one)
  if (percent === undefined) return undefined
  const reachedAt = (granted * percent) / 100 - usedBefore
  const isNotified = notified.some((one) => {
    const notifiedAt = (allowanceBytes * one) / 100
    return usedBytes < notifiedAt && notifiedAt <= reachedAt
  })
  return { missingBytes: reachedAt - usedBytes, isNotified }
}

/** The wait of a package that is in its period, in milliseconds. */
const wait = (pack: Pack, limits: Limits, now: Instant): number => {
  const { fastest, slowest, spacing } = limits
  const threshold = nextThreshold(pack, limits)
  if (threshold === undefined) return slowest
  const { isNotified, missingBytes } = threshold
  const closing = pack.rate > 0 ? missingBytes / pack.rate / 2 : undefined
  const idle = (now - pack.usedAt) / 2
  return isNotified
    ? clamp(closing ?? idle, clamp(spacing, fastest, slowest), slowest)
    : clamp(Math.min(closing ?? Math.max(idle, spacing), missingBytes / PEAK + TOLERANCE), fastest, slowest)
}

/** When to check again for one package; null: nothing more is expected of it. */
const nextFor = (pack: Pack, limits: Limits, now: Instant): Instant | null => {
  const { activationAt, assignedAt, expirationAt } = pack
  const { fastest, slowest, spacing } = limits
  const closedAt = expirationAt === null ? Number.POSITIVE_INFINITY : expirationAt + CLOSING
  if (now >= closedAt) return null
  if (activationAt === null) {
    const longest = clamp(FIRST_USE * spacing, fastest, slowest)
    return Math.min(closedAt, now + clamp((now - (assignedAt ?? now)) / 3, fastest, longest))
  }
  if (activationAt > now) return activationAt + fastest
  return Math.min(Math.max(closedAt, now + fastest), now + wait(pack, limits, now))
}

/** When to poll a SIM with these packages again; null: not before there is a new one. */
export const next = (packages: ReadonlyArray<Pack>, limits: Limits, now: Instant): Instant | null => {
  const instants = packages.flatMap((pack) => nextFor(pack, limits, now) ?? [])
  return instants.length === 0 ? null : Math.min(...instants)
}

/**
 * When to check again after `failures` polls in a row that failed: each wait is twice the one
 * before.
 */
export const afterFailure = (failures: number, { fastest, slowest }: Omit<Limits, "spacing">, now: Instant): Instant =>
  now + clamp(fastest * 2 ** Math.min(failures, 30), Math.min(10 * Time.SECOND, slowest), slowest)

/** The share of the allowed calls that was used of late, as it was at an instant. */
export interface Load {
  /** From 0; 1 if all that are allowed are used, and above 1 if more are. */
  readonly share: number
  /** When calls were last counted; from then on the share falls. */
  readonly at: Instant
}

/** The load before the first call. */
export const NO_LOAD: Load = { share: 0, at: 0 }

/** What "of late" means: calls count for less the longer they are ago. */
const LATELY = 5 * Time.MINUTE

/** The share below which calls are to spare, and the one from which they are in use. */
const SPARE = 0.1
const IN_USE = 0.5

/**
 * The least and the greatest share of the allowed calls that SIMs in stock have; in between, what
 * the polls leave.
 */
const LEAST_STOCK = 0.05
const MOST_STOCK = 0.25

/** How soon a poll that nothing hurries follows if calls are in use. */
export const UNHURRIED = Time.HOUR

/** After a clock was set back the share is what it was, until the next calls. */
const shareAt = ({ at, share }: Load, now: Instant): number => share * Math.exp(Math.min(0, at - now) / LATELY)

/** The load after these calls, of `callsPerSecond` that are allowed. */
export const loadAfter = (load: Load, calls: number, callsPerSecond: number, now: Instant): Load => ({
  share: shareAt(load, now) + (calls * Time.SECOND) / (callsPerSecond * LATELY),
  at: now
})

/**
 * How long a poll that nothing hurries waits at least, in milliseconds: from `fastest` to an hour,
 * as the load rises.
 */
export const spacing = (load: Load, { fastest, slowest }: Omit<Limits, "spacing">, now: Instant): number => {
  const most = Math.max(fastest, Math.min(UNHURRIED, slowest))
  const used = Math.max(0, Math.min(1, (shareAt(load, now) - SPARE) / (IN_USE - SPARE)))
  return Math.min(most, Math.ceil(fastest * (most / fastest) ** used))
}

/** Counts the calls of this process's polls at one OCS. Share it among all that poll there. */
export interface Meter {
  /** Counts calls that are made now. */
  readonly count: (calls: number, now: Instant) => void
  /** How long a poll that nothing hurries waits at least, in milliseconds. */
  readonly spacing: (limits: Omit<Limits, "spacing">, now: Instant) => number
  /**
   * When calls about SIMs in stock may be made again after so many at `now`, in milliseconds from
   * then. All who make some share the rate that these calls have: each waits for the calls of the
   * others too.
   */
  readonly stockMillis: (calls: number, now: Instant) => number
}

/** A meter without calls yet, of an OCS that allows so many calls a second. */
export const makeMeter = (callsPerSecond: number): Meter => {
  let load = NO_LOAD
  let stock = { millis: 0, at: 0 }
  return {
    count: (calls, now) => {
      load = loadAfter(load, calls, callsPerSecond, now)
    },
    spacing: (limits, now) => spacing(load, limits, now),
    stockMillis: (calls, now) => {
      const share = Math.max(LEAST_STOCK, Math.min(MOST_STOCK, 1 - shareAt(load, now)))
      // While a clock is set back, nothing passes.
      const left = Math.max(0, stock.millis - Math.max(0, now - stock.at))
      stock = { millis: left + (calls * Time.SECOND) / (callsPerSecond * share), at: now }
      return stock.millis
    }
  }
}
