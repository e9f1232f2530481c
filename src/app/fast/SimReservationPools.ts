/**
 * One pool of reservations for each organization, label and purpose, for as long as requests use it.
 */
import { Effect, type Scope } from "effect"
import { Storage } from "../../ports/Storage.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"
import type { Kind, ReservationSource } from "../sims/Reservation.ts"
import * as SimReservationPool from "./SimReservationPool.ts"

/** Gives each request its source of reservations. Closing the scope releases what is reserved ahead. */
export const make: Effect.Effect<() => ReservationSource, never, Storage | Ids | Scope.Scope> = Effect.gen(
  function* () {
    const storage = yield* Storage
    const ids = yield* Ids
    const { claimMillis } = yield* Settings
    const context = yield* Effect.context<Storage | Ids>()
    const pools = new Map<string, SimReservationPool.SimReservationPool>()
    yield* Effect.addFinalizer(() =>
      Effect.forEach([...pools.values()], (pool) => pool.close, { concurrency: "unbounded", discard: true })
    )

    const poolOf = (key: string, kind: Kind): SimReservationPool.SimReservationPool => {
      const known = pools.get(key)
      if (known !== undefined) return known
      const made = SimReservationPool.make(kind, { storage, ids, claimMillis, context })
      pools.set(key, made)
      return made
    }

    return () => {
      let entered: { readonly key: string; readonly pool: SimReservationPool.SimReservationPool } | null = null
      const leave = (): void => {
        if (entered === null) return
        entered.pool.leave()
        if (entered.pool.isEmpty()) pools.delete(entered.key)
        entered = null
      }
      const enter = (kind: Kind): SimReservationPool.SimReservationPool => {
        const key = JSON.stringify([kind.organizationId, kind.label, kind.purpose])
        if (entered?.key === key) return entered.pool
        leave()
        const pool = poolOf(key, kind)
        pool.enter()
        entered = { key, pool }
        return pool
      }
      return {
        reserve: (kind, onReserved) => Effect.suspend(() => enter(kind).take(onReserved)),
        release: ({ sim: { iccid, organizationId }, token }) =>
          storage.sims.release({ organizationId, reservations: [{ iccid, token }] }),
        // In the background: the failed request need not wait.
        abandon: (reservation) => Effect.sync(() => entered?.pool.release(reservation)),
        end: Effect.sync(leave)
      }
    }
  }
)
