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
  }),
  note: Operation.item({
    route: "POST /organizations/:id/sims/:iccid/notes",
    request: Views.NoteOnSim,
    answer: Views.SimNote,
    makes: true,
    isKept: true,
    role: "support",
    errors: ["sim_not_found"],
    title: "Leave a note on a SIM",
    text: "Its history shows the note to operators, with who has left it and when. The organization is not shown what it says.",
    call: ({ auditLog }, request) => Effect.as(auditLog.note(request), request)
  })
}
