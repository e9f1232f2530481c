/**
 * PostgreSQL keeps the plan of a prepared statement. The plan for reading the SIMs of reports must
 * be a good one too where it was made before any report had been seen, and thousands came after it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Pglite from "simplan/pglite"
import { UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { type Adapter, admin, connect, connectOverPool, counted, ended, iccidOf, newSims, on } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const org = "org"
const SIMS = 20
const SEEN = 5_000
const day = UsageBook.dayOf(Date.now())
const reports = Array.from({ length: SEEN }, (_, id) => ({ organizationId: org, reportId: `r-${id}`, receivedAt: day }))
const iccids = Array.from({ length: SIMS }, (_, id) => ({
  iccid: iccidOf(id),
  since: 0,
  packageIds: [],
  reportIds: [`r-${id}`]
}))

/** Reads the SIMs of the same reports before and after those were seen. */
const read = (adapter: Adapter, sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const seen = Effect.map(
      on(adapter, (storage) => storage.simAggregates.forReports({ iccids, seenSince: day })),
      (found) => found.flatMap((sim) => sim.seen)
    )
    yield* on(adapter, (storage) =>
      storage.commit({ organizations: [{ organizationId: org, name: org, createdAt: 0 }] })
    )
    yield* on(adapter, (storage) => storage.sims.import(newSims(org, 0, SIMS)))
    yield* sql`vacuum analyze`.unprepared
    // Often enough for PostgreSQL to have made a plan that is for any parameters.
    for (let times = 0; times < 12; times++) expect(yield* seen).toEqual([])
    yield* on(adapter, (storage) => storage.commit({ reports: { seen: reports } }))
    // What the adapter's connections have counted and not flushed yet is of no rows: they have read
    // none of this table.
    yield* counted(sql)
    yield* sql`select pg_stat_reset()`.unprepared
    expect(yield* seen).toHaveLength(SIMS)
    yield* counted(sql)
  })

/** How many rows were read of the tables of report ids, by each index and without one. */
const rowsRead = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly by: string; readonly rows: number }>`
      select indexrelname as by, idx_tup_read::int as rows from pg_stat_user_indexes
      where relname ~ '^(taken|seen)_report'
      union all
      select 'none', seq_tup_read::int from pg_stat_user_tables where relname ~ '^(taken|seen)_report'`,
    (found) => found.filter(({ rows }) => rows > 0)
  )

const expected = [{ by: `taken_report_${UsageBook.dateOf(day).replaceAll("-", "_")}_pkey`, rows: SIMS }]

describe("Reports are read by their ids, also where the plan was made before any had been seen", () => {
  const url = Databases.forEachTest()

  Tests.scoped("on PostgreSQL", function* () {
    const sql = yield* admin(url())
    yield* Effect.scoped(Effect.flatMap(connect(url(), 1), (adapter) => read(adapter, sql)))
    yield* ended(sql)
    expect(yield* rowsRead(sql)).toEqual(expected)
  })

  Tests.scoped("on PostgreSQL, over a pool of the host's with the planner's settings", function* () {
    const sql = yield* admin(url())
    const connected = connectOverPool(url(), { options: "-c enable_seqscan=off -c jit=off" })
    yield* Effect.scoped(Effect.flatMap(connected, (adapter) => read(adapter, sql)))
    yield* ended(sql)
    expect(yield* rowsRead(sql)).toEqual(expected)
  })

  Tests.scoped("on PGlite", function* () {
    const adapter = yield* Layer.build(Pglite.layer())
    const sql = Context.get(adapter, SqlClient.SqlClient)
    yield* read(adapter, sql)
    expect(yield* rowsRead(sql)).toEqual(expected)
  })
})
