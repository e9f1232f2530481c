/**
 * Coverage profiles, standard ones and the organization's custom regions (rules I3 and I4), and the
 * mobile network operators of the catalogue (rule I5).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Coverage } from "simplan/views"
import * as Operations from "./Operations.ts"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"

export const CreateRegion = Views.body(Coverage.CreateRegion)

/** The error for a taken name or for countries without an operator. */
const MissingCountries = Schema.Struct({
  ...Schemas.ErrorBody.fields,
  code: Schemas.field(
    Schemas.errorCode(["region_name_taken", "region_uncovered"]),
    "The name of the error",
    "region_uncovered"
  ),
  missing_iso2: Schemas.field(Schema.Array(Schema.String), "The codes of the request for which there is no operator", [
    "AQ"
  ])
}).annotate({
  identifier: "MissingCountries",
  description: "`region_name_taken`, `region_uncovered`: with the codes for which no operators were found"
})

/** The error for a set of countries that a profile has already. */
const ExistingCoverage = Schema.Struct({
  ...Schemas.ErrorBody.fields,
  code: Schemas.field(Schemas.errorCode(["region_exists"]), "The name of the error", "region_exists"),
  existing_coverage: Schemas.field(Views.answer(Coverage.Region), "The profile that has exactly these countries")
}).annotate({
  identifier: "ExistingCoverage",
  description: "`region_exists`: with the profile that has exactly these countries"
})

/** What the management API reads too. */
export const reads = {
  list: Operations.readOfAll("list", "/coverage-profiles", {
    query: Views.query(Coverage.CoverageFilter.own),
    success: Schemas.data(Schema.Array(Views.answer(Coverage.CoverageProfile))),
    errors: ["invalid_field"],
    summary: "List coverage profiles",
    description:
      "The standard profiles and the organization's own, with their countries and operators. The list is large " +
      "and streamed."
  }),
  get: Operations.readOfOne(
    "get",
    "/coverage-profiles/:coverageId",
    { coverageId: Schemas.idOfPath(...Schemas.means.coverageId) },
    {
      success: Schemas.data(Views.answer(Coverage.CoverageProfile)),
      errors: ["coverage_profile_not_found"],
      summary: "Get a coverage profile",
      description: "One profile, with its countries and operators."
    }
  )
}

export class CoverageApi extends HttpApiGroup.make("coverage")
  .add(
    reads.list.v3,
    reads.get.v3,
    HttpApiEndpoint.post("createRegion", "/coverage-profiles/custom-region", {
      payload: CreateRegion,
      success: Schemas.data(Views.answer(Coverage.Region)),
      error: [
        ...Schemas.problems(...Schemas.posting, "quota_exceeded"),
        MissingCountries.pipe(HttpApiSchema.status(400)),
        ExistingCoverage.pipe(HttpApiSchema.status(409))
      ]
    }).annotateMerge(
      Schemas.operation(
        "Create a custom region",
        "Makes a profile of the countries, for plans of the label. A profile never changes and cannot be deleted."
      )
    )
  )
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(
    Schemas.group("Coverage", "The sets of countries that plans are for: standard ones, and the organization's own.")
  )
  .prefix("/v3") {}

/** What the management API reads too. */
export const readsOfOperators = {
  list: Operations.readOfAll("list", "/operators", {
    query: Views.query(Coverage.OperatorFilter.own),
    success: Schemas.data(Schema.Array(Views.answer(Coverage.Operator))),
    errors: ["invalid_field"],
    summary: "List operators",
    description: "The mobile network operators of the catalogue."
  }),
  get: Operations.readOfOne(
    "get",
    "/operators/:operatorId",
    { operatorId: Schemas.idOfPath(...Schemas.means.operatorId) },
    {
      success: Schemas.data(Views.answer(Coverage.Operator)),
      errors: ["operator_not_found"],
      summary: "Get an operator",
      description: "One mobile network operator."
    }
  )
}

export class OperatorsApi extends HttpApiGroup.make("operators")
  .add(readsOfOperators.list.v3, readsOfOperators.get.v3)
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(Schemas.group("Operators", "The mobile networks of the catalogue."))
  .prefix("/v3") {}
