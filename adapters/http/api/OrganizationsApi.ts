/**
 * The management API's organizations and their API keys.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ApiKey as KeyRules, TextLimit } from "simplan/ports"
import * as Samples from "./Samples.ts"
import * as Schemas from "./Schemas.ts"

const organizationName = ["The organization's name", "Acme"] as const

export const Organization = Schema.Struct({
  organization_id: Schemas.organizationId,
  name: Schemas.string(...organizationName),
  created_at: Schemas.createdAt
}).annotate({ identifier: "Organization" })

export const CreateOrganization = Schema.Struct({
  name: Schemas.field(Schemas.text(TextLimit.NAME), ...organizationName)
}).annotate({ identifier: "CreateOrganization" })

const about = {
  name: ["The key's name", "checkout"],
  scope: ["What the key may do: `full` everything, `read` only read", "full"],
  expiresAt: ["When the key ends; null if it does not", null]
} as const

const keyFields = {
  api_key_id: Schemas.string("The key's id", Samples.keyId),
  name: Schemas.string(...about.name),
  scope: Schemas.field(Schema.Literals(KeyRules.scopes), ...about.scope),
  hint: Schemas.string("The key's last characters", "x9Qf"),
  created_at: Schemas.createdAt,
  expires_at: Schemas.field(Schema.NullOr(Schemas.Timestamp), ...about.expiresAt),
  revoked_at: Schemas.field(Schema.NullOr(Schemas.Timestamp), "When the key was revoked; null if it was not", null)
}

export const ApiKey = Schema.Struct(keyFields).annotate({ identifier: "ApiKey" })

export const NewApiKey = Schema.Struct({
  ...keyFields,
  key: Schemas.string("The key itself; it is shown this once", "simplan_EXAMPLE")
}).annotate({ identifier: "NewApiKey" })

export const CreateApiKey = Schema.Struct({
  name: Schemas.field(Schemas.text(TextLimit.NAME), ...about.name),
  scope: Schemas.optional(
    Schema.Literals(KeyRules.scopes).annotate({ message: `must be one of ${KeyRules.scopes.join(", ")}` }),
    ...about.scope
  ),
  expires_at: Schemas.optional(Schema.NullOr(Schemas.Instant), ...about.expiresAt)
}).annotate({ identifier: "CreateApiKey" })

const NewApiKeyItem = Schemas.data(NewApiKey)

const ofKey = { ...Schemas.ofOrganization, key_id: Schemas.string("The API key's id", Samples.keyId) }

export class OrganizationsApi extends HttpApiGroup.make("organizations")
  .add(
    HttpApiEndpoint.post("create", "/organizations", {
      payload: CreateOrganization,
      success: Schemas.data(Organization).pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody)
    }).annotateMerge(
      Schemas.operation(
        "Create an organization",
        "Makes a tenant: it owns keys, SIMs, plans, regions, subscriptions and webhook endpoints."
      )
    ),
    HttpApiEndpoint.get("list", "/organizations", {
      query: Schemas.keyset,
      success: Schemas.page(Organization),
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(Schemas.operation("List organizations, oldest first", "A page of all organizations.")),
    HttpApiEndpoint.post("createKey", "/organizations/:id/api-keys", {
      params: Schemas.ofOrganization,
      payload: CreateApiKey,
      success: NewApiKeyItem.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, "organization_not_found", "quota_exceeded")
    }).annotateMerge(
      Schemas.operation(
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
      Schemas.operation(
        "List API keys, oldest first, revoked ones included",
        "A page of the organization's keys, without their secrets."
      )
    ),
    HttpApiEndpoint.delete("revokeKey", "/organizations/:id/api-keys/:key_id", {
      params: ofKey,
      success: Schemas.data(ApiKey),
      error: Schemas.problems(...Schemas.managing, "organization_not_found", "api_key_not_found")
    }).annotateMerge(
      Schemas.operation("Revoke an API key", "Ends the key: at once in the process that is asked, within 5 s in all.")
    ),
    HttpApiEndpoint.post("rotateKey", "/organizations/:id/api-keys/:key_id/rotate", {
      params: ofKey,
      success: NewApiKeyItem,
      error: Schemas.problems(...Schemas.managing, "organization_not_found", "api_key_not_found")
    }).annotateMerge(
      Schemas.operation(
        "Give an API key another secret",
        "Gives the key another secret, shown this once. The one before ends as a revoked one does."
      )
    )
  )
  .annotateEndpointsMerge(Schemas.byAdminToken)
  .annotateMerge(
    Schemas.group("Management: organizations", "Tenants and their API keys, for the operator of the service.")
  )
  .prefix("/admin/v1") {}
