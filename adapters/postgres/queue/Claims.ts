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

/**
 * The columns of a table that is a queue; it has an index by due time and id, and one that the
 * partition leads.
 */
export interface Queue {
  readonly table: string
  readonly partition: string
  readonly dueAt: string
  readonly id: string
  /** Which rows wait at all; both indexes are for these. */
  readonly waits: string
  /** What of it a claim asks again of a row that it has chosen by its key; all, if it is absent. */
  readonly stillWaits?: string
  /**
   * Whether the database has functions that go over the partitions, whatever it believes of how
   * many rows wait.
   */
  readonly hasFunctions?: true
}

const isFree = (sql: Sql, { table }: Queue, machineNow: number): Fragment =>
  sql`(${sql.literal(table)}.lease_until is null or ${sql.literal(table)}.lease_until <= ${machineNow}::bigint)`

const notBefore = (sql: Sql, { dueAt, id }: Queue, from: Jobs.Place | undefined): Fragment =>
  from === undefined
    ? sql.literal("")
    : sql`and (${sql.literal(dueAt)}, ${sql.literal(id)}) >= (${from.dueAt}::bigint, ${from.id}::text)`

const shareColumns = Columns.of<Jobs.Share>({ partitionId: "text", from: "json", limit: "integer" })

/** What the function of the table takes. */
const sharesOf = (shares: ReadonlyArray<Jobs.Share>): string =>
  JSON.stringify(
    shares.map(({ from, limit, partitionId }) => ({
      partition_id: partitionId,
      due_at: from.dueAt,
      id: from.id,
      most: limit
    }))
  )

/** The rows that a claim takes, locked. */
const taken = (sql: Sql, queue: Queue, of: Jobs.Claim): Fragment => {
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
export const byPlace = (sql: Sql, queue: Queue, of: Jobs.Claim) => ({
  taken: sql`taken as (
    ${taken(sql, queue, of)}
  )`,
  isTaken: sql`${sql.literal(queue.table)}.ctid = any(array(select taken.place from taken))
    and (${sql.literal(`${queue.table}.tableoid, ${queue.table}.ctid`)}) in (select taken.part, taken.place from taken)`
})

/** The CTE `taken`, and what says which rows of the table are claimed. */
interface Taken {
  readonly taken: Fragment
  /** What is joined to the table. */
  readonly from: Fragment
  readonly isTaken: Fragment
}

/**
 * The same where the table is distributed: rows are chosen by their key without a lock, and a row
 * that another one has taken meanwhile is free no more when its turn comes. Each share has a
 * subquery of its own: what is limited goes over each server's rows by their index.
 */
const byKey = (sql: Sql, queue: Queue, of: Jobs.Claim): Taken => {
  const { dueAt, id, partition, stillWaits = queue.waits, table, waits } = queue
  const isDue = sql`${sql.literal(waits)} and ${sql.literal(dueAt)} <= ${of.now}::bigint and ${isFree(sql, queue, of.machineNow)}`
  const selected = sql`select ${sql.literal(`${table}.organization_id, ${id}`)} from ${sql.literal(`simplan.${table}`)}
    where ${isDue}`
  const chosen =
    of.shares === undefined
      ? Columns.first(
          sql,
          sql`${selected} ${notBefore(sql, queue, of.from)} order by ${sql.literal(`${dueAt}, ${id}`)}`,
          of.limit
        )
      : sql.join(
          " union all ",
          false
        )(
          of.shares.map(
            ({ from, limit, partitionId }) => sql`(
      ${selected} and ${sql.literal(partition)} = ${partitionId} ${notBefore(sql, queue, from)}
      order by ${sql.literal(`${dueAt}, ${id}`)}
      limit ${limit}::int
    )`
          )
        )
  return {
    taken: sql`taken as materialized (
    ${chosen}
  )`,
    from: sql`from taken`,
    isTaken: sql`${sql.literal(table)}.organization_id = taken.organization_id
    and ${sql.literal(id)} = taken.${sql.literal(id.slice(table.length + 1))}
    and ${sql.literal(stillWaits)} and ${isFree(sql, queue, of.machineNow)}`
  }
}

/** What a claim takes. */
export const claiming = (sql: Sql, queue: Queue, of: Jobs.Claim, isDistributed: boolean): Taken =>
  isDistributed ? byKey(sql, queue, of) : { ...byPlace(sql, queue, of), from: sql.literal("") }

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
  at: { readonly now: number; readonly machineNow: number }
) => sql<Row<Jobs.Backlog>>`
  with due as (
    select ${sql.literal(dueAt)} as at, coalesce(${sql.literal(table)}.lease_until > ${at.machineNow}::bigint, false)
      as is_held
    from ${sql.literal(`simplan.${table}`)}
    where ${sql.literal(waits)} and ${sql.literal(dueAt)} <= ${at.now}::bigint
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
    database.row((sql) =>
      pendingRows(sql, queue, ClockOffset.at(database.offset, at), and === undefined ? sql.literal("") : and(sql))
    ),
    (row) => row ?? EMPTY
  )

/**
 * What goes over a queue of jobs or of deliveries: what there is to wait for, the partitions with
 * due work, and how much.
 */
export const reads = (database: Database, queue: Queue) => ({
  pending: (at: Jobs.PendingQuery) => pending(database, queue, at),
  partitions: (at: Jobs.PartitionQuery) =>
    Effect.map(
      database.row((sql) => partitionRows(sql, queue, ClockOffset.at(database.offset, at))),
      (row): Jobs.Partitions => row ?? { partitions: [], next: null }
    ),
  backlog: (at: { readonly now: number; readonly machineNow: number }) =>
    Effect.map(
      database.row((sql) => backlogRows(sql, queue, ClockOffset.at(database.offset, at))),
      (row): Jobs.Backlog => row ?? { due: 0, held: 0, oldestDueAt: null }
    )
})
