/**
 * The fetch loops of the handlers that this process has (rule E2): one for each handler, so that none waits for another.
 * A process claims nothing of a handler that it has not.
 */
import { Cause, Effect, Fiber, type Scope } from "effect"
import type { LoggedDelivery } from "../../domain/Delivery.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import type { Pending } from "../../ports/Jobs.ts"
import { Outbox } from "../../ports/Outbox.ts"
import type { Storage, StorageError } from "../../ports/Storage.ts"
import type { Commits } from "../commit/Commits.ts"
import type { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"
import { BackgroundTasks } from "./BackgroundTasks.ts"
import type { FairClaims } from "./FairClaims.ts"
import * as FetchLoop from "./FetchLoop.ts"
import { HandlerRegistry } from "./HandlerRegistry.ts"
import * as HandlerRun from "./HandlerRun.ts"
import * as Leases from "./Leases.ts"

export interface HandlerLoops {
  /** Hands out what is due, to handlers that come later as well, for as long as the scope is open. */
  readonly run: Effect.Effect<void, never, Scope.Scope>
  /** There is work due at this instant; null: there is none. */
  readonly wake: (dueAt: Instant | null) => void
  /** What is pending when all loops have come to rest, as `FetchLoop.idle` has it. They have to run. */
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

/** Likewise, where each has a database transaction, and so a connection, meanwhile. */
const SLOTS_IN_TRANSACTIONS = 2

const nothing: Pending = { dueAt: null, held: 0 }

const both = (left: Pending, right: Pending): Pending => ({
  dueAt: left.dueAt === null || right.dueAt === null ? (left.dueAt ?? right.dueAt) : Math.min(left.dueAt, right.dueAt),
  held: left.held + right.held
})

interface Loop extends FetchLoop.FetchLoop {
  /** The loop while it runs. */
  fiber: Fiber.Fiber<never> | null
}

export type Needs = Storage | Outbox | BusinessClock | BackgroundTasks | Leases.Leases | HandlerRegistry | Commits | Ids

/** The loops; `precondition` ends before each claim. */
export const make: (precondition: Effect.Effect<void, StorageError>) => Effect.Effect<HandlerLoops, never, Needs> =
  Effect.fnUntraced(function* (precondition) {
    const outbox = yield* Outbox
    const clock = yield* BusinessClock
    const tasks = yield* BackgroundTasks
    const leases = yield* Leases.Leases
    const registry = yield* HandlerRegistry
    const { pollMillis } = yield* Settings
    const handleAndStore = yield* HandlerRun.make
    const isStandingClock = clock.set !== null
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
      const loop: Loop = { ...made, fiber: null }
      return loop
    }

    const start = (loop: Loop, scope: Scope.Scope) =>
      Effect.map(Effect.forkIn(loop.run, scope), (fiber) => {
        loop.fiber = fiber
      })

    yield* registry.listen({
      added: (name) =>
        Effect.suspend(() => {
          const known = loops.get(name)
          if (known !== undefined) {
            known.wake(Number.NEGATIVE_INFINITY)
            return Effect.void
          }
          const slots = registry.get(name)?.transaction === null ? SLOTS : SLOTS_IN_TRANSACTIONS
          const loop = makeLoop(name, isStandingClock ? 1 : slots)
          loops.set(name, loop)
          return running === null ? Effect.void : start(loop, running)
        }),
      removed: (name) =>
        Effect.suspend(() => {
          const fiber = loops.get(name)?.fiber ?? null
          loops.delete(name)
          return fiber === null ? Effect.void : Effect.asVoid(Fiber.interrupt(fiber))
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
        for (const [name, loop] of [...loops]) {
          // One that is removed meanwhile comes to no rest.
          const removed = Effect.as(Effect.repeat(Effect.sleep(50), { until: () => loops.get(name) !== loop }), nothing)
          all = both(all, yield* Effect.raceFirst(loop.idle, removed))
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
