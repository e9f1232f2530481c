/**
 * Handlers of organizations and their API keys.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Organizations } from "simplan"
import { Api } from "../api/Api.ts"
import * as OrganizationsApi from "../api/OrganizationsApi.ts"
import * as Instants from "../shapes/Instants.ts"
import * as Shapes from "../shapes/Management.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Responses from "../wire/Responses.ts"
import * as Text from "../wire/Text.ts"

type Item = typeof OrganizationsApi.OrganizationItem.Type
type List = typeof OrganizationsApi.OrganizationList.Type
type KeyItem = typeof OrganizationsApi.ApiKeyItem.Type
type KeyList = typeof OrganizationsApi.ApiKeyList.Type
type NewKeyItem = typeof OrganizationsApi.NewApiKeyItem.Type

const decodeOrganization = JsonBody.decoder(OrganizationsApi.CreateOrganization)
const decodeKey = JsonBody.decoder(OrganizationsApi.CreateApiKey)

const keyOf = (params: { readonly id: string; readonly key_id: string }) => ({
  organizationId: Text.id(params.id),
  apiKeyId: Text.id(params.key_id)
})

export const layer = HttpApiBuilder.group(
  Api,
  "organizations",
  Effect.fnUntraced(function* (handlers) {
    const organizations = yield* Organizations.Organizations

    return handlers
      .handleRaw(
        "create",
        Effect.fnUntraced(function* ({ request }) {
          const { value } = yield* JsonBody.read(request)
          const organization = yield* organizations.create(yield* decodeOrganization(value))
          return Responses.created<Item>({ error: false, data: Shapes.organization(organization) })
        }, ErrorResponses.handled)
      )
      .handle(
        "list",
        Effect.fnUntraced(function* () {
          const all = yield* organizations.list
          return Responses.ok<List>({ error: false, data: all.map(Shapes.organization) })
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "createKey",
        Effect.fnUntraced(function* ({ params, request }) {
          const { value } = yield* JsonBody.read(request)
          const { expires_at, name, scope } = yield* decodeKey(value)
          const made = yield* organizations.createKey({
            organizationId: Text.id(params.id),
            name,
            scope: scope ?? "full",
            expiresAt: Instants.fromWire(expires_at)
          })
          return Responses.created<NewKeyItem>({ error: false, data: Shapes.newApiKey(made) })
        }, ErrorResponses.handled)
      )
      .handle(
        "keys",
        Effect.fnUntraced(function* ({ params }) {
          const keys = yield* organizations.keys({ organizationId: Text.id(params.id) })
          return Responses.ok<KeyList>({ error: false, data: keys.map(Shapes.apiKey) })
        }, ErrorResponses.handled)
      )
      .handle(
        "revokeKey",
        Effect.fnUntraced(function* ({ params }) {
          const revoked = yield* organizations.revokeKey(keyOf(params))
          return Responses.ok<KeyItem>({ error: false, data: Shapes.apiKey(revoked) })
        }, ErrorResponses.handled)
      )
      .handle(
        "rotateKey",
        Effect.fnUntraced(function* ({ params }) {
          const rotated = yield* organizations.rotateKey(keyOf(params))
          return Responses.ok<NewKeyItem>({ error: false, data: Shapes.newApiKey(rotated) })
        }, ErrorResponses.handled)
      )
  })
)
