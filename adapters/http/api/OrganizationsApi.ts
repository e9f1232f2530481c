/**
 * The management API's organizations, their API keys, and the audit log of what was changed in each.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ApiKey as KeyRules, AuditEntry as Entry, TextLimit } from "simplan/ports"
import * as Roles from "./Roles.ts"
import { Organizations, Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"
import { Fields } from "../../fields/index.ts"

export const Organization = Views.answer(Organizations.Organization)
export const CreateOrganization = Views.body(Organizations.CreateOrganization)
export const ApiKey = Views.answer(Organizations.ApiKey)
export const NewApiKey = Views.answer(Organizations.NewApiKey)
export const CreateApiKey = Views.body(Organizations.CreateApiKey)

const NewApiKeyItem = Schemas.data(NewApiKey)

const ofKey = { ...Schemas.ofOrganization, key_id: Schemas.idOfPath("The API key's id", Samples.keyId) }

const rotation = {
  overlap_hours: Schemas.optional(
    Schemas.Parameter.check(
      Schema.isPattern(/^(?:[1-6]?[0-9]{1,2}|7[01][0-9]|720)$/u, {
        message: `must be an integer from 0 to ${KeyRules.LONGEST_OVERLAP_HOURS}`
      })
    ),
    `For how many hours the secret before goes on, 0 to ${KeyRules.LONGEST_OVERLAP_HOURS}; 0 where it is absent`,
    "24"
  )
}

export class OrganizationsApi extends HttpApiGroup.make("organizations")
  .add(
    HttpApiEndpoint.post("create", "/organizations", {
      payload: CreateOrganization,
      success: Schemas.data(Organization).pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.restricted, "route_not_found", ...Schemas.withBody)
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "Create an organization",
        "Makes a tenant: it owns keys, SIMs, plans, regions, subscriptions and webhook endpoints."
      )
    ),
    HttpApiEndpoint.get("list", "/organizations", {
      query: Schemas.keyset,
      success: Schemas.page(Organization),
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(Roles.operation("read", "List organizations, oldest first", "A page of all organizations.")),
    HttpApiEndpoint.get("get", "/organizations/:id", {
      params: Schemas.ofOrganization,
      success: Schemas.data(Organization),
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(Roles.operation("read", "Read an organization", "The organization, by its id.")),
    HttpApiEndpoint.post("createKey", "/organizations/:id/api-keys", {
      params: Schemas.ofOrganization,
      payload: CreateApiKey,
      success: NewApiKeyItem.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.restricted, ...Schemas.withBody, "organization_not_found", "quota_exceeded")
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Create an API key",
        "Makes a key for `/v3`. The key is shown this once; only its hash is stored."
      )
    ),
    HttpApiEndpoint.get("keys", "/organizations/:id/api-keys", {
      params: Schemas.ofOrganization,
      query: Schemas.keyset,
      success: Schemas.page(ApiKey),
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(
      Roles.operation(
        "read",
        "List API keys, oldest first, revoked ones included",
        "A page of the organization's keys, without their secrets."
      )
    ),
    HttpApiEndpoint.delete("revokeKey", "/organizations/:id/api-keys/:key_id", {
      params: ofKey,
      success: Schemas.data(ApiKey),
      error: Schemas.problems(...Schemas.restricted, "organization_not_found", "api_key_not_found")
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Revoke an API key",
        "Ends the key: at once in the process that is asked, within 5 s in all."
      )
    ),
    HttpApiEndpoint.post("rotateKey", "/organizations/:id/api-keys/:key_id/rotate", {
      params: ofKey,
      query: rotation,
      success: NewApiKeyItem,
      error: Schemas.problems(...Schemas.restricted, "organization_not_found", "api_key_not_found")
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Give an API key another secret",
        "Gives the key another secret, shown this once. The one before goes on for `overlap_hours`, for 0 it ends as a revoked one " +
          "does. The one before that ends in any case."
      )
    )
  )
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
