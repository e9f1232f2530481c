/**
 * Claiming an eSIM for a request that names none (rules S2 and I6). While every eSIM left is under another request's
 * claim, it waits: nobody is told that none is left as long as one may be.
 *
 * Requests share a hand for each label. In a transaction of the caller's, which what it does goes along with, a request
 * claims for itself.
 */
import { Clock as MachineClock, Context, Effect, Exit, Layer } from "effect"
import { NoFreeSim } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import * as SimReservationPool from "./SimReservationPool.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"

/** How long to wait before looking again, in milliseconds. */
const PAUSE = 10

/** Claims an eSIM that nobody else is given meanwhile. */
export type Claim = (kind: SimReservationPool.Kind) => Effect.Effect<Sim, NoFreeSim | StorageError>

export class SimReservations extends Context.Service<
  SimReservations,
  {
    /**
     * Runs a request that may claim, up to the commit that its claim is for. Where it claims again, as after a conflict,
     * the claim before is handed back first, so that it costs no second SIM; and likewise where it fails.
     */
    readonly during: <A, E, R>(request: (claim: Claim) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("simplan/SimReservations") {}

export const layer: Layer.Layer<SimReservations, never, Storage | Ids> = Layer.effect(
  SimReservations,
  Effect.gen(function* () {
    const storage = yield* Storage
    const ids = yield* Ids
    const { claimMillis } = yield* Settings
    const context = yield* Effect.context<Storage | Ids>()
    const hands = new Map<string, SimReservationPool.SimReservationPool>()
    yield* Effect.addFinalizer(() =>
      Effect.forEach([...hands.values()], (hand) => hand.close, { concurrency: "unbounded", discard: true })
    )

    const handOf = (key: string, kind: SimReservationPool.Kind): SimReservationPool.SimReservationPool => {
      const known = hands.get(key)
      if (known !== undefined) return known
      const made = SimReservationPool.make(kind, { storage, ids, claimMillis, context })
      hands.set(key, made)
      return made
    }

    const alone = Effect.fnUntraced(function* (
      kind: SimReservationPool.Kind,
      hold: (held: SimReservationPool.Reservation) => void
    ) {
      while (true) {
        const token = yield* ids.token
        const machineNow = yield* MachineClock.currentTimeMillis
        const claim = { ...kind, token, count: 1, machineNow, until: machineNow + claimMillis }
        const { shortage, sims } = yield* storage.sims.reserve(claim)
        const [sim] = sims
        if (sim !== undefined) {
          hold({ sim, token })
          return sim
        }
        if (shortage === "None") return yield* new NoFreeSim({ label: kind.label })
        yield* Effect.sleep(PAUSE)
      }
    })

    const during = <A, E, R>(request: (claim: Claim) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        let held: SimReservationPool.Reservation | null = null
        let entered: { readonly key: string; readonly hand: SimReservationPool.SimReservationPool } | null = null

        const hold = (taken: SimReservationPool.Reservation): void => {
          held = taken
        }
        const enter = (kind: SimReservationPool.Kind): SimReservationPool.SimReservationPool => {
          const key = JSON.stringify([kind.organizationId, kind.label, kind.purpose])
          if (entered?.key === key) return entered.hand
          leave()
          const hand = handOf(key, kind)
          hand.enter()
          entered = { key, hand }
          return hand
        }
        const leave = (): void => {
          if (entered === null) return
          entered.hand.leave()
          if (entered.hand.isEmpty()) hands.delete(entered.key)
          entered = null
        }
        const claim = Effect.fnUntraced(function* (kind: SimReservationPool.Kind) {
          if (held !== null) {
            const { organizationId, iccid } = held.sim
            yield* storage.sims.release({ organizationId, held: [{ iccid, token: held.token }] })
            held = null
          }
          return yield* (yield* storage.inTransaction) ? alone(kind, hold) : enter(kind).take(hold)
        })
        return Effect.onExit(request(claim), (exit) =>
          Effect.sync(() => {
            if (Exit.isFailure(exit) && held !== null) entered?.hand.handBack(held)
            leave()
          })
        )
      })

    return SimReservations.of({ during })
  })
)
