/**
 * A schema that other migrations made is refused in one sentence, and nothing is done to it. One
 * that the migrations of before made is carried over by a script. And the try whether the database
 * takes a write.
 */
import { Effect, Exit, Layer, Redacted, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import * as Postgres from "simplan/postgres"
import { describe, expect, it } from "vitest"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import * as Step from "../../../adapters/postgres/migrations/Step.ts"
import { carryOver, open } from "../../../examples/deploy/carry-over.mjs"
import * as Databases from "../../setup/databases/Databases.ts"
import * as PlantedVersions from "../../setup/databases/PlantedVersions.ts"
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

const schema = Postgres.DatabaseSchema.make(Postgres.DatabaseSchema.DEFAULT)

const instead = "; use the build that made it, or another schema or database"

describe("A schema of another lineage", () => {
  const changes: ReadonlyArray<readonly [what: string, statements: ReadonlyArray<string>, sentence: string]> = [
    [
      "had another migration of the number",
      ["update simplan.migration set name = 'first_steps' where migration_id = 1"],
      "has had a migration 1 of the name first_steps, which is initial here"
    ],
    [
      "had other statements under the same name",
      ["update simplan.migration set digest = 'cafe' where migration_id = 1"],
      "has had another migration 1 (initial)"
    ],
    [
      "lacks one in between",
      ["delete from simplan.migration where migration_id = 1"],
      "has not had migration 1 (initial), but later ones"
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

  onDatabase("is not one that a later build has migrated", function* (sql) {
    yield* started()
    yield* Migrations.run(sql, schema, PlantedVersions.chain)
    // The last of them drops what this build does not use.
    yield* started()
    const known = Migrations.numbered(PlantedVersions.chain)
    expect(yield* sql`select migration_id as number, name, digest from simplan.migration order by 1`).toEqual(
      known.map(({ digest, name, number }) => ({ number, name, digest }))
    )
    const number = Migrations.latest + 2
    yield* sql`update simplan.migration set digest = 'cafe' where migration_id = ${number}::int`
    const { message } = yield* Effect.flip(Migrations.run(sql, schema, PlantedVersions.chain))
    expect(message).toContain(`it has had another migration ${number} (remarked_sims)`)
    yield* started()
  })
})

/** Has a schema as the migrations of before have made it, with rows where they left some. */
const leftAsBefore = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, name: string) {
  const text = Postgres.DatabaseSchema.make(name).text
  yield* started(name)
  const statements = `
    delete from simplan.migration;
    insert into simplan.migration (migration_id, name, digest)
      select n, 'of before', case n when 1 then '8eb2a492e6a21766' when 35 then 'ec4dd28fba8d0ce5' end
      from generate_series(1, 35) n;
    alter table simplan.sim drop column moves, drop column tags, drop column purchase;
    alter table simplan.plan drop column bundle, drop column metadata, drop column price;
    alter table simplan.job drop column awaited_until;
    alter table simplan.audit_entry drop column changed;
    drop table simplan.cost;
    create table simplan.seen_report (
      organization_id text collate "C", report_id text collate "C", received_at bigint, primary key (organization_id, report_id)
    );
    insert into simplan.seen_report values ('o', 'old', 1000), ('o', 'both', 2000);
    insert into simplan.taken_report values ('o', 'both', 2000);
    create function simplan.copy_taken_reports() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger taken_report_copied after insert on simplan.taken_report
      referencing new table as taken for each statement execute function simplan.copy_taken_reports();
    create function simplan.keep_usage_months(kept_from bigint, at bigint) returns void language sql as '';
    create function simplan.keep_audit_entries(kept_from bigint, at bigint) returns text language sql as $$ select 'done' $$;
    create or replace function simplan.keep_partitions(kept text, kept_from bigint, at bigint) returns text language sql
      as $$ select 'of before' $$;
    create table simplan.audit_entry_2000_01 partition of simplan.audit_entry for values from (minvalue) to (946684800000);
    insert into simplan.audit_entry values ('o', 5, 'entry', 'host', 'plan.create', 'p');
    insert into simplan.job (job_id, organization_id, due_at, attempts, created_at, work) values
      ('kept', 'o', 0, 0, 0, '{"_tag":"CancelPackages","release":false}'),
      ('released', 'o', 0, 0, 0, '{"_tag":"CancelPackages","release":true}'),
      ('reviewed', 'o', 0, 0, 0, '{"_tag":"CancelPackages","release":true,"others":"Review"}');
    create index of_the_operator on simplan.sim (sim_id);
    create table simplan.of_the_operator_too (id integer)`
  for (const statement of statements.split(/;\n {4}(?=\S)/)) yield* sql.unsafe(text(statement)).unprepared
})

describe("A schema that the migrations of before have made", () => {
  const carried = (name: string) =>
    Effect.acquireUseRelease(
      Effect.promise(() => open(url())),
      ({ query }) =>
        Effect.tryPromise({
          try: () => carryOver(query, name),
          catch: (error) => (error instanceof Error ? error.message : String(error))
        }),
      ({ close }) => Effect.promise(close)
    )

  const sentence = (name: string) =>
    `The schema ${name} of the database was made by the 35 migrations of before, which are one now: bring it to the last of them with a build that has them, and then run examples/deploy/carry-over.mjs of simplan's repository once`

  for (const name of ["simplan", "mine"]) {
    onDatabase(`is refused in one sentence, carried over once, and is as a new one: ${name}`, function* (sql) {
      yield* leftAsBefore(sql, name)
      expect(yield* refusal(name)).toBe(sentence(name))
      const plan = Postgres.pendingMigrations({ url: Redacted.make(url()), schema: name })
      expect((yield* Effect.flip(plan)).message).toBe(sentence(name))
      expect(yield* carried(name)).toBe(`The schema ${name} is carried over.`)
      yield* started(name)
      expect(yield* carried(name)).toBe(`The schema ${name} has been carried over already.`)
      const quoted = Postgres.DatabaseSchema.make(name)
      const rows = quoted.client(sql)
      expect(yield* rows`select report_id as id from simplan.taken_report order by 1`).toEqual([
        { id: "both" },
        { id: "old" }
      ])
      expect(yield* rows`select entry_id as id, tableoid::regclass::text as part from simplan.audit_entry`).toEqual([
        { id: "entry", part: expect.stringContaining("audit_entry_default") }
      ])
      expect(yield* rows`select job_id as id, work - '_tag' as work from simplan.job order by 1`).toEqual([
        { id: "kept", work: { release: null } },
        { id: "released", work: { release: "Cancel" } },
        { id: "reviewed", work: { release: "Review" } }
      ])
      expect(yield* rows`select simplan.keep_partitions('usage', 0, 0) as step`).not.toEqual([{ step: "of before" }])
      const left = yield* sql`select from pg_namespace where nspname = 'simplan_made_anew'`
      expect(left).toEqual([])
    })
  }

  for (const [what, change, line] of [
    ["lacks a column", "alter table simplan.sim drop column imsi", "- column of sim: "],
    ["has another type", "alter table simplan.plan alter column version type integer", "+ column of plan: "],
    ["lacks an index", "drop index simplan.sim_free", "- index of sim: CREATE INDEX ON simplan.sim USING btree "],
    [
      "has another constraint",
      "alter table simplan.iccid add constraint c check (iccid <> '')",
      "+ constraint of iccid: "
    ],
    ["lacks a trigger", "drop trigger delivery_counted on simplan.delivery", "- trigger of delivery: "],
    ["has had fewer", "delete from simplan.migration where migration_id = 35", "but must have had all 35"]
  ] as const) {
    onDatabase(`is not carried over, and left as it is, where it ${what}`, function* (sql) {
      yield* leftAsBefore(sql, "simplan")
      yield* sql.unsafe(change)
      const before = yield* described(sql)
      expect(yield* Effect.flip(carried("simplan"))).toContain(line)
      expect(yield* described(sql)).toEqual(before)
      expect(yield* refusal()).toBe(sentence("simplan"))
    })
  }

  onDatabase("is refused too where its table of migrations has no digests", function* (sql) {
    yield* leftAsBefore(sql, "simplan")
    yield* sql`alter table simplan.migration drop column digest`
    expect(yield* refusal()).toBe(sentence("simplan"))
  })
})

describe("The migrations", () => {
  onDatabase("make the columns and the functions that their steps say", function* (sql) {
    for (const chain of [Migrations.all, PlantedVersions.upTo(2), PlantedVersions.chain]) {
      yield* Migrations.run(sql, schema, chain)
      const made = yield* sql<{ readonly name: string }>`
          select table_name || '.' || column_name as name from information_schema.columns
          where table_schema = 'simplan' and table_name <> 'migration' and not (
            -- Partitions have the columns of their tables.
            select relispartition from pg_class where oid = format('%I.%I', table_schema, table_name)::regclass
          )
          union all
          select routine_name || '()' as name from information_schema.routines where routine_schema = 'simplan'`
      const said = Step.contents(Migrations.numbered(chain).flatMap(({ steps }) => steps)).filter(Step.isDemanded)
      expect(said.toSorted()).toEqual(made.map(({ name }) => name).sort())
    }
  })

  onDatabase("make the tables, the indexes and the partitions that their steps say", function* (sql) {
    yield* Migrations.run(sql, schema, PlantedVersions.upTo(1))
    // But for partitions by time, and what constraints and partitions have.
    const made = yield* sql<{ readonly name: string }>`
      select relname as name from pg_class
      where relnamespace = 'simplan'::regnamespace and relname !~ '_[0-9]{4}_[0-9]{2}|^migration' and (
        relkind in ('r', 'p') or relkind in ('i', 'I') and not relispartition
          and not exists (select from pg_constraint where conindid = pg_class.oid)
      )`
    const said = Step.contents(Migrations.numbered(PlantedVersions.upTo(1)).flatMap(({ steps }) => steps))
    expect(said.filter((name) => !Step.isDemanded(name)).toSorted()).toEqual(made.map(({ name }) => name).sort())
  })

  it("stay as they are once a release has had them: a change of the schema is another migration", () => {
    const digests = Migrations.numbered(Migrations.all).map(({ digest, number }) => [number, digest.slice(0, 16)])
    expect(digests).toEqual([
      [1, "520b01d60dadafdc"],
      [2, "43cdafc79e6be4e9"],
      [3, "9defd99a1c67fecd"],
      [4, "77d1d8145ee4bbea"],
      [5, "d2271850efb9794b"],
      [6, "247198c761bf3c91"],
      [7, "5e38edfd60d03de3"],
      [8, "9d80a9af0873035d"],
      [9, "70eb5ea8680cb872"],
      [10, "1f62838f13a217e2"],
      [11, "489c090943d57161"],
      [12, "179cf1d463036c25"],
      [13, "be232f4bcaee9741"]
    ])
  })
})

describe("The try of a write", () => {
  // A database that may write no temporary file stands for a disk without room, where that is what
  // a write needs first.
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
