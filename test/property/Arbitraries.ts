/**
 * Arbitraries of the property tests: instants of the whole range, plans, and reports about one SIM.
 *
 * Instants are drawn at random and within milliseconds of the boundaries at which something
 * changes.
 */
import * as fc from "fast-check"
import type { PlanTerms } from "../../src/domain/Plan.ts"
import type { Recurrence } from "../../src/domain/Recurrence.ts"
import type { Fact } from "../../src/domain/TelcoReport.ts"
import { DAY_MS, daysInMonth, HOUR_MS, instant } from "../domain/Calendar.ts"
import { terms } from "../domain/Values.ts"

export interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly timeOfDay: number
}

/** A real date and a time of day. Ends of months come more often than in a uniform distribution. */
export const dates = (firstYear: number, lastYear: number): fc.Arbitrary<CalendarDate> =>
  fc
    .record({
      year: fc.integer({ min: firstYear, max: lastYear }),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constantFrom(28, 29, 30, 31)),
      timeOfDay: fc.oneof(fc.integer({ min: 0, max: DAY_MS - 1 }), fc.constantFrom(0, 1, DAY_MS / 2, DAY_MS - 1))
    })
    .map((date) => ({ ...date, day: Math.min(date.day, daysInMonth(date.year, date.month)) }))

export const instantOf = ({ day, month, timeOfDay, year }: CalendarDate): number => instant(year, month, day, timeOfDay)

/** Instants of the years that the tests use. */
export const instants: fc.Arbitrary<number> = dates(1970, 2100).map(instantOf)

export const recurrences = (occurrences = 40): fc.Arbitrary<Recurrence> =>
  fc.record({
    periodicity: fc.constantFrom("Daily", "Weekly", "Monthly"),
    frequency: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 40 })),
    occurrences: fc.integer({ min: 1, max: occurrences })
  })

export type RecurringTerms = PlanTerms & { readonly recurrence: Recurrence }

/** Validities both shorter and longer than a cycle. */
export const recurringTerms = (occurrences = 40): fc.Arbitrary<RecurringTerms> =>
  fc
    .record({ recurrence: recurrences(occurrences), periodDays: fc.integer({ min: 1, max: 90 }) })
    .map(({ periodDays, recurrence }) => ({ ...terms({ periodDays }), recurrence }))

/** The distance of `now` from an instant: near the hours that the rules name, or any. */
export const offsets: fc.Arbitrary<number> = fc.oneof(
  fc
    .constantFrom(-24, -12, 0, 12, 24)
    .chain((hours) => fc.integer({ min: -1, max: 1 }).map((ms) => hours * HOUR_MS + ms)),
  fc.integer({ min: -3 * DAY_MS, max: 2_000 * DAY_MS })
)

/** Amounts of usage: near the thresholds of 1 MiB to 1 GiB, or any. */
export const amounts: fc.Arbitrary<number> = fc.oneof(
  fc.nat({ max: 2 ** 21 }),
  fc.maxSafeNat(),
  fc.constantFrom(0, 1, 524_287, 524_288, 838_860, 838_861, 1_048_575, 1_048_576)
)

export const totals = (packageIds: fc.Arbitrary<string | null>): fc.Arbitrary<Fact> =>
  fc.record({
    _tag: fc.constant("Usage"),
    packageId: packageIds,
    usage: fc.record({ _tag: fc.constant("Total"), bytes: amounts })
  })

export const locations: fc.Arbitrary<Fact> = fc.record({
  _tag: fc.constant("Location"),
  countryAlpha2: fc.constantFrom("SE", "NO", "FI"),
  operator: fc.constantFrom("Telia", "Tre"),
  rat: fc.constantFrom("4G", "5G"),
  imei: fc.constant("356938035643809")
})

export const smdpStates: fc.Arbitrary<Fact> = fc.record({
  _tag: fc.constant("SmdpState"),
  state: fc.constantFrom("BPP Installation", "Enable", "Disable", "Delete"),
  modificationResult: fc.constantFrom("Success", "Failed")
})
