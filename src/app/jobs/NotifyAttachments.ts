/**
 * Leaving the jobs that tell what falls due of attachments, for an endpoint that asks for such events after they were
 * created (rule E1). One attempt looks at some subscriptions, and its commit leaves the job that looks at the next ones.
 */
import { Effect } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import * as Paging from "../Paging.ts"
import { type Done, finishing, type LeasedJob } from "../telco/TelcoCall.ts"

/** How many subscriptions are looked at in one attempt. */
const PAGE = 50

/** What does the job. A job that an attachment has already stays as it is. */
export const make = Effect.gen(function* () {
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
      attachments.flatMap((of) => of ?? []),
      now
    )
    const more = next === null ? [] : [Lifecycle.nextOfAll(requestId, next, now)]
    const commit = yield* commits.of(organizationId, { jobs: [...jobs, ...more] }, now)
    yield* commits.retryOnConflict(commits.write(finishing(held, commit)))
    return "done" as const satisfies Done
  })
})
