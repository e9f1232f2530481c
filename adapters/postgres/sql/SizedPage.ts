/**
 * Pages of which one row of a result has it all, cut by bytes as well as by rows (rule W9).
 *
 * A page is asked for as a whole, and comes so unless it is larger than a message should be. Then its size comes, and
 * shorter parts are asked for, down to single rows, which come whatever their size. So no row makes the others
 * unreadable, and the client, which ends a connection on a message of more than 16 MiB, keeps its connection.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"

/** How large a page of several rows may be, in bytes of JSON. */
const LIMIT = 1_048_576

/** How many rows to ask for instead of so many that have that size. */
const shorter = (rows: number, size: number): number => Math.max(1, Math.floor((rows * LIMIT) / size))

export interface Options<Query, Cursor, Packed, A> {
  /** Selects the page as one JSON value, `value`: an array or null. */
  readonly statement: (sql: Sql, query: Query) => Fragment
  readonly unpack: (packed: Packed | null, query: Query) => ReadonlyArray<A>
  readonly cursorOf: (item: A) => Cursor
}

/** Reads pages; one that has to be cut is read by several statements. */
export const make = <Cursor, Query extends Storage.Page<Cursor>, Packed extends ReadonlyArray<unknown>, A>(
  database: Database,
  { cursorOf, statement, unpack }: Options<Query, Cursor, Packed, A>
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

  // After a part that came, the next one is twice as long, but not at once after one that was too large.
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
      const part = unpack(found, query)
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
    Effect.flatMap(ask(query), (found) =>
      typeof found === "number" ? inParts(query, found) : Effect.succeed(unpack(found, query))
    )
}
