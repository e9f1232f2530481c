/**
 * Brings a service's schema up to date with the numbered migrations.
 *
 * All of it is one transaction under an advisory lock: any number of processes may start on one database at the same
 * time, and a migration that fails leaves nothing behind.
 */
import { Effect } from "effect"
import { Migrator, type SqlClient } from "effect/sql"
import { SqlClient as Client } from "effect/sql/SqlClient"
import type { DatabaseSchema } from "../database/DatabaseSchema.ts"
import * as initial from "./0001_initial.ts"
import * as simIdentities from "./0002_sim_identities.ts"
import * as deliveryIndexes from "./0003_delivery_indexes.ts"

/** The statements of each migration, which is named by its number. */
const migrations: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0001_initial": initial.statements,
  "0002_sim_identities": simIdentities.statements,
  "0003_delivery_indexes": deliveryIndexes.statements
}

/** The number of the newest migration. */
export const latest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

const createTable = `create table simplan.migration (
  migration_id integer primary key,
  created_at timestamptz not null default now(),
  name text not null
)`

const effects = Object.fromEntries(
  Object.entries(migrations).map(([name, statements]) => [
    name,
    Client.use((sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true }))
  ])
)

/**
 * The migrations with a greater number than `after`, as SQL text for a tool of the host. It is to run as a whole, in one
 * transaction, and leaves nothing for `run` to do.
 */
export const text = (schema: DatabaseSchema, after: number): string => {
  const parts: Array<string> = after === 0 ? [`create schema if not exists ${schema.quoted}`, createTable] : []
  for (const [name, statements] of Object.entries(migrations)) {
    const [number = "", ...words] = name.split("_")
    if (Number(number) <= after) continue
    parts.push(...statements)
    parts.push(`insert into simplan.migration (migration_id, name) values (${Number(number)}, '${words.join("_")}')`)
  }
  return parts.map((statement) => `${schema.text(statement)};\n`).join("\n")
}

/** Runs the migrations that the schema has not had. */
export const run = (client: SqlClient.SqlClient, schema: DatabaseSchema) => {
  const sql = schema.client(client)
  return sql
    .withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(${schema.migrationLock}::bigint)`
        // Asked first, because creating takes a right to create schemas even where nothing is left to create.
        const [found] = yield* sql<{ readonly found: boolean }>`
          select to_regclass(${`${schema.quoted}.migration`}) is not null as found`
        if (found?.found !== true) {
          yield* sql`create schema if not exists ${sql.literal(schema.quoted)}`
          yield* sql.unsafe(createTable)
        }
        yield* Migrator.make({})({ loader: Migrator.fromRecord(effects), table: `${schema.name}.migration` })
      })
    )
    .pipe(Effect.provideService(Client, sql), Effect.asVoid)
}
