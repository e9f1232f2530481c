/**
 * Publishing what falls due of attachments: their activation, their coming end and their end (rule E1).
 *
 * The commit that publishes an event gives the job back for what comes next, so the events of an attachment are stored once
 * each and in order. It names the SIM's version: a suspension or deletion comes before it or after it. For an endpoint that
 * asks for such events after attachments were created, one attempt finds some subscriptions, leaves these jobs for them, and
 * its commit leaves the job that goes on with the next ones.
 */
import { Effect } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, Storage } from "../../ports/Storage.ts"
import { Commits, NamedTypes } from "../commit/Commits.ts"
import { type Done, finishing, type LeasedJob } from "../telco/TelcoCall.ts"
import * as Paging from "../Paging.ts"

/** What does the job. It ends where no endpoint takes any of these events any more. */
export const one = Effect.gen(function* () {
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
        const { nextAt, payloads } = Lifecycle.notifications(aggregate, attachmentId, dueAt, now)
        const decision =
          aggregate === null || payloads.length === 0 ? {} : { sim: { loaded: aggregate, next: aggregate }, payloads }
        const commit = yield* commits.prepare(organizationId, decision, now)
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

/** How many subscriptions are read in one attempt. */
const PAGE = 50

/** What does the job. A job that an attachment has already stays as it is. */
export const all = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { after, requestId }: Extract<Work, { _tag: "NotifyAttachments" }>
  ) {
    const { organizationId } = held.job
    const found = yield* storage.subscriptions.page({ organizationId, after, limit: PAGE + 1 })
    const { items, next } = Paging.page(found, PAGE, ({ subscription }) => ({
      createdAt: subscription.createdAt,
      id: subscription.subscriptionId
    }))
    const attachments = yield* Effect.forEach(items, ({ sim }) =>
      storage.subscriptions.attachments({ organizationId, iccid: sim.iccid })
    )
    const now = yield* clock.now
    const jobs = Lifecycle.jobsFrom(
      attachments.flatMap((of) => of?.attachments ?? []),
      now
    )
    const more = next === null ? [] : [Lifecycle.nextOfAll(requestId, next, now)]
    const commit = yield* commits.prepare(organizationId, { jobs: [...jobs, ...more] }, now)
    yield* commits.retryOnConflict(commits.write(finishing(held, commit)))
    return "done" as const satisfies Done
  })
})
