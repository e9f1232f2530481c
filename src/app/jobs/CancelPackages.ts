/**
 * Cancelling packages at the telco until it has confirmed that none is left, and then, where asked for, releasing the
 * SIM (rules S3 and S5).
 */
import { Effect, Result } from "effect"
import * as Deletion from "../../domain/Deletion.ts"
import type { Work } from "../../domain/Job.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { type Done, finishing, type LeasedJob, makeInTime, retrying } from "../telco/TelcoCall.ts"

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { iccid, packageIds, release }: Extract<Work, { _tag: "CancelPackages" }>
  ) {
    const { jobId, organizationId } = held.job
    const cancel = Effect.forEach(
      packageIds,
      (packageId) => inTime("cancelPackage", telco.cancelPackage({ packageId, iccid })),
      {
        discard: true
      }
    )
    const all = release
      ? Effect.andThen(cancel, inTime("releaseProfile", telco.releaseProfile({ key: jobId, iccid })))
      : cancel
    const answer = yield* Effect.result(all)
    if (Result.isFailure(answer)) {
      yield* Effect.logWarning("the telco has not taken a cancellation", { iccid, answer: answer.failure.message })
      yield* commits.retryOnConflict(commits.write(retrying(held, yield* clock.now, answer.failure)))
      return "retried" satisfies Done
    }
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const aggregate = release ? yield* storage.simAggregates.get({ organizationId, iccid }) : null
        const decision = aggregate === null ? {} : Deletion.released(aggregate.sim)
        const commit = yield* commits.of(organizationId, decision, yield* clock.now)
        yield* commits.write(finishing(held, commit, "forget"))
      })
    )
    return "done" satisfies Done
  })
})
