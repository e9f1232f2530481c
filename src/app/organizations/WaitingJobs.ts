/**
 * Jobs that were tried and wait for their next try, for the operator of the service: while a telco is down, the work of
 * all organizations that waits for it. One that the telco refuses for good is among the problems instead (rule S6).
 */
import { Context, Effect, Layer } from "effect"
import type { Job, WaitingFilter, WaitingJob } from "../../domain/Job.ts"
import { isWaiting } from "../../domain/Job.ts"
import { NotFound } from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, type CreatedCursor, type Keyset, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import * as Paging from "../Paging.ts"

/** How far a retry of many jobs has come. */
export interface Retried {
  /** How many jobs are due now. */
  readonly retried: number
  /** Where to go on; null: none are left. */
  readonly next: CreatedCursor | null
}

/** Lists jobs between two tries, and has them tried at once. */
export class WaitingJobs extends Context.Service<
  WaitingJobs,
  {
    /** Of all organizations, oldest job first. */
    readonly page: (
      of: Keyset<CreatedCursor> & WaitingFilter
    ) => Effect.Effect<Paging.Page<WaitingJob, CreatedCursor>, StorageError>
    /** Has the job tried at once. Its waits go on as they were if it is given back again. */
    readonly retry: (of: { readonly jobId: string }) => Effect.Effect<void, NotFound | StorageError>
    /**
     * Has all jobs that the filter takes tried at once, oldest first. It stops after 10,000: `next` is where to go on.
     * The engine tries as many at a time as ever.
     */
    readonly retryAll: (
      of: WaitingFilter & { readonly after: CreatedCursor | null }
    ) => Effect.Effect<Retried, StorageError>
  }
>()("simplan/WaitingJobs") {}

/** How many jobs one commit makes due, and how many commits one request makes. */
const RETRIED_AT_ONCE = 1_000
const RETRIES = 10

const cursorOf = ({ createdAt, jobId }: Job): CreatedCursor => ({ createdAt, id: jobId })

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<WaitingJobs, never, Paging.FilteredLists | Storage | BusinessClock | Commits> =
  Layer.effect(
    WaitingJobs,
    Effect.gen(function* () {
      const storage = yield* Storage
      const clock = yield* BusinessClock
      const commits = yield* Commits
      const lists = yield* Paging.FilteredLists

      /** Rule W11: an entry for the one job, or for each organization of several. */
      const hasten = Effect.fnUntraced(function* (jobs: ReadonlyArray<WaitingJob>) {
        const now = yield* clock.now
        let commit: Commit = { jobs: { hastened: jobs.map(({ jobId }) => ({ jobId, dueAt: now })) } }
        const action = "job.retry"
        const [first] = jobs
        if (jobs.length === 1 && first !== undefined) {
          const { jobId: resourceId, organizationId, work } = first
          const iccid = "iccid" in work ? work.iccid : null
          commit = yield* commits.audited(commit, { organizationId, action, resourceId, iccid }, now)
        } else {
          for (const organizationId of new Set(jobs.map((job) => job.organizationId)))
            commit = yield* commits.audited(commit, { organizationId, action, resourceId: "*", iccid: null }, now)
        }
        yield* commits.retryOnConflict(commits.write(commit))
      })

      // The service's own turns: jobs of all organizations are scanned, whichever the filter takes.
      const page = (of: Keyset<CreatedCursor> & WaitingFilter) =>
        lists.page({ ...of, organizationId: "" }, (step) => storage.jobs.waiting({ ...of, ...step }), cursorOf)

      return WaitingJobs.of({
        page: Effect.fn("WaitingJobs.page")(function* (of) {
          return yield* page(of)
        }),
        retry: Effect.fn("WaitingJobs.retry")(function* ({ jobId }) {
          const job = yield* storage.jobs.get(jobId)
          if (job === null || !isWaiting(job)) return yield* new NotFound({ resource: "job", id: jobId })
          yield* hasten([job])
        }),
        retryAll: Effect.fn("WaitingJobs.retryAll")(function* ({ after, ...filter }) {
          let next = after
          let retried = 0
          for (let step = 0; step < RETRIES; step++) {
            const found: Paging.Page<WaitingJob, CreatedCursor> = yield* page({
              ...filter,
              after: next,
              limit: RETRIED_AT_ONCE
            })
            if (found.items.length > 0) yield* hasten(found.items)
            retried += found.items.length
            next = found.next
            if (next === null) break
          }
          return { retried, next }
        })
      })
    })
  )
