/**
 * Load, decide, commit: the one way in which anything is written.
 *
 * After a conflict the use case loads and decides again. The engine learns of new work from `Storage.watch`. The first
 * commit of a request with an idempotency key carries that key's record (rule W2), and that of a command ends the
 * command's job (rule H1).
 */
import { Context, Effect, Layer } from "effect"
import type { AuditEntry, Change, Origin } from "../../domain/AuditEntry.ts"
import * as Command from "../../domain/Command.ts"
import type { Decision, NewJob } from "../../domain/Decision.ts"
import * as Job from "../../domain/Job.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import * as SimDifference from "../../domain/SimDifference.ts"
import type { Instant } from "../../domain/Time.ts"
import { isOptIn, type OptInType, type Payload, type WebhookEvent } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import * as Storage from "../../ports/Storage.ts"
import { Ids } from "./Ids.ts"
import * as CommittedCache from "./CommittedCache.ts"
import * as Contexts from "./Contexts.ts"
import { Settings } from "../Settings.ts"

/**
 * Which of the opt-in event types an organization's endpoints take (rule E1). A commit writes an event of such a type, or a
 * job for it, only where some endpoint takes it.
 *
 * Each process caches the types. A change of any endpoint, by any process, empties the cache. If the news of a change is
 * lost, an entry lives for `cacheMillis`.
 */
export class NamedTypes extends Context.Service<
  NamedTypes,
  {
    /** The opt-in types that some endpoint of the organization takes, or misses while the service has it disabled. */
    readonly of: (organizationId: string) => Effect.Effect<ReadonlySet<OptInType>, Storage.StorageError>
  }
>()("simplan/NamedTypes") {}

const CACHED_ORGANIZATIONS = 10_000

const NO_TYPES: ReadonlySet<OptInType> = new Set()

export const namedTypesLayer: Layer.Layer<NamedTypes, never, Storage.Storage> = Layer.effect(
  NamedTypes,
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const { cacheMillis } = yield* Settings
    const read = (organizationId: string) =>
      Effect.map(storage.webhookEndpoints.namedTypes({ organizationId }), (types) => {
        const optIn = types.filter(isOptIn)
        return optIn.length === 0 ? NO_TYPES : new Set(optIn)
      })
    const cache = yield* CommittedCache.make(read, { capacity: CACHED_ORGANIZATIONS, keepMillis: () => cacheMillis })
    yield* storage.watch(({ webhookEndpoints }) => {
      if (webhookEndpoints) cache.empty()
    })
    return NamedTypes.of({ of: cache.get })
  })
)

export class Commits extends Context.Service<
  Commits,
  {
    /**
     * The commit of a decision made at `now`, with new ids. Its jobs are leased from the start if `lease` is given. Where
     * an endpoint takes them, the events and jobs that the decision causes by rule E1 are added.
     */
    readonly prepare: (
      organizationId: string,
      decision: Decision,
      now: Instant,
      lease?: Storage.Lease
    ) => Effect.Effect<Storage.Commit, Storage.StorageError>
    /**
     * The audit entry of a change (rule W11), which comes from the request that the fiber serves unless `origin` says
     * else.
     */
    readonly entry: (change: Change, now: Instant, origin?: Origin | null) => Effect.Effect<AuditEntry>
    /** The commit with the audit entry of the change that it makes. */
    readonly audited: (
      commit: Storage.Commit,
      change: Change,
      now: Instant,
      origin?: Origin | null
    ) => Effect.Effect<Storage.Commit>
    /**
     * Writes a commit. `outcome` becomes that of the request's idempotency record, and of the command. Where someone takes
     * them, the events of the commands that it settles are added (rule E1).
     */
    readonly write: (
      commit: Storage.Commit,
      outcome?: Contexts.RecordedOutcome
    ) => Effect.Effect<void, Storage.Conflict | Storage.StorageError>
    /** Runs load, decide and commit again after a conflict. A conflict on a lease is final: the lease is lost. */
    readonly retryOnConflict: <A, E, R>(
      attempt: Effect.Effect<A, E | Storage.Conflict, R>
    ) => Effect.Effect<A, E | Storage.StorageError, R>
  }
>()("simplan/Commits") {}

const ATTEMPTS = 100

const nothingCaused: { readonly payloads: ReadonlyArray<Payload>; readonly jobs: ReadonlyArray<NewJob> } = {
  payloads: [],
  jobs: []
}

/**
 * The cached value at first, and the stored one from the second time on. A decision on an outdated value ends in a
 * conflict, so it is made again on the stored value.
 */
export const cachedThenReload = <A, E>(known: A, load: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let isFirst = true
  return Effect.suspend(() => {
    if (!isFirst) return load
    isFirst = false
    return Effect.succeed(known)
  })
}

export const layer: Layer.Layer<Commits, never, Storage.Storage | BusinessClock | Ids | NamedTypes> = Layer.effect(
  Commits,
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const namedTypes = yield* NamedTypes

    /**
     * The instant until which the attachments that a change ends have been notified. The SIM was loaded before. If
     * the job of one of them notifies something after that, the SIM has another version, and the commit is a conflict.
     */
    const notifiedUntil = Effect.fnUntraced(function* (change: SimDifference.SimChange, now: Instant) {
      const from = new Map<string, Instant>()
      for (const attachmentId of Lifecycle.ended(change, now)) {
        const job = yield* storage.jobs.get(Lifecycle.jobIdOf(attachmentId))
        if (job !== null) from.set(attachmentId, job.dueAt)
      }
      return from
    })

    /**
     * Rule E1: the events and jobs that a change causes. The views of a SIM's aggregate do not name its subscription and
     * plans, so the aggregate is read if there is something to notify. The version of the SIM guards that they belong
     * together.
     */
    const caused = Effect.fnUntraced(function* (
      types: ReadonlySet<OptInType>,
      change: SimDifference.SimChange,
      now: Instant
    ) {
      const isTimed = Lifecycle.includesTimed(types)
      const { causes, jobs } = Lifecycle.caused(change, now, isTimed ? yield* notifiedUntil(change, now) : undefined)
      const asked = causes.filter(({ type }) => types.has(type))
      const whole = SimDifference.wholeOf(change)
      const aggregate = asked.length === 0 ? null : (whole ?? (yield* storage.simAggregates.get(change.loaded.sim)))
      return {
        payloads: aggregate === null ? [] : Lifecycle.payloads(asked, aggregate),
        jobs: isTimed ? jobs : []
      }
    })

    const stamp = Effect.fnUntraced(function* (
      organizationId: string,
      decision: Decision,
      now: Instant,
      lease?: Storage.Lease
    ) {
      const { jobs = [], payloads = [], sim, smdpEntries, unchangedPlan } = decision
      const { command, idempotency, origin } = yield* Contexts.serving
      const key = idempotency?.request.key ?? null
      const types = yield* namedTypes.of(organizationId)
      const added = sim === undefined || types.size === 0 ? nothingCaused : yield* caused(types, sim, now)
      const isTaken = ({ type }: Payload) => !isOptIn(type) || types.has(type)
      const events: Array<WebhookEvent> = []
      for (const payload of [...added.payloads, ...payloads.filter(isTaken)]) {
        events.push({ organizationId, eventId: yield* ids.next(now, organizationId), createdAt: now, payload })
      }
      const commit: Storage.Commit = {
        ...(sim === undefined ? {} : { sims: [sim] }),
        ...(unchangedPlan === undefined ? {} : { unchangedPlans: [unchangedPlan] }),
        ...(smdpEntries === undefined ? {} : { reports: { smdpEntries } }),
        ...(events.length === 0 ? {} : { events }),
        ...(jobs.length + added.jobs.length === 0
          ? {}
          : {
              jobs: {
                put: [
                  ...jobs.map((job) => ({
                    job: {
                      ...Job.make(job, { organizationId, createdAt: now }),
                      ...(Job.isAwaited(job.work)
                        ? { idempotencyKey: key, origin, command: command?.waiting ?? null }
                        : {})
                    },
                    lease: lease ?? null
                  })),
                  ...added.jobs.map((job) => ({
                    job: Job.make(job, { organizationId, createdAt: now }),
                    lease: null
                  }))
                ]
              }
            })
      }
      return commit
    })

    const entry = Effect.fnUntraced(function* (change: Change, now: Instant, origin?: Origin | null) {
      const from = origin ?? (yield* Contexts.serving).origin
      return { ...change, ...from, entryId: yield* ids.next(now, change.organizationId), createdAt: now }
    })

    const audited = (commit: Storage.Commit, change: Change, now: Instant, origin?: Origin | null) =>
      Effect.map(entry(change, now, origin), (added) => ({
        ...commit,
        auditEntries: [...(commit.auditEntries ?? []), added]
      }))

    /** Rule E1: the commit with the event of each command that it settles, where someone takes it. */
    const withOutcomes = Effect.fnUntraced(function* (
      commit: Storage.Commit
    ): Effect.fn.Return<Storage.Commit, Storage.StorageError> {
      const events: Array<WebhookEvent> = []
      for (const settlement of commit.commands?.settled ?? []) {
        const { organizationId, outcome, settledAt } = settlement
        const type = Command.eventType(outcome)
        if (type === null || !(yield* namedTypes.of(organizationId)).has(type)) continue
        const command = yield* storage.commands.get(settlement)
        const payload = command?.settledAt === null ? Command.event(command, outcome) : null
        if (payload === null) continue
        events.push({
          organizationId,
          eventId: yield* ids.next(settledAt, organizationId),
          createdAt: settledAt,
          payload
        })
      }
      return events.length === 0 ? commit : { ...commit, events: [...(commit.events ?? []), ...events] }
    })

    const write = Effect.fnUntraced(function* (commit: Storage.Commit, outcome?: Contexts.RecordedOutcome) {
      const { command, idempotency: context } = yield* Contexts.serving
      let recorded = commit
      if (context !== null && outcome !== undefined) {
        recorded = Contexts.withRecord(recorded, context, outcome, yield* clock.now)
      }
      if (command !== null && outcome !== undefined) {
        recorded = Contexts.endingCommand(recorded, command, outcome, yield* clock.now)
      }
      if (recorded.commands?.settled !== undefined) recorded = yield* withOutcomes(recorded)
      yield* Effect.catchTag(storage.commit(recorded), "Conflict", (conflict) =>
        conflict.on === "idempotency key" ? Effect.die(new Contexts.KeyTaken()) : Effect.fail(conflict)
      )
      if (context !== null && outcome !== undefined) context.done.current = true
      if (command !== null && outcome !== undefined) command.done.current = true
    })

    const retryOnConflict = <A, E, R>(
      attempt: Effect.Effect<A, E | Storage.Conflict, R>
    ): Effect.Effect<A, E | Storage.StorageError, R> => {
      const again = (made: number): Effect.Effect<A, E | Storage.StorageError, R> =>
        Effect.matchEffect(attempt, {
          onSuccess: Effect.succeed,
          onFailure: (error) => {
            if (!(error instanceof Storage.Conflict)) return Effect.fail(error)
            if (error.on === "lease" || made >= ATTEMPTS) {
              return Effect.fail(new Storage.StorageError({ message: `gave up after conflicts on ${error.on}` }))
            }
            const pause = made < 3 ? Effect.yieldNow : Effect.sleep(Math.min(made, 20))
            return Effect.andThen(pause, again(made + 1))
          }
        })
      return again(1)
    }

    return Commits.of({ prepare: stamp, entry, audited, write, retryOnConflict })
  })
)
