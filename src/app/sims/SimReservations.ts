/**
 * Reserving a free eSIM for a request that names none (rules S2 and I6).
 *
 * No two requests get the same SIM. While every free eSIM is reserved for another request, a request waits: it is
 * refused only when none is left at all.
 */
import { Context, Effect, Exit, Layer } from "effect"
import type { NoFreeSim, SimsReleasing } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"
import * as SimReservationPools from "./SimReservationPools.ts"
import { type Kind, outOfStock, type Reservation, type ReservationSource } from "./SimReservationPools.ts"

/** Reserves an eSIM that no other request gets meanwhile. */
export type Reserve = (kind: Kind) => Effect.Effect<Sim, NoFreeSim | SimsReleasing | StorageError>

/** How long to wait before asking again while every free eSIM is reserved, in milliseconds. */
const PAUSE = 10

export class SimReservations extends Context.Service<
  SimReservations,
  {
    /**
     * Runs a request that may reserve a SIM, up to the commit that takes the SIM. If the request reserves again, say
     * after a conflict, its earlier reservation is released first. If it fails, its reservation is released.
     */
    readonly during: <A, E, R>(request: (reserve: Reserve) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("simplan/SimReservations") {}

export const layer: Layer.Layer<SimReservations, never, Storage | Ids> = Layer.effect(
  SimReservations,
  Effect.gen(function* () {
    const storage = yield* Storage
    const ids = yield* Ids
    const inTransaction = yield* HostTransaction
    const { claimMillis, fastPaths } = yield* Settings

    const reserveOne = Effect.fnUntraced(function* (kind: Kind, onReserved: (reservation: Reservation) => void) {
      const token = yield* ids.token
      const machineNow = yield* MonotonicTime.now
      const claim = { ...kind, token, count: 1, machineNow, until: machineNow + claimMillis }
      const { shortage, sims } = yield* storage.sims.reserve(claim)
      const [sim] = sims
      if (sim !== undefined) onReserved({ sim, token })
      return { sim, shortage }
    }, Effect.uninterruptible)

    const release = ({ sim: { iccid, organizationId }, token }: Reservation) =>
      storage.sims.release({ organizationId, reservations: [{ iccid, token }] })

    /** Asks storage for each request by itself. */
    const direct: ReservationSource = {
      reserve: Effect.fnUntraced(function* (kind, onReserved) {
        while (true) {
          const { shortage, sim } = yield* reserveOne(kind, onReserved)
          if (sim !== undefined) return sim
          if (shortage !== null && shortage !== "Busy") return yield* outOfStock(shortage, kind)
          yield* Effect.sleep(PAUSE)
        }
      }),
      abandon: (reservation) => Effect.ignore(release(reservation)),
      end: Effect.void
    }

    const sourceFor = fastPaths.simReservationPool ? yield* SimReservationPools.make : () => direct

    return SimReservations.of({
      during: <A, E, R>(request: (reserve: Reserve) => Effect.Effect<A, E, R>) =>
        Effect.flatMap(inTransaction, (isInTransaction) => {
          // A reservation in the caller's transaction is undone with it, so no other request may share it.
          const source = isInTransaction ? direct : sourceFor()
          let current: Reservation | null = null
          const reserve: Reserve = (kind) =>
            Effect.suspend(() => {
              const before = current === null ? Effect.void : release(current)
              return Effect.flatMap(before, () => {
                current = null
                return source.reserve(kind, (reservation) => {
                  current = reservation
                })
              })
            })
          return Effect.onExit(request(reserve), (exit) => {
            // A failed transaction takes no more statements, and its reservation is undone with it.
            if (current === null || Exit.isSuccess(exit) || isInTransaction) return source.end
            return Effect.andThen(source.abandon(current), source.end)
          })
        })
    })
  })
)
