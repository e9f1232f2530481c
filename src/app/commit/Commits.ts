/**
 * Load, decide, commit: the one way in which anything is written, on behalf of whatever the running
 * fiber serves.
 *
 * After a conflict the use case loads and decides again. The engine learns of new work from
 * `Storage.watch`. A commit carries what `Served` adds for a request or a command, and the events
 * and jobs that it causes (`Caused`).
 */
import { Context, Effect, Layer } from "effect"
import type { AuditEntry, Change, Origin } from "../../domain/AuditEntry.ts"
import type { Decision, NewJob } from "../../domain/Decision.ts"
import * as Job from "../../domain/Job.ts"
import type { Label } from "../../domain/Label.ts"
import type { Instant } from "../../domain/Time.ts"
import { isOptIn, type Payload, type WebhookEvent } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import * as Storage from "../../ports/Storage.ts"
import * as Caused from "./Caused.ts"
import { Ids } from "./Ids.ts"
import * as Served from "./Served.ts"

export class Commits extends Context.Service<
  Commits,
  {
    /**
     * The commit of a decision made at `now`, with new ids. Its jobs that are due are leased from
     * the start if `lease` is given. If an endpoint takes them, the events and jobs that the
     * decision causes by rule E1 are added.
     */
    readonly prepare: (
      organizationId: string,
      decision: Decision,
      now: Instant,
      lease?: Storage.Lease
    ) => Effect.Effect<Storage.Commit, Storage.StorageError>
    /**
     * Rule I12: the jobs that check the stock of labels after something else than a decision about
     * a SIM; none if nobody takes the event. `cause` names what has happened to a label, once
     * for each time.
     */
    readonly stockChecks: (
      organizationId: string,
      changed: Iterable<{ readonly label: Label; readonly cause: string }>,
      now: Instant
    ) => Effect.Effect<ReadonlyArray<NewJob>, Storage.StorageError>
    /**
     * The audit entry of a change (rule W11), which comes from the request that the fiber serves
     * unless `origin` says else.
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
     * Writes a commit. `outcome` becomes that of the request's idempotency record, and of the
     * command. If someone takes them, the events of the commands that it settles are added
     * (rule E1).
     */
    readonly write: (
      commit: Storage.Commit,
      outcome?: Served.RecordedOutcome
    ) => Effect.Effect<void, Storage.Conflict | Storage.StorageError>
    /**
     * Runs load, decide and commit again after a conflict. A conflict on a lease is final: the
     * lease is lost.
     */
    readonly retryOnConflict: <A, E, R>(
      attempt: Effect.Effect<A, E | Storage.Conflict, R>
    ) => Effect.Effect<A, E | Storage.StorageError, R>
  }
>()("simplan/Commits") {}

const ATTEMPTS = 100

export const layer: Layer.Layer<Commits, never, Storage.Storage | BusinessClock | Ids | Caused.NamedTypes> =
  Layer.effect(
    Commits,
    Effect.gen(function* () {
      const storage = yield* Storage.Storage
      const clock = yield* BusinessClock
      const ids = yield* Ids
      const namedTypes = yield* Caused.NamedTypes
      const { caused, checksAfter, stockChecks, withOutcomes } = yield* Caused.make

      const stamp = Effect.fnUntraced(function* (
        organizationId: string,
        decision: Decision,
        now: Instant,
        lease?: Storage.Lease
      ) {
        const { jobs = [], ledger, movedFrom, payloads = [], sim, smdpEntries, unchangedPlan } = decision
        const { command, idempotency, origin } = yield* Served.serving
        const key = idempotency?.request.key ?? null
        const isNotifying = sim !== undefined || payloads.length > 0
        const types = isNotifying ? yield* namedTypes.of(organizationId) : Caused.NO_TYPES
        // A move has one event for all that it changes (rule S8).
        const isCausing = sim !== undefined && movedFrom === undefined && types.size > 0
        const added = isCausing ? yield* caused(types, sim, now) : Caused.nothingCaused
        const checks = sim === undefined || !types.has("stock.low") ? [] : checksAfter(sim, now)
        const isTaken = ({ type }: Payload) => !isOptIn(type) || types.has(type)
        const events: Array<WebhookEvent> = []
        for (const payload of [...added.payloads, ...payloads.filter(isTaken)]) {
          events.push({ organizationId, eventId: yield* ids.next(now, organizationId), createdAt: now, payload })
        }
        const commit: Storage.Commit = {
          ...(sim === undefined ? {} : { sims: movedFrom === undefined ? [sim] : [movedFrom, sim] }),
          ...(unchangedPlan === undefined ? {} : { unchangedPlans: [unchangedPlan] }),
          ...(smdpEntries === undefined ? {} : { reports: { smdpEntries } }),
          ...(ledger === undefined ? {} : { ledger }),
          ...(events.length === 0 ? {} : { events }),
          ...(jobs.length + added.jobs.length + checks.length === 0
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
                      lease: job.dueAt <= now ? (lease ?? null) : null
                    })),
                    ...[...added.jobs, ...checks].map((job) => ({
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
        const from = origin ?? (yield* Served.serving).origin
        const entryId = yield* ids.next(now, change.organizationId)
        const { changed = [] } = change
        return {
          ...change,
          ...from,
          changed: changed.length === 0 ? null : changed,
          reason: from.reason ?? null,
          entryId,
          createdAt: now
        }
      })

      const audited = (commit: Storage.Commit, change: Change, now: Instant, origin?: Origin | null) =>
        Effect.map(entry(change, now, origin), (added) => ({
          ...commit,
          auditEntries: [...(commit.auditEntries ?? []), added]
        }))

      const write = Effect.fnUntraced(function* (commit: Storage.Commit, outcome?: Served.RecordedOutcome) {
        const { command, idempotency: context } = yield* Served.serving
        let recorded = commit
        if (context !== null && outcome !== undefined) {
          recorded = Served.withRecord(recorded, context, outcome, yield* clock.now)
        }
        if (command !== null && outcome !== undefined && !Served.isHold(outcome)) {
          recorded = Served.endingCommand(recorded, command, outcome, yield* clock.now)
        }
        if (recorded.commands?.settled !== undefined) recorded = yield* withOutcomes(recorded)
        yield* Effect.catchTag(storage.commit(recorded), "Conflict", (conflict) =>
          conflict.on === "idempotency key" ? Effect.die(new Served.KeyTaken()) : Effect.fail(conflict)
        )
        if (context !== null && outcome !== undefined) {
          if (Served.isHold(outcome)) context.interrupted = outcome
          else context.done.current = true
        }
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
              if (error.on === "lease") {
                return Effect.fail(new Storage.LeaseLost({ message: "another process has taken over this work" }))
              }
              if (made >= ATTEMPTS) {
                return Effect.fail(new Storage.StorageError({ message: `gave up after conflicts on ${error.on}` }))
              }
              // On a standing clock nothing waits for the machine's.
              const isAtOnce = made < 3 || clock.set !== null
              const pause = isAtOnce ? Effect.yieldNow : Effect.sleep(Math.min(made, 20))
              return Effect.andThen(pause, again(made + 1))
            }
          })
        return again(1)
      }

      return Commits.of({ prepare: stamp, stockChecks, entry, audited, write, retryOnConflict })
    })
  )
