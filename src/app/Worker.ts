/**
 * The worker: does due jobs and sends due deliveries, in the background and, for an advance of a virtual clock, until
 * nothing due is left.
 */
import { Cause, Option, Clock as MachineClock, Context, Effect, Layer, Schedule } from "effect"
import * as Idempotency from "../domain/Idempotency.ts"
import type { Job } from "../domain/Job.ts"
import * as TelcoReport from "../domain/TelcoReport.ts"
import type { Instant } from "../domain/Time.ts"
import { HOUR } from "../domain/Time.ts"
import { BusinessClock } from "../ports/BusinessClock.ts"
import { Jobs, type Pending } from "../ports/Jobs.ts"
import { Outbox } from "../ports/Outbox.ts"
import { Storage, type StorageError } from "../ports/Storage.ts"
import type { Announcements } from "./Announcements.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { JobRunner } from "./JobRunner.ts"
import * as Leases from "./Leases.ts"
import * as Measures from "./Measures.ts"
import { Settings } from "./Settings.ts"
import { Work } from "./Work.ts"

export class Worker extends Context.Service<
  Worker,
  {
    /** Does due jobs, up to a batch, in due order; how many there were. */
    readonly runDue: Effect.Effect<number, StorageError>
    /** Returns when nothing due now is left and nothing is under way, jobs before deliveries. */
    readonly drain: Effect.Effect<void, StorageError>
    /** When the next job or delivery is due; null where there is none. */
    readonly nextDue: Effect.Effect<Instant | null, StorageError>
    /** Drains, and tells when the next job or delivery is due, null where there is none. */
    readonly drainToNext: Effect.Effect<Instant | null, StorageError>
    /** Forgets report ids and idempotency records that are past their time. */
    readonly forget: Effect.Effect<void, StorageError>
    /** Does work as it falls due, for ever. */
    readonly runForever: Effect.Effect<never>
  }
>()("simplan/Worker") {}

const earlier = (left: Instant | null, right: Instant | null): Instant | null =>
  left === null ? right : right === null ? left : Math.min(left, right)

/** How long to leave alone a storage that does not answer, in milliseconds. */
const RECOVERY = 1_000

/** How long to wait for work that is under way before looking again, in milliseconds. */
const PAUSE = 5

type Needs = Storage | Jobs | Outbox | BusinessClock | Dispatcher | JobRunner | Work | Leases.Leases

export const layer: Layer.Layer<Worker, never, Needs> = Layer.effect(
  Worker,
  Effect.gen(function* () {
    const storage = yield* Storage
    const jobs = yield* Jobs
    const outbox = yield* Outbox
    const clock = yield* BusinessClock
    const runner = yield* JobRunner
    const dispatcher = yield* Dispatcher
    const work = yield* Work
    const leases = yield* Leases.Leases
    const { concurrency, pollMillis } = yield* Settings

    const runDue = Effect.gen(function* () {
      const { token, until } = yield* work.lease
      const machineNow = yield* MachineClock.currentTimeMillis
      const now = yield* clock.now
      const claim = jobs.claim({ now, machineNow, until, token, limit: concurrency }).pipe(
        Effect.map((claimed) => claimed.map((job) => ({ job, holding: Leases.ofJob(job, token) }))),
        Effect.tap((claimed) =>
          Measures.tellLateness(
            "jobs",
            claimed.map(({ job }) => job.dueAt),
            now
          )
        ),
        Effect.tap((claimed) => leases.keep(claimed.map(({ holding }) => holding)))
      )
      const perform = ({ holding, job }: { readonly job: Job; readonly holding: Leases.Holding }) =>
        runner.perform({ job, token }).pipe(
          Effect.catchCause((cause) =>
            // Interrupted by a stop, it is handed back.
            Cause.hasInterruptsOnly(cause)
              ? Effect.void
              : Effect.logWarning(
                  "a job was not done; it is tried again when its lease is over",
                  { jobId: job.jobId },
                  cause
                )
          ),
          Effect.ensuring(leases.letGo(holding))
        )
      // In strict due order where time is told by a virtual clock; else as many at once as are claimed.
      return yield* work.claimAndDo(claim, (due) =>
        Effect.forEach(due, perform, { concurrency: clock.set === null ? "unbounded" : 1, discard: true })
      )
    })

    const pending = (of: Jobs["Service"] | Outbox["Service"]): Effect.Effect<Pending, StorageError> =>
      Effect.flatMap(MachineClock.currentTimeMillis, (machineNow) => of.pending({ machineNow }))

    const drainToNext = Effect.gen(function* () {
      while (true) {
        const now = yield* clock.now
        const job = yield* pending(jobs)
        if (job.dueAt !== null && job.dueAt <= now) {
          yield* runDue
          continue
        }
        const delivery = yield* pending(outbox)
        if (delivery.dueAt !== null && delivery.dueAt <= now) {
          yield* dispatcher.dispatch
          continue
        }
        if (job.held + delivery.held === 0) return earlier(job.dueAt, delivery.dueAt)
        yield* Effect.sleep(PAUSE)
      }
    })

    const nextDue = Effect.gen(function* () {
      return earlier((yield* pending(jobs)).dueAt, (yield* pending(outbox)).dueAt)
    })

    const forget = Effect.gen(function* () {
      const now = yield* clock.now
      yield* storage.purge({
        reportsBefore: now - TelcoReport.ID_RETENTION,
        idempotencyBefore: now - Idempotency.RETENTION
      })
    })

    // Looks when work is announced, when the next piece of it is due, and at the latest after the poll. Where the last
    // look found work there may be more; where it found none, only what is due is looked for.
    const loop = (
      of: Jobs["Service"] | Outbox["Service"],
      announced: Announcements,
      once: Effect.Effect<number, StorageError>
    ) => {
      const attend = Effect.gen(function* () {
        announced.take()
        while ((yield* once) > 0) announced.take()
      })
      const round = Effect.gen(function* () {
        const { dueAt } = yield* pending(of)
        const now = yield* clock.now
        if (dueAt !== null && dueAt <= now) return yield* attend
        const until = Math.min(dueAt !== null && clock.set === null ? dueAt : now + pollMillis, now + pollMillis)
        const told = yield* Effect.timeoutOption(announced.before(until), until - now)
        if (Option.isSome(told) || until === dueAt) yield* attend
      })
      return Effect.forever(
        Effect.catchTag(round, "StorageError", (error) =>
          Effect.andThen(Effect.logWarning("storage does not answer", { error: error.message }), Effect.sleep(RECOVERY))
        )
      )
    }

    const housekeeping = Effect.repeat(
      Effect.catchTag(forget, "StorageError", () => Effect.void),
      Schedule.spaced(HOUR)
    )

    return Worker.of({
      runDue,
      drain: Effect.asVoid(drainToNext),
      drainToNext,
      nextDue,
      forget,
      runForever: Effect.scoped(
        Effect.gen(function* () {
          yield* storage.watch(work.announce)
          const { deliveriesDueAt, jobsDueAt } = work.announcements
          const loops = [loop(jobs, jobsDueAt, runDue), loop(outbox, deliveriesDueAt, dispatcher.dispatch)]
          yield* Effect.all([...loops, housekeeping], { concurrency: "unbounded", discard: true })
          return yield* Effect.never
        })
      )
    })
  })
)

/**
 * Runs the worker in the background for as long as the scope is open. What it has begun when the scope closes is
 * finished first.
 */
export const background: Layer.Layer<never, never, Worker> = Layer.effectDiscard(
  Effect.gen(function* () {
    const worker = yield* Worker
    yield* Effect.forkScoped(worker.runForever)
  })
)
