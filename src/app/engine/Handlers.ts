/**
 * The handlers of events that this process has, their fetch loops, and one delivery to one of them
 * (rule E2).
 *
 * Each handler has a fetch loop of its own, so that none waits for another. A process claims
 * nothing of a handler that it has not. A failure is logged with its stack and tried again by the
 * handler's schedule. An event that fails again is among the problems (rule S6) until it is handled
 * or given up, because later ones about its SIM wait for it.
 *
 * If the handler has a transaction, the delivery is settled in it as well, so what the handler
 * writes there is committed once: a process that dies between the two leaves neither, and one that
 * has lost the lease rolls back.
 */
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, References, type Scope } from "effect"
import type { LoggedDelivery, Schedule } from "../../domain/Delivery.ts"
import type { WebhookEvent } from "../../domain/WebhookEvent.ts"
import * as Delivery from "../../domain/Delivery.ts"
import { type Instant, MINUTE } from "../../domain/Time.ts"
import * as Problem from "../../domain/Problem.ts"
import * as Clocks from "../../ports/Clocks.ts"
import * as HostTransaction from "../../ports/HostTransaction.ts"
import { type Commit, Conflict, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Metrics from "../Metrics.ts"
import type { Pending } from "../../ports/Jobs.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { Settings } from "../Settings.ts"
import type { FairClaims } from "./FairClaims.ts"
import * as FetchLoop from "./FetchLoop.ts"
import * as Leases from "../jobs/Leases.ts"

/**
 * Runs an effect in a database transaction, which commits if the effect succeeds and else rolls
 * back.
 */
export type Transaction = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, unknown>

export interface Registered {
  readonly name: string
  readonly handle: (event: WebhookEvent) => Effect.Effect<unknown, unknown>
  /** When what it fails at is tried again. */
  readonly schedule: Schedule
  /** Whether what it fails with is hopeless: then the event is given up at once. */
  readonly giveUp: (error: unknown) => boolean
  /** In which the handler runs and its delivery is settled; null for none. */
  readonly transaction: Transaction | null
}

export interface Listener {
  readonly added: (name: string) => Effect.Effect<void>
  readonly removed: (name: string) => Effect.Effect<void>
}

export class HandlerRegistry extends Context.Service<
  HandlerRegistry,
  {
    readonly get: (name: string) => Registered | undefined
    /** Adds a handler, or replaces the one of its name. */
    readonly add: (handler: Registered) => Effect.Effect<void>
    readonly remove: (name: string) => Effect.Effect<void>
    /** Reports the handlers that there are, and later ones. There is one listener. */
    readonly listen: (listener: Listener) => Effect.Effect<void>
  }
>()("simplan/HandlerRegistry") {}

const none: Listener = { added: () => Effect.void, removed: () => Effect.void }

export const registryLayer: Layer.Layer<HandlerRegistry> = Layer.sync(HandlerRegistry, () => {
  const handlers = new Map<string, Registered>()
  let listener = none
  return HandlerRegistry.of({
    get: (name) => handlers.get(name),
    add: (handler) =>
      Effect.suspend(() => {
        handlers.set(handler.name, handler)
        return listener.added(handler.name)
      }),
    remove: (name) => Effect.suspend(() => (handlers.delete(name) ? listener.removed(name) : Effect.void)),
    listen: (subscriber) =>
      Effect.suspend(() => {
        listener = subscriber
        return Effect.forEach([...handlers.keys()], subscriber.added, { discard: true })
      })
  })
})

/**
 * How long a handler may take, in milliseconds of machine time. Then it is interrupted, and has
 * failed.
 */
const LIMIT = MINUTE

/** How much of an error's message the log of attempts keeps, in characters. */
const KEPT = 1_000

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const message = error instanceof Error && error.message !== "" ? error.message : String(error)
  // No storage keeps NUL in a text.
  return message.slice(0, KEPT).replaceAll("\0", "\uFFFD").toWellFormed()
}

/**
 * Whether another process, or an operator, has settled the delivery meanwhile: the one by its
 * lease, the other by its problem.
 */
const isLost = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof Conflict && (error.on === "lease" || error.on === "version")
}

// Failure: the event is given to the handler again, as after any error.
const isHopeless = ({ giveUp, name }: Registered, cause: Cause.Cause<unknown>) =>
  Effect.catchCause(
    Effect.sync(() => giveUp(Cause.squash(cause))),
    (broken) => Effect.as(Effect.logError(`giveUp of the handler ${name} failed`, broken), false)
  )

/** What came of a delivery whose outcome was not stored. */
const outcomeOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "handed_back"
  return isLost(cause) ? "lost" : "failed"
}

/** What hands a delivery to a handler, stores the outcome and counts it. */
export const makeRun = Effect.gen(function* () {
  const clock = yield* Clocks.BusinessClock
  const commits = yield* Commits
  const ids = yield* Ids
  const storage = yield* Storage

  /** What the attempt changes in the list of problems. */
  const problem = Effect.fnUntraced(function* (before: Delivery.Delivery, after: LoggedDelivery, now: Instant) {
    const job = Problem.heldUp(after, now)
    if (job !== null) return { put: [{ job, lease: null }] } satisfies Commit["jobs"]
    if (!Problem.mayHoldUp(before)) return undefined
    const { organizationId } = before
    const jobId = Problem.eventJobId(before.deliveryId)
    const endedAt = (yield* storage.jobs.get({ organizationId, jobId }))?.endedAt ?? null
    return endedAt === null ? undefined : ({ resolved: [{ organizationId, jobId, endedAt }] } satisfies Commit["jobs"])
  })

  const settle = Effect.fnUntraced(function* (
    { delivery, event }: LoggedDelivery,
    token: string,
    attempt: Delivery.Attempt,
    began: number,
    schedule: Delivery.Schedule
  ) {
    const durationMillis = Math.max(0, Math.round((yield* Clocks.monotonicNow) - began))
    const now = yield* clock.now
    const after = Delivery.attempted(
      delivery,
      attempt,
      now,
      Delivery.isDone(attempt) ? 0 : yield* ids.fraction,
      schedule
    )
    const jobs = yield* problem(delivery, { delivery: after, event }, now)
    const logged = Delivery.logged(after, attempt, now, durationMillis)
    const settled = { deliveries: { settled: [{ delivery: after, token, attempt: logged }] } }
    yield* commits.write({ ...settled, ...(jobs && { jobs }) })
    return after
  })

  const call = ({ handle }: Registered, { event }: LoggedDelivery) =>
    Effect.timeoutOrElse(
      Effect.suspend(() => handle(event)),
      {
        duration: LIMIT,
        orElse: () => Effect.fail(new Error(`it took longer than ${LIMIT / 1_000} s`))
      }
    )

  const run = Effect.fnUntraced(function* (handler: Registered, due: LoggedDelivery, token: string) {
    const began = yield* Clocks.monotonicNow
    const handled = Effect.andThen(
      call(handler, due),
      Effect.suspend(() => settle(due, token, { _tag: "Handled" }, began, handler.schedule))
    )
    const { transaction } = handler
    const exit = yield* Effect.exit(transaction === null ? handled : transaction(handled))
    if (Exit.isSuccess(exit)) return "handled"
    const { cause } = exit
    // Interrupted by a stop, it is handed back; settled by another process, it is that one's.
    if (Cause.hasInterruptsOnly(cause)) return "handed_back"
    if (isLost(cause)) return "lost"
    const schedule = (yield* isHopeless(handler, cause)) ? Delivery.noRetry : handler.schedule
    const after = yield* settle(due, token, { _tag: "Threw", message: messageOf(cause) }, began, schedule)
    const { eventId, payload } = due.event
    const isGivenUp = after.nextAttemptAt === null
    yield* Effect.logError(
      `the handler ${handler.name} failed; ${isGivenUp ? "it is given up" : "it is tried again"}`,
      { handler: handler.name, eventId, type: payload.type, attempts: after.attempts },
      cause
    )
    return isGivenUp ? "given_up" : "retried"
  })

  return (handler: Registered, due: LoggedDelivery, token: string) =>
    Metrics.timed(run(handler, due, token), (exit, _, context) => {
      const outcome = Exit.isSuccess(exit) ? exit.value : outcomeOf(exit.cause)
      Metrics.handledEvents({ handler: handler.name, outcome })(1, context)
    })
})

export interface HandlerLoops {
  /**
   * Hands out what is due, to handlers that come later as well, for as long as the scope is open.
   */
  readonly run: Effect.Effect<void, never, Scope.Scope>
  /** There is work due at this instant; null: there is none. */
  readonly wake: (dueAt: Instant | null) => void
  /**
   * What is pending when all loops have come to rest, as `FetchLoop.idle` has it. They have to run.
   */
  readonly idle: Effect.Effect<Pending, StorageError>
  readonly isIdle: (now: Instant) => boolean
  /** What is pending for the handlers of this process. */
  readonly pending: (at: {
    readonly now: Instant
    readonly machineNow: Instant
  }) => Effect.Effect<Pending, StorageError>
}

/** How many events a handler is given at once, each about another SIM. */
const SLOTS = 8

/** How many if each has a database transaction, and so a connection, meanwhile. */
const SLOTS_IN_TRANSACTIONS = 2

const nothing: Pending = { dueAt: null, held: 0 }

const both = (left: Pending, right: Pending): Pending => ({
  dueAt: left.dueAt === null || right.dueAt === null ? (left.dueAt ?? right.dueAt) : Math.min(left.dueAt, right.dueAt),
  held: left.held + right.held
})

interface Loop extends FetchLoop.FetchLoop {
  /** The loop while it runs. */
  fiber: Fiber.Fiber<never> | null
  /** Ends when the handler is removed. */
  readonly removed: Deferred.Deferred<void>
}

export type Needs =
  | Storage
  | Outbox
  | Clocks.BusinessClock
  | Leases.BackgroundTasks
  | Leases.Leases
  | HandlerRegistry
  | Commits
  | Ids

/** The loops; `precondition` ends before each claim. */
export const makeLoops: (precondition: Effect.Effect<void, StorageError>) => Effect.Effect<HandlerLoops, never, Needs> =
  Effect.fnUntraced(function* (precondition) {
    const outbox = yield* Outbox
    const clock = yield* Clocks.BusinessClock
    const tasks = yield* Leases.BackgroundTasks
    const leases = yield* Leases.Leases
    const registry = yield* HandlerRegistry
    const { pollMillis } = yield* Settings
    const handleAndStore = yield* makeRun
    const isStandingClock = clock.set !== null
    const connections = yield* HostTransaction.Connections
    const loops = new Map<string, Loop>()
    let running: Scope.Scope | null = null

    const makeLoop = (name: string, slots: number): Loop => {
      const claims: FairClaims<LoggedDelivery, StorageError> = {
        next: (terms, limit) => outbox.claimForHandler({ ...terms, limit, handler: name }),
        notify: () => {},
        takeTurns: () => {},
        isBlocked: () => false,
        searchFrom: (at) => at
      }
      const perform = (due: LoggedDelivery, token: string): Effect.Effect<void> => {
        const handler = registry.get(name)
        const { deliveryId, organizationId } = due.delivery
        const done: Effect.Effect<void, unknown> =
          handler === undefined
            ? outbox.handBack([{ organizationId, deliveryId, token }])
            : handleAndStore(handler, due, token)
        return Effect.ensuring(
          Effect.catchCause(done, (cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.void
              : Effect.logWarning("the outcome of a handler was not stored", { handler: name, deliveryId }, cause)
          ),
          // The next event about the SIM has waited for this one.
          Effect.sync(() => loop.wake(Number.NEGATIVE_INFINITY))
        )
      }
      const made = FetchLoop.make<LoggedDelivery>({
        slots,
        pollMillis,
        claims,
        pending: ({ machineNow, now }) => outbox.pendingForHandler({ now, machineNow, handler: name }),
        now: clock.now,
        isStandingClock,
        precondition,
        lease: tasks.lease,
        leases,
        leaseOf: ({ delivery }, token) => Leases.ofDelivery(delivery, token),
        accept: Effect.succeed,
        perform,
        fork: tasks.begin
      })
      const loop: Loop = { ...made, fiber: null, removed: Deferred.makeUnsafe() }
      return loop
    }

    const start = (loop: Loop, scope: Scope.Scope) =>
      Effect.map(Effect.forkIn(loop.run, scope), (fiber) => {
        loop.fiber = fiber
      })

    const isInTransaction = (name: string): boolean => registry.get(name)?.transaction !== null

    const slotsOf = (name: string): number => {
      if (isStandingClock) return 1
      return isInTransaction(name) ? SLOTS_IN_TRANSACTIONS : SLOTS
    }

    /**
     * Warns of a handler with whose transactions all connections may be kept, so that what is
     * called within waits for one.
     */
    const warnOfConnections = (name: string): Effect.Effect<void> => {
      if (connections === null || !isInTransaction(name)) return Effect.void
      const kept = [...loops.keys()].filter(isInTransaction).reduce((sum, one) => sum + slotsOf(one), 0)
      return kept < connections
        ? Effect.void
        : // Also where errors alone are logged: what waits would stop without a word.
          Effect.provideService(
            Effect.logWarning(
              "handlers with transactions may keep all connections of the pool at once, so that what they call waits for one until it times out; give the pool more",
              { handler: name, connections, needed: kept + 1 }
            ),
            References.MinimumLogLevel,
            "Warn"
          )
    }

    yield* registry.listen({
      added: (name) =>
        Effect.suspend(() => {
          const known = loops.get(name)
          if (known !== undefined) {
            known.wake(Number.NEGATIVE_INFINITY)
            return Effect.void
          }
          const loop = makeLoop(name, slotsOf(name))
          loops.set(name, loop)
          return Effect.andThen(warnOfConnections(name), running === null ? Effect.void : start(loop, running))
        }),
      removed: (name) =>
        Effect.suspend(() => {
          const loop = loops.get(name)
          if (loop === undefined) return Effect.void
          loops.delete(name)
          Deferred.doneUnsafe(loop.removed, Exit.void)
          return loop.fiber === null ? Effect.void : Effect.asVoid(Fiber.interrupt(loop.fiber))
        })
    })

    return {
      run: Effect.gen(function* () {
        const scope = yield* Effect.scope
        running = scope
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            running = null
          })
        )
        for (const loop of loops.values()) yield* start(loop, scope)
      }),
      wake: (dueAt) => {
        for (const loop of loops.values()) loop.wake(dueAt)
      },
      idle: Effect.gen(function* () {
        let all = nothing
        for (const loop of [...loops.values()]) {
          // One that is removed meanwhile comes to no rest.
          all = both(all, yield* Effect.raceFirst(loop.idle, Effect.as(Deferred.await(loop.removed), nothing)))
        }
        return all
      }),
      isIdle: (now) => [...loops.values()].every((loop) => loop.isIdle(now)),
      pending: Effect.fnUntraced(function* (at) {
        let all = nothing
        for (const name of loops.keys()) all = both(all, yield* outbox.pendingForHandler({ ...at, handler: name }))
        return all
      })
    }
  })
