/**
 * The countries of ISO 3166-1 with their English names, and the continents they lie on.
 */
import type { Catalogue } from "simplan/ports"
import * as Data from "./Data.ts"

const rows = Data.countries
  .trim()
  .split("\n")
  .map((line) => {
    const [iso2 = "", iso3 = "", continent = "", ...words] = line.split(" ")
    return { iso2, iso3, continent, name: words.join(" ") }
  })

/** All countries, by code. */
export const all: ReadonlyArray<Catalogue.Country> = rows.map(({ iso2, iso3, name }) => ({ iso2, iso3, name }))

export interface Continent {
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

/** The continents that have a standard profile; Antarctica has none. */
export const allContinents: ReadonlyArray<Continent> = Object.values(continents)

const continentByIso2 = new Map(rows.map(({ continent, iso2 }) => [iso2, continents[continent]]))

/** The continent of a country, as `countries-list` has it; none for Antarctica and its islands. */
export const continentOf = (iso2: string): Continent | undefined => continentByIso2.get(iso2)
