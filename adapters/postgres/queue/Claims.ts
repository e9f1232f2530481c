/**
 * What claiming jobs and claiming deliveries have in common: which rows are due and free, in which
 * order, and in which partitions. Each search begins at a place in an index and goes no further
 * than it has to.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Jobs, Storage } from "simplan/ports"
import * as ClockOffset from "../database/ClockOffset.ts"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"
import * as DistributedClaims from "./DistributedClaims.ts"
import { isFree, notBefore, type Queue } from "./Queue.ts"

/** What a claim takes; whose partitions are is of no account where all rows are in one place. */
interface Claim extends Omit<Jobs.Claim, "shares"> {
  readonly shares?: ReadonlyArray<Share>
}

type Share = Omit<Jobs.Share, "organizationId">

const shareColumns = Columns.of<Share>({ partitionId: "text", from: "json", limit: "integer" })

/** What the function of the table takes. */
const sharesOf = (shares: ReadonlyArray<Share>): string =>
  JSON.stringify(
    shares.map(({ from, limit, partitionId }) => ({
      partition_id: partitionId,
      due_at: from.dueAt,
      id: from.id,
      most: limit
    }))
  )

/** The rows that a claim takes, locked. */
const taken = (sql: Sql, queue: Queue, of: Claim): Fragment => {
  const { dueAt, hasFunctions, id, partition, table, waits } = queue
  if (of.shares !== undefined && hasFunctions === true) {
    return sql`
      select part, place
      from simplan.${sql.literal(`${table}_places`)}(
        (${sharesOf(of.shares)}::text)::json, ${of.now}::bigint, ${of.machineNow}::bigint
      )`
  }
  const selected = sql`
    select ${sql.literal(`${table}.tableoid as part, ${table}.ctid as place`)}
    from ${sql.literal(`simplan.${table}`)}
    where ${sql.literal(waits)} and ${sql.literal(dueAt)} <= ${of.now}::bigint and ${isFree(sql, queue, of.machineNow)}`
  // The partition stands in the order for the planner's sake, which might else search a partition's
  // rows among all that is due.
  return of.shares === undefined
    ? Columns.first(
        sql,
        sql`${selected} ${notBefore(sql, queue, of.from)} order by ${sql.literal(`${dueAt}, ${id}`)}`,
        of.limit,
        "for update skip locked"
      )
    : sql`
        select share.* from ${Columns.rows(sql, of.shares, shareColumns)}, lateral (
          ${selected} and ${sql.literal(partition)} = r."partitionId"
            and (${sql.literal(dueAt)}, ${sql.literal(id)}) >= ((r."from"->>'dueAt')::bigint, r."from"->>'id')
          order by ${sql.literal(`${partition}, ${dueAt}, ${id}`)}
          limit r."limit"
          for update skip locked
        ) share`
}

/**
 * The CTE `taken`, and the condition that a row is one of those: at a place in the table or in one
 * of its partitions. A row that was changed since the statement began is at another place, and is
 * found by the next claim.
 */
export const byPlace = (sql: Sql, queue: Queue, of: Claim) => ({
  taken: sql`taken as (
    ${taken(sql, queue, of)}
  )`,
  isTaken: sql`${sql.literal(queue.table)}.ctid = any(array(select taken.place from taken))
    and (${sql.literal(`${queue.table}.tableoid, ${queue.table}.ctid`)}) in (select taken.part, taken.place from taken)`
})

/**
 * How many rows that are due are scanned for held ones: a few milliseconds of the database's time.
 */
const SCAN_LIMIT = 1_000

/**
 * When the first free row is due, and how many of the first so many that are due are held; `and`
 * narrows both.
 */
const pendingRows = (sql: Sql, queue: Queue, at: Jobs.PendingQuery, and: Fragment) => {
  const { dueAt, id, table, waits } = queue
  return sql<Row<Jobs.Pending>>`
    select json_build_object(
      'dueAt', (
        select ${sql.literal(dueAt)}
        from ${sql.literal(`simplan.${table}`)}
        where ${sql.literal(waits)} and ${isFree(sql, queue, at.machineNow)} ${notBefore(sql, queue, at.from)} ${and}
        order by ${sql.literal(`${dueAt}, ${id}`)}
        limit 1
      ),
      'held', (
        select count(*) filter (where due.lease_until > ${at.machineNow}::bigint)
        from (
          select ${sql.literal(table)}.lease_until
          from ${sql.literal(`simplan.${table}`)}
          where ${sql.literal(waits)} and ${sql.literal(dueAt)} <= ${at.now}::bigint ${and}
          order by ${sql.literal(`${dueAt}, ${id}`)}
          limit ${sql.literal(String(SCAN_LIMIT))}
        ) due
      )
    )::text as value`
}

/** How much is due, free and held, among the first so many that are due. */
const backlogRows = (
  sql: Sql,
  { dueAt, id, table, waits }: Queue,
  at: { readonly now: number; readonly machineNow: number },
  living: Fragment
) => sql<Row<Jobs.Backlog>>`
  with due as (
    select ${sql.literal(dueAt)} as at, coalesce(${sql.literal(table)}.lease_until > ${at.machineNow}::bigint, false)
      as is_held
    from ${sql.literal(`simplan.${table}`)}
    where ${sql.literal(waits)} and ${sql.literal(dueAt)} <= ${at.now}::bigint ${living}
    order by ${sql.literal(`${dueAt}, ${id}`)}
    limit 10000
  )
  select json_build_object(
    'due', count(*) filter (where not due.is_held), 'held', count(*) filter (where due.is_held),
    'oldestDueAt', min(due.at) filter (where not due.is_held)
  )::text as value
  from due`

/**
 * The partitions with due work: goes over the index from one partition's first free row to the next
 * one's.
 */
const partitionRows = (sql: Sql, { table }: Queue, at: Jobs.PartitionQuery) =>
  sql<Row<Jobs.Partitions>>`
    select simplan.${sql.literal(`${table}_partitions`)}(
      ${at.now}::bigint, ${at.machineNow}::bigint, ${at.after}::text, ${at.limit}::int
    )::text as value`

const EMPTY: Jobs.Pending = { dueAt: null, held: 0 }

/** What there is to wait for; `and` narrows it. */
export const pending = (
  database: Database,
  queue: Queue,
  at: Jobs.PendingQuery,
  and?: (sql: Sql) => Fragment
): Effect.Effect<Jobs.Pending, Storage.StorageError> =>
  Effect.map(
    database.rowsOfAll((sql, living) =>
      pendingRows(
        sql,
        queue,
        ClockOffset.at(database.offset, at),
        sql`${and === undefined ? sql.literal("") : and(sql)} ${living(queue.table)}`
      )
    ),
    ([row]) => row ?? EMPTY
  )

/**
 * What goes over a queue of jobs or of deliveries: what there is to wait for, the partitions with
 * due work, and how much.
 */
export const reads = (database: Database, queue: Queue) => ({
  pending: (at: Jobs.PendingQuery) => pending(database, queue, at),
  partitions: (at: Jobs.PartitionQuery) =>
    database.isDistributed
      ? DistributedClaims.partitions(database, queue, ClockOffset.at(database.offset, at))
      : Effect.map(
          database.row((sql) => partitionRows(sql, queue, ClockOffset.at(database.offset, at))),
          (row): Jobs.Partitions => row ?? { partitions: [], next: null }
        ),
  backlog: (at: { readonly now: number; readonly machineNow: number }) =>
    Effect.map(
      database.rowsOfAll((sql, living) =>
        backlogRows(sql, queue, ClockOffset.at(database.offset, at), living(queue.table))
      ),
      ([row]): Jobs.Backlog => row ?? { due: 0, held: 0, oldestDueAt: null }
    )
})
