/**
 * The bundles that suppliers sell (rule P5), as an operator chooses plans from them. A telco that
 * sells none is in no list.
 */
import { Context, Effect } from "effect"
import type { Label } from "../domain/Label.ts"
import type { SoldBundle } from "../domain/SoldBundle.ts"
import { Refused, type Unavailable } from "./Telco.ts"

/** A bundle in the catalogue of a supplier, as it is now. */
export type Bundle = SoldBundle

/** What suppliers sell. */
export interface TelcoBundles {
  /** The names of the telcos that sell, in the order of the settings. */
  readonly telcos: Effect.Effect<ReadonlyArray<string>>
  /** What one of them sells, in its own order; refused if it sells nothing. */
  readonly of: (telco: string) => Effect.Effect<ReadonlyArray<Bundle>, Refused | Unavailable>
  /**
   * Which telco such a SIM is bought of; null: of none. Absent: of the only one that sells.
   */
  readonly sellerOf?: (of: {
    readonly organizationId: string
    readonly label: Label
    readonly load: string
  }) => Effect.Effect<string | null>
}

/** The suppliers beside `Telco`. The default: there are none. */
export const TelcoBundles = Context.Reference<TelcoBundles>("simplan/TelcoBundles", {
  defaultValue: () => ({
    telcos: Effect.succeed([]),
    of: (telco) => Effect.fail(new Refused({ message: `The telco ${telco} sells no bundles` }))
  })
})
