/**
 * Plan attachments of a subscription: reading them, suspending one (rules T2, T6, T7, S4).
 */
import { Context, Effect, Layer } from "effect"
import * as Capabilities from "../../domain/Capabilities.ts"
import * as Attachment from "../../domain/Attachment.ts"
import type { WithPackages } from "../../domain/Attachment.ts"
import * as Reason from "../../domain/Reason.ts"
import { kinds } from "../../domain/Idempotency.ts"
import * as Preview from "../../domain/Preview.ts"
import * as Problem from "../../domain/Problem.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import { NotFound, type Refusing } from "../../domain/Refusal.ts"
import * as Suspension from "../../domain/Suspension.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, Storage, type StorageError } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { TelcoUsage } from "../../ports/TelcoUsage.ts"
import * as RequestContext from "../RequestContext.ts"
import { Commits } from "../commit/Commits.ts"

interface OfSubscription {
  readonly organizationId: string
  readonly iccid: string
}

/** An attachment as a reader gets it by itself. */
export interface Shown extends Reason.Explained {
  /**
   * Until when what was used of its packages is counted, by their ids, as far as is known. Absent:
   * it is not known of any.
   */
  readonly usageAsOf?: ReadonlyMap<string, Instant>
}

/** Reads attachments, and suspends them. */
export class Attachments extends Context.Service<
  Attachments,
  {
    /** Oldest first. */
    readonly list: (of: OfSubscription) => Effect.Effect<ReadonlyArray<Shown>, NotFound | StorageError>
    /**
     * By plan id or attachment id; of several with the plan, the active one, else the newest
     * (rule S4).
     */
    readonly get: (of: OfSubscription & { readonly id: string }) => Effect.Effect<Shown, NotFound | StorageError>
    /**
     * For good (rule T7). It succeeds before the telco has taken it, and again if it was suspended
     * already. `NotFound` by a plan's id; `NotSupported` if the telco suspends no package.
     */
    readonly suspend: (
      of: OfSubscription & { readonly attachmentId: string }
    ) => Effect.Effect<void, NotFound | Refusing<"suspension"> | StorageError>
    /** What `suspend` would do now, or its refusal (rule S9). */
    readonly previewSuspend: (
      of: OfSubscription & { readonly attachmentId: string }
    ) => Effect.Effect<Preview.OfSuspension, NotFound | Refusing<"suspension"> | StorageError>
  }
>()("simplan/Attachments") {}

/**
 * What a lookup for a reason is charged as, in rows: many suspended attachments take many lookups.
 */
const LOOKUP = 64

/** Attachments with their reasons (rule L2), as of a SIM that is paused since then, or is not. */
export const makeExplain = Effect.map(Storage, (storage) => {
  /**
   * Looks up what a reason depends on; null for an attachment that gives service, or waits for a
   * time.
   */
  const lookup = (
    of: WithPackages,
    nothing: Reason.Known,
    now: Instant
  ): Effect.Effect<Reason.Known, StorageError> | null => {
    const { attachmentId, organizationId, suspendedAt } = of.attachment
    if (suspendedAt !== null) {
      const change = { action: "plan_attachment.suspend", resourceId: attachmentId, createdAt: suspendedAt } as const
      const reads = {
        suspendedBy: storage.auditEntries.actor({ organizationId, ...change }),
        suspension: storage.jobs.get({ organizationId, jobId: Suspension.jobId(attachmentId) })
      }
      return Effect.map(Effect.all(reads, { concurrency: "unbounded" }), (found) => ({ ...nothing, ...found }))
    }
    const jobId = Reason.orderOf(of, now)
    return jobId === null
      ? null
      : Effect.map(storage.jobs.get({ organizationId, jobId }), (order) => ({ ...nothing, order }))
  }

  const explained = (
    of: WithPackages,
    pausedAt: Instant | null,
    now: Instant
  ): Reason.Explained | Effect.Effect<Reason.Explained, StorageError> => {
    const nothing: Reason.Known = { order: null, suspendedBy: null, suspension: null, pausedAt }
    const found = lookup(of, nothing, now)
    if (found === null) return Reason.explained(of, nothing, now)
    return Effect.andThen(
      RequestContext.countRows(LOOKUP),
      Effect.map(found, (known) => Reason.explained(of, known, now))
    )
  }

  return (
    attachments: ReadonlyArray<WithPackages>,
    pausedAt: Instant | null,
    now: Instant
  ): Effect.Effect<ReadonlyArray<Reason.Explained>, StorageError> => {
    const all = attachments.map((one) => explained(one, pausedAt, now))
    const isKnown = (one: (typeof all)[number]): one is Reason.Explained => !Effect.isEffect(one)
    if (all.every(isKnown)) return Effect.succeed(all)
    // The lookups of one turn are one read.
    return Effect.forEach(all, (one) => (isKnown(one) ? Effect.succeed(one) : one), { concurrency: "unbounded" })
  }
})

/**
 * Adds to a commit that deletes or suspends attachments that the problems of what the telco refuses
 * of them end with it (rule S6).
 */
export const makeEndProblems = Effect.map(Storage, (storage) =>
  Effect.fnUntraced(function* (commit: Commit, attachments: ReadonlyArray<WithPackages>) {
    const found = yield* Effect.forEach(Problem.endingWith(attachments), storage.jobs.get)
    const resolved = found.flatMap((job) =>
      job === null || job.endedAt === null
        ? []
        : [{ organizationId: job.organizationId, jobId: job.jobId, endedAt: job.endedAt }]
    )
    return resolved.length === 0
      ? commit
      : { ...commit, jobs: { ...commit.jobs, resolved: [...(commit.jobs?.resolved ?? []), ...resolved] } }
  })
)

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory: states are worked
 * out at each reading (rule T2).
 */
export const layer: Layer.Layer<Attachments, never, Storage | BusinessClock | Commits | Telco> = Layer.effect(
  Attachments,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const explain = yield* makeExplain
    const endProblems = yield* makeEndProblems
    const capabilitiesOf = yield* TelcoCapabilities.current
    const usage = yield* TelcoUsage

    const checkSupported = ({ sim }: SimAggregate.SimAggregate) =>
      TelcoCapabilities.check(capabilitiesOf(sim), Capabilities.suspension)

    /** The visible ones: all of them, or those of one name. */
    const seen = Effect.fnUntraced(function* ({ iccid, organizationId }: OfSubscription, id?: string) {
      const found = yield* storage.subscriptions.attachments({ organizationId, iccid, id })
      if (found === null) return yield* new NotFound({ resource: "subscription", id: iccid })
      yield* RequestContext.countAttachments(found.attachments)
      return { pausedAt: found.pausedAt, attachments: SimAggregate.confirmed(found) }
    })

    /** The aggregate of a live subscription, with this attachment alone. */
    const loadLive = Effect.fnUntraced(function* (of: OfSubscription & { readonly attachmentId: string }) {
      const { attachmentId, iccid, organizationId } = of
      const found = yield* storage.simAggregates.forAttachment({ organizationId, iccid, attachmentId })
      const aggregate = yield* Effect.fromResult(SimAggregate.visible(found, iccid))
      yield* RequestContext.countAttachments(aggregate.attachments)
      return aggregate
    })

    const shown = (
      of: OfSubscription,
      attachments: ReadonlyArray<WithPackages>,
      pausedAt: Instant | null,
      now: Instant
    ): Effect.Effect<ReadonlyArray<Shown>, StorageError> => {
      const explained = explain(attachments, pausedAt, now)
      if (usage === null) return explained
      return Effect.zipWith(explained, usage.asOf(of), (all, usageAsOf) => all.map((one) => ({ ...one, usageAsOf })))
    }

    return Attachments.of({
      list: Effect.fnUntraced(function* (of) {
        const { attachments, pausedAt } = yield* seen(of)
        return yield* shown(of, attachments, pausedAt, yield* clock.now)
      }),
      get: Effect.fnUntraced(function* (of) {
        const { attachments, pausedAt } = yield* seen(of, of.id)
        const now = yield* clock.now
        const found = Attachment.find(attachments, of.id, now)
        if (found === undefined) return yield* new NotFound({ resource: "plan attachment", id: of.id })
        const [one] = yield* shown(of, [found], pausedAt, now)
        return one ?? (yield* new NotFound({ resource: "plan attachment", id: of.id }))
      }),
      suspend: Effect.fn("Attachments.suspend")(function* (of) {
        yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const { attachmentId, iccid, organizationId } = of
            const aggregate = yield* loadLive(of)
            const now = yield* clock.now
            const decision = yield* Effect.fromResult(Suspension.suspend(aggregate, attachmentId, now))
            if (decision.sim === undefined) return
            yield* checkSupported(aggregate)
            const change = {
              organizationId,
              action: "plan_attachment.suspend",
              resourceId: attachmentId,
              iccid
            } as const
            const decided = yield* commits.prepare(organizationId, decision, now)
            const suspended = aggregate.attachments.filter(({ attachment }) => attachment.attachmentId === attachmentId)
            const commit = yield* commits.audited(yield* endProblems(decided, suspended), change, now)
            yield* commits.write(commit, kinds.Done.keep(null))
          })
        )
      }),
      previewSuspend: Effect.fn("Attachments.previewSuspend")(function* (of) {
        const aggregate = yield* loadLive(of)
        const preview = yield* Effect.fromResult(Preview.suspension(aggregate, of.attachmentId, yield* clock.now))
        if (preview.suspended.length > 0 || preview.endedOccurrences > 0) yield* checkSupported(aggregate)
        return preview
      })
    })
  })
)
