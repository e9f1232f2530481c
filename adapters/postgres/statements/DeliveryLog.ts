/**
 * The reads of the log of webhook deliveries and their attempts.
 */
import type { Delivery, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../connection/Database.ts"
import * as Events from "./Events.ts"

const value = `json_build_object(
  'organizationId', delivery.organization_id, 'deliveryId', delivery.delivery_id, 'eventId', delivery.event_id,
  'endpointId', delivery.endpoint_id, 'status', delivery.status, 'attempts', delivery.attempts,
  'retryStep', delivery.retry_step, 'responseStatus', delivery.response_status, 'lastError', delivery.last_error,
  'lastAttemptAt', delivery.last_attempt_at, 'nextAttemptAt', delivery.next_attempt_at,
  'createdAt', delivery.created_at
)`

const logged = `json_build_object('delivery', ${value}, 'event', ${Events.value})`

const withEvent = `
  join simplan.event on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id`

/** The range of ids that an event's deliveries have, by which they are found. */
const ofEvent = "delivery.delivery_id > event.event_id || ':' and delivery.delivery_id < event.event_id || ';'"

const attempt = `json_build_object(
  'number', delivery_attempt.number, 'at', delivery_attempt.at, 'durationMillis', delivery_attempt.duration_millis,
  'responseStatus', delivery_attempt.response_status, 'error', delivery_attempt.error,
  'responseBody', delivery_attempt.response_body
)`

const conditions = (sql: Sql, { after, ...of }: Storage.Page<Storage.CreatedCursor> & Storage.DeliveryFilter) => [
  sql`delivery.organization_id = ${of.organizationId}`,
  ...(after === null
    ? []
    : [sql`(delivery.created_at, delivery.delivery_id) < (${after.createdAt}::bigint, ${after.id}::text)`]),
  ...(of.statuses === undefined ? [] : [sql`delivery.status = any(${`{${of.statuses.join(",")}}`}::text[])`]),
  ...(of.endpointId === undefined ? [] : [sql`delivery.endpoint_id = ${of.endpointId}`]),
  ...(of.from === undefined ? [] : [sql`delivery.created_at >= ${of.from}::bigint`]),
  ...(of.to === undefined ? [] : [sql`delivery.created_at < ${of.to}::bigint`]),
  ...(of.type === undefined ? [] : [sql`event.payload->>'type' = ${of.type}`]),
  ...(of.iccid === undefined ? [] : [sql`${sql.literal(Events.iccid)} = ${of.iccid}`, sql.literal(ofEvent)])
]

/** A page of the log, newest first. */
export const page = (database: Database) => (of: Storage.Page<Storage.CreatedCursor> & Storage.DeliveryFilter) =>
  database.rows(
    (sql) => sql<Row<Delivery.LoggedDelivery>>`
      select ${sql.literal(logged)} as value
      from simplan.delivery ${sql.literal(withEvent)}
      where ${sql.and(conditions(sql, of))}
      order by delivery.created_at desc, delivery.delivery_id desc
      limit ${of.limit}::int`
  )

export const byId = (database: Database) => (of: { readonly organizationId: string; readonly deliveryId: string }) =>
  database.row(
    (sql) => sql<Row<Delivery.LoggedDelivery>>`
      select ${sql.literal(logged)} as value
      from simplan.delivery ${sql.literal(withEvent)}
      where delivery.organization_id = ${of.organizationId} and delivery.delivery_id = ${of.deliveryId}`
  )

/** The last attempts of a delivery, newest first. */
export const attempts =
  (database: Database) => (of: { readonly organizationId: string; readonly deliveryId: string }) =>
    database.rows(
      (sql) => sql<Row<Delivery.LoggedAttempt>>`
      select ${sql.literal(attempt)} as value
      from simplan.delivery_attempt
      where delivery_attempt.organization_id = ${of.organizationId}
        and delivery_attempt.delivery_id = ${of.deliveryId}
      order by delivery_attempt.number desc
      limit 100`
    )
