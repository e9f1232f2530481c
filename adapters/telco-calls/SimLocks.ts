/**
 * Lets the calls of a telco about one SIM follow each other, over all processes.
 *
 * A lock lasts for 15 seconds, and is renewed every 5 while it is used. So a process that dies
 * holds up a SIM for 15 seconds at most. A process that stands still for longer has lost its lock
 * for good, also if nobody else has taken it. No call relies on the lock for being made once; it
 * keeps calls from being made twice for nothing.
 */
import { Context, Effect, Fiber, Layer, Random } from "effect"
import { Clocks, type Telco } from "simplan/ports"
import * as Journal from "./Journal.ts"
import * as CallFailure from "./CallFailure.ts"

/** In milliseconds: how long a lock lasts unless it is renewed, and how often it is. */
const LASTS = 15_000
const RENEWED = 5_000

/**
 * In milliseconds: how long a call waits for a lock unless it says so, and how soon it asks again.
 */
const WAITS = 5_000
const FIRST_WAIT = 20
const LONGEST_WAIT = 500

/** A SIM's lock while it is had. */
export interface Held {
  /** Makes the lock last for 15 seconds from now. Fails if it has ended. */
  readonly keep: Effect.Effect<void, Telco.Unavailable>
  /** Fails if the lock has ended, as after a time in which the process stood still. */
  readonly check: Effect.Effect<void, Telco.Unavailable>
}

/** Locks of SIMs, over all processes on one journal. */
export interface Locks {
  /**
   * Runs with the SIM's lock. `Unavailable` if another call has had it for as long as this one
   * waits.
   */
  readonly withLock: <A, E, R>(
    iccid: string,
    use: (held: Held) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Telco.Unavailable, R>
}

/** The locks of one telco. */
export class SimLocks extends Context.Service<SimLocks, Locks>()("simplan/TelcoCalls/SimLocks") {}

const lost = CallFailure.unavailable("Another process may have taken over the calls about this SIM", 1)

/**
 * The locks of a telco in a journal. A call waits for one for `waitMillis`, which is 5 seconds
 * unless given.
 */
export const make = (
  journal: Journal.Journal["Service"],
  { telco, waitMillis = WAITS }: { readonly telco: string; readonly waitMillis?: number }
): Locks => {
  /**
   * Takes or renews a lock: until when, by monotonic time (rule W13); null: another token has it.
   * An interruption leaves no lock behind.
   */
  const hold = Effect.fnUntraced(function* (lock: Journal.Lock) {
    const now = yield* Clocks.monotonicNow
    const until = now + LASTS
    const isHeld = yield* CallFailure.ofJournal(journal.lock({ ...lock, now, until }))
    return isHeld ? until : null
  }, Effect.uninterruptible)

  const acquire = Effect.fnUntraced(function* (lock: Journal.Lock) {
    const giveUpAt = (yield* Clocks.monotonicNow) + waitMillis
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      const until = yield* hold(lock)
      if (until !== null) return until
      if ((yield* Clocks.monotonicNow) >= giveUpAt) {
        return yield* CallFailure.unavailable("Another call about this SIM is under way", 1)
      }
      yield* Effect.sleep(wait)
    }
  })

  const held = (lock: Journal.Lock, first: number): Held => {
    let until = first
    const check = Effect.flatMap(Clocks.monotonicNow, (now) => (now < until ? Effect.void : Effect.fail(lost)))
    const keep = Effect.gen(function* () {
      yield* check
      const kept = yield* hold(lock)
      // A renewal that comes after the end may follow on a time in which another process had the
      // lock.
      yield* check
      if (kept === null) return yield* lost
      until = Math.max(until, kept)
    })
    return { keep, check }
  }

  /**
   * Renews a lock until it is lost. Failure: it is renewed the next time, and whoever has it sees
   * by `check` that it is lost.
   */
  const renew = ({ check, keep }: Held) =>
    Effect.sleep(RENEWED).pipe(
      Effect.andThen(Effect.ignore(keep)),
      Effect.andThen(check),
      Effect.forever,
      Effect.ignore
    )

  return {
    withLock: Effect.fnUntraced(function* (iccid, use) {
      const parts = yield* Effect.all([Random.nextInt, Random.nextInt, Random.nextInt])
      const lock: Journal.Lock = { telco, iccid, token: parts.join("") }
      const run = Effect.gen(function* () {
        const mine = held(lock, yield* acquire(lock))
        const renewing = yield* Effect.forkChild(renew(mine))
        return yield* Effect.ensuring(use(mine), Fiber.interrupt(renewing))
      })
      // Only who has it gives it back. Failure: it ends by itself, 15 seconds after its last
      // renewal.
      return yield* Effect.ensuring(run, Effect.ignore(journal.unlock(lock)))
    })
  }
}

/** The locks of one telco, as a service. */
export const layer = (telco: string): Layer.Layer<SimLocks, never, Journal.Journal> =>
  Layer.effect(
    SimLocks,
    Effect.map(Journal.Journal, (journal) => make(journal, { telco }))
  )
