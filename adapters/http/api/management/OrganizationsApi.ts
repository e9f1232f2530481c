/**
 * The management API's organizations and their API keys.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ApiKey as KeyRules, TextLimit } from "simplan/ports"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

export const Organization = Schema.Struct({
  organization_id: Schema.String,
  name: Schema.String,
  created_at: Schemas.Timestamp
}).annotate({ identifier: "Organization" })

export const CreateOrganization = Schema.Struct({ name: Schemas.text(TextLimit.NAME) }).annotate({
  identifier: "CreateOrganization"
})

const keyFields = {
  api_key_id: Schema.String,
  name: Schema.String,
  scope: Schema.Literals(KeyRules.scopes),
  hint: Schema.String.annotate({ description: "The key's last characters" }),
  created_at: Schemas.Timestamp,
  expires_at: Schema.NullOr(Schemas.Timestamp),
  revoked_at: Schema.NullOr(Schemas.Timestamp)
}

export const ApiKey = Schema.Struct(keyFields).annotate({ identifier: "ApiKey" })

export const NewApiKey = Schema.Struct({
  ...keyFields,
  key: Schema.String.annotate({ description: "The key itself; it is shown this once" })
}).annotate({ identifier: "NewApiKey" })

export const CreateApiKey = Schema.Struct({
  name: Schemas.text(TextLimit.NAME),
  scope: Schema.optionalKey(
    Schema.Literals(KeyRules.scopes).annotate({ message: `must be one of ${KeyRules.scopes.join(", ")}` })
  ),
  expires_at: Schema.optionalKey(Schema.NullOr(Schemas.Instant))
}).annotate({ identifier: "CreateApiKey" })

export const OrganizationItem = Schemas.data(Organization)
export const OrganizationPage = Schemas.page(Organization)
export const ApiKeyItem = Schemas.data(ApiKey)
export const ApiKeyPage = Schemas.page(ApiKey)
export const NewApiKeyItem = Schemas.data(NewApiKey)

const ofOrganization = { id: Schema.String }
const ofKey = { id: Schema.String, key_id: Schema.String }

export class OrganizationsApi extends HttpApiGroup.make("organizations")
  .add(
    HttpApiEndpoint.post("create", "/organizations", {
      payload: CreateOrganization,
      success: OrganizationItem.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody)
    }).annotateMerge(OpenApi.annotations({ summary: "Create an organization" })),
    HttpApiEndpoint.get("list", "/organizations", {
      query: Schemas.keyset,
      success: OrganizationPage,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(OpenApi.annotations({ summary: "List organizations, oldest first" })),
    HttpApiEndpoint.post("createKey", "/organizations/:id/api-keys", {
      params: ofOrganization,
      payload: CreateApiKey,
      success: NewApiKeyItem.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, "organization_not_found", "quota_exceeded")
    }).annotateMerge(OpenApi.annotations({ summary: "Create an API key" })),
    HttpApiEndpoint.get("keys", "/organizations/:id/api-keys", {
      params: ofOrganization,
      query: Schemas.keyset,
      success: ApiKeyPage,
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "List API keys, oldest first, revoked ones included" })),
    HttpApiEndpoint.delete("revokeKey", "/organizations/:id/api-keys/:key_id", {
      params: ofKey,
      success: ApiKeyItem,
      error: Schemas.problems(...Schemas.managing, "organization_not_found", "api_key_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Revoke an API key" })),
    HttpApiEndpoint.post("rotateKey", "/organizations/:id/api-keys/:key_id/rotate", {
      params: ofKey,
      success: NewApiKeyItem,
      error: Schemas.problems(...Schemas.managing, "organization_not_found", "api_key_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Give an API key another secret" }))
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: organizations" }))
  .prefix("/admin/v1") {}
