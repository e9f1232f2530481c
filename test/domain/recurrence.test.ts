/**
 * When occurrences are active and due (rules T1 and T5), at every boundary to the millisecond.
 */
import { describe, expect, it } from "vitest"
import * as Recurrence from "../../src/domain/Recurrence.ts"
import { DAY_MS, HOUR_MS, instant } from "./Calendar.ts"
import { NOW, recurring } from "./Values.ts"

const activations = (periodicity: Recurrence.Periodicity, frequency: number, anchor: number, count: number) =>
  Array.from({ length: count }, (_, i) => Recurrence.activation({ periodicity, frequency, occurrences: 12 }, anchor, i))

describe("Occurrence i activates at the anchor plus i cycles (T5)", () => {
  it("daily with frequency 2 is every two days, as the interface says", () => {
    expect(activations("Daily", 2, NOW, 4)).toEqual([NOW, NOW + 2 * DAY_MS, NOW + 4 * DAY_MS, NOW + 6 * DAY_MS])
  })

  it("weekly is every seven days times the frequency", () => {
    expect(activations("Weekly", 1, NOW, 3)).toEqual([NOW, NOW + 7 * DAY_MS, NOW + 14 * DAY_MS])
    expect(activations("Weekly", 3, NOW, 3)).toEqual([NOW, NOW + 21 * DAY_MS, NOW + 42 * DAY_MS])
  })

  it("T1: monthly from 31 January is the end of each month, and the 31st again", () => {
    const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    const expected = days.map((day, index) => instant(2026, index + 1, day, 9 * HOUR_MS))
    expect(activations("Monthly", 1, instant(2026, 1, 31, 9 * HOUR_MS), 12)).toEqual(expected)
  })

  it("T1: monthly with frequency 3 from 30 November", () => {
    const expected = [instant(2023, 11, 30), instant(2024, 2, 29), instant(2024, 5, 30), instant(2024, 8, 30)]
    expect(activations("Monthly", 3, instant(2023, 11, 30), 4)).toEqual(expected)
  })
})

describe("An occurrence (T5)", () => {
  const of = recurring({ periodicity: "Monthly", occurrences: 3 }, { periodDays: 30 })
  const anchor = instant(2026, 1, 31)

  it("lasts the plan's validity, however long the cycle", () => {
    expect(Recurrence.window(of, of.recurrence, anchor, 1)).toEqual({
      start: instant(2026, 2, 28),
      end: instant(2026, 3, 30)
    })
  })

  it("is due 12 h before it activates", () => {
    expect(Recurrence.dueAt(of.recurrence, anchor, 2)).toBe(instant(2026, 3, 30, 12 * HOUR_MS))
  })

  it("is over from its end on", () => {
    const window = { start: NOW, end: NOW + DAY_MS }
    expect([NOW - 1, NOW, NOW + DAY_MS - 1].map((at) => Recurrence.isOver(window, at))).toEqual([false, false, false])
    expect([NOW + DAY_MS, NOW + 2 * DAY_MS].map((at) => Recurrence.isOver(window, at))).toEqual([true, true])
  })

  it("T6: the end of the last occurrence is the attachment's expiry", () => {
    expect(Recurrence.expiration(of, of.recurrence, anchor)).toBe(instant(2026, 3, 31) + 30 * DAY_MS)
  })
})

describe("As many occurrences are due as activate at most 12 h ahead (T5)", () => {
  const { recurrence } = recurring({ occurrences: 3 })

  it.each<readonly [offset: number, expected: number]>([
    [-100 * DAY_MS, 0],
    [-12 * HOUR_MS - 1, 0],
    [-12 * HOUR_MS, 1],
    [-12 * HOUR_MS + 1, 1],
    [0, 1],
    [12 * HOUR_MS - 1, 1],
    [12 * HOUR_MS, 2],
    [36 * HOUR_MS - 1, 2],
    [36 * HOUR_MS, 3],
    [60 * HOUR_MS, 3],
    [5_000 * DAY_MS, 3]
  ])("%i ms after the anchor: %i", (offset, expected) => {
    expect(Recurrence.dueCount(recurrence, NOW, NOW + offset)).toBe(expected)
  })
})
