/**
 * The statements about API keys. The hash of a key is unique in the whole service.
 */
import type { ApiKey, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"
import * as Pages from "../sql/Pages.ts"

const value = `json_build_object(
  'organizationId', api_key.organization_id, 'apiKeyId', api_key.api_key_id, 'name', api_key.name,
  'scope', api_key.scope, 'hash', api_key.hash, 'hint', api_key.hint, 'createdAt', api_key.created_at,
  'expiresAt', api_key.expires_at, 'revokedAt', api_key.revoked_at, 'version', api_key.version
)`

const columns = CommitClause.columns<ApiKey.ApiKey>(
  {
    text: ["organizationId", "apiKeyId", "name", "scope", "hash", "hint"],
    bigint: ["createdAt", "expiresAt", "revokedAt", "version"]
  },
  ["organizationId", "apiKeyId"]
)

/** Writes them, each guarded by its version. */
export const put = (sql: Sql, rows: ReadonlyArray<ApiKey.ApiKey>): CommitClause.CommitClause => ({
  ctes: [
    sql`api_key_put as (
      insert into simplan.api_key as stored (
        organization_id, api_key_id, name, scope, hash, hint, created_at, expires_at, revoked_at, version
      )
      select r."organizationId", r."apiKeyId", r.name, r.scope, r.hash, r.hint, r."createdAt", r."expiresAt",
        r."revokedAt", r.version + 1
      from ${CommitClause.rows(sql, rows, columns)}
      where r.version = 0 or exists (
        select from simplan.api_key known
        where known.organization_id = r."organizationId" and known.api_key_id = r."apiKeyId"
      )
      on conflict (organization_id, api_key_id) do update set
        name = excluded.name, scope = excluded.scope, hash = excluded.hash, hint = excluded.hint,
        created_at = excluded.created_at, expires_at = excluded.expires_at, revoked_at = excluded.revoked_at,
        version = excluded.version
      where stored.version = excluded.version - 1
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from api_key_put) = ${rows.length}::int, 'version')`
})

export const byHash = (database: Database) => (hash: string) =>
  database.row(
    (sql) =>
      sql<
        Row<ApiKey.ApiKey>
      >`select (${sql.literal(value)})::text as value from simplan.api_key where api_key.hash = ${hash}`
  )

export const byId = (database: Database) => (of: { readonly organizationId: string; readonly apiKeyId: string }) =>
  database.row(
    (sql) => sql<Row<ApiKey.ApiKey>>`
      select (${sql.literal(value)})::text as value
      from simplan.api_key
      where api_key.organization_id = ${of.organizationId} and api_key.api_key_id = ${of.apiKeyId}`
  )

export const page =
  (database: Database) =>
  ({ after, limit, organizationId }: Storage.Page<Storage.CreatedCursor>) =>
    database.rows(
      (sql) => sql<Row<ApiKey.ApiKey>>`
        select (${sql.literal(value)})::text as value
        from simplan.api_key
        where api_key.organization_id = ${organizationId}
          and ${Pages.after(sql, "api_key.created_at, api_key.api_key_id", after)}
        order by api_key.created_at, api_key.api_key_id
        limit ${limit}::int`
    )
