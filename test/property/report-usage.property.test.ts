/**
 * Random telco reports (rules R1 to R3, and T3). Late, repeated and unordered running totals, locations and SM-DP+
 * states end in the same facts, and each event fires once.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import type { Payload } from "../../src/domain/WebhookEvent.ts"
import { DAY_MS } from "../domain/Calendar.ts"
import { attached, delta, firstUse, line, NOW, report, terms, total } from "../domain/Values.ts"
import { amounts, locations, smdpStates, totals } from "./Arbitraries.ts"

const small = terms({ dataMegaBytes: 1 })
const lasting = (telcoPackageId: string) => ({
  telcoPackageId,
  activationAt: NOW - 40 * DAY_MS,
  expirationAt: NOW + DAY_MS
})
const active = line([
  attached({ attachmentId: "a", terms: small }, [lasting("t-a")]),
  attached({ attachmentId: "b", terms: small }, [lasting("t-b")])
])
const waiting = line([attached({ terms: small }, [{}])])

interface Outcome {
  readonly line: ForReports
  readonly payloads: ReadonlyArray<Payload>
}

/** The result of applying the reports one by one. Rejected ones change nothing. */
const taken = (of: ForReports, reports: ReadonlyArray<TelcoReport.Report>): Outcome =>
  reports.reduce<Outcome>(
    (before, one) =>
      Result.match(TelcoReport.apply(before.line, one, NOW), {
        onFailure: () => before,
        onSuccess: ({ aggregate, payloads }) => ({ line: aggregate, payloads: [...before.payloads, ...payloads] })
      }),
    { line: of, payloads: [] }
  )

const past = fc.integer({ min: NOW - 30 * DAY_MS, max: NOW })

/** Reports of one kind at different instants, and the same reports in another order, some of them repeated. */
const shuffled = (fact: fc.Arbitrary<TelcoReport.Fact>) =>
  fc
    .uniqueArray(fc.record({ fact, at: past }), { selector: ({ at }) => at, minLength: 1, maxLength: 8 })
    .map((all) => all.map((one, index) => report(one.fact, one.at, `r-${index}`)))
    .chain((reports) =>
      fc
        .tuple(
          fc.shuffledSubarray(reports, { minLength: reports.length }),
          fc.array(fc.constantFrom(...reports), { maxLength: 4 })
        )
        .map(([once, more]) => ({ reports, mixed: [...once, ...more] }))
    )

const usage = (of: ForReports) => of.attachments.map(({ packages }) => packages.map(({ usedBytes }) => usedBytes))
const thresholdsOf = (payloads: ReadonlyArray<Payload>, attachmentId: string): ReadonlyArray<number> =>
  payloads.flatMap((one) =>
    one.type === "attachment.allowanceConsumed" && one.data.attachmentId === attachmentId
      ? [one.data.usagePercentage]
      : []
  )

const latest = (reports: ReadonlyArray<TelcoReport.Report>) =>
  reports.reduce<TelcoReport.Report | undefined>(
    (best, one) => (best === undefined || one.occurredAt > best.occurredAt ? one : best),
    undefined
  )

describe("Running totals in any order, and repeated (R1)", () => {
  const named = totals(fc.constantFrom("a:0", "t-a", "b:0", "t-b"))

  it("end with the highest one of each package", () => {
    fc.assert(
      fc.property(shuffled(named), ({ mixed, reports }) => {
        const highest = (of: string) =>
          reports.reduce((most, { fact }) => {
            if (fact._tag !== "Usage" || fact.packageId === null || !fact.packageId.includes(of)) return most
            return Math.max(most, fact.usage.bytes)
          }, 0)
        expect(usage(taken(active, mixed).line)).toEqual([[highest("a")], [highest("b")]])
      }),
      { numRuns: 500 }
    )
  })

  it("notify the same thresholds, each once and rising (R2)", () => {
    fc.assert(
      fc.property(shuffled(named), ({ mixed }) => {
        const after = taken(active, mixed)
        for (const [index, id] of ["a", "b"].entries()) {
          const used = usage(after.line)[index]?.[0] ?? 0
          // In whole numbers: 100 × the usage, compared with the percentage × 1,048,576 bytes.
          const reached = [50, 80, 100].filter((percent) => BigInt(used) * 100n >= BigInt(percent) * 1_048_576n)
          expect(thresholdsOf(after.payloads, id)).toEqual(reached)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("end with the same if the only active package is not named", () => {
    const one = line(active.attachments.slice(0, 1))
    fc.assert(
      fc.property(shuffled(totals(fc.constant(null))), ({ mixed, reports }) => {
        expect(usage(taken(one, mixed).line)).toEqual(usage(taken(one, reports).line))
      })
    )
  })
})

describe("Usage of either form", () => {
  const facts = fc.oneof(
    amounts.map((bytes) => total(bytes, "a:0")),
    amounts.map((bytes) => delta(bytes, "a:0"))
  )

  it("only rises, in whole bytes, and of no other package (R1)", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ fact: facts, at: past }), { maxLength: 10 }), (all) => {
        let before: ForReports = active
        let used = 0
        for (const { at, fact } of all) {
          before = taken(before, [report(fact, at)]).line
          const [[now] = [], other] = usage(before)
          expect(now).toBeGreaterThanOrEqual(used)
          expect(Number.isSafeInteger(now)).toBe(true)
          expect(other).toEqual([0])
          used = now ?? 0
        }
      })
    )
  })

  it("is the sum of the deltas, in any order (R1)", () => {
    const deltas = fc.nat(1_000_000).map((bytes) => delta(bytes, "a:0"))
    fc.assert(
      fc.property(shuffled(deltas), ({ mixed, reports }) => {
        const once = mixed.slice(0, reports.length)
        const sum = once.reduce((all, { fact }) => all + (fact._tag === "Usage" ? fact.usage.bytes : 0), 0)
        expect(usage(taken(active, once).line)).toEqual([[sum], [0]])
      })
    )
  })
})

describe("First use in any order, and repeated (T3)", () => {
  it("is the first one that was committed, for good", () => {
    const uses = fc.oneof(fc.constant(firstUse("attachment:0")), totals(fc.constant("attachment:0")))
    fc.assert(
      fc.property(shuffled(uses), ({ mixed }) => {
        const [pack] = taken(waiting, mixed).line.attachments[0]?.packages ?? []
        const activationAt = mixed[0]?.occurredAt ?? 0
        expect(pack).toMatchObject({ activationAt, expirationAt: activationAt + 10 * DAY_MS })
      })
    )
  })
})

describe("Locations in any order, and repeated (R3)", () => {
  it("end with the latest one", () => {
    fc.assert(
      fc.property(shuffled(locations), ({ mixed, reports }) => {
        const { sim } = taken(line(), mixed).line
        const last = latest(reports)
        expect(sim.location).toMatchObject({ at: last?.occurredAt })
        expect(last?.fact).toMatchObject({
          countryAlpha2: sim.location?.countryAlpha2,
          operator: sim.location?.operator
        })
        expect(sim.lastActivityAt).toBe(last?.occurredAt)
      }),
      { numRuns: 500 }
    )
  })

  it("cause a chain of events: each names the country before, and the last one names the current country", () => {
    fc.assert(
      fc.property(shuffled(locations), ({ mixed }) => {
        const after = taken(line(), mixed)
        let country: string | null = null
        for (const one of after.payloads) {
          expect(one).toMatchObject({
            type: "subscription.esim.locationChanged",
            data: { previousCountryIso2: country }
          })
          const next = one.type === "subscription.esim.locationChanged" ? one.data.countryIso2 : null
          expect(next).not.toBe(country)
          country = next
        }
        expect(country).toBe(after.line.sim.location?.countryAlpha2)
      })
    )
  })
})

describe("SM-DP+ states in any order, and repeated (I2, R3)", () => {
  it("end with the latest successful one, and show a download if there is one", () => {
    fc.assert(
      fc.property(shuffled(smdpStates), ({ mixed, reports }) => {
        const { sim } = taken(line(), mixed).line
        const successful = reports.filter(
          ({ fact }) => fact._tag === "SmdpState" && fact.modificationResult === "Success"
        )
        const last = latest(successful)
        expect(sim.downloaded).toBe(last !== undefined)
        if (last === undefined) expect(sim.smdp).toBeNull()
        else {
          expect(sim.smdp?.modifiedAt).toBe(last.occurredAt)
          expect(last.fact).toMatchObject({ state: sim.smdp?.state })
        }
      }),
      { numRuns: 500 }
    )
  })
})
