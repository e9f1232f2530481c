import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted, Schedule } from "effect"
import * as Postgres from "simplan/postgres"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Reactivity } from "effect/reactivity"
import pg from "pg"
import * as Faults from "../../../faults/Database.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import * as Keeper from "../../../setup/databases/keeper.ts"
import { admin, connect, on } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

/** Tries until it succeeds. */
const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, { times: 400, schedule: Schedule.spaced("50 millis") })

describe("Starting on a database of another encoding", () => {
  for (const encoding of ["SQL_ASCII", "LATIN1"]) {
    Tests.scoped(`is refused in one sentence, and leaves nothing there: ${encoding}`, function* () {
      const { url } = yield* Databases.scoped({ encoding })
      const { message } = yield* Effect.flip(Effect.scoped(connect(url, 1)))
      expect(message).toBe(
        `The database has the encoding ${encoding}, but must have UTF8, because searches fold texts by their characters; make another one with: create database simplan encoding 'UTF8' template template0`
      )
      const sql = yield* admin(url)
      expect(yield* sql`select 1 from pg_namespace where nspname = 'simplan'`).toEqual([])
    })
  }
})

describe("Starting on a database that takes no writes", () => {
  const refusal = (options: Postgres.Options) =>
    Effect.map(Effect.flip(Effect.scoped(Layer.build(Layer.fresh(Postgres.layer(options))))), ({ message }) => message)

  /** What is said where the database is named by a URL, by a pool and by a client. */
  const refusals = (url: string) =>
    Effect.gen(function* () {
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new pg.Pool({ connectionString: url, max: 3 })),
        (opened) => Effect.promise(() => opened.end())
      )
      const client = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 3 }).pipe(
        Effect.provide(Reactivity.layer)
      )
      return yield* Effect.forEach([{ url: Redacted.make(url) }, { pool }, { client }], refusal)
    })

  it("is refused in one sentence: a standby, also before its primary has had migrations", async () => {
    const primary = await Keeper.start()
    try {
      const standby = await primary.addStandby()
      const sentence = "The database is a standby, which takes no writes: its primary must be named"
      const said = () => Effect.runPromise(Effect.scoped(refusals(standby)))
      expect(await said()).toEqual([sentence, sentence, sentence])
      await Effect.runPromise(Effect.scoped(connect(primary.url, 1)))
      expect(await said()).toEqual([sentence, sentence, sentence])
    } finally {
      await primary.stop()
    }
  })

  Tests.scoped("is refused in one sentence: one whose sessions are read-only", function* () {
    const { name, url } = yield* Databases.scoped()
    yield* Effect.promise(() => run(url, `alter database ${name} set default_transaction_read_only = on`))
    const sentence =
      "The database takes no writes of the user simplan: the setting default_transaction_read_only is on, and must be off"
    expect(yield* refusals(url)).toEqual([sentence, sentence, sentence])
  })
})

describe("Starting on PostgreSQL", () => {
  const url = Databases.forEachTest()

  Tests.scoped(
    "several adapters come up on an empty database at the same time, and again on the migrated one",
    function* () {
      for (const round of ["empty", "migrated"]) {
        const adapters = yield* Effect.all(
          Array.from({ length: 5 }, () => connect(url(), 1)),
          { concurrency: "unbounded" }
        )
        for (const adapter of adapters) {
          yield* on(adapter, (storage) => storage.ready)
          const id = `${round}-${adapters.indexOf(adapter)}`
          yield* on(adapter, (storage) =>
            storage.commit({ organizations: [{ organizationId: id, name: id, createdAt: 0 }] })
          )
        }
      }
      const [adapter] = yield* Effect.all([connect(url())])
      expect(yield* on(adapter, (storage) => storage.organizations.page({ after: null, limit: 100 }))).toHaveLength(10)
    }
  )

  Tests.scoped(
    "a process that lost its hold on the database, and finds it another's, writes nothing until it has it back",
    function* () {
      const { proxy, url: through } = yield* Effect.acquireRelease(
        Effect.promise(() => Faults.through(url())),
        ({ proxy }) => Effect.promise(proxy.close)
      )
      const adapter = yield* connect(through, 1)
      const organization = { organizationId: "o", name: "o", createdAt: 0 }
      const commit = on(adapter, (storage) => storage.commit({ organizations: [organization] }))
      yield* Effect.scoped(
        Effect.gen(function* () {
          // As when the network was cut, and the other one was quicker.
          proxy.cut()
          yield* eventually(Layer.build(Layer.fresh(Postgres.layer({ url: Redacted.make(url()), alone: true }))))
          proxy.resume()
          const lost = yield* eventually(Effect.flip(on(adapter, (storage) => storage.ready)))
          expect(lost.message).toBe("The hold on the database was lost")
          expect(yield* Effect.flip(commit)).toBeInstanceOf(Storage.StorageError)
          const refused = yield* Effect.flip(Effect.scoped(connect(url(), 1)))
          expect(refused.message).toContain(
            "a process that is alone, as with a virtual clock, has it for itself: session "
          )
        })
      )
      yield* eventually(on(adapter, (storage) => storage.ready))
      yield* commit
      expect(yield* on(adapter, (storage) => storage.organizations.page({ after: null, limit: 100 }))).toEqual([
        organization
      ])
    }
  )

  it("a server that is not there is a storage error", async () => {
    const failure = await Storage.Storage.use((storage) => storage.ready).pipe(
      Effect.provide(Postgres.layer({ url: Redacted.make("postgres://nobody:secret@127.0.0.1:1/none") })),
      Effect.flip,
      Effect.runPromise
    )
    expect(failure).toBeInstanceOf(Storage.StorageError)
    expect(JSON.stringify(failure)).not.toContain("secret")
  })

  Tests.scoped(
    "a storage whose schema is gone is not ready, and one whose connections were cut is again",
    function* () {
      const adapter = yield* connect(url())
      yield* on(adapter, (storage) => storage.ready)
      yield* Effect.promise(() => cutConnections(url()))
      yield* on(adapter, (storage) => storage.ready)
      // A commit may be the one to find out, and nothing is known of it then.
      yield* on(adapter, (storage) => Effect.retry(storage.commit({ clock: 1 }), { times: 1 }))
      yield* Effect.promise(() => run(url(), "drop schema simplan cascade"))
      expect(yield* Effect.flip(on(adapter, (storage) => storage.ready))).toBeInstanceOf(Storage.StorageError)
    }
  )
})

const run = (url: string, text: string): Promise<unknown> =>
  Effect.runPromise(
    PgClient.PgClient.use((client) => client.unsafe(text)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
    )
  )

const cutConnections = (url: string): Promise<unknown> =>
  run(
    url,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
  )
