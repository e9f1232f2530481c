/**
 * Work in the background: claimed as long as there are free slots for it, and begun at once. Nothing waits for the
 * slowest of a batch, and nobody looks for work that is not due.
 */
import { Clock as MachineClock, Effect, Latch, Option } from "effect"
import type { Instant } from "../../domain/Time.ts"
import type { LookedFor, Pending } from "../../ports/Jobs.ts"
import type { Lease, StorageError } from "../../ports/Storage.ts"
import type { WakeUps } from "./WakeUps.ts"
import type * as Leases from "./Leases.ts"
import type { FairClaims } from "./FairClaims.ts"

export interface Feed<A> {
  readonly slots: number
  readonly pollMillis: number
  readonly announced: WakeUps
  readonly turns: FairClaims<A, StorageError>
  readonly pending: (at: LookedFor) => Effect.Effect<Pending, StorageError>
  readonly now: Effect.Effect<Instant>
  /** Whether time is told by a clock that does not go on by itself. */
  readonly standsStill: boolean
  readonly lease: Effect.Effect<Lease>
  readonly leases: Leases.Leases["Service"]
  readonly holding: (work: A, token: string) => Leases.Holding
  /** What of the claimed work is to be begun now. */
  readonly accept: (claimed: ReadonlyArray<A>, token: string, now: Instant) => Effect.Effect<ReadonlyArray<A>>
  /** Does a piece of work to its end; what has to happen in the order of the claim happens when this is called. */
  readonly perform: (work: A, token: string) => Effect.Effect<void>
  /** Runs on when this fiber is interrupted. */
  readonly begin: (effect: Effect.Effect<void>) => Effect.Effect<unknown>
}

/** How long a claim waits for more free slots, and for what was in somebody else's hands; in milliseconds. */
const PACE = 10

/** How long to leave alone a storage that does not answer, in milliseconds. */
const RECOVERY = 1_000

/** For ever. */
export const run = <A>(feed: Feed<A>): Effect.Effect<never> => {
  const { announced, leases, pollMillis, slots, turns } = feed
  const room = Latch.makeUnsafe(false)
  let underWay = 0

  const begin = (work: A, token: string, holding: Leases.Holding) => {
    underWay += 1
    const done = Effect.suspend(() => {
      underWay -= 1
      if (underWay <= slots / 2) room.openUnsafe()
      return leases.letGo(holding)
    })
    return feed.begin(Effect.ensuring(feed.perform(work, token), done))
  }

  // What is claimed is begun, whatever happens.
  const take = Effect.uninterruptible(
    Effect.gen(function* () {
      const { token, until } = yield* feed.lease
      const machineNow = yield* MachineClock.currentTimeMillis
      const now = yield* feed.now
      const claimed = yield* turns.next({ now, machineNow, until, token }, slots - underWay)
      const accepted = yield* feed.accept(claimed, token, now)
      const holdings = accepted.map((work) => feed.holding(work, token))
      yield* leases.keep(holdings)
      for (const [index, holding] of holdings.entries()) {
        const work = accepted[index]
        if (work !== undefined) yield* begin(work, token, holding)
      }
      return claimed.length
    })
  )

  const pause = Effect.suspend(() => {
    room.closeUnsafe()
    return Effect.asVoid(Effect.timeoutOption(room.await, PACE))
  })

  const awaitRoom = Effect.gen(function* () {
    // More are soon free, and one claim for many is cheaper: until half of them are, or for a moment.
    if (underWay > slots / 2) yield* pause
    while (underWay >= slots) yield* pause
  })

  // Until work is told of, or the next piece is due; whether it is to be looked for now.
  const wait = Effect.gen(function* () {
    const machineNow = yield* MachineClock.currentTimeMillis
    const { dueAt } = yield* feed.pending(turns.lookingFor({ now: yield* feed.now, machineNow }))
    const now = yield* feed.now
    if (dueAt !== null && dueAt <= now) {
      turns.tell(dueAt)
      yield* Effect.sleep(PACE)
      return true
    }
    const poll = now + pollMillis
    const until = dueAt === null || feed.standsStill ? poll : Math.min(dueAt, poll)
    const told = yield* Effect.timeoutOption(announced.before(until), until - now)
    return Option.isSome(told) || until === dueAt
  })

  const round = Effect.gen(function* () {
    while (true) {
      yield* awaitRoom
      const told = announced.take()
      if (told !== null) turns.tell(told)
      if ((yield* take) > 0) continue
      if (turns.isBlocked()) {
        yield* pause
        continue
      }
      let isToBeLookedFor = false
      while (!isToBeLookedFor) isToBeLookedFor = yield* wait
    }
  })

  return Effect.forever(
    Effect.catchTag(round, "StorageError", (error) =>
      Effect.andThen(Effect.logWarning("storage does not answer", { error: error.message }), Effect.sleep(RECOVERY))
    )
  )
}
