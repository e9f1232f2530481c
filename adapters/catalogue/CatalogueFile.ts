/**
 * A custom catalogue as a file: `complete` reads one, and `toFile` writes one that reads back as the same catalogue.
 */
import type { Refusal } from "simplan"
import type { Catalogue } from "simplan/ports"
import { Result } from "effect"
import * as Countries from "./Countries.ts"
import { decode, type File, invalid } from "./FileFormat.ts"
import * as Ids from "./Ids.ts"

export type { File } from "./FileFormat.ts"

/**
 * Checks a file and fills in its defaults: the countries of ISO 3166-1, operator ids by country and name, and profile ids
 * by label and region code. The answer of `GET /catalogue` is also a file, with or without its envelope.
 *
 * The failure names the first invalid field: a wrong value, an unknown country, a duplicate, or a country in a profile
 * without an operator of the profile's label.
 */
export const complete = (file: unknown): Result.Result<Catalogue.Catalogue, Refusal.InvalidField> =>
  Result.flatMap(decode(unwrapped(file)), (decoded) => {
    const catalogue = filled(decoded)
    const wrong = firstInconsistency(catalogue)
    return wrong === undefined ? Result.succeed(catalogue) : Result.fail(wrong)
  })

/** The catalogue as a file. */
export const toFile = ({ countries, operators, profiles }: Catalogue.Catalogue): File => ({
  countries: countries.map(({ iso2, iso3, name }) => ({ iso2, iso3, name })),
  operators: operators.map((operator) => ({
    operator_id: operator.operatorId,
    name: operator.name,
    country: operator.countryIso2,
    supported_rats: operator.supportedRats,
    mcc_mnc: operator.mccMnc,
    labels: operator.labels
  })),
  profiles: profiles.map(({ coverageId, iso2List, label, regionCode, regionName }) => ({
    coverage_id: coverageId,
    label,
    region_name: regionName,
    region_code: regionCode,
    iso2_list: iso2List
  }))
})

const unwrapped = (file: unknown): unknown =>
  typeof file === "object" && file !== null && "data" in file && "error" in file ? file.data : file

const filled = ({ countries = Countries.all, operators, profiles }: File): Catalogue.Catalogue => ({
  countries,
  operators: operators.map(({ country, labels, mcc_mnc, name, operator_id, supported_rats }) => ({
    operatorId: operator_id ?? Ids.operatorId(country, name),
    name,
    countryIso2: country,
    supportedRats: supported_rats,
    mccMnc: mcc_mnc,
    labels
  })),
  profiles: profiles.map(({ coverage_id, iso2_list, label, region_code, region_name }) => ({
    coverageId: coverage_id ?? Ids.coverageId(label, region_code),
    label,
    regionName: region_name,
    regionCode: region_code,
    iso2List: iso2_list
  }))
})

const firstInconsistency = (catalogue: Catalogue.Catalogue): Refusal.InvalidField | undefined =>
  wrongCountry(catalogue) ?? wrongOperator(catalogue) ?? wrongProfile(catalogue)

/** Refuses the first item whose key an earlier item has; `of` ends the sentence "must not be another …". */
const duplicate = <A>(
  list: string,
  field: string,
  items: ReadonlyArray<A>,
  key: (item: A) => string,
  of: string
): Refusal.InvalidField | undefined => {
  const seen = new Set<string>()
  const index = items.findIndex((item) => seen.size === seen.add(key(item)).size)
  return index < 0 ? undefined : invalid([list, index, field], `must not be another ${of}`)
}

const wrongCountry = ({ countries }: Catalogue.Catalogue): Refusal.InvalidField | undefined =>
  duplicate("countries", "iso2", countries, ({ iso2 }) => iso2, "country's too") ??
  duplicate("countries", "iso3", countries, ({ iso3 }) => iso3, "country's too")

const wrongOperator = ({ countries, operators }: Catalogue.Catalogue): Refusal.InvalidField | undefined => {
  const known = new Set(countries.map(({ iso2 }) => iso2))
  const stray = operators.findIndex(({ countryIso2 }) => !known.has(countryIso2))
  if (stray >= 0) return invalid(["operators", stray, "country"], "must be the code of one of the countries")
  const name = ({ countryIso2, name }: Catalogue.Operator) => `${countryIso2}/${name}`
  return (
    duplicate("operators", "name", operators, name, "operator's of the country") ??
    duplicate("operators", "operator_id", operators, ({ operatorId }) => operatorId, "operator's too")
  )
}

const wrongProfile = ({ operators, profiles }: Catalogue.Catalogue): Refusal.InvalidField | undefined => {
  const served = new Set(
    operators.flatMap(({ countryIso2, labels }) => labels.map((label) => `${label}/${countryIso2}`))
  )
  for (const [index, { iso2List, label }] of profiles.entries()) {
    const at = iso2List.findIndex((iso2) => !served.has(`${label}/${iso2}`))
    if (at >= 0) {
      return invalid(["profiles", index, "iso2_list", at], `must have an operator of the label ${label}`)
    }
  }
  const code = ({ label, regionCode }: Catalogue.StandardProfile) => `${label}/${regionCode}`
  return (
    duplicate("profiles", "region_code", profiles, code, "profile's of the label") ??
    duplicate("profiles", "coverage_id", profiles, ({ coverageId }) => coverageId, "profile's too")
  )
}
