/**
 * The statements about audit entries (rule W11).
 */
import { Effect } from "effect"
import { AuditEntry, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"
import * as Pages from "../sql/Pages.ts"

const value = `json_build_object(
  'organizationId', audit_entry.organization_id, 'entryId', audit_entry.entry_id, 'createdAt', audit_entry.created_at,
  'actor', audit_entry.actor, 'action', audit_entry.action, 'resourceId', audit_entry.resource_id,
  'iccid', audit_entry.iccid, 'address', audit_entry.address, 'requestId', audit_entry.request_id
)`

export const columns = CommitClause.columns<AuditEntry.AuditEntry>(
  {
    text: ["organizationId", "entryId", "actor", "action", "resourceId", "iccid", "address", "requestId"],
    bigint: ["createdAt"]
  },
  ["organizationId", "createdAt", "entryId"]
)

/** Stores rows of these columns. */
export const insert = `insert into simplan.audit_entry (
  organization_id, created_at, entry_id, actor, action, resource_id, iccid, address, request_id
)
select r."organizationId", r."createdAt", r."entryId", r.actor, r.action, r."resourceId", r.iccid, r.address, r."requestId"`

export const add = (sql: Sql, rows: ReadonlyArray<AuditEntry.AuditEntry>): CommitClause.CommitClause => ({
  ctes: [
    sql`audit_entry_added as (
      ${sql.literal(insert)}
      from ${CommitClause.rows(sql, rows, columns)}
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from audit_entry_added)`
})

const list: Pages.List<AuditEntry.AuditEntry> = {
  table: "audit_entry",
  order: ["audit_entry.created_at", "audit_entry.entry_id"],
  isNewestFirst: true,
  value
}

/** Newest first. There is no index but the key, so that a change of anything writes no more than that. */
export const page =
  (database: Database) =>
  ({ action, actor, from, organizationId, resourceId, to, ...of }: Storage.AuditQuery) =>
    Pages.filtered(database, list, of, (sql) => ({
      listed: [
        sql`audit_entry.organization_id = ${organizationId}`,
        ...(from === null ? [] : [sql`audit_entry.created_at >= ${from}::bigint`]),
        ...(to === null ? [] : [sql`audit_entry.created_at < ${to}::bigint`])
      ],
      filters: [
        ...(actor === null ? [] : [sql`audit_entry.actor = ${actor}`]),
        ...(action === null ? [] : [sql`audit_entry.action = ${action}`]),
        ...(resourceId === null
          ? []
          : [sql`(audit_entry.resource_id = ${resourceId} or audit_entry.iccid = ${resourceId})`])
      ]
    }))

/** Looks at the oldest entries of each organization, and of the service itself, by their key. */
export const purge =
  (database: Database) =>
  ({ before, limit }: { readonly before: number; readonly limit: number }) =>
    Effect.map(
      database.write(
        (sql) => sql<Row<number>>`
          with old as (
            select entry.*
            from (
              select organization.organization_id from simplan.organization
              union all
              select ${AuditEntry.SERVICE}::text
            ) owner, lateral (
              select audit_entry.organization_id, audit_entry.created_at, audit_entry.entry_id
              from simplan.audit_entry
              where audit_entry.organization_id = owner.organization_id
                and audit_entry.created_at < ${before}::bigint
              order by audit_entry.organization_id, audit_entry.created_at, audit_entry.entry_id
              limit ${limit}::int
            ) entry
            limit ${limit}::int
          ), gone as (
            delete from simplan.audit_entry using old
            where audit_entry.organization_id = old.organization_id and audit_entry.created_at = old.created_at
              and audit_entry.entry_id = old.entry_id
            returning 1
          )
          select to_json(count(*))::text as value from gone`
      ),
      ([gone]) => gone ?? 0
    )
