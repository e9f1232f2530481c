/**
 * Pages of lists: by a cursor, with a bound of the rows that a filter scans (rule W13), and cut by
 * bytes as well as by rows (rule W9).
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import type { Living } from "../database/LivingServers.ts"
import * as Secrets from "../encryption/Secrets.ts"

/** What comes after the cursor, by these two columns; true without a cursor. */
export const after = (sql: Sql, columns: string, cursor: Storage.CreatedCursor | null) =>
  cursor === null ? sql`true` : sql`(${sql.literal(columns)}) > (${cursor.createdAt}::bigint, ${cursor.id}::text)`

/** A list, in an order that it has an index for. */
export interface List<A> {
  /** The table, by which its columns are named. */
  readonly table: string
  /** The columns of the instant and of the id. */
  readonly order: readonly [createdAt: string, id: string]
  readonly isNewestFirst: boolean
  /** The item as JSON. */
  readonly value: string & { readonly "~item"?: A }
}

/** Which rows. */
export interface Conditions {
  /** Which are in the list: what its index finds. */
  readonly listed: ReadonlyArray<Fragment>
  /** Where they are found; the table if it is absent. */
  readonly from?: Fragment
  /** What is joined to each row that is scanned, exactly one of it. */
  readonly beside?: Fragment
  /** Which of those that are scanned are taken. */
  readonly filters: ReadonlyArray<Fragment>
}

interface Scanned<A> {
  readonly at: number
  readonly createdAt: number
  readonly id: string
  readonly item: A | null
}

const scan = <A>(
  sql: Sql,
  { isNewestFirst, order, table, value }: List<A>,
  { after, limit, scanLimit = Storage.SCAN_LIMIT }: Storage.FilteredKeyset,
  { beside = sql.literal(""), filters, from = sql.literal(`simplan.${table}`), listed }: Conditions
) => {
  const [createdAt, id] = order
  const by = isNewestFirst ? `${createdAt} desc, ${id} desc` : `${createdAt}, ${id}`
  const beyond = sql`(${sql.literal(order.join(", "))}) ${sql.literal(isNewestFirst ? "<" : ">")} (${after?.createdAt ?? 0}::bigint, ${after?.id ?? ""}::text)`
  // The planner knows the bound: as a parameter it would be a guess.
  return sql<Row<Scanned<A>>>`
        select json_build_object(
          'at', ${sql.literal(table)}.scanned_at, 'createdAt', ${sql.literal(createdAt)}, 'id', ${sql.literal(id)},
          'item', case when filtered.is_taken then ${sql.literal(value)} end
        )::text as value
        from (
          select ${sql.literal(table)}.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
          from ${from}
          where ${sql.and(after === null ? listed : [...listed, beyond])}
          window listed as (order by ${sql.literal(by)})
          order by ${sql.literal(by)}
          limit ${sql.literal(String(scanLimit))}
        ) ${sql.literal(table)}
        ${beside}
        cross join lateral (select ${filters.length === 0 ? sql.literal("true") : sql.and(filters)} as is_taken) filtered
        where filtered.is_taken or ${sql.literal(table)}.is_last
          or ${sql.literal(table)}.scanned_at = ${sql.literal(String(scanLimit))}
        order by ${sql.literal(by)}
        limit ${limit}::int`
}

const pageOf =
  <A>({ limit, scanLimit = Storage.SCAN_LIMIT }: Storage.FilteredKeyset) =>
  (rows: ReadonlyArray<Scanned<A>>): Storage.Filtered<A> => {
    const items = rows.flatMap(({ item }) => (item === null ? [] : [item]))
    const last = rows.at(-1)
    if (last === undefined) return { items, rows: 0, next: null }
    const hasEnded = items.length < limit && last.at < scanLimit
    return { items, rows: last.at, next: hasEnded ? null : { createdAt: last.createdAt, id: last.id } }
  }

/**
 * Reads one page: one scan of the list's index, which ends with the page, or at the bound. It gives
 * the rows that the filter takes, and the last one that it scanned if the page is not full by
 * then: the `scanLimit`th, or the last of the list.
 */
export const filtered = <A>(
  database: Database,
  list: List<A>,
  of: Storage.FilteredKeyset,
  conditionsOf: (sql: Sql) => Conditions
): Effect.Effect<Storage.Filtered<A>, Storage.StorageError> =>
  Effect.map(
    database.rows((sql) => scan(sql, list, of, conditionsOf(sql))),
    pageOf(of)
  )

/** The same of a list of all organizations, of which one may be asked for. */
export const filteredOfAll = <A>(
  database: Database,
  list: List<A>,
  of: Storage.FilteredKeyset & { readonly organizationId?: string | undefined },
  conditionsOf: (sql: Sql, living: Living) => Conditions
): Effect.Effect<Storage.Filtered<A>, Storage.StorageError> =>
  Effect.map(
    database.rowsOfAll((sql, living) => scan(sql, list, of, conditionsOf(sql, living)), of.organizationId),
    pageOf(of)
  )

/** How large a page of several rows may be, in bytes of JSON. */
const LIMIT = 1_048_576

/** How many rows to ask for instead of so many that have that size. */
const shorter = (rows: number, size: number): number => Math.max(1, Math.floor((rows * LIMIT) / size))

export interface Sized<Query, Cursor, Packed, A> {
  /** Selects the page as one JSON value, `value`: an array or null. */
  readonly statement: (sql: Sql, query: Query) => Fragment
  readonly unpack: (packed: Packed | null, query: Query) => ReadonlyArray<A>
  readonly cursorOf: (item: A) => Cursor
}

/**
 * Reads pages of which one row of a result has it all. A page is asked for as a whole, and comes so
 * unless it is larger than a message should be. Then its size comes, and shorter parts are asked
 * for, down to single rows, which come whatever their size. So no row makes the others unreadable,
 * and the client, which ends a connection on a message of more than 16 MiB, keeps its connection.
 */
export const sized = <Cursor, Query extends Storage.Page<Cursor>, Packed extends ReadonlyArray<unknown>, A>(
  database: Database,
  { cursorOf, statement, unpack }: Sized<Query, Cursor, Packed, A>
) => {
  const ask = (query: Query) =>
    database.row((sql) =>
      query.limit <= 1
        ? sql<Row<Packed | number | null>>`${statement(sql, query)}`
        : sql<Row<Packed | number | null>>`
            select case when octet_length(page.value) > ${sql.literal(String(LIMIT))}
              then octet_length(page.value)::text else page.value end as value
            from (${statement(sql, query)}) page`
    )

  const unpacked = (found: Packed | null, query: Query) =>
    Secrets.decoded(Effect.succeed(found), (packed) => unpack(packed, query))

  // After a part that came, the next one is twice as long, but not at once after one that was too
  // large.
  const inParts = Effect.fnUntraced(function* (query: Query, size: number) {
    const items: Array<A> = []
    let after = query.after
    let rows = shorter(query.limit, size)
    let wasTooLarge = true
    while (items.length < query.limit) {
      const limit = Math.min(rows, query.limit - items.length)
      const found = yield* ask({ ...query, after, limit })
      if (typeof found === "number") {
        rows = shorter(limit, found)
        wasTooLarge = true
        continue
      }
      const part = yield* unpacked(found, query)
      items.push(...part)
      const last = part.at(-1)
      if (last === undefined || part.length < limit) break
      after = cursorOf(last)
      rows = wasTooLarge ? limit : limit * 2
      wasTooLarge = false
    }
    return items
  })

  return (query: Query): Effect.Effect<ReadonlyArray<A>, Storage.StorageError> =>
    Effect.flatMap(ask(query), (found) => (typeof found === "number" ? inParts(query, found) : unpacked(found, query)))
}
