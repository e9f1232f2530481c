/**
 * The statements about audit entries (rule W11).
 */
import { type AuditEntry, SimSearch, type Storage } from "simplan/ports"
import type { Database, Row } from "../database/Database.ts"
import * as Batching from "../database/Batching.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"

/** Of all that an entry has. */
export const columns = Columns.of<AuditEntry.AuditEntry>(
  {
    organizationId: "text",
    entryId: "text",
    createdAt: "bigint",
    actor: "text",
    action: "text",
    resourceId: "text",
    iccid: "text",
    address: "text",
    requestId: "text",
    reason: "text",
    changed: "jsonb"
  },
  ["organizationId", "createdAt", "entryId"]
)

const value = Columns.json("audit_entry", columns)

/** Stores rows of these columns. */
export const insertion = Columns.insertion("audit_entry", columns)

export const add = Columns.insert("audit_entry_added", "audit_entry", columns)

const list: Pages.List<AuditEntry.AuditEntry> = {
  table: "audit_entry",
  order: ["audit_entry.created_at", "audit_entry.entry_id"],
  isNewestFirst: true,
  value
}

type Change = Pick<AuditEntry.AuditEntry, "organizationId" | "action" | "resourceId" | "createdAt">

const requested = Columns.of<Batching.Placed<Change>>({
  at: "integer",
  organizationId: "text",
  action: "text",
  resourceId: "text",
  createdAt: "bigint"
})

export const auditEntries = (database: Database): Storage.Reads["auditEntries"] => ({
  /**
   * Newest first. There is no index but the key, so that a change of anything writes no more than
   * that.
   */
  page: ({ action, actor, from, organizationId, resourceId, to, ...of }) =>
    Pages.filtered(database, list, of, (sql) => ({
      listed: [
        sql`audit_entry.organization_id = ${organizationId}`,
        ...(from === null ? [] : [sql`audit_entry.created_at >= ${from}::bigint`]),
        ...(to === null ? [] : [sql`audit_entry.created_at < ${to}::bigint`])
      ],
      filters: [
        ...(actor === null ? [] : [sql`simplan.folded(audit_entry.actor) = ${SimSearch.folded(actor)}`]),
        ...(action === null ? [] : [sql`audit_entry.action = ${action}`]),
        ...(resourceId === null
          ? []
          : [sql`(audit_entry.resource_id = ${resourceId} or audit_entry.iccid = ${resourceId})`])
      ]
    })),
  /** Who made a change, by the key of its instant. */
  actor: Batching.reads<Change, string>(
    database,
    (sql, asked) => sql<Row<Batching.Found<string>>>`
      select json_build_object('at', r.at, 'found', entry.actor)::text as value
      from ${Columns.rows(sql, asked, requested)}
      cross join lateral (
        select audit_entry.actor
        from simplan.audit_entry
        where audit_entry.organization_id = r."organizationId" and audit_entry.created_at = r."createdAt"
          and audit_entry.action = r.action and audit_entry.resource_id = r."resourceId"
        order by audit_entry.entry_id desc
        limit 1
      ) entry`
  )
})
