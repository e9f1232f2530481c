/**
 * The management API's organizations, their API keys, and the audit log of what was changed in
 * each.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AuditEntry as Entry, TextLimit } from "simplan/ports"
import * as Roles from "./Roles.ts"
import { Samples } from "simplan/views"
import { Organizations } from "../../operations/index.ts"
import * as Schemas from "./Schemas.ts"
import * as Rows from "./Rows.ts"
import { Fields } from "../../fields/index.ts"

/** The rows of both, by the names of their endpoints. */
export const rows = {
  ...Organizations.organizations,
  createKey: Organizations.apiKeys.create,
  keys: Organizations.apiKeys.list,
  revokeKey: Organizations.apiKeys.revoke,
  rotateKey: Organizations.apiKeys.rotate
}

export class OrganizationsApi extends Rows.group("organizations", rows)
  .annotateMerge(
    Schemas.group("Management: organizations", "Tenants and their API keys, for the operator of the service.")
  )
  .prefix("/admin/v1") {}

/** The content type of an audit log in one stream. */
export const JSON_LINES = "application/x-ndjson"

const Action = Fields.oneOf(Entry.actions)

export const AuditEntry = Schema.Struct({
  audit_entry_id: Schemas.string("The entry's id", Samples.auditId),
  created_at: Schemas.createdAt,
  actor: Schemas.string(
    "The id of the API key, or the name of the operator, `bootstrap` for who has the server's token; `telco` for the telco; else as the host says, or `host`"
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
  request_id: Schemas.field(Schema.NullOr(Schema.String), "The `X-Request-Id` of the answer", Samples.requestId),
  reason: Schemas.field(
    Schema.NullOr(Schema.String),
    "The `X-Audit-Log-Reason` of the request, decoded; null where it had none",
    Samples.reason
  )
}).annotate({ identifier: "AuditEntry" })

const auditText = Schemas.Parameter.check(Schemas.within(TextLimit.ID))

const auditQuery = {
  from: Schemas.optional(Schemas.Instant, "Only entries from this instant on", Samples.start),
  to: Schemas.optional(Schemas.Instant, "Only entries before this instant", Samples.end),
  actor: Schemas.optional(
    auditText,
    "Only changes by this API key or operator, or by `bootstrap`, `telco` or `host`",
    "Ada"
  ),
  action: Schemas.optional(Action, "Only changes of this kind", "subscription.create"),
  resource_id: Schema.optionalKey(
    Schemas.resourceOfQuery(
      "Only changes of the resource with this id, or of the SIM with this ICCID",
      Samples.subscriptionId
    )
  ),
  ...Schemas.keyset
}

const auditSuccess = [
  Schemas.page(AuditEntry),
  Schema.String.pipe(HttpApiSchema.asText({ contentType: JSON_LINES }))
] as const

const asLines = `With \`Accept: ${JSON_LINES}\` all entries come as one stream, a line each, without pages.`

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/organizations/:id/audit", {
      params: Schemas.ofOrganization,
      query: auditQuery,
      success: auditSuccess,
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(Roles.operation("read", "Who changed what, newest first", asLines)),
    HttpApiEndpoint.get("listService", "/audit", {
      query: auditQuery,
      success: auditSuccess,
      error: Schemas.problems(...Schemas.managing, "route_not_found")
    }).annotateMerge(
      Roles.ofService(
        "read",
        "Who changed what belongs to no organization, newest first",
        `The catalogue, the zones of regions that everybody has, and a virtual clock. ${asLines}`
      )
    )
  )
  .annotateMerge(Schemas.group("Management: audit", "Who changed what."))
  .prefix("/admin/v1") {}
