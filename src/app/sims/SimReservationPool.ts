/**
 * A hand of eSIMs: those of one label that a process has claimed, so that under load most requests for one get it
 * without asking storage.
 *
 * - Nobody gets a SIM that another one got, and they are given in the order in which they were claimed. One that was
 *   claimed too long ago is not given: what is left of its claim is for the commit.
 * - One claim at a time is under way, for all who wait and for as many ahead as have come in vain while the last ones
 *   were. Where requests come one at a time there are none ahead, and what was claimed ahead and is not asked for is
 *   handed back soon; at once, where they run short.
 * - Who waits is told that none is left by a claim that was made after it asked, and found not even one that is under a
 *   claim. While there are such, it waits.
 */
import { type Context, Clock as MachineClock, Effect, Fiber } from "effect"
import type { Label } from "../../domain/Label.ts"
import { NoFreeSim } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { ClaimedSims, Storage, StorageError } from "../../ports/Storage.ts"
import type { Ids } from "../commit/Ids.ts"

/** What is claimed, and for what. */
export interface Kind {
  readonly organizationId: string
  readonly label: Label
  readonly purpose: "subscription" | "mobile plan"
}

/** A SIM that is claimed. */
export interface Reservation {
  readonly sim: Sim
  readonly token: string
}

export interface SimReservationPool {
  /** A SIM for a request: `hold` is told of it at once, also where the request is interrupted as it gets it. */
  readonly take: (hold: (held: Reservation) => void) => Effect.Effect<Sim, NoFreeSim | StorageError>
  /** Tells that a request begins or ends. */
  readonly enter: () => void
  readonly leave: () => void
  /** Hands back what a request took and has no use for. */
  readonly handBack: (held: Reservation) => void
  /** Whether nothing is lost with this hand. */
  readonly isEmpty: () => boolean
  /** Hands back all that nobody has asked for, and from then on claims nothing ahead. */
  readonly close: Effect.Effect<void>
}

/** What claiming takes; `context` is where it runs, on behalf of nobody in particular. */
export interface Dependencies {
  readonly storage: Storage["Service"]
  readonly ids: Ids["Service"]
  readonly claimMillis: number
  readonly context: Context.Context<never>
}

interface Waiting {
  readonly hold: (held: Reservation) => void
  readonly resume: (effect: Effect.Effect<Sim, NoFreeSim | StorageError>) => void
}

interface Ahead extends Reservation {
  /** When it was claimed. */
  readonly since: number
}

/** How many are claimed at once at most. */
const MOST = 64

/** How long to wait before looking again where all are under claims, in milliseconds. */
const PAUSE = 10

/** How often it is seen to what was claimed ahead, in milliseconds. */
const LOOK = 100

/** For how long nothing is claimed ahead once there were fewer than were wanted, in milliseconds. */
const SCARCE = 1_000

/** In which part of the time of its claim a SIM is given. */
const FRESH = 1 / 5

/** How long closing waits for what is under way, in milliseconds. */
const PATIENCE = 500

export const make = (kind: Kind, { claimMillis, context, ids, storage }: Dependencies): SimReservationPool => {
  const fork = Effect.runForkWith(context)
  const { label, organizationId, purpose } = kind

  const begun = new Set<Fiber.Fiber<unknown>>()
  let waiting: Array<Waiting> = []
  const hand: Array<Ahead> = []
  /** How many are to be in the hand. */
  let wanted = 0
  let isClosed = false
  let isClaiming = false
  let looking: Fiber.Fiber<void> | null = null
  let scarceUntil = Number.NEGATIVE_INFINITY
  // Since it was last seen to the hand: how often it was asked, and how many requests were under way at once.
  let asked = 0
  let underWay = 0
  let peak = 0

  // For nobody in particular, and to its end.
  const begin = (effect: Effect.Effect<void>): void => {
    const fiber = fork(effect)
    begun.add(fiber)
    fiber.addObserver(() => begun.delete(fiber))
  }

  // Claims end by themselves where they cannot be handed back.
  const handBack = (held: ReadonlyArray<Reservation>): void => {
    if (held.length === 0) return
    const named = held.map(({ sim: { iccid }, token }) => ({ iccid, token }))
    begin(Effect.ignore(storage.sims.release({ organizationId, held: named })))
  }

  const give = ({ shortage, sims, token }: ClaimedSims & { readonly token: string }, since: number): void => {
    for (const sim of sims) {
      const one = waiting.shift()
      if (one === undefined) {
        hand.push({ sim, token, since })
        continue
      }
      one.hold({ sim, token })
      one.resume(Effect.succeed(sim))
    }
    if (shortage !== null) {
      wanted = 0
      scarceUntil = since + SCARCE
    } else if (since >= scarceUntil && purpose === "subscription") {
      wanted = Math.min(MOST, waiting.length === 0 ? wanted : Math.max(waiting.length, 2 * wanted))
    }
    if (isClosed) wanted = 0
    handBack(hand.splice(wanted))
    if (wanted > 0) lookAfter()
  }

  const dismiss = (some: ReadonlyArray<Waiting>, answer: Effect.Effect<never, NoFreeSim | StorageError>): void => {
    const dismissed = new Set(some)
    const present = waiting.filter((one) => dismissed.has(one))
    waiting = waiting.filter((one) => !dismissed.has(one))
    for (const { resume } of present) resume(answer)
  }

  const claimed = Effect.fnUntraced(function* (count: number, machineNow: number) {
    const token = yield* ids.token
    const claim = { ...kind, token, count, machineNow, until: machineNow + claimMillis }
    return { ...(yield* storage.sims.reserve(claim)), token }
  })

  /** Claims once, for those who wait and ahead; how long to wait before the next time. */
  const claimOnce = Effect.fnUntraced(function* (count: number) {
    const served = waiting.slice(0, count)
    const since = yield* MachineClock.currentTimeMillis
    const exit = yield* Effect.exit(claimed(count, since))
    if (exit._tag === "Failure") {
      wanted = 0
      dismiss(served, Effect.failCause(exit.cause))
      return 0
    }
    give(exit.value, since)
    if (exit.value.shortage === "None") dismiss(served, new NoFreeSim({ label }))
    return exit.value.shortage === "Busy" ? PAUSE : 0
  })

  const claiming = Effect.gen(function* () {
    // Who asks in the same turn goes along, and after an answer who asks for the next one.
    yield* Effect.yieldNow
    while (true) {
      const count = Math.min(MOST, waiting.length + (hand.length * 2 <= wanted ? wanted - hand.length : 0))
      if (count === 0) break
      const pause = yield* claimOnce(count)
      yield* pause > 0 && waiting.length > 0 ? Effect.sleep(pause) : Effect.yieldNow
    }
    isClaiming = false
  })

  const claim = (): void => {
    if (isClaiming) return
    isClaiming = true
    begin(claiming)
  }

  // What was claimed ahead is as much as is asked for in a while, and nothing where there is one request at a time.
  const lookingAfter = Effect.gen(function* () {
    while (wanted > 0) {
      asked = 0
      peak = underWay
      yield* Effect.sleep(LOOK)
      const now = yield* MachineClock.currentTimeMillis
      wanted = peak < 2 ? 0 : Math.min(wanted, asked)
      passOver(now)
      handBack(hand.splice(wanted))
    }
    looking = null
  })

  const lookAfter = (): void => {
    looking ??= fork(lookingAfter)
  }

  /** Hands back what was claimed too long ago. */
  const passOver = (now: number): void => {
    const index = hand.findIndex(({ since }) => Math.abs(now - since) <= claimMillis * FRESH)
    handBack(hand.splice(0, index === -1 ? hand.length : index))
  }

  const wait = (hold: Waiting["hold"]): Effect.Effect<Sim, NoFreeSim | StorageError> =>
    Effect.callback((resume) => {
      const one: Waiting = { hold, resume }
      waiting.push(one)
      claim()
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== one)
      })
    })

  return {
    take: (hold) =>
      Effect.flatMap(MachineClock.currentTimeMillis, (now) => {
        asked++
        passOver(now)
        const held = hand.shift()
        if (held === undefined) return wait(hold)
        if (hand.length * 2 <= wanted) claim()
        hold(held)
        return Effect.succeed(held.sim)
      }),
    enter: () => {
      underWay++
      peak = Math.max(peak, underWay)
    },
    leave: () => {
      underWay--
    },
    handBack: (held) => handBack([held]),
    isEmpty: () => underWay === 0 && waiting.length === 0 && begun.size === 0 && looking === null,
    close: Effect.suspend(() => {
      isClosed = true
      wanted = 0
      looking?.interruptUnsafe()
      handBack(hand.splice(0))
      const ended = Effect.suspend(() => Fiber.awaitAll([...begun]))
      return Effect.ignore(Effect.timeoutOption(Effect.andThen(ended, ended), PATIENCE))
    })
  }
}
