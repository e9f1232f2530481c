/**
 * Creating one occurrence of a recurring attachment (rule T5). The commit that ends the job writes the next one's.
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Occurrence from "../../domain/Occurrence.ts"
import { packageId } from "../../domain/Package.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits, cachedThenReload } from "../commit/Commits.ts"
import { type Done, finishing, type LeasedJob, makeInTime, retrying } from "../telco/TelcoCall.ts"

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (held: LeasedJob, work: Extract<Work, { _tag: "CreatePackage" }>) {
    const { organizationId } = held.job
    const { attachmentId, iccid, occurrence } = work
    const id = packageId(attachmentId, occurrence)
    const load = storage.simAggregates.forOccurrence({ organizationId, iccid, attachmentId, occurrence })

    const now = yield* clock.now
    const loaded = yield* load
    const present = cachedThenReload(loaded, load)

    const record = (outcome: Occurrence.Outcome) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const known = yield* present
          const now = yield* clock.now
          const decision = Occurrence.record(known, work, outcome, now)
          yield* commits.write(finishing(held, yield* commits.prepare(organizationId, decision, now)))
        })
      )

    const step = Occurrence.step(loaded, occurrence, now)
    switch (step._tag) {
      case "Nothing":
        yield* commits.retryOnConflict(commits.write(finishing(held, {})))
        return "done" satisfies Done
      case "Gone": {
        const decision = { jobs: [Occurrence.cancellation(iccid, id, now)] }
        const commit = yield* commits.prepare(organizationId, decision, now)
        yield* commits.retryOnConflict(commits.write(finishing(held, commit)))
        return "done" satisfies Done
      }
      case "Record":
        yield* record(step.outcome)
        return "done" satisfies Done
      case "Order": {
        const { attachment, window } = step
        const order = { packageId: id, iccid, window, terms: attachment.terms }
        const answer = yield* Effect.result(inTime("createPackage", telco.createPackage(order)))
        if (Result.isSuccess(answer)) {
          yield* record({ _tag: "Created", telco: answer.success })
          return "done" satisfies Done
        }
        if (answer.failure._tag === "Telco.Refused") {
          yield* record({ _tag: "Refused" })
          return "refused" satisfies Done
        }
        // The next occurrence does not wait for this one.
        const following = Occurrence.next(attachment, occurrence + 1)
        const { jobs } = yield* commits.prepare(
          organizationId,
          { jobs: following === undefined ? [] : [following] },
          now
        )
        const retry = retrying(held, yield* clock.now, answer.failure, window.end)
        yield* commits.retryOnConflict(commits.write({ ...retry, jobs: { ...jobs, ...retry.jobs } }))
        return "retried" satisfies Done
      }
    }
  })
})
