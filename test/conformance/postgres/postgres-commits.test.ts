import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { type Adapter, allSims, connect, iccidOf, newSim, newSims, on, touch } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const org = "org"

const shuffled = <A>(values: ReadonlyArray<A>): Array<A> =>
  values
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)

const sql = <A, E>(adapter: Adapter, use: (client: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.provide(SqlClient.SqlClient.use(use), adapter)

describe("Commits of several processes on one PostgreSQL", () => {
  const url = Databases.forEachTest()

  Tests.scoped("of many rows in any order neither deadlock nor lose a write", function* () {
    const adapters = yield* Effect.all([connect(url()), connect(url())])
    yield* on(adapters[0], (storage) => storage.sims.import(newSims(org, 0, 40)))

    const attempt = (adapter: Adapter) =>
      Effect.gen(function* () {
        const sims = shuffled(yield* allSims(adapter, org)).slice(0, 25)
        return yield* Effect.result(on(adapter, (storage) => storage.commit({ sims: sims.map(touch) })))
      })
    const started = Date.now()
    const results = yield* Effect.all(
      Array.from({ length: 160 }, (_, index) => attempt(adapters[index % 2] ?? adapters[0])),
      { concurrency: 16 }
    )
    // Each deadlock costs the second after which PostgreSQL checks for one.
    expect(Date.now() - started).toBeLessThan(25_000)
    const failures = results.filter(Result.isFailure).map((result) => result.failure)
    for (const failure of failures) expect(failure).toEqual(new Storage.Conflict({ on: "version" }))
    const made = results.length - failures.length
    expect(made).toBeGreaterThan(0)
    const writes = (yield* allSims(adapters[0], org)).reduce((sum, sim) => sum + sim.version - 1, 0)
    expect(writes).toBe(made * 25)
  })

  Tests.scoped("imports at once of the same ICCIDs bring each in once and answer the others who has it", function* () {
    const adapters = yield* Effect.all([connect(url()), connect(url()), connect(url())])
    const outcomes = yield* Effect.all(
      adapters.map((adapter, index) =>
        on(adapter, (storage) =>
          storage.sims.import(shuffled(Array.from({ length: 300 }, (_, number) => newSim(`org-${index}`, number))))
        )
      ),
      { concurrency: "unbounded" }
    )
    const owners = new Map<string, string>()
    for (const [index, { imported }] of outcomes.entries()) {
      for (const iccid of imported) {
        expect(owners.has(iccid)).toBe(false)
        owners.set(iccid, `org-${index}`)
      }
    }
    expect(owners.size).toBe(300)
    for (const { taken } of outcomes) {
      for (const { iccid, organizationId } of taken) expect(organizationId).toBe(owners.get(iccid))
    }
    expect(outcomes.reduce((sum, { imported, taken }) => sum + imported.length + taken.length, 0)).toBe(900)
  })

  Tests.scoped("inside a host's transaction, stand and fall with it", function* () {
    const adapter = yield* connect(url())
    const other = yield* connect(url())
    const organization = (name: string): Storage.Commit => ({
      organizations: [{ organizationId: org, name, createdAt: 0 }]
    })
    const read = (from: Adapter) => on(from, (storage) => storage.organizations.get(org))

    yield* Effect.exit(
      sql(adapter, (client) =>
        client.withTransaction(
          Effect.gen(function* () {
            yield* on(adapter, (storage) => storage.commit(organization("undone")))
            expect((yield* read(adapter))?.name).toBe("undone")
            expect(yield* read(other)).toBeNull()
            return yield* Effect.fail("the host aborts")
          })
        )
      )
    )
    expect(yield* read(adapter)).toBeNull()

    yield* on(adapter, (storage) => storage.sims.import(newSims(org, 0, 1)))
    const [sim] = yield* allSims(adapter, org)
    if (sim === undefined) throw new Error("nothing was imported")
    yield* sql(adapter, (client) =>
      client.withTransaction(
        Effect.gen(function* () {
          yield* on(adapter, (storage) => storage.commit(organization("kept")))
          const stale = { ...sim, version: sim.version + 7 }
          const failure = yield* Effect.flip(on(adapter, (storage) => storage.commit({ sims: [touch(stale)] })))
          expect(failure).toEqual(new Storage.Conflict({ on: "version" }))
          yield* on(adapter, (storage) => storage.commit({ sims: [touch(sim)] }))
        })
      )
    )
    expect((yield* read(other))?.name).toBe("kept")
    const line = yield* on(other, (storage) => storage.simAggregates.get({ organizationId: org, iccid: iccidOf(0) }))
    expect(line?.sim.version).toBe(2)
  })

  Tests.scoped("take a serialization failure for a conflict", function* () {
    // Begins each statement of a new connection with a snapshot that no other commit may pass.
    const level = "set default_transaction_isolation = 'repeatable read'"
    yield* sql(yield* connect(url()), (client) =>
      client.unsafe(
        `do $$ begin execute format('alter database %I ${level.replaceAll("'", "''")}', current_database()); end $$`
      )
    )
    const adapters = yield* Effect.all([connect(url()), connect(url()), connect(url()), connect(url())])
    yield* on(adapters[0], (storage) => storage.sims.import(newSims(org, 0, 1)))
    for (let round = 1; round <= 20; round++) {
      const [sim] = yield* allSims(adapters[0], org)
      if (sim === undefined) throw new Error("nothing was imported")
      const results = yield* Effect.all(
        adapters.map((adapter) => Effect.result(on(adapter, (storage) => storage.commit({ sims: [touch(sim)] })))),
        { concurrency: "unbounded" }
      )
      const failures = results.filter(Result.isFailure).map((result) => result.failure)
      expect(failures).toHaveLength(adapters.length - 1)
      for (const failure of failures) expect(failure).toEqual(new Storage.Conflict({ on: "version" }))
    }
  })
})
