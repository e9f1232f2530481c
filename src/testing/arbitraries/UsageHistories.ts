/**
 * Usage as it truly was, and as a telco reports it: late, twice, out of order and with gaps (rule R1).
 */
import * as fc from "fast-check"
import { DAY, HOUR } from "../../domain/Time.ts"

/** What a meter showed: the running total at a time after the first use. */
export interface Reading {
  /** Milliseconds since the first use. */
  readonly after: number
  /** All bytes used since the first use. */
  readonly totalBytes: number
}

/** The usage of one package, and the order in which a telco reports it. */
export interface UsageHistory {
  /** As it was: the total never falls, and each reading has a time of its own. */
  readonly readings: ReadonlyArray<Reading>
  /** As it is reported, in order of arrival: indexes into the readings, which may come twice, late, or not at all. */
  readonly arrivals: ReadonlyArray<number>
}

/** How large usage histories get. */
export interface Bounds {
  /** How many readings there are at most; there is at least one. */
  readonly readings: number
  /** The highest total, in bytes. */
  readonly bytes: number
  /** The time from the first use to the last reading, in milliseconds, at most. */
  readonly millis: number
}

const modest: Bounds = { readings: 12, bytes: 2 ** 31, millis: 30 * DAY }

/** Usage histories; the last reading always arrives, so that what is known in the end is what was. */
export const usageHistories = (bounds: Bounds = modest): fc.Arbitrary<UsageHistory> =>
  fc
    .array(
      fc.record({
        bytes: fc.oneof(fc.constantFrom(0, 1), fc.nat(Math.floor(bounds.bytes / bounds.readings))),
        pause: fc.oneof(
          fc.constantFrom(1, HOUR),
          fc.integer({
            min: 1,
            max: Math.floor(bounds.millis / bounds.readings)
          })
        )
      }),
      { minLength: 1, maxLength: bounds.readings }
    )
    .chain((steps) => {
      let after = 0
      let totalBytes = 0
      const readings = steps.map(({ bytes, pause }): Reading => {
        after += pause
        totalBytes += bytes
        return { after, totalBytes }
      })
      const indexes = readings.map((_, index) => index)
      const last = readings.length - 1
      return fc
        .record({
          // Gaps and duplicates.
          arriving: fc.array(fc.constantFrom(...indexes), {
            maxLength: 2 * readings.length
          }),
          lastArrivesAt: fc.nat(2 * readings.length)
        })
        .map(({ arriving, lastArrivesAt }) => ({
          readings,
          arrivals: arriving.toSpliced(lastArrivesAt, 0, last)
        }))
    })
