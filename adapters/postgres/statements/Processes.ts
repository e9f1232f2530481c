/**
 * The statements about the processes that share the database. They are few, and no two of them write the same row: whoever forgets
 * others leaves out those that are being written.
 */
import { Effect } from "effect"
import { Process, type Storage, type Time } from "simplan/ports"
import type { Database, Row } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"

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
export const keep =
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

export const forget =
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
export const list =
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
