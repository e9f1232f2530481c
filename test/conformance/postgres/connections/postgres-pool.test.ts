/**
 * The storage over what a host has already: a `Pool` of the package `pg`, and a client of
 * `@effect/sql-pg`.
 */
import { createServer } from "node:net"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Exit, Layer, Redacted, Schedule, String as Strings } from "effect"
import { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { describe, expect } from "vitest"
import * as Failure from "../../../../adapters/postgres/connection/Failure.ts"
import * as Session from "../../../../adapters/postgres/connection/Session.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import { type Adapter, allSims, connect, iccidOf, jobDue, newSims, on, over, poolOf, touch } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

const organization = (id: string) => ({ organizationId: id, name: id, createdAt: 0 })

const names = (adapter: Adapter) =>
  Effect.map(
    on(adapter, (storage) => storage.organizations.page({ after: null, limit: 100 })),
    (found) => found.map(({ name }) => name)
  )

/** Ends when both were notified of a job that the other one has put. */
const notifyEachOther = (one: Adapter, other: Adapter) =>
  Effect.gen(function* () {
    const receives = (to: Adapter, from: Adapter, dueAt: number) =>
      Effect.gen(function* () {
        const received: Array<number | null> = []
        const storage = yield* Effect.provide(Storage.Storage, to)
        yield* storage.watch(({ jobsDueAt }) => void received.push(jobsDueAt))
        const put = on(from, (storage) => storage.commit({ jobs: { put: [{ job: jobDue(dueAt), lease: null }] } }))
        yield* put
        // Listeners come up in the background.
        while (!received.includes(dueAt)) yield* Effect.delay(put, 50)
      })
    yield* receives(one, other, 1)
    yield* receives(other, one, 2)
  })

Tests.scoped(
  "sessions that share a connection open one in place of a lost one, however many of them notice its loss",
  function* () {
    let opened = 0
    let isLost = false
    const open = yield* Session.shared(
      Effect.sync((): Session.Session => {
        const number = ++opened
        return {
          query: () => (isLost && number === 1 ? Effect.fail(Failure.silence(1)) : Effect.succeed([{ number }])),
          listen: () => Effect.never,
          lost: Effect.never
        }
      })
    )
    const one = yield* open
    const other = yield* open
    isLost = true
    yield* Effect.flip(one.query("select 1"))
    const next = yield* open
    expect(yield* next.query("select 1")).toEqual([{ number: 2 }])
    yield* Effect.flip(other.query("select 1"))
    expect(yield* (yield* open).query("select 1")).toEqual([{ number: 2 }])
  }
)

describe("A storage over a host's pool of pg", () => {
  const url = Databases.forEachTest()

  Tests.scoped("fails where the host keeps every connection of the pool, and leaves none of its own", function* () {
    const pool = yield* poolOf({ connectionString: url(), max: 1 })
    const held = yield* Effect.promise(() => pool.connect())
    const built = Layer.build(Layer.fresh(Postgres.layer({ pool, waitLimit: "1 second" })))
    const failure = yield* Effect.timeout(Effect.flip(Effect.scoped(built)), "20 seconds")
    expect(failure).toBeInstanceOf(Storage.StorageError)
    held.release()
    const { rows } = yield* Effect.promise(() => pool.query("select 1 as one"))
    expect(rows).toEqual([{ one: 1 }])
  })

  Tests.scoped("takes its connections from the pool and one beside it, and leaves the pool open", function* () {
    const pool = yield* poolOf({ connectionString: url(), max: 3, application_name: "host" })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const adapter = yield* over(pool, "esim")
        yield* on(adapter, (storage) => storage.sims.import(newSims("o", 0, 200)))
        const sims = yield* allSims(adapter, "o")
        expect(sims.map(({ iccid }) => iccid)).toEqual(Array.from({ length: 200 }, (_, index) => iccidOf(index)))
        // Many at once: they are batched, and wait for each other in the pool.
        yield* Effect.forEach(sims, (sim) => on(adapter, (storage) => storage.commit({ sims: [touch(sim)] })), {
          concurrency: "unbounded"
        })
        const aggregates = yield* Effect.forEach(
          sims,
          ({ iccid }) => on(adapter, (storage) => storage.simAggregates.get({ organizationId: "o", iccid })),
          { concurrency: "unbounded" }
        )
        expect(aggregates.map((found) => found?.sim.version)).toEqual(sims.map(({ version }) => version + 1))
        const [first] = sims
        if (first === undefined) throw new Error("There is no SIM")
        const conflict = yield* Effect.flip(on(adapter, (storage) => storage.commit({ sims: [touch(first)] })))
        expect(conflict).toEqual(new Storage.Conflict({ on: "version" }))
        const { rows } = yield* Effect.promise(() =>
          pool.query("select count(*)::int as count from pg_stat_activity where application_name = 'host'")
        )
        expect(rows[0].count).toBeLessThanOrEqual(4)
      })
    )
    expect(pool.ended).toBe(false)
    expect((yield* Effect.promise(() => pool.query("select 1 as one"))).rows).toEqual([{ one: 1 }])
    expect(pool.idleCount).toBe(pool.totalCount)
  })

  Tests.scoped("reads its rows whatever types the host has set in pg", function* () {
    const types = { getTypeParser: () => (value: unknown) => `the host's ${value}` }
    const adapter = yield* over(yield* poolOf({ connectionString: url(), types }))
    yield* on(adapter, (storage) => storage.commit({ organizations: [organization("ö \" \\ '")], clock: 5 }))
    expect(yield* names(adapter)).toEqual(["ö \" \\ '"])
    expect(yield* on(adapter, (storage) => storage.virtualClock)).toBe(5)
    expect(yield* on(adapter, (storage) => storage.catalogues.version)).toBe(0)
  })

  Tests.scoped(
    "joins transactions of its own client, and goes on after one that failed or was interrupted",
    function* () {
      const pool = yield* poolOf({ connectionString: url(), max: 2 })
      const adapter = yield* over(pool)
      const sql = yield* Effect.provide(SqlClient.SqlClient, adapter)
      const commit = (id: string) => on(adapter, (storage) => storage.commit({ organizations: [organization(id)] }))
      const within = <A, E>(effect: Effect.Effect<A, E, never>) => Effect.provide(sql.withTransaction(effect), adapter)
      expect(yield* Effect.flip(within(Effect.andThen(commit("lost"), Effect.fail("no"))))).toBe("no")
      yield* within(Effect.andThen(commit("kept"), sql`create table host_order (id text)`))
      for (let times = 0; times < 4; times++) {
        yield* Effect.timeoutOption(sql`select pg_sleep(60)`, 50)
        yield* Effect.exit(within(Effect.andThen(sql`select 1 / 0`, commit("after an error"))))
      }
      yield* commit("later")
      expect(yield* names(adapter)).toEqual(["kept", "later"])
      expect(pool.waitingCount).toBe(0)
    }
  )

  Tests.scoped(
    "notifies processes that have the URL, and is notified by them, also after its connections were cut",
    function* () {
      const pool = yield* poolOf({ connectionString: url(), max: 2 })
      const adapter = yield* over(pool)
      const other = yield* connect(url(), 1)
      yield* notifyEachOther(adapter, other)
      const alone = Layer.build(Layer.fresh(Postgres.layer({ url: url(), alone: true })))
      expect((yield* Effect.flip(alone)).message).toContain("other processes are on it")
      yield* Effect.promise(() =>
        pool.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )
      )
      const isReady = on(adapter, (storage) => storage.ready)
      yield* Effect.retry(isReady, { times: 100, schedule: Schedule.spaced("50 millis") })
      yield* Effect.retry(
        on(adapter, (storage) => storage.commit({ clock: 3 })),
        { times: 100, schedule: Schedule.spaced("50 millis") }
      )
      expect(yield* on(adapter, (storage) => storage.virtualClock)).toBe(3)
    }
  )

  Tests.scoped("fails with one sentence where the pool is ended, or no pool, or leads nowhere", function* () {
    const silent = createServer(() => {})
    yield* Effect.promise(() => new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve)))
    yield* Effect.addFinalizer(() => Effect.sync(() => void silent.close()))
    const address = silent.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const layerOf = (options: object): Layer.Layer<Postgres.Provided, Storage.StorageError> =>
      Reflect.apply(Postgres.layer, undefined, [options])
    const failure = (options: object) =>
      Effect.map(Effect.exit(Effect.scoped(Layer.build(layerOf(options)))), (exit) =>
        Exit.isFailure(exit) ? String(exit.cause) : "it came up"
      )
    const ended = yield* poolOf({ connectionString: url() })
    yield* Effect.promise(() => ended.end())
    const sentences = yield* Effect.all(
      [
        failure({ pool: yield* poolOf({ host: "127.0.0.1", port: 1, password: "hunter2" }) }),
        failure({ pool: yield* poolOf({ host: "127.0.0.1", port, password: "hunter2" }) }),
        failure({ pool: ended }),
        failure({ pool: {} }),
        failure({ pool: ended, url: url() }),
        failure({ client: ended }),
        failure({ pool: ended, maxConnections: 3 })
      ],
      { concurrency: "unbounded" }
    )
    const expected = [
      /pool names 127\.0\.0\.1:1, where no PostgreSQL can be reached/,
      /pool names 127\.0\.0\.1:\d+, where no PostgreSQL can be reached.*4000 ms/,
      /Cannot use a pool after calling end on the pool/,
      /pool is an object, but must be a Pool of the package pg/,
      /url and pool are given/,
      /client is an object, but must be a PgClient/,
      /maxConnections is given, but must not be beside pool/
    ]
    for (const [index, sentence] of sentences.entries()) {
      expect(sentence).toMatch(expected[index] ?? /^$/)
      expect(sentence).not.toContain("hunter2")
    }
  })
})

describe("A storage over a host's client of Effect", () => {
  const url = Databases.forEachTest()

  Tests.scoped("joins the host's transactions, keeps its own names, and listens to other processes", function* () {
    const context = yield* Layer.build(
      PgClient.layer({
        url: Redacted.make(url()),
        maxConnections: 2,
        transformQueryNames: Strings.camelToSnake,
        transformResultNames: Strings.snakeToCamel
      })
    )
    const client = yield* Effect.provide(PgClient.PgClient, context)
    const adapter = yield* Layer.build(Layer.fresh(Postgres.layer({ client, schema: "esim" })))
    yield* client`create table host_order (id text)`
    const order = (id: string) =>
      Effect.andThen(
        client`insert into host_order ${client.insert({ id })}`,
        on(adapter, (storage) => storage.commit({ organizations: [organization(id)] }))
      )
    yield* Effect.flip(client.withTransaction(Effect.andThen(order("lost"), Effect.fail("no"))))
    yield* client.withTransaction(order("kept"))
    expect(yield* client`select id from host_order`).toEqual([{ id: "kept" }])
    expect(yield* names(adapter)).toEqual(["kept"])
    yield* on(adapter, (storage) => storage.sims.import(newSims("o", 0, 2)))
    expect(yield* allSims(adapter, "o")).toHaveLength(2)
    const other = yield* Layer.build(Layer.fresh(Postgres.layer({ url: url(), schema: "esim", maxConnections: 1 })))
    yield* notifyEachOther(adapter, other)
  })
})
