/**
 * Custom regions: an organization's own coverage profiles (rule I4).
 */
import { Result } from "effect"
import type { Index } from "./Catalogue.ts"
import { operatorsOf } from "./Catalogue.ts"
import type { Label } from "./Label.ts"
import { InvalidField, RegionExists, RegionNameTaken, RegionUncovered } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"

/** A custom region profile: immutable, never deleted. */
export interface Region {
  /** The organization that owns it. */
  readonly organizationId: string
  /** What plans name it by. */
  readonly coverageId: string
  /** What plans copy, and telcos find their zone by. */
  readonly regionCode: string
  /** Trimmed; unique in the organization. */
  readonly regionName: string
  /** The label of the SIMs that it is for. */
  readonly label: Label
  /**
   * The countries, as ISO 3166 alpha-2: each once, and each with an operator under the label
   * (rule I4).
   */
  readonly iso2List: ReadonlyArray<string>
  /** Business time. */
  readonly createdAt: Instant
}

/**
 * How many codes a request may hold (rule W9). ISO 3166-1 has 249, and users may name one twice.
 */
export const MOST_COUNTRIES = 500

/** A custom region as it is asked for. */
export interface Request {
  /** The organization that owns it. */
  readonly organizationId: string
  /** 1 to 255 characters (rule W9); unique in the organization. */
  readonly regionName: string
  /** Each country needs an operator under it. */
  readonly label: Label
  /** At least one country, in any case and order; at most `MOST_COUNTRIES`. */
  readonly iso2List: ReadonlyArray<string>
}

/**
 * Rules I4 and W9: the request with its name trimmed, and with each country code once and in upper
 * case.
 */
export const normalize = (request: Request): Result.Result<Request, InvalidField> => {
  const regionName = request.regionName.trim()
  if (regionName === "") return Result.fail(new InvalidField({ field: "regionName", message: "must not be empty" }))
  if (request.iso2List.length > MOST_COUNTRIES) {
    return Result.fail(new InvalidField({ field: "iso2List", message: `must have at most ${MOST_COUNTRIES} items` }))
  }
  const codes = request.iso2List.map((code) => code.trim())
  if (codes.length === 0) {
    return Result.fail(new InvalidField({ field: "iso2List", message: "must name at least one country" }))
  }
  // Checked before the conversion to upper case, which makes "SS" of the single letter "ß".
  const malformed = codes.find((code) => !/^[A-Za-z]{2}$/.test(code))
  const tooLong = TextLimit.check("regionName", regionName, TextLimit.NAME)
  if (Result.isFailure(tooLong)) return Result.fail(tooLong.failure)
  const iso2List = [...new Set(codes.map((code) => code.toUpperCase()))]
  return malformed === undefined
    ? Result.succeed({ ...request, regionName, iso2List })
    : Result.fail(
        new InvalidField({ field: "iso2List", message: `must hold ISO 2-letter codes, not "${shown(malformed)}"` })
      )
}

// The beginning of a text from the request, without half of a character.
const shown = (text: string): string => [...text.slice(0, 20)].slice(0, 10).join("")

/**
 * The set of countries as one text, the same for any order: the key by which storages keep the set
 * unique.
 */
export const countriesKey = (iso2List: ReadonlyArray<string>): string => [...new Set(iso2List)].sort().join(",")

/** Whether two lists name the same countries, in any order. */
export const sameCountries = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  countriesKey(left) === countriesKey(right)

/**
 * Rule I4: checks the name, then countries without an operator, then profiles with the same
 * countries. `request` is normalized. `alike` are the organization's regions with the same name or
 * the same countries.
 */
export const create = (
  request: Request,
  alike: ReadonlyArray<Region>,
  catalogue: Index,
  ids: { readonly coverageId: string; readonly regionCode: string },
  now: Instant
): Result.Result<Region, RegionNameTaken | RegionUncovered | RegionExists> => {
  const { iso2List, label, regionName } = request
  const missingIso2 = iso2List.filter((code) => operatorsOf(catalogue, code, label).length === 0)
  if (alike.some((region) => region.regionName === regionName)) {
    return Result.fail(new RegionNameTaken({ regionName, missingIso2 }))
  }
  if (missingIso2.length > 0) return Result.fail(new RegionUncovered({ missingIso2 }))
  const same =
    alike.find((region) => sameCountries(region.iso2List, iso2List)) ??
    catalogue.profiles.find((profile) => profile.label === label && sameCountries(profile.iso2List, iso2List))
  if (same !== undefined) {
    const { coverageId, regionCode } = same
    return Result.fail(
      new RegionExists({ coverageId, regionCode, regionName: same.regionName, iso2List: same.iso2List })
    )
  }
  return Result.succeed({ ...request, ...ids, createdAt: now })
}

/** The part of a region, or of a standard profile, that a plan needs. */
export type Covering = Pick<Region, "coverageId" | "regionCode" | "regionName" | "label" | "iso2List">

/**
 * Rule P6: the profile of exactly these countries, each of which has an operator under the label:
 * a standard one, a custom one, or one that is to be made. If another region has its name, the
 * name of the new one ends with its code. `alike` as for `create`.
 */
export const covering = (
  { iso2List, label, organizationId, regionName }: Request,
  alike: ReadonlyArray<Region>,
  catalogue: Index,
  ids: { readonly coverageId: string; readonly regionCode: string },
  now: Instant
): Result.Result<{ readonly area: Covering; readonly made: Region | null }, InvalidField> => {
  if (iso2List.length === 0) {
    return Result.fail(new InvalidField({ field: "label", message: "must have a network in a country of the bundle" }))
  }
  const standard = catalogue.profiles.find(
    (profile) => profile.label === label && sameCountries(profile.iso2List, iso2List)
  )
  if (standard !== undefined) return Result.succeed({ area: standard, made: null })
  const same = alike.find((region) => sameCountries(region.iso2List, iso2List))
  if (same !== undefined && same.label !== label) {
    const message = `must be ${same.label}: the custom region ${same.regionName} has exactly the countries of the bundle`
    return Result.fail(new InvalidField({ field: "label", message }))
  }
  if (same !== undefined) return Result.succeed({ area: same, made: null })
  const isTaken = alike.some((region) => region.regionName === regionName)
  const name = isTaken ? `${regionName} (${ids.regionCode})` : regionName
  const made = { organizationId, regionName: name, label, iso2List, ...ids, createdAt: now }
  return Result.succeed({ area: made, made })
}
