/**
 * What PGlite does not do by itself: statements that were prepared on empty tables get new plans
 * when the tables have grown, and only what has changed is analyzed. A directory that is opened
 * again is analyzed as a whole.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Pglite from "simplan/pglite"
import { expect, it } from "vitest"

it("PGlite learns of a table that has grown, and leaves one that has not", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`set enable_seqscan = on`.unprepared
    yield* sql`create table grown (id text primary key, value int)`
    yield* sql`create table still (id text primary key)`
    yield* sql.unsafe("prepare found(text) as select value from grown where id = $1").unprepared
    const plan = Effect.map(
      sql.unsafe<{ readonly "QUERY PLAN": string }>("explain execute found('1')").unprepared,
      (rows) => rows[0]?.["QUERY PLAN"]
    )
    yield* sql`vacuum analyze grown`.unprepared
    for (let times = 0; times < 6; times++) yield* sql.unsafe("execute found('1')").unprepared
    yield* sql`insert into grown select i, i from generate_series(1, 5000) i`
    expect(yield* plan).toContain("Seq Scan")

    let chosen = yield* plan
    // PostgreSQL reports how much has changed once a second at most.
    for (let times = 0; chosen?.includes("Seq Scan") === true && times < 100; times++) {
      yield* TestClock.adjust("15 seconds")
      yield* TestClock.withLive(Effect.sleep(50))
      chosen = yield* plan
    }
    expect(chosen).toContain("Index Scan")
    const analyzed = yield* sql<{ readonly name: string }>`
      select relname as name from pg_stat_user_tables
      where relname in ('grown', 'still') and analyze_count + vacuum_count > 0`
    expect(analyzed).toEqual([{ name: "grown" }])
  }).pipe(Effect.provide(Pglite.layer()), Effect.provide(TestClock.layer()), Effect.runPromise))

it("PGlite learns how large the tables of a directory are soon after it is opened", async () => {
  const directory = await mkdtemp(join(tmpdir(), "simplan-upkeep-"))
  const opened = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    use.pipe(
      Effect.provide(Pglite.layer({ dataDir: join(directory, "data") })),
      Effect.provide(TestClock.layer()),
      Effect.runPromise
    )
  try {
    await opened(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create schema "the host's"`
        yield* sql`create table "the host's"."Odd, name" (id int)`
        yield* sql`insert into "the host's"."Odd, name" select generate_series(1, 1000)`
      })
    )
    const [before, known, system] = await opened(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tuples = sql<{ readonly known: number }>`
          select reltuples::int as known from pg_class where relname in ('Odd, name', 'subscription') order by relname`
        const before = yield* tuples
        let after = before
        for (let times = 0; after.some(({ known }) => known < 0) && times < 100; times++) {
          yield* TestClock.adjust("15 seconds")
          yield* TestClock.withLive(Effect.sleep(50))
          after = yield* tuples
        }
        return [
          before,
          after,
          yield* sql`select relname from pg_stat_sys_tables where schemaname = 'pg_catalog' and vacuum_count > 0`
        ] as const
      })
    )
    // The start does not wait for it.
    expect(before).toEqual([{ known: -1 }, { known: -1 }])
    expect(known).toEqual([{ known: 1000 }, { known: 0 }])
    // These would take longer than all others.
    expect(system).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
