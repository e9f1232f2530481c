/**
 * Reserving a free eSIM for a request that names none (rules S2 and I6), and the pools that it
 * comes from under load.
 *
 * No two requests get the same SIM. While every free eSIM is reserved for another request, a
 * request waits: it is refused only by a statement that began after the request, and that found no
 * free SIM, not even a reserved one. It asks again as soon as a reservation of this process ends,
 * whatever the machine's clock does, and often for those of other processes.
 *
 * Each request asks storage by itself, or is given a SIM of a pool (`FastPaths`), which exists for
 * speed alone. A process keeps a pool for each organization, label and purpose, for as long as
 * requests use it: free eSIMs that it has reserved ahead, so that most requests get one without
 * asking storage.
 *
 * - SIMs are given in the order in which they were reserved. A SIM that was reserved too long ago
 *   is released instead: the commit needs what is left of the reservation.
 * - One reservation statement is under way at a time. It reserves for all waiting requests, and
 *   ahead for as many as found the pool empty meanwhile. While requests come one at a time, nothing
 *   is reserved ahead. What is not asked for is released soon, and at once while SIMs are scarce.
 */
import { Context, Effect, Exit, Fiber, Layer, type Scope } from "effect"
import type { Label } from "../../domain/Label.ts"
import { NoFreeSim, SimsReleasing } from "../../domain/Refusal.ts"
import type { Purpose, Sim, WantedLoad } from "../../domain/Sim.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { type ReservedSims, Storage, type StorageError } from "../../ports/Storage.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"

/** Which SIMs are wanted, and what for. */
export interface Kind {
  readonly organizationId: string
  readonly label: Label
  readonly purpose: Purpose
  /** The load that they came with (rule S2); null: none. */
  readonly load: WantedLoad | null
}

/** Why no eSIM is reserved. */
export type Shortage = NoFreeSim | SimsReleasing | StorageError

/** Reserves an eSIM that no other request gets meanwhile. */
export type Reserve = (kind: Kind) => Effect.Effect<Sim, Shortage>

export class SimReservations extends Context.Service<
  SimReservations,
  {
    /**
     * Runs a request that may reserve a SIM, up to the commit that takes the SIM. If the request
     * reserves again, say after a conflict, its earlier reservation is released first. If it fails,
     * its reservation is released.
     */
    readonly during: <A, E, R>(request: (reserve: Reserve) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("simplan/SimReservations") {}

interface Reservation {
  readonly sim: Sim
  /** Names the reservation in storage. */
  readonly token: string
}

/**
 * Is called at once when a reservation is made, also if the request is interrupted as it gets
 * the SIM.
 */
type OnReserved = (reservation: Reservation) => void

/** Where one request gets its reservations from. */
interface Source {
  readonly reserve: (kind: Kind, onReserved: OnReserved) => Effect.Effect<Sim, Shortage>
  /**
   * Frees the SIM of a request that has failed. If storage does not answer, the reservation ends by
   * itself.
   */
  readonly abandon: (reservation: Reservation) => Effect.Effect<void>
  /** The request is over. */
  readonly end: Effect.Effect<void>
}

/** How long to wait before asking again while every free SIM is reserved, in milliseconds. */
const PAUSE = 10

/** When to ask again while SIMs are on their way back to stock, in seconds. */
const RETRY_AFTER_SECONDS = 5

/** Rules S2 and S5: the refusal of a request for which there is no SIM. */
export const outOfStock = (shortage: "Releasing" | "None", label: Label): NoFreeSim | SimsReleasing =>
  shortage === "None" ? new NoFreeSim({ label }) : new SimsReleasing({ label, retryAfterSeconds: RETRY_AFTER_SECONDS })

/** The eSIM that a request would get (rule S2), which stays free. */
export const unreserved =
  (storage: Storage["Service"]): Reserve =>
  ({ label, load, organizationId }) =>
    Effect.flatMap(storage.sims.free({ organizationId, label, load }), ({ shortage, sim }) =>
      shortage === null ? Effect.succeed(sim) : Effect.fail(outOfStock(shortage, label))
    )

/** What one statement has reserved. */
interface Reserved extends ReservedSims {
  readonly token: string
  /** When it was asked for. */
  readonly since: number
}

/** The ends of this process's reservations. */
interface Ends {
  /** How many there were. */
  readonly count: () => number
  /** Says that one has ended. */
  readonly add: Effect.Effect<void>
  /** Ends with the next end after so many, or soon. */
  readonly after: (count: number) => Effect.Effect<void>
}

const makeEnds = (): Ends => {
  let count = 0
  const waiting = new Set<() => void>()
  const next = Effect.callback<void>((resume) => {
    const goOn = () => resume(Effect.void)
    waiting.add(goOn)
    return Effect.sync(() => void waiting.delete(goOn))
  })
  // Whoever has ended its reservation goes on first.
  const end = Effect.andThen(Effect.raceFirst(Effect.sleep(PAUSE), next), Effect.yieldNow)
  return {
    count: () => count,
    add: Effect.sync(() => {
      count++
      // What goes on at once may wait again, for the next end.
      const all = [...waiting]
      waiting.clear()
      for (const resume of all) resume()
    }),
    after: (before) => Effect.suspend(() => (count === before ? end : Effect.yieldNow))
  }
}

/** The statements that reserve and release SIMs. */
interface Statements {
  readonly ends: Ends
  readonly reserve: (kind: Kind, count: number) => Effect.Effect<Reserved, StorageError>
  readonly release: (reservations: ReadonlyArray<Reservation>) => Effect.Effect<void, StorageError>
}

const makeStatements = Effect.fnUntraced(function* (): Effect.fn.Return<Statements, never, Storage | Ids> {
  const storage = yield* Storage
  const ids = yield* Ids
  const { claimMillis } = yield* Settings
  const ends = makeEnds()
  return {
    ends,
    reserve: Effect.fnUntraced(function* (kind: Kind, count: number) {
      const token = yield* ids.token
      const since = yield* Clocks.monotonicNow
      const claim = { ...kind, token, count, machineNow: since, until: since + claimMillis }
      return { ...(yield* storage.sims.reserve(claim)), token, since }
    }),
    release: (reservations) => {
      const organizationId = reservations[0]?.sim.organizationId
      if (organizationId === undefined) return Effect.void
      const held = reservations.map(({ sim: { iccid }, token }) => ({ iccid, token }))
      return Effect.ensuring(storage.sims.release({ organizationId, reservations: held }), ends.add)
    }
  }
})

interface Pool {
  /** A SIM for a request. */
  readonly take: (onReserved: OnReserved) => Effect.Effect<Sim, Shortage>
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

interface Waiting {
  readonly onReserved: OnReserved
  readonly resume: (effect: Effect.Effect<Sim, Shortage>) => void
}

interface Ahead extends Reservation {
  /** When it was reserved. */
  readonly since: number
}

/** How many SIMs one statement reserves at most. */
const BATCH = 64

/** How often the pool's size is adapted, in milliseconds. */
const ADAPT_EVERY = 100

/** For how long nothing is reserved ahead after SIMs were scarce, in milliseconds. */
const SCARCE = 1_000

/** The part of a reservation's time in which its SIM may be given. */
const FRESH = 1 / 5

/** How long closing waits for statements under way, in milliseconds. */
const CLOSING = 500

type Fork = (effect: Effect.Effect<void>) => Fiber.Fiber<void>

/** `fork` runs statements for several requests. */
const makePool = (kind: Kind, statements: Statements, claimMillis: number, fork: Fork): Pool => {
  const underWay = new Set<Fiber.Fiber<unknown>>()
  const ahead: Array<Ahead> = []
  let waiting: Array<Waiting> = []
  /** How many SIMs are to be reserved ahead. */
  let target = 0
  let isClosed = false
  let isReserving = false
  let adapting: Fiber.Fiber<void> | null = null
  let scarceUntil = Number.NEGATIVE_INFINITY
  // Since the size was adapted last: how many SIMs were taken, and how many requests were there at
  // once.
  let taken = 0
  let requests = 0
  let peak = 0

  // On behalf of no request in particular, and to its end.
  const begin = (effect: Effect.Effect<void>): void => {
    const fiber = fork(effect)
    underWay.add(fiber)
    fiber.addObserver(() => underWay.delete(fiber))
  }

  const release = (reservations: ReadonlyArray<Reservation>): void => {
    // Failure: the reservation ends by itself.
    if (reservations.length > 0) begin(Effect.ignore(statements.release(reservations)))
  }

  /**
   * Gives the SIMs to waiting requests first, and keeps as many of the others as the target says.
   */
  const give = ({ shortage, since, sims, token }: Reserved): void => {
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
    } else if (since >= scarceUntil && kind.purpose === "subscription") {
      target = Math.min(BATCH, waiting.length === 0 ? target : Math.max(waiting.length, 2 * target))
    }
    if (isClosed) target = 0
    release(ahead.splice(target))
    if (target > 0) adapting ??= fork(adapt)
  }

  const dismiss = (some: ReadonlyArray<Waiting>, answer: Effect.Effect<never, Shortage>): void => {
    const dismissed = new Set(some)
    const present = waiting.filter((one) => dismissed.has(one))
    waiting = waiting.filter((one) => !dismissed.has(one))
    for (const { resume } of present) resume(answer)
  }

  /** Runs one statement. Returns what the next one waits for. */
  const reserveOnce = Effect.fnUntraced(function* (count: number) {
    const ended = statements.ends.count()
    const served = waiting.slice(0, count)
    const exit = yield* Effect.exit(statements.reserve(kind, count))
    if (exit._tag === "Failure") {
      target = 0
      dismiss(served, Effect.failCause(exit.cause))
      return Effect.yieldNow
    }
    give(exit.value)
    const { shortage } = exit.value
    if (shortage === "Releasing" || shortage === "None") dismiss(served, outOfStock(shortage, kind.label))
    return shortage === "Busy" ? statements.ends.after(ended) : Effect.yieldNow
  })

  const reserving = Effect.gen(function* () {
    // Requests that ask in the same turn of the event loop share a statement.
    yield* Effect.yieldNow
    while (true) {
      const refill = ahead.length * 2 <= target ? target - ahead.length : 0
      const count = Math.min(BATCH, waiting.length + refill)
      if (count === 0) break
      const pause = yield* reserveOnce(count)
      yield* waiting.length > 0 ? pause : Effect.yieldNow
    }
    isReserving = false
  })

  const startReserving = (): void => {
    if (isReserving) return
    isReserving = true
    begin(reserving)
  }

  // The target follows demand: as many as were taken in a while, and none while requests come one
  // at a time.
  const adapt = Effect.gen(function* () {
    while (target > 0) {
      taken = 0
      peak = requests
      yield* Effect.sleep(ADAPT_EVERY)
      const now = yield* Clocks.monotonicNow
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

  const wait = (onReserved: OnReserved): Effect.Effect<Sim, Shortage> =>
    Effect.callback((resume) => {
      const call: Waiting = { onReserved, resume }
      waiting.push(call)
      startReserving()
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== call)
      })
    })

  return {
    take: (onReserved) =>
      Effect.flatMap(Clocks.monotonicNow, (now) => {
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
      // Failure: what is not released by then ends by itself.
      return Effect.ignore(Effect.timeoutOption(Effect.andThen(ended, ended), CLOSING))
    })
  }
}

/**
 * Gives each request its source of reservations. Closing the scope releases what is reserved ahead.
 */
const makePools = Effect.fnUntraced(function* (
  statements: Statements,
  direct: Source
): Effect.fn.Return<() => Source, never, Scope.Scope> {
  const { claimMillis } = yield* Settings
  const fork = Effect.runForkWith(yield* Effect.context())
  const pools = new Map<string, Pool>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...pools.values()], (pool) => pool.close, { concurrency: "unbounded", discard: true })
  )

  const poolOf = (key: string, kind: Kind): Pool => {
    const known = pools.get(key)
    if (known !== undefined) return known
    const made = makePool(kind, statements, claimMillis, fork)
    pools.set(key, made)
    return made
  }

  return () => {
    let entered: { readonly key: string; readonly pool: Pool } | null = null
    const leave = (): void => {
      if (entered === null) return
      entered.pool.leave()
      if (entered.pool.isEmpty()) pools.delete(entered.key)
      entered = null
    }
    const enter = (kind: Kind): Pool => {
      const key = JSON.stringify([kind.organizationId, kind.label, kind.purpose])
      if (entered?.key === key) return entered.pool
      leave()
      const pool = poolOf(key, kind)
      pool.enter()
      entered = { key, pool }
      return pool
    }
    return {
      // What a supplier has sold is few, and bought as it is asked for: none is reserved ahead.
      reserve: (kind, onReserved) =>
        kind.load === null ? Effect.suspend(() => enter(kind).take(onReserved)) : direct.reserve(kind, onReserved),
      // In the background: the failed request need not wait.
      abandon: (reservation) =>
        reservation.sim.purchase === null
          ? Effect.sync(() => entered?.pool.release(reservation))
          : direct.abandon(reservation),
      end: Effect.sync(leave)
    }
  }
})

/** Asks storage for each request by itself. */
const makeDirect = ({ ends, release, reserve }: Statements): Source => {
  const reserveOne = Effect.fnUntraced(function* (kind: Kind, onReserved: OnReserved) {
    const { shortage, sims, token } = yield* reserve(kind, 1)
    const [sim] = sims
    if (sim !== undefined) onReserved({ sim, token })
    return { sim, shortage }
  }, Effect.uninterruptible)
  return {
    reserve: Effect.fnUntraced(function* (kind, onReserved) {
      while (true) {
        const ended = ends.count()
        const { shortage, sim } = yield* reserveOne(kind, onReserved)
        if (sim !== undefined) return sim
        if (shortage !== null && shortage !== "Busy") return yield* outOfStock(shortage, kind.label)
        yield* ends.after(ended)
      }
    }),
    // Failure: the reservation ends by itself.
    abandon: (reservation) => Effect.ignore(release([reservation])),
    end: Effect.void
  }
}

export const layer: Layer.Layer<SimReservations, never, Storage | Ids> = Layer.effect(
  SimReservations,
  Effect.gen(function* () {
    const inTransaction = yield* HostTransaction
    const { fastPaths } = yield* Settings
    const statements = yield* makeStatements()
    const direct = makeDirect(statements)
    const sourceFor = fastPaths.simReservationPool ? yield* makePools(statements, direct) : () => direct

    return SimReservations.of({
      during: <A, E, R>(request: (reserve: Reserve) => Effect.Effect<A, E, R>) =>
        Effect.flatMap(inTransaction, (isInTransaction) => {
          // A reservation in the caller's transaction is undone with it, so no other request may
          // share it.
          const source = isInTransaction ? direct : sourceFor()
          let current: Reservation | null = null
          const reserve: Reserve = (kind) =>
            Effect.suspend(() => {
              const before = current === null ? Effect.void : statements.release([current])
              return Effect.flatMap(before, () => {
                current = null
                return source.reserve(kind, (reservation) => {
                  current = reservation
                })
              })
            })
          return Effect.onExit(request(reserve), (exit) => {
            // A failed transaction takes no more statements, and its reservation is undone with it.
            if (current === null) return source.end
            if (Exit.isSuccess(exit) || isInTransaction) return Effect.andThen(statements.ends.add, source.end)
            return Effect.andThen(source.abandon(current), source.end)
          })
        })
    })
  })
)
