/**
 * The countries of ISO 3166-1 with their English names, and the continents they lie on.
 */
import { countries as continentTable } from "countries-list"
import codes from "i18n-iso-countries/codes.json" with { type: "json" }
import english from "i18n-iso-countries/langs/en.json" with { type: "json" }
import type { Catalogue } from "simplan/ports"

const names = new Map<string, string | ReadonlyArray<string>>(Object.entries(english.countries))

/** If a country has several names, the official one comes first. */
const nameOf = (iso2: string): string => {
  const name = names.get(iso2) ?? iso2
  return typeof name === "string" ? name : (name[0] ?? iso2)
}

/** All countries, by code. */
export const all: ReadonlyArray<Catalogue.Country> = codes
  .map(([iso2 = "", iso3 = ""]) => ({ iso2, iso3, name: nameOf(iso2) }))
  .sort((one, other) => (one.iso2 < other.iso2 ? -1 : 1))

const known = new Set(all.map(({ iso2 }) => iso2))

export const isKnown = (iso2: string): boolean => known.has(iso2)

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

const continentByIso2 = new Map(
  Object.entries(continentTable).map(([iso2, { continent }]) => [iso2, continents[continent]])
)

/** The continent of a country, as `countries-list` has it; none for Antarctica and its islands. */
export const continentOf = (iso2: string): Continent | undefined => continentByIso2.get(iso2)
