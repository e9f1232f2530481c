/**
 * Coverage profiles, standard ones and the organization's custom regions (rules I3 and I4), and the mobile network operators
 * of the catalogue (rule I5).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Region, TextLimit } from "simplan/ports"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

export const CoverageProfile = Schema.Struct({
  coverage_id: Schema.String,
  label: Schema.String,
  region_name: Schema.String,
  region_code: Schema.String,
  countries: Schema.Array(
    Schema.Struct({
      iso2: Schema.String,
      iso3: Schema.String,
      name: Schema.String,
      operators: Schema.Array(
        Schema.Struct({
          operator_id: Schema.String,
          name: Schema.String,
          supported_rats: Schema.Array(Schema.String),
          mcc_mnc: Schema.Array(Schema.String)
        })
      )
    })
  )
}).annotate({ identifier: "CoverageProfile" })

export const CreateCustomRegion = Schema.Struct({
  region_name: Schemas.text(TextLimit.NAME),
  label: Schemas.Label,
  iso2_list: Schemas.list(Schema.String, Region.MOST_COUNTRIES)
}).annotate({ identifier: "CreateCustomRegion" })

const customRegion = {
  coverage_id: Schema.String,
  region_code: Schema.String,
  region_name: Schema.String,
  iso2_list: Schema.Array(Schema.String)
}

export const CustomRegion = Schema.Struct(customRegion).annotate({ identifier: "CustomRegion" })

/** The error for a taken name or for countries without an operator. */
export const MissingCountries = Schema.Struct({
  ...Schemas.ErrorBody.fields,
  code: Schemas.errorCode(["region_name_taken", "region_uncovered"]),
  missing_iso2: Schema.Array(Schema.String)
}).annotate({
  identifier: "MissingCountries",
  description: "`region_name_taken`, `region_uncovered`: with the codes for which no operators were found"
})

/** The error for a set of countries that a profile has already. */
export const ExistingCoverage = Schema.Struct({
  ...Schemas.ErrorBody.fields,
  code: Schemas.errorCode(["region_exists"]),
  existing_coverage: CustomRegion
}).annotate({
  identifier: "ExistingCoverage",
  description: "`region_exists`: with the profile that has exactly these countries"
})

export const CoverageProfileList = Schemas.data(Schema.Array(CoverageProfile))
export const CoverageProfileItem = Schemas.data(CoverageProfile)
export const CustomRegionItem = Schemas.data(CustomRegion)

export const Operator = Schema.Struct({
  operator_id: Schema.String,
  name: Schema.String,
  country: Schema.Struct({ iso2: Schema.String, iso3: Schema.String, name: Schema.String }),
  supported_rats: Schema.Array(Schema.String),
  mcc_mnc: Schema.Array(Schema.String),
  labels: Schema.Array(Schema.String)
}).annotate({ identifier: "Operator" })

export const OperatorList = Schemas.data(Schema.Array(Operator))
export const OperatorItem = Schemas.data(Operator)

export class CoverageApi extends HttpApiGroup.make("coverage")
  .add(
    HttpApiEndpoint.get("list", "/coverage-profiles", {
      query: {
        region_code: Schema.optionalKey(Schemas.Parameter),
        label: Schema.optionalKey(Schemas.Parameter)
      },
      success: CoverageProfileList,
      error: Schemas.problems(...Schemas.reading)
    }).annotateMerge(OpenApi.annotations({ summary: "List coverage profiles" })),
    HttpApiEndpoint.get("get", "/coverage-profiles/:coverageId", {
      params: { coverageId: Schema.String },
      success: CoverageProfileItem,
      error: Schemas.problems(...Schemas.always, "coverage_profile_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get a coverage profile" })),
    HttpApiEndpoint.post("createRegion", "/coverage-profiles/custom-region", {
      payload: CreateCustomRegion,
      success: CustomRegionItem,
      error: [
        ...Schemas.problems(...Schemas.posting, "quota_exceeded"),
        MissingCountries.pipe(HttpApiSchema.status(400)),
        ExistingCoverage.pipe(HttpApiSchema.status(409))
      ]
    }).annotateMerge(OpenApi.annotations({ summary: "Create a custom region" }))
  )
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "Coverage" }))
  .prefix("/v3") {}

export class OperatorsApi extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("list", "/operators", {
      query: {
        label: Schema.optionalKey(Schemas.Parameter),
        country: Schema.optionalKey(Schemas.Parameter.annotate({ description: "ISO 3166-1 alpha-2 code" }))
      },
      success: OperatorList,
      error: Schemas.problems(...Schemas.reading)
    }).annotateMerge(OpenApi.annotations({ summary: "List operators" })),
    HttpApiEndpoint.get("get", "/operators/:operatorId", {
      params: { operatorId: Schema.String },
      success: OperatorItem,
      error: Schemas.problems(...Schemas.always, "operator_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get an operator" }))
  )
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "Operators" }))
  .prefix("/v3") {}
