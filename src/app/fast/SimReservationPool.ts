/**
 * Free eSIMs of one label that a process has reserved ahead, so that under load most requests get one without asking
 * storage.
 *
 * - No two requests get the same SIM. SIMs are given in the order in which they were reserved. A SIM that was reserved
 *   too long ago is released instead: the commit needs what is left of the reservation.
 * - One reservation statement is under way at a time. It reserves for all waiting requests, and ahead for as many as
 *   found the pool empty meanwhile. While requests come one at a time, nothing is reserved ahead. What is not asked for
 *   is released soon, and at once while SIMs are scarce.
 * - A waiting request is refused only by a statement that began after the request, and that found no free SIM, not even a
 *   reserved one. While others hold reservations, the request waits.
 */
import { type Context, Effect, Fiber } from "effect"
import type { NoFreeSim, SimsReleasing } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"
import type { ReservedSims, Storage, StorageError } from "../../ports/Storage.ts"
import type { Ids } from "../commit/Ids.ts"
import { type Kind, outOfStock, type Reservation } from "../sims/Reservation.ts"

export interface SimReservationPool {
  /** A SIM for a request. `onReserved` is called at once, also where the request is interrupted as it gets the SIM. */
  readonly take: (onReserved: OnReserved) => Effect.Effect<Sim, NoFreeSim | SimsReleasing | StorageError>
  /** A request begins. */
  readonly enter: () => void
  /** A request ends. */
  readonly leave: () => void
  /** Releases a SIM in the background. */
  readonly release: (reservation: Reservation) => void
  /** Whether the pool has no request, no reservation and nothing under way. */
  readonly isEmpty: () => boolean
  /** Releases what is reserved ahead, and reserves nothing ahead any more. */
  readonly close: Effect.Effect<void>
}

type OnReserved = (reservation: Reservation) => void

export interface Dependencies {
  readonly storage: Storage["Service"]
  readonly ids: Ids["Service"]
  readonly claimMillis: number
  /** Where statements for several requests run. */
  readonly context: Context.Context<never>
}

interface Waiting {
  readonly onReserved: OnReserved
  readonly resume: (effect: Effect.Effect<Sim, NoFreeSim | SimsReleasing | StorageError>) => void
}

interface Ahead extends Reservation {
  /** When it was reserved. */
  readonly since: number
}

/** How many SIMs one statement reserves at most. */
const BATCH = 64

/** How long to wait before asking again while every free SIM is reserved, in milliseconds. */
const PAUSE = 10

/** How often the pool's size is adapted, in milliseconds. */
const ADAPT_EVERY = 100

/** For how long nothing is reserved ahead after SIMs were scarce, in milliseconds. */
const SCARCE = 1_000

/** The part of a reservation's time in which its SIM may be given. */
const FRESH = 1 / 5

/** How long closing waits for statements under way, in milliseconds. */
const CLOSING = 500

export const make = (kind: Kind, { claimMillis, context, ids, storage }: Dependencies): SimReservationPool => {
  const fork = Effect.runForkWith(context)
  const { organizationId, purpose } = kind

  const underWay = new Set<Fiber.Fiber<unknown>>()
  const ahead: Array<Ahead> = []
  let waiting: Array<Waiting> = []
  /** How many SIMs are to be reserved ahead. */
  let target = 0
  let isClosed = false
  let isReserving = false
  let adapting: Fiber.Fiber<void> | null = null
  let scarceUntil = Number.NEGATIVE_INFINITY
  // Since the size was adapted last: how many SIMs were taken, and how many requests were there at once.
  let taken = 0
  let requests = 0
  let peak = 0

  // On behalf of no request in particular, and to its end.
  const begin = (effect: Effect.Effect<void>): void => {
    const fiber = fork(effect)
    underWay.add(fiber)
    fiber.addObserver(() => underWay.delete(fiber))
  }

  // A reservation that cannot be released ends by itself.
  const release = (reservations: ReadonlyArray<Reservation>): void => {
    if (reservations.length === 0) return
    const held = reservations.map(({ sim: { iccid }, token }) => ({ iccid, token }))
    begin(Effect.ignore(storage.sims.release({ organizationId, reservations: held })))
  }

  /** Gives the SIMs to waiting requests first, and keeps as many of the others as the target says. */
  const give = ({ shortage, sims, token }: ReservedSims & { readonly token: string }, since: number): void => {
    for (const sim of sims) {
      const next = waiting.shift()
      if (next === undefined) {
        ahead.push({ sim, token, since })
        continue
      }
      next.onReserved({ sim, token })
      next.resume(Effect.succeed(sim))
    }
    if (shortage !== null) {
      target = 0
      scarceUntil = since + SCARCE
    } else if (since >= scarceUntil && purpose === "subscription") {
      target = Math.min(BATCH, waiting.length === 0 ? target : Math.max(waiting.length, 2 * target))
    }
    if (isClosed) target = 0
    release(ahead.splice(target))
    if (target > 0) adapting ??= fork(adapt)
  }

  const dismiss = (
    some: ReadonlyArray<Waiting>,
    answer: Effect.Effect<never, NoFreeSim | SimsReleasing | StorageError>
  ): void => {
    const dismissed = new Set(some)
    const present = waiting.filter((one) => dismissed.has(one))
    waiting = waiting.filter((one) => !dismissed.has(one))
    for (const { resume } of present) resume(answer)
  }

  const reserve = Effect.fnUntraced(function* (count: number, machineNow: number) {
    const token = yield* ids.token
    const claim = { ...kind, token, count, machineNow, until: machineNow + claimMillis }
    return { ...(yield* storage.sims.reserve(claim)), token }
  })

  /** Runs one statement. Returns how long to wait before the next one, in milliseconds. */
  const reserveOnce = Effect.fnUntraced(function* (count: number) {
    const served = waiting.slice(0, count)
    const since = yield* MonotonicTime.now
    const exit = yield* Effect.exit(reserve(count, since))
    if (exit._tag === "Failure") {
      target = 0
      dismiss(served, Effect.failCause(exit.cause))
      return 0
    }
    give(exit.value, since)
    const { shortage } = exit.value
    if (shortage === "Releasing" || shortage === "None") dismiss(served, outOfStock(shortage, kind))
    return shortage === "Busy" ? PAUSE : 0
  })

  const reserving = Effect.gen(function* () {
    // Requests that ask in the same turn of the event loop share a statement.
    yield* Effect.yieldNow
    while (true) {
      const refill = ahead.length * 2 <= target ? target - ahead.length : 0
      const count = Math.min(BATCH, waiting.length + refill)
      if (count === 0) break
      const pause = yield* reserveOnce(count)
      yield* pause > 0 && waiting.length > 0 ? Effect.sleep(pause) : Effect.yieldNow
    }
    isReserving = false
  })

  const startReserving = (): void => {
    if (isReserving) return
    isReserving = true
    begin(reserving)
  }

  // The target follows demand: as many as were taken in a while, and none while requests come one at a time.
  const adapt = Effect.gen(function* () {
    while (target > 0) {
      taken = 0
      peak = requests
      yield* Effect.sleep(ADAPT_EVERY)
      const now = yield* MonotonicTime.now
      target = peak < 2 ? 0 : Math.min(target, taken)
      releaseStale(now)
      release(ahead.splice(target))
    }
    adapting = null
  })

  const releaseStale = (now: number): void => {
    const index = ahead.findIndex(({ since }) => Math.abs(now - since) <= claimMillis * FRESH)
    release(ahead.splice(0, index === -1 ? ahead.length : index))
  }

  const wait = (onReserved: OnReserved): Effect.Effect<Sim, NoFreeSim | SimsReleasing | StorageError> =>
    Effect.callback((resume) => {
      const one: Waiting = { onReserved, resume }
      waiting.push(one)
      startReserving()
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== one)
      })
    })

  return {
    take: (onReserved) =>
      Effect.flatMap(MonotonicTime.now, (now) => {
        taken++
        releaseStale(now)
        const reservation = ahead.shift()
        if (reservation === undefined) return wait(onReserved)
        if (ahead.length * 2 <= target) startReserving()
        onReserved(reservation)
        return Effect.succeed(reservation.sim)
      }),
    enter: () => {
      requests++
      peak = Math.max(peak, requests)
    },
    leave: () => {
      requests--
    },
    release: (reservation) => release([reservation]),
    isEmpty: () => requests === 0 && waiting.length === 0 && underWay.size === 0 && adapting === null,
    close: Effect.suspend(() => {
      isClosed = true
      target = 0
      adapting?.interruptUnsafe()
      release(ahead.splice(0))
      const ended = Effect.suspend(() => Fiber.awaitAll([...underWay]))
      return Effect.ignore(Effect.timeoutOption(Effect.andThen(ended, ended), CLOSING))
    })
  }
}
