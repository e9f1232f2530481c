/**
 * The built-in catalogue: the countries and networks of the npm packages `i18n-iso-countries`,
 * `mcc-mnc-list` and `countries-list`, written into `Data.ts` when simplan is made. A release of
 * simplan always gives the same catalogue.
 *
 * An operator combines a country's operational networks of the same brand, or of the same company
 * without a brand, whose bands name a known technology. The standard profiles are, under each
 * label, one per country that has an operator of it, one per continent, and `GLOBAL`. `Green` has
 * every operator, `Aqua` those with 4G or 5G, `Blue` those with 5G (rule I3).
 */
import { Catalogues } from "simplan"
import type { Catalogue } from "simplan/ports"
import { Label } from "simplan/ports"
import { Effect, Layer } from "effect"
import * as Data from "./Data.ts"
import * as Defaults from "./Defaults.ts"

/** The radio access technologies, oldest first. */
const RATS = ["2G", "3G", "4G", "5G"] as const

type Rat = (typeof RATS)[number]

const isRat = (text: string): text is Rat => RATS.some((rat) => rat === text)

const labelsOf = (rats: ReadonlyArray<Rat>): ReadonlyArray<Label.Label> => [
  "Green",
  ...(rats.includes("4G") || rats.includes("5G") ? (["Aqua"] as const) : []),
  ...(rats.includes("5G") ? (["Blue"] as const) : [])
]

const operator = (line: string): Catalogue.Operator => {
  const [countryIso2 = "", technologies = "", codes = "", ...words] = line.split(" ")
  const name = words.join(" ")
  const supportedRats = technologies.split(",").filter(isRat)
  return {
    operatorId: Defaults.operatorId(countryIso2, name),
    name,
    countryIso2,
    supportedRats,
    mccMnc: codes.split(","),
    labels: labelsOf(supportedRats)
  }
}

/** A continent that has a standard profile; Antarctica has none. */
interface Continent {
  readonly regionCode: string
  readonly regionName: string
}

const continents: Readonly<Record<string, Continent>> = {
  EU: { regionCode: "EUROPE", regionName: "Europe" },
  AS: { regionCode: "ASIA", regionName: "Asia" },
  AF: { regionCode: "AFRICA", regionName: "Africa" },
  NA: { regionCode: "NORTH_AMERICA", regionName: "North America" },
  SA: { regionCode: "SOUTH_AMERICA", regionName: "South America" },
  OC: { regionCode: "OCEANIA", regionName: "Oceania" }
}

/** None for Antarctica and its islands. */
const continentByIso2 = new Map(Defaults.located.map(({ continent, iso2 }) => [iso2, continents[continent]]))

/** The operators, by country and name. */
const operatorsOfData = (): ReadonlyArray<Catalogue.Operator> => Data.networks.trim().split("\n").map(operator)

/** The non-empty profiles of these operators. */
const profilesOf = (operators: ReadonlyArray<Catalogue.Operator>): ReadonlyArray<Catalogue.StandardProfile> =>
  Label.labels.flatMap((label) => {
    const served = new Set(
      operators.filter(({ labels }) => labels.includes(label)).map(({ countryIso2 }) => countryIso2)
    )
    const countries = Defaults.countries.filter(({ iso2 }) => served.has(iso2))
    const profile = (regionCode: string, regionName: string, members: ReadonlyArray<Catalogue.Country>) => ({
      coverageId: Defaults.coverageId(label, regionCode),
      label,
      regionName,
      regionCode,
      iso2List: members.map(({ iso2 }) => iso2)
    })
    return [
      ...countries.map((country) => profile(country.iso2, country.name, [country])),
      ...Object.values(continents).map(({ regionCode, regionName }) =>
        profile(
          regionCode,
          regionName,
          countries.filter(({ iso2 }) => continentByIso2.get(iso2)?.regionCode === regionCode)
        )
      ),
      profile("GLOBAL", "Global", countries)
    ].filter(({ iso2List }) => iso2List.length > 0)
  })

const build = (): Catalogue.Catalogue => {
  const operators = operatorsOfData()
  return { countries: Defaults.countries, operators, profiles: profilesOf(operators) }
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
