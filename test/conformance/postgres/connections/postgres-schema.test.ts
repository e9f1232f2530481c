import { readdirSync, readFileSync } from "node:fs"
import { Effect, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "simplan/postgres"
import { describe, expect, it } from "vitest"
import * as Migrations from "../../../../adapters/postgres/migrations/Migrations.ts"
import * as Step from "../../../../adapters/postgres/migrations/Step.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import { type Adapter, jobDue, newSims, on } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

const organization = (id: string) => ({ organizationId: id, name: id, createdAt: 0 })

const organizations = (adapter: Adapter) =>
  Effect.map(
    on(adapter, (storage) => storage.organizations.page({ after: null, limit: 100 })),
    (found) => found.map(({ name }) => name)
  )

describe("Services in several schemas of one database", () => {
  const url = Databases.forEachTest()
  const connect = (schema: string | undefined, alone = false) =>
    Layer.build(Layer.fresh(Postgres.layer({ url: url(), schema, alone, maxConnections: 2 })))

  Tests.scoped("share neither rows nor locks, and each is migrated by itself", function* () {
    // One of them is alone on its schema, and two start at once on another.
    const [first, second, third] = yield* Effect.all(
      [connect(undefined), connect("other", true), connect("select"), connect("select")],
      { concurrency: "unbounded" }
    )
    yield* on(first, (storage) => storage.commit({ organizations: [organization("first")] }))
    yield* on(second, (storage) => storage.commit({ organizations: [organization("second")], clock: 2 }))
    yield* on(second, (storage) => storage.sims.import(newSims("second", 0, 3)))
    yield* on(third, (storage) => storage.ready)
    expect(yield* Effect.all([first, second, third].map(organizations))).toEqual([["first"], ["second"], []])
    expect(yield* on(first, (storage) => storage.virtualClock)).toBeNull()
    const sql = yield* Effect.provide(SqlClient.SqlClient, second)
    const schemas = yield* sql<{ readonly schema: string; readonly count: number }>`
        select table_schema as schema, count(*)::int as count from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') group by 1 order by 1`
    expect(schemas.map(({ schema }) => schema)).toEqual(["other", "select", "simplan"])
    expect(new Set(schemas.map(({ count }) => count)).size).toBe(1)
  })

  Tests.scoped("do not notify each other, while two processes of one do", function* () {
    const [own, ownToo, other, otherToo] = yield* Effect.all([
      connect("own"),
      connect("own"),
      connect("other"),
      connect("other")
    ])
    const subscribe = Effect.fnUntraced(function* (adapter: Adapter) {
      const received: Array<number | null> = []
      const scope = yield* Effect.scope
      const watch = on(adapter, (storage) =>
        Effect.provideService(
          storage.watch(({ jobsDueAt }) => void received.push(jobsDueAt)),
          Scope.Scope,
          scope
        )
      )
      yield* watch
      return received
    })
    const put = (adapter: Adapter, dueAt: number) =>
      on(adapter, (storage) => storage.commit({ jobs: { put: [{ job: jobDue(dueAt), lease: null }] } }))
    // Listeners come up in the background.
    const until = (received: ReadonlyArray<number | null>, adapter: Adapter, dueAt: number) =>
      Effect.gen(function* () {
        while (!received.includes(dueAt)) yield* Effect.delay(put(adapter, dueAt), 50)
      })
    const [byOwn, byOther] = yield* Effect.all([subscribe(ownToo), subscribe(otherToo)])
    yield* put(own, 1)
    yield* until(byOwn, own, 1)
    // PostgreSQL delivers in the order of the commits, so this one comes after any other.
    yield* put(other, 2)
    yield* until(byOther, other, 2)
    expect(byOther).not.toContain(1)
  })

  Tests.scoped("give a host the client as it is: its own statements stay as they are written", function* () {
    const adapter = yield* connect("mine")
    const sql = yield* Effect.provide(SqlClient.SqlClient, adapter)
    const [row] = yield* sql<{ readonly text: string }>`select 'simplan.sim' as text`
    expect(row?.text).toBe("simplan.sim")
    const rolledBack = sql.withTransaction(
      Effect.andThen(
        on(adapter, (storage) => storage.commit({ organizations: [organization("o")] })),
        Effect.fail("the host's order fails")
      )
    )
    yield* Effect.flip(Effect.provide(rolledBack, adapter))
    expect(yield* organizations(adapter)).toEqual([])
  })
})

it("statements name the schema in no text of theirs, but in names of tables and statements that they execute", () => {
  const printed = new URL("../printed/", import.meta.url)
  const recorded = readdirSync(printed)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => readFileSync(new URL(name, printed), "utf8"))
  const made = Migrations.numbered(Migrations.all).flatMap(({ steps }) => steps.flatMap(Step.statements))
  const literals = [...recorded, ...made].flatMap((text) => text.match(/'(?:[^']|'')*'/g) ?? [])
  expect(literals.length).toBeGreaterThan(80)
  expect(recorded.length).toBeGreaterThan(80)
  const mayName = (literal: string): boolean => /^'(?:simplan\.\w+'$|(?:alter table|delete from|grant) )/.test(literal)
  expect(literals.filter((literal) => literal.includes("simplan.") && !mayName(literal))).toEqual([])
})
