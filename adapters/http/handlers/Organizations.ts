/**
 * Handlers of organizations and their API keys.
 */
import { Effect } from "effect"
import { ApiKeys, Organizations } from "simplan"
import * as OrganizationsApi from "../api/management/OrganizationsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Instants from "../shapes/Instants.ts"
import * as Shapes from "../shapes/Management.ts"
import * as Query from "../wire/Query.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

const decodeOrganization = Body.closedDecoder(OrganizationsApi.CreateOrganization)
const decodeKey = Body.closedDecoder(OrganizationsApi.CreateApiKey)

const keyOf = (params: { readonly id: string; readonly key_id: string }) => ({
  organizationId: Text.id(params.id),
  apiKeyId: Text.id(params.key_id)
})

export const make = (guard: Auth.Guard<undefined>) =>
  Effect.gen(function* () {
    const organizations = yield* Organizations.Organizations
    const apiKeys = yield* ApiKeys.ApiKeys

    return Endpoints.group(OrganizationsApi.OrganizationsApi, guard, {
      create: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request)
        const organization = yield* organizations.create(yield* decodeOrganization(value))
        return Responses.data(Shapes.organization(organization))
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { items, next } = yield* organizations.page(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE))
        return Responses.page(items.map(Shapes.organization), Query.createdToken(next))
      }),
      createKey: Effect.fnUntraced(function* ({ params, request }) {
        const { value } = yield* Body.read(request)
        const { expires_at, name, scope } = yield* decodeKey(value)
        const made = yield* apiKeys.create({
          organizationId: Text.id(params.id),
          name,
          scope: scope ?? "full",
          expiresAt: Instants.fromWire(expires_at)
        })
        return Responses.data(Shapes.newApiKey(made))
      }),
      keys: Effect.fnUntraced(function* ({ params, query }) {
        const of = { organizationId: Text.id(params.id), ...(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)) }
        const { items, next } = yield* apiKeys.page(of)
        return Responses.page(items.map(Shapes.apiKey), Query.createdToken(next))
      }),
      revokeKey: Effect.fnUntraced(function* ({ params }) {
        const revoked = yield* apiKeys.revoke(keyOf(params))
        return Responses.data(Shapes.apiKey(revoked))
      }),
      rotateKey: Effect.fnUntraced(function* ({ params }) {
        const rotated = yield* apiKeys.rotate(keyOf(params))
        return Responses.data(Shapes.newApiKey(rotated))
      })
    })
  })
