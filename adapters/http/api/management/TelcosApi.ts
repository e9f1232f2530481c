/**
 * The management API's telcos: the location zones of coverage profiles, which plans need (rule P4).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { TextLimit } from "simplan/ports"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

export const Zone = Schema.Struct({
  label: Schemas.Label,
  coverage_id: Schemas.text(TextLimit.ID),
  zone_id: Schemas.integer(1, Number.MAX_SAFE_INTEGER)
}).annotate({ identifier: "Zone" })

export const ZoneItem = Schemas.data(Zone)
export const ZoneList = Schemas.data(Schema.Array(Zone))

const ofTelco = { name: Schema.String }

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
