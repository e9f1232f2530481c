/**
 * The statements about handlers of events (rule E2).
 */
import { EventHandler } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"

const columns = CommitClause.columns<EventHandler.EventHandler>(
  { text: ["name", "organizationId"], bigint: ["createdAt"], "text[]": ["types"] },
  ["name"]
)

/** Writes them; one that is there keeps when it was first registered. */
export const put = (sql: Sql, rows: ReadonlyArray<EventHandler.EventHandler>): CommitClause.CommitClause => ({
  ctes: [
    sql`event_handler_put as (
      insert into simplan.event_handler (name, types, organization_id, created_at)
      select r.name, r.types, r."organizationId", r."createdAt"
      from ${CommitClause.rows(sql, rows, columns)}
      on conflict (name) do update set types = excluded.types, organization_id = excluded.organization_id
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from event_handler_put)`
})

const removedColumns = CommitClause.columns<{ readonly name: string }>({ text: ["name"] }, ["name"])

/** Removes them, and gives up what is due to them. */
export const remove = (sql: Sql, names: ReadonlyArray<string>): CommitClause.CommitClause => ({
  ctes: [
    sql`event_handler_removed as (
      delete from simplan.event_handler
      using ${CommitClause.rows(
        sql,
        names.map((name) => ({ name })),
        removedColumns
      )}
      where event_handler.name = r.name
      returning 1
    )`,
    sql`delivery_given_up as (
      update simplan.delivery set status = 'Failed', next_attempt_at = null, last_error = ${EventHandler.REMOVED},
        lease_token = null, lease_until = null
      from ${CommitClause.rows(
        sql,
        names.map((name) => ({ name })),
        removedColumns
      )}
      where delivery.handler is not null and delivery.handler = r.name and delivery.status = 'Pending'
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from event_handler_removed), (select count(*) from delivery_given_up)`
})

/** All of them. */
export const list = (database: Database) =>
  database.rows(
    (sql) => sql<Row<EventHandler.EventHandler>>`
      select json_build_object(
        'name', event_handler.name, 'types', event_handler.types, 'organizationId', event_handler.organization_id,
        'createdAt', event_handler.created_at
      )::text as value
      from simplan.event_handler
      order by event_handler.name`
  )
