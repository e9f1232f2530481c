/**
 * Catalogues, operators and coverage profiles as the host gives and gets them.
 */
import { Effect, Result } from "effect"
import type { Coverage, Operators } from "simplan"
import type { Catalogue, Region } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Failures from "../errors/Failures.ts"
import type * as Types from "../types/Coverage.ts"

const networkOperator = (of: Catalogue.Operator): Types.NetworkOperator => ({
  operatorId: of.operatorId,
  name: of.name,
  supportedRats: of.supportedRats,
  mccMnc: of.mccMnc,
  labels: of.labels
})

const country = ({ iso2, iso3, name }: Catalogue.Country): Types.Country => ({ iso2, iso3, name })

export const operator = (of: Operators.OperatorWithCountry): Types.Operator => ({
  ...networkOperator(of.operator),
  country: country(of.country)
})

export const profile = (of: Coverage.Profile): Types.CoverageProfile => ({
  coverageId: of.coverageId,
  label: of.label,
  regionName: of.regionName,
  regionCode: of.regionCode,
  countries: of.countries.map((covered) => ({
    ...country(covered),
    operators: covered.operators.map(networkOperator)
  }))
})

export const region = (of: Region.Region): Types.Region => ({
  organizationId: of.organizationId,
  coverageId: of.coverageId,
  regionCode: of.regionCode,
  regionName: of.regionName,
  label: of.label,
  iso2List: of.iso2List,
  createdAt: Arguments.toDate(of.createdAt)
})

export const catalogue = ({ countries, operators, profiles }: Catalogue.Catalogue): Required<Types.Catalogue> => ({
  countries: countries.map(country),
  operators: operators.map((of) => ({ ...networkOperator(of), countryIso2: of.countryIso2 })),
  profiles: profiles.map(({ coverageId, iso2List, label, regionCode, regionName }) => ({
    coverageId,
    label,
    regionName,
    regionCode,
    iso2List
  }))
})

// The names of fields in the file of a catalogue.
const names: Readonly<Record<string, string>> = {
  operatorId: "operator_id",
  countryIso2: "country",
  supportedRats: "supported_rats",
  mccMnc: "mcc_mnc",
  coverageId: "coverage_id",
  regionName: "region_name",
  regionCode: "region_code",
  iso2List: "iso2_list"
}

const renamed = (value: unknown, nameOf: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => renamed(item, nameOf))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      part === undefined ? [] : [[nameOf(name), renamed(part, nameOf)] as const]
    )
  )
}

const hostsName = (field: string): string =>
  Failures.inHostsWords(field).replace(/^(operators\[\d+\])\.country$/, "$1.countryIso2")

/** Checks a catalogue and fills in what it leaves out. Throws an `InvalidFieldError`. */
export const complete = async (method: string, given: unknown): Promise<Catalogue.Catalogue> => {
  const { CatalogueFile } = await import("../../catalogue/index.ts")
  const completed = await Effect.runPromise(
    Effect.result(CatalogueFile.complete(renamed(given, (name) => names[name] ?? name)))
  )
  if (Result.isSuccess(completed)) return completed.success
  const { field, message } = completed.failure
  throw Arguments.invalidIn(method, given, hostsName(field), message)
}
