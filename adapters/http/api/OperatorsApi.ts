/**
 * Mobile network operators of the catalogue (rule I5).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Security from "./Security.ts"
import * as Wire from "./Wire.ts"

export const Operator = Schema.Struct({
  operator_id: Schema.String,
  name: Schema.String,
  country: Schema.Struct({ iso2: Schema.String, iso3: Schema.String, name: Schema.String }),
  supported_rats: Schema.Array(Schema.String),
  mcc_mnc: Schema.Array(Schema.String),
  labels: Schema.Array(Schema.String)
}).annotate({ identifier: "Operator" })

export const OperatorList = Wire.data(Schema.Array(Operator))
export const OperatorItem = Wire.data(Operator)

export class OperatorsApi extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("list", "/operators", {
      query: {
        label: Schema.optionalKey(Wire.Parameter),
        country: Schema.optionalKey(Wire.Parameter.annotate({ description: "ISO 3166-1 alpha-2 code" }))
      },
      success: OperatorList,
      error: Wire.problems(...Wire.reading)
    }).annotateMerge(OpenApi.annotations({ summary: "List operators" })),
    HttpApiEndpoint.get("get", "/operators/:operatorId", {
      params: { operatorId: Schema.String },
      success: OperatorItem,
      error: Wire.problems(...Wire.always, "operator_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get an operator" }))
  )
  .middleware(Security.ApiKeys)
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "Operators" }))
  .prefix("/v3") {}
