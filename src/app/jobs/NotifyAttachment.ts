/**
 * Telling what falls due of an attachment: its activation, its coming end and its end (rule E1). The commit that tells it
 * gives the job back for what comes next, so the events of an attachment are stored once each and in order. It names the
 * SIM's version: a suspension or deletion comes before it or after it.
 */
import { Effect } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { type Commit, Storage } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { NamedTypes } from "../commit/NamedTypes.ts"
import { type Done, finishing, type LeasedJob } from "../telco/TelcoCall.ts"

/** What does the job. It ends where no endpoint takes any of these events any more. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const namedTypes = yield* NamedTypes
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { attachmentId, iccid }: Extract<Work, { _tag: "NotifyAttachment" }>
  ) {
    const { attempts, dueAt, jobId, organizationId } = held.job
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const aggregate = yield* storage.simAggregates.forAttachment({ organizationId, iccid, attachmentId })
        const now = yield* clock.now
        const { nextAt, payloads } = Lifecycle.told(aggregate, attachmentId, dueAt, now)
        const decision =
          aggregate === null || payloads.length === 0 ? {} : { sim: { loaded: aggregate, next: aggregate }, payloads }
        const commit = yield* commits.of(organizationId, decision, now)
        const isFollowed = Lifecycle.includesTimed(yield* namedTypes.of(organizationId))
        const goingOn: Commit | null =
          nextAt !== null && isFollowed
            ? { ...commit, jobs: { retried: [{ jobId, token: held.token, dueAt: nextAt, attempts: attempts + 1 }] } }
            : null
        yield* commits.write(goingOn ?? finishing(held, commit))
      })
    )
    return "done" as const satisfies Done
  })
})
