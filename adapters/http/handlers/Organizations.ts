/**
 * Organizations, their API keys and the audit log: how they look as JSON, and their handlers.
 */
import { Effect } from "effect"
import { ApiKeys, AuditLog, Organizations, Time } from "simplan"
import { type ApiKey, AuditEntry, type Organization } from "simplan/ports"
import * as OrganizationsApi from "../api/OrganizationsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

const shape = (one: Organization.Organization): typeof OrganizationsApi.Organization.Type => ({
  organization_id: one.organizationId,
  name: one.name,
  created_at: Time.toIso(one.createdAt)
})

const shapeOfKey = (one: ApiKey.ApiKey): typeof OrganizationsApi.ApiKey.Type => ({
  api_key_id: one.apiKeyId,
  name: one.name,
  scope: one.scope,
  hint: one.hint,
  previous_key_until: Responses.instant(one.previousUntil),
  created_at: Time.toIso(one.createdAt),
  expires_at: Responses.instant(one.expiresAt),
  revoked_at: Responses.instant(one.revokedAt),
  last_used_at: Responses.instant(one.lastUsedAt)
})

const shapeOfNewKey = (one: ApiKeys.NewKey): typeof OrganizationsApi.NewApiKey.Type => ({
  ...shapeOfKey(one.apiKey),
  key: one.key
})

const decodeOrganization = Body.closedDecoder(OrganizationsApi.CreateOrganization)
const decodeKey = Body.closedDecoder(OrganizationsApi.CreateApiKey)

const keyOf = (params: { readonly id: string; readonly key_id: string }) => ({
  organizationId: params.id,
  apiKeyId: params.key_id
})

export const make = (guard: OperatorAuth.Guard) =>
  Effect.gen(function* () {
    const organizations = yield* Organizations.Organizations
    const apiKeys = yield* ApiKeys.ApiKeys

    return Endpoints.group(OrganizationsApi.OrganizationsApi, guard, {
      create: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request)
        const organization = yield* organizations.create(yield* decodeOrganization(value))
        return Responses.data(shape(organization))
      }),
      list: Effect.fnUntraced(function* ({ caller, query }) {
        const of = { ...(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)), only: caller.organizationId }
        const { items, next } = yield* organizations.page(of)
        return Responses.page(items.map(shape), Query.createdToken(next))
      }),
      get: ({ params }) =>
        Effect.map(organizations.get({ organizationId: params.id }), (found) => Responses.data(shape(found))),
      createKey: Effect.fnUntraced(function* ({ params, request }) {
        const { value } = yield* Body.read(request)
        const { expires_at, name, scope } = yield* decodeKey(value)
        const made = yield* apiKeys.create({
          organizationId: params.id,
          name,
          scope: scope ?? "full",
          expiresAt: Query.instant(expires_at)
        })
        return Responses.data(shapeOfNewKey(made))
      }),
      keys: Effect.fnUntraced(function* ({ params, query }) {
        const of = {
          organizationId: params.id,
          ...(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE))
        }
        const { items, next } = yield* apiKeys.page(of)
        return Responses.page(items.map(shapeOfKey), Query.createdToken(next))
      }),
      revokeKey: Effect.fnUntraced(function* ({ params }) {
        const revoked = yield* apiKeys.revoke(keyOf(params))
        return Responses.data(shapeOfKey(revoked))
      }),
      rotateKey: Effect.fnUntraced(function* ({ params, query }) {
        const rotated = yield* apiKeys.rotate({ ...keyOf(params), overlapHours: Number(query.overlap_hours ?? "0") })
        return Responses.data(shapeOfNewKey(rotated))
      })
    })
  })

const shapeOfEntry = (one: AuditEntry.AuditEntry): typeof OrganizationsApi.AuditEntry.Type => ({
  audit_entry_id: one.entryId,
  created_at: Time.toIso(one.createdAt),
  actor: one.actor,
  action: one.action,
  resource_type: AuditEntry.resourceType(one.action),
  resource_id: one.resourceId,
  iccid: one.iccid,
  address: one.address,
  request_id: one.requestId,
  reason: one.reason
})

/** What the two lists of entries have in common. */
type ListCall = Pick<
  Endpoints.Call<(typeof OrganizationsApi.AuditApi)["endpoints"]["listService"], undefined>,
  "query" | "request"
>

/** The handlers of the audit log. */
export const audit = (guard: OperatorAuth.Guard) =>
  Effect.gen(function* () {
    const log = yield* AuditLog.AuditLog

    const list = Effect.fnUntraced(function* (organizationId: string, { query, request }: ListCall) {
      yield* Query.texts(query)
      const asked = {
        organizationId,
        from: Query.instant(query.from),
        to: Query.instant(query.to),
        actor: query.actor ?? null,
        action: query.action ?? null,
        resourceId: query.resource_id ?? null
      }
      if (request.headers["accept"]?.includes(OrganizationsApi.JSON_LINES) === true) {
        return yield* Responses.lines(log.list(asked), shapeOfEntry)
      }
      const page = yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)
      const { items, next } = yield* log.page({ ...asked, ...page })
      return Responses.page(items.map(shapeOfEntry), Query.createdToken(next))
    })

    return Endpoints.group(OrganizationsApi.AuditApi, guard, {
      list: (call) => list(call.params.id, call),
      listService: (call) => list(AuditEntry.SERVICE, call)
    })
  })
