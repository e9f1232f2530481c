/**
 * Going on with the attempt that a request under an idempotency key has left without an answer of the telco (rule S5): the
 * same request comes again, takes the attempt's job, and repeats its calls. So an order holds one SIM at most.
 */
import { Effect } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import type { Interrupted } from "../../domain/Idempotency.ts"
import type { Work } from "../../domain/Job.ts"
import { RequestInProgress, type TelcoUnavailable } from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import * as Contexts from "../commit/Contexts.ts"
import { type LeasedJob, notTaken } from "../telco/TelcoCall.ts"
import { BackgroundTasks } from "./BackgroundTasks.ts"
import { Leases } from "./Leases.ts"

type Of<Tag extends Work["_tag"]> = Extract<Work, { readonly _tag: Tag }>

const isOf = <Tag extends Work["_tag"]>(work: Work, tag: Tag): work is Of<Tag> => work._tag === tag

/** A kind of attempt: the work of its job, and what its jobs are called. */
export interface Kind<Tag extends Work["_tag"]> {
  readonly tag: Tag
  readonly jobId: (attemptId: string) => string
  readonly undoJobId: (attemptId: string) => string
}

/** What goes on with an attempt, decided on what is stored; null where the attempt is not there any more. */
export interface Continuation<A> {
  readonly decision: Decision
  readonly value: A
}

/**
 * What goes on with the attempt of the current request's key. Null where there is none, or where it was undone: then the
 * request begins anew. While it is being undone the request is refused, and so it is while another one goes on with it.
 */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const clock = yield* BusinessClock
  const commits = yield* Commits
  const work = yield* BackgroundTasks
  const leases = yield* Leases

  return Effect.fnUntraced(function* <Tag extends Work["_tag"], A>(
    kind: Kind<Tag>,
    decide: (left: Interrupted) => Effect.Effect<Continuation<A> | null, StorageError>
  ): Effect.fn.Return<
    { readonly held: LeasedJob; readonly work: Of<Tag>; readonly value: A } | null,
    TelcoUnavailable | RequestInProgress | StorageError
  > {
    const context = yield* Contexts.CurrentIdempotency
    if (context === null || context.interrupted === null) return null
    const { interrupted, request } = context
    const { attemptId } = interrupted
    const { key, organizationId } = request
    const job = yield* storage.jobs.get(kind.jobId(attemptId))
    if (job === null) {
      const undoing = yield* storage.jobs.get(kind.undoJobId(attemptId))
      return undoing === null ? null : yield* notTaken()
    }
    const lease = yield* work.lease
    const taken = yield* leases.take(job, lease)
    if (taken === null || !isOf(taken.work, kind.tag)) return yield* new RequestInProgress({ key })
    const { attempts, jobId } = taken
    const value = yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const continued = yield* decide(interrupted)
        if (continued === null) return yield* notTaken()
        const now = yield* clock.now
        const commit = yield* commits.prepare(organizationId, continued.decision, now)
        // Guarded by the lease: whoever has taken the job meanwhile undoes the attempt.
        const retried = [{ jobId, token: lease.token, attempts, dueAt: now, lease }]
        const put = Contexts.putRecord(context, { _tag: "Pending", attemptId }, now)
        yield* commits.write({ ...commit, jobs: { ...commit.jobs, retried }, idempotency: { put } })
        return continued.value
      })
    )
    context.done.current = true
    return { held: { job: taken, token: lease.token }, work: taken.work, value }
  })
})
