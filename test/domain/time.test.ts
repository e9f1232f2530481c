/**
 * Calendar arithmetic (rule T1): a day is 24 h. Months are counted from an anchor and clamped, so clamping never
 * accumulates.
 */
import { describe, expect, it } from "vitest"
import * as Time from "../../src/domain/Time.ts"
import { DAY_MS, HOUR_MS, instant } from "./Calendar.ts"

type Date = readonly [year: number, month: number, day: number]

describe("A day (T1)", () => {
  it("is 24 h, also at a change of clocks and at the end of a year", () => {
    const noon = 12 * HOUR_MS
    expect(Time.DAY).toBe(86_400_000)
    expect(Time.addDays(instant(2026, 3, 28, noon), 2)).toBe(instant(2026, 3, 30, noon))
    expect(Time.addDays(instant(2023, 12, 31, noon), 60)).toBe(instant(2024, 2, 29, noon))
    expect(Time.addDays(instant(1, 1, 1), 3_660)).toBe(instant(1, 1, 1) + 3_660 * DAY_MS)
  })
})

describe("A month (T1)", () => {
  it.each<readonly [what: string, anchor: Date, months: number, expected: Date]>([
    ["31 January plus one is 28 February", [2026, 1, 31], 1, [2026, 2, 28]],
    ["31 January plus two is 31 March: nothing accumulates", [2026, 1, 31], 2, [2026, 3, 31]],
    ["31 January plus three is 30 April", [2026, 1, 31], 3, [2026, 4, 30]],
    ["30 January plus one is 28 February", [2026, 1, 30], 1, [2026, 2, 28]],
    ["29 January plus one is 28 February", [2026, 1, 29], 1, [2026, 2, 28]],
    ["31 January plus one is 29 February in a leap year", [2024, 1, 31], 1, [2024, 2, 29]],
    ["30 January plus one is 29 February in a leap year", [2024, 1, 30], 1, [2024, 2, 29]],
    ["29 January plus one is 29 February in a leap year", [2024, 1, 29], 1, [2024, 2, 29]],
    ["29 February plus twelve is 28 February", [2024, 2, 29], 12, [2025, 2, 28]],
    ["29 February plus 48 is 29 February again", [2024, 2, 29], 48, [2028, 2, 29]],
    ["28 February plus one is 28 March, not the last of March", [2026, 2, 28], 1, [2026, 3, 28]],
    ["31 August plus one is 30 September", [2026, 8, 31], 1, [2026, 9, 30]],
    ["31 December plus one is 31 January of the next year", [2026, 12, 31], 1, [2027, 1, 31]],
    ["31 December plus two is 28 February", [2026, 12, 31], 2, [2027, 2, 28]],
    ["a year of 100 is no leap year", [1900, 1, 31], 1, [1900, 2, 28]],
    ["nor is 2100", [2100, 1, 31], 1, [2100, 2, 28]],
    ["a year of 400 is one", [2000, 1, 31], 1, [2000, 2, 29]],
    ["no month at all changes nothing", [2026, 1, 31], 0, [2026, 1, 31]],
    ["1,200 months are a century", [1999, 12, 31], 1_200, [2099, 12, 31]],
    ["the year 1 is the year 1, not 1901", [1, 1, 31], 1, [1, 2, 28]],
    ["the year 4 is a leap year", [4, 1, 31], 1, [4, 2, 29]],
    ["the years up to 99 lead to the year 100", [99, 12, 31], 2, [100, 2, 28]],
    ["the year 0 is a leap year", [0, 1, 31], 1, [0, 2, 29]],
    ["the last month of all is reached", [9999, 1, 31], 11, [9999, 12, 31]]
  ])("%s", (_, anchor, months, expected) => {
    for (const timeOfDay of [0, 1, 12 * HOUR_MS, DAY_MS - 1]) {
      expect(Time.addMonths(instant(...anchor, timeOfDay), months)).toBe(instant(...expected, timeOfDay))
    }
  })
})

describe("The range of instants", () => {
  it("reaches from the year 0 to the last millisecond of 9999", () => {
    expect(Time.START_OF_TIME).toBe(instant(0, 1, 1))
    expect(Time.END_OF_TIME).toBe(instant(10_000, 1, 1))
  })
})
