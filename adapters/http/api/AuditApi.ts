/**
 * The management API's audit log.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AuditEntry as Entry, TextLimit } from "simplan/ports"
import * as Samples from "./Samples.ts"
import * as Schemas from "./Schemas.ts"

export const JSON_LINES = "application/x-ndjson"

const Action = Schema.Literals(Entry.actions).annotate({ message: `must be one of ${Entry.actions.join(", ")}` })

export const AuditEntry = Schema.Struct({
  audit_entry_id: Schemas.string("The entry's id", Samples.auditId),
  created_at: Schemas.createdAt,
  actor: Schemas.string(
    "The id of the API key; `admin` or `telco` for those who have a token; else as the host says, or `host`"
  ),
  action: Schemas.field(Action, "What was done", "subscription.create"),
  resource_type: Schemas.string("The kind of resource", "subscription"),
  resource_id: Schemas.string("That of a SIM is its ICCID", Samples.subscriptionId),
  iccid: Schemas.field(
    Schema.NullOr(Schema.String),
    "The SIM that the change is about, if it is about one",
    Samples.iccid
  ),
  address: Schemas.field(Schema.NullOr(Schema.String), "The caller's network address", "192.0.2.7"),
  request_id: Schemas.field(Schema.NullOr(Schema.String), "The `X-Request-Id` of the answer", Samples.requestId)
}).annotate({ identifier: "AuditEntry" })

const text = Schemas.Parameter.check(Schemas.within(TextLimit.ID))

const query = {
  from: Schemas.optional(Schemas.Instant, "Only entries from this instant on", Samples.start),
  to: Schemas.optional(Schemas.Instant, "Only entries before this instant", Samples.end),
  actor: Schemas.optional(text, "Only changes by this API key, or by `admin`, `telco` or `host`", "admin"),
  action: Schemas.optional(Action, "Only changes of this kind", "subscription.create"),
  resource_id: Schemas.optional(
    text,
    "Only changes of the resource with this id, or of the SIM with this ICCID",
    Samples.subscriptionId
  ),
  ...Schemas.keyset
}

const success = [
  Schemas.page(AuditEntry),
  Schema.String.pipe(HttpApiSchema.asText({ contentType: JSON_LINES }))
] as const

const lines = `With \`Accept: ${JSON_LINES}\` all entries come as one stream, a line each, without pages.`

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/organizations/:id/audit", {
      params: Schemas.ofOrganization,
      query,
      success,
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(Schemas.operation("Who changed what, newest first", lines)),
    HttpApiEndpoint.get("listService", "/audit", {
      query,
      success,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      Schemas.operation(
        "Who changed what belongs to no organization, newest first",
        `The catalogue, the zones of regions that everybody has, and a virtual clock. ${lines}`
      )
    )
  )
  .annotateEndpointsMerge(Schemas.byAdminToken)
  .annotateMerge(Schemas.group("Management: audit", "Who changed what."))
  .prefix("/admin/v1") {}
