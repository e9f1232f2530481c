/**
 * Mobile network operators of the catalogue (rule I5).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

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
