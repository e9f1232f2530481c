/**
 * Random starts that the short histories of the timing model do not reach: near the end of time
 * (rule P1), and long after the last occurrence is over (rule T5).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Activation from "../../src/domain/Activation.ts"
import * as Plan from "../../src/domain/Plan.ts"
import { DAY_MS, HOUR_MS, instant, monthsAfter } from "../domain/Calendar.ts"
import { attachment, NOW, recurring, termsRequest } from "../domain/Values.ts"
import { dates, instantOf, type RecurringTerms, recurringTerms } from "./Arbitraries.ts"

const YEAR_10000 = instant(9999, 12, 31) + DAY_MS

/** How many days the terms last from their start; null if that depends on the calendar. */
const daysOf = ({ periodDays, recurrence }: RecurringTerms): number | null => {
  const cycles = (recurrence.occurrences - 1) * recurrence.frequency
  return recurrence.periodicity === "Monthly"
    ? null
    : cycles * (recurrence.periodicity === "Weekly" ? 7 : 1) + periodDays
}

/**
 * Terms, a start, and the expiry of the last occurrence: near the end of time, to the millisecond.
 */
const lasting = fc.oneof(
  fc
    .record({
      terms: recurringTerms(),
      beside: fc.oneof(fc.integer({ min: -1, max: 1 }), fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }))
    })
    .filter(({ terms }) => daysOf(terms) !== null)
    .map(({ beside, terms }) => ({
      terms,
      start: YEAR_10000 + beside - (daysOf(terms) ?? 0) * DAY_MS,
      end: YEAR_10000 + beside
    })),
  fc.record({ terms: recurringTerms(4), date: dates(9970, 9999) }).map(({ date, terms }) => {
    const monthly = { ...terms, recurrence: { ...terms.recurrence, periodicity: "Monthly" as const } }
    const cycles = (terms.recurrence.occurrences - 1) * terms.recurrence.frequency
    const last = monthsAfter(cycles, date.year, date.month, date.day, date.timeOfDay)
    return { terms: monthly, start: instantOf(date), end: last + terms.periodDays * DAY_MS }
  })
)

describe("The last occurrence expires before the year 10000 (P1)", () => {
  it("if and only if its start is accepted", () => {
    fc.assert(
      fc.property(lasting, ({ end, start, terms }) => {
        const started = Activation.start(terms, { start, end: null }, start)
        expect(Result.isSuccess(started)).toBe(end < YEAR_10000)
        if (Result.isFailure(started)) expect(started.failure.field).toBe("activePeriod.start")
      }),
      { numRuns: 1_000 }
    )
  })

  it("if and only if the plan is created, for a start at its creation", () => {
    const coverage = { regionCode: "EUROPE", label: "Green" } as const
    fc.assert(
      fc.property(lasting, fc.boolean(), ({ end, start, terms }, recurs) => {
        const { periodDays, recurrence } = terms
        const request = termsRequest({ periodDays, recurrence: recurs ? recurrence : null })
        const now = recurs ? start : end - periodDays * DAY_MS
        expect(Result.isSuccess(Plan.terms(request, coverage, now))).toBe(end < YEAR_10000)
      }),
      { numRuns: 1_000 }
    )
  })
})

describe("The packages that a creation makes (T5)", () => {
  it("are marked as over if nothing of their period is left", () => {
    const offsets = fc.oneof(
      fc.integer({ min: -1, max: 1 }).map((ms) => DAY_MS + ms),
      fc.integer({ min: -DAY_MS, max: 60 * DAY_MS })
    )
    const terms = fc.record({ days: fc.integer({ min: 1, max: 3 }), occurrences: fc.integer({ min: 1, max: 30 }) })
    fc.assert(
      fc.property(terms, offsets, ({ days, occurrences }, past) => {
        const of = recurring({ occurrences }, { periodDays: days })
        const initial = Activation.initialPackages(attachment({ terms: of, anchor: NOW - past }))
        for (const { occurrence, over, window } of initial) {
          const start = NOW - past + occurrence * DAY_MS
          expect(window).toEqual({ start, end: start + days * DAY_MS })
          expect(over).toBe(start + days * DAY_MS <= NOW)
        }
        const due = Math.floor((past + 12 * HOUR_MS) / DAY_MS) + 1
        expect(initial).toHaveLength(Math.min(occurrences, Math.max(0, due)))
      }),
      { numRuns: 500 }
    )
  })
})
