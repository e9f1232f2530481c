/**
 * The catalogue that the service starts with: the real world's countries and networks, as the npm packages
 * `i18n-iso-countries`, `mcc-mnc-list` and `countries-list` have them. The same packages always give the same catalogue.
 */
import { type Catalogue, Catalogues } from "simplan"
import { Effect, Layer } from "effect"
import * as Countries from "./Countries.ts"
import * as Networks from "./Networks.ts"
import * as Profiles from "./Profiles.ts"

const build = (): Catalogue.Catalogue => {
  const operators = Networks.operators()
  return { countries: Countries.all, operators, profiles: Profiles.profiles(operators) }
}

let built: Catalogue.Catalogue | undefined

/** The catalogue; made when it is first asked for. */
export const catalogue = (): Catalogue.Catalogue => {
  built ??= build()
  return built
}

export interface Counts {
  readonly countries: number
  /** Countries with an operator. */
  readonly covered: number
  readonly operators: number
  readonly profiles: number
}

/** How much there is in a catalogue. */
export const counts = ({ countries, operators, profiles }: Catalogue.Catalogue): Counts => ({
  countries: countries.length,
  covered: new Set(operators.map(({ countryIso2 }) => countryIso2)).size,
  operators: operators.length,
  profiles: profiles.length
})

/** Starts the service with this catalogue. */
export const layer: Layer.Layer<Catalogues.BuiltIn> = Layer.succeed(Catalogues.BuiltIn, {
  catalogue: Effect.sync(catalogue)
})
