/**
 * A schema that other migrations made is refused in one sentence, and nothing is done to it. And the try whether the
 * database takes a write.
 */
import { Effect, Exit, Layer, Redacted, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import * as Postgres from "simplan/postgres"
import { describe, expect, it } from "vitest"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { admin, connect, on } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

/** The sentence that a start is refused with; null where it is not. */
const refusal = (schema?: string) =>
  Effect.match(Effect.scoped(Layer.build(Layer.fresh(Postgres.layer({ url: Redacted.make(url()), schema })))), {
    onSuccess: () => null,
    onFailure: ({ message }) => message
  })

const started = (schema?: string) => Effect.asVoid(Effect.map(refusal(schema), (found) => expect(found).toBeNull()))

/** What the schemas have, data but for the counters of sequences included. */
const described = (sql: SqlClient.SqlClient) =>
  sql`
    select table_schema || '.' || table_name || '.' || column_name as line from information_schema.columns
    where table_schema not in ('pg_catalog', 'information_schema') order by 1`

/** A test over a connection to the database. */
const onDatabase = Tests.given(
  Effect.suspend(() => admin(url())),
  (test) => Effect.runPromise(Effect.scoped(test))
)

const instead = "; use the build that made it, or another schema or database"

describe("A schema of another lineage", () => {
  const changes: ReadonlyArray<readonly [what: string, statements: ReadonlyArray<string>, sentence: string]> = [
    [
      "had another migration of the number",
      ["update simplan.migration set name = 'first_steps' where migration_id = 2"],
      "has had a migration 2 of the name first_steps, which is sim_identities here"
    ],
    [
      "had other statements under the same name",
      ["update simplan.migration set digest = 'cafe' where migration_id = 1"],
      "has had another migration 1 (initial)"
    ],
    [
      "lacks one in between",
      ["delete from simplan.migration where migration_id = 2"],
      "has not had migration 2 (sim_identities), but later ones"
    ],
    [
      "is from before digests were kept, and lacks a table",
      ["alter table simplan.migration drop column digest", "drop table simplan.encryption_key"],
      "has had these migrations, but has no encryption_key.key_id"
    ],
    [
      "lacks a table",
      ["drop table simplan.encryption_key"],
      "has had these migrations, but has no encryption_key.key_id"
    ],
    ["lacks a column", ["alter table simplan.sim drop column imsi"], "has had these migrations, but has no sim.imsi"],
    ["lacks a function", ["drop function simplan.ensure"], "has had these migrations, but has no ensure()"],
    [
      "has tables and no table of migrations",
      ["drop table simplan.migration"],
      "has had no migration, but has organization"
    ],
    [
      "has tables and no row of a migration",
      ["delete from simplan.migration"],
      "has had no migration, but has organization"
    ],
    [
      "keeps the migrations of another tool",
      ["drop table simplan.migration", "create table simplan.migration (id serial primary key, name text)"],
      "has something else of the name migration"
    ]
  ]

  for (const [what, statements, sentence] of changes) {
    onDatabase(`is refused in one sentence and left as it is: it ${what}`, function* (sql) {
      yield* started()
      for (const statement of statements) yield* sql.unsafe(statement)
      const before = yield* described(sql)
      expect(yield* refusal()).toBe(
        `The schema simplan of the database is of another lineage: it ${sentence}${instead}`
      )
      expect(yield* described(sql)).toEqual(before)
    })
  }

  onDatabase("is one that has had no migration, but has something of a name that they use", function* (sql) {
    for (const foreign of ["table plan (id integer)", "view plan as select 1 as id", "domain plan as integer"]) {
      yield* sql`create schema simplan`
      yield* sql.unsafe(`create ${foreign.replace("plan", "simplan.plan")}`)
      expect(yield* refusal()).toBe(
        `The schema simplan of the database is of another lineage: it has had no migration, but has plan${instead}`
      )
      yield* sql`drop schema simplan cascade`
    }
  })

  onDatabase("is not an empty one, nor one with tables of other names", function* (sql) {
    yield* sql`create schema simplan`
    yield* sql`create table simplan.customer (id integer)`
    yield* started()
  })

  onDatabase("is refused in a schema of one's own too, and others of the database are not", function* (sql) {
    yield* started("mine")
    yield* started("other")
    yield* sql`update mine.migration set digest = 'cafe' where migration_id = 1`
    expect(yield* refusal("mine")).toContain("The schema mine of the database is of another lineage")
    yield* started("other")
  })

  onDatabase(
    "is not one from before digests were kept, which then gets them, nor one that a later build has migrated",
    function* (sql) {
      yield* started()
      yield* sql`alter table simplan.migration drop column digest`
      yield* started()
      const kept = yield* sql`select migration_id as number, name, digest from simplan.migration order by 1`
      expect(kept).toEqual(Migrations.all.map(({ digest, name, number }) => ({ number, name, digest })))
      yield* sql`insert into simplan.migration (migration_id, name, digest) values (9999, 'to_come', 'beef')`
      // A later build drops what this one has stopped to use.
      yield* sql`alter table simplan.write_probe drop column at`
      yield* started()
    }
  )
})

describe("The migrations", () => {
  onDatabase("make the columns and the functions that are read from their statements", function* (sql) {
    yield* started()
    const columns = yield* sql<{ readonly name: string }>`
          select table_name || '.' || column_name as name from information_schema.columns
          where table_schema = 'simplan' and table_name <> 'migration' and not (
            -- Partitions have the columns of their tables.
            select relispartition from pg_class where oid = format('%I.%I', table_schema, table_name)::regclass
          )`
    expect(Migrations.columnsAfter(Migrations.latest).toSorted()).toEqual(columns.map(({ name }) => name).sort())
    const functions = yield* sql<{ readonly name: string }>`
          select routine_name || '()' as name from information_schema.routines where routine_schema = 'simplan'`
    const read = Migrations.namesAfter(Migrations.latest).filter((name) => name.endsWith("()"))
    expect(read.toSorted()).toEqual(functions.map(({ name }) => name).sort())
  })

  it("stay as they are once a build has had them: a change of the schema is another migration", () => {
    const digests = Migrations.all.map(({ digest, number }) => [number, digest.slice(0, 16)])
    expect(digests).toEqual([
      [1, "8eb2a492e6a21766"],
      [2, "a589fec458fe6ef5"],
      [3, "b212aa4dc0613193"],
      [4, "7b0831d2c38787e8"],
      [5, "87aad700a59f659f"],
      [6, "46e7f36b7ef37252"],
      [7, "45f27ccea9a325c0"],
      [8, "ba87ea5ee2501226"],
      [9, "c1fa371c11bd67b9"],
      [10, "e0e119a0d846fb5a"],
      [11, "b9b9d7489094b023"],
      [12, "5fa9c2cad0807938"],
      [13, "45c6587802f48b13"],
      [14, "033857f6c0dfab8d"],
      [15, "14a790d6d956eb63"],
      [16, "52a86149651ff334"],
      [17, "896e2495236165c8"],
      [18, "36a7d5ea35ec30bc"],
      [19, "1b2a43fece58c5f3"],
      [20, "0728fe425d49a27e"],
      [21, "efc567b503d0d632"],
      [22, "811fbea78e71dc2e"],
      [23, "2f83cc9c48ea9c80"],
      [24, "a0de08db3552e7ac"],
      [25, "6d251474c22cc434"],
      [26, "a381496e0bf88e58"],
      [27, "2f7cb395fb352d91"],
      [28, "ba25ab0cfbce6131"],
      [29, "fdc0ab7445b40f77"],
      [30, "248ef1bdefcccf1f"],
      [31, "28077af3a6ed80bc"],
      [32, "3299a12bfb3b8623"],
      [33, "5aeaba6a5c5a0d22"],
      [34, "a5c851ecc104c3fa"],
      [35, "ec4dd28fba8d0ce5"]
    ])
  })
})

describe("The try of a write", () => {
  // A database that may write no temporary file stands for a disk without room, where that is what a write needs first.
  for (const [what, setting] of [
    ["has no room", "temp_file_limit = 0"],
    ["is read only", "default_transaction_read_only = on"]
  ] as const) {
    onDatabase(`fails while the database ${what}, although it answers`, function* (sql) {
      yield* Effect.scoped(Effect.flatMap(connect(url()), (adapter) => on(adapter, ({ probe }) => probe(0))))
      const [found] = yield* sql<{ readonly name: string }>`select current_database() as name`
      const adapter = yield* connect(url())
      // Connections that begin from now on have the setting.
      yield* sql.unsafe(`alter database ${found?.name} set ${setting}`)
      yield* sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      const ready = on(adapter, (storage) => storage.ready)
      yield* Effect.retry(ready, { times: 400, schedule: Schedule.spaced("50 millis") })
      expect(Exit.isFailure(yield* Effect.exit(on(adapter, (storage) => storage.probe(0))))).toBe(true)
    })
  }
})
