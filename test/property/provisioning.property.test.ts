/**
 * Random creations (rules S1 and S5). An undone creation leaves nothing, a confirmed one is
 * complete, and while the telco is called no other request can get the SIM.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Activation from "../../src/domain/Activation.ts"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import { DAY_MS } from "../domain/Calendar.ts"
import { attached, free, aggregate, NOW, plan, terms, pauseChange } from "../domain/Values.ts"
import { recurringTerms } from "./Arbitraries.ts"
import { commit, type Kept } from "./Committing.ts"

const ids = { subscriptionId: "new-subscription", attachmentId: "new" }
const lines = fc.constantFrom(free(), aggregate([attached({}, [{}])]))
const plans = fc.oneof(
  recurringTerms(25).map((of) => plan({ terms: of })),
  fc.constant(plan({ terms: terms() }))
)
/** Periods that are valid for any plan; a recurring plan ignores the end. */
const requests = fc
  .option(
    fc.record({
      start: fc.integer({ min: NOW - DAY_MS, max: NOW + DAY_MS / 2 }),
      lasting: fc.integer({ min: 1, max: DAY_MS })
    })
  )
  .map((period) => ({
    metadata: "sent",
    activePeriod: period === null ? null : { start: period.start, end: NOW + DAY_MS + period.lasting }
  }))

const started = fc.record({ before: lines, plan: plans, request: requests }).map((drawn) => {
  const subscribed = Result.getOrThrow(Provisioning.subscribe(drawn.plan, drawn.before, drawn.request, ids, NOW))
  const kept = commit({ aggregate: drawn.before, jobs: new Map() }, subscribed.decision)
  return { ...drawn, subscribed, kept, of: SimAggregate.attachment(kept.aggregate, "new") }
})

const jobsBut = (kept: Kept, jobId: string) => [...kept.jobs.keys()].filter((id) => id !== jobId)

describe("A creation that awaits the telco (S5)", () => {
  it("is invisible, and no other creation gets its SIM", () => {
    fc.assert(
      fc.property(started, ({ before, kept, plan: wanted, request, subscribed }) => {
        fc.pre(subscribed._tag === "AwaitingTelco")
        expect(SimAggregate.confirmed(kept.aggregate)).toEqual(SimAggregate.confirmed(before))
        expect([...kept.jobs.keys()]).toEqual(["provision:new"])
        if (before.subscription !== null) return
        const second = Provisioning.subscribe(wanted, kept.aggregate, request, { ...ids, attachmentId: "other" }, NOW)
        expect(Result.getOrThrow(Result.flip(second))).toMatchObject({ _tag: "SimBusy" })
        expect(Result.getOrThrow(Result.flip(Deletion.remove(kept.aggregate, NOW, pauseChange)))).toMatchObject({
          _tag: "NotFound"
        })
      })
    )
  })

  it("is undone without a trace, except for the job that cancels what the telco may have", () => {
    fc.assert(
      fc.property(started, fc.nat(), ({ before, kept, of, subscribed }, chance) => {
        fc.pre(subscribed._tag === "AwaitingTelco" && of !== undefined)
        if (of === undefined) return
        const due = Activation.initialPackages(of.attachment).map(({ occurrence }) => occurrence)
        const ordered = due.slice(0, chance % (due.length + 1))
        const undone = commit(kept, Provisioning.undo(kept.aggregate, of.attachment, ordered, NOW))
        expect(jobsBut(undone, "provision:new")).toEqual(ordered.length === 0 ? [] : ["cancel:new"])
        const { sim } = undone.aggregate
        const released = sim.allocation._tag === "Releasing" ? commit(undone, Deletion.released(sim, false)) : undone
        expect(sim.allocation._tag === "Releasing").toBe(ordered.length > 0 && before.subscription === null)
        const { version } = released.aggregate.sim
        expect(released.aggregate).toEqual({ ...before, sim: { ...before.sim, version } })
      })
    )
  })

  it("is confirmed with a visible attachment and a package for each occurrence that was due", () => {
    fc.assert(
      fc.property(started, ({ before, kept, of, subscribed }) => {
        fc.pre(subscribed._tag === "AwaitingTelco" && of !== undefined)
        if (of === undefined) return
        const due = Activation.initialPackages(of.attachment)
        const outcomes = due.map(({ occurrence }) => ({
          occurrence,
          telcoPackageId: `t-${occurrence}`,
          activationAt: null,
          expirationAt: null
        }))
        const { created, decision } = Provisioning.confirm(kept.aggregate, of.attachment, outcomes, NOW)
        const { aggregate: after } = commit(kept, decision)
        expect(SimAggregate.attachment(after, "new")?.packages.map(({ occurrence }) => occurrence)).toEqual(
          due.map(({ occurrence }) => occurrence)
        )
        expect(SimAggregate.confirmed(after)).toHaveLength(before.attachments.length + 1)
        expect(after.subscription).toMatchObject({ status: "Live", subscriptionId: created.subscriptionId })
        expect(after.sim.allocation).toEqual({ _tag: "InService", subscriptionId: created.subscriptionId })
        expect(created.metadata).toBe("sent")
        expect(created.period === null).toBe(of.attachment.activePeriod === null)
      })
    )
  })
})
