/**
 * The audit log: how its entries look as JSON, and its handlers.
 */
import { Effect } from "effect"
import { AuditLog, Time } from "simplan"
import { AuditEntry } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as AuditApi from "../api/AuditApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

const shape = (one: AuditEntry.AuditEntry): typeof AuditApi.AuditEntry.Type => ({
  audit_entry_id: one.entryId,
  created_at: Time.toIso(one.createdAt),
  actor: one.actor,
  action: one.action,
  resource_type: AuditEntry.resourceType(one.action),
  resource_id: one.resourceId,
  iccid: one.iccid,
  address: one.address,
  request_id: one.requestId
})

/** What the two lists have in common. */
type ListCall = Pick<
  Endpoints.Call<(typeof AuditApi.AuditApi)["endpoints"]["listService"], undefined>,
  "query" | "request"
>

export const make = (guard: Auth.Guard<undefined>) =>
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
      if (request.headers["accept"]?.includes(AuditApi.JSON_LINES) === true) {
        return yield* Responses.lines(log.list(asked), shape)
      }
      const page = yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)
      const { items, next } = yield* log.page({ ...asked, ...page })
      return Responses.page(items.map(shape), Query.createdToken(next))
    })

    return Endpoints.group(AuditApi.AuditApi, guard, {
      list: (call) => list(Fields.id(call.params.id), call),
      listService: (call) => list(AuditEntry.SERVICE, call)
    })
  })
