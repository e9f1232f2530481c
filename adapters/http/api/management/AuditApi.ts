/**
 * The management API's audit log.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuditEntry as Entry, TextLimit } from "simplan/ports"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

export const JSON_LINES = "application/x-ndjson"

const Action = Schema.Literals(Entry.actions).annotate({ message: `must be one of ${Entry.actions.join(", ")}` })

export const AuditEntry = Schema.Struct({
  audit_entry_id: Schema.String,
  created_at: Schemas.Timestamp,
  actor: Schema.String.annotate({
    description:
      "The id of the API key; `admin` or `telco` for those who have a token; else as the host says, or `host`"
  }),
  action: Action,
  resource_type: Schema.String,
  resource_id: Schema.String.annotate({ description: "That of a SIM is its ICCID" }),
  iccid: Schema.NullOr(Schema.String).annotate({ description: "The SIM that the change is about, if it is about one" }),
  address: Schema.NullOr(Schema.String).annotate({ description: "The caller's network address" }),
  request_id: Schema.NullOr(Schema.String).annotate({ description: "The `X-Request-Id` of the answer" })
}).annotate({ identifier: "AuditEntry" })

export const AuditEntryPage = Schemas.page(AuditEntry)

const text = Schemas.Parameter.check(Schemas.within(TextLimit.ID))

const query = {
  from: Schema.optionalKey(Schemas.Instant.annotate({ description: "Only entries from this instant on" })),
  to: Schema.optionalKey(Schemas.Instant.annotate({ description: "Only entries before this instant" })),
  actor: Schema.optionalKey(
    text.annotate({ description: "Only changes by this API key, or by `admin`, `telco` or `host`" })
  ),
  action: Schema.optionalKey(Action.annotate({ description: "Only changes of this kind" })),
  resource_id: Schema.optionalKey(
    text.annotate({ description: "Only changes of the resource with this id, or of the SIM with this ICCID" })
  ),
  ...Schemas.keyset
}

const success = [AuditEntryPage, Schema.String.pipe(HttpApiSchema.asText({ contentType: JSON_LINES }))] as const

const lines = `With \`Accept: ${JSON_LINES}\` all entries come as one stream, a line each, without pages.`

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/organizations/:id/audit", {
      params: { id: Schema.String },
      query,
      success,
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Who changed what, newest first", description: lines })),
    HttpApiEndpoint.get("listService", "/audit", {
      query,
      success,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Who changed what belongs to no organization, newest first",
        description: `The catalogue, the zones of regions that everybody has, and a virtual clock. ${lines}`
      })
    )
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: audit" }))
  .prefix("/admin/v1") {}
