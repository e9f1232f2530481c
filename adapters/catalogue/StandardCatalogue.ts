/**
 * The built-in catalogue: the countries and networks of the npm packages `i18n-iso-countries`, `mcc-mnc-list` and
 * `countries-list`, written into `Data.ts` when simplan is made. A release of simplan always gives the same catalogue.
 */
import { Catalogues } from "simplan"
import type { Catalogue } from "simplan/ports"
import { Effect, Layer } from "effect"
import * as Countries from "./Countries.ts"
import * as Networks from "./Networks.ts"
import * as Profiles from "./Profiles.ts"

const build = (): Catalogue.Catalogue => {
  const operators = Networks.operators()
  return { countries: Countries.all, operators, profiles: Profiles.profiles(operators) }
}

let built: Catalogue.Catalogue | undefined

/** The catalogue. The first call builds it. */
export const catalogue = (): Catalogue.Catalogue => {
  built ??= build()
  return built
}

/** How large the built-in catalogue is. */
export interface Counts {
  /** Of ISO 3166. */
  readonly countries: number
  /** Countries with an operator. */
  readonly covered: number
  /** With a known radio technology (rule I3). */
  readonly operators: number
  /** Of all labels. */
  readonly profiles: number
}

/** The size of a catalogue. */
export const counts = ({ countries, operators, profiles }: Catalogue.Catalogue): Counts => ({
  countries: countries.length,
  covered: new Set(operators.map(({ countryIso2 }) => countryIso2)).size,
  operators: operators.length,
  profiles: profiles.length
})

/** Provides the service with this catalogue. */
export const layer: Layer.Layer<Catalogues.BuiltIn> = Layer.succeed(Catalogues.BuiltIn, {
  catalogue: Effect.sync(catalogue)
})
