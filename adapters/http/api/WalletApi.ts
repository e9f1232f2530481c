/**
 * The organization's mobile plan on its eSIMs (rule I6).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { TextLimit } from "simplan/ports"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

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
