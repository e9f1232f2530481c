/**
 * Ids of operators and profiles: UUIDs of version 5, so that the same operator or profile has the same id in every
 * installation and after every update of the data.
 */
import { v5 } from "uuid"

// Every id depends on these namespaces, so they never change.
const OPERATORS = "6f0c2a52-3f0e-5d0b-9d55-0c7d1b6c8a01"
const PROFILES = "6f0c2a52-3f0e-5d0b-9d55-0c7d1b6c8a02"

/** The id of a country's operator. */
export const operatorId = (iso2: string, name: string): string => v5(`${iso2}/${name}`, OPERATORS)

/** The id of a standard profile. */
export const coverageId = (label: string, regionCode: string): string => v5(`${label}/${regionCode}`, PROFILES)
