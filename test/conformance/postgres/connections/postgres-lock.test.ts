/**
 * The lock on the database is taken again as soon as its connection is lost, and writes wait for
 * that.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Postgres from "simplan/postgres"
import { describe, expect, it } from "vitest"
import * as Databases from "../../../setup/databases/Databases.ts"
import { admin, on, poolOf } from "../PostgresWorld.ts"

const url = Databases.forEachTest()

describe("The lock on the database, whose session is terminated,", () => {
  const held = Effect.gen(function* () {
    const sql = yield* admin(url())
    const holders = sql<{ readonly pid: number }>`
      select pid from pg_locks
      where locktype = 'advisory' and granted and database = (
        select oid from pg_database where datname = current_database()
      )`
    return {
      holder: Effect.map(holders, ([row]) => row?.pid),
      terminate: (pid: number | undefined) => sql`select pg_terminate_backend(${pid ?? 0}::int)`
    }
  })

  const isTakenAgain = (options: Postgres.Options) =>
    Effect.gen(function* () {
      const adapter = yield* Layer.build(Layer.fresh(Postgres.layer(options)))
      const { holder, terminate } = yield* held
      let clock = 0
      const write = on(adapter, (storage) => storage.commit({ clock: ++clock }))
      const writing = yield* Effect.forkChild(Effect.forever(write))
      for (let times = 0; times < 3; times++) {
        const before = yield* holder
        expect(before).toBeDefined()
        yield* terminate(before)
        let after = before
        while (after === before || after === undefined) {
          // Fails with the first write that fails.
          expect(writing.pollUnsafe()).toBeUndefined()
          yield* Effect.sleep("20 millis")
          after = yield* holder
        }
        yield* write
      }
      yield* Fiber.interrupt(writing)
    }).pipe(Effect.scoped)

  it("is taken again at once, and no write fails, with a URL", () => Effect.runPromise(isTakenAgain({ url: url() })))

  it("likewise with a pool", () =>
    Effect.flatMap(poolOf({ connectionString: url(), max: 3 }), (pool) => isTakenAgain({ pool })).pipe(
      Effect.scoped,
      Effect.runPromise
    ))

  it("likewise with a client", () =>
    Effect.flatMap(PgClient.make({ url: Redacted.make(url()), maxConnections: 3 }), (client) =>
      isTakenAgain({ client })
    ).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise))
})

it("A process that is to be alone says which sessions it found, with their names and addresses", () => {
  const found = Effect.gen(function* () {
    const shop = yield* poolOf({ connectionString: url(), application_name: "shop", max: 2 })
    const layer = (options: Postgres.Options) => Layer.build(Layer.fresh(Postgres.layer(options)))
    yield* layer({ pool: shop })
    yield* layer({ url: url(), maxConnections: 2 })
    const { message } = yield* Effect.flip(layer({ url: url(), alone: true, maxConnections: 2 }))
    const sql = yield* admin(url())
    const sessions = yield* sql<{ readonly pid: number }>`
      select pid from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and datname = current_database() order by backend_start, pid`
    const [first, second] = sessions.map(({ pid }) => pid)
    expect(message).toBe(
      `other processes are on it: session ${first} of shop from 127.0.0.1, session ${second} of simplan from 127.0.0.1; ` +
        "a process that is to be alone, as with a virtual clock, is refused"
    )
  })
  return found.pipe(Effect.scoped, Effect.runPromise)
})
