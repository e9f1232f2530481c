/**
 * The handler of the audit log.
 */
import { Effect } from "effect"
import { AuditLog } from "simplan"
import * as AuditApi from "../api/management/AuditApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Guard from "../middleware/Guard.ts"
import * as Instants from "../shapes/Instants.ts"
import * as Shapes from "../shapes/Management.ts"
import * as Cursor from "../wire/Cursor.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Streaming from "../wire/Streaming.ts"
import { Text } from "../../fields/index.ts"

export const make = (guard: Guard.Guard<undefined>) =>
  Effect.gen(function* () {
    const log = yield* AuditLog.AuditLog

    return Endpoints.group(AuditApi.AuditApi, guard, {
      list: Effect.fnUntraced(function* ({ params, query, request }) {
        yield* Query.texts(query)
        const asked = {
          organizationId: Text.id(params.id),
          from: Instants.fromWire(query.from),
          to: Instants.fromWire(query.to),
          actor: query.actor ?? null,
          action: query.action ?? null,
          resourceId: query.resource_id ?? null
        }
        if (request.headers["accept"]?.includes(AuditApi.JSON_LINES) === true) {
          return yield* Streaming.lines(log.list(asked), Shapes.auditEntry)
        }
        const page = yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)
        const { items, next } = yield* log.page({ ...asked, ...page })
        return Responses.page(items.map(Shapes.auditEntry), Cursor.ofCreated(next))
      })
    })
  })
