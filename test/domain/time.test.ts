/**
 * Times: a day is 24 h, and months are counted from an anchor and clamped, so clamping never
 * accumulates (rule T1). Of texts, RFC 3339 with a zone and a real calendar date is read, and every
 * written instant can be read again (rule W8).
 */
import { describe, expect, it } from "vitest"
import * as Time from "../../src/domain/Time.ts"
import { DAY_MS, HOUR_MS, instant, MINUTE_MS } from "./Calendar.ts"

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

const noon = instant(2026, 3, 10, 12 * HOUR_MS)

describe("An instant is read (W8)", () => {
  it.each<readonly [text: string, expected: number]>([
    ["2026-03-10T12:00:00Z", noon],
    ["2026-03-10t12:00:00z", noon],
    ["2026-03-10T12:00:00.000Z", noon],
    ["2026-03-10T12:00:00.1Z", noon + 100],
    ["2026-03-10T12:00:00.12Z", noon + 120],
    ["2026-03-10T12:00:00.123Z", noon + 123],
    ["2026-03-10T12:00:00.999999Z", noon + 999],
    ["2026-03-10T12:00:00.123456789Z", noon + 123],
    ["2026-03-10T12:00:00.1234567890123456789Z", noon + 123],
    ["2026-03-10T12:00:00+00:00", noon],
    ["2026-03-10T12:00:00-00:00", noon],
    ["2026-03-10T13:30:00+01:30", noon],
    ["2026-03-10T04:00:00-08:00", noon],
    ["2026-03-11T11:59:00+23:59", noon],
    ["2026-03-09T12:01:00-23:59", noon],
    ["2026-03-10T23:59:59.999Z", instant(2026, 3, 11) - 1],
    ["2024-02-29T00:00:00Z", instant(2024, 2, 29)],
    ["2000-02-29T00:00:00Z", instant(2000, 2, 29)],
    ["1969-12-31T23:59:59.999Z", -1],
    ["1985-04-12T23:20:50.52Z", instant(1985, 4, 12, 23 * HOUR_MS + 20 * MINUTE_MS + 50_520)],
    ["1937-01-01T12:00:27.87+00:20", instant(1937, 1, 1, 11 * HOUR_MS + 40 * MINUTE_MS + 27_870)],
    ["0001-01-01T00:00:00Z", instant(1, 1, 1)],
    ["0000-01-01T00:00:00Z", instant(0, 1, 1)],
    ["0000-02-29T00:00:00Z", instant(0, 2, 29)],
    ["0099-12-31T00:00:00Z", instant(99, 12, 31)],
    ["9999-12-31T23:59:59.999Z", instant(10_000, 1, 1) - 1]
  ])("%s", (text, expected) => {
    expect(Time.fromIso(text)).toBe(expected)
  })
})

describe("Text is refused (W8)", () => {
  it.each([
    ["", "nothing"],
    ["2026-03-10", "a date alone"],
    ["12:00:00Z", "a time alone"],
    ["2026-03-10T12:00:00", "no zone"],
    ["2026-03-10T12:00Z", "no seconds"],
    ["2026-03-10 12:00:00Z", "a space for the T"],
    ["2026-03-10T12:00:00.Z", "a point without a fraction"],
    ["2026-03-10T12:00:00,5Z", "a comma for the point"],
    ["2026-03-10T12:00:00+0100", "a zone without a colon"],
    ["2026-03-10T12:00:00+01", "a zone without minutes"],
    ["2026-03-10T12:00:00+24:00", "a zone of a day"],
    ["2026-03-10T12:00:00+01:60", "a zone of 60 minutes"],
    ["2026-03-10T12:00:00\u221201:00", "a typographical minus"],
    ["2026-03-10T12:00:00Z ", "a space behind"],
    [" 2026-03-10T12:00:00Z", "a space before"],
    ["2026-03-10T12:00:00Z\n", "a line end behind"],
    ["2026-03-10T12:00:00ZZ", "two zones"],
    ["2026-02-29T00:00:00Z", "29 February of a common year"],
    ["1900-02-29T00:00:00Z", "29 February of 1900"],
    ["2026-02-30T00:00:00Z", "30 February"],
    ["2026-04-31T00:00:00Z", "31 April"],
    ["2026-01-32T00:00:00Z", "32 January"],
    ["2026-00-10T00:00:00Z", "month 0"],
    ["2026-13-10T00:00:00Z", "month 13"],
    ["2026-01-00T00:00:00Z", "day 0"],
    ["2026-03-10T24:00:00Z", "hour 24"],
    ["2026-03-10T12:60:00Z", "minute 60"],
    ["2026-03-10T12:00:61Z", "second 61"],
    ["2016-12-31T23:59:60Z", "a leap second"],
    ["26-03-10T12:00:00Z", "a year of two digits"],
    ["+002026-03-10T12:00:00Z", "a year of six digits"],
    ["-0001-03-10T12:00:00Z", "a year before 0"],
    ["10000-01-01T00:00:00Z", "the year 10000"],
    ["9999-12-31T23:59:59-01:00", "the year 10000 in UTC"],
    ["9999-12-31T23:00:00-01:00", "its first instant"],
    ["0000-01-01T00:00:00+01:00", "the year before 0 in UTC"],
    ["\u0662026-03-10T12:00:00Z", "digits of another script"],
    ["1773144000000", "milliseconds"],
    ["Tue, 10 Mar 2026 12:00:00 GMT", "an HTTP date"]
  ])("%j: %s", (text) => {
    expect(Time.fromIso(text)).toBeUndefined()
  })
})

describe("An instant is written", () => {
  it("with milliseconds and Z, and four digits of the year", () => {
    expect(Time.toIso(noon)).toBe("2026-03-10T12:00:00.000Z")
    expect(Time.toIso(instant(1, 1, 1) + 7)).toBe("0001-01-01T00:00:00.007Z")
    expect(Time.toIso(Time.END_OF_TIME - 1)).toBe("9999-12-31T23:59:59.999Z")
  })

  it("equals JavaScript's, on every day of the first and the last 400 years", () => {
    const [first, last] = [Time.START_OF_TIME / Time.DAY, Time.END_OF_TIME / Time.DAY - 1]
    const wrong: Array<string> = []
    for (let day = 0; day < 146_097; day++) {
      for (const at of [(first + day) * Time.DAY + day * 591, (last - day) * Time.DAY + day * 591]) {
        if (Time.toIso(at) !== new Date(at).toISOString()) wrong.push(Time.toIso(at))
      }
    }
    expect(wrong).toEqual([])
  })

  it("has six digits of the year if four are not enough", () => {
    expect(Time.toIso(Time.END_OF_TIME)).toBe("+010000-01-01T00:00:00.000Z")
    expect(Time.toIso(Time.START_OF_TIME - 1)).toBe("-000001-12-31T23:59:59.999Z")
  })
})
