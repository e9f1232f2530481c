/**
 * Random recurrences (rules T1 and T5), against a loop over all occurrences with a second calendar.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Recurrence from "../../src/domain/Recurrence.ts"
import { DAY_MS, HOUR_MS, monthsAfter } from "../domain/Calendar.ts"
import { type CalendarDate, dates, instantOf, offsets, recurrences, recurringTerms } from "./Arbitraries.ts"

const anchors = dates(2020, 2040)

/** Every activation, counted in days or months from the anchor. */
const naive = (
  { frequency, occurrences, periodicity }: Recurrence.Recurrence,
  anchor: CalendarDate
): ReadonlyArray<number> =>
  Array.from({ length: occurrences }, (_, i) => {
    if (periodicity === "Monthly") {
      return monthsAfter(i * frequency, anchor.year, anchor.month, anchor.day, anchor.timeOfDay)
    }
    return instantOf(anchor) + i * frequency * (periodicity === "Weekly" ? 7 : 1) * DAY_MS
  })

describe("Recurrence (T5)", () => {
  it("activates each occurrence as counted from the anchor", () => {
    fc.assert(
      fc.property(recurringTerms(), anchors, (of, date) => {
        for (const [i, start] of naive(of.recurrence, date).entries()) {
          const window = { start, end: start + of.periodDays * DAY_MS }
          expect(Recurrence.window(of, of.recurrence, instantOf(date), i)).toEqual(window)
          expect(Recurrence.dueAt(of.recurrence, instantOf(date), i)).toBe(start - 12 * HOUR_MS)
        }
      })
    )
  })

  it("has as many occurrences due as a loop counts, at any time and at every boundary", () => {
    const count = (activations: ReadonlyArray<number>, now: number): number =>
      activations.filter((start) => start - now <= 12 * HOUR_MS).length
    fc.assert(
      fc.property(recurrences(), anchors, offsets, (recurrence, date, offset) => {
        const anchor = instantOf(date)
        const activations = naive(recurrence, date)
        const boundaries = activations.flatMap((start) => [-1, 0, 1].map((ms) => start - 12 * HOUR_MS + ms))
        for (const now of [anchor + offset, ...boundaries]) {
          expect(Recurrence.dueCount(recurrence, anchor, now)).toBe(count(activations, now))
        }
      })
    )
  })

  it("expires with its last occurrence", () => {
    fc.assert(
      fc.property(recurringTerms(), anchors, (of, date) => {
        const last = naive(of.recurrence, date).at(-1) ?? 0
        expect(Recurrence.expiration(of, of.recurrence, instantOf(date))).toBe(last + of.periodDays * DAY_MS)
      })
    )
  })

  it("holds for the most occurrences that a plan may have", () => {
    fc.assert(
      fc.property(recurrences(), anchors, fc.nat(999), (recurrence, date, i) => {
        const most = { ...recurrence, frequency: 1, occurrences: 1_000 }
        const start = naive(most, date)[i] ?? 0
        expect(Recurrence.dueCount(most, instantOf(date), start - 12 * HOUR_MS)).toBe(i + 1)
        expect(Recurrence.dueCount(most, instantOf(date), start - 12 * HOUR_MS - 1)).toBe(i)
      }),
      { numRuns: 30 }
    )
  })
})
