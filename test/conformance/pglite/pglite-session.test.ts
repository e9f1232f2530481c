import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import * as Pglite from "simplan/pglite"
import { expect, it } from "vitest"

const organization = (name: string): Storage.Commit => ({
  organizations: [{ organizationId: "org", name, createdAt: 0 }]
})

it("PGlite's one session is as new after a transaction that was interrupted", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const storage = yield* Storage.Storage
    for (const round of ["first", "second", "third"]) {
      yield* storage.commit(organization(round))
      const started = Date.now()
      const transaction = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* storage.commit(organization("undone"))
            yield* sql`select sum(i) from generate_series(1, 300000) i`
            return yield* Effect.never
          })
        )
      )
      yield* Effect.sleep(round === "second" ? 5 : 150)
      yield* Fiber.interrupt(transaction)
      expect((yield* storage.organizations.get("org"))?.name).toBe(round)
      expect(Date.now() - started).toBeLessThan(10_000)
    }
    yield* storage.ready
  }).pipe(Effect.provide(Pglite.layer()), Effect.runPromise))

it("PGlite lets others wait for a transaction, and then go on", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const storage = yield* Storage.Storage
    const inside = sql.withTransaction(
      Effect.gen(function* () {
        yield* storage.commit(organization("inside"))
        yield* Effect.sleep(50)
        return (yield* storage.organizations.get("org"))?.name
      })
    )
    const outside = Effect.delay(storage.commit(organization("outside")), 10)
    const [name] = yield* Effect.all([inside, outside], { concurrency: "unbounded" })
    expect(name).toBe("inside")
    expect((yield* storage.organizations.get("org"))?.name).toBe("outside")
  }).pipe(Effect.provide(Pglite.layer()), Effect.runPromise))
