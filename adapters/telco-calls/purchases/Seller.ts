/**
 * What a supplier offers that sells SIMs with their loads, by what it can be asked for: the
 * strategy of `Purchases`. Each call is made as it is.
 */
import type { Effect } from "effect"
import type { Amount, Telco } from "simplan/ports"
import type { CallFailure } from "../CallFailure.ts"

type Call<A> = Effect.Effect<A, CallFailure>

/** An order that is to be made, of one eSIM. */
export interface Order {
  /**
   * The same for each call of one purchase, of no other purchase, and written down before the first
   * call: 1 to 50 letters, digits and hyphens.
   */
  readonly key: string
  /** What is bought, and for whom. */
  readonly purchase: Telco.SimPurchase
  /** What `quote` has said; null: nothing. */
  readonly price: Amount.Amount | null
}

/** An order that the supplier has. */
export interface Placed {
  /** The supplier's own name of it, which no other order has. */
  readonly reference: string
  /** What it costs; null or absent: the supplier does not say here. */
  readonly cost?: Amount.Amount | null
  /** The SIM, if the answer has all of it. Null or absent: `read` has it. */
  readonly sim?: Telco.BoughtSim | null
}

/** An order in a list. */
export interface Listed extends Placed {
  /** The supplier's code of the bundle. */
  readonly load: string
  /** How many eSIMs it has. Those of more than one are none of ours. */
  readonly quantity: number
}

interface Base {
  /**
   * What the load costs now; null: nobody says. It is asked for before an order, and is not to be
   * more than the purchase's limit. `Refused` if the load is not sold.
   */
  readonly quote?: (purchase: Telco.SimPurchase) => Call<Amount.Amount | null>
  /**
   * Orders one eSIM, in one call. `Refused` only if the supplier says that it has not done it, with
   * a `reason` if it says one; after the reason `price` it is quoted and ordered once more.
   */
  readonly order: (order: Order) => Call<Placed>
  /**
   * The SIM of an order that the supplier has. Null: it is still being allocated. `Refused` only if
   * the order has come to nothing and is not charged: the purchase is refused then. After any other
   * failure, `NotFound` too, it is read again. Its `cost` is null unless it says another one than
   * the order did.
   */
  readonly read: (of: {
    readonly reference: string
    readonly purchase: Telco.SimPurchase
  }) => Call<Telco.BoughtSim | null>
}

/** Finds orders by the key; `since` is when the first of them may have been made. */
type Search = (key: string, since: number) => Call<ReadonlyArray<Placed & { readonly text: string }>>

/** The same key is the same order. */
export interface Keyed extends Base {
  /** Which one it is. */
  readonly strategy: "Keyed"
  /**
   * Orders since a time, with their keys. A supplier may refuse what it has done already, as for
   * want of money that the order itself has cost, and may forget a key: so it is looked for before
   * a refusal counts, and before it is asked for long after. Absent: it is not.
   */
  readonly search?: Search
}

/** Orders have a text of ours, the key. */
export interface Referenced extends Base {
  /** Which one it is. */
  readonly strategy: "Referenced"
  /** Orders whose text may be the key; those of another text are left out here. */
  readonly search: Search
}

/** Orders have nothing of ours. */
export interface Anonymous extends Base {
  /** Which one it is. */
  readonly strategy: "Anonymous"
  /**
   * All orders since a time, whoever has made them, from the supplier's first one on. Those of
   * other loads may be left out.
   */
  readonly list: (of: { readonly load: string; readonly since: number }) => Call<ReadonlyArray<Listed>>
}

/** What a supplier offers. Each call is made as it is. */
export type Seller = Keyed | Referenced | Anonymous
