/**
 * Allowances (rule T1) and their thresholds (rules R2 and U2): each is reached at an exact byte and
 * notified once; a report that crosses several notifies them in order.
 */
import { describe, expect, it } from "vitest"
import * as Allowance from "../../src/domain/Allowance.ts"
import type { PlanTerms } from "../../src/domain/Plan.ts"
import { GIGABYTE, recurring, terms } from "./Values.ts"

const gigabyte = terms({ dataMegaBytes: 1_024 })

/**
 * The least usage that reaches `percent` of 1 GiB. 80 % of 1 GiB is not a whole number of bytes.
 */
const first = { 50: GIGABYTE / 2, 80: 858_993_460, 100: GIGABYTE }

describe("A package's allowance (T1)", () => {
  it("is exact to the byte; a megabyte has 1,048,576", () => {
    expect(Allowance.bytesOf({ dataMegaBytes: 1 })).toBe(1_048_576)
    expect(BigInt(Allowance.bytesOf({ dataMegaBytes: 2_147_483_647 }))).toBe(2_147_483_647n * 1_048_576n)
  })
})

describe("A threshold is reached at an exact byte (R2)", () => {
  it.each([
    [0, []],
    [first[50] - 1, []],
    [first[50], [50]],
    [first[80] - 1, [50]],
    [first[80], [50, 80]],
    [first[100] - 1, [50, 80]],
    [first[100], [50, 80, 100]],
    [10 * GIGABYTE, [50, 80, 100]],
    [Number.MAX_SAFE_INTEGER, [50, 80, 100]]
  ])("%i bytes", (usedBytes, expected) => {
    expect(Allowance.crossed(gigabyte, 0, usedBytes)).toEqual(expected)
  })

  it("also for the largest allowance, where products exceed 2^53", () => {
    const largest = terms({ dataMegaBytes: 2_147_483_647 })
    const eighty = Number((2_147_483_647n * 1_048_576n * 80n + 99n) / 100n)
    expect(Allowance.crossed(largest, 50, eighty - 1)).toEqual([])
    expect(Allowance.crossed(largest, 50, eighty)).toEqual([80])
  })
})

describe("A threshold is notified once (R2)", () => {
  it.each([
    [0, [50, 80, 100]],
    [50, [80, 100]],
    [80, [100]],
    [100, []]
  ])("after %i %%", (lastNotified, expected) => {
    expect(Allowance.crossed(gigabyte, lastNotified, GIGABYTE)).toEqual(expected)
  })
})

describe("A recurring plan (R2)", () => {
  it("has no thresholds", () => {
    expect(Allowance.crossed(recurring({}, { dataMegaBytes: 1 }), 0, GIGABYTE)).toEqual([])
  })
})

describe("Percentages of a package (U2)", () => {
  const third = Math.ceil((GIGABYTE * 33) / 100)

  it.each([
    [[0, third - 1], []],
    [[third - 1, third], [33]],
    [[third, third], []],
    [
      [third, GIGABYTE],
      [90, 100]
    ],
    [
      [0, 2 * GIGABYTE],
      [33, 90, 100]
    ],
    [[GIGABYTE, 2 * GIGABYTE], []]
  ] as const)("from %j bytes: those of the plan, in order", ([from, to], expected) => {
    for (const of of [terms, (changes: Partial<PlanTerms>) => recurring({}, changes)]) {
      const named = of({ dataMegaBytes: 1_024, alertThresholds: [33, 90, 100] })
      expect(Allowance.reachedBetween(named, { from, to })).toEqual(expected)
    }
  })

  it("are 50, 80 and 100 where the plan names none, and none where it names an empty list", () => {
    const all = { from: 0, to: GIGABYTE }
    expect(Allowance.reachedBetween(gigabyte, all)).toEqual([50, 80, 100])
    expect(Allowance.reachedBetween(terms({ dataMegaBytes: 1_024, alertThresholds: [] }), all)).toEqual([])
  })
})

describe("The percentages at which an event may fire (R2, U2)", () => {
  it("are the default ones and the plan's; of a recurring plan only its own", () => {
    const named = { alertThresholds: [33, 80, 90] }
    expect(Allowance.eventThresholds(gigabyte)).toEqual([50, 80, 100])
    expect(Allowance.eventThresholds(terms(named))).toEqual([33, 50, 80, 90, 100])
    expect(Allowance.eventThresholds(terms({ alertThresholds: [] }))).toEqual([50, 80, 100])
    expect(Allowance.eventThresholds(recurring())).toEqual([50, 80, 100])
    expect(Allowance.eventThresholds(recurring({}, named))).toEqual([33, 80, 90])
  })
})
