/**
 * Pausing subscriptions and resuming them (rule S7). What is asked for is committed and answered; a
 * job tells the telco.
 */
import { Context, Effect, Layer } from "effect"
import * as Capabilities from "../../domain/Capabilities.ts"
import { kinds } from "../../domain/Idempotency.ts"
import * as Pause from "../../domain/Pause.ts"
import * as Preview from "../../domain/Preview.ts"
import type { NotFound, NotSupported } from "../../domain/Refusal.ts"
import { changeOfService, type Sim } from "../../domain/Sim.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, Storage, type StorageError } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"

interface OfSubscription {
  readonly organizationId: string
  readonly iccid: string
  /** If it is named, another subscription that the SIM has meanwhile is not found. */
  readonly subscriptionId?: string
}

/** Pauses subscriptions, and resumes them. */
export class Pauses extends Context.Service<
  Pauses,
  {
    /**
     * Pauses the subscription until it is resumed. It succeeds before the telco has taken it, and
     * again if it is paused already. `NotSupported`: the telco of the SIM cannot do it.
     */
    readonly pause: (of: OfSubscription) => Effect.Effect<void, NotFound | NotSupported | StorageError>
    /** Ends a pause. It succeeds before the telco has taken it, and again if there is none. */
    readonly resume: (of: OfSubscription) => Effect.Effect<void, NotFound | StorageError>
    /** What `pause` would do now, or its refusal (rule S9). */
    readonly previewPause: (
      of: OfSubscription
    ) => Effect.Effect<Preview.OfPause, NotFound | NotSupported | StorageError>
    /** What `resume` would do now, or its refusal (rule S9). */
    readonly previewResume: (of: OfSubscription) => Effect.Effect<Preview.OfPause, NotFound | StorageError>
  }
>()("simplan/Pauses") {}

/** What a decision about the pause of a SIM is given, and its commit. */
interface Change {
  readonly given: Pause.Given
  /**
   * A change that was refused for good is no problem any more if the decision says what becomes
   * of it.
   */
  readonly resolved: (commit: Commit) => Commit
}

const unchanged = (commit: Commit): Commit => commit

const isOfService = ({ sims = [] }: Commit): boolean =>
  sims.some(({ loaded, next }) => loaded.sim.service !== next.sim.service)

/** What a decision that may change whether the SIM is paused is given. */
export const makeChange = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  return Effect.fnUntraced(function* (
    { organizationId, service }: Pick<Sim, "organizationId" | "service">,
    now: Instant
  ): Effect.fn.Return<Change, StorageError> {
    const changeId = yield* ids.next(now, organizationId)
    const change = changeOfService(service)
    const job =
      change === null ? null : yield* storage.jobs.get({ organizationId, jobId: Pause.jobId(change.changeId) })
    if (job === null || job.endedAt === null) return { given: { changeId, isRefused: false }, resolved: unchanged }
    const resolved = [{ organizationId, jobId: job.jobId, endedAt: job.endedAt }]
    return {
      given: { changeId, isRefused: true },
      resolved: (commit) => (isOfService(commit) ? { ...commit, jobs: { ...commit.jobs, resolved } } : commit)
    }
  })
})

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Pauses, never, Storage | BusinessClock | Commits | Ids | Telco> = Layer.effect(
  Pauses,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const capabilitiesOf = yield* TelcoCapabilities.current
    const changeOf = yield* makeChange

    const checkSupported = (sim: Sim) => TelcoCapabilities.check(capabilitiesOf(sim), Capabilities.pause)

    /**
     * The aggregate of a live subscription. No attachment is read: a pause says nothing of them.
     */
    const load = Effect.fnUntraced(function* ({ iccid, organizationId, subscriptionId }: OfSubscription) {
      const found = yield* storage.simAggregates.forAttachment({ organizationId, iccid, attachmentId: "" })
      return yield* Effect.fromResult(SimAggregate.visible(found, iccid, subscriptionId))
    })

    const set = <E>(of: OfSubscription, paused: boolean, check: (sim: Sim) => Effect.Effect<void, E>) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const { iccid, organizationId } = of
          const aggregate = yield* load(of)
          const now = yield* clock.now
          const { given, resolved } = yield* changeOf(aggregate.sim, now)
          const decision = Pause.request(aggregate, { paused }, given, now)
          if (decision.sim === undefined) return
          yield* check(aggregate.sim)
          const action = paused ? "subscription.pause" : "subscription.resume"
          const { subscriptionId: resourceId } = aggregate.subscription
          const change = { organizationId, action, resourceId, iccid } as const
          const decided = yield* commits.prepare(organizationId, decision, now)
          yield* commits.write(yield* commits.audited(resolved(decided), change, now), kinds.Done.keep(null))
        })
      )

    const preview = Effect.fnUntraced(function* <E>(
      of: OfSubscription,
      paused: boolean,
      check: (sim: Sim) => Effect.Effect<void, E>
    ) {
      const aggregate = yield* load(of)
      const previewed = Preview.pause(aggregate, { paused }, yield* clock.now)
      if (previewed.isChanged) yield* check(aggregate.sim)
      return previewed
    })

    return Pauses.of({
      previewPause: (of) => preview(of, true, checkSupported),
      previewResume: (of) => preview(of, false, () => Effect.void),
      pause: Effect.fn("Pauses.pause")((of) => set(of, true, checkSupported)),
      resume: Effect.fn("Pauses.resume")((of) => set(of, false, () => Effect.void))
    })
  })
)
