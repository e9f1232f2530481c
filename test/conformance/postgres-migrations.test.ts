/**
 * An upgrade without downtime: a migration works while the version before it still runs.
 *
 * `statements/<version>.json` has the statements of the storage of each version of the schema, as its conformance suite
 * runs them. Those of the version before the newest must go on working on the newest. Write the newest one's, before
 * another migration is added, with `RECORD_STATEMENTS=1` set for this test.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Effect, Schema, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageSuite } from "simplan/testing"
import { expect, it } from "vitest"
import * as Migrations from "../../adapters/postgres/migrations/Migrations.ts"
import * as Databases from "../setup/Databases.ts"
import { connect } from "./PostgresWorld.ts"

const url = Databases.forEachTest()

const fileOf = (version: number): URL => new URL(`statements/${String(version).padStart(4, "0")}.json`, import.meta.url)

const texts = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))

const recorded = (version: number): ReadonlyArray<string> => texts(readFileSync(fileOf(version), "utf8"))

/** The statements that the suite runs. */
const statements = Effect.gen(function* () {
  const found = new Set<string>()
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => {
        if (name === "db.query.text" && typeof value === "string") found.add(value.replace(/\s+/g, " ").trim())
        attribute(name, value)
      }
      return span
    }
  })
  const all = Effect.gen(function* () {
    const adapter = yield* connect(url(), 1)
    for (const { effect } of StorageSuite.cases()) yield* Effect.provide(effect, adapter)
  })
  yield* Effect.withTracer(all, tracer)
  return [...found].filter((text) => /^(with|select|insert|update|delete) .*simplan\./.test(text)).sort()
})

it("the statements of the version before work on the newest schema, and so do their inserts", () =>
  Effect.gen(function* () {
    const before = Math.max(1, Migrations.latest - 1)
    const adapter = yield* connect(url(), 1)
    const sql = yield* Effect.provide(SqlClient.SqlClient, adapter)
    const old = recorded(before)
    expect(old.length).toBeGreaterThan(80)
    for (const [index, text] of old.entries()) {
      yield* sql.unsafe(`prepare old_${index} as ${text}`).unprepared
      yield* sql.unsafe(`deallocate old_${index}`).unprepared
    }
    // What the version before does not know of must not be asked of its rows.
    const columns = yield* sql<{ readonly name: string }>`
      select columns.table_name || '.' || columns.column_name as name
      from information_schema.columns
      where columns.table_schema = 'simplan' and columns.is_nullable = 'NO'
        and columns.column_default is null and columns.is_identity = 'NO'`
    const told = old.join("\n")
    const unknown = columns.filter(({ name }) => !told.includes(name.split(".")[1] ?? name))
    expect(unknown.map(({ name }) => name).filter((name) => !name.startsWith("migration."))).toEqual([])
  }).pipe(Effect.scoped, Effect.runPromise))

it("the statements of every version before the newest are recorded", () =>
  Effect.gen(function* () {
    if (process.env.RECORD_STATEMENTS === "1") {
      writeFileSync(fileOf(Migrations.latest), `${JSON.stringify(yield* statements, null, 2)}\n`)
    }
    const versions = Array.from({ length: Migrations.latest - 1 }, (_, index) => index + 1)
    expect(versions.filter((version) => !existsSync(fileOf(version)))).toEqual([])
  }).pipe(Effect.scoped, Effect.runPromise))
