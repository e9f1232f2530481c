/**
 * Organizations, their API keys and the audit log: how they look as JSON, and their handlers.
 */
import { Effect } from "effect"
import { AuditLog, Time } from "simplan"
import { AuditEntry } from "simplan/ports"
import * as OrganizationsApi from "../api/OrganizationsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import type { Operation } from "../../operations/index.ts"
import * as Rows from "./Rows.ts"

export const make = (guard: OperatorAuth.Guard, services: Operation.Services) =>
  Endpoints.group(OrganizationsApi.OrganizationsApi, guard, Rows.handlers(services, OrganizationsApi.rows))

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
