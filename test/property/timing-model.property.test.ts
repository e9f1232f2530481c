/**
 * The service against the timing model, which is written from the interface's rules alone: each
 * rule at its boundaries, and random histories.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Activation from "../../src/domain/Activation.ts"
import * as Attachment from "../../src/domain/Attachment.ts"
import * as Recurrence from "../../src/domain/Recurrence.ts"
import { Arbitraries, Commands, Invariants, TimingModel } from "../../src/testing/index.ts"
import { DAY_MS, HOUR_MS } from "../domain/Calendar.ts"
import { attached, terms } from "../domain/Values.ts"
import { recurrences } from "./Arbitraries.ts"
import { mustHold, recorded } from "../histories/Histories.ts"

const plans = fc
  .record({ periodDays: fc.integer({ min: 1, max: 90 }), recurrence: fc.option(recurrences()) })
  .map((changes) => terms(changes))

const periods = fc.option(Arbitraries.activePeriods, { freq: 8 })

const at = (now: number, { end, start }: { readonly start: number | null; readonly end: number | null }) => ({
  start: start === null ? null : now + start,
  end: end === null ? null : now + end
})

describe("The domain agrees with the timing model", () => {
  it("on which active periods are accepted, and which field is wrong", () => {
    fc.assert(
      fc.property(plans, periods, Arbitraries.instants, (plan, distances, now) => {
        const period = distances === null ? null : at(now, distances)
        const started = Activation.start(plan, period, now)
        const field = Result.isFailure(started) ? started.failure.field : null
        const refused = TimingModel.refused(plan, period, now)
        expect(field).toBe(refused === null ? null : `activePeriod.${refused}`)
      }),
      { numRuns: 5_000 }
    )
  })

  it("on which occurrences are due, and on their times", () => {
    const offsets = fc.oneof(Arbitraries.spans(400 * DAY_MS), fc.constant(0), Arbitraries.around(-12 * HOUR_MS))
    fc.assert(
      fc.property(plans, Arbitraries.instants, offsets, (plan, anchor, offset) => {
        const { recurrence } = plan
        fc.pre(recurrence !== null)
        const now = anchor + offset
        const facts = { plan, period: { start: anchor, end: null }, firstUse: null, suspendedAt: null }
        const due = Array.from({ length: Recurrence.dueCount(recurrence, anchor, now) }, (_, occurrence) => {
          const { end, start } = Recurrence.window(plan, recurrence, anchor, occurrence)
          return { activationAt: start, expirationAt: end }
        })
        expect(TimingModel.packages(facts, now)).toEqual(due)
      }),
      { numRuns: 5_000 }
    )
  })

  it("on states, before the first use, after it, and around every boundary", () => {
    fc.assert(
      fc.property(
        plans,
        fc.option(Arbitraries.instants),
        fc.boolean(),
        Arbitraries.spans(9_000 * DAY_MS),
        (...drawn) => {
          const [plan, firstUse, suspended, later] = drawn
          const now = (firstUse ?? 0) + later - DAY_MS
          const suspendedAt = suspended ? now : null
          const facts = { plan, period: null, firstUse, suspendedAt }
          const [first] = TimingModel.packages(facts, now)
          const anchor = plan.recurrence === null ? null : firstUse
          const of = attached({ terms: plan, anchor, suspendedAt }, [first ?? {}])
          expect({ state: Attachment.state(of, now), ...Attachment.times(of) }).toEqual({
            state: TimingModel.state(facts, now),
            ...TimingModel.times(facts)
          })
        }
      ),
      { numRuns: 5_000 }
    )
  })
})

/** What moves time, and what time moves. */
const timely = new Set<Commands.Command["_tag"]>([
  "CreatePlan",
  "Subscribe",
  "TopUp",
  "Report",
  "Suspend",
  "Advance",
  "AdvanceTo",
  "Restart",
  "Quiet"
])

const runs = Commands.runs({ ...Commands.modest, commands: 40 }).map((commands) =>
  commands.filter(({ _tag }) => timely.has(_tag))
)

const timing = [
  Invariants.statesFollow,
  Invariants.packagesAreThoseDue,
  Invariants.packagesAreAsOrdered,
  Invariants.nothingIsEarly,
  Invariants.periodsAreTakenByTheRules
]

describe("The service agrees with the timing model", () => {
  it("over random histories that start at ends of months and leap days", async () => {
    const starts = fc.oneof(Arbitraries.instants, Arbitraries.monthEnds, Arbitraries.leapDays)
    await fc.assert(
      fc.asyncProperty(fc.nat(), starts, runs, async (seed, start, commands) =>
        mustHold(await recorded(seed, commands, { start }), timing)
      ),
      { numRuns: 150, seed: 1 }
    )
  })
})
