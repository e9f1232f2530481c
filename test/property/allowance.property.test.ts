/**
 * Thresholds of allowances from the smallest to the largest (rules P1, R2 and U2): reached at an
 * exact byte, notified once and in order, in whatever steps the usage comes.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Allowance from "../../src/domain/Allowance.ts"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS } from "../domain/Calendar.ts"
import { attached, delta, aggregate, NOW, recurring, report, terms, total } from "../domain/Values.ts"

const levels = [50, 80, 100]
const megabytes = fc.oneof(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.constantFrom(1, 3, 1_024, 2 ** 31 - 1))

/** The least usage that reaches `percent` of an allowance. */
const firstByte = (dataMegaBytes: number, percent: number): number =>
  Number((BigInt(dataMegaBytes) * 1_048_576n * BigInt(percent) + 99n) / 100n)

/** An allowance and a usage: near the exact byte of a threshold, or any. */
const used = megabytes.chain((dataMegaBytes) =>
  fc.record({
    dataMegaBytes: fc.constant(dataMegaBytes),
    bytes: fc.oneof(
      fc
        .record({ percent: fc.constantFrom(...levels), beside: fc.integer({ min: -1, max: 1 }) })
        .map(({ beside, percent }) => firstByte(dataMegaBytes, percent) + beside),
      fc.integer({ min: 0, max: 3 * dataMegaBytes * 1_048_576 })
    )
  })
)

describe("Thresholds (R2)", () => {
  it("are crossed from their exact byte on, above the last one notified", () => {
    fc.assert(
      fc.property(used, fc.constantFrom(0, ...levels), ({ bytes, dataMegaBytes }, lastNotified) => {
        const expected = levels.filter((level) => level > lastNotified && firstByte(dataMegaBytes, level) <= bytes)
        expect(Allowance.crossed(terms({ dataMegaBytes }), lastNotified, bytes)).toEqual(expected)
        expect(Allowance.crossed(recurring({}, { dataMegaBytes }), lastNotified, bytes)).toEqual([])
      }),
      { numRuns: 2_000 }
    )
  })

  it("are notified with the report that crosses them, and its usage", () => {
    const amounts = fc.array(fc.record({ share: fc.integer({ min: 0, max: 60 }), asDelta: fc.boolean() }), {
      minLength: 1,
      maxLength: 8
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000 }), amounts, (dataMegaBytes, all) => {
        let present: ForReports = aggregate([
          attached({ terms: terms({ dataMegaBytes, alertThresholds: [] }) }, [
            { activationAt: NOW, expirationAt: NOW + DAY_MS }
          ])
        ])
        let sum = 0
        for (const { asDelta, share } of all) {
          const before = sum
          const amount = Math.floor((share * dataMegaBytes * 1_048_576) / 100)
          sum = asDelta ? sum + amount : Math.max(sum, amount)
          const fact = asDelta ? delta(amount) : total(amount)
          const applied = Result.getOrThrow(TelcoReport.apply(present, report(fact), NOW))
          const crossed = levels.filter((level) => {
            const byte = firstByte(dataMegaBytes, level)
            return before < byte && byte <= sum
          })
          expect(applied.payloads).toEqual(
            crossed.map((usagePercentage) => ({
              type: "attachment.allowanceConsumed",
              data: {
                usagePercentage,
                dataUsageBytes: sum,
                esim: present.sim.iccid,
                subscriptionId: "subscription",
                metadata: "first",
                planId: "plan",
                attachmentId: "attachment"
              }
            }))
          )
          present = applied.aggregate
        }
      }),
      { numRuns: 500 }
    )
  })

  it("of packages are those of the plan, each once and in order, whatever the reports (U2)", () => {
    const named = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 10 })
    const amounts = fc.array(fc.record({ share: fc.integer({ min: 0, max: 60 }), asDelta: fc.boolean() }), {
      maxLength: 8
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000_000 }),
        named,
        amounts,
        fc.boolean(),
        (megabytes, levels, all, recurs) => {
          const alertThresholds = levels.toSorted((left, right) => left - right)
          const granted = { dataMegaBytes: megabytes, alertThresholds }
          const begun = { activationAt: NOW, expirationAt: NOW + DAY_MS, occurrence: recurs ? 3 : 0 }
          const of = { terms: recurs ? recurring({}, granted) : terms(granted), anchor: recurs ? NOW : null }
          let present: ForReports = aggregate([attached(of, [begun])])
          const fired: Array<number> = []
          for (const { asDelta, share } of all) {
            const amount = Math.floor((share * megabytes * 1_048_576) / 100)
            const applied = Result.getOrThrow(
              TelcoReport.apply(present, report(asDelta ? delta(amount) : total(amount)), NOW)
            )
            present = applied.aggregate
            const usedBytes = present.attachments[0]?.packages[0]?.usedBytes ?? 0
            for (const { data, type } of applied.payloads) {
              if (type !== "package.allowanceConsumed") continue
              expect(data).toMatchObject({ dataUsageBytes: usedBytes, packageId: `attachment:${begun.occurrence}` })
              fired.push(data.usagePercentage)
            }
            expect(fired).toEqual(alertThresholds.filter((level) => firstByte(megabytes, level) <= usedBytes))
          }
        }
      ),
      { numRuns: 500 }
    )
  })
})
