/**
 * The statements about organizations and their API keys. The hash of a key is unique in the whole
 * service.
 */
import { Effect } from "effect"
import type { ApiKey, Organization, Quota, Storage } from "simplan/ports"
import type { Database, Row } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"

const columns = Columns.of<Organization.Organization>({ organizationId: "text", name: "text", createdAt: "bigint" }, [
  "organizationId"
])

const value = Columns.json("organization", columns)

/** Inserts or replaces them. */
export const put = Columns.insert("organization_put", "organization", columns, Columns.replacing(columns))

// The order is for the planner, which goes by the index of each list.
const counted: Readonly<Record<Quota.Kind, { readonly table: string; readonly rest: string }>> = {
  plans: { table: "plan", rest: "and plan.deleted_at is null order by plan.created_at, plan.plan_id" },
  regions: { table: "region", rest: "order by region.created_at, region.coverage_id" },
  webhookEndpoints: {
    table: "webhook_endpoint",
    rest: `and webhook_endpoint.deleted_at is null
      order by webhook_endpoint.created_at, webhook_endpoint.endpoint_id`
  },
  apiKeys: {
    table: "api_key",
    rest: "and api_key.revoked_at is null order by api_key.created_at, api_key.api_key_id"
  }
}

export const organizations = (database: Database): Storage.Reads["organizations"] => ({
  page: ({ after, limit }) =>
    database.rowsOfAll(
      (sql, living) => sql<Row<Organization.Organization>>`
        select (${sql.literal(value)})::text as value
        from simplan.organization
        where ${Pages.after(sql, "organization.created_at, organization.organization_id", after)}
          ${living("organization")}
        order by organization.created_at, organization.organization_id
        limit ${limit}::int`
    ),
  get: (id) =>
    database.row(
      (sql) => sql<Row<Organization.Organization>>`
        select (${sql.literal(value)})::text as value
        from simplan.organization
        where organization.organization_id = ${id}`
    ),
  getAll: (ids) =>
    database.rowsOfAll(
      (sql, living) => sql<Row<Organization.Organization>>`
        select (${sql.literal(value)})::text as value
        from simplan.organization
        where organization.organization_id = any(array(
          select json_array_elements_text(${JSON.stringify(ids)}::json)
        )) ${living("organization")}`
    ),
  /** How many of a kind an organization has. */
  count: ({ atMost, kind, organizationId }) =>
    Effect.map(
      database.row((sql) => {
        const { rest, table } = counted[kind]
        return sql<Row<number>>`
          select to_json(count(*))::text as value
          from (
            select true from simplan.${sql.literal(table)}
            where ${sql.literal(table)}.organization_id = ${organizationId} ${sql.literal(rest)}
            limit ${atMost}::int
          ) found`
      }),
      (found) => found ?? 0
    )
})

const keyColumns = Columns.of<Omit<ApiKey.ApiKey, "lastUsedAt">>(
  {
    organizationId: "text",
    apiKeyId: "text",
    name: "text",
    scope: "text",
    hash: "text",
    hint: "text",
    previousHash: "text",
    previousUntil: "bigint",
    createdAt: "bigint",
    expiresAt: "bigint",
    revokedAt: "bigint",
    version: "bigint"
  },
  ["organizationId", "apiKeyId"]
)

const keyValue = `json_build_object(${Columns.fields("api_key", keyColumns)}, 'lastUsedAt', api_key_use.at)`

const keysWithUses = `simplan.api_key
left join simplan.api_key_use
  on api_key_use.organization_id = api_key.organization_id and api_key_use.api_key_id = api_key.api_key_id`

/** Writes keys, each guarded by its version. */
export const putKeys = Columns.putVersions("api_key_put", "api_key", keyColumns)

const useColumns = Columns.of<ApiKey.Use>({ organizationId: "text", apiKeyId: "text", at: "bigint" }, [
  "organizationId",
  "apiKeyId"
])

/** Remembers when keys were used. Rows are locked in the order of their key. */
export const recordUses =
  (database: Database) =>
  (uses: ReadonlyArray<ApiKey.Use>): Effect.Effect<void, Storage.StorageError> =>
    Effect.asVoid(
      database.write(
        (sql) => sql<Row<number>>`
          with written as (
            insert into simplan.api_key_use as stored (organization_id, api_key_id, at)
            select r."organizationId", r."apiKeyId", r.at from ${Columns.rows(sql, uses, useColumns)}
            on conflict (organization_id, api_key_id) do update set at = excluded.at where stored.at < excluded.at
            returning 1
          )
          select to_json(count(*))::text as value from written`
      )
    )

export const apiKeys = (database: Database): Storage.Reads["apiKeys"] => ({
  /** Whose secret it is, or was before the last rotation with an overlap. */
  byHash: (hash) =>
    database.row(
      (sql) => sql<Row<ApiKey.ApiKey>>`
        select (${sql.literal(keyValue)})::text as value
        from ${sql.literal(keysWithUses)}
        where api_key.hash = ${hash} or api_key.previous_hash = ${hash}
        order by api_key.hash = ${hash} desc
        limit 1`
    ),
  get: (of) =>
    database.row(
      (sql) => sql<Row<ApiKey.ApiKey>>`
        select (${sql.literal(keyValue)})::text as value
        from ${sql.literal(keysWithUses)}
        where api_key.organization_id = ${of.organizationId} and api_key.api_key_id = ${of.apiKeyId}`
    ),
  page: ({ after, limit, organizationId }) =>
    database.rows(
      (sql) => sql<Row<ApiKey.ApiKey>>`
        select (${sql.literal(keyValue)})::text as value
        from ${sql.literal(keysWithUses)}
        where api_key.organization_id = ${organizationId}
          and ${Pages.after(sql, "api_key.created_at, api_key.api_key_id", after)}
        order by api_key.created_at, api_key.api_key_id
        limit ${limit}::int`
    )
})
