/**
 * What an account at a supplier that sells eSIMs has beside the port of the telco.
 */
import { Context, type Effect } from "effect"
import type { Amount, TelcoBundles } from "simplan/ports"
import type { TelcoFailure } from "./CallFailure.ts"
import type { Purchases } from "./Purchases.ts"

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
  }
>()("simplan/TelcoCalls/Account") {}

/** The countries among what a supplier names as places; its own regions have other forms. */
export const countries = (places: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(places.map((place) => place.trim().toUpperCase()).filter((place) => /^[A-Z]{2}$/.test(place)))
]
