/**
 * Organizations, their API keys and the audit log: how they look as JSON, and their handlers.
 */
import { Effect } from "effect"
import { ApiKeys, AuditLog, Organizations, Time } from "simplan"
import { AuditEntry } from "simplan/ports"
import * as OrganizationsApi from "../api/OrganizationsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Copies from "./printed/Organizations.ts"

const decodeOrganization = Body.closedDecoder(OrganizationsApi.CreateOrganization)
const decodeKey = Body.closedDecoder(OrganizationsApi.CreateApiKey)

const shapeOfNewKey = ({ apiKey, key }: ApiKeys.NewKey) => Responses.data({ ...Copies.apiKey(apiKey), key })

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
        return Responses.data(Copies.organization(organization))
      }),
      list: Effect.fnUntraced(function* ({ caller, query }) {
        const of = { ...(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)), only: caller.organizationId }
        const { items, next } = yield* organizations.page(of)
        return Responses.page(items.map(Copies.organization), Query.createdToken(next))
      }),
      get: ({ params }) =>
        Effect.map(organizations.get({ organizationId: params.id }), (found) =>
          Responses.data(Copies.organization(found))
        ),
      createKey: Effect.fnUntraced(function* ({ params, request }) {
        const { value } = yield* Body.read(request)
        const asked = Copies.createApiKey(yield* decodeKey(value))
        return shapeOfNewKey(yield* apiKeys.create({ organizationId: params.id, ...asked }))
      }),
      keys: Effect.fnUntraced(function* ({ params, query }) {
        const of = {
          organizationId: params.id,
          ...(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE))
        }
        const { items, next } = yield* apiKeys.page(of)
        return Responses.page(items.map(Copies.apiKey), Query.createdToken(next))
      }),
      revokeKey: Effect.fnUntraced(function* ({ params }) {
        const revoked = yield* apiKeys.revoke(keyOf(params))
        return Responses.data(Copies.apiKey(revoked))
      }),
      rotateKey: Effect.fnUntraced(function* ({ params, query }) {
        const overlapHours = Number(query.overlap_hours ?? "0")
        return shapeOfNewKey(yield* apiKeys.rotate({ ...keyOf(params), overlapHours }))
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
