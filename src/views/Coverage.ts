/**
 * Coverage profiles, custom regions and mobile networks, as hosts and callers see them (rules I3 to
 * I5).
 */
import { MOST_COUNTRIES } from "../domain/Region.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import { OfOrganization } from "./Organizations.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, label, list, nested, text } = View

const tier = field(label, "The network supply tier of the SIM and of the plans that it can carry", "Green")

export const Country = View.answer("Country", "A country", {
  iso2: View.named({ on: "iso2" }, field(text, "ISO 3166-1 alpha-2 code", "SE")),
  iso3: View.named({ on: "iso3" }, field(text, "ISO 3166-1 alpha-3 code", "SWE")),
  name: field(text, "The name in English", "Sweden")
})

const network = {
  operatorId: field(View.id, "The operator's id", Samples.operatorId),
  name: field(text, "The operator's name", "Telia"),
  supportedRats: field(list(text), "The radio access technologies, `2G` to `5G`", ["4G", "5G"]),
  mccMnc: field(list(text), "The MCC-MNC codes, in the form `<mcc>-<mnc>`", ["240-01"])
}

const labels = field(list(label), "The labels whose profiles have the operator", ["Green", "Aqua"])

export const NetworkOperator = View.answer("NetworkOperator", "A mobile network of one country", {
  ...network,
  labels: View.named({ on: null }, labels)
})

export const Operator = View.answer("Operator", "An operator with its country", {
  ...network,
  country: field(nested(Country), "The country of the operator"),
  labels
})

type OfOperator = View.Of<typeof Operator>

export const operatorOf = ({
  country,
  operator: { labels, mccMnc, name, operatorId, supportedRats }
}: {
  readonly operator: Omit<OfOperator, "country">
  readonly country: OfOperator["country"]
}): OfOperator => ({ operatorId, name, supportedRats, mccMnc, country, labels })

export const CoveredCountry = View.answer(
  "CoveredCountry",
  "A country with the operators that serve a profile's label",
  { operators: field(list(nested(NetworkOperator)), "The operators of the country that the label covers") },
  Country
)

const profile = {
  coverageId: field(View.id, "The coverage profile's id", Samples.coverageId),
  regionCode: field(
    text,
    "The region's code: an ISO 3166-1 code for a country, a generated one for a custom region",
    "SE"
  )
}

export const CoverageProfile = View.answer("CoverageProfile", "A set of countries under a label", {
  coverageId: profile.coverageId,
  label: tier,
  regionName: field(text, "The region's name", "Sweden"),
  regionCode: profile.regionCode,
  countries: field(
    list(nested(CoveredCountry)),
    "The countries of the region, with the operators that its label covers there"
  )
})

const regionName = field(View.limited(TextLimit.NAME), "The region's name", "Scandinavia")
const iso2List = View.named(
  { on: "iso2_list" },
  field(list(text, MOST_COUNTRIES), "ISO 3166-1 alpha-2 codes of the countries", ["DK", "SE"])
)

export const Region = View.answer(
  "Region",
  "An organization's own coverage profile. It never changes",
  {
    ...profile,
    regionName,
    label: View.named({ on: null }, tier),
    iso2List,
    createdAt: View.named({ on: null }, field(View.instant, "When it was made", Samples.bought))
  },
  OfOrganization
)

export const CreateRegion = View.request(
  "CreateRegion",
  "What a new region is to be (rule I4)",
  { regionName, label: tier, iso2List },
  OfOrganization
)

const onlyLabel = View.optional(label, "Only those of this label", "Green")

export const CoverageFilter = View.request(
  "CoverageFilter",
  "Which profiles a list has. An absent field filters nothing",
  { regionCode: View.optional(text, "Only the profiles with this region code", "SE"), label: onlyLabel },
  OfOrganization
)

export const OperatorFilter = View.request(
  "OperatorFilter",
  "Which operators a list has. An absent field filters nothing",
  { label: onlyLabel, country: View.optional(text, "ISO 3166-1 alpha-2 code, in any case", "SE") },
  OfOrganization
)

export const CatalogueUse = View.answer("CatalogueUse", "How many plans of all organizations have a coverage profile", {
  coverageId: field(text, "The profile's id", Samples.coverageId),
  label: field(label, "The label of the plans", "Green"),
  iso2List: View.named(
    { on: "iso2_list" },
    field(
      View.nullOr(list(text)),
      "The countries of an organization's custom region; null for a standard profile",
      null
    )
  ),
  plans: field(View.integer(), "How many plans have it; deleted ones do not count", 12)
})
