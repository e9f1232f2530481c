/** Printed from the views by `npm run print`: what hosts see and send. */
import type { OfOrganization } from "./Organizations.ts"
import type { Label } from "../Label.ts"

/** A country. */
export interface Country {
  /** ISO 3166-1 alpha-2 code. */
  readonly iso2: string
  /** ISO 3166-1 alpha-3 code. */
  readonly iso3: string
  /** The name in English. */
  readonly name: string
}

/** A mobile network of one country. */
export interface NetworkOperator {
  /** The operator's id. */
  readonly operatorId: string
  /** The operator's name. */
  readonly name: string
  /** The radio access technologies, `2G` to `5G`. */
  readonly supportedRats: ReadonlyArray<string>
  /** The MCC-MNC codes, in the form `<mcc>-<mnc>`. */
  readonly mccMnc: ReadonlyArray<string>
  /** The labels whose profiles have the operator. */
  readonly labels: ReadonlyArray<Label>
}

/** An operator with its country. */
export interface Operator {
  /** The operator's id. */
  readonly operatorId: string
  /** The operator's name. */
  readonly name: string
  /** The radio access technologies, `2G` to `5G`. */
  readonly supportedRats: ReadonlyArray<string>
  /** The MCC-MNC codes, in the form `<mcc>-<mnc>`. */
  readonly mccMnc: ReadonlyArray<string>
  /** The country of the operator. */
  readonly country: Country
  /** The labels whose profiles have the operator. */
  readonly labels: ReadonlyArray<Label>
}

/** A country with the operators that serve a profile's label. */
export interface CoveredCountry extends Country {
  /** The operators of the country that the label covers. */
  readonly operators: ReadonlyArray<NetworkOperator>
}

/** A set of countries under a label. */
export interface CoverageProfile {
  /** The coverage profile's id. */
  readonly coverageId: string
  /** The network supply tier of the SIM and of the plans that it can carry. */
  readonly label: Label
  /** The region's name. */
  readonly regionName: string
  /** The region's code: an ISO 3166-1 code for a country, a generated one for a custom region. */
  readonly regionCode: string
  /** The countries of the region, with the operators that its label covers there. */
  readonly countries: ReadonlyArray<CoveredCountry>
}

/** An organization's own coverage profile. It never changes. */
export interface Region extends OfOrganization {
  /** The coverage profile's id. */
  readonly coverageId: string
  /** The region's code: an ISO 3166-1 code for a country, a generated one for a custom region. */
  readonly regionCode: string
  /** The region's name. */
  readonly regionName: string
  /** The network supply tier of the SIM and of the plans that it can carry. */
  readonly label: Label
  /** ISO 3166-1 alpha-2 codes of the countries. */
  readonly iso2List: ReadonlyArray<string>
  /** When it was made. */
  readonly createdAt: Date
}

/** What a new region is to be (rule I4). */
export interface CreateRegion extends OfOrganization {
  /** The region's name. */
  readonly regionName: string
  /** The network supply tier of the SIM and of the plans that it can carry. */
  readonly label: Label
  /** ISO 3166-1 alpha-2 codes of the countries. */
  readonly iso2List: ReadonlyArray<string>
}

/** Which profiles a list has. An absent field filters nothing. */
export interface CoverageFilter extends OfOrganization {
  /** Only the profiles with this region code. */
  readonly regionCode?: string | undefined
  /** Only those of this label. */
  readonly label?: Label | undefined
}

/** Which operators a list has. An absent field filters nothing. */
export interface OperatorFilter extends OfOrganization {
  /** Only those of this label. */
  readonly label?: Label | undefined
  /** ISO 3166-1 alpha-2 code, in any case. */
  readonly country?: string | undefined
}

/** How many plans of all organizations have a coverage profile. */
export interface CatalogueUse {
  /** The profile's id. */
  readonly coverageId: string
  /** The label of the plans. */
  readonly label: Label
  /** The countries of an organization's custom region; null for a standard profile. */
  readonly iso2List: ReadonlyArray<string> | null
  /** How many plans have it; deleted ones do not count. */
  readonly plans: number
}
