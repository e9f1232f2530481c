/**
 * The countries of ISO 3166-1 with their English names, read from `i18n-iso-countries`, and the
 * continents they lie on, read from `countries-list`, for the data of the catalogue.
 */
import { countries as continentTable } from "countries-list"
import codes from "i18n-iso-countries/codes.json" with { type: "json" }
import english from "i18n-iso-countries/langs/en.json" with { type: "json" }

const names = new Map<string, string | ReadonlyArray<string>>(Object.entries(english.countries))

/** If a country has several names, the official one comes first. */
const nameOf = (iso2: string): string => {
  const name = names.get(iso2) ?? iso2
  return typeof name === "string" ? name : (name[0] ?? iso2)
}

export interface Country {
  readonly iso2: string
  readonly iso3: string
  readonly name: string
  /** `EU`, `AS`, `AF`, `NA`, `SA`, `OC`, or `AN` for Antarctica and its islands. */
  readonly continent: string
}

const continents = new Map<string, string>(Object.entries(continentTable).map(([iso2, of]) => [iso2, of.continent]))

/**
 * All countries, by code. A country that `countries-list` does not know counts as Antarctic: it has
 * no profile.
 */
export const all: ReadonlyArray<Country> = codes
  .map(([iso2 = "", iso3 = ""]) => ({ iso2, iso3, continent: continents.get(iso2) ?? "AN", name: nameOf(iso2) }))
  .sort((one, other) => (one.iso2 < other.iso2 ? -1 : 1))

const known = new Set(all.map(({ iso2 }) => iso2))

export const isKnown = (iso2: string): boolean => known.has(iso2)
