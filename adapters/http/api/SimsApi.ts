/**
 * The SIM inventory of an organization (rules I1 and I2).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SmdpHistory } from "simplan"
import * as Security from "./Security.ts"
import * as Wire from "./Wire.ts"

export const Sim = Schema.Struct({
  iccid: Schema.String,
  label: Schema.String,
  lpa: Schema.NullOr(Schema.String),
  used: Schema.Boolean,
  esim_id: Schema.String,
  created_at: Wire.Timestamp,
  is_esim: Schema.Boolean
}).annotate({ identifier: "Sim" })

const state = Schema.Literals(SmdpHistory.states)

export const SmdpInfo = Schema.Struct({
  iccid: Schema.String,
  state_history: Schema.Array(
    Schema.Struct({ state, modification_result: Schema.String, modified_at: Wire.Timestamp })
  ),
  current_status: Schema.NullOr(state)
}).annotate({ identifier: "SmdpInfo" })

export const SimPage = Wire.page(Sim)
export const SimItem = Wire.data(Sim)
export const SmdpInfoItem = Wire.data(SmdpInfo)

const ofSim = { iccid: Schema.String }

export class SimsApi extends HttpApiGroup.make("sims")
  .add(
    HttpApiEndpoint.get("list", "/sims", {
      query: {
        page_size: Schema.optionalKey(Wire.pageSize(100, 25)),
        page: Schema.optionalKey(Wire.Parameter),
        is_esim: Schema.optionalKey(Wire.Flag),
        label: Schema.optionalKey(Wire.Parameter)
      },
      success: SimPage,
      error: Wire.problems(...Wire.reading)
    }).annotateMerge(OpenApi.annotations({ summary: "List SIMs by order of import" })),
    HttpApiEndpoint.get("get", "/sims/:iccid", {
      params: ofSim,
      success: SimItem,
      error: Wire.problems(...Wire.always, "sim_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get a SIM" })),
    HttpApiEndpoint.get("smdpInfo", "/sims/:iccid/smdp-info", {
      params: ofSim,
      success: SmdpInfoItem,
      error: Wire.problems(...Wire.always, "sim_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "The SM-DP+ state history of an eSIM's profile" }))
  )
  .middleware(Security.ApiKeys)
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "SIMs" }))
  .prefix("/v3") {}
