/**
 * The statements that write deliveries to webhooks and handlers, and those of the outbox: its
 * claims and its leases.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { type Delivery, type Jobs, type Outbox, type Storage, WebhookEndpoint } from "simplan/ports"
import * as ClockOffset from "../database/ClockOffset.ts"
import * as Claims from "./Claims.ts"
import * as DistributedClaims from "./DistributedClaims.ts"
import type { Queue } from "./Queue.ts"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Secrets from "../encryption/Secrets.ts"
import * as DeliveryLog from "../statements/DeliveryLog.ts"
import * as Events from "../statements/Events.ts"
import * as WebhookEndpoints from "../statements/WebhookEndpoints.ts"
import * as Columns from "../sql/Columns.ts"

export const queue: Queue = {
  table: "delivery",
  partition: "delivery.endpoint_id",
  dueAt: "delivery.next_attempt_at",
  id: "delivery.delivery_id",
  waits: "delivery.status = 'Pending' and delivery.handler is null",
  hasFunctions: true
}

// What may change of a delivery, and its key.
const replacedColumns = Columns.pick(DeliveryLog.columns, [
  "organizationId",
  "deliveryId",
  "status",
  "attempts",
  "retryStep",
  "responseStatus",
  "lastError",
  "lastAttemptAt",
  "nextAttemptAt"
])

type Replaced = Columns.RowOf<typeof replacedColumns>

type Writes = NonNullable<Storage.Commit["deliveries"]>

/**
 * A delivery, the lease that it was held by, and what the log gets of the attempt; nulls if
 * there was none.
 */
interface Settled extends Replaced {
  readonly token: string
  readonly number: number | null
  readonly at: number | null
  readonly durationMillis: number | null
  readonly attemptStatus: number | null
  readonly error: string | null
  readonly responseBody: string | null
}

const settledColumns = Columns.of<Settled>(
  {
    ...replacedColumns.types,
    token: "text",
    number: "integer",
    at: "bigint",
    durationMillis: "integer",
    attemptStatus: "integer",
    error: "text",
    responseBody: "text"
  },
  replacedColumns.key,
  ["organizationId", "status", "attempts", "retryStep", "responseStatus", "number", "attemptStatus", "responseBody"]
)

// Each field by its name: to spread a delivery and add seven fields took V8 13 µs for each
// delivery.
const settledRow = ({ attempt, delivery, token }: NonNullable<Writes["settled"]>[number]): Settled => ({
  organizationId: delivery.organizationId,
  deliveryId: delivery.deliveryId,
  status: delivery.status,
  attempts: delivery.attempts,
  retryStep: delivery.retryStep,
  responseStatus: delivery.responseStatus,
  lastError: delivery.lastError,
  lastAttemptAt: delivery.lastAttemptAt,
  nextAttemptAt: delivery.nextAttemptAt,
  token,
  number: attempt?.number ?? null,
  at: attempt?.at ?? null,
  durationMillis: attempt?.durationMillis ?? null,
  attemptStatus: attempt?.responseStatus ?? null,
  error: attempt?.error ?? null,
  responseBody: attempt?.responseBody ?? null
})

const replacement = [
  ...replacedColumns.all.filter((name) => !replacedColumns.key.includes(name)).map(Columns.assignment),
  "lease_token = null, lease_until = null"
].join(", ")

const attemptFields = `r."organizationId", r."deliveryId", r.number, r.at, r."durationMillis", r."attemptStatus", r.error,
          r."responseBody"`

/**
 * Replaces deliveries that are held with the token, ends the lease, and adds the attempts to the
 * log.
 */
export const settle = (
  sql: Sql,
  settled: NonNullable<Writes["settled"]>,
  { isDistributed }: Pick<Database, "isDistributed">
): Columns.Clause => {
  const rows = settled.map(settledRow)
  // What one part of a statement reads of another is sent to all servers where tables are
  // distributed. If not all deliveries are settled, no attempt stays either.
  const attempted = isDistributed ? Columns.rows(sql, rows, settledColumns) : sql.literal("delivery_settled r")
  return {
    ctes: [
      sql`delivery_settled as (
        update simplan.delivery set ${sql.literal(replacement)}
        from ${Columns.rows(sql, rows, settledColumns)}
        where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
          and delivery.lease_token = r.token
        returning ${sql.literal(attemptFields)}
      )`,
      sql`delivery_attempted as (
        insert into simplan.delivery_attempt (
          organization_id, delivery_id, number, at, duration_millis, response_status, error, response_body
        )
        select ${sql.literal(isDistributed ? attemptFields : "r.*")} from ${attempted} where r.number is not null
        on conflict (organization_id, delivery_id, number) do update set
          at = excluded.at, duration_millis = excluded.duration_millis, response_status = excluded.response_status,
          error = excluded.error, response_body = excluded.response_body
        returning 1
      )`
    ],
    outcome: sql`simplan.ensure((select count(*) from delivery_settled) = ${rows.length}::int, 'lease'),
      (select count(*) from delivery_attempted)`
  }
}

/** Replaces deliveries, whoever holds them. */
export const replay = Columns.clause(
  "delivery_replayed",
  replacedColumns,
  (rows) => `update simplan.delivery set ${replacement}
    from ${rows}
    where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
    returning 1`
)

const leaseColumns = Columns.of<Outbox.DeliveryLease>({ organizationId: "text", deliveryId: "text", token: "text" }, [
  "organizationId",
  "deliveryId"
])

/**
 * Moves the ends of leases. What is locked is just being settled or taken, and needs it no more.
 */
export const renew = (database: Database) => {
  const ofSome = (of: Outbox.Renewal) =>
    database.writeHeld(
      (sql) => sql<Row<never>>`
        with delivery_renewing as (
          select * from (
            select delivery.organization_id, delivery.delivery_id
            from ${Columns.rows(sql, of.leases, leaseColumns)}
            join simplan.delivery on delivery.organization_id = r."organizationId"
              and delivery.delivery_id = r."deliveryId" and delivery.lease_token = r.token
            order by delivery.organization_id, delivery.delivery_id
            for update of delivery skip locked
          ) locked
        )
        update simplan.delivery set lease_until = ${ClockOffset.endOf(database.offset, of)}::bigint
        from delivery_renewing r
        where delivery.organization_id = r.organization_id and delivery.delivery_id = r.delivery_id
          ${Columns.ofOwner(sql, "delivery", of.leases)}`
    )
  // Rows of one organization are locked where they stand.
  return (of: Outbox.Renewal) =>
    database.isDistributed
      ? DistributedClaims.ofEachOwner(of.leases, (leases) => ofSome({ ...of, leases }))
      : Effect.asVoid(ofSome(of))
}

/** Ends every lease on what is due. */
export const release = (database: Database) => (at: { readonly now: number }) =>
  Effect.asVoid(
    database.writeHeld(
      (sql) => sql<Row<never>>`
        with to_endpoint as (
          update simplan.delivery set lease_token = null, lease_until = null
          where delivery.status = 'Pending' and delivery.handler is null and delivery.next_attempt_at <= ${at.now}::bigint
            and delivery.lease_until is not null
        )
        update simplan.delivery set lease_token = null, lease_until = null
        where delivery.status = 'Pending' and delivery.handler is not null
          and delivery.handler = any(array(select event_handler.name from simplan.event_handler))
          and delivery.next_attempt_at <= ${at.now}::bigint and delivery.lease_until is not null`
    )
  )

/** Ends leases that are held with the token. */
export const handBack = (database: Database) => {
  const ofSome = (leases: ReadonlyArray<Outbox.DeliveryLease>) =>
    database.writeHeld(
      (sql) => sql<Row<never>>`
        update simplan.delivery set lease_token = null, lease_until = null
        from ${Columns.rows(sql, leases, leaseColumns)}
        where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
           and delivery.lease_token = r.token`
    )
  return (leases: ReadonlyArray<Outbox.DeliveryLease>) =>
    database.isDistributed ? DistributedClaims.ofEachOwner(leases, ofSome) : Effect.asVoid(ofSome(leases))
}

const ofEvent = Columns.pick(Events.columns, ["createdAt", "payload"])
const ofEndpoint = Columns.omit(WebhookEndpoints.columns, ["organizationId", "endpointId"])

const claimedValue = `json_build_array(
  ${Columns.packed("delivery", DeliveryLog.columns)},
  ${Columns.packed("event", ofEvent)},
  ${Columns.packed("webhook_endpoint", ofEndpoint)}
)`

type Claimed = readonly [
  Columns.PackedOf<typeof DeliveryLog.columns>,
  Columns.PackedOf<typeof ofEvent>,
  Columns.PackedOf<typeof ofEndpoint>
]

const inDelivery = Columns.places(DeliveryLog.columns)
const inEvent = Columns.places(ofEvent)
const inEndpoint = Columns.places(ofEndpoint)

const due = ([delivery, event, endpoint]: Claimed): Delivery.DueDelivery => {
  const organizationId = delivery[inDelivery.organizationId]
  const eventId = delivery[inDelivery.eventId]
  const endpointId = delivery[inDelivery.endpointId]
  return {
    delivery: {
      organizationId,
      deliveryId: delivery[inDelivery.deliveryId],
      eventId,
      endpointId,
      status: delivery[inDelivery.status],
      attempts: delivery[inDelivery.attempts],
      retryStep: delivery[inDelivery.retryStep],
      responseStatus: delivery[inDelivery.responseStatus],
      lastError: delivery[inDelivery.lastError],
      lastAttemptAt: delivery[inDelivery.lastAttemptAt],
      nextAttemptAt: delivery[inDelivery.nextAttemptAt],
      createdAt: delivery[inDelivery.createdAt]
    },
    event: {
      organizationId,
      eventId,
      createdAt: event[inEvent.createdAt],
      payload: event[inEvent.payload]
    },
    endpoint: {
      organizationId,
      endpointId,
      url: endpoint[inEndpoint.url],
      events: endpoint[inEndpoint.events],
      description: endpoint[inEndpoint.description],
      disabled: WebhookEndpoint.disabledBy(endpoint[inEndpoint.disabledReason], endpoint[inEndpoint.disabledAt]),
      failingSince: endpoint[inEndpoint.failingSince],
      signingKeys: endpoint[inEndpoint.signingKeys],
      createdAt: endpoint[inEndpoint.createdAt],
      deletedAt: endpoint[inEndpoint.deletedAt],
      version: endpoint[inEndpoint.version]
    }
  }
}

// One whose keys were tampered with stays behind, and holds up none of the others.
const readable = (decrypt: Secrets.Turn, rows: ReadonlyArray<Claimed>) => {
  const found: Array<Delivery.DueDelivery> = []
  const problems: Array<string> = []
  const open = Secrets.ofEndpoint(decrypt)
  for (const row of rows) {
    const pending = due(row)
    try {
      found.push({ ...pending, endpoint: open(pending.endpoint) })
    } catch (cause) {
      problems.push(Secrets.unreadable(cause).message)
    }
  }
  return Effect.as(
    Effect.forEach(problems, (problem) => Effect.logError(`a webhook cannot be signed: ${problem}`)),
    found
  )
}

/** That the tables' rows are of the organization whose deliveries are taken, if of one alone. */
const ofOwner = (sql: Sql, owner: string | null, ...tables: ReadonlyArray<string>): Fragment =>
  owner === null
    ? sql.literal("")
    : sql`where ${sql.and(tables.map((table) => sql`${sql.literal(table)}.organization_id = ${owner}`))}`

/** The CTE `delivery`: those that are taken. */
const taking = (sql: Sql, { token, until }: Jobs.Claim, isTaken: Fragment): Fragment => sql`delivery as (
            update simplan.delivery set lease_token = ${token}, lease_until = ${until}::bigint
            where ${isTaken}
            returning delivery.*
          )`

/**
 * Hands out pending deliveries that are due and unheld, in due order, each with its event and its
 * endpoint: what is asked most of this database under load. So what is taken is found again by its
 * place and not by its key, and comes as lists without names.
 */
export const claim = (database: Database) => (claim: Jobs.Claim) =>
  Effect.suspend(() => {
    const claimed = ClockOffset.claimed(database.offset, claim)
    const withEvents = (sql: Sql, ctes: Fragment, owner: string | null) => sql<Row<Claimed>>`
          with ${ctes}
          select (${sql.literal(claimedValue)})::text as value
          from delivery
          join simplan.event on event.organization_id = delivery.organization_id
            and event.event_id = delivery.event_id
          join simplan.webhook_endpoint on webhook_endpoint.organization_id = delivery.organization_id
            and webhook_endpoint.endpoint_id = delivery.endpoint_id
          ${ofOwner(sql, owner, "event", "webhook_endpoint")}
          order by delivery.next_attempt_at, delivery.delivery_id`
    return Effect.flatMap(
      database.isDistributed
        ? DistributedClaims.claim<Claimed>(database, {
            queue,
            claim: claimed,
            take: (isTaken, owner) =>
              database.write((sql) => withEvents(sql, taking(sql, claimed, isTaken(sql)), owner)),
            placeOf: ([delivery]) => ({
              dueAt: delivery[inDelivery.nextAttemptAt] ?? 0,
              id: delivery[inDelivery.deliveryId]
            })
          })
        : database.write((sql) => {
            const { isTaken, taken } = Claims.byPlace(sql, queue, claimed)
            return withEvents(sql, sql`${taken}, ${taking(sql, claimed, isTaken)}`, null)
          }),
      (rows) => readable(database.cipher.decrypt, rows)
    )
  })

const isPendingForHandler = "delivery.status = 'Pending' and delivery.handler is not null"

const handlerQueue: Queue = {
  table: "delivery",
  partition: "delivery.handler",
  dueAt: "delivery.next_attempt_at",
  id: "delivery.delivery_id",
  // An event that is about no SIM waits for no other. A join would read all that is pending, and so
  // would be done if the planner expected that few wait for no other, as it does of a comparison
  // with null.
  stillWaits: isPendingForHandler,
  waits: `${isPendingForHandler} and not coalesce((
    select true from simplan.delivery earlier
    where earlier.status = 'Pending' and earlier.handler is not null and earlier.handler = delivery.handler
      and earlier.iccid = delivery.iccid and earlier.organization_id = delivery.organization_id
      and (earlier.created_at, earlier.delivery_id) < (delivery.created_at, delivery.delivery_id)
    limit 1
  ), false)`
}

/** Before all that can be due. */
const BEGINNING: Jobs.Place = { dueAt: Number.MIN_SAFE_INTEGER, id: "" }

/**
 * Hands out what is due to a handler (rule E2): of each SIM the first pending delivery, and no
 * other before that one is settled, whichever process has it.
 */
export const claimForHandler =
  (database: Database) =>
  ({ handler, ...claim }: Outbox.HandlerClaim) =>
    Effect.suspend(() => {
      const claimed = ClockOffset.claimed(database.offset, claim)
      const withEvents = (sql: Sql, ctes: Fragment, owner: string | null) => sql<Row<Delivery.LoggedDelivery>>`
        with ${ctes}
        select (${sql.literal(DeliveryLog.logged)})::text as value
        from delivery
        join simplan.event on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id
        ${ofOwner(sql, owner, "event")}
        order by delivery.next_attempt_at, delivery.delivery_id`
      if (database.isDistributed) {
        return DistributedClaims.claim<Delivery.LoggedDelivery>(database, {
          queue: handlerQueue,
          claim: claimed,
          and: (sql) => sql`and delivery.handler = ${handler}`,
          take: (isTaken, owner) => database.write((sql) => withEvents(sql, taking(sql, claimed, isTaken(sql)), owner)),
          placeOf: ({ delivery }) => ({ dueAt: delivery.nextAttemptAt ?? 0, id: delivery.deliveryId })
        })
      }
      const shares = [{ partitionId: handler, from: BEGINNING, limit: claimed.limit }]
      return database.write((sql) => {
        const { isTaken, taken } = Claims.byPlace(sql, handlerQueue, { ...claimed, shares })
        return withEvents(sql, sql`${taken}, ${taking(sql, claimed, isTaken)}`, null)
      })
    })

/** What there is to wait for of a handler. */
export const pendingForHandler =
  (database: Database) =>
  ({ handler, ...at }: Outbox.HandlerPendingQuery) =>
    Claims.pending(database, handlerQueue, at, (sql) => sql`and delivery.handler = ${handler}`)

/** How many deliveries are pending, by what their last attempts met (`Delivery.answerOf`). */
export const waitingCounts = (database: Database) =>
  database.rowsOfAll(
    (sql, living) => sql<Row<Delivery.WaitingCount>>`
      select json_build_object('answer', waiting.answer, 'count', count(*), 'nextAt', min(waiting.next_attempt_at))::text
        as value
      from (
        select delivery.next_attempt_at, case
          when delivery.last_attempt_at is null then 'untried'
          when delivery.response_status is null then 'none'
          else least(greatest(delivery.response_status / 100, 1), 5) || 'xx'
        end as answer
        from simplan.delivery
        where ${sql.literal(queue.waits)} and delivery.next_attempt_at is not null ${living("delivery")}
        order by delivery.next_attempt_at, delivery.delivery_id
        limit 10000
      ) waiting
      group by waiting.answer`
  )
