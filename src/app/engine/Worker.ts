/**
 * The worker: does due jobs and sends due deliveries, in the background and, for an advance of a virtual clock, until
 * nothing due is left.
 */
import { Cause, Clock as MachineClock, Context, Effect, Layer, Schedule } from "effect"
import * as Idempotency from "../../domain/Idempotency.ts"
import type { Job } from "../../domain/Job.ts"
import * as TelcoReport from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import { HOUR } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Jobs, type Pending } from "../../ports/Jobs.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { DeliveryDispatcher } from "./DeliveryDispatcher.ts"
import * as FetchLoop from "./FetchLoop.ts"
import { JobRunner } from "./JobRunner.ts"
import * as Leases from "./Leases.ts"
import * as Metrics from "../Metrics.ts"
import { Settings } from "../Settings.ts"
import * as FairClaims from "./FairClaims.ts"
import { BackgroundTasks } from "./BackgroundTasks.ts"

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

/** How many jobs are claimed at once where all that are due are done. */
const BATCH = 32

/** How long to wait for work that is under way before looking again, in milliseconds. */
const PAUSE = 5

type Needs = Storage | Jobs | Outbox | BusinessClock | DeliveryDispatcher | JobRunner | BackgroundTasks | Leases.Leases

export const layer: Layer.Layer<Worker, never, Needs> = Layer.effect(
  Worker,
  Effect.gen(function* () {
    const storage = yield* Storage
    const jobs = yield* Jobs
    const outbox = yield* Outbox
    const clock = yield* BusinessClock
    const runner = yield* JobRunner
    const dispatcher = yield* DeliveryDispatcher
    const work = yield* BackgroundTasks
    const leases = yield* Leases.Leases
    const { concurrency, pollMillis } = yield* Settings

    const tellLateness = (claimed: ReadonlyArray<Job>, now: Instant) =>
      Metrics.recordLateness(
        "jobs",
        claimed.map(({ dueAt }) => dueAt),
        now
      )

    const perform = (job: Job, token: string) =>
      Effect.catchCause(runner.perform({ job, token }), (cause) =>
        // Interrupted by a stop, it is handed back.
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logWarning(
              "a job was not done; it is tried again when its lease is over",
              { jobId: job.jobId },
              cause
            )
      )

    const runDue = Effect.gen(function* () {
      const { token, until } = yield* work.lease
      const machineNow = yield* MachineClock.currentTimeMillis
      const now = yield* clock.now
      const claim = jobs.claim({ now, machineNow, until, token, limit: BATCH }).pipe(
        Effect.map((claimed) => claimed.map((job) => ({ job, holding: Leases.ofJob(job, token) }))),
        Effect.tap((claimed) =>
          tellLateness(
            claimed.map(({ job }) => job),
            now
          )
        ),
        Effect.tap((claimed) => leases.keep(claimed.map(({ holding }) => holding)))
      )
      // In strict due order where time is told by a virtual clock; else as many at once as are claimed.
      return yield* work.claimAndDo(claim, (due) =>
        Effect.forEach(due, ({ holding, job }) => Effect.ensuring(perform(job, token), leases.letGo(holding)), {
          concurrency: clock.set === null ? "unbounded" : 1,
          discard: true
        })
      )
    })

    const pending = (of: Jobs["Service"] | Outbox["Service"]): Effect.Effect<Pending, StorageError> =>
      Effect.gen(function* () {
        const machineNow = yield* MachineClock.currentTimeMillis
        return yield* of.pending({ now: yield* clock.now, machineNow })
      })

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

    const feed = FetchLoop.run({
      slots: clock.set === null ? concurrency : 1,
      pollMillis,
      announced: work.announcements.jobsDueAt,
      turns: FairClaims.make({
        claim: jobs.claim,
        lanes: jobs.lanes,
        standing: ({ dueAt, jobId, organizationId }: Job) => ({ dueAt, id: jobId, laneId: organizationId }),
        room: () => concurrency,
        shares: FairClaims.evenly,
        atOnce: concurrency,
        isStrict: clock.set !== null
      }),
      pending: jobs.pending,
      now: clock.now,
      standsStill: clock.set !== null,
      lease: work.lease,
      leases,
      holding: Leases.ofJob,
      accept: (claimed, _, now) => Effect.as(tellLateness(claimed, now), claimed),
      perform,
      begin: work.begin
    })

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
          yield* Effect.all([feed, dispatcher.feed, housekeeping], { concurrency: "unbounded", discard: true })
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
