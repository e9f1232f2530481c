/**
 * The start behind PgBouncer. In the modes `transaction` and `statement` it is refused, with nothing left behind, and in the
 * mode `session` the service works.
 */
import { Effect, type Scope } from "effect"
import pg from "pg"
import { createSimplan, type Database } from "simplan/promise"
import { describe, expect, it } from "vitest"
import * as World from "../promise/World.ts"
import * as Databases from "../setup/databases/Databases.ts"
import * as PgBouncer from "./PgBouncer.ts"
import * as Tests from "../setup/Tests.ts"

const through = (url: string, ...settings: ReadonlyArray<string>): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => PgBouncer.start(url, settings)),
      ({ stop }) => Effect.promise(stop)
    ),
    (bouncer) => bouncer.url
  )

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
})
