/**
 * The statements about webhook endpoints.
 */
import type { Storage, WebhookEndpoint, WebhookEvent } from "simplan/ports"
import type { Database, Row, Sql } from "../connection/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"
import * as Keyset from "../sql/Keyset.ts"

export const value = `json_build_object(
  'organizationId', webhook_endpoint.organization_id, 'endpointId', webhook_endpoint.endpoint_id,
  'url', webhook_endpoint.url, 'events', webhook_endpoint.events, 'description', webhook_endpoint.description,
  'enabled', webhook_endpoint.enabled, 'signingKeys', webhook_endpoint.signing_keys,
  'createdAt', webhook_endpoint.created_at, 'deletedAt', webhook_endpoint.deleted_at,
  'version', webhook_endpoint.version
)`

const columns = CommitClause.columns<WebhookEndpoint.WebhookEndpoint>(
  {
    text: ["organizationId", "endpointId", "url", "description"],
    "text[]": ["events"],
    boolean: ["enabled"],
    jsonb: ["signingKeys"],
    bigint: ["createdAt", "deletedAt", "version"]
  },
  ["organizationId", "endpointId"]
)

/** Writes them, each guarded by its version. */
export const put = (sql: Sql, rows: ReadonlyArray<WebhookEndpoint.WebhookEndpoint>): CommitClause.CommitClause => ({
  ctes: [
    sql`webhook_endpoint_put as (
      insert into simplan.webhook_endpoint as stored (
        organization_id, endpoint_id, url, events, description, enabled, signing_keys, created_at, deleted_at, version
      )
      select r."organizationId", r."endpointId", r.url, r.events, r.description, r.enabled, r."signingKeys",
        r."createdAt", r."deletedAt", r.version + 1
      from ${CommitClause.rows(sql, rows, columns)}
      where r.version = 0 or exists (
        select from simplan.webhook_endpoint known
        where known.organization_id = r."organizationId" and known.endpoint_id = r."endpointId"
      )
      on conflict (organization_id, endpoint_id) do update set
        url = excluded.url, events = excluded.events, description = excluded.description,
        enabled = excluded.enabled, signing_keys = excluded.signing_keys, created_at = excluded.created_at,
        deleted_at = excluded.deleted_at, version = excluded.version
      where stored.version = excluded.version - 1
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from webhook_endpoint_put) = ${rows.length}::int, 'version')`
})

export const byId = (database: Database) => (of: { readonly organizationId: string; readonly endpointId: string }) =>
  database.row(
    (sql) => sql<Row<WebhookEndpoint.WebhookEndpoint>>`
      select ${sql.literal(value)} as value
      from simplan.webhook_endpoint
      where webhook_endpoint.organization_id = ${of.organizationId} and webhook_endpoint.endpoint_id = ${of.endpointId}
        and webhook_endpoint.deleted_at is null`
  )

export const page =
  (database: Database) =>
  ({ after, limit, organizationId }: Storage.Page<Storage.CreatedCursor>) =>
    database.rows(
      (sql) => sql<Row<WebhookEndpoint.WebhookEndpoint>>`
        select ${sql.literal(value)} as value
        from simplan.webhook_endpoint
        where webhook_endpoint.organization_id = ${organizationId} and webhook_endpoint.deleted_at is null
          and ${Keyset.after(sql, "webhook_endpoint.created_at, webhook_endpoint.endpoint_id", after)}
        order by webhook_endpoint.created_at, webhook_endpoint.endpoint_id
        limit ${limit}::int`
    )

/** The types that the filters of enabled endpoints name. */
export const namedTypes = (database: Database) => (of: { readonly organizationId: string }) =>
  database.rows(
    (sql) => sql<Row<WebhookEvent.Type>>`
      select distinct to_json(named.type) #>> '{}' as value
      from simplan.webhook_endpoint
      cross join unnest(webhook_endpoint.events) as named(type)
      where webhook_endpoint.organization_id = ${of.organizationId} and webhook_endpoint.enabled
        and webhook_endpoint.deleted_at is null`
  )
