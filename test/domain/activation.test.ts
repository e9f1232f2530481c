/**
 * When an attached plan starts: the interface's seven `active_period` rules one by one, and
 * rules T3 to T5.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Activation from "../../src/domain/Activation.ts"
import type { PlanTerms } from "../../src/domain/Plan.ts"
import { DAY_MS, HOUR_MS, instant } from "./Calendar.ts"
import { attachment, NOW, recurring, terms } from "./Values.ts"

const once = terms()
const daily = recurring()
const fieldOf = (of: PlanTerms, start: number | null, end: number | null): string | null =>
  Result.match(Activation.start(of, { start, end }, NOW), { onSuccess: () => null, onFailure: ({ field }) => field })

/** The packages that the creation of an attachment at `NOW` orders. */
const initial = (of: PlanTerms, request: Activation.Request | null) =>
  Activation.initialPackages(
    attachment({ terms: of, createdAt: NOW, ...Result.getOrThrow(Activation.start(of, request, NOW)) })
  )

const firstUsePackage = { occurrence: 0, window: null, over: false }

describe("A non-recurring plan", () => {
  it("rule 1: without an active period starts at first use", () => {
    expect(Result.getOrThrow(Activation.start(once, null, NOW))).toEqual({ activePeriod: null, anchor: null })
    expect(initial(once, null)).toEqual([firstUsePackage])
  })

  it("rule 2: an active period needs its start and its end", () => {
    expect(fieldOf(once, null, NOW + 1)).toBe("activePeriod.start")
    expect(fieldOf(once, NOW, null)).toBe("activePeriod.end")
    expect(fieldOf(once, null, null)).toBe("activePeriod.start")
  })

  it("rule 2: an active period replaces the plan's validity", () => {
    const window = { start: NOW + 5, end: NOW + 6 * DAY_MS }
    expect(initial(terms({ periodDays: 3_660 }), window)).toEqual([{ occurrence: 0, window, over: false }])
  })

  it("rule 2: the package is created at once, however far ahead its start is", () => {
    expect(initial(once, { start: NOW + 1_000 * DAY_MS, end: NOW + 1_001 * DAY_MS })).toHaveLength(1)
  })

  it("T4: the start lies before the end", () => {
    expect(fieldOf(once, NOW + 1, NOW + 2)).toBeNull()
    expect(fieldOf(once, NOW + 2, NOW + 2)).toBe("activePeriod.end")
    expect(fieldOf(once, NOW + 3, NOW + 2)).toBe("activePeriod.end")
  })

  it("T4: the end lies after now", () => {
    expect(fieldOf(once, NOW - 9, NOW + 1)).toBeNull()
    expect(fieldOf(once, NOW - 9, NOW)).toBe("activePeriod.end")
    expect(fieldOf(once, NOW - 9, NOW - 1)).toBe("activePeriod.end")
  })

  it("T4: the start may lie in the past, however far", () => {
    expect(fieldOf(once, NOW - 1_000 * DAY_MS, NOW + 1)).toBeNull()
    expect(fieldOf(once, instant(0, 1, 1), NOW + 1)).toBeNull()
  })
})

describe("A recurring plan", () => {
  it("rule 3: without an active period starts at first use, with one package", () => {
    expect(Result.getOrThrow(Activation.start(daily, null, NOW))).toEqual({ activePeriod: null, anchor: null })
    expect(initial(daily, null)).toEqual([firstUsePackage])
  })

  it("rule 4: an active period needs its start", () => {
    expect(fieldOf(daily, null, NOW + 1)).toBe("activePeriod.start")
  })

  it("rule 4: the end of an active period is ignored", () => {
    for (const end of [null, NOW - 9_999, NOW, NOW + 1, instant(9999, 12, 31)]) {
      expect(fieldOf(daily, NOW, end)).toBeNull()
      expect(initial(daily, { start: NOW, end })).toEqual(initial(daily, { start: NOW, end: null }))
    }
  })

  it("T5: the start of the active period is the anchor", () => {
    const start = NOW + 77
    expect(Result.getOrThrow(Activation.start(daily, { start, end: null }, NOW)).anchor).toBe(start)
  })

  it("rule 5, T5: exactly 24 h in the past is inside, a millisecond more is not", () => {
    expect(fieldOf(daily, NOW - DAY_MS, null)).toBeNull()
    expect(fieldOf(daily, NOW - DAY_MS - 1, null)).toBe("activePeriod.start")
    expect(fieldOf(daily, NOW - 24 * HOUR_MS + 1, null)).toBeNull()
  })

  it("rule 5: with a start in the past, the first package is created at once", () => {
    const [first] = initial(recurring({}, { periodDays: 3 }), { start: NOW - HOUR_MS, end: null })
    const window = { start: NOW - HOUR_MS, end: NOW - HOUR_MS + 3 * DAY_MS }
    expect(first).toEqual({ occurrence: 0, window, over: false })
  })

  it("rule 6, T5: exactly 12 h ahead is inside", () => {
    expect(initial(daily, { start: NOW + 12 * HOUR_MS, end: null })).toEqual([
      { occurrence: 0, window: { start: NOW + 12 * HOUR_MS, end: NOW + 36 * HOUR_MS }, over: false }
    ])
  })

  it("rule 7, T5: a millisecond more than 12 h ahead has no package yet", () => {
    expect(initial(daily, { start: NOW + 12 * HOUR_MS + 1, end: null })).toEqual([])
    expect(initial(daily, { start: NOW + 1_000 * DAY_MS, end: null })).toEqual([])
  })

  it("T5: every package that is due at the creation is created, not only the first", () => {
    const windows = initial(daily, { start: NOW - 13 * HOUR_MS, end: null }).map(({ window }) => window?.start)
    expect(windows).toEqual([NOW - 13 * HOUR_MS, NOW + 11 * HOUR_MS])
    expect(initial(daily, { start: NOW - 12 * HOUR_MS + 1, end: null })).toHaveLength(1)
    expect(initial(daily, { start: NOW - 12 * HOUR_MS, end: null })).toHaveLength(2)
  })

  it("T5: a package whose whole period is over at creation is marked so", () => {
    const overs = initial(daily, { start: NOW - DAY_MS, end: null }).map(({ over }) => over)
    expect(overs).toEqual([true, false])
    expect(initial(daily, { start: NOW - DAY_MS + 1, end: null }).map(({ over }) => over)).toEqual([false, false])
  })

  it("T5: never has more packages than occurrences", () => {
    expect(initial(recurring({ occurrences: 1 }), { start: NOW - DAY_MS, end: null })).toHaveLength(1)
  })

  it("P1: a start is refused if the last occurrence expires after the year 9999", () => {
    const two = recurring({ periodicity: "Monthly", occurrences: 2 }, { periodDays: 1 })
    const latest = instant(9999, 11, 30, DAY_MS - 1)
    expect(fieldOf(two, latest, null)).toBeNull()
    expect(fieldOf(recurring({ occurrences: 2 }), instant(9999, 12, 30), null)).toBe("activePeriod.start")
    expect(fieldOf(recurring({ occurrences: 2 }), instant(9999, 12, 30) - 1, null)).toBeNull()
  })
})

describe("First use (T3)", () => {
  it("opens a window of the plan's validity", () => {
    expect(Activation.firstUseWindow(terms({ periodDays: 10 }), NOW)).toEqual({ start: NOW, end: NOW + 10 * DAY_MS })
  })
})
