/**
 * The start behind PgBouncer. In the modes `transaction` and `statement` it is refused without a
 * direct address, with nothing left behind. In the mode `session`, and with a direct address, the
 * service works.
 */
import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { createSimplan, type Database } from "simplan/promise"
import { describe, expect, it } from "vitest"
import * as Pooler from "../../adapters/postgres/connection/Pooler.ts"
import * as Session from "../../adapters/postgres/connection/Session.ts"
import * as World from "../promise/World.ts"
import * as Databases from "../setup/databases/Databases.ts"
import * as PgBouncer from "./PgBouncer.ts"
import * as Tests from "../setup/Tests.ts"

const through = (url: string, ...settings: ReadonlyArray<string>): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(PgBouncer.scoped(url, settings), (bouncer) => bouncer.url)

const poolOf = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new pg.Pool({ connectionString: url, max: 3 }).on("error", () => {})),
    (pool) => Effect.promise(() => pool.end())
  )

const refusal = (database: Database) =>
  Effect.promise(async () => {
    const simplan = createSimplan({ database, telco: "simulator" })
    const error: unknown = await simplan.ready().catch((reason: unknown) => reason)
    await simplan.close()
    return error
  })

describe("PgBouncer", () => {
  const url = Databases.forEachTest()

  const cases = [
    ["pool_mode = transaction"],
    ["pool_mode = transaction", "default_pool_size = 1"],
    ["pool_mode = transaction", "default_pool_size = 2", "server_round_robin = 1"],
    ["pool_mode = transaction", "ignore_startup_parameters = extra_float_digits,options,enable_seqscan,jit"],
    ["pool_mode = statement"]
  ]

  it.each(cases.map((settings) => [settings.join(", "), settings] as const))("is refused with %s", (_, settings) =>
    Effect.gen(function* () {
      const pooled = yield* through(url(), ...settings)
      const direct = yield* poolOf(url())
      for (const database of [pooled, yield* poolOf(pooled)]) {
        const error = yield* refusal(database)
        expect(error).toMatchObject({ name: "InvalidFieldError", field: "database" })
        expect(String(error)).toMatch(/where a pooler gives each transaction .* session mode or a direct address/)
      }
      const query = (text: string) => Effect.promise(async () => (await direct.query(text)).rows)
      expect(
        yield* query(
          "select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"
        )
      ).toEqual([])
      expect(yield* query("select 1 from pg_namespace where nspname = 'simplan'")).toEqual([])
      const again = yield* poolOf(pooled)
      const { rows } = yield* Effect.promise(() =>
        again.query(
          "select (select count(*)::int from pg_prepared_statements) + (select count(*)::int from pg_listening_channels()) as kept"
        )
      )
      expect(rows).toEqual([{ kept: 0 }])
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  Tests.scoped("is taken with pool_mode = session", function* () {
    const pooled = yield* through(url(), "pool_mode = session", "default_pool_size = 30")
    for (const database of [pooled, yield* poolOf(pooled)]) {
      yield* Effect.promise(async () => {
        const simplan = createSimplan({ database, telco: "simulator" })
        const { organizationId } = await simplan.organizations.create({ name: "Acme" })
        expect((await World.plan(simplan, organizationId)).name).toBe("Europe 1 GB")
        await simplan.close()
      })
    }
  })

  const transaction = ["pool_mode = transaction", "default_pool_size = 3"]

  for (const build of PgBouncer.builds) {
    Tests.scoped(`is taken with a direct address beside it: ${build.version}`, function* () {
      const pooled = (yield* PgBouncer.scoped(url(), transaction, build)).url
      const direct = yield* poolOf(url())
      for (const database of [pooled, yield* poolOf(pooled)]) {
        yield* Effect.promise(async () => {
          const simplan = createSimplan({ database, directUrl: url(), telco: "simulator" })
          const { organizationId } = await simplan.organizations.create({ name: "Acme" })
          expect((await World.plan(simplan, organizationId)).name).toBe("Europe 1 GB")
          // Locks and what listens are on the direct address, over one connection.
          const { rows } = await direct.query(
            "select count(distinct pid)::int as holders, count(distinct pg_stat_activity.client_port)::int as ports from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and pg_locks.database = (select oid from pg_database where datname = current_database())"
          )
          expect(rows).toEqual([{ holders: 1, ports: 1 }])
          await simplan.close()
        })
      }
    })
  }

  it.each(PgBouncer.builds.map((build) => [build.version, build] as const))(
    "carries prepared statements, or is found to carry none: %s",
    (version, build) =>
      Effect.gen(function* () {
        for (const more of [[], ["server_round_robin = 1"]]) {
          const { url: pooled } = yield* PgBouncer.scoped(url(), [...transaction, ...more], build)
          const open = Session.opening({ url: Redacted.make(pooled) })
          const way = yield* Pooler.wayOf(open, { argument: "url", address: "the pooler" })
          expect(way).toEqual({ isPooled: true, keepsPrepared: Number(version) >= 1.21 })
        }
      }).pipe(Effect.scoped, Effect.runPromise)
  )

  Tests.scoped("is refused with the direct address of another database, or one that is a pooler's too", function* () {
    const pooled = yield* through(url(), ...transaction)
    const other = yield* Databases.scoped()
    const message = (directUrl: string) =>
      Effect.promise(async () => {
        const simplan = createSimplan({ database: pooled, directUrl, telco: "simulator" })
        const error: unknown = await simplan.ready().catch((reason: unknown) => reason)
        await simplan.close()
        expect(error).toMatchObject({ name: "InvalidFieldError", field: "directUrl" })
        return String(error)
      })
    expect(yield* message(other.url)).toMatch(
      /another database than the one behind the pooler, but must be its direct address/
    )
    expect(yield* message(pooled)).toMatch(/where a pooler gives each transaction another session/)
  })
})
