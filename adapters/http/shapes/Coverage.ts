/**
 * Coverage profiles, custom regions and operators as JSON.
 */
import type { Coverage, Operators } from "simplan"
import type { Catalogue, Region } from "simplan/ports"
import type * as CoverageApi from "../api/CoverageApi.ts"
import type * as OperatorsApi from "../api/OperatorsApi.ts"

type Country = (typeof CoverageApi.CoverageProfile.Type)["countries"][number]

// Hundreds of profiles of a list have the same countries.
const countries = new WeakMap<Catalogue.CoveredCountry, Country>()

const country = (one: Catalogue.CoveredCountry): Country => {
  const known = countries.get(one)
  if (known !== undefined) return known
  const { iso2, iso3, name } = one
  const operators = one.operators.map((operator) => ({
    operator_id: operator.operatorId,
    name: operator.name,
    supported_rats: operator.supportedRats,
    mcc_mnc: operator.mccMnc
  }))
  const made = { iso2, iso3, name, operators }
  countries.set(one, made)
  return made
}

export const profile = (one: Coverage.Profile): typeof CoverageApi.CoverageProfile.Type => ({
  coverage_id: one.coverageId,
  label: one.label,
  region_name: one.regionName,
  region_code: one.regionCode,
  countries: one.countries.map(country)
})

export const region = (one: Region.Region): typeof CoverageApi.CustomRegion.Type => ({
  coverage_id: one.coverageId,
  region_code: one.regionCode,
  region_name: one.regionName,
  iso2_list: one.iso2List
})

export const operator = ({ country, operator }: Operators.OperatorWithCountry): typeof OperatorsApi.Operator.Type => ({
  operator_id: operator.operatorId,
  name: operator.name,
  country: { iso2: country.iso2, iso3: country.iso3, name: country.name },
  supported_rats: operator.supportedRats,
  mcc_mnc: operator.mccMnc,
  labels: operator.labels
})
