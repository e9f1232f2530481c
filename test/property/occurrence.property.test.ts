/**
 * A recurring attachment through a random life (rule T5). Whenever no job is due, exactly those occurrences exist that
 * activate at most 12 h ahead, each once: whatever the telco refused, however long nothing ran, and however often a job
 * was repeated. The set follows from terms, anchor, now and the suspension alone.
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
import { firstUse, forOccurrence, free, NOW, plan, report } from "../domain/Values.ts"
import { recurringTerms, type RecurringTerms } from "./Arbitraries.ts"
import { claim, commit, type Kept } from "./Committing.ts"

const ids = { subscriptionId: "subscription", attachmentId: "attachment" }
const telco = { telcoPackageId: "telco", activationAt: null, expirationAt: null }

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

/** Does every job that is due at `now`. With `refuse` the telco refuses; with `twice` each job is repeated. */
const work = (kept: Kept, now: number, refuse: (job: string) => boolean, twice: boolean): Kept => {
  const next = claim(kept, now)
  if (next === undefined) return kept
  const { job, rest } = next
  if (job.work._tag !== "CreatePackage") return work(rest, now, refuse, twice)
  const { attachmentId, occurrence } = job.work
  const present = (of: Kept) => forOccurrence(of.line, occurrence, attachmentId)
  const step = Occurrence.step(present(rest), occurrence, now)
  if (step._tag !== "Order" && step._tag !== "Record") return work(rest, now, refuse, twice)
  const asked: Occurrence.Outcome = refuse(job.jobId) ? { _tag: "Refused" } : { _tag: "Created", telco }
  const outcome = step._tag === "Record" ? step.outcome : asked
  const once = commit(rest, Occurrence.record(present(rest), job.work, outcome, now))
  const again = twice ? commit(once, Occurrence.record(present(once), job.work, outcome, now)) : once
  return work(again, now, refuse, twice)
}

const created = (of: RecurringTerms, start: number | null): Kept => {
  const request = { metadata: "", activePeriod: start === null ? null : { start, end: null } }
  const subscribed = Result.getOrThrow(Provisioning.subscribe(plan({ terms: of }), free(), request, ids, NOW))
  const kept = commit({ line: free(), jobs: new Map() }, subscribed.decision)
  if (subscribed._tag === "Complete") return kept
  const provisioned = claim(kept, NOW)?.rest ?? kept
  const attachment = provisioned.line.attachments[0]?.attachment
  if (attachment === undefined) return provisioned
  const outcomes = Array.from({ length: 1_000 }, (_, occurrence) => ({ occurrence, ...telco }))
  return commit(provisioned, Provisioning.confirm(provisioned.line, attachment, outcomes, NOW).decision)
}

const occurrencesOf = ({ line }: Kept): ReadonlyArray<number> =>
  line.attachments.flatMap(({ packages }) => packages.map(({ occurrence }) => occurrence))

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
const terms = recurringTerms(25)
const starts = fc.oneof(
  fc.integer({ min: -DAY_MS, max: 5 * DAY_MS }),
  fc.constantFrom(-DAY_MS, 12 * HOUR_MS, 12 * HOUR_MS + 1)
)
const lots = fc.func(fc.boolean())

describe("The occurrences that exist (T5)", () => {
  it("are those that activate at most 12 h ahead, from the creation on", () => {
    fc.assert(
      fc.property(terms, starts, waits, lots, fc.boolean(), (of, offset, steps, refuse, twice) => {
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
      fc.property(terms, starts, waits, (of, offset, steps) => {
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
      fc.property(terms, starts, waits, waits, fc.boolean(), (of, offset, before, after, caughtUp) => {
        const activations = activationsOf(of.recurrence, NOW + offset)
        const suspendedAt = NOW + before.reduce((sum, wait) => sum + wait, 0)
        let kept = created(of, NOW + offset)
        if (caughtUp) kept = work(kept, suspendedAt, () => false, false)
        const suspension = Suspension.suspend(kept.line, "attachment", suspendedAt)
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
      fc.property(terms, fc.nat(10 * DAY_MS), waits, (of, offset, steps) => {
        let kept = created(of, null)
        expect(occurrencesOf(kept)).toEqual([0])
        const firstUsed = NOW + offset
        const applied = Result.getOrThrow(TelcoReport.apply(kept.line, report(firstUse(), firstUsed), firstUsed))
        kept = commit(kept, { sim: { loaded: kept.line, next: applied.aggregate }, jobs: applied.jobs })
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
  it("is ordered if any of its period is left, and otherwise recorded without a telco call", () => {
    fc.assert(
      fc.property(terms, starts, fc.nat(1_000 * DAY_MS), (of, offset, downtime) => {
        const now = NOW + downtime
        const before = created(of, NOW + offset)
        const known = occurrencesOf(before).length
        const after = work(before, now, () => false, false)
        for (const pack of after.line.attachments.flatMap(({ packages }) => packages.slice(known))) {
          const end = (pack.activationAt ?? 0) + of.periodDays * DAY_MS
          expect(pack.status).toBe(end <= now ? "Lapsed" : "Created")
        }
      }),
      { numRuns: 200 }
    )
  })
})
