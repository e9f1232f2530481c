/**
 * Webhook events, and their fan-out to one delivery for each endpoint that takes them.
 */
import { WebhookEvent } from "simplan/ports"
import type { Sql } from "../connection/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"

export const value = `json_build_object(
  'organizationId', event.organization_id, 'eventId', event.event_id, 'createdAt', event.created_at,
  'payload', event.payload
)`

/** What an endpoint without a filter takes, as an array's literal (rule E1). */
const standardTypes = `{${WebhookEvent.standardTypes.join(",")}}`

const columns = CommitClause.columns<WebhookEvent.WebhookEvent>(
  { text: ["organizationId", "eventId"], bigint: ["createdAt"], json: ["payload"] },
  ["organizationId", "eventId"]
)

/** Stores events, and a pending delivery for each endpoint that is enabled, not deleted and takes the type. */
export const add = (sql: Sql, rows: ReadonlyArray<WebhookEvent.WebhookEvent>): CommitClause.CommitClause => ({
  ctes: [
    sql`event_row as (
      select * from ${CommitClause.rows(sql, rows, columns)}
    )`,
    sql`event_added as (
      insert into simplan.event (organization_id, event_id, created_at, payload)
      select r."organizationId", r."eventId", r."createdAt", r.payload
      from event_row r
      returning 1
    )`,
    sql`delivery_added as (
      insert into simplan.delivery (
        organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at
      )
      select r."organizationId", r."eventId" || ':' || webhook_endpoint.endpoint_id, r."eventId",
        webhook_endpoint.endpoint_id, 'Pending', 0, 0, r."createdAt", r."createdAt"
      from event_row r
      join simplan.webhook_endpoint on webhook_endpoint.organization_id = r."organizationId"
      where webhook_endpoint.enabled and webhook_endpoint.deleted_at is null
        and r.payload->>'type' = any(coalesce(webhook_endpoint.events, ${standardTypes}::text[]))
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from event_added), (select count(*) from delivery_added)`
})
