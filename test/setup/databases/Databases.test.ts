import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import * as Databases from "./Databases.ts"

const query = (url: string, text: string): Promise<ReadonlyArray<unknown>> =>
  Effect.runPromise(
    PgClient.PgClient.use((client) => client.unsafe(text)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
    )
  )

const exists = async (name: string): Promise<boolean> =>
  (await query(Databases.adminUrl(), `select 1 from pg_database where datname = '${name}'`)).length > 0

describe("the run's PostgreSQL", () => {
  it("is a real server with room for many connections", async () => {
    const [row] = await query(
      Databases.adminUrl(),
      "select current_setting('max_connections')::int as connections, current_setting('server_version_num')::int as version"
    )
    expect(row).toMatchObject({ connections: 200 })
    expect((row as { readonly version: number }).version).toBeGreaterThanOrEqual(160_000)
  })
})

describe("Databases", () => {
  const url = Databases.forEachTest()

  for (const test of ["one test", "the next one"]) {
    it(`gives ${test} an empty database`, async () => {
      await query(url(), "create table mine (id int)")
      expect(await query(url(), "select * from mine")).toEqual([])
    })
  }

  it("drops a database while a connection is open", async () => {
    const database = await Databases.create()
    const sleeping = query(database.url, "select pg_sleep(20)").then(
      () => "finished",
      () => "ended"
    )
    await expect
      .poll(() => query(Databases.adminUrl(), `select 1 from pg_stat_activity where datname = '${database.name}'`))
      .toHaveLength(1)
    await database.drop()
    expect(await sleeping).toBe("ended")
    expect(await exists(database.name)).toBe(false)
  })

  it("drops a scoped database with its scope", async () => {
    const name = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const database = yield* Databases.scoped()
          expect(yield* Effect.promise(() => exists(database.name))).toBe(true)
          return database.name
        })
      )
    )
    expect(await exists(name)).toBe(false)
  })

  it("prepares a template once and copies it", async () => {
    let prepared = 0
    const template = {
      name: "databases_test",
      prepare: async (at: string) => {
        prepared++
        await query(at, "create table plan (id int)")
        await query(at, "insert into plan values (7)")
      }
    }
    const copies = await Promise.all([1, 2, 3].map(() => Databases.create({ template })))
    for (const copy of copies) expect(await query(copy.url, "select id from plan")).toEqual([{ id: 7 }])
    expect(prepared).toBe(1)
    await Promise.all(copies.map((copy) => copy.drop()))
  })
})
