/**
 * Brings the schema `simplan` up to date with the numbered migrations.
 *
 * All of it is one transaction under an advisory lock: any number of processes may start on one database at the same
 * time, and a migration that fails leaves nothing behind.
 */
import { Effect } from "effect"
import { Migrator, type SqlClient } from "effect/sql"
import { SqlClient as Client } from "effect/sql/SqlClient"
import initial from "./0001_initial.ts"

const migrations = { "0001_initial": initial }

const TABLE = "simplan.migration"

// A number of our own among the database's advisory locks: "simplan" in ASCII.
const LOCK = 0x73_69_6d_70_6c_61_6en

/** The number of the newest migration. */
export const latest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** Runs the migrations that the database has not had. */
export const run = (sql: SqlClient.SqlClient) =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(${LOCK}::bigint)`
        // Asked first, because creating takes a right to create schemas even where nothing is left to create.
        const [found] = yield* sql<{ readonly found: boolean }>`
          select to_regclass(${TABLE}) is not null as found`
        if (found?.found !== true) {
          yield* sql`create schema if not exists simplan`
          yield* sql`create table simplan.migration (
            migration_id integer primary key,
            created_at timestamptz not null default now(),
            name text not null
          )`
        }
        yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: TABLE })
      })
    )
    .pipe(Effect.provideService(Client, sql), Effect.asVoid)
