/**
 * Random lives of an attachment (rule E1): whenever its job runs, and whatever ends it, all that is
 * due by then is notified once and in order; so is all of one that the telco ends before its time.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as Lifecycle from "../../src/domain/Lifecycle.ts"
import * as Suspension from "../../src/domain/Suspension.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { attached, aggregate, NOW, pauseChange, report } from "../domain/Values.ts"

/** Few instants around the activation, the notice and the end, so that they often coincide. */
const moment = fc
  .tuple(fc.constantFrom(0, 1, 2, 3), fc.integer({ min: -2, max: 2 }))
  .map(([days, hours]) => NOW + days * DAY_MS + hours * HOUR_MS)

const lives = fc.record({
  end: moment.filter((at) => at > NOW),
  runs: fc.array(moment, { maxLength: 4 }).map((all) => all.sort((left, right) => left - right)),
  endedAt: moment,
  isDeleted: fc.boolean(),
  isFollowed: fc.constantFrom(true, true, true, false)
})

describe("The life of an attachment (E1)", () => {
  it("is notified as far as it is due when a suspension or a deletion ends it, whatever its job has notified before", () => {
    fc.assert(
      fc.property(lives, ({ end, endedAt, isDeleted, isFollowed, runs }) => {
        fc.pre(endedAt < end)
        const stored = aggregate([attached({}, [{ activationAt: NOW, expirationAt: end }])])
        const notified: Array<string> = []
        let dueAt: number | null = isFollowed ? NOW : null
        for (const now of runs.filter((at) => at <= endedAt)) {
          if (dueAt === null || now < dueAt) continue
          const { nextAt, payloads } = Lifecycle.notifications(stored, "attachment", dueAt, now)
          notified.push(...payloads.map(({ type }) => type))
          dueAt = nextAt
        }
        const { sim: change } = isDeleted
          ? Result.getOrThrow(Deletion.remove(stored, endedAt, pauseChange))
          : Result.getOrThrow(Suspension.suspend(stored, "attachment", endedAt))
        if (change === undefined) throw new Error("nothing has changed")
        const notifiedUntil = new Map(
          Lifecycle.ended(change, endedAt).flatMap(({ attachmentId }) =>
            dueAt === null ? [] : [[attachmentId, dueAt] as const]
          )
        )
        const { causes, jobs } = Lifecycle.caused(change, endedAt, notifiedUntil)
        notified.push(...causes.map(({ type }) => type))

        const due: Array<string> = []
        if (NOW <= endedAt) due.push("attachment.activated")
        if (Math.max(NOW, end - DAY_MS) <= endedAt) due.push("attachment.expiring")
        const last = isDeleted ? "subscription.deleted" : "attachment.suspended"
        expect(notified).toEqual([...(isFollowed ? due : []), last])
        expect(jobs).toEqual([])
      }),
      { numRuns: 1_000 }
    )
  })

  it("is notified once and to its end when the telco ends it before its time, whenever its job runs (R4)", () => {
    const types = ["attachment.activated", "attachment.expiring", "attachment.expired"]
    fc.assert(
      fc.property(lives, moment, fc.nat(DAY_MS), ({ end, endedAt, isFollowed, runs }, now, after) => {
        fc.pre(now < end && NOW <= now && endedAt <= now)
        const stored = aggregate([attached({}, [{ activationAt: NOW, expirationAt: end }])])
        const notified: Array<string> = []
        let dueAt: number | null = isFollowed ? NOW : null
        const run = (of: typeof stored, at: number) => {
          if (dueAt === null || at < dueAt) return
          const { nextAt, payloads } = Lifecycle.notifications(of, "attachment", dueAt, at)
          notified.push(...payloads.map(({ type }) => type))
          dueAt = nextAt
        }
        for (const at of runs.filter((one) => one <= now)) run(stored, at)
        const fact = { _tag: "End", packageId: "attachment:0", reason: "depleted" } as const
        const applied = Result.getOrThrow(TelcoReport.apply(stored, report(fact, endedAt), now))
        const next = {
          ...stored,
          attachments: [attached({}, [{ activationAt: NOW, expirationAt: Math.max(NOW, endedAt) }])]
        }
        expect(applied.aggregate.attachments).toEqual(next.attachments)
        const change = { loaded: stored, next: applied.aggregate }
        const notifiedUntil = new Map(
          Lifecycle.ended(change, now).flatMap(({ attachmentId }) =>
            dueAt === null ? [] : [[attachmentId, dueAt] as const]
          )
        )
        const { causes, jobs } = Lifecycle.caused(change, now, notifiedUntil)
        notified.push(...causes.map(({ type }) => type))
        expect(jobs).toEqual([])
        run(next, Math.max(now, dueAt ?? now) + after)
        expect(notified).toEqual(isFollowed ? types : [])
      }),
      { numRuns: 1_000 }
    )
  })

  it("has an end and no beginning if the telco takes it back before its first use (R4)", () => {
    const stored = aggregate([attached({ createdAt: NOW - DAY_MS }, [{}])])
    const fact = { _tag: "End", packageId: "attachment:0", reason: "revoked" } as const
    const { aggregate: next } = Result.getOrThrow(TelcoReport.apply(stored, report(fact, NOW), NOW))
    const { causes, jobs } = Lifecycle.caused({ loaded: stored, next }, NOW)
    expect(causes.map(({ type }) => type)).toEqual(["attachment.expired"])
    expect(jobs).toEqual([])
  })
})
