/**
 * Reports of the telco: which are rejected, and which package one counts for (rule R1). Usage only
 * rises, each threshold is notified once (rules R2 and U2), and the first use activates a package
 * for good (rule T3); a changed location or state causes an event, and no report moves a fact
 * backwards (rule R3).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { SimAggregate, ForReports } from "../../src/domain/SimAggregate.ts"
import type { Package } from "../../src/domain/Package.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, MINUTE_MS, HOUR_MS } from "./Calendar.ts"
import {
  attached,
  delta,
  firstUse,
  aggregate,
  NOW,
  recurring,
  report,
  seenIn,
  total,
  GIGABYTE,
  ICCID,
  terms
} from "./Values.ts"
import * as Attachment from "../../src/domain/Attachment.ts"
import type { State } from "../../src/domain/SmdpHistory.ts"

const lasting = (activationAt: number, expirationAt: number, changes: Partial<Package> = {}) => ({
  activationAt,
  expirationAt,
  ...changes
})

const state = (to: State, modificationResult = "Success"): TelcoReport.Fact => ({
  _tag: "SmdpState",
  state: to,
  modificationResult
})
/**
 * The attachment and occurrence whose package the report changed; `rejected` if it was rejected.
 */
const routed = (of: SimAggregate, fact: TelcoReport.Fact, occurredAt = NOW): string => {
  const applied = TelcoReport.apply(of, report(fact, occurredAt), NOW)
  if (Result.isFailure(applied)) return "rejected"
  const before = of.attachments.flatMap(({ packages }) => packages)
  const changed = applied.success.aggregate.attachments
    .flatMap(({ packages }) => packages)
    .filter((pack, index) => pack.usedBytes !== before[index]?.usedBytes)
  return changed.map(({ attachmentId, occurrence }) => `${attachmentId}:${occurrence}`).join()
}

describe("A report that names a package counts for it (R1)", () => {
  const of = aggregate([
    attached({ attachmentId: "a" }, [lasting(NOW - DAY_MS, NOW + DAY_MS, { telcoPackageId: "telco-a" })]),
    attached({ attachmentId: "b", terms: recurring(), anchor: NOW }, [
      lasting(NOW, NOW + DAY_MS, { telcoPackageId: "telco-b0" }),
      lasting(NOW + DAY_MS, NOW + 2 * DAY_MS, { occurrence: 1, telcoPackageId: "telco-b1" })
    ])
  ])

  it.each([
    ["a:0", "a:0"],
    ["b:0", "b:0"],
    ["b:1", "b:1"],
    ["telco-a", "a:0"],
    ["telco-b1", "b:1"]
  ])("%s is %s", (named, expected) => {
    expect(routed(of, total(5, named))).toBe(expected)
  })

  it("also if its id, which telcos store as they like, is in capitals (I13)", () => {
    const attachmentId = "019bab1c-0b80-7000-8000-00000000000a"
    const named = aggregate([attached({ attachmentId }, [lasting(NOW - DAY_MS, NOW + DAY_MS)])])
    expect(routed(named, total(5, `${attachmentId.toUpperCase()}:0`))).toBe(`${attachmentId}:0`)
  })

  it("also before the package begins and after it has expired", () => {
    expect(routed(of, total(5, "b:1"), NOW - 99 * DAY_MS)).toBe("b:1")
    expect(routed(of, total(5, "a:0"), NOW - 99 * DAY_MS)).toBe("a:0")
    const expired = aggregate([attached({}, [lasting(NOW - 2 * DAY_MS, NOW - DAY_MS)])])
    expect(routed(expired, total(5, "attachment:0"))).toBe("attachment:0")
  })

  it("also if its attachment is suspended", () => {
    const suspended = aggregate([attached({ suspendedAt: NOW - DAY_MS }, [lasting(NOW - 2 * DAY_MS, NOW + DAY_MS)])])
    expect(routed(suspended, total(5, "attachment:0"))).toBe("attachment:0")
  })

  it.each(["a:1", "b:2", "a", "telco", "", "c:0"])("and is rejected if the SIM has no package %j", (named) => {
    expect(routed(of, total(5, named))).toBe("rejected")
  })

  it("or if the package was refused, lapsed or is not confirmed yet (S5)", () => {
    for (const status of ["Refused", "Lapsed"] as const) {
      const ended = aggregate([attached({}, [lasting(NOW, NOW + 1, { status })])])
      expect(routed(ended, total(5, "attachment:0"))).toBe("rejected")
    }
    expect(routed(aggregate([attached({ confirmed: false }, [{}])]), total(5, "attachment:0"))).toBe("rejected")
  })
})

describe("A report that names no package (R1)", () => {
  const short = attached({ attachmentId: "short" }, [lasting(NOW - DAY_MS, NOW + HOUR_MS)])
  const long = attached({ attachmentId: "long" }, [lasting(NOW - DAY_MS, NOW + DAY_MS)])
  const older = attached({ attachmentId: "older" }, [{}])
  const newer = attached({ attachmentId: "newer" }, [{}])

  it("counts for the active package that expires first", () => {
    expect(routed(aggregate([long, short]), total(5))).toBe("short:0")
    expect(routed(aggregate([short, long]), total(5))).toBe("short:0")
    expect(routed(aggregate([older, long, short]), total(5))).toBe("short:0")
  })

  it("counts for the package that was active then, from its first millisecond to its end", () => {
    const of = aggregate([
      attached({ attachmentId: "first" }, [lasting(NOW - 2 * HOUR_MS, NOW - HOUR_MS)]),
      attached({ attachmentId: "second" }, [lasting(NOW - HOUR_MS, NOW)])
    ])
    expect(routed(of, total(5), NOW - 2 * HOUR_MS - 1)).toBe("rejected")
    expect(routed(of, total(5), NOW - 2 * HOUR_MS)).toBe("first:0")
    expect(routed(of, total(5), NOW - HOUR_MS - 1)).toBe("first:0")
    expect(routed(of, total(5), NOW - HOUR_MS)).toBe("second:0")
    expect(routed(of, total(5), NOW - 1)).toBe("second:0")
    expect(routed(of, total(5), NOW)).toBe("rejected")
  })

  it("counts for the occurrence that was active then", () => {
    const days = [0, 1, 2].map((occurrence) => ({
      occurrence,
      ...lasting(NOW + (occurrence - 2) * DAY_MS, NOW + (occurrence - 1) * DAY_MS)
    }))
    const of = aggregate([attached({ terms: recurring(), anchor: NOW - 2 * DAY_MS }, days)])
    expect(routed(of, total(5), NOW - DAY_MS - 1)).toBe("attachment:0")
    expect(routed(of, total(5), NOW - DAY_MS)).toBe("attachment:1")
    expect(routed(of, total(5), NOW)).toBe("attachment:2")
  })

  it("otherwise counts for the oldest package that waits for its first use", () => {
    expect(routed(aggregate([older, newer]), total(5))).toBe("older:0")
    expect(routed(aggregate([attached({}, [lasting(NOW - 2, NOW)]), older, newer]), delta(5))).toBe("older:0")
  })

  it("otherwise is rejected", () => {
    expect(routed(aggregate(), total(5))).toBe("rejected")
    expect(routed(aggregate([attached({}, [lasting(NOW + 1, NOW + 2)])]), total(5))).toBe("rejected")
    expect(routed(aggregate([attached({ confirmed: false }, [{}])]), total(5))).toBe("rejected")
  })

  it("T7: does not count for an attachment that was suspended before", () => {
    const suspended = attached({ attachmentId: "stopped", suspendedAt: NOW }, [lasting(NOW - DAY_MS, NOW + HOUR_MS)])
    expect(routed(aggregate([suspended, long]), total(5), NOW)).toBe("long:0")
    expect(routed(aggregate([suspended, long]), total(5), NOW - 1)).toBe("stopped:0")
  })
})

describe("A first use counts for a waiting package first (T3)", () => {
  const used = (of: SimAggregate, occurredAt = NOW) =>
    Result.getOrThrow(TelcoReport.apply(of, report(firstUse(), occurredAt), NOW)).aggregate.attachments.map(
      ({ packages }) => packages[0]?.activationAt
    )

  it("for the oldest one, also while another package is active", () => {
    const active = attached({ attachmentId: "active" }, [lasting(NOW - DAY_MS, NOW + DAY_MS)])
    const waiting = [attached({ attachmentId: "w1" }, [{}]), attached({ attachmentId: "w2" }, [{}])]
    expect(used(aggregate([active, ...waiting]))).toEqual([NOW - DAY_MS, NOW, null])
  })
})

describe("A report is rejected for its time (R1)", () => {
  const of = aggregate([attached({}, [lasting(NOW - 99 * DAY_MS, NOW + DAY_MS)])])
  const taken = (fact: TelcoReport.Fact, occurredAt: number) =>
    Result.isSuccess(TelcoReport.apply(of, report(fact, occurredAt), NOW))

  it("if it is more than 5 minutes ahead of the clock", () => {
    for (const fact of [total(5), delta(5), firstUse("attachment:0"), seenIn("SE"), state("Enable")]) {
      expect(taken(fact, NOW + 5 * MINUTE_MS)).toBe(true)
      expect(taken(fact, NOW + 5 * MINUTE_MS + 1)).toBe(false)
    }
  })

  it("if it is a delta that is older than 35 days", () => {
    expect(taken(delta(5), NOW - 35 * DAY_MS)).toBe(true)
    expect(taken(delta(5), NOW - 35 * DAY_MS - 1)).toBe(false)
    for (const fact of [total(5), firstUse("attachment:0"), seenIn("SE"), state("Enable")]) {
      expect(taken(fact, NOW - 90 * DAY_MS)).toBe(true)
    }
  })
})

describe("A delta that comes twice (R1)", () => {
  const of = aggregate([attached({}, [lasting(NOW - 99 * DAY_MS, NOW + 99 * DAY_MS)])])

  it("is too old when its id is forgotten, even if it first came ahead of the clock", () => {
    for (const ahead of [-DAY_MS, 0, 5 * MINUTE_MS]) {
      const once = report(delta(5), NOW + ahead)
      expect(Result.isSuccess(TelcoReport.apply(of, once, NOW))).toBe(true)
      expect(Result.isSuccess(TelcoReport.apply(of, once, NOW + TelcoReport.ID_RETENTION + 1))).toBe(false)
    }
  })
})

describe("The ids that reports may repeat (R1)", () => {
  const since = (...occurredAt: ReadonlyArray<number>) =>
    NOW -
    TelcoReport.seenSince(
      occurredAt.map((at) => report(total(5), at)),
      NOW
    )

  it("are those of a day, or since 5 minutes before the earliest of them occurred, and of 35 days at most", () => {
    expect(since()).toBe(DAY_MS)
    expect(since(NOW, NOW + 5 * MINUTE_MS)).toBe(DAY_MS)
    expect(since(NOW - DAY_MS + 5 * MINUTE_MS)).toBe(DAY_MS)
    expect(since(NOW, NOW - 3 * DAY_MS, NOW)).toBe(3 * DAY_MS + 5 * MINUTE_MS)
    expect(TelcoReport.seenUntil(NOW)).toBe(NOW + DAY_MS)
    expect(since(NOW - 35 * DAY_MS)).toBe(TelcoReport.ID_RETENTION)
    expect(since(NOW - 90 * DAY_MS)).toBe(TelcoReport.ID_RETENTION)
  })

  it("are kept by whole UTC days", () => {
    const kept = TelcoReport.keptFrom(NOW)
    expect(kept % DAY_MS).toBe(0)
    expect(NOW - TelcoReport.ID_RETENTION - kept).toBeGreaterThanOrEqual(0)
    expect(NOW - TelcoReport.ID_RETENTION - kept).toBeLessThan(DAY_MS)
    expect(TelcoReport.keptFrom(kept + DAY_MS + TelcoReport.ID_RETENTION)).toBe(kept + DAY_MS)
    expect(TelcoReport.keptFrom(kept + DAY_MS + TelcoReport.ID_RETENTION - 1)).toBe(kept)
  })
})

const active = aggregate([attached({}, [{ activationAt: NOW - DAY_MS, expirationAt: NOW + DAY_MS }])])
const waiting = aggregate([attached({}, [{}])])

const apply = (of: ForReports, fact: TelcoReport.Fact, occurredAt = NOW, id = "report") =>
  Result.getOrThrow(TelcoReport.apply(of, report(fact, occurredAt, id), NOW))
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

  it("in whole bytes: any other value is rejected, alone", () => {
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
    const before = aggregate(active.attachments, { lastActivityAt: NOW - 3 })
    expect(apply(before, total(1), NOW - 5).aggregate.sim.lastActivityAt).toBe(NOW - 3)
    expect(apply(before, total(1), NOW - 1).aggregate.sim.lastActivityAt).toBe(NOW - 1)
  })
})

/** The events of the type that a report causes. */
const owner = { subscriptionId: "subscription", metadata: "first" }

const ofType = ({ payloads }: TelcoReport.Applied, type: string) => payloads.filter((one) => one.type === type)

const notified = (applied: TelcoReport.Applied) => ofType(applied, "attachment.allowanceConsumed")

describe("Thresholds are notified (R2)", () => {
  const payload = (usagePercentage: number, dataUsageBytes: number) => ({
    type: "attachment.allowanceConsumed",
    data: { usagePercentage, dataUsageBytes, esim: ICCID, planId: "plan", attachmentId: "attachment", ...owner }
  })

  it("all that a report crosses, in order, with the usage", () => {
    const crossed = [50, 80, 100].map((threshold) => payload(threshold, GIGABYTE))
    expect(notified(apply(active, total(GIGABYTE)))).toEqual(crossed)
  })

  it("each once, also if the usage is reported again or rises further", () => {
    const half = apply(active, total(GIGABYTE / 2))
    expect(notified(half)).toEqual([payload(50, GIGABYTE / 2)])
    expect(notified(apply(half.aggregate, total(GIGABYTE / 2)))).toEqual([])
    expect(notified(apply(half.aggregate, total(1)))).toEqual([])
    const most = apply(half.aggregate, delta(Math.ceil(0.4 * GIGABYTE)))
    expect(notified(most).map(({ data }) => "usagePercentage" in data && data.usagePercentage)).toEqual([80])
    expect(notified(apply(all(most.aggregate, total(2 * GIGABYTE)), total(9 * GIGABYTE)))).toEqual([])
  })

  it("for deltas as for totals", () => {
    expect(notified(apply(all(active, delta(GIGABYTE / 2 - 1)), delta(1)))).toEqual([payload(50, GIGABYTE / 2)])
  })

  it("not for a recurring plan", () => {
    const recurs = attached({ terms: recurring(), anchor: NOW }, [{ activationAt: NOW, expirationAt: NOW + DAY_MS }])
    expect(notified(apply(aggregate([recurs]), total(9 * GIGABYTE)))).toEqual([])
  })
})

describe("Percentages of packages are notified (U2)", () => {
  const alerts = (of: SimAggregate, fact: TelcoReport.Fact) => ofType(apply(of, fact), "package.allowanceConsumed")

  it("of a recurring plan too, those that the plan names, for each package by itself", () => {
    const changes = { dataMegaBytes: 1_024, alertThresholds: [25, 90] }
    const recurs = attached({ terms: recurring({}, changes), anchor: NOW - DAY_MS }, [
      { activationAt: NOW - DAY_MS, expirationAt: NOW, usedBytes: GIGABYTE },
      { occurrence: 1, activationAt: NOW, expirationAt: NOW + DAY_MS }
    ])
    const data = {
      dataUsageBytes: GIGABYTE,
      esim: ICCID,
      planId: "plan",
      attachmentId: "attachment",
      ...owner,
      packageId: "attachment:1"
    }
    expect(alerts(aggregate([recurs]), total(GIGABYTE))).toEqual(
      [25, 90].map((usagePercentage) => ({
        type: "package.allowanceConsumed",
        data: { usagePercentage, ...data }
      }))
    )
    expect(alerts(aggregate([recurs]), total(GIGABYTE, "attachment:0"))).toEqual([])
  })

  it("beside the thresholds of the attachment, which come first", () => {
    const types = apply(active, total(GIGABYTE / 2)).payloads.map(({ type }) => type)
    expect(types).toEqual(["attachment.allowanceConsumed", "package.allowanceConsumed"])
  })

  it("not by a first use", () => {
    expect(alerts(active, firstUse())).toEqual([])
  })
})

describe("The first use activates (T3)", () => {
  it("and leaves what was used already (R1)", () => {
    const used = apply(active, total(5)).aggregate
    const { attachments } = apply(used, firstUse("attachment:0")).aggregate
    expect(attachments.flatMap(({ packages }) => packages.map(({ usedBytes }) => usedBytes))).toEqual([5])
  })

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
    const ahead = aggregate([attached({}, [{ activationAt: NOW + 5, expirationAt: NOW + 9 }])])
    expect(times(apply(ahead, total(1, "attachment:0")).aggregate)).toEqual([NOW + 5, NOW + 9])
  })

  it("leaves no job if the plan does not recur", () => {
    expect(apply(waiting, firstUse()).jobs).toEqual([])
  })

  it("T5: anchors a recurring attachment, and leaves the job of its second package", () => {
    const recurs = aggregate([
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
    const once = aggregate([attached({ terms: recurring({ occurrences: 1 }) }, [{}])])
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
    for (const fact of [firstUse(), total(5)]) {
      expect(refused(waiting, fact, NOW - 5 * MINUTE_MS - 1)).toMatchObject({
        message: "the SIM has no package that this could count for"
      })
    }
    expect(times(apply(waiting, firstUse(), NOW - 5 * MINUTE_MS).aggregate)[0]).toBe(NOW - 5 * MINUTE_MS)
    expect(times(apply(waiting, firstUse("attachment:0"), NOW - DAY_MS).aggregate)[0]).toBe(NOW - DAY_MS)
  })

  it("R2: and notifies the thresholds that it crosses", () => {
    const small = aggregate([attached({ terms: terms({ dataMegaBytes: 1 }) }, [{}])])
    expect(notified(apply(small, total(1_048_576)))).toHaveLength(3)
  })
})

const moved = (countryIso2: string, previousCountryIso2: string | null) => ({
  type: "subscription.esim.locationChanged",
  data: { esim: ICCID, countryIso2, previousCountryIso2 }
})
const stateChanged = (to: State) => ({
  type: "esim.smdp.stateChanged",
  data: { sim: ICCID, smdpStateChange: { state: to, modificationResult: "Success" } }
})

describe("A location (R3)", () => {
  const sweden = apply(aggregate(), seenIn("SE"), NOW - 10)

  it("causes an event for the first country, with none before", () => {
    expect(sweden.payloads).toEqual([moved("SE", null)])
    expect(sweden.aggregate.sim).toMatchObject({
      location: { countryAlpha2: "SE", operator: "Telia", rat: "5G", imei: "356938035643809", at: NOW - 10 },
      lastActivityAt: NOW - 10,
      downloaded: true
    })
  })

  it("causes an event for another country, with the one before", () => {
    expect(apply(sweden.aggregate, seenIn("NO")).payloads).toEqual([moved("NO", "SE")])
  })

  it("causes no event for another operator of the same country, but is stored", () => {
    const after = apply(sweden.aggregate, seenIn("SE", "Tre"))
    expect(after.payloads).toEqual([])
    expect(after.aggregate.sim.location).toMatchObject({ operator: "Tre", at: NOW })
  })

  it("causes no event and changes nothing if it is late", () => {
    const after = apply(sweden.aggregate, seenIn("NO"), NOW - 11)
    expect(after.payloads).toEqual([])
    expect(after.aggregate.sim.location).toMatchObject({ ...sweden.aggregate.sim.location })
    expect(after.aggregate.sim.lastActivityAt).toBe(NOW - 10)
  })

  it("leaves no jobs and no history", () => {
    expect(sweden).toMatchObject({ jobs: [], smdpEntries: [] })
  })
})

describe("An SM-DP+ state (R3, I2)", () => {
  const installed = apply(aggregate(), state("BPP Installation"), NOW - 10, "r-1")

  it("causes an event for the first status, is stored, and is a sign of a download (S2)", () => {
    expect(installed.payloads).toEqual([stateChanged("BPP Installation")])
    expect(installed.aggregate.sim).toMatchObject({
      smdp: { state: "BPP Installation", modifiedAt: NOW - 10 },
      downloaded: true
    })
    expect(installed.smdpEntries).toEqual([
      {
        organizationId: "organization",
        iccid: ICCID,
        reportId: "r-1",
        state: "BPP Installation",
        modificationResult: "Success",
        modifiedAt: NOW - 10
      }
    ])
  })

  it("causes an event for each change", () => {
    expect(apply(installed.aggregate, state("Enable")).payloads).toEqual([stateChanged("Enable")])
  })

  it("causes no event if the status stays the same, but is stored", () => {
    const again = apply(installed.aggregate, state("BPP Installation"))
    expect(again.payloads).toEqual([])
    expect(again.smdpEntries).toHaveLength(1)
  })

  it("causes no event if it is late, but is stored", () => {
    const late = apply(installed.aggregate, state("Delete"), NOW - 11)
    expect(late.payloads).toEqual([])
    expect(late.smdpEntries).toMatchObject([{ state: "Delete", modifiedAt: NOW - 11 }])
    expect(late.aggregate.sim.smdp).toEqual(installed.aggregate.sim.smdp)
  })

  it("causes no event if it failed, is no sign of a download, but is stored", () => {
    const failed = apply(aggregate(), state("BPP Installation", "Failed"))
    expect(failed.payloads).toEqual([])
    expect(failed.aggregate.sim).toMatchObject({ smdp: null, downloaded: false })
    expect(failed.smdpEntries).toMatchObject([{ modificationResult: "Failed" }])
    expect(apply(installed.aggregate, state("Delete", "Failed")).aggregate.sim.downloaded).toBe(true)
  })

  it("is no activity on a network", () => {
    expect(installed.aggregate.sim.lastActivityAt).toBeNull()
  })

  it("I2: is none that a physical SIM has", () => {
    expect(refused(aggregate([], { isEsim: false }), state("Enable"))).toMatchObject({
      message: expect.stringContaining("SM-DP+")
    })
  })
})
