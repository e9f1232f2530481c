/**
 * What purchases of suppliers are held to (rule I16), beside `Telco`. It is asked for each
 * purchase, so it may change while the service runs.
 */
import { Context, Effect } from "effect"
import type { Amount } from "../domain/Amount.ts"
import * as PurchaseLimits from "../domain/PurchaseLimits.ts"

/** What purchases are held to. */
export interface TelcoPurchases {
  /** How much may be bought of a load. */
  readonly limits: (of: PurchaseLimits.OfLoad) => Effect.Effect<PurchaseLimits.Limits>
  /**
   * Whether what is left at the supplier pays for an eSIM with the load; true if nobody knows. A
   * price that is null is not known. Absent: there are no balances.
   */
  readonly covers?: (of: PurchaseLimits.OfLoad, price: Amount | null) => Effect.Effect<boolean>
}

/** The limits of purchases. The default: there are none. */
export const TelcoPurchases = Context.Reference<TelcoPurchases>("simplan/TelcoPurchases", {
  defaultValue: () => ({ limits: () => Effect.succeed(PurchaseLimits.none) })
})
