/**
 * The management API's business clock: reading it, and moving a virtual one.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

export const ClockItem = Schemas.data(
  Schema.Struct({ now: Schemas.Timestamp, virtual: Schema.Boolean }).annotate({ identifier: "Clock" })
)

export const Advance = Schema.Struct({
  to: Schema.optionalKey(Schemas.Instant),
  by: Schema.optionalKey(Schema.String.annotate({ description: "A duration such as `12 hours`" }))
}).annotate({ identifier: "Advance", description: "One of the two" })

export const AdvancedItem = Schemas.data(Schema.Struct({ now: Schemas.Timestamp }))

export class ClockApi extends HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("read", "/clock", {
      success: ClockItem,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(OpenApi.annotations({ summary: "Read the business clock" })),
    HttpApiEndpoint.post("advance", "/clock/advance", {
      payload: Advance,
      success: AdvancedItem,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, "clock_is_system", "clock_advancing")
    }).annotateMerge(OpenApi.annotations({ summary: "Move a virtual clock and do all work that falls due" }))
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: clock" }))
  .prefix("/admin/v1") {}
