/**
 * Which package a report counts for, and which reports are rejected (rule R1).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import type { Package } from "../../src/domain/Package.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, MINUTE_MS } from "./Calendar.ts"
import { attached, delta, firstUse, line, NOW, recurring, report, seenIn, total } from "./Values.ts"

const HOUR = 60 * MINUTE_MS
const lasting = (start: number, end: number, changes: Partial<Package> = {}) => ({
  activationAt: start,
  expirationAt: end,
  ...changes
})

/** The attachment and occurrence whose package the report changed; `rejected` if it was rejected. */
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
  const of = line([
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

  it("also before the package begins and after it has expired", () => {
    expect(routed(of, total(5, "b:1"), NOW - 99 * DAY_MS)).toBe("b:1")
    expect(routed(of, total(5, "a:0"), NOW - 99 * DAY_MS)).toBe("a:0")
    const expired = line([attached({}, [lasting(NOW - 2 * DAY_MS, NOW - DAY_MS)])])
    expect(routed(expired, total(5, "attachment:0"))).toBe("attachment:0")
  })

  it("also if its attachment is suspended", () => {
    const suspended = line([attached({ suspendedAt: NOW - DAY_MS }, [lasting(NOW - 2 * DAY_MS, NOW + DAY_MS)])])
    expect(routed(suspended, total(5, "attachment:0"))).toBe("attachment:0")
  })

  it.each(["a:1", "b:2", "a", "telco", "", "c:0"])("and is rejected if the SIM has no package %j", (named) => {
    expect(routed(of, total(5, named))).toBe("rejected")
  })

  it("or if the package was refused, lapsed or is not confirmed yet (S5)", () => {
    for (const status of ["Refused", "Lapsed"] as const) {
      expect(routed(line([attached({}, [lasting(NOW, NOW + 1, { status })])]), total(5, "attachment:0"))).toBe(
        "rejected"
      )
    }
    expect(routed(line([attached({ confirmed: false }, [{}])]), total(5, "attachment:0"))).toBe("rejected")
  })
})

describe("A report that names no package (R1)", () => {
  const short = attached({ attachmentId: "short" }, [lasting(NOW - DAY_MS, NOW + HOUR)])
  const long = attached({ attachmentId: "long" }, [lasting(NOW - DAY_MS, NOW + DAY_MS)])
  const older = attached({ attachmentId: "older" }, [{}])
  const newer = attached({ attachmentId: "newer" }, [{}])

  it("counts for the active package that expires first", () => {
    expect(routed(line([long, short]), total(5))).toBe("short:0")
    expect(routed(line([short, long]), total(5))).toBe("short:0")
    expect(routed(line([older, long, short]), total(5))).toBe("short:0")
  })

  it("counts for the package that was active then, from its first millisecond to its end", () => {
    const of = line([
      attached({ attachmentId: "first" }, [lasting(NOW - 2 * HOUR, NOW - HOUR)]),
      attached({ attachmentId: "second" }, [lasting(NOW - HOUR, NOW)])
    ])
    expect(routed(of, total(5), NOW - 2 * HOUR - 1)).toBe("rejected")
    expect(routed(of, total(5), NOW - 2 * HOUR)).toBe("first:0")
    expect(routed(of, total(5), NOW - HOUR - 1)).toBe("first:0")
    expect(routed(of, total(5), NOW - HOUR)).toBe("second:0")
    expect(routed(of, total(5), NOW - 1)).toBe("second:0")
    expect(routed(of, total(5), NOW)).toBe("rejected")
  })

  it("counts for the occurrence that was active then", () => {
    const days = [0, 1, 2].map((occurrence) => ({
      occurrence,
      ...lasting(NOW + (occurrence - 2) * DAY_MS, NOW + (occurrence - 1) * DAY_MS)
    }))
    const of = line([attached({ terms: recurring(), anchor: NOW - 2 * DAY_MS }, days)])
    expect(routed(of, total(5), NOW - DAY_MS - 1)).toBe("attachment:0")
    expect(routed(of, total(5), NOW - DAY_MS)).toBe("attachment:1")
    expect(routed(of, total(5), NOW)).toBe("attachment:2")
  })

  it("otherwise counts for the oldest package that waits for its first use", () => {
    expect(routed(line([older, newer]), total(5))).toBe("older:0")
    expect(routed(line([attached({}, [lasting(NOW - 2, NOW)]), older, newer]), delta(5))).toBe("older:0")
  })

  it("otherwise is rejected", () => {
    expect(routed(line(), total(5))).toBe("rejected")
    expect(routed(line([attached({}, [lasting(NOW + 1, NOW + 2)])]), total(5))).toBe("rejected")
    expect(routed(line([attached({ confirmed: false }, [{}])]), total(5))).toBe("rejected")
  })

  it("T7: does not count for an attachment that was suspended before", () => {
    const suspended = attached({ attachmentId: "stopped", suspendedAt: NOW }, [lasting(NOW - DAY_MS, NOW + HOUR)])
    expect(routed(line([suspended, long]), total(5), NOW)).toBe("long:0")
    expect(routed(line([suspended, long]), total(5), NOW - 1)).toBe("stopped:0")
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
    expect(used(line([active, ...waiting]))).toEqual([NOW - DAY_MS, NOW, null])
  })
})

describe("A report is rejected for its time (R1)", () => {
  const of = line([attached({}, [lasting(NOW - 99 * DAY_MS, NOW + DAY_MS)])])
  const taken = (fact: TelcoReport.Fact, occurredAt: number) =>
    Result.isSuccess(TelcoReport.apply(of, report(fact, occurredAt), NOW))
  const smdp: TelcoReport.Fact = { _tag: "SmdpState", state: "Enable", modificationResult: "Success" }

  it("if it is more than 5 minutes ahead of the clock", () => {
    for (const fact of [total(5), delta(5), firstUse("attachment:0"), seenIn("SE"), smdp]) {
      expect(taken(fact, NOW + 5 * MINUTE_MS)).toBe(true)
      expect(taken(fact, NOW + 5 * MINUTE_MS + 1)).toBe(false)
    }
  })

  it("if it is a delta that is older than 35 days", () => {
    expect(taken(delta(5), NOW - 35 * DAY_MS)).toBe(true)
    expect(taken(delta(5), NOW - 35 * DAY_MS - 1)).toBe(false)
    for (const fact of [total(5), firstUse("attachment:0"), seenIn("SE"), smdp]) {
      expect(taken(fact, NOW - 90 * DAY_MS)).toBe(true)
    }
  })
})

describe("A delta that comes twice (R1)", () => {
  const of = line([attached({}, [lasting(NOW - 99 * DAY_MS, NOW + 99 * DAY_MS)])])

  it("is too old when its id is forgotten, even if it first came ahead of the clock", () => {
    for (const ahead of [-DAY_MS, 0, 5 * MINUTE_MS]) {
      const once = report(delta(5), NOW + ahead)
      expect(Result.isSuccess(TelcoReport.apply(of, once, NOW))).toBe(true)
      expect(Result.isSuccess(TelcoReport.apply(of, once, NOW + TelcoReport.ID_RETENTION + 1))).toBe(false)
    }
  })
})

describe("A physical SIM (I2)", () => {
  it("has no SM-DP+ state to report", () => {
    const fact = { _tag: "SmdpState", state: "Enable", modificationResult: "Success" } as const
    expect(Result.isFailure(TelcoReport.apply(line([], { isEsim: false }), report(fact), NOW))).toBe(true)
  })
})
