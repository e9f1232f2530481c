/**
 * Telling the telco of a suspension, until it has taken it (rule T7).
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import { packageId } from "../../domain/Package.ts"
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
    { attachmentId, iccid }: Extract<Work, { _tag: "SuspendPackages" }>
  ) {
    const aggregate = yield* storage.simAggregates.get({ organizationId: held.job.organizationId, iccid })
    const packages = (aggregate === null ? undefined : SimAggregate.attachment(aggregate, attachmentId))?.packages ?? []
    const now = yield* clock.now
    for (const pack of packages) {
      const over = pack.expirationAt !== null && pack.expirationAt <= now
      if (pack.status !== "Created" || over) continue
      const call = telco.suspendPackage({ packageId: packageId(attachmentId, pack.occurrence), iccid })
      const answer = yield* Effect.result(inTime("suspendPackage", call))
      if (Result.isFailure(answer)) {
        yield* Effect.logWarning("the telco has not taken a suspension", {
          attachmentId,
          answer: answer.failure.message
        })
        yield* commits.retryOnConflict(commits.write(retrying(held, yield* clock.now, answer.failure)))
        return "retried" satisfies Done
      }
    }
    yield* commits.retryOnConflict(commits.write(finishing(held, {}, "forget")))
    return "done" satisfies Done
  })
})
