/**
 * Webhook events, their fan-out to one delivery for each endpoint and handler that takes them, and
 * the handlers of events (rule E2).
 */
import type { Fragment } from "effect/sql/Statement"
import { Delivery, EventHandler, WebhookEvent } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"

/** All columns of an event. */
export const columns = Columns.of<WebhookEvent.WebhookEvent>(
  { organizationId: "text", eventId: "text", createdAt: "bigint", payload: "json" },
  ["organizationId", "eventId"]
)

export const value = Columns.json("event", columns)

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

const addedColumns = Columns.of<Added>(
  { ...columns.types, type: "text", onlyTo: "text", notTo: "text", iccid: "text" },
  columns.key
)

const insertion = Columns.insertion("event", columns)

const toAdd = (event: WebhookEvent.WebhookEvent): Added => ({
  ...event,
  type: event.payload.type,
  onlyTo: WebhookEvent.onlyTo(event.payload),
  notTo: WebhookEvent.notTo(event.payload),
  iccid: WebhookEvent.iccid(event.payload)
})

const deliveryInsertion = `insert into simplan.delivery (
        organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at,
        handler, iccid, last_error
      )`

/** The deliveries of events to endpoints. */
const toEndpoints = (sql: Sql, events: Fragment, rows: ReadonlyArray<WebhookEvent.WebhookEvent>): Fragment => sql`
      select r."organizationId", r."eventId" || ':' || webhook_endpoint.endpoint_id, r."eventId",
        webhook_endpoint.endpoint_id, case when webhook_endpoint.disabled_at is null then 'Pending' else 'Failed' end, 0, 0,
        case when webhook_endpoint.disabled_at is null then r."createdAt" end, r."createdAt", null, null,
        case when webhook_endpoint.disabled_at is not null then ${Delivery.DISABLED}::text end
      from ${events} r
      join simplan.webhook_endpoint on webhook_endpoint.organization_id = r."organizationId"
        ${Columns.ofOwner(sql, "webhook_endpoint", rows)}
      where webhook_endpoint.deleted_at is null and webhook_endpoint.disabled_reason is distinct from 'Organization'
        and case when r."onlyTo" is not null then webhook_endpoint.endpoint_id = r."onlyTo"
          else r.type = any(coalesce(webhook_endpoint.events, ${standardTypes}::text[]))
            and webhook_endpoint.endpoint_id is distinct from r."notTo"
        end`

/** The deliveries of events to handlers. */
const toHandlers = (sql: Sql, events: Fragment): Fragment => sql`
      select r."organizationId", r."eventId" || ':handler:' || event_handler.name, r."eventId",
        'handler:' || event_handler.name, 'Pending', 0, 0, r."createdAt", r."createdAt", event_handler.name, r.iccid, null
      from ${events} r
      join simplan.event_handler on r.type = any(event_handler.types)
      where r."onlyTo" is null
        and (event_handler.organization_id is null or event_handler.organization_id = r."organizationId")`

/**
 * Stores events, and a pending delivery for each endpoint and handler that receives them
 * (`WebhookEndpoint.receives`, `EventHandler.receives`); one that has failed for each endpoint that
 * misses them (`WebhookEndpoint.misses`).
 */
export const add = (
  sql: Sql,
  rows: ReadonlyArray<WebhookEvent.WebhookEvent>,
  { isDistributed }: Pick<Database, "isDistributed">
): Columns.Clause =>
  isDistributed
    ? addEach(sql, rows)
    : {
        ctes: [
          sql`event_row as (
      select * from ${Columns.rows(sql, rows.map(toAdd), addedColumns)}
    )`,
          sql`event_added as (
      ${sql.literal(insertion)}
      from event_row r
      returning 1
    )`,
          sql`delivery_added as (
      ${sql.literal(deliveryInsertion)}
      ${toEndpoints(sql, sql.literal("event_row"), rows)}
      union all
      ${toHandlers(sql, sql.literal("event_row"))}
      returning 1
    )`
        ],
        outcome: sql`(select count(*) from event_added), (select count(*) from delivery_added)`
      }

/**
 * The same where tables are distributed: rows that several parts of a statement read are sent to
 * all servers, and one that is dead would fail what is of the others. So each part has its own.
 */
const addEach = (sql: Sql, rows: ReadonlyArray<WebhookEvent.WebhookEvent>): Columns.Clause => {
  const events = () => sql`(select * from ${Columns.rows(sql, rows.map(toAdd), addedColumns)})`
  return {
    ctes: [
      sql`event_added as (
      ${sql.literal(insertion)}
      from ${events()} r
      returning 1
    )`,
      sql`delivery_added as (
      ${sql.literal(deliveryInsertion)}
      ${toEndpoints(sql, events(), rows)}
      returning 1
    )`,
      sql`delivery_to_handler_added as (
      ${sql.literal(deliveryInsertion)}
      ${toHandlers(sql, events())}
      returning 1
    )`
    ],
    outcome: sql`(select count(*) from event_added), (select count(*) from delivery_added),
      (select count(*) from delivery_to_handler_added)`
  }
}

const handlerColumns = Columns.of<EventHandler.EventHandler>(
  { name: "text", types: "text[]", organizationId: "text", createdAt: "bigint" },
  ["name"]
)

const handlerValue = Columns.json("event_handler", handlerColumns)

/** Writes handlers; one that is there keeps when it was first registered. */
export const putHandlers = Columns.insert(
  "event_handler_put",
  "event_handler",
  handlerColumns,
  Columns.replacing(Columns.pick(handlerColumns, ["name", "types", "organizationId"]))
)

const nameColumns = Columns.pick(handlerColumns, ["name"])

/** Removes handlers, and gives up what is due to them. */
export const removeHandlers = (sql: Sql, names: ReadonlyArray<string>): Columns.Clause => {
  const rows = names.map((name) => ({ name }))
  return {
    ctes: [
      sql`event_handler_removed as (
      delete from simplan.event_handler
      using ${Columns.rows(sql, rows, nameColumns)}
      where event_handler.name = r.name
      returning 1
    )`,
      sql`delivery_given_up as (
      update simplan.delivery set status = 'Failed', next_attempt_at = null, last_error = ${EventHandler.REMOVED},
        lease_token = null, lease_until = null
      from ${Columns.rows(sql, rows, nameColumns)}
      where delivery.handler is not null and delivery.handler = r.name and delivery.status = 'Pending'
      returning 1
    )`
    ],
    outcome: sql`(select count(*) from event_handler_removed), (select count(*) from delivery_given_up)`
  }
}

/** All handlers. */
export const handlers = (database: Database) =>
  database.rows(
    (sql) => sql<Row<EventHandler.EventHandler>>`
      select ${sql.literal(handlerValue)}::text as value
      from simplan.event_handler
      order by event_handler.name`
  )
