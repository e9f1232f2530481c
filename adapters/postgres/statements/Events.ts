/**
 * Webhook events, and their fan-out to one delivery for each endpoint and handler that takes them.
 */
import { Delivery, WebhookEvent } from "simplan/ports"
import type { Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"

export const value = `json_build_object(
  'organizationId', event.organization_id, 'eventId', event.event_id, 'createdAt', event.created_at,
  'payload', event.payload
)`

/** The SIM that an event is about (`WebhookEvent.iccid`). */
export const iccid = "coalesce(event.payload->'data'->>'sim', event.payload->'data'->>'esim')"

/** What an endpoint without a filter takes, as an array's literal (rule E1). */
const standardTypes = `{${WebhookEvent.standardTypes.join(",")}}`

interface Added extends WebhookEvent.WebhookEvent {
  readonly type: WebhookEvent.Type
  readonly onlyTo: string | null
  readonly notTo: string | null
  readonly iccid: string | null
}

const columns = CommitClause.columns<Added>(
  { text: ["organizationId", "eventId", "type", "onlyTo", "notTo", "iccid"], bigint: ["createdAt"], json: ["payload"] },
  ["organizationId", "eventId"]
)

const toAdd = (event: WebhookEvent.WebhookEvent): Added => ({
  ...event,
  type: event.payload.type,
  onlyTo: WebhookEvent.onlyTo(event.payload),
  notTo: WebhookEvent.notTo(event.payload),
  iccid: WebhookEvent.iccid(event.payload)
})

/**
 * Stores events, and a pending delivery for each endpoint and handler that receives them (`WebhookEndpoint.receives`,
 * `EventHandler.receives`); one that has failed for each endpoint that misses them (`WebhookEndpoint.misses`).
 */
export const add = (sql: Sql, rows: ReadonlyArray<WebhookEvent.WebhookEvent>): CommitClause.CommitClause => ({
  ctes: [
    sql`event_row as (
      select * from ${CommitClause.rows(sql, rows.map(toAdd), columns)}
    )`,
    sql`event_added as (
      insert into simplan.event (organization_id, event_id, created_at, payload)
      select r."organizationId", r."eventId", r."createdAt", r.payload
      from event_row r
      returning 1
    )`,
    sql`delivery_added as (
      insert into simplan.delivery (
        organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at,
        handler, iccid, last_error
      )
      select r."organizationId", r."eventId" || ':' || webhook_endpoint.endpoint_id, r."eventId",
        webhook_endpoint.endpoint_id, case when webhook_endpoint.disabled_at is null then 'Pending' else 'Failed' end, 0, 0,
        case when webhook_endpoint.disabled_at is null then r."createdAt" end, r."createdAt", null, null,
        case when webhook_endpoint.disabled_at is not null then ${Delivery.DISABLED}::text end
      from event_row r
      join simplan.webhook_endpoint on webhook_endpoint.organization_id = r."organizationId"
      where webhook_endpoint.deleted_at is null and webhook_endpoint.disabled_reason is distinct from 'Organization'
        and case when r."onlyTo" is not null then webhook_endpoint.endpoint_id = r."onlyTo"
          else r.type = any(coalesce(webhook_endpoint.events, ${standardTypes}::text[]))
            and webhook_endpoint.endpoint_id is distinct from r."notTo"
        end
      union all
      select r."organizationId", r."eventId" || ':handler:' || event_handler.name, r."eventId",
        'handler:' || event_handler.name, 'Pending', 0, 0, r."createdAt", r."createdAt", event_handler.name, r.iccid, null
      from event_row r
      join simplan.event_handler on r.type = any(event_handler.types)
      where r."onlyTo" is null
        and (event_handler.organization_id is null or event_handler.organization_id = r."organizationId")
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from event_added), (select count(*) from delivery_added)`
})
