/**
 * The bundles that suppliers sell (rule P5), as an operator chooses plans from them. A telco that
 * sells none is in no list.
 */
import { Context, Effect } from "effect"
import type { Amount } from "../domain/Amount.ts"
import { Refused, type Unavailable } from "./Telco.ts"

/** A bundle in the catalogue of a supplier, as it is now. */
export interface Bundle {
  /** The code that a purchase or a top-up names: a plan's load (rule P5). */
  readonly code: string
  /** What it is called there. */
  readonly name: string
  /** `sim`: an eSIM is bought with it; `topUp`: it goes on one that is there; `any`: both. */
  readonly kind: "sim" | "topUp" | "any"
  /** ISO 3166-1 alpha-2, upper case, each once. */
  readonly countries: ReadonlyArray<string>
  /** In bytes; null: unlimited. */
  readonly dataBytes: number | null
  /** How long it lasts, in whole days; null: the supplier does not say so in days. */
  readonly days: number | null
  /** What one costs; null: the supplier does not say. */
  readonly price: Amount | null
}

/** What suppliers sell. */
export interface TelcoBundles {
  /** The names of the telcos that sell, in the order of the settings. */
  readonly telcos: Effect.Effect<ReadonlyArray<string>>
  /** What one of them sells, in its own order; refused if it sells nothing. */
  readonly of: (telco: string) => Effect.Effect<ReadonlyArray<Bundle>, Refused | Unavailable>
}

/** The suppliers beside `Telco`. The default: there are none. */
export const TelcoBundles = Context.Reference<TelcoBundles>("simplan/TelcoBundles", {
  defaultValue: () => ({
    telcos: Effect.succeed([]),
    of: (telco) => Effect.fail(new Refused({ message: `The telco ${telco} sells no bundles` }))
  })
})
