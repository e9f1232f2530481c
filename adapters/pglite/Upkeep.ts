/**
 * What a server does by itself and PGlite does not: give back the room of rows that are gone, and learn how many there
 * are. Without it a directory would grow without end. And the plans of prepared statements would stay those of the tables
 * as they were when the statements were prepared: on empty tables these read every row, and get slower with each one.
 *
 * Nothing else happens in the process while PGlite works. So `once` has a statement for each table, between which others
 * have their turn.
 */
import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"

/** How often the changes are counted. */
const INTERVAL = "15 seconds"

// The thresholds are those of PostgreSQL's autovacuum: 50 rows, and a fifth of the table for rows that are gone, or a
// tenth for rows that are new or changed; and 200,000,000 transactions since the table was frozen.
const changed = (sql: SqlClient.SqlClient) =>
  sql<{ readonly name: string }>`
    select format('%I.%I', stat.schemaname, stat.relname) as name
    from pg_stat_all_tables stat
    join pg_class on pg_class.oid = stat.relid
    where stat.schemaname <> 'pg_toast'
      and (
        stat.n_dead_tup > 50 + 0.2 * greatest(pg_class.reltuples, 0)
        or stat.n_mod_since_analyze > 50 + 0.1 * greatest(pg_class.reltuples, 0)
        or pg_class.relkind <> 'p' and age(pg_class.relfrozenxid) > 200000000
      )`.unprepared

/** Analyzes the tables in which enough has changed. What fails is done the next time. */
export const once = (sql: SqlClient.SqlClient): Effect.Effect<void> =>
  Effect.ignore(
    Effect.flatMap(changed(sql), (tables) =>
      Effect.forEach(tables, ({ name }) => Effect.ignore(sql.unsafe(`vacuum (analyze) ${name}`).unprepared), {
        discard: true
      })
    )
  )

// PostgreSQL's own tables change little. To vacuum them at each start took a tenth of its time.
const userTables = (sql: SqlClient.SqlClient) =>
  sql<{ readonly names: string | null }>`
    select string_agg(format('%I.%I', pg_namespace.nspname, pg_class.relname), ', ') as names
    from pg_class
    join pg_namespace on pg_namespace.oid = pg_class.relnamespace
    where pg_class.relkind in ('r', 'm') and pg_namespace.nspname not in ('pg_catalog', 'information_schema')`
    .unprepared

/**
 * Analyzes all tables of a directory that are not PostgreSQL's own: PostgreSQL loses its counts of changed rows when
 * its process is killed.
 */
export const all = (sql: SqlClient.SqlClient): Effect.Effect<void> =>
  Effect.ignore(
    Effect.flatMap(userTables(sql), ([found]) => {
      const names = found?.names ?? null
      return names === null ? Effect.void : sql.unsafe(`vacuum (analyze) ${names}`).unprepared
    })
  )

/** Analyzes what has changed, every 15 seconds until the scope ends, unless there is no room for it. */
export const follow = (sql: SqlClient.SqlClient, room: Effect.Effect<void, unknown> = Effect.void) =>
  Effect.forkScoped(
    Effect.repeat(Effect.delay(Effect.ignore(Effect.andThen(room, once(sql))), INTERVAL), Schedule.forever)
  )
