/**
 * The statements about organizations.
 */
import { Effect } from "effect"
import type { Organization, Quota, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"
import * as Pages from "../sql/Pages.ts"

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
        where ${Pages.after(sql, "organization.created_at, organization.organization_id", after)}
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

// The order is for the planner, which goes by the index of each list.
const counted: Readonly<Record<Quota.Kind, string>> = {
  plans: `simplan.plan where plan.organization_id = of.organization_id and plan.deleted_at is null
    order by plan.created_at, plan.plan_id`,
  regions: `simplan.region where region.organization_id = of.organization_id
    order by region.created_at, region.coverage_id`,
  webhookEndpoints: `simplan.webhook_endpoint
    where webhook_endpoint.organization_id = of.organization_id and webhook_endpoint.deleted_at is null
    order by webhook_endpoint.created_at, webhook_endpoint.endpoint_id`,
  apiKeys: `simplan.api_key where api_key.organization_id = of.organization_id and api_key.revoked_at is null
    order by api_key.created_at, api_key.api_key_id`
}

/** How many of a kind an organization has. */
export const count =
  (database: Database) =>
  ({ atMost, kind, organizationId }: Parameters<Storage.Service["organizations"]["count"]>[0]) =>
    Effect.map(
      database.row(
        (sql) => sql<Row<number>>`
          select to_json(count(*))::text as value
          from (select ${organizationId}::text collate "C" as organization_id) of
          cross join lateral (select from ${sql.literal(counted[kind])} limit ${atMost}::int) found`
      ),
      (found) => found ?? 0
    )
