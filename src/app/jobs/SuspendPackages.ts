/**
 * Sends a suspension to the telco until it has taken it (rule T7). Refusals end the job (rule S6).
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Problem from "../../domain/Problem.ts"
import { packageId } from "../../domain/Package.ts"
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
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { attachmentId, iccid }: Extract<Work, { _tag: "SuspendPackages" }>
  ) {
    const { organizationId } = held.job
    const aggregate = yield* storage.simAggregates.forAttachment({ organizationId, iccid, attachmentId })
    const packages = aggregate?.attachments[0]?.packages ?? []
    const now = yield* clock.now
    for (const pack of packages) {
      const over = pack.expirationAt !== null && pack.expirationAt <= now
      if (pack.status !== "Created" || over) continue
      const id = packageId(attachmentId, pack.occurrence)
      const call = telco.suspendPackage({ packageId: id, iccid, key: Problem.telcoKey(id, held.job) })
      const answer = yield* Effect.result(inTime("suspendPackage", call))
      if (Result.isFailure(answer)) return yield* giveBack(held, "suspension", answer.failure)
    }
    yield* commits.retryOnConflict(commits.write(finishing(held, {})))
    return "done" satisfies Done
  })
})
