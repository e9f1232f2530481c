/**
 * Random occurrences (rules T5 to T7): the step taken and the outcome recorded, in any order, for
 * attachments that were suspended or deleted meanwhile; and a recurring attachment through a random
 * life.
 *
 * Whenever no job is due, exactly those occurrences exist that activate at most 12 h ahead, each
 * once: whatever the telco refused, however long nothing ran, and however often a job was repeated.
 * The set follows from terms, anchor, now and the suspension alone.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Occurrence from "../../src/domain/Occurrence.ts"
import type { Recurrence } from "../../src/domain/Recurrence.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import * as Suspension from "../../src/domain/Suspension.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import {
  firstUse,
  forOccurrence,
  free,
  NOW,
  plan,
  report,
  attached,
  attachment,
  ICCID,
  aggregate,
  recurring,
  terms,
  written
} from "../domain/Values.ts"
import { recurringTerms, type RecurringTerms } from "./Arbitraries.ts"
import { claim, commit, type Kept } from "./Committing.ts"

const ids = { subscriptionId: "subscription", attachmentId: "attachment" }
const taken = { telcoPackageId: "taken", activationAt: null, expirationAt: null }

/** How many occurrences activate at most 12 h ahead, counted one by one. */
const naiveCount = (activations: ReadonlyArray<number>, now: number): number =>
  activations.filter((start) => start <= now + 12 * HOUR_MS).length

const activationsOf = ({ frequency, occurrences, periodicity }: Recurrence, anchor: number) =>
  Array.from({ length: occurrences }, (_, i) => {
    if (periodicity !== "Monthly") return anchor + i * frequency * (periodicity === "Weekly" ? 7 : 1) * DAY_MS
    // The anchors lie before the 29th, so JavaScript's months need no clamping.
    const date = new Date(anchor)
    return date.setUTCMonth(date.getUTCMonth() + i * frequency)
  })

/**
 * Does every job that is due at `now`. With `refuse` the telco refuses; with `twice` each job is
 * repeated.
 */
const work = (kept: Kept, now: number, refuse: (job: string) => boolean, twice: boolean): Kept => {
  const next = claim(kept, now)
  if (next === undefined) return kept
  const { job, rest } = next
  if (job.work._tag !== "CreatePackage") return work(rest, now, refuse, twice)
  const { attachmentId, occurrence } = job.work
  const present = (of: Kept) => forOccurrence(of.aggregate, occurrence, attachmentId)
  const step = Occurrence.step(present(rest), occurrence, now)
  if (step._tag !== "Order" && step._tag !== "Record") return work(rest, now, refuse, twice)
  const asked: Occurrence.Outcome = refuse(job.jobId)
    ? { _tag: "Refused", message: "no" }
    : { _tag: "Created", telco: taken }
  const outcome = step._tag === "Record" ? step.outcome : asked
  const once = commit(rest, Occurrence.record(present(rest), job.work, outcome, now))
  const again = twice ? commit(once, Occurrence.record(present(once), job.work, outcome, now)) : once
  return work(again, now, refuse, twice)
}

const created = (of: RecurringTerms, start: number | null): Kept => {
  const request = { metadata: "", activePeriod: start === null ? null : { start, end: null } }
  const subscribed = Result.getOrThrow(Provisioning.subscribe(plan({ terms: of }), free(), request, ids, NOW))
  const kept = commit({ aggregate: free(), jobs: new Map() }, subscribed.decision)
  if (subscribed._tag === "Complete") return kept
  const provisioned = claim(kept, NOW)?.rest ?? kept
  const attachment = provisioned.aggregate.attachments[0]?.attachment
  if (attachment === undefined) return provisioned
  const outcomes = Array.from({ length: 1_000 }, (_, occurrence) => ({ occurrence, ...taken }))
  return commit(provisioned, Provisioning.confirm(provisioned.aggregate, attachment, outcomes, NOW).decision)
}

const occurrencesOf = ({ aggregate }: Kept): ReadonlyArray<number> =>
  aggregate.attachments.flatMap(({ packages }) => packages.map(({ occurrence }) => occurrence))

const firstOnes = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

/** Steps of time from a millisecond to a year of downtime. */
const waits = fc.array(
  fc.oneof(
    fc.constantFrom(1, HOUR_MS, 12 * HOUR_MS - 1, 12 * HOUR_MS, DAY_MS),
    fc.nat(30 * DAY_MS),
    fc.nat(365 * DAY_MS)
  ),
  { minLength: 1, maxLength: 12 }
)
const ofDays = recurringTerms(25)
const starts = fc.oneof(
  fc.integer({ min: -DAY_MS, max: 5 * DAY_MS }),
  fc.constantFrom(-DAY_MS, 12 * HOUR_MS, 12 * HOUR_MS + 1)
)
const lots = fc.func(fc.boolean())

describe("The occurrences that exist (T5)", () => {
  it("are those that activate at most 12 h ahead, from the creation on", () => {
    fc.assert(
      fc.property(ofDays, starts, waits, lots, fc.boolean(), (of, offset, steps, refuse, twice) => {
        const activations = activationsOf(of.recurrence, NOW + offset)
        let kept = created(of, NOW + offset)
        let now = NOW
        expect(occurrencesOf(kept)).toEqual(firstOnes(naiveCount(activations, now)))
        for (const wait of steps) {
          now += wait
          kept = work(kept, now, refuse, twice)
          expect(occurrencesOf(kept)).toEqual(firstOnes(naiveCount(activations, now)))
        }
      }),
      { numRuns: 300 }
    )
  })

  it("are the same whether the jobs were done on time or all at once after downtime", () => {
    fc.assert(
      fc.property(ofDays, starts, waits, (of, offset, steps) => {
        const never = () => false
        const end = NOW + steps.reduce((sum, wait) => sum + wait, 0)
        let onTime = created(of, NOW + offset)
        for (let now = NOW; now < end; now += 6 * DAY_MS) onTime = work(onTime, now, never, false)
        const late = work(created(of, NOW + offset), end, never, false)
        expect(occurrencesOf(work(onTime, end, never, false))).toEqual(occurrencesOf(late))
      }),
      { numRuns: 100 }
    )
  })

  it("are those that were due at the suspension, if there was one", () => {
    fc.assert(
      fc.property(ofDays, starts, waits, waits, fc.boolean(), (of, offset, before, after, caughtUp) => {
        const activations = activationsOf(of.recurrence, NOW + offset)
        const suspendedAt = NOW + before.reduce((sum, wait) => sum + wait, 0)
        let kept = created(of, NOW + offset)
        if (caughtUp) kept = work(kept, suspendedAt, () => false, false)
        const suspension = Suspension.suspend(kept.aggregate, "attachment", suspendedAt)
        fc.pre(Result.isSuccess(suspension))
        kept = commit(kept, Result.getOrThrow(suspension))
        let now = suspendedAt
        for (const wait of [0, ...after]) {
          now += wait
          kept = work(kept, now, () => false, true)
          expect(occurrencesOf(kept)).toEqual(firstOnes(naiveCount(activations, suspendedAt)))
        }
      }),
      { numRuns: 200 }
    )
  })

  it("T3: are counted from the first use, if that is the anchor", () => {
    fc.assert(
      fc.property(ofDays, fc.nat(10 * DAY_MS), waits, (of, offset, steps) => {
        let kept = created(of, null)
        expect(occurrencesOf(kept)).toEqual([0])
        const firstUsed = NOW + offset
        const applied = Result.getOrThrow(TelcoReport.apply(kept.aggregate, report(firstUse(), firstUsed), firstUsed))
        kept = commit(kept, { sim: { loaded: kept.aggregate, next: applied.aggregate }, jobs: applied.jobs })
        const activations = activationsOf(of.recurrence, firstUsed)
        let now = firstUsed
        for (const wait of [0, ...steps]) {
          now += wait
          kept = work(kept, now, () => false, false)
          expect(occurrencesOf(kept)).toEqual(firstOnes(naiveCount(activations, now)))
        }
      }),
      { numRuns: 200 }
    )
  })
})

describe("An occurrence that is caught up (T5)", () => {
  it("is ordered if any of its period is left, and otherwise recorded without a taken call", () => {
    fc.assert(
      fc.property(ofDays, starts, fc.nat(1_000 * DAY_MS), (of, offset, downtime) => {
        const now = NOW + downtime
        const before = created(of, NOW + offset)
        const known = occurrencesOf(before).length
        const after = work(before, now, () => false, false)
        for (const pack of after.aggregate.attachments.flatMap(({ packages }) => packages.slice(known))) {
          const end = (pack.activationAt ?? 0) + of.periodDays * DAY_MS
          expect(pack.status).toBe(end <= now ? "Lapsed" : "Created")
        }
      }),
      { numRuns: 200 }
    )
  })
})

const COUNT = 6
const LEAD_MS = 12 * HOUR_MS

/** An instant next to a boundary. */
const near = fc
  .record({ halfDay: fc.integer({ min: -2, max: 2 * COUNT + 2 }), ms: fc.integer({ min: -1, max: 1 }) })
  .map(({ halfDay, ms }) => NOW + halfDay * LEAD_MS + ms)

/**
 * Daily packages that last a day. The first `recorded` ones are recorded; the attachment or the SIM
 * may be gone.
 */
const cases = fc.record({
  recorded: fc.nat(COUNT),
  occurrence: fc.nat(COUNT - 1),
  suspendedAt: fc.option(near, { freq: 2 }),
  now: near,
  deleted: fc.constantFrom(null, "attachment", "subscription"),
  telco: fc.record({
    telcoPackageId: fc.constant("telco"),
    activationAt: fc.option(near),
    expirationAt: fc.option(near.map((at) => at + COUNT * DAY_MS))
  })
})

type Case = typeof cases extends fc.Arbitrary<infer Drawn> ? Drawn : never

const ofDay = (occurrence: number) => ({ start: NOW + occurrence * DAY_MS, end: NOW + (occurrence + 1) * DAY_MS })

const before = ({ deleted, recorded, suspendedAt }: Case) => {
  if (deleted === "subscription") return null
  const packages = Array.from({ length: recorded }, (_, occurrence) => {
    const { end, start } = ofDay(occurrence)
    return { occurrence, activationAt: start, expirationAt: end }
  })
  const of = attached({ terms: recurring({ occurrences: COUNT }), anchor: NOW, suspendedAt }, packages)
  return aggregate(deleted === "attachment" ? [attached({ attachmentId: "other" }, [{}])] : [of])
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

const outcomeOf = (tag: Occurrence.Outcome["_tag"], telco: Occurrence.TelcoTimes): Occurrence.Outcome => {
  switch (tag) {
    case "Created":
      return { _tag: tag, telco }
    case "Refused":
      return { _tag: tag, message: "no" }
    case "Lapsed":
      return { _tag: tag }
  }
}

describe("The outcome of an occurrence (T5 to T7)", () => {
  const outcomes = fc.constantFrom("Created" as const, "Refused" as const, "Lapsed" as const)
  const id = (occurrence: number): string => `attachment:${occurrence}`

  it("is recorded once with the next job, and undone at the telco if the attachment is suspended or gone", () => {
    fc.assert(
      fc.property(cases, outcomes, (one, tag) => {
        const { deleted, now, occurrence, recorded, suspendedAt, telco } = one
        const outcome = outcomeOf(tag, telco)
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
