/**
 * Cancelling packages at the telco until it has confirmed that none is left, and then, where asked for, releasing the
 * SIM (rules S3 and S5). Before a SIM is released, all that its telco lists on it is cancelled too: packages that nobody
 * here knows of, as a process that died or a restored backup leaves them. Refusals end the job (rule S6).
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Problem from "../../domain/Problem.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { type Done, finishing, type LeasedJob, makeGiveBack, makeInTime } from "../telco/TelcoCall.ts"

type CancelWork = Extract<Work, { _tag: "CancelPackages" }>

const NOT_LISTED = Effect.succeed(null)

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const giveBack = yield* makeGiveBack

  /**
   * Of the packages that were listed on a SIM that is released, those that this job has not cancelled. The SIM is read
   * after the list: while it is being released without a subscription, nobody owns what was listed before. If the job was
   * lost and the SIM has been sold since, what was listed may be the next subscription's, also one that is interrupted, and
   * none of it is this job's.
   */
  const ownerless = Effect.fnUntraced(function* (
    { job: { organizationId } }: LeasedJob,
    { iccid, packageIds }: CancelWork,
    listed: ReadonlyArray<string>
  ) {
    const left = listed.filter((packageId) => !packageIds.includes(packageId))
    if (left.length === 0) return left
    const aggregate = yield* storage.simAggregates.get({ organizationId, iccid })
    if (aggregate?.sim.allocation._tag !== "Releasing" || aggregate.subscription?.status === "Pending") return []
    yield* Effect.logInfo("the telco lists packages on a SIM that is released: they are cancelled", {
      organizationId,
      iccid,
      packageIds: left
    })
    return left
  })

  return Effect.fnUntraced(function* (held: LeasedJob, work: CancelWork) {
    const { jobId, organizationId } = held.job
    const { iccid, packageIds, release } = work
    const keyOf = (key: string) => Problem.telcoKey(key, held.job)
    const cancel = (ids: ReadonlyArray<string>) =>
      Effect.forEach(
        ids,
        (packageId) => inTime("cancelPackage", telco.cancelPackage({ packageId, iccid, key: keyOf(packageId) })),
        { discard: true }
      )
    const listed = release && telco.listPackages ? inTime("listPackages", telco.listPackages({ iccid })) : NOT_LISTED
    const first = yield* Effect.result(Effect.andThen(cancel(packageIds), listed))
    if (Result.isFailure(first)) return yield* giveBack(held, "cancellation", first.failure)
    const left = yield* ownerless(held, work, first.success ?? [])
    const released = release
      ? inTime("releaseProfile", telco.releaseProfile({ key: keyOf(jobId), iccid }))
      : Effect.void
    const second = yield* Effect.result(Effect.andThen(cancel(left), released))
    if (Result.isFailure(second)) return yield* giveBack(held, "cancellation", second.failure)
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const sim = release ? yield* storage.sims.get({ organizationId, iccid }) : null
        const decision = Problem.done(work, sim)
        const commit = yield* commits.prepare(organizationId, decision, yield* clock.now)
        yield* commits.write(finishing(held, commit))
      })
    )
    return "done" satisfies Done
  })
})
