/**
 * The jobs that only publish: what falls due of attachments, which is their activation, their
 * coming end and their end (rule E1), and that fewer eSIMs of a label are free than its level says
 * (rule I12).
 *
 * The commit that publishes an event gives the job back for what comes next, so the events of an
 * attachment are stored once each and in order. It names the SIM's version: a suspension or
 * deletion comes before it or after it. For an endpoint that asks for such events after attachments
 * were created, one attempt finds some subscriptions, leaves these jobs for them, and its commit
 * leaves the job that goes on with the next ones.
 *
 * Several processes may check the stock of one label at once. Each stores the level with what it
 * has found, so all but one meet another version and count again: each fall is published once, and
 * no older count is stored after a newer one.
 */
import { Effect } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, Storage } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { NamedTypes } from "../commit/Caused.ts"
import { type Done, finishing, type LeasedJob, leaseOf } from "../telco/TelcoCall.ts"
import * as Paging from "../Paging.ts"
import * as Purchase from "../../domain/Purchase.ts"
import * as Stock from "../../domain/Stock.ts"

/**
 * Publishes what is due of one attachment. It ends if no endpoint takes any of these events any
 * more.
 */
export const one = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const namedTypes = yield* NamedTypes
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { attachmentId, iccid }: Extract<Work, { _tag: "NotifyAttachment" }>
  ) {
    const { attempts, dueAt, organizationId } = held.job
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
            ? { ...commit, jobs: { retried: [{ ...leaseOf(held), dueAt: nextAt, attempts: attempts + 1 }] } }
            : null
        yield* commits.write(goingOn ?? finishing(held, commit))
      })
    )
    return "done" as const satisfies Done
  })
})

/** How many subscriptions are read in one attempt. */
const PAGE = 50

/** Leaves those jobs. A job that an attachment has already stays as it is. */
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

/**
 * Counts the free eSIMs of a label, after a change of theirs. It changes nothing if the label
 * has no level, or nobody takes the event any more.
 */
export const checkStock = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const namedTypes = yield* NamedTypes
  return Effect.fnUntraced(function* (held: LeasedJob, { label }: Extract<Work, { _tag: "CheckStock" }>) {
    const { organizationId } = held.job
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const isTaken = (yield* namedTypes.of(organizationId)).has("stock.low")
        const levels = Stock.set(yield* storage.sims.levels({ organizationIds: [organizationId] }))
        const stored = levels.find((one) => one.label === label)
        if (stored === undefined || !isTaken) return yield* commits.write(finishing(held, {}))
        const now = yield* clock.now
        const selling = { sellAfter: Purchase.sellAfter(now) }
        const free = yield* storage.sims.countFree({ organizationId, label, atMost: stored.level, ...selling })
        const { level, payloads } = Stock.checked(stored, free)
        const commit = yield* commits.prepare(organizationId, { payloads }, now)
        return yield* commits.write(finishing(held, { ...commit, stockLevels: [level] }))
      })
    )
    return "done" as const satisfies Done
  })
})
