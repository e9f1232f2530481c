/**
 * Heavy reads of the storage (rule W13) hold up no other read, and the server stops those that
 * nobody waits for, or that take too long.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { SimSearch, Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import { describe, expect } from "vitest"
import * as Databases from "../../../setup/databases/Databases.ts"
import { type Adapter, admin, connect, connectOverPool, on } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

const url = Databases.forEachTest()

const totals = (adapter: Adapter, atMost = 60_000) =>
  Effect.provideService(
    on(adapter, ({ usage }) =>
      usage.totals({ organizationId: "o", from: 0, until: 1, by: ["country"], after: null, limit: 10 })
    ),
    Storage.Aside,
    { atMost }
  )

/**
 * Locks the book of usage as long as the effect lasts, so that no statement comes to an end that
 * reads it.
 */
const locked = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  sql.withTransaction(Effect.andThen(sql`lock table simplan.usage_total in access exclusive mode`, effect))

/**
 * How many statements of the adapter wait for the lock, asked outside of the transaction that has
 * it: what it sees stays.
 */
const waiting = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly count: number }>`
      select count(*)::int as count from pg_stat_activity
      where application_name = 'simplan' and datname = current_database() and wait_event_type = 'Lock'`,
    ([row]) => row?.count
  )

const untilWaiting = (sql: SqlClient.SqlClient, count: number) =>
  Effect.repeat(waiting(sql), { until: (found) => found === count, schedule: Schedule.spaced("10 millis") })

const overClient = (address: string) =>
  Effect.gen(function* () {
    const client = yield* PgClient.make({ url: Redacted.make(address), applicationName: "simplan", maxConnections: 3 })
    return yield* Layer.build(Layer.fresh(Postgres.layer({ client })))
  }).pipe(Effect.provide(Reactivity.layer))

describe("Heavy reads (W13)", () => {
  Tests.scoped("hold up no other read over an address", function* () {
    const adapter = yield* connect(url())
    const [sql, watcher] = [yield* admin(url()), yield* admin(url())]
    const heavy = yield* locked(
      sql,
      Effect.gen(function* () {
        const reads = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(totals(adapter)))
        yield* untilWaiting(watcher, 4)
        expect(yield* on(adapter, ({ plans }) => plans.get({ organizationId: "o", planId: "p" }))).toBe(null)
        return reads
      })
    )
    expect(yield* Fiber.joinAll(heavy)).toEqual([[], [], [], []])
  })

  const ways = {
    "an address": (address: string) => connect(address),
    "a pool": (address: string) => connectOverPool(address, { max: 3 }),
    "a client": overClient
  }
  for (const [way, open] of Object.entries(ways)) {
    Tests.scoped(`are stopped by the server after their time over ${way}, and the next one is answered`, function* () {
      const adapter = yield* open(url())
      const [sql, watcher] = [yield* admin(url()), yield* admin(url())]
      const failure = yield* locked(sql, Effect.flip(totals(adapter, 200)))
      expect(failure).toMatchObject({ refusedRead: "too long" })
      expect(yield* waiting(watcher)).toBe(0)
      expect(yield* totals(adapter)).toEqual([])
    })
  }

  for (const [way, open] of Object.entries(ways)) {
    Tests.scoped(`are stopped by the server where nobody waits for them over ${way}`, function* () {
      const adapter = yield* open(url())
      const [sql, watcher] = [yield* admin(url()), yield* admin(url())]
      yield* locked(
        sql,
        Effect.gen(function* () {
          // Longer than the test may take, so that it does not end by itself.
          const read = yield* Effect.forkChild(totals(adapter, 3_600_000))
          yield* untilWaiting(watcher, 1)
          yield* Fiber.interrupt(read)
          yield* untilWaiting(watcher, 0)
        })
      )
      expect(yield* totals(adapter)).toEqual([])
    })
  }

  Tests.scoped("are planned once if they are searches", function* () {
    const client = yield* PgClient.make({ url: Redacted.make(url()), maxConnections: 1 }).pipe(
      Effect.provide(Reactivity.layer)
    )
    const adapter = yield* Layer.build(Layer.fresh(Postgres.layer({ client })))
    const all = { label: null, tag: null, isEsim: null, status: null, createdAfter: null, after: null }
    for (const text of ["anna", "berta"]) {
      const search = SimSearch.of(text)
      if (search === null) throw new Error("nothing to search")
      const asked = on(adapter, ({ sims }) =>
        Effect.all([
          sims.find({ ...all, organizationId: "o", search, limit: 10 }),
          sims.search({ search, organizationId: "o", limit: 10 }),
          sims.search({ search, organizationId: null, limit: 10 })
        ])
      )
      yield* Effect.provideService(asked, Storage.Aside, { atMost: 60_000 })
    }
    const planned = yield* client<{ readonly plans: string }>`
      select generic_plans || ' for any, ' || custom_plans || ' for its own' as plans from pg_prepared_statements
      where statement like '%join simplan.subscription%starts_with%' and statement not like '%pg_prepared%'`
    expect(planned.map(({ plans }) => plans)).toEqual(Array(3).fill("2 for any, 0 for its own"))
    expect(yield* client`show plan_cache_mode`).toEqual([{ plan_cache_mode: "auto" }])
  })
})
