/**
 * What a catalogue's file may leave out: the countries of ISO 3166-1 with their English names, and
 * the ids of operators and profiles. Ids are UUIDs of version 5, so that the same operator or
 * profile has the same id in every installation and after every update of the data.
 */
import type { Catalogue } from "simplan/ports"
import { v5 } from "uuid"
import * as Data from "./Data.ts"

/** All countries, by code, each with the code of its continent as `countries-list` has it. */
export const located = Data.countries
  .trim()
  .split("\n")
  .map((line) => {
    const [iso2 = "", iso3 = "", continent = "", ...words] = line.split(" ")
    return { iso2, iso3, continent, name: words.join(" ") }
  })

/** All countries, by code. */
export const countries: ReadonlyArray<Catalogue.Country> = located.map(({ iso2, iso3, name }) => ({ iso2, iso3, name }))

// Every id depends on these namespaces, so they never change.
const OPERATORS = "6f0c2a52-3f0e-5d0b-9d55-0c7d1b6c8a01"
const PROFILES = "6f0c2a52-3f0e-5d0b-9d55-0c7d1b6c8a02"

/** The id of a country's operator. */
export const operatorId = (iso2: string, name: string): string => v5(`${iso2}/${name}`, OPERATORS)

/** The id of a standard profile. */
export const coverageId = (label: string, regionCode: string): string => v5(`${label}/${regionCode}`, PROFILES)
