/**
 * Telcos: the location zones of coverage profiles, which plans need (rule P4), and what telcos notify by themselves, in their
 * own words. The secret in the path says who sends a notification: telcos can send no token.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { TextLimit } from "simplan/ports"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

export const Zone = Schema.Struct({
  label: Schemas.Label,
  coverage_id: Schemas.text(TextLimit.ID),
  zone_id: Schemas.integer(1, Number.MAX_SAFE_INTEGER)
}).annotate({ identifier: "Zone" })

export const ZoneItem = Schemas.data(Zone)
export const ZoneList = Schemas.data(Schema.Array(Zone))

/** The answer that an OCS expects. */
export const OcsAnswer = Schema.Struct({
  result: Schema.Struct({ code: Schema.Int, msg: Schema.String })
}).annotate({ identifier: "OcsAnswer" })

const ofTelco = { name: Schema.String }

const ofSender = { ...ofTelco, secret: Schema.String }

const problems = Schemas.problems(
  ...Schemas.unguarded,
  "rate_limited",
  "route_not_found",
  "invalid_field",
  "malformed_json",
  "malformed_body",
  "body_too_large",
  "internal_error",
  "storage_unavailable"
)

export class TelcosApi extends HttpApiGroup.make("telcos")
  .add(
    HttpApiEndpoint.get("zones", "/telcos/:name/zones", {
      params: ofTelco,
      success: ZoneList,
      error: Schemas.problems(...Schemas.managing, "telco_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "List the zones that were set" })),
    HttpApiEndpoint.put("setZone", "/telcos/:name/zones", {
      params: ofTelco,
      payload: Zone,
      success: ZoneItem,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, "telco_not_found", "coverage_profile_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Set the zone of a coverage profile" }))
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: telcos" }))
  .prefix("/admin/v1") {}

export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.post("ocs", "/ocs/:name/notifications/:secret", {
      params: ofSender,
      success: OcsAnswer,
      error: problems
    }).annotateMerge(OpenApi.annotations({ summary: "Take a notification of an online charging system" })),
    HttpApiEndpoint.post("es2plus", "/es2plus/:name/:secret/gsma/rsp2/es2plus/handleDownloadProgressInfo", {
      params: ofSender,
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(OpenApi.annotations({ summary: "Take a notification of an SM-DP+, of SGP.22 version 2" })),
    HttpApiEndpoint.post("es2plus3", "/es2plus/:name/:secret/gsma/rsp2/es2plus/handleNotification", {
      params: ofSender,
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(OpenApi.annotations({ summary: "Take a notification of an SM-DP+, of SGP.22 version 3" }))
  )
  .annotateMerge(OpenApi.annotations({ title: "Notifications" }))
  .prefix("/telco") {}
