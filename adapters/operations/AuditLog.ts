/**
 * Who changed what in an organization, or in the service itself (rules W11 and W12).
 */
import { Effect, Stream } from "effect"
import { AuditLog as Views } from "simplan/views"
import * as Operation from "./Operation.ts"

const asLines = "With `Accept: application/x-ndjson` all entries come as one stream, a line each, without pages."

type Asked = Parameters<typeof Views.queryOf>[0]

const log = {
  answer: Views.AuditEntry,
  role: "read",
  call: ({ auditLog }: Operation.Services, { after, limit, ...asked }: Asked & Operation.PageRequest) =>
    Effect.map(auditLog.page({ ...Views.queryOf(asked), after, limit }), ({ items, next }) => ({
      items: items.map(Views.entryOf),
      next
    })),
  stream: ({ auditLog }: Operation.Services, asked: Asked) =>
    Stream.map(auditLog.list(Views.queryOf(asked)), Views.entryOf)
} as const

export const auditLog = {
  list: Operation.page({
    ...log,
    route: "GET /organizations/:id/audit",
    request: Views.AuditFilter,
    title: "Who changed what, newest first",
    text: asLines
  }),
  listService: Operation.page({
    ...log,
    route: "GET /audit",
    request: Views.ServiceAuditFilter,
    isOfService: true,
    title: "Who changed what belongs to no organization, newest first",
    text: `The catalogue, the zones of regions that everybody has, and a virtual clock. ${asLines}`
  })
}
