/**
 * A pooler in transaction mode is refused at the start, and serves where a direct address is beside
 * it. The one here stands in front of the run's PostgreSQL; `npm run test:poolers` tries PgBouncer
 * itself.
 */
import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import pg from "pg"
import { Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { createSimplan } from "simplan/promise"
import { describe, expect, it } from "vitest"
import * as Databases from "../../../setup/databases/Databases.ts"
import * as Pooler from "../../../setup/databases/Pooler.ts"
import { admin, iccidOf, newSims, poolOf } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

const REFUSED =
  /127\.0\.0\.1:\d+, where a pooler gives each transaction another session, but must be in session mode or a direct address/

const sessions = [1, 2, 3]

const through = (
  url: string,
  settings: Parameters<typeof Pooler.start>[2]
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => Pooler.start(new URL(url).hostname, Number(new URL(url).port), settings)),
      ({ close }) => Effect.promise(close)
    ),
    ({ port }) => Object.assign(new URL(url), { port: String(port) }).href
  )

const refusal = (options: Postgres.Options) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(Layer.fresh(Postgres.layer(options))))), ({ message }) => message)

const serving = Tests.by<Scope.Scope | Reactivity.Reactivity>((effect) =>
  effect.pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)
)

describe("A pooler in transaction mode", () => {
  const url = Databases.forEachTest()

  for (const next of ["last used", "in turn"] as const) {
    Tests.scoped(
      `is refused, and has nothing of the trial, where a transaction gets the session that is ${next}`,
      function* () {
        const direct = yield* admin(url())
        for (const count of sessions) {
          const pooled = yield* through(url(), { next, sessions: count })
          expect(yield* refusal({ url: pooled })).toMatch(REFUSED)
          // In each of the sessions that the pooler keeps.
          const clients = yield* Effect.forEach(sessions.slice(0, count), () =>
            Effect.acquireRelease(
              Effect.promise(async () => {
                const client = new pg.Client({ connectionString: pooled })
                client.on("error", () => {})
                await client.connect()
                await client.query("begin")
                return client
              }),
              (client) => Effect.promise(() => client.end())
            )
          )
          for (const client of clients) {
            const { rows } = yield* Effect.promise(() =>
              client.query(
                "select (select count(*)::int from pg_prepared_statements) + (select count(*)::int from pg_listening_channels()) as kept, coalesce(current_setting('simplan.trial', true), '') as mark"
              )
            )
            expect(rows).toEqual([{ kept: 0, mark: "" }])
          }
        }
        expect(
          yield* direct`
          select 1 from pg_locks
          where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
        `
        ).toEqual([])
        expect(yield* direct`select 1 from pg_namespace where nspname = 'simplan'`).toEqual([])
      }
    )
  }

  it("is refused behind a host's pool and client, and named as an option of `createSimplan`", () =>
    Effect.gen(function* () {
      const pooled = yield* through(url(), { next: "last used", sessions: 2 })
      const pool = yield* poolOf({ connectionString: pooled })
      expect(yield* refusal({ pool })).toMatch(REFUSED)
      const client = yield* PgClient.make({ url: Redacted.make(pooled), maxConnections: 1 })
      expect(yield* refusal({ client })).toMatch(REFUSED)
      const simplan = createSimplan({ database: pooled, telco: "simulator" })
      yield* Effect.addFinalizer(() => Effect.promise(() => simplan.close()))
      yield* Effect.promise(() =>
        expect(simplan.ready()).rejects.toMatchObject({
          name: "InvalidFieldError",
          field: "database",
          message: expect.stringMatching(/^createSimplan: database names .* session mode or a direct address/)
        })
      )
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise))

  for (const next of ["last used", "in turn"] as const) {
    serving(`serves with a direct address, where a transaction gets the session that is ${next}`, function* () {
      const pooled = yield* through(url(), { next, sessions: 3 })
      const pool = yield* poolOf({ connectionString: pooled })
      const client = yield* PgClient.make({ url: Redacted.make(pooled), maxConnections: 2, prepare: false })
      const direct = { directUrl: Redacted.make(url()) }
      for (const [index, where] of [{ url: pooled }, { pool }, { client }].entries()) {
        const ports = yield* Layer.build(Layer.fresh(Postgres.layer({ ...where, ...direct })))
        const organizationId = randomUUID()
        const storage = Context.get(ports, Storage.Storage)
        yield* storage.sims.import(newSims(organizationId, 20 * index, 20))
        const iccids = Array.from({ length: 20 }, (_, number) => iccidOf(20 * index + number))
        const found = yield* Effect.forEach(iccids, (iccid) => storage.sims.get({ organizationId, iccid }), {
          concurrency: "unbounded"
        })
        expect(found.map((sim) => sim?.iccid)).toEqual(iccids)
      }
      const prepares = yield* PgClient.make({ url: Redacted.make(pooled), maxConnections: 1 })
      expect(yield* refusal({ client: prepares, ...direct })).toMatch(
        /^client prepares statements, which the pooler at 127\.0\.0\.1:\d+ does not keep, but must be made with prepare: false$/
      )
    })
  }
})
