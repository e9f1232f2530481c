/**
 * The log of webhook deliveries and their attempts: its reads, and its purge (rule W12).
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Delivery, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"
import * as Events from "./Events.ts"

/** All columns of a delivery that the log has. */
export const columns = Columns.of<Delivery.Delivery>(
  {
    organizationId: "text",
    deliveryId: "text",
    eventId: "text",
    endpointId: "text",
    status: "text",
    attempts: "integer",
    retryStep: "integer",
    responseStatus: "integer",
    lastError: "text",
    lastAttemptAt: "bigint",
    nextAttemptAt: "bigint",
    createdAt: "bigint"
  },
  ["organizationId", "deliveryId"]
)

const value = Columns.json("delivery", columns)

/** A delivery with its event. */
export const logged = `json_build_object('delivery', ${value}, 'event', ${Events.value})`

const withEvent = `
  join simplan.event on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id`

/** The range of ids that an event's deliveries have, by which they are found. */
const ofEvent = "delivery.delivery_id > event.event_id || ':' and delivery.delivery_id < event.event_id || ';'"

const shortAttempt = {
  number: "integer",
  at: "bigint",
  durationMillis: "integer",
  responseStatus: "integer",
  error: "text"
} as const

const attempt = Columns.json(
  "delivery_attempt",
  Columns.of<Delivery.LoggedAttempt>({ ...shortAttempt, responseBody: "text" })
)

const briefly = Columns.json("delivery_attempt", Columns.of<Delivery.ShortAttempt>(shortAttempt))

const list: Pages.List<Delivery.LoggedDelivery> = {
  table: "delivery",
  order: ["delivery.created_at", "delivery.delivery_id"],
  isNewestFirst: true,
  value: logged
}

/** The event by its key, for each delivery that is looked at: never by a scan of all events. */
const itsEvent = (sql: Sql, organizationId: string): Fragment => sql`cross join lateral (
    select * from simplan.event
    where event.organization_id = ${organizationId} and event.event_id = delivery.event_id
    limit 1
  ) event`

/**
 * A SIM's deliveries: each event's by the range of their ids. `offset` keeps the planner from
 * another way.
 */
const ofSim = (sql: Sql, organizationId: string): Fragment => sql`simplan.event cross join lateral (
  select * from simplan.delivery
  where delivery.organization_id = ${organizationId} and ${sql.literal(ofEvent)}
  offset 0
) delivery`

/**
 * A page of the log, newest first. Of an endpoint or of a SIM, only its own deliveries are looked
 * at: those of a SIM by its events, which are as old as they are.
 */
export const page =
  (database: Database) =>
  ({
    endpointId,
    from,
    iccid,
    organizationId,
    statuses,
    to,
    type,
    ...of
  }: Parameters<Storage.Service["deliveries"]["page"]>[0]) =>
    Pages.filtered(database, list, of, (sql) => {
      const isOfEndpoint = endpointId === undefined ? [] : [sql`delivery.endpoint_id = ${endpointId}`]
      const isOfStatus =
        statuses === undefined ? [] : [sql`delivery.status = any(${`{${statuses.join(",")}}`}::text[])`]
      const isOfType = type === undefined ? [] : [sql`event.payload->>'type' = ${type}`]
      const between = (created: Fragment) => [
        ...(from === undefined ? [] : [sql`${created} >= ${from}::bigint`]),
        ...(to === undefined ? [] : [sql`${created} < ${to}::bigint`])
      ]
      const beside = itsEvent(sql, organizationId)
      return iccid === undefined
        ? {
            beside,
            listed: [
              sql`delivery.organization_id = ${organizationId}`,
              sql`delivery.handler is null`,
              ...isOfEndpoint,
              ...between(sql`delivery.created_at`)
            ],
            filters: [...isOfStatus, ...isOfType]
          }
        : {
            from: ofSim(sql, organizationId),
            beside,
            listed: [
              sql`event.organization_id = ${organizationId}`,
              sql`${sql.literal(Events.iccid)} = ${iccid}`,
              ...between(sql`event.created_at`),
              ...(of.after === null ? [] : [sql`event.created_at <= ${of.after.createdAt}::bigint`]),
              sql`delivery.created_at = event.created_at`,
              sql`delivery.handler is null`
            ],
            filters: [...isOfEndpoint, ...isOfStatus, ...isOfType]
          }
    })

export const byId = (database: Database) => (of: { readonly organizationId: string; readonly deliveryId: string }) =>
  database.row(
    (sql) => sql<Row<Delivery.LoggedDelivery>>`
      select (${sql.literal(logged)})::text as value
      from simplan.delivery ${sql.literal(withEvent)}
      where delivery.organization_id = ${of.organizationId} and delivery.delivery_id = ${of.deliveryId}
        and delivery.handler is null`
  )

/** A delivery to a handler. */
export const toHandler =
  (database: Database) => (of: { readonly organizationId: string; readonly deliveryId: string }) =>
    database.row(
      (sql) => sql<Row<Delivery.LoggedDelivery>>`
      select (${sql.literal(logged)})::text as value
      from simplan.delivery ${sql.literal(withEvent)}
      where delivery.organization_id = ${of.organizationId} and delivery.delivery_id = ${of.deliveryId}
        and delivery.handler is not null`
    )

/**
 * The deliveries to a handler that were given up, oldest first. The text of the condition is that
 * of the index.
 */
export const failed =
  (database: Database) =>
  ({
    after,
    eventId,
    limit,
    name
  }: Storage.Keyset<Storage.CreatedCursor> & { readonly name: string; readonly eventId: string | null }) =>
    database.rows(
      (sql) => sql<Row<Delivery.LoggedDelivery>>`
      select (${sql.literal(logged)})::text as value
      from simplan.delivery ${sql.literal(withEvent)}
      where delivery.status = 'Failed' and delivery.handler is not null and delivery.handler = ${name}
        and ${eventId === null ? sql`true` : sql`delivery.event_id = ${eventId}`}
        and ${Pages.after(sql, "delivery.created_at, delivery.delivery_id", after)}
      order by delivery.created_at, delivery.delivery_id
      limit ${limit}::int`
    )

/** The last attempts of a delivery, newest first. */
export const attempts =
  (database: Database) => (of: { readonly organizationId: string; readonly deliveryId: string }) =>
    database.rows(
      (sql) => sql<Row<Delivery.LoggedAttempt>>`
      select (${sql.literal(attempt)})::text as value
      from simplan.delivery_attempt
      where delivery_attempt.organization_id = ${of.organizationId}
        and delivery_attempt.delivery_id = ${of.deliveryId}
      order by delivery_attempt.number desc
      limit 100`
    )

/** The last attempts of each of these deliveries. */
export const lastAttempts =
  (database: Database) =>
  ({ deliveryIds, organizationId }: Parameters<Storage.Service["deliveries"]["lastAttempts"]>[0]) =>
    database.rows(
      (sql) => sql<Row<Delivery.DeliveryAttempts>>`
        select json_build_object('deliveryId', asked.delivery_id, 'attempts', made.attempts)::text as value
        from json_array_elements_text(${JSON.stringify(deliveryIds)}::json) as asked(delivery_id)
        cross join lateral (
          select json_agg(${sql.literal(briefly)} order by delivery_attempt.number desc) as attempts
          from (
            select * from simplan.delivery_attempt
            where delivery_attempt.organization_id = ${organizationId}
              and delivery_attempt.delivery_id = asked.delivery_id
            order by delivery_attempt.number desc
            limit ${Delivery.LAST_ATTEMPTS}::int
          ) delivery_attempt
        ) made
        where made.attempts is not null`
    )

/** The oldest events before an instant of which no delivery is pending. */
const settledBefore = (sql: Sql, before: number, limit: number): Fragment => sql`from simplan.event
    where event.created_at < ${before}::bigint and (
      select count(*) from simplan.delivery
      where delivery.organization_id = event.organization_id and ${sql.literal(ofEvent)}
        and delivery.status = 'Pending'
    ) = 0
    order by event.created_at
    limit ${limit}::int`

/**
 * The deliveries are locked before their event is taken, and those that others hold are left out:
 * an event of which one is missing then stays, so that a replay at the same time keeps all that it
 * needs.
 */
const purging = (sql: Sql, before: number, limit: number): Fragment => sql`
  with found as (
    select event.organization_id, event.event_id
    ${settledBefore(sql, before, limit)}
  ), old as (
    select event.organization_id, event.event_id, locked.delivery_ids
    from found event, lateral (
      select coalesce(array_agg(settled.delivery_id), '{}') as delivery_ids
      from (
        select delivery.delivery_id from simplan.delivery
        where delivery.organization_id = event.organization_id and ${sql.literal(ofEvent)}
          and delivery.status <> 'Pending'
        for update skip locked
      ) settled
    ) locked
    where cardinality(locked.delivery_ids) = (
      select count(*) from simplan.delivery
      where delivery.organization_id = event.organization_id and ${sql.literal(ofEvent)}
    )
  ), attempt_gone as (
    delete from simplan.delivery_attempt using old
    where delivery_attempt.organization_id = old.organization_id
      and delivery_attempt.delivery_id = any(old.delivery_ids)
  ), delivery_gone as (
    delete from simplan.delivery using old
    where delivery.organization_id = old.organization_id and delivery.delivery_id = any(old.delivery_ids)
  ), event_gone as (
    delete from simplan.event using old
    where event.organization_id = old.organization_id and event.event_id = old.event_id
    returning 1
  )
  select to_json(count(*))::text as value from event_gone`

/**
 * The same where the tables are distributed: nothing is locked before it is deleted, so that of an
 * event which stays the other deliveries go.
 */
const purgingDistributed = (sql: Sql, before: number, limit: number): Fragment => sql`
  with old as materialized (
    select event.organization_id, event.event_id, (
      select count(*) from simplan.delivery
      where delivery.organization_id = event.organization_id and ${sql.literal(ofEvent)}
    ) as deliveries
    ${settledBefore(sql, before, limit)}
  ), delivery_gone as (
    delete from simplan.delivery using old event
    where delivery.organization_id = event.organization_id and ${sql.literal(ofEvent)}
      and delivery.status <> 'Pending'
    returning delivery.organization_id, delivery.delivery_id, delivery.event_id
  ), of_event as materialized (
    select gone.organization_id, gone.event_id, array_agg(gone.delivery_id) as delivery_ids
    from delivery_gone gone
    group by gone.organization_id, gone.event_id
  ), attempt_gone as (
    delete from simplan.delivery_attempt using of_event
    where delivery_attempt.organization_id = of_event.organization_id
      and delivery_attempt.delivery_id = any(of_event.delivery_ids)
  ), event_gone as (
    delete from simplan.event using (
      select old.organization_id, old.event_id
      from old
      left join of_event on of_event.organization_id = old.organization_id and of_event.event_id = old.event_id
      where old.deliveries = coalesce(cardinality(of_event.delivery_ids), 0)
    ) whole
    where event.organization_id = whole.organization_id and event.event_id = whole.event_id
    returning 1
  )
  select to_json(count(*))::text as value from event_gone`

export const purge =
  (database: Database) =>
  ({ before, limit }: { readonly before: number; readonly limit: number }) =>
    Effect.map(
      database.write(
        (sql) => sql<Row<number>>`${(database.isDistributed ? purgingDistributed : purging)(sql, before, limit)}`
      ),
      ([gone]) => gone ?? 0
    )
