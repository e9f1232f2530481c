/**
 * The catalogue of countries, operators and standard coverage profiles (rules I3 and I5): data of
 * the whole service, which the operator of the service can replace. A network operator belongs to
 * one country and has the labels that it serves. A profile is a label and a list of countries; its
 * operators follow from both.
 */
import { Result } from "effect"
import type { Label } from "./Label.ts"
import type { InvalidField } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"

/** A country or territory of ISO 3166. */
export interface Country {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly iso2: string
  /** ISO 3166-1 alpha-3, upper case. */
  readonly iso3: string
  /** In English. */
  readonly name: string
}

/** A mobile network operator, in one country (rule I3). */
export interface Operator {
  /** Unique in the catalogue, up to 255 characters. */
  readonly operatorId: string
  /** The brand. */
  readonly name: string
  /** ISO 3166 alpha-2, upper case. */
  readonly countryIso2: string
  /** Radio access technologies, `2G` to `5G`. */
  readonly supportedRats: ReadonlyArray<string>
  /** `<mcc>-<mnc>` codes. */
  readonly mccMnc: ReadonlyArray<string>
  /** Those whose SIMs may use the network (rule I3). */
  readonly labels: ReadonlyArray<Label>
}

/** A coverage profile that every organization has (rule I3). */
export interface StandardProfile {
  /** Unique in the catalogue; what plans name it by. */
  readonly coverageId: string
  /** The label of the SIMs that it is for. */
  readonly label: Label
  /** Such as `France` or `Europe`. */
  readonly regionName: string
  /** What plans copy, and telcos find their zone by. */
  readonly regionCode: string
  /** The countries that it covers, as ISO 3166 alpha-2. */
  readonly iso2List: ReadonlyArray<string>
}

/** The countries, operators and standard profiles, which are replaced as a whole (rule I3). */
export interface Catalogue {
  /** Those of ISO 3166. */
  readonly countries: ReadonlyArray<Country>
  /** Each in one country; a brand in several has an operator in each. */
  readonly operators: ReadonlyArray<Operator>
  /** Those that every organization has. */
  readonly profiles: ReadonlyArray<StandardProfile>
}

/** The texts of a catalogue with their limits, and where they stand in its file. */
function* texts({ countries, operators, profiles }: Catalogue): Generator<readonly [string, string, number]> {
  for (const [index, { name }] of countries.entries()) yield [`countries[${index}].name`, name, TextLimit.NAME]
  for (const [index, { name, operatorId }] of operators.entries()) {
    yield [`operators[${index}].name`, name, TextLimit.NAME]
    yield [`operators[${index}].operator_id`, operatorId, TextLimit.ID]
  }
  for (const [index, { coverageId, regionCode, regionName }] of profiles.entries()) {
    yield [`profiles[${index}].region_name`, regionName, TextLimit.NAME]
    yield [`profiles[${index}].region_code`, regionCode, TextLimit.NAME]
    yield [`profiles[${index}].coverage_id`, coverageId, TextLimit.ID]
  }
}

/** Rule W9: the catalogue, unless one of its names or ids is over its limit. */
export const checkTexts = (catalogue: Catalogue): Result.Result<Catalogue, InvalidField> => {
  for (const [field, text, limit] of texts(catalogue)) {
    const checked = TextLimit.check(field, text, limit)
    if (Result.isFailure(checked)) return Result.fail(checked.failure)
  }
  return Result.succeed(catalogue)
}

/** The catalogue with the look-ups that requests need, built once per catalogue. */
export interface Index extends Catalogue {
  /** By upper-case alpha-2. */
  readonly countryByIso2: ReadonlyMap<string, Country>
  /** By `operatorId`. */
  readonly operatorById: ReadonlyMap<string, Operator>
  /** By `coverageId`. */
  readonly profileById: ReadonlyMap<string, StandardProfile>
  /** By upper-case alpha-2; a country without operators is not in it. */
  readonly operatorsByCountry: ReadonlyMap<string, ReadonlyArray<Operator>>
}

const indexes = new WeakMap<Catalogue, Index>()

/** The catalogue's index, made when it is first asked for. */
export const index = (catalogue: Catalogue): Index => {
  const known = indexes.get(catalogue)
  if (known !== undefined) return known
  const made = build(catalogue)
  indexes.set(catalogue, made)
  return made
}

const build = (catalogue: Catalogue): Index => {
  const operatorsByCountry = new Map<string, Array<Operator>>()
  for (const operator of catalogue.operators) {
    const known = operatorsByCountry.get(operator.countryIso2)
    if (known === undefined) operatorsByCountry.set(operator.countryIso2, [operator])
    else known.push(operator)
  }
  return {
    ...catalogue,
    countryByIso2: new Map(catalogue.countries.map((country) => [country.iso2, country])),
    operatorById: new Map(catalogue.operators.map((operator) => [operator.operatorId, operator])),
    profileById: new Map(catalogue.profiles.map((profile) => [profile.coverageId, profile])),
    operatorsByCountry
  }
}

/** The operators of a country that serve a label; none for an unknown country. */
export const operatorsOf = (catalogue: Index, iso2: string, label: Label): ReadonlyArray<Operator> =>
  (catalogue.operatorsByCountry.get(iso2) ?? []).filter((operator) => operator.labels.includes(label))

/** A country as a profile covers it. */
export interface CoveredCountry extends Country {
  /** Those of the country that the label may use. */
  readonly operators: ReadonlyArray<Operator>
}

const covered = new WeakMap<Index, Map<string, CoveredCountry>>()

/**
 * The country with the operators that serve a label, the same value each time; undefined for an
 * unknown country.
 */
export const coveredCountry = (catalogue: Index, iso2: string, label: Label): CoveredCountry | undefined => {
  const known = covered.get(catalogue) ?? new Map<string, CoveredCountry>()
  covered.set(catalogue, known)
  const key = `${label} ${iso2}`
  const found = known.get(key)
  const country = found === undefined ? catalogue.countryByIso2.get(iso2) : undefined
  if (country === undefined) return found
  const made = { ...country, operators: operatorsOf(catalogue, iso2, label) }
  known.set(key, made)
  return made
}
