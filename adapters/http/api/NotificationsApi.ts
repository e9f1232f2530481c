/**
 * What telcos notify by themselves, in their own words. The secret in the path says who notifies it: they can send no
 * token.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Schemas from "./Schemas.ts"

/** The answer that an OCS expects. */
export const OcsAnswer = Schema.Struct({
  result: Schema.Struct({ code: Schema.Int, msg: Schema.String })
}).annotate({ identifier: "OcsAnswer" })

const ofTelco = { name: Schema.String, secret: Schema.String }

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

export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.post("ocs", "/ocs/:name/notifications/:secret", {
      params: ofTelco,
      success: OcsAnswer,
      error: problems
    }).annotateMerge(OpenApi.annotations({ summary: "Take a notification of an online charging system" })),
    HttpApiEndpoint.post("es2plus", "/es2plus/:name/:secret/gsma/rsp2/es2plus/handleDownloadProgressInfo", {
      params: ofTelco,
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(OpenApi.annotations({ summary: "Take a notification of an SM-DP+, of SGP.22 version 2" })),
    HttpApiEndpoint.post("es2plus3", "/es2plus/:name/:secret/gsma/rsp2/es2plus/handleNotification", {
      params: ofTelco,
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(OpenApi.annotations({ summary: "Take a notification of an SM-DP+, of SGP.22 version 3" }))
  )
  .annotateMerge(OpenApi.annotations({ title: "Notifications" }))
  .prefix("/telco") {}
