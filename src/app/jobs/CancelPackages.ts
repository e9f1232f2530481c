/**
 * Cancelling packages at the telco until it has confirmed that none is left, and then, where asked for, releasing the
 * SIM (rules S3 and S5). Refusals end the job (rule S6).
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Problem from "../../domain/Problem.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { type Done, finishing, type LeasedJob, makeGiveBack, makeInTime } from "../telco/TelcoCall.ts"

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const giveBack = yield* makeGiveBack
  return Effect.fnUntraced(function* (held: LeasedJob, work: Extract<Work, { _tag: "CancelPackages" }>) {
    const { jobId, organizationId } = held.job
    const { iccid, packageIds, release } = work
    const keyOf = (key: string) => Problem.telcoKey(key, held.job)
    const cancel = Effect.forEach(
      packageIds,
      (packageId) => inTime("cancelPackage", telco.cancelPackage({ packageId, iccid, key: keyOf(packageId) })),
      {
        discard: true
      }
    )
    const all = release
      ? Effect.andThen(cancel, inTime("releaseProfile", telco.releaseProfile({ key: keyOf(jobId), iccid })))
      : cancel
    const answer = yield* Effect.result(all)
    if (Result.isFailure(answer)) return yield* giveBack(held, "cancellation", answer.failure)
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const aggregate = release ? yield* storage.simAggregates.get({ organizationId, iccid }) : null
        const decision = Problem.done(work, aggregate?.sim ?? null)
        const commit = yield* commits.of(organizationId, decision, yield* clock.now)
        yield* commits.write(finishing(held, commit))
      })
    )
    return "done" satisfies Done
  })
})
