/**
 * The statements that write webhook deliveries, and those of the outbox with its leases.
 */
import { Effect } from "effect"
import type { Delivery, Jobs, Outbox, Storage } from "simplan/ports"
import * as Claims from "./Claims.ts"
import type { Database, Row, Sql } from "../database/Database.ts"
import { queue } from "./DeliveryClaim.ts"
import * as CommitClause from "../sql/CommitClause.ts"

// What may change of a delivery, and its key.
const deliveryColumns = {
  text: ["organizationId", "deliveryId", "status", "lastError"],
  integer: ["attempts", "retryStep", "responseStatus"],
  bigint: ["lastAttemptAt", "nextAttemptAt"]
} as const

const key = ["organizationId", "deliveryId"] as const

const replayedColumns = CommitClause.columns<Delivery.Delivery>(deliveryColumns, key)

type Writes = NonNullable<Storage.Commit["deliveries"]>

/** A delivery, the lease that it was held by, and what the log gets of the attempt; nulls where there was none. */
interface Settled extends Pick<Delivery.Delivery, (typeof deliveryColumns)[keyof typeof deliveryColumns][number]> {
  readonly token: string
  readonly number: number | null
  readonly at: number | null
  readonly durationMillis: number | null
  readonly attemptStatus: number | null
  readonly error: string | null
  readonly responseBody: string | null
}

const settledColumns = CommitClause.columns<Settled>(
  {
    text: [...deliveryColumns.text, "token", "error", "responseBody"],
    integer: [...deliveryColumns.integer, "number", "durationMillis", "attemptStatus"],
    bigint: [...deliveryColumns.bigint, "at"]
  },
  key,
  ["organizationId", "status", "attempts", "retryStep", "responseStatus", "number", "attemptStatus", "responseBody"]
)

// Each field by its name: to spread a delivery and add seven fields took V8 13 µs for each delivery.
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

const replacement = `
  status = r.status, attempts = r.attempts, retry_step = r."retryStep", response_status = r."responseStatus",
  last_error = r."lastError", last_attempt_at = r."lastAttemptAt", next_attempt_at = r."nextAttemptAt",
  lease_token = null, lease_until = null`

/** Replaces deliveries that are held with the token, ends the lease, and adds the attempts to the log. */
export const settle = (sql: Sql, settled: NonNullable<Writes["settled"]>): CommitClause.CommitClause => {
  const rows = settled.map(settledRow)
  return {
    ctes: [
      sql`delivery_settled as (
        update simplan.delivery set ${sql.literal(replacement)}
        from ${CommitClause.rows(sql, rows, settledColumns)}
        where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
          and delivery.lease_token = r.token
        returning r."organizationId", r."deliveryId", r.number, r.at, r."durationMillis", r."attemptStatus", r.error,
          r."responseBody"
      )`,
      sql`delivery_attempted as (
        insert into simplan.delivery_attempt (
          organization_id, delivery_id, number, at, duration_millis, response_status, error, response_body
        )
        select r.* from delivery_settled r where r.number is not null
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
export const replay = (sql: Sql, rows: NonNullable<Writes["replayed"]>): CommitClause.CommitClause => ({
  ctes: [
    sql`delivery_replayed as (
      update simplan.delivery set ${sql.literal(replacement)}
      from ${CommitClause.rows(sql, rows, replayedColumns)}
      where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from delivery_replayed)`
})

const leaseColumns = CommitClause.columns<Outbox.DeliveryLease>(
  { text: ["organizationId", "deliveryId", "token"] },
  key
)

/** Moves the ends of leases. What is locked is just being settled or taken, and needs it no more. */
export const renew = (database: Database) => (of: Outbox.Renewal) =>
  Effect.asVoid(
    database.write(
      (sql) => sql<Row<never>>`
        with delivery_renewing as (
          select delivery.organization_id, delivery.delivery_id
          from ${CommitClause.rows(sql, of.leases, leaseColumns)}
          join simplan.delivery on delivery.organization_id = r."organizationId"
            and delivery.delivery_id = r."deliveryId" and delivery.lease_token = r.token
          order by delivery.organization_id, delivery.delivery_id
          for update of delivery skip locked
        )
        update simplan.delivery set lease_until = ${of.until}::bigint
        from delivery_renewing r
        where delivery.organization_id = r.organization_id and delivery.delivery_id = r.delivery_id`
    )
  )

/** What there is to wait for. */
export const pending = (database: Database) => (at: Jobs.PendingQuery) =>
  Effect.map(
    database.row((sql) => Claims.pending(sql, queue, at)),
    (row): Jobs.Pending => row ?? { dueAt: null, held: 0 }
  )

/** The endpoints with due deliveries. */
export const partitions = (database: Database) => (at: Jobs.PartitionQuery) =>
  Effect.map(
    database.row((sql) => Claims.partitions(sql, queue, at)),
    (row): Jobs.Partitions => row ?? { partitions: [], next: null }
  )

/** Ends every lease on what is due. */
export const release = (database: Database) => (at: { readonly now: number }) =>
  Effect.asVoid(
    database.write(
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
export const handBack = (database: Database) => (leases: ReadonlyArray<Outbox.DeliveryLease>) =>
  Effect.asVoid(
    database.write(
      (sql) => sql<Row<never>>`
        update simplan.delivery set lease_token = null, lease_until = null
        from ${CommitClause.rows(sql, leases, leaseColumns)}
        where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
           and delivery.lease_token = r.token`
    )
  )

/** How many deliveries are pending, by what their last attempts met (`Delivery.answerOf`). */
export const waitingCounts = (database: Database) =>
  database.rows(
    (sql) => sql<Row<Delivery.WaitingCount>>`
      select json_build_object('answer', waiting.answer, 'count', count(*), 'nextAt', min(waiting.next_attempt_at))::text
        as value
      from (
        select delivery.next_attempt_at, case
          when delivery.last_attempt_at is null then 'untried'
          when delivery.response_status is null then 'none'
          else least(greatest(delivery.response_status / 100, 1), 5) || 'xx'
        end as answer
        from simplan.delivery
        where ${sql.literal(queue.waits)} and delivery.next_attempt_at is not null
        order by delivery.next_attempt_at, delivery.delivery_id
        limit 10000
      ) waiting
      group by waiting.answer`
  )

/** How much there is, counted up to a bound. */
export const backlog = (database: Database) => (at: { readonly now: number; readonly machineNow: number }) =>
  Effect.map(
    database.row((sql) => Claims.backlog(sql, queue, at)),
    (row): Jobs.Backlog => row ?? { due: 0, held: 0, oldestDueAt: null }
  )
