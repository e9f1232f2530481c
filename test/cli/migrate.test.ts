/**
 * `simplan migrate` in a schema of one's own, and its SQL for a migration tool of one's own.
 */
import { readdirSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import pg from "pg"
import { Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { SqlJournal } from "simplan/telco-calls"
import { SqlBooks } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as DatabaseCommands from "../../adapters/cli/commands/DatabaseCommands.ts"
import * as Migrations from "../../adapters/postgres/migrations/Migrations.ts"
import * as Plan from "../../adapters/postgres/migrations/Plan.ts"
import * as Databases from "../setup/databases/Databases.ts"
import * as PlantedVersions from "../setup/databases/PlantedVersions.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

const query = async (connectionString: string, text: string): Promise<ReadonlyArray<unknown>> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query(text)
    return rows ?? []
  } finally {
    // Left open, it would be ended with the database, which nobody here waits for.
    await client.end()
  }
}

/** What a schema has: its columns, indexes and constraints. */
const described = (url: string, schema: string): Promise<ReadonlyArray<unknown>> =>
  query(
    url,
    `select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || coalesce(column_default, '') as line
     from information_schema.columns where table_schema = '${schema}'
     union all select replace(indexdef, '${schema}.', '') from pg_indexes where schemaname = '${schema}'
     union all select conname || ' ' || pg_get_constraintdef(oid)
     from pg_constraint where connamespace = '${schema}'::regnamespace
     order by 1`
  )

describe("simplan migrate", () => {
  inNewDirectory()
  const url = Databases.forEachTest()

  it("prints SQL that makes what it makes, and records it: a service on it has nothing to migrate", async () => {
    const printed = await simplan(["migrate", "--print", "--schema", "printed"])
    expect(printed).toMatchObject({ code: 0, err: "" })
    await query(url(), printed.out)
    const env = { SIMPLAN_DATABASE_URL: url(), SIMPLAN_DATABASE_SCHEMA: "made" }
    expect(await simplan(["migrate"], env)).toMatchObject({ code: 0, err: "" })
    const made = await described(url(), "made")
    expect(made.length).toBeGreaterThan(100)
    expect(made.filter((row) => JSON.stringify(row).includes("telco_journal_pkey"))).toHaveLength(2)
    expect(made.filter((row) => JSON.stringify(row).includes("telco_simulator_book_pkey"))).toHaveLength(2)
    expect(await described(url(), "printed")).toEqual(made)

    const before = await query(url(), "select * from printed.migration")
    const ready = Storage.Storage.use((storage) => Effect.andThen(storage.commit({ clock: 7 }), storage.ready))
    await Effect.runPromise(Effect.provide(ready, Layer.fresh(Postgres.layer({ url: url(), schema: "printed" }))))
    expect(await query(url(), "select * from printed.migration")).toEqual(before)
    expect(before).toMatchObject(Migrations.all.map(({ name }, index) => ({ migration_id: index + 1, name })))
    expect(await query(url(), "select instant::int as instant from printed.clock")).toEqual([{ instant: 7 }])
  })

  it("prints the schema of the setting, else simplan, without a database", async () => {
    const env = { SIMPLAN_DATABASE_URL: "postgres://127.0.0.1:1/none" }
    expect((await simplan(["migrate", "--print"], env)).out).toContain("create table simplan.sim (")
    const set = await simplan(["migrate", "--print"], { ...env, SIMPLAN_DATABASE_SCHEMA: "order" })
    expect(set.out).toContain(`where nspname = 'order') then create schema "order"; end if;`)
    expect(set.out).not.toContain("simplan.")
    const beside = [SqlBooks.migration("order"), SqlJournal.migration("order")]
    expect([Postgres.migrations({ schema: "order" }), ...beside].join("\n").trimEnd()).toBe(set.out.trimEnd())
    expect(Postgres.migrations({ after: Migrations.latest })).toBe("")
  })

  it("places tables on several servers only where the database has an extension for it", async () => {
    const env = { SIMPLAN_DATABASE_URL: url() }
    for (const flags of [["--distribute"], ["--distribute", "--plan"]]) {
      const refused = await simplan(["migrate", ...flags], env)
      expect(refused.code).not.toBe(0)
      expect(refused.err).toContain("has not the extension Citus, which distributes tables: create extension citus")
    }
    const embedded = await simplan(["migrate", "--distribute"], { SIMPLAN_DATABASE_URL: "pglite://embedded" })
    expect(embedded.err).toContain("An embedded database has one server")
  })

  it("says what is left to do, and changes nothing", async () => {
    const env = { SIMPLAN_DATABASE_URL: url(), SIMPLAN_DATABASE_SCHEMA: "first" }
    expect(await simplan(["migrate", "--plan"], env)).toMatchObject({
      code: 0,
      out: "The database has no tables yet: they are made within seconds.\n"
    })
    expect(await described(url(), "first").catch(() => [])).toEqual([])
    expect(await simplan(["migrate"], env)).toMatchObject({ code: 0 })
    const made = await described(url(), "first")
    expect(await simplan(["migrate", "--plan"], env)).toMatchObject({ code: 0, out: "The database is up to date.\n" })
    expect(await described(url(), "first")).toEqual(made)
    await query(url(), "update first.migration set digest = 'cafe'")
    expect(await simplan(["migrate", "--plan"], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("it has had another migration 1 (initial)")
    })
    expect((await simplan(["migrate", "--plan"])).out).toContain("An embedded database is one process's alone")
  })

  it("prints a line for each step of later versions, with what it blocks", async () => {
    const schema = Postgres.DatabaseSchema.make("first")
    await query(url(), Postgres.migrations({ schema: "first" }))
    const pending = await Effect.runPromise(
      PgClient.PgClient.use((sql) => Plan.of(sql, schema, PlantedVersions.chain)).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(url()) }))
      )
    )
    const lines = pending.flatMap(DatabaseCommands.linesOf)
    expect(lines.slice(0, 3)).toEqual([
      `${Migrations.latest + 1} remarks`,
      "  adds remark, remarks; blocks reads and writes of sim for < 1 s",
      "  creates the table remark"
    ])
    expect(lines).toContain("  changes rows; goes over sim (0 rows, 1 MB) in < 1 s")
    expect(lines).toContain(
      "  creates the index sim_remarks; goes over sim (0 rows, 1 MB) in < 1 s; blocks writes of sim for < 1 s"
    )
  })

  it("prints SQL that brings a schema of an earlier version up to date", async () => {
    const { chain } = PlantedVersions
    const text = (name: string, after: number) => Migrations.text(Postgres.DatabaseSchema.make(name), after, chain)
    await query(url(), Postgres.migrations({ schema: "first" }))
    await query(url(), text("first", Migrations.latest))
    await query(url(), text("newest", 0))
    expect(await described(url(), "first")).toEqual(await described(url(), "newest"))
    const named = await query(url(), "select name from first.migration order by migration_id")
    expect(named).toEqual(chain.map(({ name }) => ({ name })))
    const env = { SIMPLAN_DATABASE_URL: url(), SIMPLAN_DATABASE_SCHEMA: "first" }
    expect(await simplan(["migrate"], env)).toMatchObject({ code: 0, err: "" })
  })

  it("refuses variables that are no settings, and says that it does not read a DATABASE_URL", async () => {
    const misspelt = { SIMPLAN_DATABSE_URL: url(), SIMPLAN_DATABASE_SCHEME: "mine", SIMPLAN_PORT: "x" }
    const refused = await simplan(["migrate"], misspelt)
    expect(refused.code).toBe(1)
    expect(refused.err.split("\n")).toEqual([
      expect.stringContaining('SIMPLAN_PORT is "x", but must be a port'),
      "SIMPLAN_DATABASE_SCHEME is no setting: SIMPLAN_DATABASE_SCHEMA is the nearest.",
      "SIMPLAN_DATABSE_URL is no setting: SIMPLAN_DATABASE_URL is the nearest.",
      ""
    ])
    expect(readdirSync(".")).toEqual([])
    expect(await simplan(["migrate", "--print"], { SIMPLAN_DATABASE_SCHEME: "mine" })).toMatchObject({
      code: 1,
      out: "",
      err: "SIMPLAN_DATABASE_SCHEME is no setting: SIMPLAN_DATABASE_SCHEMA is the nearest.\n"
    })
    const theirs = await simplan(["migrate"], { DATABASE_URL: url() })
    expect(theirs.err).toBe(
      "DATABASE_URL is set and is not read: the data are where SIMPLAN_DATABASE_URL says, which is not set.\n"
    )
    expect(theirs.out).toBe("The database at pglite://./.simplan/data is up to date.\n")
  })

  it("refuses a name that no schema may have", async () => {
    const sentence = /schema is "Mine", but must be a name of 1 to 63 lower-case letters, digits and underscores/
    expect(await simplan(["migrate", "--print", "--schema", "Mine"])).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(sentence)
    })
    expect(() => Postgres.migrations({ schema: "Mine" })).toThrow(sentence)
    const set = await simplan(["migrate"], { SIMPLAN_DATABASE_SCHEMA: "Mine" })
    expect(set).toMatchObject({
      code: 1,
      err: expect.stringContaining('SIMPLAN_DATABASE_SCHEMA is "Mine", but must be')
    })
  })
})
