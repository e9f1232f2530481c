/**
 * The statements that are sent where tables are distributed over several servers, on one server
 * that has the extension's list of tables: they are right there too.
 */
import { Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import { StorageSuite } from "simplan/testing"
import { expect } from "vitest"
import * as Distribution from "../../../../adapters/postgres/migrations/Distribution.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import { admin, connect } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

const url = Databases.forEachTest()

/** Makes the list, with these tables of the schema. */
const place = (sql: SqlClient.SqlClient, tables: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* sql`set allow_system_table_mods = on`.unprepared
    yield* sql`
      create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char")`.unprepared
    for (const table of tables) {
      yield* sql`insert into pg_dist_partition values (${`simplan.${table}`}::text::regclass, 'h', 's')`
    }
  })

Tests.scoped(
  "the storage's suite passes with the statements for distributed tables",
  function* () {
    yield* Effect.scoped(connect(url()))
    yield* place(yield* admin(url()), Distribution.tables)
    const adapter = yield* connect(url(), 2)
    const failed: Array<string> = []
    for (const { effect, name } of StorageSuite.cases()) {
      if (Exit.isFailure(yield* Effect.exit(Effect.provide(effect, adapter)))) failed.push(name)
    }
    expect(failed).toEqual([])
  },
  480_000
)

Tests.scoped(
  "a service does not start where only some tables are distributed, or one that must be whole",
  function* () {
    yield* Effect.scoped(connect(url()))
    const sql = yield* admin(url())
    yield* place(sql, Distribution.tables.slice(1))
    const start = Effect.flip(Effect.scoped(connect(url())))
    expect((yield* start).message).toMatch(
      /^Some tables of the schema simplan are distributed, but not organization: run/
    )
    for (const table of ["organization", "api_key"]) {
      yield* sql`insert into pg_dist_partition values (${`simplan.${table}`}::text::regclass, 'h', 's')`
    }
    const error = yield* start
    expect(error).toBeInstanceOf(Storage.StorageError)
    expect(error.message).toMatch(/^The schema simplan has api_key distributed, which must be whole/)
  }
)
