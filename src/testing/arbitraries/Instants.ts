/**
 * Instants for property tests: anywhere in a span of years, at month ends and leap days more often than chance has
 * them, and to the millisecond around where something changes.
 */
import * as fc from "fast-check"
import { DAY, HOUR, type Instant, MINUTE } from "../../domain/Time.ts"

/** The instant itself, and the milliseconds before and after it. */
export const around = (instant: Instant): fc.Arbitrary<Instant> =>
  fc.constantFrom(0, -1, 1).map((beside) => instant + beside)

const lastDayOf = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

/** A real date of these years at some time of day; month ends and 29 February are common. */
export const between = (firstYear: number, lastYear: number): fc.Arbitrary<Instant> =>
  fc
    .record({
      year: fc.integer({ min: firstYear, max: lastYear }),
      month: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 2)),
      day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constantFrom(28, 29, 30, 31)),
      timeOfDay: fc.oneof(fc.constantFrom(0, DAY / 2, 1, DAY - 1), fc.integer({ min: 0, max: DAY - 1 }))
    })
    .map(({ day, month, timeOfDay, year }) => {
      const date = new Date(0).setUTCFullYear(year, month - 1, Math.min(day, lastDayOf(year, month)))
      return date + timeOfDay
    })

/** The years in which a service plausibly runs. */
export const instants: fc.Arbitrary<Instant> = between(2024, 2100)

/** The last day of a month, at some time of day. */
export const monthEnds: fc.Arbitrary<Instant> = fc
  .record({
    year: fc.integer({ min: 2024, max: 2100 }),
    month: fc.integer({ min: 1, max: 12 }),
    timeOfDay: fc.integer({ min: 0, max: DAY - 1 })
  })
  .map(({ month, timeOfDay, year }) => Date.UTC(year, month - 1, lastDayOf(year, month)) + timeOfDay)

/** 29 February, at some time of day. */
export const leapDays: fc.Arbitrary<Instant> = fc
  .record({
    quarter: fc.integer({ min: 506, max: 524 }),
    timeOfDay: fc.integer({ min: 0, max: DAY - 1 })
  })
  .map(({ quarter, timeOfDay }) => Date.UTC(4 * quarter, 1, 29) + timeOfDay)

/** Spans that the rules name, each with the milliseconds around it. */
const named = [MINUTE, 5 * MINUTE, HOUR, 12 * HOUR, DAY, 7 * DAY, 30 * DAY, 35 * DAY] as const

/** Spans of time from a millisecond to `longest`, those that the rules name more often than others. */
export const spans = (longest: number): fc.Arbitrary<number> =>
  fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(1, ...named).chain(around) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 * DAY }) },
      { weight: 2, arbitrary: fc.integer({ min: DAY, max: 60 * DAY }) },
      {
        weight: 1,
        arbitrary: fc.integer({
          min: 30 * DAY,
          max: Math.max(30 * DAY, longest)
        })
      }
    )
    .map((span) => Math.max(1, Math.min(span, longest)))
