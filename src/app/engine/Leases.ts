/**
 * The leases of the work that this process has under way. A lease is renewed for as long as its work goes on. So a
 * lease can be short: another process soon takes over what a killed one held, and slow work keeps its lease.
 *
 * A process that was frozen for longer than a lease may lose its work to another one. Nothing that it does afterwards
 * has any effect: its commits carry the token of a lost lease, and its calls to the telco repeat keys.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import type { Delivery } from "../../domain/Delivery.ts"
import type { Job } from "../../domain/Job.ts"
import { HOUR } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Jobs } from "../../ports/Jobs.ts"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"
import { Outbox } from "../../ports/Outbox.ts"
import type { Lease, StorageError } from "../../ports/Storage.ts"
import { Settings } from "../Settings.ts"

/** A lease on a piece of work. It is compared by identity. */
export type WorkLease =
  | { readonly _tag: "Job"; readonly jobId: string; readonly token: string }
  | {
      readonly _tag: "Delivery"
      readonly organizationId: string
      readonly deliveryId: string
      readonly token: string
    }

/** The lease of a job under the token that it was claimed with. */
export const ofJob = ({ jobId }: { readonly jobId: string }, token: string): WorkLease => ({
  _tag: "Job",
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
    /** Takes a lease on a job that nobody holds, due or not; null where somebody holds it, or it is gone or moved. */
    readonly take: (job: Job, lease: Lease) => Effect.Effect<Job | null, StorageError>
    /** Renews these leases, which have just begun, until they are released. */
    readonly hold: (leases: ReadonlyArray<WorkLease>) => Effect.Effect<void>
    /** Renews a lease no more. */
    readonly release: (lease: WorkLease) => Effect.Effect<void>
    /** The leases that are renewed. */
    readonly held: Effect.Effect<ReadonlyArray<WorkLease>>
    /** Ends leases in storage, so that other processes may claim the work at once. */
    readonly handBack: (leases: ReadonlyArray<WorkLease>) => Effect.Effect<void, StorageError>
  }
>()("simplan/Leases") {}

const byKind = (leases: ReadonlyArray<WorkLease>) => ({
  jobs: leases.filter((lease) => lease._tag === "Job"),
  deliveries: leases.filter((lease) => lease._tag === "Delivery")
})

/** How many renewals fit into the time of a lease. */
const RENEWALS = 3

/** The implementation that `Services.layer` provides. Where its scope ends, no lease is renewed any more. */
export const layer: Layer.Layer<Leases, never, Jobs | Outbox> = Layer.effect(
  Leases,
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const outbox = yield* Outbox
    const { leaseMillis } = yield* Settings
    const scope = yield* Effect.scope
    // A lease that has begun since the last renewal needs none yet.
    const held = new Map<WorkLease, { isNew: boolean }>()
    let isRenewing = false

    const renew = Effect.gen(function* () {
      const old: Array<WorkLease> = []
      for (const [lease, age] of held) {
        if (!age.isNew) old.push(lease)
        age.isNew = false
      }
      const { deliveries: heldDeliveries, jobs: heldJobs } = byKind(old)
      const until = (yield* MonotonicTime.now) + leaseMillis
      if (heldJobs.length > 0) yield* jobs.renew({ leases: heldJobs, until })
      if (heldDeliveries.length > 0) yield* outbox.renew({ leases: heldDeliveries, until })
    })

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
      const machineNow = yield* MonotonicTime.now
      // The job is the first from its own place on, unless somebody holds it.
      const place = { now: dueAt, from: { dueAt, id: jobId }, limit: 1 }
      const claimed = yield* jobs.claim({ ...place, machineNow, token, until })
      const others = claimed.filter((job) => job.jobId !== jobId)
      if (others.length > 0) yield* jobs.handBack(others.map((job) => ({ jobId: job.jobId, token })))
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
      release: (lease) => Effect.sync(() => void held.delete(lease)),
      held: Effect.sync(() => [...held.keys()]),
      handBack: Effect.fnUntraced(function* (leases) {
        const of = byKind(leases)
        if (of.jobs.length > 0) yield* jobs.handBack(of.jobs)
        if (of.deliveries.length > 0) yield* outbox.handBack(of.deliveries)
      })
    })
  })
)

/** How far ahead of its due time a request may have taken the job that it goes on with (rule S5), and to spare. */
const AHEAD = 2 * HOUR

/**
 * Ends all leases on work that is due or will be soon: a process that is known to be the only one takes over what a killed
 * one held.
 */
export const takeOver: Effect.Effect<void, StorageError, Jobs | Outbox | BusinessClock> = Effect.gen(function* () {
  const jobs = yield* Jobs
  const outbox = yield* Outbox
  const { now } = yield* BusinessClock
  const at = { now: (yield* now) + AHEAD }
  yield* jobs.release(at)
  yield* outbox.release(at)
})
