/**
 * Random occurrences (rules T5 to T7): the step taken and the outcome recorded, in any order, for attachments that were
 * suspended or deleted meanwhile.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Occurrence from "../../src/domain/Occurrence.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import { attached, attachment, forOccurrence, ICCID, line, NOW, recurring, terms, written } from "../domain/Values.ts"

const COUNT = 6
const LEAD_MS = 12 * HOUR_MS

/** An instant next to a boundary. */
const near = fc
  .record({ halfDay: fc.integer({ min: -2, max: 2 * COUNT + 2 }), ms: fc.integer({ min: -1, max: 1 }) })
  .map(({ halfDay, ms }) => NOW + halfDay * LEAD_MS + ms)

/** Daily packages that last a day. The first `recorded` ones are recorded; the attachment or the SIM may be gone. */
const cases = fc.record({
  recorded: fc.nat(COUNT),
  occurrence: fc.nat(COUNT - 1),
  suspendedAt: fc.option(near, { freq: 2 }),
  now: near,
  deleted: fc.constantFrom(null, "attachment", "line"),
  telco: fc.record({
    telcoPackageId: fc.constant("telco"),
    activationAt: fc.option(near),
    expirationAt: fc.option(near.map((at) => at + COUNT * DAY_MS))
  })
})

type Case = typeof cases extends fc.Arbitrary<infer Drawn> ? Drawn : never

const ofDay = (occurrence: number) => ({ start: NOW + occurrence * DAY_MS, end: NOW + (occurrence + 1) * DAY_MS })

const before = ({ deleted, recorded, suspendedAt }: Case) => {
  if (deleted === "line") return null
  const packages = Array.from({ length: recorded }, (_, occurrence) => {
    const { end, start } = ofDay(occurrence)
    return { occurrence, activationAt: start, expirationAt: end }
  })
  const of = attached({ terms: recurring({ occurrences: COUNT }), anchor: NOW, suspendedAt }, packages)
  return line(deleted === "attachment" ? [attached({ attachmentId: "other" }, [{}])] : [of])
}

/** Whether the occurrence has to exist: it does not if it came due after a suspension. */
const wanted = ({ suspendedAt }: Case, occurrence: number): boolean =>
  occurrence < COUNT && (suspendedAt === null || ofDay(occurrence).start - LEAD_MS <= suspendedAt)

describe("An occurrence whose job is due (T5, T7)", () => {
  it("is ordered, recorded, or left alone", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { deleted, now, occurrence, recorded, suspendedAt } = one
        const step = Occurrence.step(forOccurrence(before(one), occurrence), occurrence, now)
        const window = ofDay(occurrence)
        if (deleted !== null) expect(step).toEqual({ _tag: "Gone" })
        else if (occurrence < recorded || !wanted(one, occurrence)) expect(step).toEqual({ _tag: "Nothing" })
        else if (suspendedAt !== null || window.end <= now) {
          expect(step).toEqual({ _tag: "Record", outcome: { _tag: "Lapsed" } })
        } else expect(step).toMatchObject({ _tag: "Order", attachment: { attachmentId: "attachment" }, window })
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("The outcome of an occurrence (T5 to T7)", () => {
  const outcomes = fc.constantFrom("Created" as const, "Refused" as const, "Lapsed" as const)
  const id = (occurrence: number): string => `attachment:${occurrence}`

  it("is recorded once with the next job, and undone at the telco if the attachment is suspended or gone", () => {
    fc.assert(
      fc.property(cases, outcomes, (one, tag) => {
        const { deleted, now, occurrence, recorded, suspendedAt, telco } = one
        const outcome: Occurrence.Outcome = tag === "Created" ? { _tag: tag, telco } : { _tag: tag }
        const work = { iccid: ICCID, attachmentId: "attachment", occurrence }
        const decision = Occurrence.record(forOccurrence(before(one), occurrence), work, outcome, now)
        const jobs = (decision.jobs ?? []).map(({ dueAt, jobId }) => ({ dueAt, jobId }))
        const cancelled = { jobId: `cancel:${id(occurrence)}`, dueAt: now }
        if (deleted !== null) {
          expect(jobs).toEqual(tag === "Created" ? [cancelled] : [])
          expect(decision.sim).toBeUndefined()
          return
        }
        const expected = wanted(one, occurrence + 1)
          ? [{ jobId: id(occurrence + 1), dueAt: ofDay(occurrence + 1).start - LEAD_MS }]
          : []
        if (occurrence < recorded) {
          expect(jobs).toEqual(expected)
          expect(decision.sim).toBeUndefined()
          return
        }
        const { end, start } = ofDay(occurrence)
        if (suspendedAt !== null && tag === "Created") expected.push({ jobId: `suspend:${id(occurrence)}`, dueAt: now })
        if (suspendedAt !== null && tag === "Lapsed" && now < end) expected.push(cancelled)
        expect(jobs).toEqual(expected)
        const reported = tag === "Created" ? telco : { telcoPackageId: null, activationAt: null, expirationAt: null }
        expect(written(decision).packages).toMatchObject([
          {
            occurrence,
            status: tag,
            telcoPackageId: reported.telcoPackageId,
            activationAt: reported.activationAt ?? start,
            expirationAt: reported.expirationAt ?? end,
            usedBytes: 0
          }
        ])
      }),
      { numRuns: 2_000 }
    )
  })

  it("has no times before its first use, except those of the telco for a non-recurring plan (T3)", () => {
    const reported = fc.record({
      telcoPackageId: fc.constant("telco"),
      activationAt: fc.option(near),
      expirationAt: fc.option(near)
    })
    fc.assert(
      fc.property(reported, fc.boolean(), (telco, recurs) => {
        const of = attachment({ terms: recurs ? recurring() : terms() })
        const pack = Occurrence.packageOf(of, 0, null, telco)
        const activationAt = recurs ? null : telco.activationAt
        const expirationAt = activationAt === null ? null : (telco.expirationAt ?? activationAt + 10 * DAY_MS)
        expect(pack).toMatchObject({ status: "Created", telcoPackageId: "telco", activationAt, expirationAt })
      })
    )
  })
})
