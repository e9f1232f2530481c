/** The schema `simplan` as an earlier version made it. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"

/** The schema as it was after this migration. */
export const make = (sql: SqlClient.SqlClient, number: number) =>
  Effect.gen(function* () {
    yield* sql`create schema simplan`
    yield* sql`
      create table simplan.migration (
        migration_id integer primary key, created_at timestamptz not null default now(), name text not null, digest text
      )`
    for (const { digest, name, number: of, statements } of Migrations.all.filter((one) => one.number <= number)) {
      for (const statement of statements) yield* sql.unsafe(statement).unprepared
      yield* sql`insert into simplan.migration (migration_id, name, digest) values (${of}, ${name}, ${digest})`
    }
  })
