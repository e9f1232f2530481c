/**
 * The management API's business clock: reading it, and moving a virtual one.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Security from "./Security.ts"
import * as Wire from "./Wire.ts"

export const ClockItem = Wire.data(
  Schema.Struct({ now: Wire.Timestamp, virtual: Schema.Boolean }).annotate({ identifier: "Clock" })
)

export const Advance = Schema.Struct({
  to: Schema.optionalKey(Wire.Instant),
  by: Schema.optionalKey(Schema.String.annotate({ description: "A duration such as `12 hours`" }))
}).annotate({ identifier: "Advance", description: "One of the two" })

export const AdvancedItem = Wire.data(Schema.Struct({ now: Wire.Timestamp }))

export class ClockApi extends HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("read", "/clock", {
      success: ClockItem,
      error: Wire.problems(...Wire.managing)
    }).annotateMerge(OpenApi.annotations({ summary: "Read the business clock" })),
    HttpApiEndpoint.post("advance", "/clock/advance", {
      payload: Advance,
      success: AdvancedItem,
      error: Wire.problems(
        ...Wire.managing,
        "invalid_field",
        "malformed_json",
        "body_too_large",
        "unsupported_media_type",
        "clock_is_system",
        "clock_advancing"
      )
    }).annotateMerge(OpenApi.annotations({ summary: "Move a virtual clock and do all work that falls due" }))
  )
  .middleware(Security.AdminToken)
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: clock" }))
  .prefix("/admin/v1") {}
