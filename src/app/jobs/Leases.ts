/**
 * The work that this process has under way: its leases, and fibers that go on when the request that
 * began them is gone.
 *
 * A lease is renewed for as long as its work goes on. So a lease can be short: another process soon
 * takes over what a killed one held, and slow work keeps its lease. A process that was frozen for
 * longer than a lease may lose its work to another one. Nothing that it does afterwards has any
 * effect: its commits carry the token of a lost lease, and its calls to the telco repeat keys.
 *
 * Closing the layer's scope waits for background tasks for a while, then interrupts the rest and
 * hands back their leases, so that another process takes over at once what this one has not done.
 */
import { Context, Deferred, Effect, Exit, type Fiber, FiberSet, Layer, Schedule, Scope } from "effect"
import type { Delivery } from "../../domain/Delivery.ts"
import type { Job } from "../../domain/Job.ts"
import { Jobs, type OfJob } from "../../ports/Jobs.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { Outbox } from "../../ports/Outbox.ts"
import type { Lease, StorageError } from "../../ports/Storage.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"

/** A lease on a piece of work. It is compared by identity. */
export type WorkLease =
  | { readonly _tag: "Job"; readonly organizationId: string; readonly jobId: string; readonly token: string }
  | {
      readonly _tag: "Delivery"
      readonly organizationId: string
      readonly deliveryId: string
      readonly token: string
    }

/** The lease of a job under the token that it was claimed with. */
export const ofJob = ({ jobId, organizationId }: OfJob, token: string): WorkLease => ({
  _tag: "Job",
  organizationId,
  jobId,
  token
})

/** The lease of a delivery under the token that it was claimed with. */
export const ofDelivery = ({ deliveryId, organizationId }: Delivery, token: string): WorkLease => ({
  _tag: "Delivery",
  organizationId,
  deliveryId,
  token
})

/** Keeps the leases of what this process does, and gives them back. */
export class Leases extends Context.Service<
  Leases,
  {
    /**
     * Takes a lease on a job that nobody holds, due or not; null if somebody holds it, or it is
     * gone or moved.
     */
    readonly take: (job: Job, lease: Lease) => Effect.Effect<Job | null, StorageError>
    /** Renews these leases, which have just begun, until they are released. */
    readonly hold: (leases: ReadonlyArray<WorkLease>) => Effect.Effect<void>
    /** Renews a lease no more. */
    readonly release: (lease: WorkLease) => Effect.Effect<void>
    /** Watches for the next release from now on; gives what ends with it. */
    readonly nextRelease: Effect.Effect<Effect.Effect<void>>
    /** The leases that are renewed. */
    readonly held: Effect.Effect<ReadonlyArray<WorkLease>>
    /** Ends leases in storage, so that other processes may claim the work at once. */
    readonly handBack: (leases: ReadonlyArray<WorkLease>) => Effect.Effect<void, StorageError>
  }
>()("simplan/Leases") {}

/** Runs work that goes on without the caller. */
export class BackgroundTasks extends Context.Service<
  BackgroundTasks,
  {
    /** A lease that begins now, with a token of its own. */
    readonly lease: Effect.Effect<Lease>
    /** Runs to its end whatever becomes of the caller, and hands back its fiber's outcome. */
    readonly begin: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>
  }
>()("simplan/BackgroundTasks") {}

const byKind = (leases: ReadonlyArray<WorkLease>) => ({
  jobs: leases.filter((lease) => lease._tag === "Job"),
  deliveries: leases.filter((lease) => lease._tag === "Delivery")
})

/** How many renewals fit into the time of a lease. */
const RENEWALS = 3

/** When its scope ends, no lease is renewed any more. */
const leasesLayer: Layer.Layer<Leases, never, Jobs | Outbox> = Layer.effect(
  Leases,
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const outbox = yield* Outbox
    const { leaseMillis } = yield* Settings
    const scope = yield* Effect.scope
    // First read here: monotonic time begins as the service does, whenever the machine's clock is
    // set after that.
    yield* Clocks.monotonicNow
    // A lease that has begun since the last renewal needs none yet.
    const held = new Map<WorkLease, { isNew: boolean }>()
    let isRenewing = false
    let release = Deferred.makeUnsafe<void>()

    const renew = Effect.gen(function* () {
      const old: Array<WorkLease> = []
      for (const [lease, age] of held) {
        if (!age.isNew) old.push(lease)
        age.isNew = false
      }
      const { deliveries: heldDeliveries, jobs: heldJobs } = byKind(old)
      const until = (yield* Clocks.monotonicNow) + leaseMillis
      if (heldJobs.length > 0) yield* jobs.renew({ leases: heldJobs, until })
      if (heldDeliveries.length > 0) yield* outbox.renew({ leases: heldDeliveries, until })
    })

    // Failure: the next renewal, or another process, which takes the work when its lease has ended.
    const renewOrLog = renew.pipe(
      Effect.retry({ times: RENEWALS, schedule: Schedule.spaced(leaseMillis / 15) }),
      Effect.catchTag("StorageError", (error) => Effect.logWarning("leases were not renewed", { error: error.message }))
    )

    const renewals: Effect.Effect<void> = Effect.suspend(() => {
      if (held.size === 0) {
        isRenewing = false
        return Effect.void
      }
      return Effect.andThen(Effect.delay(renewOrLog, leaseMillis / RENEWALS), renewals)
    })

    const take = Effect.fnUntraced(function* ({ dueAt, jobId }: Job, { token, until }: Lease) {
      const machineNow = yield* Clocks.monotonicNow
      // The job is the first from its own place on, unless somebody holds it.
      const place = { now: dueAt, from: { dueAt, id: jobId }, limit: 1 }
      const claimed = yield* jobs.claim({ ...place, machineNow, token, until })
      const others = claimed.filter((job) => job.jobId !== jobId)
      if (others.length > 0) {
        yield* jobs.handBack(others.map((job) => ({ organizationId: job.organizationId, jobId: job.jobId, token })))
      }
      return claimed.find((job) => job.jobId === jobId) ?? null
    })

    return Leases.of({
      take,
      hold: (leases) =>
        Effect.suspend(() => {
          for (const lease of leases) held.set(lease, { isNew: true })
          if (isRenewing || held.size === 0) return Effect.void
          isRenewing = true
          return Effect.asVoid(Effect.forkIn(renewals, scope))
        }),
      release: (lease) =>
        Effect.sync(() => {
          held.delete(lease)
          const ended = release
          release = Deferred.makeUnsafe<void>()
          Deferred.doneUnsafe(ended, Exit.void)
        }),
      nextRelease: Effect.sync(() => Deferred.await(release)),
      held: Effect.sync(() => [...held.keys()]),
      handBack: Effect.fnUntraced(function* (leases) {
        const sorted = byKind(leases)
        if (sorted.jobs.length > 0) yield* jobs.handBack(sorted.jobs)
        if (sorted.deliveries.length > 0) yield* outbox.handBack(sorted.deliveries)
      })
    })
  })
)

/**
 * How long interrupted work may take to end, and how long handing back may take, in milliseconds.
 */
const WAIT_LIMIT = 500

const tasksLayer: Layer.Layer<BackgroundTasks, never, Ids | Leases> = Layer.effect(
  BackgroundTasks,
  Effect.gen(function* () {
    const ids = yield* Ids
    const leases = yield* Leases
    const { drainMillis, leaseMillis } = yield* Settings
    // In a scope of its own, which nobody closes: closing it would wait for what cannot be
    // interrupted.
    const fibers = yield* Effect.provideService(FiberSet.make(), Scope.Scope, Scope.makeUnsafe())

    // A fiber that goes on in spite of its interruption changes nothing: its lease is gone.
    const handBack = Effect.gen(function* () {
      const held = yield* leases.held
      for (const fiber of fibers) fiber.interruptUnsafe()
      yield* Effect.timeoutOption(FiberSet.awaitEmpty(fibers), WAIT_LIMIT)
      yield* Effect.timeoutOption(leases.handBack(held), WAIT_LIMIT)
    })
    // Failure: what is not handed back is due again when its lease ends.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(FiberSet.awaitEmpty(fibers), drainMillis).pipe(Effect.andThen(handBack), Effect.ignore)
    )

    return BackgroundTasks.of({
      begin: (effect) =>
        Effect.withFiber((caller) => {
          const fiber = Effect.runForkWith(caller.context)(effect)
          FiberSet.addUnsafe(fibers, fiber)
          return Effect.succeed(fiber)
        }),
      lease: Effect.zipWith(ids.token, Clocks.monotonicNow, (token, now) => ({
        token,
        until: now + leaseMillis
      }))
    })
  })
)

/**
 * The implementation that `Services.layer` provides. Leases are renewed until background tasks have
 * ended.
 */
export const layer: Layer.Layer<Leases | BackgroundTasks, never, Ids | Jobs | Outbox> = tasksLayer.pipe(
  Layer.provideMerge(leasesLayer)
)
