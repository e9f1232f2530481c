/**
 * The usage profile by which the polls of SIMs are measured: how travellers use data packages.
 *
 * - Each day three of five SIMs use nothing. The others use a log-normal volume: half of them less
 *   than 250 MB, one in a hundred more than 4 GB (sigma 1.2); 205 MB a day of all SIMs on average.
 * - The volume comes in eight bursts at random times of the day, each at 1 to 20 Mbit/s, evenly on
 *   a logarithmic scale. So a burst of 30 MB takes between 12 s and 4 min, and use cannot be
 *   foretold from the rate before.
 * - Packages of 1, 3, 5, 10 and 20 GB (20, 25, 25, 20 and 10 %) for 30 days. On the day after one
 *   is used up or over, at any time of it, the SIM gets a new one, which its next burst activates.
 *   They have done so for one to two months before.
 */
export const MEGABYTE = 1_048_576
export const DAY = 86_400_000

const SIZES = [1, 1, 1, 1, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 10, 10, 10, 10, 20, 20]
const IDLE = 0.6
const MEDIAN = 250 * MEGABYTE
const SIGMA = 1.2
const BURSTS = 8

/** Whole numbers of 32 bits from a seed (mulberry32), as numbers from 0 to 1. */
export const random = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Use at one rate. */
export interface Burst {
  readonly start: number
  readonly end: number
  /** Bytes in a millisecond. */
  readonly rate: number
}

/** The bytes of a new package. */
export const size = (next: () => number): number => (SIZES[Math.floor(next() * SIZES.length)] ?? 1) * 1024 * MEGABYTE

const normal = (next: () => number): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

/** The volume of a day, in bytes. */
export const volume = (next: () => number): number => (next() < IDLE ? 0 : MEDIAN * Math.exp(SIGMA * normal(next)))

/** The bursts of the day that begins then, one after the other. */
export const bursts = (bytes: number, day: number, next: () => number): ReadonlyArray<Burst> => {
  if (bytes === 0) return []
  const shares = Array.from({ length: BURSTS }, () => -Math.log(1 - next()))
  const all = shares.reduce((sum, share) => sum + share, 0)
  let free = day
  return Array.from({ length: BURSTS }, () => next() * DAY)
    .sort((left, right) => left - right)
    .map((at, index) => {
      const rate = (1_000_000 * 20 ** next()) / 8 / 1_000
      const start = Math.max(day + at, free)
      free = start + (bytes * (shares[index] ?? 0)) / all / rate
      return { start, end: free, rate }
    })
}
