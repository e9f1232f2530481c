/**
 * The statements about what the whole service has once: the catalogue, the virtual clock and its
 * upkeep; and about the processes that share the database. Processes are few, and no two of them
 * write the same row: whoever forgets others leaves out those that are being written.
 */
import { Effect } from "effect"
import { type Catalogue, type Storage, Process, type Time } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Migrations from "../migrations/Migrations.ts"
import * as Columns from "../sql/Columns.ts"

/** Replaces the catalogue; of the version, if one is given. */
export const putCatalogue = (sql: Sql, catalogue: Catalogue.Catalogue, version: number | null): Columns.Clause => ({
  ctes: [
    sql`catalogue_put as (
      insert into simplan.catalogue as stored (version, value)
      select 1, (${JSON.stringify(catalogue)}::text)::json
      where coalesce(${version}::bigint, 0) = 0 or exists (select from simplan.catalogue)
      on conflict (singleton) do update set version = stored.version + 1, value = excluded.value
      where stored.version = coalesce(${version}::bigint, stored.version)
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from catalogue_put) = 1, 'version')`
})

export const catalogueVersion = (database: Database) =>
  Effect.map(
    database.row((sql) => sql<Row<number>>`select to_json(catalogue.version)::text as value from simplan.catalogue`),
    (version) => version ?? 0
  )

export const catalogue = (database: Database) =>
  database.row((sql) => sql<Row<Catalogue.Catalogue>>`select catalogue.value::text as value from simplan.catalogue`)

/** Sets the instant at which a virtual clock stands. */
export const putClock = (sql: Sql, instant: number): Columns.Clause => ({
  ctes: [
    sql`clock_put as (
      insert into simplan.clock (instant) values (${instant}::bigint)
      on conflict (singleton) do update set instant = excluded.instant
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from clock_put)`
})

export const clock = (database: Database) =>
  database.row((sql) => sql<Row<number>>`select to_json(clock.instant)::text as value from simplan.clock`)

/** Forgets idempotency records, settled commands and sessions from before these instants. */
export const purge =
  (database: Database): Storage.Service["purge"] =>
  (older) =>
    Effect.map(
      database.write(
        (sql) => sql<Row<number>>`
          with idempotency_gone as (
            delete from simplan.idempotency where idempotency.created_at < ${older.idempotencyBefore}::bigint
            returning 1
          ), command_gone as (
            delete from simplan.command where command.settled_at < ${older.commandsBefore}::bigint
            returning 1
          ), session_gone as (
            delete from simplan.session where session.ends_at < ${older.sessionsBefore}::bigint
            returning 1
          )
          select to_json(
            (select count(*) from idempotency_gone) + (select count(*) from command_gone)
            + (select count(*) from session_gone)
          )::text as value`
      ),
      ([gone]) => gone ?? 0
    )

/** Tries whether the database takes a write and has room: its function `probe_write` says how. */
export const probe =
  (database: Database) =>
  (at: number): Effect.Effect<void, Storage.StorageError> =>
    Effect.asVoid(
      database.write((sql) => sql<Row<true>>`select to_json(simplan.probe_write(${at}::bigint))::text as value`)
    )

/** Whether the database answers and has had every migration. */
export const ready = (database: Database): Effect.Effect<boolean, Storage.StorageError> =>
  Effect.map(
    database.row(
      (sql) => sql<Row<true>>`
        select to_json(true)::text as value from simplan.migration where migration.migration_id = ${Migrations.latest}::int`
    ),
    (row) => row !== null
  )

const columns = Columns.of<Process.Process>(
  {
    processId: "text",
    version: "text",
    host: "text",
    runs: "text[]",
    startedAt: "bigint",
    beatAt: "bigint",
    heldJobs: "integer",
    heldDeliveries: "integer",
    rates: "json"
  },
  ["processId"]
)

const put = Columns.insert("process_put", "process", columns, Columns.replacing(columns))

/** Keeps what a process says of itself, and forgets those that have been silent. */
export const keepProcess =
  (database: Database) =>
  ({
    process,
    silentSince
  }: {
    readonly process: Process.Process
    readonly silentSince: Time.Instant
  }): Effect.Effect<void, Storage.StorageError> =>
    Effect.asVoid(
      database.write((sql) => {
        const { ctes, outcome } = put(sql, [process])
        return sql<Row<number>>`
          with gone as (
            delete from simplan.process
            where process.process_id in (
              select silent.process_id
              from simplan.process silent
              where silent.beat_at < ${silentSince}::bigint and silent.process_id <> ${process.processId}
              for update skip locked
            )
          ), ${sql.csv(ctes)}
          select to_json(${outcome})::text as value`
      })
    )

export const forgetProcess =
  (database: Database) =>
  (processId: string): Effect.Effect<void, Storage.StorageError> =>
    Effect.asVoid(
      database.write(
        (sql) => sql<Row<string>>`
          delete from simplan.process where process.process_id = ${processId}
          returning to_json(process_id)::text as value`
      )
    )

/** Those that have said something since an instant. */
export const processes =
  (database: Database) =>
  ({ since }: { readonly since: Time.Instant }) =>
    database.rows(
      (sql) => sql<Row<Process.Process>>`
        select (${sql.literal(Columns.json("process", columns))})::text as value
        from simplan.process
        where process.beat_at >= ${since}::bigint
        order by process.started_at, process.process_id
        limit ${Process.SHOWN}::int`
    )
