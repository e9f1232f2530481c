/**
 * The audit log.
 */
import { Effect, Schema } from "effect"
import { AuditLog } from "simplan"
import { AuditEntry } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import * as Pages from "../Pages.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Operation.ts"

const shape = ({ createdAt, ...entry }: AuditEntry.AuditEntry): Types.AuditEntry => ({
  organizationId: entry.organizationId,
  entryId: entry.entryId,
  createdAt: Arguments.toDate(createdAt),
  actor: entry.actor,
  action: entry.action,
  resourceId: entry.resourceId,
  iccid: entry.iccid,
  address: entry.address,
  requestId: entry.requestId
})

const filter = Arguments.decoder(
  Schema.Struct({
    organizationId: Schema.NullOr(Arguments.Id),
    from: Schema.optional(Arguments.Instant),
    to: Schema.optional(Arguments.Instant),
    actor: Arguments.Filter,
    action: Arguments.Filter,
    resourceId: Arguments.Filter
  })
)

const service = AuditLog.AuditLog

export const make = (runtime: Runtime): Types.AuditLog => ({
  list: Methods.paging(
    runtime,
    { name: "auditLog.list", decode: filter },
    Pages.created,
    ({ action = null, actor = null, from, organizationId, resourceId = null, to }, page) => {
      const times = { from: Arguments.toInstantOrNull(from), to: Arguments.toInstantOrNull(to) }
      const query = {
        organizationId: organizationId ?? AuditEntry.SERVICE,
        actor,
        action,
        resourceId,
        ...times,
        ...page
      }
      return Effect.flatMap(service, (log) => log.page(query))
    },
    shape
  )
})
