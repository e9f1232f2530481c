/**
 * A SIM that is reserved for one request, and where reservations come from.
 */
import type { Effect } from "effect"
import type { Label } from "../../domain/Label.ts"
import { NoFreeSim, SimsReleasing } from "../../domain/Refusal.ts"
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

/** When to ask again while SIMs are on their way back to stock, in seconds. */
const RETRY_AFTER_SECONDS = 5

/** Rules S2 and S5: the refusal of a request for which there is no SIM. */
export const outOfStock = (
  shortage: "Releasing" | "None",
  { label }: Pick<Kind, "label">
): NoFreeSim | SimsReleasing =>
  shortage === "None" ? new NoFreeSim({ label }) : new SimsReleasing({ label, retryAfterSeconds: RETRY_AFTER_SECONDS })

/** Reserves an eSIM that no other request gets meanwhile. */
export type Reserve = (kind: Kind) => Effect.Effect<Sim, NoFreeSim | SimsReleasing | StorageError>

/** Where one request gets its reservations from. */
export interface ReservationSource {
  /** `onReserved` is called at once, also where the request is interrupted as it gets the SIM. */
  readonly reserve: (
    kind: Kind,
    onReserved: (reservation: Reservation) => void
  ) => Effect.Effect<Sim, NoFreeSim | SimsReleasing | StorageError>
  /** Frees the SIM for the next reservation of this request. */
  readonly release: (reservation: Reservation) => Effect.Effect<void, StorageError>
  /** Frees the SIM of a request that has failed. If storage does not answer, the reservation ends by itself. */
  readonly abandon: (reservation: Reservation) => Effect.Effect<void>
  /** The request is over. */
  readonly end: Effect.Effect<void>
}
