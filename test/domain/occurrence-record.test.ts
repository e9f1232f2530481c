/**
 * Recording the outcome of an occurrence at the telco (rule T5): once, together with the job of the next one. If the
 * attachment was suspended or deleted meanwhile, the package is suspended or cancelled too (rules T7 and S3).
 */
import { describe, expect, it } from "vitest"
import * as Occurrence from "../../src/domain/Occurrence.ts"
import { DAY_MS } from "./Calendar.ts"
import { attached, forOccurrence, ICCID, line, NOW, pack, recurring, terms, written } from "./Values.ts"

const daily = { terms: recurring({ occurrences: 3 }), anchor: NOW }
const work = (occurrence: number) => ({ iccid: ICCID, attachmentId: "attachment", occurrence })
const created: Occurrence.Outcome = {
  _tag: "Created",
  telco: { telcoPackageId: "t-1", activationAt: null, expirationAt: null }
}
const outcomes: ReadonlyArray<Occurrence.Outcome> = [created, { _tag: "Refused" }, { _tag: "Lapsed" }]
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
    ["as refused", { _tag: "Refused" } as const, { ...second, status: "Refused", telcoPackageId: null }],
    ["as lapsed", { _tag: "Lapsed" } as const, { ...second, status: "Lapsed", telcoPackageId: null }]
  ])("%s, and the recurrence goes on", (_, outcome, expected) => {
    const view = forOccurrence(line([attached(daily)]), 1)
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
      expect(Occurrence.record(forOccurrence(line([attached(daily)]), 2), work(2), outcome, NOW).jobs).toEqual([])
    }
  })

  it("once: a second time leaves only the job of the next one", () => {
    const of = attached(daily, [{ occurrence: 0 }, { occurrence: 1 }])
    for (const outcome of outcomes) {
      expect(Occurrence.record(forOccurrence(line([of]), 1), work(1), outcome, NOW)).toEqual({
        jobs: [nextOf()]
      })
    }
  })

  it("only with an anchor and a recurrence", () => {
    for (const of of [attached({ terms: daily.terms }), attached({ terms: terms() })]) {
      expect(Occurrence.record(forOccurrence(line([of]), 1), work(1), created, NOW)).toEqual({ jobs: [] })
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
    const decision = Occurrence.record(forOccurrence(line([of]), 1), work(1), created, NOW + 5)
    expect(written(decision).packages).toEqual([second])
    expect(decision.jobs).toEqual([suspension])
  })

  it("T7: the attachment was suspended: a refused package needs no job", () => {
    const of = attached({ ...daily, suspendedAt: NOW + 1 })
    expect(Occurrence.record(forOccurrence(line([of]), 1), work(1), { _tag: "Refused" }, NOW + 5).jobs).toEqual([])
  })

  it("T7: the attachment was suspended: a package with an unknown outcome is cancelled, unless it is over", () => {
    const of = attached({ ...daily, suspendedAt: NOW + 1 })
    const jobs = (now: number) => Occurrence.record(forOccurrence(line([of]), 1), work(1), { _tag: "Lapsed" }, now).jobs
    const end = NOW + 2 * DAY_MS
    expect(jobs(end - 1)).toEqual([Occurrence.cancellation(ICCID, "attachment:1", end - 1)])
    expect(jobs(end)).toEqual([])
  })

  it("S3: the subscription was deleted: the package is cancelled at the telco, and nothing is recorded", () => {
    const cancellation = {
      jobId: "cancel:attachment:1",
      work: { _tag: "CancelPackages", iccid: ICCID, packageIds: ["attachment:1"], release: false },
      dueAt: NOW
    }
    for (const of of [null, line()]) expect(forOccurrence(of, 1)).toBeNull()
    expect(Occurrence.record(null, work(1), created, NOW)).toEqual({ jobs: [cancellation] })
    for (const outcome of outcomes.slice(1)) expect(Occurrence.record(null, work(1), outcome, NOW)).toEqual({})
    expect(Occurrence.cancellation(ICCID, "attachment:1", NOW)).toEqual(cancellation)
  })
})
