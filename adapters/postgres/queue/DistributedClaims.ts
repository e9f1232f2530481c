/**
 * Claims where the tables are distributed: what is due is chosen over all organizations without a
 * lock, and then taken of one organization after another, each on the server that it is on. A row
 * that another claim has taken meanwhile is free no more. So an organization whose server is dead
 * holds up none of the others.
 */
import { Effect, Exit } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { SqlError } from "effect/sql/SqlError"
import type { Jobs, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import { isFree, notBefore, type Queue } from "./Queue.ts"

/** What is taken of one organization: rows by their ids, or so many of each share. */
interface Part {
  readonly organizationId: string
  readonly isTaken: (sql: Sql) => Fragment
}

const literals = (sql: Sql, { dueAt, id, partition, table }: Queue) => ({
  dueAt: sql.literal(dueAt),
  id: sql.literal(id),
  partition: sql.literal(partition),
  table: sql.literal(table)
})

const grouped = <A extends { readonly organizationId: string }>(found: ReadonlyArray<A>) => {
  const groups = new Map<string, Array<A>>()
  for (const one of found) {
    const group = groups.get(one.organizationId)
    if (group === undefined) groups.set(one.organizationId, [one])
    else group.push(one)
  }
  return groups
}

interface Chosen {
  readonly organizationId: string
  readonly id: string
}

/** Those that are chosen, by organization. */
const chosenParts = (
  database: Database,
  queue: Queue,
  of: Jobs.Claim,
  and?: (sql: Sql) => Fragment
): Effect.Effect<ReadonlyArray<Part>, Storage.StorageError> =>
  Effect.map(
    database.rowsOfAll((sql, living) => {
      const { dueAt, id, table } = literals(sql, queue)
      return sql<Row<Chosen>>`
        select json_build_object('organizationId', chosen.organization_id, 'id', chosen.id)::text as value
        from (
          select ${table}.organization_id, ${id} as id
          from simplan.${table}
          where ${sql.literal(queue.waits)} and ${dueAt} <= ${of.now}::bigint
            and ${isFree(sql, queue, of.machineNow)} ${notBefore(sql, queue, of.from)}
            ${and === undefined ? sql.literal("") : and(sql)} ${living(queue.table)}
          order by ${dueAt}, ${id}
          limit ${of.limit}::int
        ) chosen`
    }),
    (found) =>
      Array.from(grouped(found), ([organizationId, rows]) => ({
        organizationId,
        isTaken: (sql: Sql) => {
          const { id, table } = literals(sql, queue)
          const ids = JSON.stringify(rows.map((row) => row.id))
          return sql`${table}.organization_id = ${organizationId}
              and ${id} = any(array(select json_array_elements_text((${ids}::text)::json)))
              and ${sql.literal(queue.stillWaits ?? queue.waits)} and ${isFree(sql, queue, of.machineNow)}`
        }
      }))
  )

/** The shares of each organization, whose rows are locked where they are. */
const sharedParts = (queue: Queue, of: Jobs.Claim, shares: ReadonlyArray<Jobs.Share>): ReadonlyArray<Part> =>
  Array.from(grouped(shares), ([organizationId, own]) => ({
    organizationId,
    isTaken: (sql: Sql) => {
      const { dueAt, id, partition, table } = literals(sql, queue)
      const each = own.map(
        ({ from, limit, partitionId }) => sql`select * from (
              select ${id} as id from simplan.${table}
              where ${table}.organization_id = ${organizationId} and ${partition} = ${partitionId}
                and ${sql.literal(queue.waits)} and ${dueAt} <= ${of.now}::bigint
                and ${isFree(sql, queue, of.machineNow)} ${notBefore(sql, queue, from)}
              order by ${dueAt}, ${id}
              limit ${limit}::int
              for update skip locked
            ) share`
      )
      return sql`${table}.organization_id = ${organizationId} and ${id} = any(array(
            select free.id from (${sql.join(" union all ", false)(each)}) free
          ))`
    }
  }))

/** How often a claim is repeated of which others have taken all. */
const TRIES = 10

export interface Claiming<A> {
  readonly queue: Queue
  /** In machine time of the database. */
  readonly claim: Jobs.Claim
  /** Narrows what is chosen. */
  readonly and?: (sql: Sql) => Fragment
  /** Takes these rows of the organization, and gives them. */
  readonly take: (
    isTaken: (sql: Sql) => Fragment,
    organizationId: string
  ) => Effect.Effect<ReadonlyArray<A>, Storage.StorageError>
  readonly placeOf: (work: A) => Jobs.Place
}

const byPlace = (left: Jobs.Place, right: Jobs.Place): number =>
  left.dueAt - right.dueAt || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)

const isDeadlock = ({ cause }: Storage.StorageError): boolean =>
  cause instanceof SqlError && cause.reason._tag === "DeadlockError"

/** Claims in due order, or by shares. Fails if of no organization anything could be taken. */
export const claim = Effect.fnUntraced(function* <A>(
  database: Database,
  { and, claim: of, placeOf, queue, take }: Claiming<A>
): Effect.fn.Return<ReadonlyArray<A>, Storage.StorageError> {
  const { shares } = of
  for (let tries = 1; ; tries++) {
    const parts = shares === undefined ? yield* chosenParts(database, queue, of, and) : sharedParts(queue, of, shares)
    const exits = yield* Effect.forEach(
      parts,
      ({ isTaken, organizationId }) =>
        // Failure: another one takes some of the same rows in another order, and what is left is
        // chosen anew.
        Effect.exit(Effect.catchIf(take(isTaken, organizationId), isDeadlock, () => Effect.succeed([]))),
      {
        concurrency: "unbounded"
      }
    )
    const taken = exits.flatMap((exit) => (Exit.isSuccess(exit) ? exit.value : []))
    const failed = exits.find(Exit.isFailure)
    // Failure: what of other organizations was taken is begun, and the next claim takes the rest.
    if (taken.length === 0 && failed !== undefined) return yield* failed
    if (taken.length > 0 || parts.length === 0 || shares !== undefined || tries === TRIES) {
      return taken.toSorted((left, right) => byPlace(placeOf(left), placeOf(right)))
    }
  }
})

/**
 * The partitions with due work, each with its first piece of it: those of all organizations are
 * read as far as they are due.
 */
export const partitions = (
  database: Database,
  queue: Queue,
  at: Jobs.PartitionQuery
): Effect.Effect<Jobs.Partitions, Storage.StorageError> =>
  Effect.map(
    database.rowsOfAll((sql, living) => {
      const { dueAt, id, partition, table } = literals(sql, queue)
      return sql<Row<Jobs.Partition>>`
        select json_build_object(
          'partitionId', found.partition_id, 'organizationId', found.organization_id,
          'first', json_build_object('dueAt', found.due_at, 'id', found.id)
        )::text as value
        from (
          select distinct on (${partition}, ${table}.organization_id) ${partition} as partition_id,
            ${table}.organization_id, ${dueAt} as due_at, ${id} as id
          from simplan.${table}
          where ${sql.literal(queue.waits)} and ${dueAt} <= ${at.now}::bigint
            and ${isFree(sql, queue, at.machineNow)} and ${partition} > ${at.after} ${living(queue.table)}
          order by ${partition}, ${table}.organization_id, ${dueAt}, ${id}
          limit ${at.limit}::int
        ) found
        order by found.partition_id`
    }),
    (found) => ({ partitions: found, next: found.length < at.limit ? null : (found.at(-1)?.partitionId ?? null) })
  )

/**
 * Sends a statement for the leases of each organization. Fails if one could not be sent, when all
 * others were.
 */
export const ofEachOwner = Effect.fnUntraced(function* <A extends { readonly organizationId: string }>(
  leases: ReadonlyArray<A>,
  send: (own: ReadonlyArray<A>) => Effect.Effect<unknown, Storage.StorageError>
) {
  const exits = yield* Effect.forEach(grouped(leases).values(), (own) => Effect.exit(send(own)))
  const failed = exits.find(Exit.isFailure)
  if (failed !== undefined) yield* failed
})
