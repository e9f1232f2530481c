/**
 * The leases of the work that this process has under way. As long as work goes on its lease is renewed, so that a lease
 * can be short: what a killed process held is free again soon, and slow work is never taken for dead.
 *
 * A process that stood still for longer than a lease may find its work taken over. Nothing that it then does has any
 * effect: its commits carry the token of a lease that was lost, and the telco has seen its calls' keys.
 */
import { Clock as MachineClock, Context, Effect, Layer, Schedule } from "effect"
import type { Delivery } from "../../domain/Delivery.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Jobs } from "../../ports/Jobs.ts"
import { Outbox } from "../../ports/Outbox.ts"
import type { StorageError } from "../../ports/Storage.ts"
import { Settings } from "../Settings.ts"

/** A piece of work and the token that it is held with; it stands for itself, whatever it is equal to. */
export type Holding =
  | { readonly _tag: "Job"; readonly jobId: string; readonly token: string }
  | {
      readonly _tag: "Delivery"
      readonly organizationId: string
      readonly deliveryId: string
      readonly token: string
    }

export const ofJob = ({ jobId }: { readonly jobId: string }, token: string): Holding => ({ _tag: "Job", jobId, token })

export const ofDelivery = ({ deliveryId, organizationId }: Delivery, token: string): Holding => ({
  _tag: "Delivery",
  organizationId,
  deliveryId,
  token
})

export class Leases extends Context.Service<
  Leases,
  {
    /** Sees to it that these leases, which have just begun, do not end before they are let go. */
    readonly keep: (holdings: ReadonlyArray<Holding>) => Effect.Effect<void>
    readonly letGo: (holding: Holding) => Effect.Effect<void>
    /** What is kept now. */
    readonly kept: Effect.Effect<ReadonlyArray<Holding>>
    /** Ends leases, also such as were let go: where they are still had, others may take over at once. */
    readonly handBack: (holdings: ReadonlyArray<Holding>) => Effect.Effect<void, StorageError>
  }
>()("simplan/Leases") {}

const byKind = (holdings: ReadonlyArray<Holding>) => ({
  jobs: holdings.filter((holding) => holding._tag === "Job"),
  deliveries: holdings.filter((holding) => holding._tag === "Delivery")
})

/** How often a lease is renewed in its time. */
const RENEWALS = 3

export const layer: Layer.Layer<Leases, never, Jobs | Outbox> = Layer.effect(
  Leases,
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const outbox = yield* Outbox
    const { leaseMillis } = yield* Settings
    const scope = yield* Effect.scope
    // Old ones were there at the last beat already; the others' leases have only just begun.
    const kept = new Map<Holding, { isOld: boolean }>()
    let isBeating = false

    const renew = Effect.gen(function* () {
      const old: Array<Holding> = []
      for (const [holding, age] of kept) {
        if (age.isOld) old.push(holding)
        age.isOld = true
      }
      const { deliveries: heldDeliveries, jobs: heldJobs } = byKind(old)
      const until = (yield* MachineClock.currentTimeMillis) + leaseMillis
      if (heldJobs.length > 0) yield* jobs.renew({ held: heldJobs, until })
      if (heldDeliveries.length > 0) yield* outbox.renew({ held: heldDeliveries, until })
    })

    const renewed = renew.pipe(
      Effect.retry({ times: RENEWALS, schedule: Schedule.spaced(leaseMillis / 15) }),
      Effect.catchTag("StorageError", (error) => Effect.logWarning("leases were not renewed", { error: error.message }))
    )

    const beat: Effect.Effect<void> = Effect.suspend(() => {
      if (kept.size === 0) {
        isBeating = false
        return Effect.void
      }
      return Effect.andThen(Effect.delay(renewed, leaseMillis / RENEWALS), beat)
    })

    return Leases.of({
      keep: (holdings) =>
        Effect.suspend(() => {
          for (const holding of holdings) kept.set(holding, { isOld: false })
          if (isBeating || kept.size === 0) return Effect.void
          isBeating = true
          return Effect.asVoid(Effect.forkIn(beat, scope))
        }),
      letGo: (holding) => Effect.sync(() => void kept.delete(holding)),
      kept: Effect.sync(() => [...kept.keys()]),
      handBack: Effect.fnUntraced(function* (holdings) {
        const held = byKind(holdings)
        if (held.jobs.length > 0) yield* jobs.handBack(held.jobs)
        if (held.deliveries.length > 0) yield* outbox.handBack(held.deliveries)
      })
    })
  })
)

/** A process that is known to be the only one takes over at once what a killed one held. */
export const takeOver: Effect.Effect<void, StorageError, Jobs | Outbox | BusinessClock> = Effect.gen(function* () {
  const jobs = yield* Jobs
  const outbox = yield* Outbox
  const { now } = yield* BusinessClock
  const at = { now: yield* now }
  yield* jobs.release(at)
  yield* outbox.release(at)
})
