/**
 * The worker: the fetch loops of jobs and deliveries, which do work as it falls due, and waiting
 * until nothing due is left.
 */
import { Cause, Clock as MachineClock, Context, Effect, Layer, RcRef, Schedule, Scope, Semaphore } from "effect"
import * as Idempotency from "../../domain/Idempotency.ts"
import type { Job } from "../../domain/Job.ts"
import * as TelcoReport from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import { HOUR } from "../../domain/Time.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import { Jobs } from "../../ports/Jobs.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import * as Commands from "../commands/Commands.ts"
import * as Metrics from "../Metrics.ts"
import { Recovery } from "../telco/Recovery.ts"
import { Settings } from "../Settings.ts"
import * as DeliveryDispatcher from "./DeliveryDispatcher.ts"
import * as FairClaims from "./FairClaims.ts"
import { Processes } from "./Processes.ts"
import * as Handlers from "./Handlers.ts"
import * as FetchLoop from "./FetchLoop.ts"
import { isLost, JobRunner, measured } from "../jobs/JobRunner.ts"
import * as Leases from "../jobs/Leases.ts"

/** Does work as it falls due. */
export class Worker extends Context.Service<
  Worker,
  {
    /**
     * Does work as it falls due, for as long as the scope is open. Several scopes share the loops.
     */
    readonly running: Effect.Effect<void, never, Scope.Scope>
    /**
     * Returns when nothing that is due now is left and nothing is under way, here or in another
     * process. Gives when the next job or delivery is due, null if there is none. The worker has
     * to be running.
     */
    readonly idle: Effect.Effect<Instant | null, StorageError>
    /** `idle` also if the worker is not running: it runs meanwhile. */
    readonly drain: Effect.Effect<Instant | null, StorageError>
    /** When the next job or delivery is due; null if there is none. */
    readonly nextDue: Effect.Effect<Instant | null, StorageError>
    /**
     * Forgets report ids, idempotency records, settled commands, audit entries, webhook events and
     * usage that are past their time.
     */
    readonly forget: Effect.Effect<void, StorageError>
    /** Does work as it falls due, and forgets every hour what is past its time, for ever. */
    readonly runForever: Effect.Effect<never>
  }
>()("simplan/Worker") {}

const earlier = (left: Instant | null, right: Instant | null): Instant | null =>
  left === null ? right : right === null ? left : Math.min(left, right)

/**
 * How long to wait for work that other processes have under way before polling again, in
 * milliseconds.
 */
const PAUSE = 5

/**
 * Rule W12: how many webhook events one statement deletes, and how many milliseconds pass before
 * the next statement. No time passes on a standing clock: an advance waits for the statements.
 */
const PURGED_AT_ONCE = 1_000
const PURGE_PAUSE = 20

type Needs = DeliveryDispatcher.Needs | Handlers.Needs | Jobs | JobRunner | Processes | Recovery | Commands.Needs

/** The implementation that `Services.layer` provides. It does nothing until `run` is called. */
export const layer: Layer.Layer<Worker, never, Needs> = Layer.effect(
  Worker,
  Effect.gen(function* () {
    const storage = yield* Storage
    const jobs = yield* Jobs
    const outbox = yield* Outbox
    const clock = yield* Clocks.BusinessClock
    const runner = yield* JobRunner
    const recovery = yield* Recovery
    const runCommand = yield* Commands.makeRun
    const tasks = yield* Leases.BackgroundTasks
    const leases = yield* Leases.Leases
    const processes = yield* Processes
    const { auditRetentionMillis, concurrency, pollMillis, retentionMillis, usageRetentionMillis } = yield* Settings
    const isStandingClock = clock.set !== null

    const performed = (job: Job, token: string): Effect.Effect<unknown, StorageError> => {
      const { work } = job
      const held = { job, token }
      if (work._tag !== "RunCommand") return runner.perform(held, work)
      return Effect.tap(measured(held, runCommand(held, work)), (outcome) => recovery.tried(job, outcome === "retried"))
    }
    const perform = (job: Job, token: string) =>
      Effect.catchCause(Effect.asVoid(performed(job, token)), (cause) =>
        // Interrupted by a stop, the job is handed back; taken over by another process, it is that
        // one's.
        Cause.hasInterruptsOnly(cause) || isLost(cause)
          ? Effect.void
          : Effect.logWarning(
              "a job was not done; it is tried again when its lease is over",
              { jobId: job.jobId },
              cause
            )
      )

    // On a standing clock jobs are done one by one, in due order.
    const slots = isStandingClock ? 1 : concurrency
    const jobSlots = FairClaims.makeJobSlots(slots)
    const jobLoop = FetchLoop.make({
      slots,
      pollMillis,
      claims: FairClaims.make({
        claim: jobs.claim,
        partitions: jobs.partitions,
        placeOf: ({ dueAt, jobId, organizationId }: Job) => ({ dueAt, id: jobId, partitionId: organizationId }),
        open: jobSlots.open,
        hasFreeSlot: jobSlots.hasFreeSlot,
        shares: jobSlots.shares,
        batchSize: slots,
        isStrict: isStandingClock
      }),
      pending: jobs.pending,
      now: clock.now,
      isStandingClock,
      precondition: Effect.void,
      lease: tasks.lease,
      leases,
      leaseOf: Leases.ofJob,
      accept: (claimed, _, now) => {
        for (const job of claimed) jobSlots.begin(job)
        const dueAt = claimed.map((job) => job.dueAt)
        return Effect.as(Metrics.recordLateness("jobs", dueAt, now), claimed)
      },
      perform: (job, token) =>
        Effect.ensuring(
          perform(job, token),
          Effect.sync(() => jobSlots.end(job))
        ),
      fork: tasks.begin
    })
    // On a standing clock the jobs of an instant are done before its deliveries.
    const jobsDone = isStandingClock ? Effect.asVoid(jobLoop.idle) : Effect.void
    const deliveryLoop = yield* DeliveryDispatcher.make(jobsDone)
    const handlerLoops = yield* Handlers.makeLoops(jobsDone)

    // In a scope that nobody closes: whoever uses the loops has them until he is done, also while
    // the process stops.
    const loops = yield* Effect.provideService(
      RcRef.make({
        acquire: Effect.gen(function* () {
          yield* storage.watch(({ deliveriesDueAt, jobsDueAt }) => {
            jobLoop.wake(jobsDueAt)
            deliveryLoop.wake(deliveriesDueAt)
            handlerLoops.wake(deliveriesDueAt)
          })
          yield* Effect.forkScoped(jobLoop.run)
          yield* Effect.forkScoped(deliveryLoop.run)
          yield* handlerLoops.run
        })
      }),
      Scope.Scope,
      Scope.makeUnsafe()
    )
    const running = RcRef.get(loops)

    const idle = Effect.gen(function* () {
      while (true) {
        const release = yield* leases.nextRelease
        const job = yield* jobLoop.idle
        const handled = yield* handlerLoops.idle
        const delivery = yield* deliveryLoop.idle
        // Jobs may have come meanwhile, and events for handlers.
        const now = yield* clock.now
        if (!jobLoop.isIdle(now) || !handlerLoops.isIdle(now)) continue
        if (job.held + delivery.held + handled.held === 0) {
          return earlier(job.dueAt, earlier(delivery.dueAt, handled.dueAt))
        }
        yield* Effect.timeoutOption(release, PAUSE)
      }
    })

    const nextDue = Effect.gen(function* () {
      const at = { now: yield* clock.now, machineNow: yield* Clocks.monotonicNow }
      const sent = earlier((yield* outbox.pending(at)).dueAt, (yield* handlerLoops.pending(at)).dueAt)
      return earlier((yield* jobs.pending(at)).dueAt, sent)
    })

    // One at a time: those of an advance and of each hour would wait for each other's locks in the
    // storage.
    const lock = Semaphore.makeUnsafe(1)
    const forget = Effect.gen(function* () {
      const now = yield* clock.now
      yield* storage.purgeReports({ before: TelcoReport.keptFrom(now), now })
      yield* storage.purge({
        idempotencyBefore: now - Idempotency.RETENTION,
        commandsBefore: now - retentionMillis,
        sessionsBefore: yield* MachineClock.currentTimeMillis
      })
      yield* storage.purgeAudit({ before: UsageBook.keptFrom(now, auditRetentionMillis), now })
      const events = { before: now - retentionMillis, limit: PURGED_AT_ONCE }
      while ((yield* storage.purgeEvents(events)) === PURGED_AT_ONCE) {
        yield* isStandingClock ? Effect.yieldNow : Effect.sleep(PURGE_PAUSE)
      }
      yield* storage.purgeUsage({ before: UsageBook.keptFrom(now, usageRetentionMillis), now })
    }).pipe(lock.withPermits(1))
    const housekeeping = Effect.repeat(
      // Failure: the next hour forgets it.
      Effect.catchTag(forget, "StorageError", () => Effect.void),
      Schedule.spaced(HOUR)
    )

    return Worker.of({
      running,
      idle,
      drain: Effect.scoped(Effect.andThen(running, idle)),
      nextDue,
      forget,
      runForever: Effect.all([processes.runs(["worker"]), running, housekeeping], { discard: true }).pipe(
        Effect.andThen(Effect.never),
        Effect.scoped
      )
    })
  })
)

/**
 * Runs the worker in the background for as long as the scope is open. What it has begun when the
 * scope closes is finished first.
 */
export const background: Layer.Layer<never, never, Worker> = Layer.effectDiscard(
  Effect.flatMap(Worker, (worker) => Effect.forkScoped(worker.runForever))
)

/**
 * How far ahead of its due time a request may have taken the job that it goes on with (rule S5),
 * and to spare.
 */
const AHEAD = 2 * HOUR

/**
 * Ends all leases on work that is due or will be soon: a process that is known to be the only one
 * takes over what a killed one held.
 */
export const takeOver: Effect.Effect<void, StorageError, Jobs | Outbox | Clocks.BusinessClock> = Effect.gen(
  function* () {
    const jobs = yield* Jobs
    const outbox = yield* Outbox
    const { now } = yield* Clocks.BusinessClock
    const at = { now: (yield* now) + AHEAD }
    yield* jobs.release(at)
    yield* outbox.release(at)
  }
)
