/**
 * A SIM that is reserved for one request, and where reservations come from.
 */
import type { Effect } from "effect"
import type { Label } from "../../domain/Label.ts"
import type { NoFreeSim } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { StorageError } from "../../ports/Storage.ts"

/** Which SIMs are wanted, and what for. */
export interface Kind {
  readonly organizationId: string
  readonly label: Label
  readonly purpose: "subscription" | "mobile plan"
}

export interface Reservation {
  readonly sim: Sim
  /** Names the reservation in storage. */
  readonly token: string
}

/** Reserves an eSIM that no other request gets meanwhile. */
export type Reserve = (kind: Kind) => Effect.Effect<Sim, NoFreeSim | StorageError>

/** Where one request gets its reservations from. */
export interface ReservationSource {
  /** `onReserved` is called at once, also where the request is interrupted as it gets the SIM. */
  readonly reserve: (
    kind: Kind,
    onReserved: (reservation: Reservation) => void
  ) => Effect.Effect<Sim, NoFreeSim | StorageError>
  /** Frees the SIM for the next reservation of this request. */
  readonly release: (reservation: Reservation) => Effect.Effect<void, StorageError>
  /** Frees the SIM of a request that has failed. If storage does not answer, the reservation ends by itself. */
  readonly abandon: (reservation: Reservation) => Effect.Effect<void>
  /** The request is over. */
  readonly end: Effect.Effect<void>
}
