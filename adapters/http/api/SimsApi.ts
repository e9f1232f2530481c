/**
 * The SIM inventory of an organization (rules I1 and I2), and its mobile plan on eSIMs (rule I6).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SmdpHistory, TextLimit } from "simplan/ports"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

export const Sim = Schema.Struct({
  iccid: Schema.String,
  label: Schema.String,
  lpa: Schema.NullOr(Schema.String),
  used: Schema.Boolean,
  esim_id: Schema.String,
  created_at: Schemas.Timestamp,
  is_esim: Schema.Boolean
}).annotate({ identifier: "Sim" })

const state = Schema.Literals(SmdpHistory.states)

export const SmdpInfo = Schema.Struct({
  iccid: Schema.String,
  state_history: Schema.Array(
    Schema.Struct({ state, modification_result: Schema.String, modified_at: Schemas.Timestamp })
  ),
  current_status: Schema.NullOr(state)
}).annotate({ identifier: "SmdpInfo" })

export const SimPage = Schemas.page(Sim)
export const SimItem = Schemas.data(Sim)
export const SmdpInfoItem = Schemas.data(SmdpInfo)

export const SetMobilePlan = Schema.Struct({
  apply: Schema.Boolean,
  label: Schemas.Label,
  iccid: Schema.optionalKey(Schemas.text(TextLimit.ID))
}).annotate({ identifier: "SetMobilePlan" })

export const MobilePlanItem = Schemas.data(
  Schema.Struct({
    iccid: Schema.String,
    mobile_plan_applied: Schema.Boolean,
    id: Schema.Int
  }).annotate({ identifier: "MobilePlanStatus" })
)

const ofSim = { iccid: Schema.String }

export class SimsApi extends HttpApiGroup.make("sims")
  .add(
    HttpApiEndpoint.get("list", "/sims", {
      query: {
        page_size: Schema.optionalKey(Schemas.pageSize(100, 25)),
        page: Schema.optionalKey(Schemas.Parameter),
        is_esim: Schema.optionalKey(
          Schemas.Flag.annotate({
            description: "`true`: only eSIMs, `false`: only physical SIMs; both where absent"
          })
        ),
        label: Schema.optionalKey(Schemas.Parameter.annotate({ description: "Only those of this label" }))
      },
      success: SimPage,
      error: Schemas.problems(...Schemas.reading)
    }).annotateMerge(OpenApi.annotations({ summary: "List SIMs by order of import" })),
    HttpApiEndpoint.get("get", "/sims/:iccid", {
      params: ofSim,
      success: SimItem,
      error: Schemas.problems(...Schemas.always, "sim_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get a SIM" })),
    HttpApiEndpoint.get("smdpInfo", "/sims/:iccid/smdp-info", {
      params: ofSim,
      success: SmdpInfoItem,
      error: Schemas.problems(...Schemas.always, "sim_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "The SM-DP+ state history of an eSIM's profile" }))
  )
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "SIMs" }))
  .prefix("/v3") {}

export class WalletApi extends HttpApiGroup.make("wallet")
  .add(
    HttpApiEndpoint.post("setMobilePlan", "/wallet/mobile-plan", {
      payload: SetMobilePlan,
      success: MobilePlanItem,
      error: Schemas.problems(
        ...Schemas.posting,
        "label_mismatch",
        "sim_not_found",
        "no_free_esim",
        "esims_releasing",
        "sim_busy",
        "telco_refused",
        "telco_unavailable"
      )
    }).annotateMerge(OpenApi.annotations({ summary: "Apply the mobile plan to an eSIM, or remove it" }))
  )
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "Wallet" }))
  .prefix("/v3") {}
