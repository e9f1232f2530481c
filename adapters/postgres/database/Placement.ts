/**
 * Whether the tables stand on one server, or are distributed by organization over several ones, as
 * the extension Citus does it.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { DatabaseSchema } from "./DatabaseSchema.ts"

/** The extension's list of the tables that it has. */
const CATALOGUE = "pg_catalog.pg_dist_partition"

/** Whether the database has the extension. */
export const hasExtension = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly found: boolean }>`select to_regclass(${CATALOGUE}) is not null as found`,
    ([row]) => row?.found === true
  )

/** The tables of the schema that are distributed or copied. */
export const placed = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { quoted }: DatabaseSchema) {
  if (!(yield* hasExtension(sql))) return new Set<string>()
  const found = yield* sql<{ readonly name: string }>`
    select pg_class.relname::text as name
    from ${sql.literal(CATALOGUE)}
    join pg_class on pg_class.oid = pg_dist_partition.logicalrelid
    where pg_class.relnamespace = to_regnamespace(${quoted})
      and (pg_dist_partition.partmethod = 'h' or pg_dist_partition.repmodel = 't')`
  return new Set(found.map(({ name }) => name))
})
