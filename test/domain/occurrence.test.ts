/**
 * Each occurrence of a recurring attachment (rule T5): whether it is ordered, what is recorded of
 * it, once, and which job follows. If the attachment was suspended or deleted meanwhile, the
 * package is suspended or cancelled too (rules T7 and S3).
 */
import { describe, expect, it } from "vitest"
import type * as Attachment from "../../src/domain/Attachment.ts"
import * as Occurrence from "../../src/domain/Occurrence.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import {
  attached,
  attachment,
  forOccurrence,
  ICCID,
  aggregate,
  NOW,
  recurring,
  terms,
  pack,
  written
} from "./Values.ts"

const daily = { terms: recurring({ occurrences: 3 }), anchor: NOW }
const dueOf = (occurrence: number) => NOW + occurrence * DAY_MS - 12 * HOUR_MS
const jobOf = (occurrence: number) => ({
  jobId: `attachment:${occurrence}`,
  work: { _tag: "CreatePackage", iccid: ICCID, attachmentId: "attachment", occurrence },
  dueAt: dueOf(occurrence)
})

describe("The next occurrence's job (T5)", () => {
  it("is due 12 h before the occurrence activates, under the package's id", () => {
    expect(Occurrence.next(attachment(daily), 0)).toEqual(jobOf(0))
    expect(Occurrence.next(attachment(daily), 2)).toEqual(jobOf(2))
  })

  it("does not exist after the last occurrence", () => {
    expect(Occurrence.next(attachment(daily), 3)).toBeUndefined()
  })

  it("does not exist without an anchor, or if the plan does not recur", () => {
    expect(Occurrence.next(attachment({ terms: daily.terms }), 1)).toBeUndefined()
    expect(Occurrence.next(attachment({ terms: terms() }), 1)).toBeUndefined()
  })

  it("does not exist if it was not due yet at the suspension", () => {
    const suspendedAt = dueOf(1)
    expect(Occurrence.next(attachment({ ...daily, suspendedAt }), 1)).toEqual(jobOf(1))
    expect(Occurrence.next(attachment({ ...daily, suspendedAt: suspendedAt - 1 }), 1)).toBeUndefined()
    expect(Occurrence.next(attachment({ ...daily, suspendedAt: suspendedAt + 1 }), 2)).toBeUndefined()
  })
})

describe("An occurrence whose job is due (T5)", () => {
  const step = (of: Attachment.WithPackages, occurrence: number, now: number) =>
    Occurrence.step(forOccurrence(aggregate([of]), occurrence), occurrence, now)

  it("is ordered with its window until that is over", () => {
    const of = attached(daily)
    const window = { start: NOW + DAY_MS, end: NOW + 2 * DAY_MS }
    for (const now of [dueOf(1), NOW + DAY_MS, NOW + 2 * DAY_MS - 1]) {
      expect(step(of, 1, now)).toEqual({ _tag: "Order", attachment: of.attachment, window })
    }
  })

  it("lapses without a telco call after its whole period is over", () => {
    const lapsed = { _tag: "Record", outcome: { _tag: "Lapsed" } }
    expect(step(attached(daily), 1, NOW + 2 * DAY_MS)).toEqual(lapsed)
    expect(step(attached(daily), 0, NOW + 99 * DAY_MS)).toEqual(lapsed)
  })

  it("lapses if its attachment was suspended after it was due; if before, nothing is left to do", () => {
    const at = (suspendedAt: number) => step(attached({ ...daily, suspendedAt }), 1, dueOf(1) + 5)
    expect(at(dueOf(1))).toEqual({ _tag: "Record", outcome: { _tag: "Lapsed" } })
    expect(at(dueOf(1) - 1)).toEqual({ _tag: "Nothing" })
  })

  it("needs nothing if it is recorded already", () => {
    for (const status of ["Created", "Refused", "Lapsed"] as const) {
      expect(step(attached(daily, [{ occurrence: 1, status }]), 1, dueOf(1))).toEqual({ _tag: "Nothing" })
    }
  })

  it("needs nothing if the attachment does not recur, has no anchor or is at its end", () => {
    expect(step(attached(), 1, NOW)).toEqual({ _tag: "Nothing" })
    expect(step(attached({ terms: daily.terms }), 1, NOW)).toEqual({ _tag: "Nothing" })
    expect(step(attached(daily), 3, NOW)).toEqual({ _tag: "Nothing" })
  })

  it("is cancelled if the attachment is gone", () => {
    for (const of of [null, aggregate()]) {
      expect(Occurrence.step(forOccurrence(of, 1), 1, NOW)).toEqual({ _tag: "Gone" })
    }
  })
})

describe("A package has the telco's times before the computed ones (T6)", () => {
  const window = { start: NOW, end: NOW + DAY_MS }
  const said = (activationAt: number | null, expirationAt: number | null) => ({
    telcoPackageId: "t-1",
    activationAt,
    expirationAt
  })
  const times = (of: Attachment.Attachment, within: typeof window | null, telco: Occurrence.TelcoTimes | null) => {
    const { activationAt, expirationAt } = Occurrence.packageOf(of, 0, within, telco)
    return [activationAt, expirationAt]
  }

  it("each time by itself, if the telco reports it", () => {
    const of = attachment(daily)
    expect(times(of, window, said(null, null))).toEqual([NOW, NOW + DAY_MS])
    expect(times(of, window, said(NOW + 1, null))).toEqual([NOW + 1, NOW + DAY_MS])
    expect(times(of, window, said(null, NOW + 2))).toEqual([NOW, NOW + 2])
    expect(times(of, window, said(NOW + 1, NOW + 2))).toEqual([NOW + 1, NOW + 2])
  })

  it("and the computed ones if it lapsed", () => {
    expect(times(attachment(daily), window, null)).toEqual([NOW, NOW + DAY_MS])
  })

  it("T3: a package that waits for its first use has no times, unless the telco names an activation", () => {
    expect(times(attachment(), null, said(null, null))).toEqual([null, null])
    expect(times(attachment(), null, said(null, NOW + 5))).toEqual([null, null])
    expect(times(attachment(), null, said(NOW, NOW + 5))).toEqual([NOW, NOW + 5])
  })

  it("T3: with an activation alone it expires after the plan's validity", () => {
    expect(times(attachment(), null, said(NOW, null))).toEqual([NOW, NOW + 10 * DAY_MS])
  })

  it("T6: the telco does not set a recurring attachment's anchor", () => {
    expect(times(attachment({ terms: daily.terms }), null, said(NOW, NOW + 5))).toEqual([null, null])
  })

  it("a package begins without usage, and has the telco's id", () => {
    expect(Occurrence.packageOf(attachment(daily), 2, window, said(null, null))).toMatchObject({
      attachmentId: "attachment",
      occurrence: 2,
      status: "Created",
      telcoPackageId: "t-1",
      usedBytes: 0
    })
  })
})

const work = (occurrence: number) => ({ iccid: ICCID, attachmentId: "attachment", occurrence })
const created: Occurrence.Outcome = {
  _tag: "Created",
  telco: { telcoPackageId: "t-1", activationAt: null, expirationAt: null }
}
const outcomes: ReadonlyArray<Occurrence.Outcome> = [created, { _tag: "Refused", message: "no" }, { _tag: "Lapsed" }]
const nextOf = (of = attached(daily), occurrence = 2) => Occurrence.next(of.attachment, occurrence)

const second = pack({
  occurrence: 1,
  telcoPackageId: "t-1",
  activationAt: NOW + DAY_MS,
  expirationAt: NOW + 2 * DAY_MS
})

describe("An occurrence is recorded (T5)", () => {
  it.each([
    ["as created, with the telco's id", created, second],
    [
      "as refused",
      { _tag: "Refused", message: "no" } as const,
      { ...second, status: "Refused", refusal: "no", telcoPackageId: null }
    ],
    ["as lapsed", { _tag: "Lapsed" } as const, { ...second, status: "Lapsed", telcoPackageId: null }]
  ])("%s, and the recurrence goes on", (_, outcome, expected) => {
    const view = forOccurrence(aggregate([attached(daily)]), 1)
    if (view === null) throw new Error("There is no attachment")
    expect(Occurrence.record(view, work(1), outcome, NOW)).toEqual({
      sim: {
        loaded: view,
        next: { ...view, attachments: [{ attachment: view.attachments[0].attachment, packages: [expected] }] }
      },
      jobs: [nextOf()]
    })
  })

  it("without a next job after the last one", () => {
    for (const outcome of outcomes) {
      expect(Occurrence.record(forOccurrence(aggregate([attached(daily)]), 2), work(2), outcome, NOW).jobs).toEqual([])
    }
  })

  it("S5: and the next order is a first one until the telco has given a package", () => {
    const firstOf = (outcome: Occurrence.Outcome, isFirst?: true) =>
      Occurrence.record(
        forOccurrence(aggregate([attached(daily)]), 1),
        { ...work(1), ...(isFirst && { isFirst }) },
        outcome,
        NOW
      ).jobs?.[0]?.work
    expect(outcomes.map((outcome) => firstOf(outcome, true))).toMatchObject([{}, { isFirst: true }, { isFirst: true }])
    for (const work of [firstOf(created, true), ...outcomes.map((outcome) => firstOf(outcome))]) {
      expect(work).not.toHaveProperty("isFirst")
    }
  })

  it("once: a second time leaves only the job of the next one", () => {
    const of = attached(daily, [{ occurrence: 0 }, { occurrence: 1 }])
    for (const outcome of outcomes) {
      expect(Occurrence.record(forOccurrence(aggregate([of]), 1), work(1), outcome, NOW)).toEqual({
        jobs: [nextOf()]
      })
    }
  })

  it("only with an anchor and a recurrence", () => {
    for (const of of [attached({ terms: daily.terms }), attached({ terms: terms() })]) {
      expect(Occurrence.record(forOccurrence(aggregate([of]), 1), work(1), created, NOW)).toEqual({ jobs: [] })
    }
  })
})

describe("While the telco was called", () => {
  const suspension = {
    jobId: "suspend:attachment:1",
    work: { _tag: "SuspendPackages", iccid: ICCID, attachmentId: "attachment" },
    dueAt: NOW + 5
  }

  it("T7: the attachment was suspended: a job suspends the package at the telco, and no occurrence follows", () => {
    const of = attached({ ...daily, suspendedAt: NOW + 1 })
    const decision = Occurrence.record(forOccurrence(aggregate([of]), 1), work(1), created, NOW + 5)
    expect(written(decision).packages).toEqual([second])
    expect(decision.jobs).toEqual([suspension])
  })

  it("T7: the attachment was suspended: a refused package needs no job", () => {
    const of = attached({ ...daily, suspendedAt: NOW + 1 })
    expect(
      Occurrence.record(forOccurrence(aggregate([of]), 1), work(1), { _tag: "Refused", message: "no" }, NOW + 5).jobs
    ).toEqual([])
  })

  it("T7: the attachment was suspended: a package with an unknown outcome is cancelled, unless it is over", () => {
    const of = attached({ ...daily, suspendedAt: NOW + 1 })
    const jobs = (now: number) =>
      Occurrence.record(forOccurrence(aggregate([of]), 1), work(1), { _tag: "Lapsed" }, now).jobs
    const end = NOW + 2 * DAY_MS
    expect(jobs(end - 1)).toEqual([Occurrence.cancellation(ICCID, "attachment:1", end - 1)])
    expect(jobs(end)).toEqual([])
  })

  it("S3: the subscription was deleted: the package is cancelled at the telco, and nothing is recorded", () => {
    const cancellation = {
      jobId: "cancel:attachment:1",
      work: { _tag: "CancelPackages", iccid: ICCID, packageIds: ["attachment:1"], release: null },
      dueAt: NOW
    }
    for (const of of [null, aggregate()]) expect(forOccurrence(of, 1)).toBeNull()
    expect(Occurrence.record(null, work(1), created, NOW)).toEqual({ jobs: [cancellation] })
    for (const outcome of outcomes.slice(1)) expect(Occurrence.record(null, work(1), outcome, NOW)).toEqual({})
    expect(Occurrence.cancellation(ICCID, "attachment:1", NOW)).toEqual(cancellation)
  })
})
