/**
 * The published arbitraries: the service accepts every valid value, and refuses every value with
 * one mistake for that mistake.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Activation from "../../src/domain/Activation.ts"
import * as Iccid from "../../src/domain/Iccid.ts"
import * as Plan from "../../src/domain/Plan.ts"
import * as Region from "../../src/domain/Region.ts"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { Arbitraries } from "../../src/testing/index.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import { attached, aggregate, NOW, recurring, report, terms, total } from "../domain/Values.ts"

const coverage = { regionCode: "FR", label: "Green" } as const

const decided = (request: Arbitraries.PlanRequest) => Plan.terms({ ...request, coverageId: "coverage" }, coverage, NOW)

/** Each kind of value has to be drawn at least once in this many draws. */
const some = <A>(arbitrary: fc.Arbitrary<A>, seen: (drawn: A) => boolean) =>
  expect(fc.sample(arbitrary, { numRuns: 2_000, seed: 1 }).some(seen)).toBe(true)

describe("Plans", () => {
  it("that are valid are accepted, within any bounds", () => {
    fc.assert(
      fc.property(Arbitraries.planRequests(), (request) => Result.isSuccess(decided(request))),
      { numRuns: 1_000 }
    )
    const bounds = { occurrences: 1_000, periodDays: 3_660 }
    fc.assert(fc.property(Arbitraries.planRequests(bounds), (request) => Result.isSuccess(decided(request))))
  })

  it("with one mistake are refused by the name of the field", () => {
    fc.assert(
      fc.property(Arbitraries.invalidPlanRequests(), ({ field, terms: request }) => {
        const refused = decided(request)
        expect(Result.isFailure(refused) ? refused.failure : null).toMatchObject({ _tag: "InvalidField", field })
      }),
      { numRuns: 2_000 }
    )
  })

  it("with mistakes have one in every field", () => {
    for (const name of Arbitraries.flawedFields) some(Arbitraries.invalidPlanRequests(), ({ field }) => field === name)
    expect(Arbitraries.flawedFields).toHaveLength(10)
  })
})

describe("Active periods", () => {
  it.each([-DAY_MS, 0, 12 * HOUR_MS].flatMap((boundary) => [boundary - 1, boundary, boundary + 1]))(
    "of a recurring plan start %i ms from now",
    (start) => some(Arbitraries.recurringPeriods, (period) => period.start === start)
  )

  it("of a non-recurring plan end at their start and at now, and a millisecond before and after", () => {
    for (const beside of [-1, 0, 1]) {
      some(Arbitraries.nonRecurringPeriods, ({ end, start }) => start !== null && end === start + beside)
      some(Arbitraries.nonRecurringPeriods, ({ end }) => end === beside)
    }
  })

  it("are accepted or refused as they say", () => {
    const taken = (of: Plan.PlanTerms, { end, start }: Arbitraries.PeriodFromNow) =>
      Result.isSuccess(
        Activation.start(of, { start: start === null ? null : NOW + start, end: end === null ? null : NOW + end }, NOW)
      )
    for (const wanted of [true, false]) {
      some(Arbitraries.recurringPeriods, (period) => taken(recurring(), period) === wanted)
      some(Arbitraries.nonRecurringPeriods, (period) => taken(terms(), period) === wanted)
    }
  })
})

describe("ICCIDs", () => {
  it("are as they say", () => {
    fc.assert(fc.property(Arbitraries.iccids, (iccid) => Iccid.parse(iccid) === iccid && Iccid.hasLuhnDigit(iccid)))
    fc.assert(fc.property(Arbitraries.paddedIccids, ({ iccid, written }) => Iccid.parse(written) === iccid))
    fc.assert(
      fc.property(
        Arbitraries.iccidsWithWrongCheckDigit,
        (iccid) => Iccid.parse(iccid) === iccid && !Iccid.hasLuhnDigit(iccid)
      )
    )
    fc.assert(fc.property(Arbitraries.invalidIccids, (text) => Iccid.parse(text) === undefined))
  })
})

describe("Regions", () => {
  const codes = ["SE", "NO", "FI"]

  it("that are valid are normalized; others are refused for their field", () => {
    const normalized = (wanted: Arbitraries.RegionRequest) =>
      Region.normalize({ organizationId: "organization", ...wanted })
    fc.assert(fc.property(Arbitraries.regionRequests(codes), (wanted) => Result.isSuccess(normalized(wanted))))
    fc.assert(
      fc.property(Arbitraries.invalidRegionRequests(codes), ({ field, wanted }) => {
        const refused = normalized(wanted)
        expect(Result.isFailure(refused) ? refused.failure.field : null).toBe(field)
      })
    )
  })
})

describe("Instants", () => {
  it("include ends of months, leap days, and neighbours a millisecond away", () => {
    fc.assert(fc.property(Arbitraries.monthEnds, (at) => new Date(at + DAY_MS).getUTCDate() === 1))
    fc.assert(fc.property(Arbitraries.leapDays, (at) => new Date(at).toISOString().slice(5, 10) === "02-29"))
    fc.assert(fc.property(Arbitraries.instants, (at) => Number.isInteger(at) && new Date(at).getUTCFullYear() >= 2024))
    for (const beside of [-1, 0, 1]) some(Arbitraries.around(NOW), (at) => at === NOW + beside)
    fc.assert(fc.property(Arbitraries.spans(50 * DAY_MS), (span) => span >= 1 && span <= 50 * DAY_MS))
  })
})

describe("Usage histories", () => {
  it("add up to the usage, in whatever form they are reported", () => {
    fc.assert(
      fc.property(Arbitraries.usageHistories(), ({ readings, arrivals }) => {
        const end = NOW + 40 * DAY_MS
        let present: ForReports = aggregate([attached({}, [{ activationAt: NOW, expirationAt: end }])])
        for (const index of arrivals) {
          const { after, totalBytes } = readings[index] ?? { after: 0, totalBytes: 0 }
          const one = report(total(totalBytes, "attachment:0"), NOW + after, `report ${index}`)
          const applied = TelcoReport.apply(present, one, end)
          if (Result.isSuccess(applied)) present = applied.success.aggregate
        }
        expect(present.attachments[0]?.packages[0]?.usedBytes).toBe(readings.at(-1)?.totalBytes)
      })
    )
  })

  it("have gaps, duplicates, and reports out of order", () => {
    const histories = Arbitraries.usageHistories()
    some(histories, ({ readings, arrivals }) => new Set(arrivals).size < readings.length)
    some(histories, ({ arrivals }) => new Set(arrivals).size < arrivals.length)
    some(histories, ({ arrivals }) => arrivals.some((index, at) => index < (arrivals[at - 1] ?? 0)))
  })
})
