/**
 * Ends of packages that the telco decides (rule R4): late, twice, out of order, before the first
 * use and after a suspension. The first one that is taken counts, no report moves it, and what was
 * over before stays as it was.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Attachment from "../../src/domain/Attachment.ts"
import { reasons } from "../../src/domain/PackageEnd.ts"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../domain/Calendar.ts"
import { aggregate, attached, firstUse, NOW, recurring, report, total } from "../domain/Values.ts"

const reason = fc.constantFrom(...reasons)

const end = (of: (typeof reasons)[number], packageId = "attachment:0"): TelcoReport.Fact => ({
  _tag: "End",
  packageId,
  reason: of
})

const take = (of: ForReports, fact: TelcoReport.Fact, at: number, now = NOW) =>
  Result.getOrThrow(TelcoReport.apply(of, report(fact, at), now))

const packOf = ({ attachments }: ForReports) => attachments[0]?.packages[0]

/** From three days before now to the limit ahead of it. */
const moment = fc.integer({ min: -72, max: 0 }).map((hours) => NOW + hours * HOUR_MS)
const ahead = fc.oneof(moment, fc.constantFrom(NOW + 5 * MINUTE_MS, NOW + 1))

/** Packages in use, waiting for their first use, not begun, and over. */
const stored = fc.constantFrom<ReadonlyArray<{ activationAt: number | null; expirationAt: number | null }>>(
  [{ activationAt: NOW - 2 * DAY_MS, expirationAt: NOW + DAY_MS }],
  [{ activationAt: null, expirationAt: null }],
  [{ activationAt: NOW + DAY_MS, expirationAt: NOW + 2 * DAY_MS }],
  [{ activationAt: NOW - 2 * DAY_MS, expirationAt: NOW - DAY_MS }]
)

const facts = fc.oneof(
  reason.map((of) => end(of)),
  fc.constant(firstUse("attachment:0")),
  fc.nat(2_000_000_000).map((bytes) => total(bytes, "attachment:0"))
)

describe("A package that the telco has ended (R4)", () => {
  it("is over from the end on, whatever was known of it, and stays so whatever is reported later", () => {
    const later = fc.array(fc.tuple(facts, ahead), { maxLength: 5 })
    fc.assert(
      fc.property(stored, reason, ahead, later, fc.option(moment), (packages, why, at, reports, suspendedAt) => {
        const before = aggregate([attached({ createdAt: NOW - 3 * DAY_MS, suspendedAt }, packages)])
        const ended = take(before, end(why), at).aggregate
        const [was, is] = [packOf(before), packOf(ended)]
        const wasOver = was?.expirationAt != null && was.expirationAt <= NOW
        if (wasOver) expect(ended).toBe(before)
        expect(is?.expirationAt).toBeLessThanOrEqual(NOW)
        const isUsed = why === "depleted" || why === "expired"
        expect(ended.sim.downloaded).toBe(was?.activationAt === null && isUsed)
        if (was?.activationAt === null) expect(is?.activationAt).toBe(isUsed ? Math.min(at, NOW) : null)
        const after = reports.reduce((of, [fact, when]) => take(of, fact, when).aggregate, ended)
        const { activationAt, expirationAt } = packOf(after) ?? {}
        expect({ activationAt, expirationAt }).toEqual({
          activationAt: is?.activationAt,
          expirationAt: is?.expirationAt
        })
        const of = { ...attached({ suspendedAt }), packages: after.attachments[0]?.packages ?? [] }
        expect(Attachment.state(of, NOW)).toBe(suspendedAt === null ? "EXPIRED" : "SUSPENDED")
      }),
      { numRuns: 2_000 }
    )
  })

  it("counts what is reported of its use later, and notifies its thresholds", () => {
    fc.assert(
      fc.property(stored, reason, moment, moment, (packages, why, at, usedAt) => {
        const before = aggregate([attached({ createdAt: NOW - 3 * DAY_MS }, packages)])
        const used = take(take(before, end(why), at).aggregate, total(2_000_000_000, "attachment:0"), usedAt)
        expect(packOf(used.aggregate)?.usedBytes).toBe(2_000_000_000)
        expect(used.payloads.map(({ type }) => type)).toContain("attachment.allowanceConsumed")
      })
    )
  })

  it("is no package for a use that names none", () => {
    fc.assert(
      fc.property(fc.constantFrom("revoked" as const, "lapsed" as const), moment, (why, at) => {
        const ended = take(aggregate([attached({ createdAt: NOW - 3 * DAY_MS }, [{}])]), end(why), at).aggregate
        expect(Result.isFailure(TelcoReport.apply(ended, report(firstUse(), NOW), NOW))).toBe(true)
      })
    )
  })
})

describe("The end of a recurring attachment's package (R4)", () => {
  const terms = recurring({ occurrences: 3 })

  it("is of that package alone if its cycles have begun, and begins them if it was in use", () => {
    const inUse = { activationAt: NOW - HOUR_MS, expirationAt: NOW + 23 * HOUR_MS }
    const begun = aggregate([attached({ terms, anchor: NOW - HOUR_MS, createdAt: NOW - DAY_MS }, [inUse])])
    const ended = take(begun, end("revoked"), NOW)
    expect(packOf(ended.aggregate)).toMatchObject({ activationAt: NOW - HOUR_MS, expirationAt: NOW })
    expect(Attachment.state({ ...attached({ terms, anchor: NOW - HOUR_MS }, [inUse]) }, NOW)).toBe("ACTIVE")
    const waiting = aggregate([attached({ terms, createdAt: NOW - DAY_MS }, [{}])])
    const used = take(waiting, end("depleted"), NOW)
    expect(used.aggregate.attachments[0]?.attachment.anchor).toBe(NOW)
    expect(used.jobs.map(({ jobId }) => jobId)).toEqual(["attachment:1"])
  })

  it("is the end of the attachment if they have not, also if a use is reported later", () => {
    const waiting = aggregate([attached({ terms, createdAt: NOW - DAY_MS }, [{}])])
    const ended = take(waiting, end("lapsed"), NOW)
    const after = take(ended.aggregate, firstUse("attachment:0"), NOW - HOUR_MS)
    expect(after.jobs).toEqual([])
    const of = { ...attached({ terms }), packages: after.aggregate.attachments[0]?.packages ?? [] }
    expect(Attachment.view(of, NOW)).toMatchObject({ state: "EXPIRED", activationAt: null, expirationAt: NOW })
  })
})

describe("An end on a SIM that the subscription has left (R4, S8)", () => {
  it("is rejected: what was there was cancelled, and goes on elsewhere", () => {
    const moved = aggregate([])
    expect(Result.isFailure(TelcoReport.apply(moved, report(end("revoked"), NOW), NOW))).toBe(true)
    expect(TelcoReport.isOfUse(report(end("revoked"), NOW))).toBe(false)
  })
})

describe("A SIM that its supplier has no more (R4, I15)", () => {
  const purchase = { purchaseId: "p", load: "1 GB", sellBy: null, cost: null, boughtAt: NOW - 9 * DAY_MS }
  const gone: TelcoReport.Fact = { _tag: "Gone" }

  it("ends all packages that were not over, and stays with whoever has it", () => {
    fc.assert(
      fc.property(stored, stored, moment, (some, others, at) => {
        const attachments = [some, others].map((packages, index) =>
          attached({ attachmentId: `attachment-${index}`, createdAt: NOW - 3 * DAY_MS }, packages)
        )
        const before = aggregate(attachments, { purchase })
        const after = take(before, gone, at).aggregate
        const ended = (of: ForReports) => of.attachments.flatMap(({ packages }) => packages)
        for (const [index, { activationAt, expirationAt }] of ended(after).entries()) {
          const was = ended(before)[index]
          expect(expirationAt).toBeLessThanOrEqual(NOW)
          expect(activationAt).toBe(was?.activationAt)
          if (was?.expirationAt != null && was.expirationAt <= NOW) expect(expirationAt).toBe(was.expirationAt)
        }
        expect(after.sim).toEqual(before.sim)
      })
    )
  })

  it("is withdrawn if it is free, whatever was asked of it before", () => {
    const free = aggregate([], { purchase, allocation: { _tag: "Free" } })
    const { aggregate: after } = take(free, gone, NOW)
    expect(after.sim).toMatchObject({
      allocation: { _tag: "Withdrawn", reason: "returned", ending: null },
      purchase: { ...purchase, returned: "none" }
    })
    expect(take(after, gone, NOW).aggregate).toEqual(after)
  })

  it("is one that was bought, and not by a later purchase", () => {
    const apply = (of: ForReports) => Result.isFailure(TelcoReport.apply(of, report(gone, NOW), NOW))
    expect(apply(aggregate([]))).toBe(true)
    expect(apply(aggregate([], { purchase: { ...purchase, boughtAt: NOW + DAY_MS } }))).toBe(true)
  })
})
