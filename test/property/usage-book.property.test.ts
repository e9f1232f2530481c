/**
 * Random reports of usage and locations (rule U1): late, repeated and out of order, over midnight,
 * with and without a country. The days of each package sum to what it has used, and usage is in the
 * country where the SIM was last seen by then.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import * as UsageBook from "../../src/domain/UsageBook.ts"
import { DAY_MS, MINUTE_MS } from "../domain/Calendar.ts"
import { aggregate, attached, NOW, report, seenIn } from "../domain/Values.ts"

const lasting = { activationAt: NOW - 40 * DAY_MS, expirationAt: NOW + DAY_MS }

const service = aggregate([
  attached({ attachmentId: "a", createdAt: NOW - 50 * DAY_MS }, [{ ...lasting, attachmentId: "a" }]),
  attached({ attachmentId: "b", createdAt: NOW - 50 * DAY_MS }, [{ ...lasting, attachmentId: "b" }])
])

const countries: fc.Arbitrary<string> = fc.constantFrom("SE", "NO", "FI")

const usages: fc.Arbitrary<TelcoReport.Fact> = fc.record({
  _tag: fc.constant("Usage"),
  packageId: fc.constantFrom(null, "a:0", "b:0"),
  usage: fc.record({ _tag: fc.constantFrom("Total", "Delta"), bytes: fc.nat({ max: 5_000 }) }),
  countryAlpha2: fc.constantFrom(null, "SE", "NO", "FI")
})

const ages = fc.oneof(
  fc.integer({ min: -5 * MINUTE_MS, max: 34 * DAY_MS }),
  fc.nat({ max: 33 }).map((days) => days * DAY_MS + (NOW % DAY_MS)),
  fc.nat({ max: 33 }).map((days) => days * DAY_MS + (NOW % DAY_MS) + 1)
)

const reports = fc.array(
  fc.record({
    fact: fc.oneof(
      { weight: 3, arbitrary: usages },
      countries.map((one) => seenIn(one))
    ),
    age: ages
  }),
  { maxLength: 30 }
)

const run = (asked: ReadonlyArray<TelcoReport.Report>) => {
  let now: ForReports = service
  const entries: Array<UsageBook.Entry> = []
  const seen = new Set<string>()
  for (const one of asked) {
    if (seen.has(one.reportId)) continue
    seen.add(one.reportId)
    const applied = Result.getOrThrow(TelcoReport.apply(now, one, NOW))
    now = applied.aggregate
    entries.push(...applied.usage)
  }
  return { now, entries }
}

const entries: fc.Arbitrary<ReadonlyArray<UsageBook.Entry & { readonly day: number }>> = fc.array(
  fc.record({
    organizationId: fc.constant("o"),
    iccid: fc.constantFrom("1", "2"),
    attachmentId: fc.constantFrom("a", "b"),
    planId: fc.constantFrom("p", "q r", "q"),
    label: fc.constantFrom("Green", "Blue"),
    day: fc.nat({ max: 70 }).map((days) => UsageBook.dayOf(NOW) - days * DAY_MS),
    countryAlpha2: fc.constantFrom(null, "SE", "NO"),
    bytes: fc.integer({ min: 1, max: 9 })
  }),
  { maxLength: 40 }
)

/** What a total says of a group. */
const fields = { day: "day", month: "month", country: "countryAlpha2", plan: "planId", label: "label" } as const

describe("The totals of an organization (U1)", () => {
  const groupings = fc.constantFrom(...UsageBook.totalGroupings)

  it("sum to the totals by fewer groups, and by months in place of days", () => {
    fc.assert(
      fc.property(entries, groupings, groupings, (all, finer, coarser) => {
        fc.pre(coarser.every((group) => finer.includes(group) || (group === "month" && finer.includes("day"))))
        const sums = new Map<string, number>()
        for (const total of UsageBook.totals(all, finer)) {
          const { bytes, day } = total
          const of = day === undefined ? total : { ...total, month: UsageBook.monthOf(day) }
          const key = JSON.stringify(coarser.map((group) => of[fields[group]]))
          sums.set(key, (sums.get(key) ?? 0) + bytes)
        }
        const found = UsageBook.totals(all, coarser).map((total) => {
          return [JSON.stringify(coarser.map((group) => total[fields[group]])), total.bytes] as const
        })
        expect(new Map(found)).toEqual(sums)
        expect(found).toHaveLength(sums.size)
      }),
      { numRuns: 2_000 }
    )
  })

  it("have what they are by and nothing else, each once and in their order", () => {
    fc.assert(
      fc.property(entries, groupings, (all, by) => {
        const found = UsageBook.totals(all, by)
        for (const [at, total] of found.entries()) {
          expect(Object.keys(total)).toEqual([...by.map((group) => fields[group]), "bytes"])
          const before = found[at - 1]
          if (before !== undefined) expect(UsageBook.compareTotals(before, total)).toBe(-1)
          const { day, month } = total
          const end = UsageBook.endOf(total)
          if (day !== undefined) expect([total.day, end]).toEqual([UsageBook.dayOf(day), day + DAY_MS])
          if (month === undefined || end === undefined) continue
          expect([UsageBook.monthOf(month), UsageBook.monthOf(end - 1), UsageBook.monthOf(end)]).toEqual([
            month,
            month,
            end
          ])
        }
        const order = found.map(({ countryAlpha2, day, month }) => `${day ?? month ?? ""} ${countryAlpha2 ?? ""}`)
        expect(order).toEqual(order.toSorted())
        expect(found.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(all.reduce((sum, { bytes }) => sum + bytes, 0))
      }),
      { numRuns: 1_000 }
    )
  })

  it("are by SIMs alone, or by any of the other groups, of which a day or a month is one", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...UsageBook.organizationGroups), { maxLength: 6 }), (by) => {
        const named = new Set(by)
        const isOfSims = named.has("sim")
        const isOne = isOfSims ? named.size === 1 : named.size > 0 && !(named.has("day") && named.has("month"))
        const found = Result.getOrUndefined(UsageBook.grouping(by))
        expect(found).toEqual(
          isOne ? (isOfSims ? "sim" : UsageBook.totalGroups.filter((group) => named.has(group))) : undefined
        )
      })
    )
    expect(UsageBook.totalGroupings).toHaveLength(23)
  })
})

describe("The book of usage (U1)", () => {
  it("has what each package has used, however reports come", () => {
    fc.assert(
      fc.property(reports, fc.array(fc.nat({ max: 29 })), (all, again) => {
        const asked = all.map(({ age, fact }, index) => report(fact, NOW - age, `report-${index}`))
        const repeated = again.flatMap((index) => asked[index] ?? [])
        const { entries, now } = run([...asked, ...repeated])
        const merged = UsageBook.merged(entries)
        for (const { attachment, packages } of now.attachments) {
          const own = merged.filter(({ attachmentId }) => attachmentId === attachment.attachmentId)
          const booked = own.reduce((sum, { bytes }) => sum + bytes, 0)
          expect(booked).toBe(packages.reduce((sum, { usedBytes }) => sum + usedBytes, 0))
        }
        expect(merged.every(({ bytes, day }) => bytes > 0 && day !== null && day % DAY_MS === 0)).toBe(true)
        const keys = merged.map(({ attachmentId, countryAlpha2, day }) => `${attachmentId} ${day} ${countryAlpha2}`)
        expect(new Set(keys).size).toBe(keys.length)
      }),
      { numRuns: 2_000 }
    )
  })

  it("has usage where the SIM was last seen, if reports come in order", () => {
    fc.assert(
      fc.property(reports, (all) => {
        const ordered = all
          .map(({ age, fact }, index) => report(fact, NOW - age, `report-${index}`))
          .sort((left, right) => left.occurredAt - right.occurredAt)
        let now: ForReports = service
        let country: string | null = null
        for (const one of ordered) {
          const applied = Result.getOrThrow(TelcoReport.apply(now, one, NOW))
          if (one.fact._tag === "Location") country = one.fact.countryAlpha2
          const own = one.fact._tag === "Usage" ? one.fact.countryAlpha2 : null
          for (const entry of applied.usage) {
            expect(entry.countryAlpha2).toBe(own ?? country)
            expect(entry.day).toBe(Math.floor(one.occurredAt / DAY_MS) * DAY_MS)
          }
          now = applied.aggregate
        }
      }),
      { numRuns: 1_000 }
    )
  })

  it("has usage that is reported late where the SIM was then, if it was in at most eight countries since", () => {
    fc.assert(
      fc.property(fc.array(countries, { maxLength: 7 }), fc.nat({ max: 70 }), (seen, minutes) => {
        const places = seen.map((one, index) => report(seenIn(one), NOW - (60 - 10 * index) * MINUTE_MS, `l-${index}`))
        const at = NOW - minutes * MINUTE_MS
        const late: TelcoReport.Fact = { _tag: "Usage", packageId: "a:0", usage: { _tag: "Delta", bytes: 1 } }
        const { entries } = run([...places, report(late, at, "late")])
        const expected = places.filter(({ occurredAt }) => occurredAt <= at).at(-1)
        expect(entries.map(({ countryAlpha2 }) => countryAlpha2)).toEqual([
          expected?.fact._tag === "Location" ? expected.fact.countryAlpha2 : null
        ])
      })
    )
  })
})
