/**
 * The statements that are sent where tables are distributed over several servers, on one server
 * that has the extension's list of tables: they are right there too.
 */
import { Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import { StorageSuite } from "simplan/testing"
import { expect } from "vitest"
import { DatabaseSchema } from "simplan/postgres"
import * as Distribution from "../../../../adapters/postgres/migrations/Distribution.ts"
import * as Migrations from "../../../../adapters/postgres/migrations/Migrations.ts"
import * as Step from "../../../../adapters/postgres/migrations/Step.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import { admin, connect, sending } from "../PostgresWorld.ts"
import { commits } from "../printed/Operations.ts"
import * as Tests from "../../../setup/Tests.ts"

const url = Databases.forEachTest()

const schema = DatabaseSchema.make(DatabaseSchema.DEFAULT)

/** Makes the list, with these tables of the schema, and has the functions as the tables are. */
const place = (sql: SqlClient.SqlClient, tables: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Distribution.replaceFunctions(sql, schema)
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

/** The parts of a commit: the names of its CTEs, with their texts. */
const partsOf = (text: string): ReadonlyArray<readonly [name: string, text: string]> => {
  const [ctes = ""] = text.split(/\)\s*select (?:simplan\.ensure\(|\(select count)/)
  const starts = Array.from(ctes.matchAll(/(?:^\s*with|\),)\s*(\w+) as \(/g), ({ 1: name = "", index }) => ({
    name,
    index
  }))
  return starts.map(({ index, name }, at) => [name, ctes.slice(index, starts[at + 1]?.index)])
}

/** Whether the part names the organization of the rows that it reads or changes as a constant. */
const namesOwner = (part: string, table: string): boolean =>
  part.includes(`${table}.organization_id = $`) ||
  (part.includes(`${table}.organization_id = r."organizationId"`) && /\$\d+::text as "organizationId"/.test(part))

/** What is done in all organizations, and so on all servers. */
const OF_ALL = ["eventHandlers.removed"]

Tests.scoped("each part of a commit names its organization, and insertions have rows of their own", function* () {
  yield* Effect.scoped(connect(url()))
  yield* place(yield* admin(url()), Distribution.tables)
  const { sent, tracer } = sending()
  const found: Array<string> = []
  let parts = 0
  yield* Effect.gen(function* () {
    const adapter = yield* connect(url(), 1)
    const { storage } = yield* Effect.provide(Effect.all({ storage: Storage.Storage }), adapter)
    for (const [name, commit] of Object.entries(commits)) {
      if (OF_ALL.includes(name)) continue
      sent.length = 0
      yield* Effect.exit(storage.commit(commit))
      for (const text of sent.filter((one) => /^\s*with\s/.test(one) && one.includes("simplan."))) {
        const all = partsOf(text)
        const names = all.map(([part]) => part)
        for (const [part, own] of all) {
          parts++
          const inserted = /insert into simplan\.(\w+)/.exec(own)?.[1]
          const read = Array.from(
            own.matchAll(/(?:from|join|update|using) simplan\.(\w+)(?: (known)\b)?/g),
            ([, table = "", alias = table]) => ({ table, alias })
          )
          for (const { alias, table } of read) {
            const isPlaced = Distribution.tables.includes(table) && !["event_handler", "iccid"].includes(table)
            if (isPlaced && !namesOwner(own, alias)) found.push(`${name}: ${part} does not name the one of ${table}`)
          }
          const others = names.filter((other) => other !== part && new RegExp(`(?:from|join) ${other}\\b`).test(own))
          if (inserted !== undefined && others.length > 0)
            found.push(`${name}: ${part} inserts what ${others.join()} has`)
        }
      }
    }
  }).pipe(Effect.withTracer(tracer))
  expect(parts).toBeGreaterThan(60)
  expect(found).toEqual([])
})

Tests.scoped(
  "a service does not start if only some tables are distributed, one that must be whole, or functions are not so",
  function* () {
    yield* Effect.scoped(connect(url()))
    const sql = yield* admin(url())
    yield* place(sql, Distribution.tables.slice(1))
    const start = Effect.flip(Effect.scoped(connect(url())))
    expect((yield* start).message).toMatch(
      /^Some tables of the schema simplan are distributed, but not organization: run/
    )
    const add = (table: string) =>
      sql`insert into pg_dist_partition values (${`simplan.${table}`}::text::regclass, 'h', 's')`
    yield* add("organization")
    for (const step of Migrations.numbered(Migrations.all).flatMap(({ steps }) => steps)) {
      if (step._tag !== "Function" || step.name !== "count_deliveries") continue
      for (const statement of Step.statements(step)) yield* sql.unsafe(statement)
    }
    expect((yield* start).message).toMatch(
      /^Some tables of the schema simplan are distributed, but not the function count_deliveries: run/
    )
    yield* Distribution.replaceFunctions(sql, schema)
    yield* add("api_key")
    const error = yield* start
    expect(error).toBeInstanceOf(Storage.StorageError)
    expect(error.message).toMatch(/^The schema simplan has api_key distributed, which must be whole/)
  }
)
