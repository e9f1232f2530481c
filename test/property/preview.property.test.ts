/**
 * Random previews (rule S9): what a preview says is what the request then does, where the telco
 * takes all of it.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Activation from "../../src/domain/Activation.ts"
import * as Deletion from "../../src/domain/Deletion.ts"
import { packageId } from "../../src/domain/Package.ts"
import * as Pause from "../../src/domain/Pause.ts"
import * as Preview from "../../src/domain/Preview.ts"
import * as Provisioning from "../../src/domain/Provisioning.ts"
import * as Recurrence from "../../src/domain/Recurrence.ts"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import { DAY_MS } from "../domain/Calendar.ts"
import { aggregate, attached, free, NOW, pauseChange, plan, terms } from "../domain/Values.ts"
import { recurringTerms } from "./Arbitraries.ts"
import { commit } from "./Committing.ts"

const ids = { subscriptionId: "new-subscription", attachmentId: "new" }
const lines = fc.constantFrom(
  free(),
  aggregate([attached({}, [{}])]),
  free({ label: "Blue" }),
  free({ allocation: { _tag: "Releasing", subscriptionId: "old" } })
)
const plans = fc.oneof(
  recurringTerms(25).map((of) => plan({ terms: of })),
  fc.constantFrom(plan({ terms: terms() }), plan({ archivedAt: NOW }))
)
const requests = fc
  .option(fc.record({ start: fc.integer({ min: NOW - 2 * DAY_MS, max: NOW + DAY_MS }), lasting: fc.nat(DAY_MS) }))
  .map((period) => ({
    metadata: "sent",
    activePeriod: period === null ? null : { start: period.start, end: period.start + period.lasting }
  }))

/**
 * The creation carried out: each package that is due and not over is ordered, and the telco takes
 * it.
 */
const carriedOut = (
  before: SimAggregate.SimAggregate,
  ...[of, request]: [ReturnType<typeof plan>, Provisioning.Request]
) =>
  Result.map(Provisioning.subscribe(of, before, request, ids, NOW), (subscribed) => {
    const kept = commit({ aggregate: before, jobs: new Map() }, subscribed.decision)
    if (subscribed._tag === "Complete") return { kept, created: subscribed.created, ordered: [] }
    const { attachment } = subscribed
    const ordered = Activation.initialPackages(attachment).filter(
      ({ window }) => window === null || !Recurrence.isOver(window, NOW)
    )
    const outcomes = ordered.map(({ occurrence }) => ({
      occurrence,
      telcoPackageId: `t-${occurrence}`,
      activationAt: null,
      expirationAt: null
    }))
    const { created, decision } = Provisioning.confirm(kept.aggregate, attachment, outcomes, NOW)
    return { kept: commit(kept, decision), created, ordered: ordered.map(({ occurrence }) => occurrence) }
  })

describe("A preview (S9)", () => {
  it("of a creation has its refusal, or its answer and what is ordered", () => {
    fc.assert(
      fc.property(lines, plans, requests, (before, of, request) => {
        const preview = Preview.creation(of, before, request, NOW)
        const real = carriedOut(before, of, request)
        if (Result.isFailure(real)) {
          expect(preview).toEqual(Result.fail(real.failure))
          return
        }
        const { created, nextPackageAt, ordered } = Result.getOrThrow(preview)
        const { subscription } = before
        expect(created).toEqual({
          ...real.success.created,
          subscriptionId: subscription?.subscriptionId ?? Preview.NIL,
          attachmentId: Preview.NIL,
          sim: created.sim
        })
        expect(ordered.map((one) => one.packageId)).toEqual(
          real.success.ordered.map((occurrence) => packageId(Preview.NIL, occurrence))
        )
        const next = [...real.success.kept.jobs.values()].filter(({ work }) => work._tag === "CreatePackage")
        expect(nextPackageAt).toBe(next[0]?.dueAt ?? null)
        const stored = SimAggregate.attachment(real.success.kept.aggregate, "new")?.packages ?? []
        expect(ordered.map(({ activationAt, expirationAt }) => [activationAt, expirationAt])).toEqual(
          stored.filter(({ status }) => status === "Created").map((one) => [one.activationAt, one.expirationAt])
        )
      })
    )
  })

  it("of a deletion has its refusal, or what it cancels", () => {
    const packages = fc.array(
      fc.record({
        status: fc.constantFrom("Created" as const, "Refused" as const, "Lapsed" as const),
        activationAt: fc.constantFrom(null, NOW - DAY_MS, NOW + 1),
        expirationAt: fc.constantFrom(null, NOW, NOW + DAY_MS)
      }),
      { maxLength: 4 }
    )
    fc.assert(
      fc.property(packages, fc.boolean(), fc.boolean(), (drawn, downloaded, confirmed) => {
        const of = aggregate(
          [
            attached(
              { confirmed },
              drawn.map((one, occurrence) => ({ ...one, occurrence }))
            )
          ],
          {
            downloaded
          }
        )
        const preview = Result.getOrThrow(Preview.deletion(of, NOW))
        const real = Deletion.remove(of, NOW, pauseChange)
        expect(preview.refusal).toEqual(Result.isFailure(real) ? real.failure : null)
        const job = Result.isSuccess(real) ? real.success.jobs?.[0]?.work : undefined
        expect(preview.cancelled.map((one) => one.packageId)).toEqual(
          job?._tag === "CancelPackages" ? job.packageIds : []
        )
      })
    )
  })

  it("of a pause or a resumption says whether anything changes, and since when it is paused then", () => {
    const times = fc.option(fc.integer({ min: NOW - DAY_MS, max: NOW }))
    const services = fc.oneof(
      times.map((pausedAt) => ({ _tag: "Settled" as const, pausedAt })),
      fc.record({
        _tag: fc.constant("Changing" as const),
        pausedAt: times,
        changeId: fc.constant("under way"),
        active: fc.boolean()
      })
    )
    fc.assert(
      fc.property(services, fc.boolean(), (service, paused) => {
        const of = aggregate([attached({}, [{}])], { service })
        const decision = Pause.request(of, { paused }, pauseChange, NOW)
        const kept = commit({ aggregate: of, jobs: new Map() }, decision).aggregate.sim.service
        expect(Preview.pause(of, { paused }, NOW)).toEqual({
          isChanged: kept.pausedAt !== service.pausedAt,
          pausedAt: kept.pausedAt
        })
      })
    )
  })
})
