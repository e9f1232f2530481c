/**
 * The fetch loop: claims due work as long as there are free slots for it, and begins it at once. No
 * work waits for the slowest of a batch, and storage is not asked for work that is not due.
 *
 * There is no other way in which due work is done: an advance of a virtual clock sets business time
 * and waits until the loops are idle.
 */
import { Deferred, Effect, Latch } from "effect"
import type { Instant } from "../../domain/Time.ts"
import type { PendingQuery, Pending } from "../../ports/Jobs.ts"
import * as Clocks from "../../ports/Clocks.ts"
import type { Lease, StorageError } from "../../ports/Storage.ts"
import type { FairClaims } from "./FairClaims.ts"
import type * as Leases from "../jobs/Leases.ts"

export interface WakeUps {
  /** There is work due at this instant; null: there is none. */
  readonly notify: (dueAt: Instant | null) => void
  /** The earliest due time since the last call, null if there was none. */
  readonly take: () => Instant | null
  /**
   * Ends when there is work due before the instant, notified before or meanwhile, after so many
   * milliseconds of machine time, or with an `interrupt`, which may have been asked for before.
   */
  readonly before: (
    instant: Instant,
    millis: number,
    isInterrupted: () => boolean
  ) => Effect.Effect<"Notified" | "TimedOut" | "Interrupted">
  /** Ends the present wait, whatever is due. */
  readonly interrupt: () => void
  /** Whether work was notified since the last `take` that is due by this instant. */
  readonly isDueBy: (instant: Instant) => boolean
}

export const makeWakeUps = (): WakeUps => {
  let earliest: Instant | null = null
  let awaited = Number.NEGATIVE_INFINITY
  const latch = Latch.makeUnsafe(false)
  return {
    notify: (dueAt) => {
      if (dueAt === null || (earliest !== null && earliest <= dueAt)) return
      earliest = dueAt
      if (dueAt < awaited) latch.openUnsafe()
    },
    take: () => {
      const dueAt = earliest
      earliest = null
      return dueAt
    },
    before: Effect.fnUntraced(function* (instant, millis, isInterrupted) {
      let isTimedOut = false
      const isNotified = () => earliest !== null && earliest < instant
      const timeOut = Effect.sync(() => {
        isTimedOut = true
        latch.openUnsafe()
      })
      awaited = instant
      latch.closeUnsafe()
      if (!isNotified() && !isInterrupted()) {
        const timer = yield* Effect.forkChild(Effect.delay(timeOut, millis))
        yield* latch.await
        timer.interruptUnsafe()
      }
      return isNotified() ? "Notified" : isTimedOut ? "TimedOut" : "Interrupted"
    }),
    interrupt: () => void latch.openUnsafe(),
    isDueBy: (instant) => earliest !== null && earliest <= instant
  }
}

export interface Options<A> {
  readonly slots: number
  readonly pollMillis: number
  readonly claims: FairClaims<A, StorageError>
  readonly pending: (at: PendingQuery) => Effect.Effect<Pending, StorageError>
  readonly now: Effect.Effect<Instant>
  /** Whether business time stands still until it is set. */
  readonly isStandingClock: boolean
  /** What has to end before each claim. */
  readonly precondition: Effect.Effect<void, StorageError>
  readonly lease: Effect.Effect<Lease>
  readonly leases: Leases.Leases["Service"]
  readonly leaseOf: (work: A, token: string) => Leases.WorkLease
  /** Which of the claimed work is to be begun now. */
  readonly accept: (claimed: ReadonlyArray<A>, token: string, now: Instant) => Effect.Effect<ReadonlyArray<A>>
  /**
   * Does a piece of work to its end; what has to happen in the order of the claim happens when this
   * is called.
   */
  readonly perform: (work: A, token: string) => Effect.Effect<void>
  /** Runs an effect that goes on when the loop is interrupted. */
  readonly fork: (effect: Effect.Effect<void>) => Effect.Effect<unknown>
}

export interface FetchLoop {
  /** Claims and begins work, for ever. */
  readonly run: Effect.Effect<never>
  /** There is work due at this instant; null: there is none. */
  readonly wake: (dueAt: Instant | null) => void
  /**
   * Makes the loop poll for due work, and ends when it has found none that nobody holds and has
   * none under way. Gives what is pending then. The loop has to run.
   */
  readonly idle: Effect.Effect<Pending, StorageError>
  /**
   * Whether the loop has no work under way, and was not notified of any that is due at this
   * instant.
   */
  readonly isIdle: (now: Instant) => boolean
}

/**
 * How long a claim waits for more free slots, and for what another process had claimed; in
 * milliseconds.
 */
const PACE = 10

/** How long to leave alone a storage that does not answer, in milliseconds. */
const RECOVERY = 1_000

export const make = <A>(options: Options<A>): FetchLoop => {
  const { claims, isStandingClock, leases, pollMillis, slots } = options
  const wakeUps = makeWakeUps()
  const halfFree = Latch.makeUnsafe(false)
  const slotFree = Latch.makeUnsafe(false)
  let underWay = 0
  let isClaiming = false
  let isAsleep = false
  const idleWaiters: Array<Deferred.Deferred<Pending, StorageError>> = []

  const ended = (lease: Leases.WorkLease) =>
    Effect.suspend(() => {
      underWay -= 1
      slotFree.openUnsafe()
      if (underWay <= slots / 2) halfFree.openUnsafe()
      if (underWay === 0 && idleWaiters.length > 0) wakeUps.interrupt()
      return leases.release(lease)
    })

  // What is claimed is begun, whatever happens.
  const claim = Effect.uninterruptible(
    Effect.gen(function* () {
      const { token, until } = yield* options.lease
      const machineNow = yield* Clocks.monotonicNow
      const now = yield* options.now
      const claimed = yield* claims.next({ now, machineNow, until, token }, slots - underWay)
      if (claimed.length === 0) return 0
      const accepted = yield* options.accept(claimed, token, now)
      const held = accepted.map((work) => ({ work, lease: options.leaseOf(work, token) }))
      yield* leases.hold(held.map(({ lease }) => lease))
      for (const { lease, work } of held) {
        underWay += 1
        yield* options.fork(Effect.ensuring(options.perform(work, token), ended(lease)))
      }
      return claimed.length
    })
  )

  const pause = Effect.suspend(() => {
    halfFree.closeUnsafe()
    return Effect.asVoid(Effect.timeoutOption(halfFree.await, PACE))
  })

  const awaitSlots = Effect.gen(function* () {
    while (underWay >= slots) {
      slotFree.closeUnsafe()
      yield* slotFree.await
    }
    // More slots are soon free, and one claim for many is cheaper.
    if (underWay > slots / 2) yield* pause
  })

  /**
   * When the next work is due, null if there is none. Answers those who wait for the loop to be
   * idle, if it is.
   */
  const readNext = Effect.gen(function* () {
    const asked = idleWaiters.length
    const machineNow = yield* Clocks.monotonicNow
    const at = { now: yield* options.now, machineNow }
    const pending = yield* options.pending(asked > 0 ? at : claims.searchFrom(at))
    const now = yield* options.now
    const isDue = pending.dueAt !== null && pending.dueAt <= now
    if (!isDue && underWay === 0) {
      for (const waiter of idleWaiters.splice(0, asked)) Deferred.doneUnsafe(waiter, Effect.succeed(pending))
    }
    return { now, isDue, dueAt: pending.dueAt }
  })

  const isPollAwaited = () => idleWaiters.length > 0 && underWay === 0

  /** Sleeps until there is work to claim; `claimed` is what the last claim got. */
  const awaitWork = Effect.fnUntraced(function* (claimed: number) {
    let isLost = claimed === 0
    while (true) {
      const { dueAt, isDue, now } = yield* readNext
      if (isDue && dueAt !== null) {
        claims.notify(dueAt)
        // Another process has just claimed the work, or handed it back.
        if (isLost) yield* Effect.sleep(PACE)
        return
      }
      isLost = false
      const poll = now + pollMillis
      const until = dueAt === null || isStandingClock ? poll : Math.min(dueAt, poll)
      isAsleep = true
      const woken = yield* wakeUps.before(until, until - now, isPollAwaited)
      isAsleep = false
      if (woken === "Notified" || (woken === "TimedOut" && until === dueAt)) return
    }
  })

  const round = Effect.gen(function* () {
    while (true) {
      yield* awaitSlots
      yield* options.precondition
      const notified = wakeUps.take()
      if (notified !== null) claims.notify(notified)
      isClaiming = true
      const claimed = yield* claim
      isClaiming = false
      if (claimed > 0) {
        // On a standing clock little is due at one instant, and polling costs less than another
        // claim.
        if (!isStandingClock) continue
        yield* awaitSlots
      }
      yield* claims.isBlocked() ? pause : awaitWork(claimed)
    }
  })

  const recover = (error: StorageError) => {
    isClaiming = false
    for (const waiter of idleWaiters.splice(0)) Deferred.doneUnsafe(waiter, Effect.fail(error))
    return Effect.andThen(
      Effect.logWarning("storage does not answer", { error: error.message }),
      Effect.sleep(RECOVERY)
    )
  }

  const stopped = Effect.sync(() => {
    isAsleep = false
    isClaiming = false
  })

  return {
    run: Effect.ensuring(Effect.forever(Effect.catchTag(round, "StorageError", recover)), stopped),
    wake: wakeUps.notify,
    idle: Effect.gen(function* () {
      const now = yield* options.now
      // A loop that is asleep need not be woken to find out that there is nothing to do, unless it
      // was notified of work that the clock has reached since. Such a loop is not idle before its
      // next claim, even if the work was another loop's.
      if (isAsleep && underWay === 0 && !wakeUps.isDueBy(now)) {
        const machineNow = yield* Clocks.monotonicNow
        const pending = yield* options.pending({ now, machineNow })
        if ((pending.dueAt === null || pending.dueAt > now) && isAsleep && underWay === 0) return pending
      }
      const waiter = Deferred.makeUnsafe<Pending, StorageError>()
      idleWaiters.push(waiter)
      wakeUps.interrupt()
      return yield* Deferred.await(waiter)
    }),
    isIdle: (now) => !isClaiming && underWay === 0 && !wakeUps.isDueBy(now)
  }
}
