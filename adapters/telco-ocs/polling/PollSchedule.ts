/**
 * When a SIM is looked at again: as often as its packages need it, within the operator's limits.
 *
 * A look costs a call, and calls are few: 20 per second are one look at each of 100,000 SIMs in 83 minutes. So a package is
 * looked at by what is expected of it next:
 *
 * - before its planned start: not at all; after its end: once, for the total that is final then;
 * - waiting for its first use: after a third of the time that it has waited so far, and not later than some of the shortest
 *   unhurried waits (`FIRST_USE`): 10 minutes where calls are to spare;
 * - in use: in half the time in which its present rate would reach the next threshold, so that looks close in on it;
 * - never later than `slowest`. If the next threshold is one that the OCS does not notify, never later than `TOLERANCE` after
 *   the package could reach it at `PEAK`;
 * - while idle, after half the time that it has been, since use comes in bursts;
 * - if it is idle, or the OCS notifies the next threshold, nothing hurries: not sooner than `spacing`, which depends on how many
 *   calls are to spare (see `PollLoad`).
 *
 * The thresholds that the OCS notifies need few looks: the OCS pushes them. So the operator sets its two thresholds to 50
 * and 80, and looks find 100 from 80 % on, where few packages are at a time. With 80 and 100 in their place, looks would have
 * to find 50 % of all packages that have used less.
 */
import { Allowance, Time } from "simplan/ports"

type Instant = Time.Instant

export interface Pack {
  readonly allowanceBytes: number | null
  readonly usedBytes: number
  /** Bytes in a millisecond between the last two looks. */
  readonly rate: number
  /** When use was last found. */
  readonly usedAt: Instant
  readonly assignedAt: Instant | null
  /** Null before the first use. */
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
}

export interface Limits {
  /** Milliseconds. */
  readonly fastest: number
  readonly slowest: number
  /** The thresholds that the OCS notifies for sure, in percent (see `NotifiedThresholds`). */
  readonly notified: ReadonlyArray<number>
  /** How soon a look that nothing hurries may follow the one before. */
  readonly spacing: number
}

/** The rate at which an idle package may come into use: 20 Mbit/s, in bytes per millisecond. */
export const PEAK = 20_000_000 / 8 / 1_000

/** How late a threshold may be found: the 15 minutes that are promised, less 3 for a queue. */
export const TOLERANCE = 12 * Time.MINUTE

/** The longest wait for a first use, in shortest unhurried waits. */
export const FIRST_USE = 60

/** How long after a package's end its total is final: the OCS may close a session of data late. */
export const CLOSING = Time.MINUTE

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

interface Threshold {
  readonly missingBytes: number
  readonly isNotified: boolean
}

const nextThreshold = ({ allowanceBytes, usedBytes }: Pack, { notified }: Limits): Threshold | undefined => {
  if (allowanceBytes === null) return undefined
  const percent = Allowance.thresholds.find((one) => usedBytes * 100 < allowanceBytes * one)
  return percent === undefined
    ? undefined
    : { missingBytes: (allowanceBytes * percent) / 100 - usedBytes, isNotified: notified.includes(percent) }
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

/** When to look again for one package; null: nothing more is expected of it. */
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

/** When to look at a SIM with these packages again; null: not before there is a new one. */
export const next = (packages: ReadonlyArray<Pack>, limits: Limits, now: Instant): Instant | null => {
  const instants = packages.flatMap((pack) => nextFor(pack, limits, now) ?? [])
  return instants.length === 0 ? null : Math.min(...instants)
}

/** When to look again after `failures` looks in a row that failed: each wait is twice the one before. */
export const afterFailure = (failures: number, { fastest, slowest }: Omit<Limits, "spacing">, now: Instant): Instant =>
  now + clamp(fastest * 2 ** Math.min(failures, 30), Math.min(10 * Time.SECOND, slowest), slowest)
