/**
 * The statements about organizations.
 */
import type { Organization, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"
import * as Keyset from "../sql/Keyset.ts"

const value = `json_build_object(
  'organizationId', organization.organization_id, 'name', organization.name, 'createdAt', organization.created_at
)`

const columns = CommitClause.columns<Organization.Organization>(
  { text: ["organizationId", "name"], bigint: ["createdAt"] },
  ["organizationId"]
)

/** Inserts or replaces them. */
export const put = (sql: Sql, rows: ReadonlyArray<Organization.Organization>): CommitClause.CommitClause => ({
  ctes: [
    sql`organization_put as (
      insert into simplan.organization (organization_id, name, created_at)
      select r."organizationId", r.name, r."createdAt"
      from ${CommitClause.rows(sql, rows, columns)}
      on conflict (organization_id) do update set name = excluded.name, created_at = excluded.created_at
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from organization_put)`
})

export const page =
  (database: Database) =>
  ({ after, limit }: Storage.Keyset<Storage.CreatedCursor>) =>
    database.rows(
      (sql) => sql<Row<Organization.Organization>>`
        select (${sql.literal(value)})::text as value
        from simplan.organization
        where ${Keyset.after(sql, "organization.created_at, organization.organization_id", after)}
        order by organization.created_at, organization.organization_id
        limit ${limit}::int`
    )

export const byId = (database: Database) => (id: string) =>
  database.row(
    (sql) => sql<Row<Organization.Organization>>`
      select (${sql.literal(value)})::text as value
      from simplan.organization
      where organization.organization_id = ${id}`
  )
