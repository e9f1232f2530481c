/**
 * Reports of usage and first use (rules R1, R2 and T3): usage only rises, each threshold is notified once, and the
 * first use activates a package for good.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Attachment from "../../src/domain/Attachment.ts"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { attached, delta, firstUse, GIGABYTE, ICCID, line, NOW, recurring, report, terms, total } from "./Values.ts"

const MINUTE_MS = HOUR_MS / 60

const active = line([attached({}, [{ activationAt: NOW - DAY_MS, expirationAt: NOW + DAY_MS }])])
const waiting = line([attached({}, [{}])])

const apply = (of: ForReports, fact: TelcoReport.Fact, occurredAt = NOW) =>
  Result.getOrThrow(TelcoReport.apply(of, report(fact, occurredAt), NOW))
const all = (of: ForReports, ...facts: ReadonlyArray<TelcoReport.Fact>): ForReports =>
  facts.reduce((before, fact) => apply(before, fact).aggregate, of)
const refused = (of: ForReports, fact: TelcoReport.Fact, occurredAt = NOW) =>
  Result.getOrThrow(Result.flip(TelcoReport.apply(of, report(fact, occurredAt), NOW)))
const used = (of: ForReports) => of.attachments[0]?.packages[0]?.usedBytes
const times = (of: ForReports) => {
  const pack = of.attachments[0]?.packages[0]
  return [pack?.activationAt, pack?.expirationAt]
}

describe("Usage only rises (R1)", () => {
  it("to the highest running total, in any order", () => {
    expect(used(all(active, total(100)))).toBe(100)
    expect(used(all(active, total(100), total(300), total(200), total(0)))).toBe(300)
  })

  it("by each delta", () => {
    expect(used(all(active, delta(100), delta(300), delta(0)))).toBe(400)
    expect(used(all(active, delta(100), total(50), delta(1)))).toBe(101)
    expect(used(all(active, total(Number.MAX_SAFE_INTEGER), delta(1)))).toBe(Number.MAX_SAFE_INTEGER)
  })

  it("of no other package", () => {
    const other = attached({ attachmentId: "other" }, [{ activationAt: NOW - 1, expirationAt: NOW + 99 * DAY_MS }])
    const { attachments } = apply({ ...active, attachments: [...active.attachments, other] }, total(9)).aggregate
    expect(attachments[1]).toEqual(other)
  })
})

describe("Usage is a whole number of bytes (R1)", () => {
  it("and any other value is rejected, alone", () => {
    for (const bytes of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      for (const fact of [total(bytes), delta(bytes)]) {
        expect(Result.isFailure(TelcoReport.apply(active, report(fact), NOW))).toBe(true)
      }
    }
  })
})

describe("A report id (R1)", () => {
  it("has at most 255 characters, and a longer one is rejected alone", () => {
    const withId = (length: number) => ({ ...report(total(1)), reportId: "x".repeat(length) })
    expect(Result.isSuccess(TelcoReport.apply(active, withId(255), NOW))).toBe(true)
    expect(Result.isFailure(TelcoReport.apply(active, withId(256), NOW))).toBe(true)
  })
})

describe("A use is a sign of a download and of activity (S2, R3)", () => {
  it.each([total(0), delta(0), firstUse()])("%j", (fact) => {
    expect(apply(waiting, fact, NOW - 5).aggregate.sim).toMatchObject({ downloaded: true, lastActivityAt: NOW - 5 })
  })

  it("the last activity is the latest, also if an older one is reported later", () => {
    const before = line(active.attachments, { lastActivityAt: NOW - 3 })
    expect(apply(before, total(1), NOW - 5).aggregate.sim.lastActivityAt).toBe(NOW - 3)
    expect(apply(before, total(1), NOW - 1).aggregate.sim.lastActivityAt).toBe(NOW - 1)
  })
})

describe("Thresholds are notified (R2)", () => {
  const payload = (usagePercentage: number, dataUsageBytes: number) => ({
    type: "attachment.allowanceConsumed",
    data: { usagePercentage, dataUsageBytes, esim: ICCID, planId: "plan", attachmentId: "attachment" }
  })

  it("all that a report crosses, in order, with the usage", () => {
    expect(apply(active, total(GIGABYTE)).payloads).toEqual(
      [50, 80, 100].map((threshold) => payload(threshold, GIGABYTE))
    )
  })

  it("each once, also if the usage is reported again or rises further", () => {
    const half = apply(active, total(GIGABYTE / 2))
    expect(half.payloads).toEqual([payload(50, GIGABYTE / 2)])
    expect(apply(half.aggregate, total(GIGABYTE / 2)).payloads).toEqual([])
    expect(apply(half.aggregate, total(1)).payloads).toEqual([])
    const most = apply(half.aggregate, delta(Math.ceil(0.4 * GIGABYTE)))
    expect(most.payloads.map(({ data }) => "usagePercentage" in data && data.usagePercentage)).toEqual([80])
    expect(apply(all(most.aggregate, total(2 * GIGABYTE)), total(9 * GIGABYTE)).payloads).toEqual([])
  })

  it("for deltas as for totals", () => {
    expect(apply(all(active, delta(GIGABYTE / 2 - 1)), delta(1)).payloads).toEqual([payload(50, GIGABYTE / 2)])
  })

  it("not for a recurring plan", () => {
    const recurs = attached({ terms: recurring(), anchor: NOW }, [{ activationAt: NOW, expirationAt: NOW + DAY_MS }])
    expect(apply(line([recurs]), total(9 * GIGABYTE)).payloads).toEqual([])
  })
})

describe("The first use activates (T3)", () => {
  it.each([total(0), total(7), delta(7), firstUse(), firstUse("attachment:0"), total(1, "telco-0")])(
    "by %j",
    (fact) => {
      expect(times(apply(waiting, fact, NOW - 5).aggregate)).toEqual([NOW - 5, NOW - 5 + 10 * DAY_MS])
    }
  )

  it("once and for good: another one changes nothing, whether it is earlier or later", () => {
    const first = apply(waiting, firstUse(), NOW).aggregate
    for (const occurredAt of [NOW - DAY_MS, NOW + 1]) {
      expect(times(apply(first, firstUse("attachment:0"), occurredAt).aggregate)).toEqual([NOW, NOW + 10 * DAY_MS])
      expect(times(apply(first, total(1, "attachment:0"), occurredAt).aggregate)).toEqual([NOW, NOW + 10 * DAY_MS])
    }
  })

  it("not a package that has an activation already, even one in the future", () => {
    const ahead = line([attached({}, [{ activationAt: NOW + 5, expirationAt: NOW + 9 }])])
    expect(times(apply(ahead, total(1, "attachment:0")).aggregate)).toEqual([NOW + 5, NOW + 9])
  })

  it("leaves no job if the plan does not recur", () => {
    expect(apply(waiting, firstUse()).jobs).toEqual([])
  })

  it("T5: anchors a recurring attachment, and leaves the job of its second package", () => {
    const recurs = line([
      attached({ terms: recurring({ occurrences: 3 }, { periodDays: 2 }), createdAt: NOW - DAY_MS }, [{}])
    ])
    const { jobs, aggregate: after } = apply(recurs, total(5), NOW - HOUR_MS)
    expect(after.attachments[0]?.attachment.anchor).toBe(NOW - HOUR_MS)
    expect(times(after)).toEqual([NOW - HOUR_MS, NOW - HOUR_MS + 2 * DAY_MS])
    expect(jobs).toMatchObject([{ jobId: "attachment:1", dueAt: NOW + 11 * HOUR_MS }])
    expect(apply(after, total(6)).jobs).toEqual([])
    expect(apply(after, firstUse("attachment:0")).jobs).toEqual([])
  })

  it("T5: the last package leaves no job", () => {
    const once = line([attached({ terms: recurring({ occurrences: 1 }) }, [{}])])
    expect(apply(once, firstUse()).jobs).toEqual([])
  })

  it("T2: the attachment is ACTIVE, or EXPIRED if the report is very late", () => {
    const stateAfter = (occurredAt: number) =>
      apply(waiting, firstUse("attachment:0"), occurredAt).aggregate.attachments.map(({ attachment, packages }) =>
        Attachment.state({ attachment: { ...attached().attachment, ...attachment, terms: terms() }, packages }, NOW)
      )
    expect(stateAfter(NOW)).toEqual(["ACTIVE"])
    expect(stateAfter(NOW - 10 * DAY_MS + 1)).toEqual(["ACTIVE"])
    expect(stateAfter(NOW - 10 * DAY_MS)).toEqual(["EXPIRED"])
  })

  it("R1: an older report activates an attachment only if it names the package", () => {
    expect(refused(waiting, firstUse(), NOW - 5 * MINUTE_MS - 1)).toBe(
      "the SIM has no package that this could count for"
    )
    expect(refused(waiting, total(5), NOW - 5 * MINUTE_MS - 1)).toBe("the SIM has no package that this could count for")
    expect(times(apply(waiting, firstUse(), NOW - 5 * MINUTE_MS).aggregate)[0]).toBe(NOW - 5 * MINUTE_MS)
    expect(times(apply(waiting, firstUse("attachment:0"), NOW - DAY_MS).aggregate)[0]).toBe(NOW - DAY_MS)
  })

  it("R2: and notifies the thresholds that it crosses", () => {
    const small = line([attached({ terms: terms({ dataMegaBytes: 1 }) }, [{}])])
    expect(apply(small, total(1_048_576)).payloads).toHaveLength(3)
  })
})
