/**
 * Random calendar arithmetic and instants as text (rules T1 and W8), against a calendar that counts
 * days.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Time from "../../src/domain/Time.ts"
import { DAY_MS, daysInMonth, instant, MINUTE_MS, monthsAfter } from "../domain/Calendar.ts"
import { dates, instantOf } from "./Arbitraries.ts"

describe("A month (T1)", () => {
  it("is counted from its anchor and clamped, in every year from 1 to 9999", () => {
    fc.assert(
      fc.property(dates(1, 9999), fc.nat(3_000), (date, months) => {
        const { day, month, timeOfDay, year } = date
        fc.pre(year + (month + months) / 12 < 10_000)
        expect(Time.addMonths(instantOf(date), months)).toBe(monthsAfter(months, year, month, day, timeOfDay))
      }),
      { numRuns: 2_000 }
    )
  })

  it("more never lies earlier, and 0 months change nothing", () => {
    fc.assert(
      fc.property(
        dates(1, 9000).map(instantOf),
        fc.nat(2_000),
        fc.integer({ min: 1, max: 2_000 }),
        (at, some, more) => {
          expect(Time.addMonths(at, 0)).toBe(at)
          expect(Time.addMonths(at, some + more)).toBeGreaterThan(Time.addMonths(at, some))
        }
      )
    )
  })
})

describe("An instant as text (W8)", () => {
  const spans = dates(0, 9999)

  it("is read as it was written, to the millisecond", () => {
    fc.assert(
      fc.property(spans.map(instantOf), (at) => {
        expect(Time.toIso(at)).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
        expect(Time.fromIso(Time.toIso(at))).toBe(at)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is the same in every zone", () => {
    const pad = (value: number): string => String(value).padStart(2, "0")
    const minutes = fc.integer({ min: -1_439, max: 1_439 })
    fc.assert(
      fc.property(dates(1, 9998).map(instantOf), minutes, (at, offset) => {
        const local = Time.toIso(at + offset * MINUTE_MS).slice(0, -1)
        const [hours, rest] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
        expect(Time.fromIso(`${local}${offset < 0 ? "-" : "+"}${pad(hours)}:${pad(rest)}`)).toBe(at)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is read if and only if the date and the time are real", () => {
    const part = (most: number, odd: number) => fc.oneof(fc.nat(most), fc.nat(odd))
    const parts = fc.record({
      year: fc.nat(9_999),
      month: part(13, 99),
      day: part(32, 99),
      hour: part(25, 99),
      minute: part(61, 99),
      second: part(61, 99)
    })
    fc.assert(
      fc.property(parts, ({ day, hour, minute, month, second, year }) => {
        const two = (value: number): string => String(value).padStart(2, "0")
        const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`
        const realDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
        const expected =
          realDate && hour < 24 && minute < 60 && second < 60
            ? instant(year, month, day, ((hour * 60 + minute) * 60 + second) * 1_000)
            : undefined
        expect(Time.fromIso(text)).toBe(expected)
      }),
      { numRuns: 2_000 }
    )
  })

  it("lies in the range of instants, whatever the text is", () => {
    const nearly = fc.stringMatching(
      /^\d{4}-[01]\d-[0-3]\dT[012]\d:[0-5]\d:[0-6]\d(\.\d{1,12})?(Z|[+-][012]\d:[0-6]\d)$/
    )
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), (text) => {
        const at = Time.fromIso(text)
        if (at === undefined) return
        expect(Number.isSafeInteger(at)).toBe(true)
        expect(at).toBeGreaterThanOrEqual(instant(0, 1, 1))
        expect(at).toBeLessThan(instant(9999, 12, 31) + DAY_MS)
      }),
      { numRuns: 2_000 }
    )
  })

  it("is read with any fraction, to the millisecond", () => {
    fc.assert(
      fc.property(spans.map(instantOf), fc.stringMatching(/^\d{1,12}$/), (at, fraction) => {
        const second = Math.floor(at / 1_000) * 1_000
        const text = `${Time.toIso(second).slice(0, 19)}.${fraction}Z`
        expect(Time.fromIso(text)).toBe(second + Number(`${fraction}00`.slice(0, 3)))
      }),
      { numRuns: 1_000 }
    )
  })

  it("is read in zones of up to 23:59", () => {
    fc.assert(
      fc.property(dates(1, 9998).map(instantOf), fc.nat(25), fc.nat(61), fc.boolean(), (at, hours, minutes, west) => {
        const two = (value: number): string => String(value).padStart(2, "0")
        const text = `${Time.toIso(at).slice(0, -1)}${west ? "-" : "+"}${two(hours)}:${two(minutes)}`
        const offset = (hours * 60 + minutes) * MINUTE_MS * (west ? -1 : 1)
        expect(Time.fromIso(text)).toBe(hours > 23 || minutes > 59 ? undefined : at - offset)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is read up to the ends of the range, in any zone", () => {
    const first = instant(0, 1, 1)
    const end = instant(9999, 12, 31) + DAY_MS
    const locals = fc.oneof(
      fc.constantFrom(first, first + 1, end - 1),
      fc.nat(2_000).map((minutes) => first + minutes * MINUTE_MS),
      fc.nat(2_000).map((minutes) => end - (minutes + 1) * MINUTE_MS),
      fc.nat(2_000).map((minutes) => end - minutes * MINUTE_MS - 1)
    )
    const zones = fc.oneof(fc.constantFrom(0, -1, 1), fc.integer({ min: -1_439, max: 1_439 }))
    const sameInstant = fc.nat(1_438).map((minutes) => ({ local: first + minutes * MINUTE_MS, zone: minutes }))
    const lastInstant = fc
      .record({ minutes: fc.integer({ min: 1, max: 1_439 }), ms: fc.constantFrom(0, 1) })
      .map(({ minutes, ms }) => ({ local: end - minutes * MINUTE_MS - ms, zone: -minutes }))
    fc.assert(
      fc.property(fc.oneof(fc.record({ local: locals, zone: zones }), sameInstant, lastInstant), ({ local, zone }) => {
        const two = (value: number): string => String(value).padStart(2, "0")
        const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60]
        const text = `${Time.toIso(local).slice(0, -1)}${zone < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`
        const at = local - zone * MINUTE_MS
        expect(Time.fromIso(text)).toBe(at >= first && at < end ? at : undefined)
      }),
      { numRuns: 1_000 }
    )
  })
})
