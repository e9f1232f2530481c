/**
 * Pages of a list that a filter goes over, with a bound of the rows that are scanned (rule W13).
 *
 * One scan of the list's index, which ends with the page, or at the bound: it gives the rows that the filter takes, and the
 * last one that it scanned where the page is not full by then. That row is the `scanLimit`th, or the last of the list.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"

/** A list, in an order that it has an index for. */
export interface List<A> {
  /** The table, by which its columns are named. */
  readonly table: string
  /** The columns of the instant and of the id. */
  readonly order: readonly [createdAt: string, id: string]
  readonly isNewestFirst: boolean
  /** What is joined to each row that is scanned, exactly one of it. */
  readonly beside?: string
  /** The item as JSON. */
  readonly value: string & { readonly "~item"?: A }
}

/** Which rows. */
export interface Conditions {
  /** Which are in the list: what its index finds. */
  readonly listed: ReadonlyArray<Fragment>
  /** Where they are found; the table where it is absent. */
  readonly from?: string
  /** Which of those that are scanned are taken. */
  readonly filters: ReadonlyArray<Fragment>
}

interface Scanned<A> {
  readonly at: number
  readonly createdAt: number
  readonly id: string
  readonly item: A | null
}

/** Reads one page. */
export const read = <A>(
  database: Database,
  { beside = "", isNewestFirst, order, table, value }: List<A>,
  { after, limit, scanLimit = Storage.SCAN_LIMIT }: Storage.FilteredKeyset,
  conditionsOf: (sql: Sql) => Conditions
): Effect.Effect<Storage.Filtered<A>, Storage.StorageError> => {
  const [createdAt, id] = order
  const by = isNewestFirst ? `${createdAt} desc, ${id} desc` : `${createdAt}, ${id}`
  return Effect.map(
    database.rows((sql) => {
      const { filters, from = `simplan.${table}`, listed } = conditionsOf(sql)
      const beyond = sql`(${sql.literal(order.join(", "))}) ${sql.literal(isNewestFirst ? "<" : ">")} (${after?.createdAt ?? 0}::bigint, ${after?.id ?? ""}::text)`
      // The planner knows the bound: as a parameter it would be a guess.
      return sql<Row<Scanned<A>>>`
        select json_build_object(
          'at', ${sql.literal(table)}.scanned_at, 'createdAt', ${sql.literal(createdAt)}, 'id', ${sql.literal(id)},
          'item', case when filtered.is_taken then ${sql.literal(value)} end
        )::text as value
        from (
          select ${sql.literal(table)}.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
          from ${sql.literal(from)}
          where ${sql.and(after === null ? listed : [...listed, beyond])}
          window listed as (order by ${sql.literal(by)})
          order by ${sql.literal(by)}
          limit ${sql.literal(String(scanLimit))}
        ) ${sql.literal(table)}
        ${sql.literal(beside)}
        cross join lateral (select ${filters.length === 0 ? sql.literal("true") : sql.and(filters)} as is_taken) filtered
        where filtered.is_taken or ${sql.literal(table)}.is_last
          or ${sql.literal(table)}.scanned_at = ${sql.literal(String(scanLimit))}
        order by ${sql.literal(by)}
        limit ${limit}::int`
    }),
    (rows) => {
      const items = rows.flatMap(({ item }) => (item === null ? [] : [item]))
      const last = rows.at(-1)
      if (last === undefined) return { items, rows: 0, next: null }
      const hasEnded = items.length < limit && last.at < scanLimit
      return { items, rows: last.at, next: hasEnded ? null : { createdAt: last.createdAt, id: last.id } }
    }
  )
}
