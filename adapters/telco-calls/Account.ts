/**
 * What an account at a supplier that sells eSIMs has beside the port of the telco.
 */
import { Context, type Effect } from "effect"
import type { Amount, Telco, TelcoBundles, Time } from "simplan/ports"
import type { TelcoFailure } from "./CallFailure.ts"
import type { Purchases } from "./Purchases.ts"
import type { KnownOrder } from "./purchases/PurchaseRecords.ts"

/** An order of the account, whoever has made it, of one eSIM or for one. */
export interface Order {
  /** The supplier's own name of it. */
  readonly reference: string
  /** What was bought; null: several things, or the supplier does not say. */
  readonly load: string | null
  /** Null: the supplier does not say, or it is of several eSIMs. */
  readonly iccid: string | null
  /** What was charged; null: the supplier does not say. */
  readonly cost: Amount.Amount | null
  /** When it was made; null: the supplier does not say. */
  readonly at: Time.Instant | null
  /** The top-up here that it is; null: none is. */
  readonly topUp: Effect.Effect<KnownOrder | null, Telco.Unavailable>
}

/** An account at a supplier. */
export class Account extends Context.Service<
  Account,
  {
    /** What it can buy now. What eSIMs are bought with is there by the code of a purchase. */
    readonly bundles: Effect.Effect<ReadonlyArray<TelcoBundles.Bundle>, TelcoFailure>
    /** What is left for orders. */
    readonly balance: Effect.Effect<Amount.Amount, TelcoFailure>
    /** What was bought, and which package has it. */
    readonly purchases: Purchases
    /**
     * All orders that were made between two times, and maybe more. Absent: the supplier lists none.
     */
    readonly orders?: (of: {
      readonly since: Time.Instant
      readonly until: Time.Instant
    }) => Effect.Effect<ReadonlyArray<Order>, TelcoFailure>
  }
>()("simplan/TelcoCalls/Account") {}

/** The countries among what a supplier names as places; its own regions have other forms. */
export const countries = (places: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(places.map((place) => place.trim().toUpperCase()).filter((place) => /^[A-Z]{2}$/.test(place)))
]
