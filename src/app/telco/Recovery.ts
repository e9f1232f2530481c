/**
 * What happens to the work that waits for a telco when the telco answers again (rules S5 and S6).
 *
 * A job waits for a telco that did not answer it, or that was not asked since it had too many
 * calls: those of an outage may be told to wait for as long as the calls take that hang.
 *
 * - Of the jobs that wait for a telco each process has one tried every 10 s, the probe: each time
 *   the next one in the order of their creation, so that a job that never succeeds is not the only
 *   one. The others keep their pauses, which rise to an hour. So a recovery is noticed soon,
 *   whoever else calls the telco.
 * - Each job that the telco has answered after a wait, be it with a refusal, has the next two tried
 *   that wait for the same telco. So the rate doubles from one answer to the next, and no job is
 *   pulled forward by an answer that does not come: a telco that is unavailable again is left
 *   alone. What is tried soon anyway is not pulled: it may be the next probe, which is to come when
 *   it was meant to.
 * - A probe that is held back, or that waits for another telco then, says nothing of the telco: the
 *   next one follows.
 * - A search reads on over the jobs that may not be tried, so that they hold up none behind them;
 *   the next one goes on where it has ended.
 * - No job is tried before the instant that the telco asks for.
 * - What storage fails to do of this is done when it answers again. A standing clock waits for
 *   nothing: it is tried thrice.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import type { Job, WaitingJob, WaitingReason } from "../../domain/Job.ts"
import type { Instant } from "../../domain/Time.ts"
import { SECOND } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, Storage } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { FilteredLists } from "../Paging.ts"

/** How often a process has one of the jobs tried that wait for a telco. */
const PROBE = 10 * SECOND

/** How many jobs one answer pulls forward. */
const PULLED = 2

/**
 * After how many milliseconds what storage has failed to do is done again; how often on a standing
 * clock.
 */
const AGAIN = SECOND
const TIMES = 3

/**
 * How many jobs are read at once, and how often in one search, for those that wait for longer. The
 * next search goes on from there.
 */
const PAGE = 64
const MOST_PAGES = 32

/** Tries work sooner that waits for a telco. */
export class Recovery extends Context.Service<
  Recovery,
  {
    /**
     * To be run after each try of a job that nobody waits for, with the job as it was before.
     * `retried` is false if the try was the last one. The job is done, whatever becomes of those
     * that wait.
     */
    readonly tried: (job: Job, retried: boolean) => Effect.Effect<void>
  }
>()("simplan/Recovery") {}

/** Why a job waits for a telco; it may wait for something else. */
const reasons: ReadonlyArray<WaitingReason> = ["unavailable", "held_back"]

const isWaiting = ({ waiting }: Job): boolean => waiting !== null && reasons.includes(waiting.reason)

const telcoOf = ({ waiting }: Job): string => waiting?.telco ?? ""

/**
 * The implementation that `Services.layer` provides. It keeps the probes of this process in memory.
 */
export const layer: Layer.Layer<Recovery, never, FilteredLists | Storage | BusinessClock | Commits> = Layer.effect(
  Recovery,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const lists = yield* FilteredLists
    const scope = yield* Effect.scope
    /** By the telco's name: its next probe, and the job that was hastened last. */
    const probes = new Map<string, { readonly dueAt: Instant; readonly jobId: string | null }>()
    /** By reason and telco. */
    const places = new Map<string, CreatedCursor>()
    let searched = 0

    /** Of those that wait for a reason. */
    const nextOf = Effect.fnUntraced(function* (
      reason: WaitingReason,
      telco: string,
      count: number,
      at: Instant,
      longerThan: Instant
    ) {
      const key = `${reason} ${telco}`
      const page = (after: CreatedCursor | null) =>
        lists.page(
          { organizationId: "", after, limit: PAGE },
          (step) => storage.jobs.waiting({ telco, reason, ...step }),
          ({ createdAt, jobId }) => ({ createdAt, id: jobId })
        )
      const fits = ({ dueAt, waiting: { notBefore = at } }: WaitingJob) => dueAt > longerThan && notBefore <= at
      const found = new Map<string, WaitingJob>()
      let after = places.get(key) ?? null
      let isFromFirst = after === null
      for (let pages = 0; pages < MOST_PAGES && found.size < count; pages++) {
        const { items, next } = yield* page(after)
        for (const job of items) if (found.size < count && fits(job)) found.set(job.jobId, job)
        if (next === null && isFromFirst) break
        if (next === null) isFromFirst = true
        after = next
      }
      const taken = [...found.values()]
      const last = taken.at(-1)
      // The next search goes on behind what was taken, or else where this one has ended.
      const reached = last === undefined ? after : { createdAt: last.createdAt, id: last.jobId }
      if (reached === null) places.delete(key)
      else places.set(key, reached)
      return taken
    })

    /**
     * The next jobs that would wait for longer than that and may be tried at `at`, from the one on
     * that was hastened last. Both reasons have the first turn in turn, so that a job that never
     * succeeds holds up no other.
     */
    const next = Effect.fnUntraced(function* (telco: string, count: number, at: Instant, longerThan: Instant) {
      const found: Array<WaitingJob> = []
      const first = searched++ % reasons.length
      for (const reason of [...reasons.slice(first), ...reasons.slice(0, first)]) {
        if (found.length < count) found.push(...(yield* nextOf(reason, telco, count - found.length, at, longerThan)))
      }
      return found
    })

    const hasten = (jobs: ReadonlyArray<Job>, dueAt: Instant) =>
      jobs.length === 0
        ? Effect.void
        : commits.retryOnConflict(
            commits.write({
              jobs: { hastened: jobs.map(({ jobId, organizationId }) => ({ organizationId, jobId, dueAt })) }
            })
          )

    const answered = Effect.fnUntraced(function* (job: Job) {
      const now = yield* clock.now
      yield* hasten(yield* next(telcoOf(job), PULLED, now, now + 2 * PROBE), now)
    })

    const unanswered = Effect.fnUntraced(function* (job: Job) {
      const { jobId, waiting } = job
      const telco = telcoOf(job)
      const now = yield* clock.now
      const last = probes.get(telco)
      // A probe that was tried before its time is over.
      if (last !== undefined && last.dueAt > now && last.jobId !== jobId) return
      const dueAt = Math.max(now + PROBE, waiting?.notBefore ?? now)
      // If all are tried sooner, there is none: it is searched again soon.
      probes.set(telco, { dueAt: now + SECOND, jobId: null })
      const jobs = yield* Effect.onError(
        Effect.tap(next(telco, 1, dueAt, dueAt), (found) => hasten(found, dueAt)),
        () => Effect.sync(() => probes.delete(telco))
      )
      for (const probe of jobs) probes.set(telco, { dueAt, jobId: probe.jobId })
    })

    const helped = Effect.fnUntraced(function* (job: Job, retried: boolean) {
      const after = retried ? yield* storage.jobs.get(job) : null
      if (after !== null && isWaiting(after)) {
        if (isWaiting(job) && telcoOf(job) !== telcoOf(after)) yield* unanswered(job)
        return yield* unanswered(after)
      }
      // A refusal is an answer too, and what waits for something else has had its answer.
      const isAnswered = !retried || (after !== null && after.waiting !== null)
      if (isAnswered && isWaiting(job)) yield* answered(job)
    })

    return Recovery.of({
      tried: (job, retried) => {
        const once = helped(job, retried)
        // Failure: those that wait have their own pauses, which rise to an hour.
        if (clock.set !== null) return Effect.ignore(Effect.retry(once, { times: TIMES }))
        const again = Effect.retry(Effect.delay(once, AGAIN), Schedule.forever)
        return Effect.catch(once, () => Effect.asVoid(Effect.forkIn(again, scope)))
      }
    })
  })
)
