/**
 * Load, decide, commit: the one way in which anything is written, on behalf of whatever the running
 * fiber serves.
 *
 * After a conflict the use case loads and decides again. The engine learns of new work from
 * `Storage.watch`. A fiber serves a request, perhaps with an idempotency key, or a command, or
 * neither. The first commit of a request with a key carries that key's record (rule W2), and that
 * of a command ends the command's job (rule H1). What a host sets of it is `RequestContext`.
 */
import { Context, Data, Effect, Layer } from "effect"
import { type AuditEntry, type Change, HOST, type Origin } from "../../domain/AuditEntry.ts"
import * as Command from "../../domain/Command.ts"
import type { Decision, NewJob } from "../../domain/Decision.ts"
import { type Answer, type Interrupted, type Outcome, type RequestKey, RETENTION } from "../../domain/Idempotency.ts"
import * as Job from "../../domain/Job.ts"
import type { Label } from "../../domain/Label.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import { InsideTransaction } from "../../domain/Refusal.ts"
import * as SimDifference from "../../domain/SimDifference.ts"
import * as Stock from "../../domain/Stock.ts"
import type { Instant } from "../../domain/Time.ts"
import { isOptIn, type OptInType, type Payload, type WebhookEvent } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import type { JobLease } from "../../ports/Jobs.ts"
import * as Storage from "../../ports/Storage.ts"
import * as CommittedCache from "./CommittedCache.ts"
import { Ids } from "./Ids.ts"
import * as RequestContext from "../RequestContext.ts"
import { Settings } from "../Settings.ts"

/** Where a change by this request comes from. */
export const originOf = ({
  actor = HOST,
  address,
  reason = null,
  requestId
}: RequestContext.RequestContext): Origin => ({ actor, address, requestId, reason })

/** The idempotency key of the request, and whether a commit has written its record. */
export interface ServedKey {
  readonly request: RequestKey
  /**
   * The attempt that an earlier request under the key has left (rule S5), or that this one holds
   * the record by; null: none.
   */
  interrupted: Interrupted | null
  readonly done: { current: boolean }
}

/** Null if the request has no key. */
export const CurrentIdempotency = Context.Reference<ServedKey | null>("simplan/Commits/CurrentIdempotency", {
  defaultValue: () => null
})

/**
 * Another request has used the key meanwhile. `IdempotencyKeys.once` answers with the outcome of
 * that request.
 */
export class KeyTaken extends Data.TaggedError("KeyTaken")<{}> {}

/**
 * What a commit records for the request or command: the answer, that a job will add it later, or
 * the attempt by which a request of many commits holds its key. No command has such a one.
 */
type RecordedOutcome = Answer | "later" | Interrupted

/** Writes the record of a request, in place of one that is too old or that was interrupted. */
export const putRecord = (
  { interrupted, request: { fingerprint, key, organizationId } }: Pick<ServedKey, "interrupted" | "request">,
  outcome: Outcome | Interrupted,
  now: Instant
): NonNullable<NonNullable<Storage.Commit["idempotency"]>["put"]> => [
  {
    record: { organizationId, key, fingerprint, createdAt: now, outcome },
    replaces: now - RETENTION,
    ...(interrupted !== null && { insteadOf: interrupted.attemptId })
  }
]

const isHold = (recorded: RecordedOutcome): recorded is Interrupted => recorded !== "later" && "_tag" in recorded

const succeeded = (answer: Answer): Outcome => ({ _tag: "Succeeded", answer })

/** The commit with the record of its request. */
const withRecord = (
  commit: Storage.Commit,
  idempotency: ServedKey,
  recorded: RecordedOutcome,
  now: Instant
): Storage.Commit => {
  const outcome =
    recorded === "later" ? { _tag: "Pending" as const } : isHold(recorded) ? recorded : succeeded(recorded)
  return { ...commit, idempotency: { ...commit.idempotency, put: putRecord(idempotency, outcome, now) } }
}

/**
 * The command that the fiber carries out. The first commit of the use case ends the command's job.
 * It either settles the command, or it leaves a job that the command waits for, and that job's last
 * commit settles the command or leaves the job of its next attempt. So there is always exactly one
 * job to go on with, at any moment that a process may die.
 */
export interface ServedCommand {
  readonly organizationId: string
  readonly waiting: Job.WaitingCommand
  /** The lease of the command's job. */
  readonly lease: JobLease
  /** Whether a commit has ended the command's job. */
  readonly done: { current: boolean }
}

/** Null if the fiber carries out no command. */
export const CurrentCommand = Context.Reference<ServedCommand | null>("simplan/Commits/CurrentCommand", {
  defaultValue: () => null
})

/**
 * The commit, extended to end the command's job, and to settle the command unless a job will do
 * that later.
 */
const endingCommand = (
  commit: Storage.Commit,
  command: ServedCommand,
  recorded: Exclude<RecordedOutcome, Interrupted>,
  now: Instant
): Storage.Commit => {
  const { lease, organizationId, waiting } = command
  const jobs = { ...commit.jobs, finished: [...(commit.jobs?.finished ?? []), lease] }
  if (recorded === "later") return { ...commit, jobs }
  const { commandId } = waiting
  const outcome = { _tag: "Succeeded" as const, answer: recorded }
  return { ...commit, jobs, commands: { settled: [{ organizationId, commandId, outcome, settledAt: now }] } }
}

/** All that the running fiber serves. */
const serving = Effect.withFiber((fiber) =>
  Effect.succeed({
    idempotency: fiber.getRef(CurrentIdempotency),
    command: fiber.getRef(CurrentCommand),
    origin: originOf(fiber.getRef(RequestContext.Current))
  })
)

/** Serves no request with an idempotency key, and no command. */
export const unattended = Context.make(CurrentIdempotency, null).pipe(Context.add(CurrentCommand, null))

/**
 * Refuses an operation that calls the telco with `InsideTransaction` if the calling fiber runs
 * inside a transaction of the host (rule H1): a rollback would not undo what the telco has done.
 */
export const makeRefuseInside = Effect.map(
  HostTransaction,
  (inTransaction) =>
    (operation: string): Effect.Effect<void, InsideTransaction> =>
      Effect.flatMap(inTransaction, (isInside) =>
        isInside
          ? Effect.fail(
              new InsideTransaction({
                operation,
                message: `${operation} calls the telco, so it cannot run inside a database transaction: submit a command there instead (Commands.submit, simplan.within)`
              })
            )
          : Effect.void
      )
)

/**
 * Which of the opt-in event types an organization's endpoints take (rule E1). A commit writes an
 * event of such a type, or a job for it, only where some endpoint takes it.
 *
 * Each process caches the types, for `cacheMillis` at most.
 */
export class NamedTypes extends Context.Service<
  NamedTypes,
  {
    /**
     * The opt-in types that some endpoint of the organization takes, or misses while the service
     * has it disabled.
     */
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
    const of = yield* CommittedCache.make(storage.watch, read, {
      capacity: CACHED_ORGANIZATIONS,
      emptiedBy: "webhookEndpoints",
      keepMillis: () => cacheMillis
    })
    return NamedTypes.of({ of })
  })
)

export class Commits extends Context.Service<
  Commits,
  {
    /**
     * The commit of a decision made at `now`, with new ids. Its jobs that are due are leased from
     * the start if `lease` is given. Where an endpoint takes them, the events and jobs that the
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
     * a SIM; none where nobody takes the event. `cause` names what has happened to a label, once
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
     * command. Where someone takes them, the events of the commands that it settles are added
     * (rule E1).
     */
    readonly write: (
      commit: Storage.Commit,
      outcome?: RecordedOutcome
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

/**
 * The instants until which attachments have been notified, which are those of their jobs. Their SIM
 * was loaded before: if a job notifies something after that, the SIM has another version, and the
 * commit is a conflict.
 */
export const notifiedUntil = Effect.fnUntraced(function* (
  { jobs }: Pick<Storage.Storage["Service"], "jobs">,
  attachments: ReadonlyArray<Lifecycle.NotifiedAttachment>
) {
  const until = new Map<string, Instant>()
  for (const attachment of attachments) {
    const job = yield* jobs.get(Lifecycle.jobIdOf(attachment))
    if (job !== null) until.set(attachment.attachmentId, job.dueAt)
  }
  return until
})

const nothingCaused: { readonly payloads: ReadonlyArray<Payload>; readonly jobs: ReadonlyArray<NewJob> } = {
  payloads: [],
  jobs: []
}

/**
 * The cached value at first, and the stored one from the second time on. A decision on an outdated
 * value ends in a conflict, so it is made again on the stored value.
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
     * Rule E1: the events and jobs that a change causes. The views of a SIM's aggregate do not name
     * its subscription and plans, so the aggregate is read if there is something to notify. The
     * version of the SIM guards that they belong together.
     */
    const caused = Effect.fnUntraced(function* (
      types: ReadonlySet<OptInType>,
      change: SimDifference.SimChange,
      now: Instant
    ) {
      const isTimed = Lifecycle.includesTimed(types)
      const { causes, jobs } = Lifecycle.caused(
        change,
        now,
        isTimed ? yield* notifiedUntil(storage, Lifecycle.ended(change, now)) : undefined
      )
      const asked = causes.filter(({ type }) => types.has(type))
      const whole = SimDifference.wholeOf(change)
      const aggregate = asked.length === 0 ? null : (whole ?? (yield* storage.simAggregates.get(change.loaded.sim)))
      return {
        payloads: aggregate === null ? [] : Lifecycle.payloads(asked, aggregate),
        jobs: isTimed ? jobs : []
      }
    })

    const checksOf = (of: Stock.Checking, cause: string, now: Instant): ReadonlyArray<NewJob> =>
      clock.set === null ? Stock.checks(of, now) : Stock.checkNow(of, cause, now)

    /**
     * Rule I12: the checks of the stock after a change that may leave another number of eSIMs free.
     */
    const checksAfter = (change: SimDifference.SimChange, now: Instant): ReadonlyArray<NewJob> => {
      const { iccid, organizationId, version } = change.next.sim
      return Stock.moved(change).flatMap((label) => checksOf({ organizationId, label }, `${iccid} ${version}`, now))
    }

    const stockChecks: Commits["Service"]["stockChecks"] = Effect.fnUntraced(function* (organizationId, changed, now) {
      const isTaken = (yield* namedTypes.of(organizationId)).has("stock.low")
      return isTaken ? [...changed].flatMap(({ cause, label }) => checksOf({ organizationId, label }, cause, now)) : []
    })

    const stamp = Effect.fnUntraced(function* (
      organizationId: string,
      decision: Decision,
      now: Instant,
      lease?: Storage.Lease
    ) {
      const { jobs = [], movedFrom, payloads = [], sim, smdpEntries, unchangedPlan } = decision
      const { command, idempotency, origin } = yield* serving
      const key = idempotency?.request.key ?? null
      const isNotifying = sim !== undefined || payloads.length > 0
      const types = isNotifying ? yield* namedTypes.of(organizationId) : NO_TYPES
      // A move has one event for all that it changes (rule S8).
      const isCausing = sim !== undefined && movedFrom === undefined && types.size > 0
      const added = isCausing ? yield* caused(types, sim, now) : nothingCaused
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
      const from = origin ?? (yield* serving).origin
      const entryId = yield* ids.next(now, change.organizationId)
      return { ...change, ...from, reason: from.reason ?? null, entryId, createdAt: now }
    })

    const audited = (commit: Storage.Commit, change: Change, now: Instant, origin?: Origin | null) =>
      Effect.map(entry(change, now, origin), (added) => ({
        ...commit,
        auditEntries: [...(commit.auditEntries ?? []), added]
      }))

    /**
     * Rule E1: the commit with the event of each command that it settles, where someone takes it.
     */
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

    const write = Effect.fnUntraced(function* (commit: Storage.Commit, outcome?: RecordedOutcome) {
      const { command, idempotency: context } = yield* serving
      let recorded = commit
      if (context !== null && outcome !== undefined) {
        recorded = withRecord(recorded, context, outcome, yield* clock.now)
      }
      if (command !== null && outcome !== undefined && !isHold(outcome)) {
        recorded = endingCommand(recorded, command, outcome, yield* clock.now)
      }
      if (recorded.commands?.settled !== undefined) recorded = yield* withOutcomes(recorded)
      yield* Effect.catchTag(storage.commit(recorded), "Conflict", (conflict) =>
        conflict.on === "idempotency key" ? Effect.die(new KeyTaken()) : Effect.fail(conflict)
      )
      if (context !== null && outcome !== undefined) {
        if (isHold(outcome)) context.interrupted = outcome
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
