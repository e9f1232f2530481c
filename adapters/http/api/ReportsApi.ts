/**
 * The intake of telco reports (rule R1). An event that does not decode is rejected alone, so the definition checks
 * none; `handlers/Reports` does.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { TextLimit } from "simplan/ports"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

/** The largest number of events in a request. */
export const EVENTS_LIMIT = 1_000

export const ReportEvents = Schema.Struct({
  events: Schemas.list(
    Schema.Unknown.annotate({
      description:
        "`{id, type, iccid, occurred_at, …}` with, by type: `usage {package_id?, total_bytes | delta_bytes}`, " +
        "`first_use {package_id?}`, `location {country_alpha_2, operator, rat, imei}`, " +
        "`smdp_state {state, modification_result?}`. " +
        `Each text has at most ${TextLimit.REPORTED} characters`
    }),
    EVENTS_LIMIT
  )
}).annotate({ identifier: "ReportEvents" })

export const ReportOutcome = Schema.Struct({
  accepted: Schema.Int,
  duplicates: Schema.Int,
  rejected: Schema.Array(Schema.Struct({ index: Schema.Int, id: Schema.NullOr(Schema.String), message: Schema.String }))
}).annotate({ identifier: "ReportOutcome" })

export class ReportsApi extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("take", "/events", {
      payload: ReportEvents,
      success: ReportOutcome,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody)
    }).annotateMerge(OpenApi.annotations({ summary: "Report usage, first use, locations and SM-DP+ states" }))
  )
  .annotateEndpointsMerge(Security.byTelcoToken)
  .annotateMerge(OpenApi.annotations({ title: "Telco" }))
  .prefix("/telco/v1") {}
