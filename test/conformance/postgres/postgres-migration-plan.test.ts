/**
 * What `simplan migrate --plan` says of a migration, held against a database that runs it; and how a migration gets its locks
 * while the database is used.
 */
import { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import * as Postgres from "simplan/postgres"
import { describe, expect, it } from "vitest"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import * as Plan from "../../../adapters/postgres/migrations/Plan.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import * as EarlierSchema from "../../setup/databases/EarlierSchema.ts"
import { admin, connect } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const onDatabase = Tests.given(
  Effect.suspend(() => admin(url())),
  (test) => Effect.runPromise(Effect.scoped(test))
)

const schema = Postgres.DatabaseSchema.make(Postgres.DatabaseSchema.DEFAULT)

/** Rows of the first schema that later migrations read and change. */
const fill = (sql: SqlClient.SqlClient, count: number) =>
  Effect.gen(function* () {
    yield* sql`
      insert into simplan.sim (
        organization_id, iccid, sim_id, import_sequence, label, is_esim, created_at, allocation, downloaded,
        mobile_plan_applied, version
      )
      select 'o', i::text, i::text, i, 'Green', true, 0, 'Releasing', false, false, 1 from generate_series(1, ${count}::int) i`
    yield* sql`insert into simplan.iccid select iccid, organization_id from simplan.sim`
    yield* sql`
      insert into simplan.subscription select 'o', iccid, iccid, 'm', 0, 'Live' from simplan.sim`
    yield* sql`
      insert into simplan.attachment (
        organization_id, attachment_id, subscription_id, iccid, plan_id, terms, metadata, created_at, confirmed,
        last_threshold_notified
      )
      select 'o', iccid, iccid, iccid, 'p', '{}', 'm', 0, true, 0 from simplan.sim`
    yield* sql`
      insert into simplan.package (organization_id, attachment_id, occurrence, iccid, status, used_bytes)
      select 'o', iccid, 0, iccid, 'Created', 1 from simplan.sim`
    yield* sql`
      insert into simplan.webhook_endpoint (
        organization_id, endpoint_id, url, description, failing_since, signing_keys, created_at, version
      )
      select 'o', iccid, '', '', 1, '[]', 0, 1 from simplan.sim`
    yield* sql`
      insert into simplan.api_key select 'o', iccid, '', 'full', iccid, '', 0, null, null, 1 from simplan.sim`
    yield* sql`
      insert into simplan.event select 'o', iccid, 0, '{}' from simplan.sim`
    yield* sql`
      insert into simplan.delivery (
        organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, last_attempt_at, created_at
      )
      select 'o', iccid, iccid, iccid, 'Failed', 1, 1, 2, 0 from simplan.sim`
    yield* sql`
      insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at)
      select iccid, 'o', '{}', 0, 0, 0 from simplan.sim`
    yield* sql`
      insert into simplan.command (organization_id, command_id, request, created_at, outcome)
      select 'o', iccid, '{}', 0, '{}' from simplan.sim`
    yield* sql`
      insert into simplan.audit_entry (organization_id, created_at, entry_id, actor, action, resource_id)
      select 'o', 0, iccid, '', '', '' from simplan.sim`
  })

/** As many SIMs as make an index take long. */
const fillLarge = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql`
      insert into simplan.sim (
        organization_id, iccid, sim_id, import_sequence, label, is_esim, created_at, allocation, downloaded,
        mobile_plan_applied, version
      )
      select 'o', i::text, i::text, i, repeat('x', 1000), true, 0, 'Releasing', false, false, 1 from generate_series(1, 20000) i`
    yield* sql`analyze simplan.sim`
  })

const validity = (sql: SqlClient.SqlClient) =>
  sql`select indisvalid as valid from pg_index where indexrelid = to_regclass('simplan.sim_paused')`

const tablesOf = (statement: string): ReadonlyArray<string> => {
  const [, table] = /^create table simplan\.(\w+)/.exec(statement) ?? []
  return table === undefined ? [] : [table]
}

interface Observed {
  /** The tables of before that others cannot use as they would, and what they cannot do. */
  readonly blocked: Readonly<Record<string, Plan.Blocks>>
  /** The tables and indexes of before that have another file now; a table with partitions has none. */
  readonly rewritten: ReadonlyArray<string>
  /** The tables of before that were read row by row. */
  readonly scanned: ReadonlyArray<string>
}

const WRITES = ["ShareLock", "ShareRowExclusiveLock", "ExclusiveLock"]

const files = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string; readonly file: string }>`
      select relname as name, relfilenode::text as file from pg_class where relnamespace = 'simplan'::regnamespace`,
    (rows) => new Map(rows.map(({ file, name }) => [name, file]))
  )

/** How many rows this session has read of tables row by row; what earlier transactions read may be in it. */
const scans = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string; readonly count: number }>`
      select relname as name, seq_tup_read::float8 as count from pg_stat_xact_all_tables where schemaname = 'simplan'`,
    (rows) => new Map(rows.map(({ count, name }) => [name, count]))
  )

/** Runs a statement, and gives what it did to the tables and indexes of before. */
const observe = (sql: SqlClient.SqlClient, text: string, known: ReadonlySet<string>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const before = yield* files(sql)
      const read = yield* scans(sql)
      yield* sql.unsafe(text).unprepared
      const locks = yield* sql<{ readonly name: string; readonly mode: string }>`
        select pg_class.relname as name, pg_locks.mode
        from pg_locks join pg_class on pg_class.oid = pg_locks.relation
        where pg_locks.pid = pg_backend_pid() and pg_locks.granted and pg_class.relkind in ('r', 'p')
          and pg_class.relnamespace = 'simplan'::regnamespace`
      const readThen = yield* scans(sql)
      const after = yield* files(sql)
      const all = locks.filter(({ mode, name }) => known.has(name) && mode === "AccessExclusiveLock")
      const writes = locks.filter(({ mode, name }) => known.has(name) && WRITES.includes(mode))
      const observed: Observed = {
        blocked: Object.fromEntries([
          ...writes.map(({ name }): [string, Plan.Blocks] => [name, "writes"]),
          ...all.map(({ name }): [string, Plan.Blocks] => [name, "reads and writes"])
        ]),
        rewritten: [...before].flatMap(([name, file]) =>
          ["0", file, undefined].includes(after.get(name)) ? [] : [name]
        ),
        scanned: [...readThen].flatMap(([name, count]) =>
          known.has(name) && count > (read.get(name) ?? 0) ? [name] : []
        )
      }
      return observed
    })
  )

/** What the plan says of it. */
const promised = (step: Plan.Step, known: ReadonlySet<string>): Observed => {
  const { blocks, tables, work } = Plan.ofTables(step, known)
  return {
    blocked: blocks === "nothing" ? {} : { [tables[0] ?? ""]: blocks },
    rewritten: [],
    scanned: work === "none" ? [] : tables
  }
}

/** What there is, but for the list of migrations, which has a row for each. */
const knownTo = (sql: SqlClient.SqlClient) =>
  Effect.map(files(sql), (found) => new Set([...found.keys()].filter((name) => name !== "migration")))

describe("The plan of a migration", () => {
  onDatabase("says of each statement what it blocks and scans, and none makes a table anew", function* (sql) {
    yield* EarlierSchema.make(sql, 1)
    yield* fill(sql, 20)
    yield* sql`set enable_bitmapscan = off`
    for (const { name, statements } of Migrations.all.slice(1)) {
      const known = yield* knownTo(sql)
      for (const text of statements) {
        const step = Plan.stepOf(text)
        if (step === null) expect.fail(`No step is known of ${name}: ${text}`)
        // A table of a few rows is read as a whole, as a large one of which most rows are needed; a block needs few of them.
        const isBlock = text.startsWith("do ")
        yield* sql.unsafe(`set enable_indexscan = ${isBlock ? "on" : "off"}`)
        yield* sql.unsafe(`set enable_seqscan = ${isBlock ? "off" : "on"}`)
        const found = yield* observe(sql, text, known)
        expect({ name, text, ...found, scanned: found.scanned.toSorted() }).toEqual({
          name,
          text,
          ...promised(step, known),
          scanned: promised(step, known).scanned.toSorted()
        })
      }
    }
  })

  onDatabase("does not fit a statement that makes a table anew, or that is of no known kind", function* (sql) {
    yield* EarlierSchema.make(sql, 1)
    yield* fill(sql, 20)
    const anew = "alter table simplan.sim add column token text not null default gen_random_uuid()::text"
    const step = Plan.stepOf(anew)
    if (step === null) expect.fail("a column is added")
    const known = yield* knownTo(sql)
    const found = yield* observe(sql, anew, known)
    expect(found).not.toEqual(promised(step, known))
    expect(found.rewritten).toContain("sim")
    expect(Plan.stepOf("alter table simplan.sim alter column version type integer")).toBeNull()
  })

  onDatabase("has the rows and the sizes of the tables, and holds a lock until the migration ends", function* (sql) {
    yield* EarlierSchema.make(sql, 5)
    yield* fill(sql, 3_000)
    yield* sql`analyze`
    const pending = yield* Plan.of(sql, schema)
    expect(pending.map(({ number }) => number)).toEqual(
      Migrations.all.map(({ number }) => number).filter((number) => number > 5)
    )
    const [first] = pending
    expect(first).toMatchObject({
      number: 6,
      name: "releasing_sims",
      steps: [
        { does: "adds releasing", tables: ["sim"], blocks: "reads and writes", rows: 3_000, seconds: 0 },
        { does: "changes rows", tables: ["sim"], blocks: "nothing", blockedSeconds: 0 },
        { does: "creates the index sim_releasing", tables: ["sim"], blocks: "writes" }
      ]
    })
    const [added, changed, indexed] = first?.steps ?? []
    expect(added?.bytes).toBeGreaterThan(3_000 * 100)
    expect(indexed?.seconds).toBeGreaterThan(0)
    expect(added?.blockedSeconds).toBe((changed?.seconds ?? 0) + (indexed?.seconds ?? 0))
    yield* Effect.scoped(connect(url(), 1))
    expect(yield* Plan.of(sql, schema)).toEqual([])
  })
})

describe("A migration of a database that is used", () => {
  onDatabase("waits for a lock without holding up others, and holds nothing of another migration", function* (sql) {
    yield* EarlierSchema.make(sql, 20)
    yield* fill(sql, 10)
    const [reader, other] = [yield* admin(url()), yield* admin(url())]
    const held = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* reader`begin`
        yield* reader`select from simplan.audit_entry`
        const started = yield* Effect.forkScoped(Effect.scoped(connect(url(), 1)))
        // Migration 21 is done, and 22 waits for the reader.
        const had = other<{ readonly number: number }>`select max(migration_id) as number from simplan.migration`
        yield* Effect.repeat(had, { until: ([row]) => row?.number === 21 })
        const waits = other`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like 'alter table simplan.audit_entry%'`
        yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
        yield* other`set statement_timeout = '5s'`
        yield* other`update simplan.sim set label = 'Blue'`
        yield* other`select from simplan.audit_entry`
        const numbers = yield* had
        yield* reader`commit`
        yield* Fiber.join(started)
        return numbers[0]?.number
      })
    )
    expect(held).toBe(21)
    expect(yield* Plan.of(sql, schema)).toEqual([])
  })

  onDatabase("builds an index on a large table while others read and write, in one process alone", function* (sql) {
    yield* EarlierSchema.make(sql, 30)
    yield* fillLarge(sql)
    const [writer, other] = [yield* admin(url()), yield* admin(url())]
    const [planned] = yield* Plan.of(sql, schema)
    expect(planned).toMatchObject({
      number: 31,
      steps: [
        { does: "creates the index sim_paused while others read and write", blocks: "nothing", blockedSeconds: 0 }
      ]
    })
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* writer`begin`
        yield* writer`update simplan.sim set label = 'Blue' where iccid = '1'`
        const started = yield* Effect.forkScoped(Effect.scoped(connect(url(), 1)), { startImmediately: true })
        const waits = other`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like 'create index concurrently sim_paused%'`
        yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
        const second = yield* Effect.forkScoped(Effect.scoped(connect(url(), 1)), { startImmediately: true })
        const asks = other`
          select from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory_lock(%'
            and query not like '%pg_stat_activity%'`
        yield* Effect.repeat(asks, { until: (rows) => rows.length > 0 })
        yield* other`set statement_timeout = '5s'`
        yield* other`update simplan.sim set label = 'Red' where iccid = '2'`
        yield* other`select from simplan.sim where iccid = '3'`
        yield* writer`commit`
        yield* Fiber.join(started)
        yield* Fiber.join(second)
      })
    )
    expect(yield* validity(sql)).toEqual([{ valid: true }])
    expect(yield* Plan.of(sql, schema)).toEqual([])
  })

  for (const [size, filled] of [
    ["large", fillLarge],
    ["small", (sql: SqlClient.SqlClient) => fill(sql, 10)]
  ] as const) {
    onDatabase(`builds anew an index on a ${size} table that an ended process has left`, function* (sql) {
      yield* EarlierSchema.make(sql, 30)
      yield* filled(sql)
      yield* sql`create index sim_paused on simplan.sim (organization_id)`
      yield* sql`update pg_index set indisvalid = false where indexrelid = 'simplan.sim_paused'::regclass`
      yield* Effect.scoped(connect(url(), 1))
      expect(yield* validity(sql)).toEqual([{ valid: true }])
      const [made] = yield* sql`select pg_get_indexdef('simplan.sim_paused'::regclass) as text`
      expect(made).toMatchObject({ text: expect.stringContaining("(paused_at IS NOT NULL)") })
    })
  }

  it("makes an index on a table of before in a migration of its own", () => {
    const known = new Set<string>()
    for (const migration of Migrations.all) {
      const indexes = migration.statements.flatMap(Migrations.indexOf).filter(({ table }) => known.has(table))
      // Earlier ones are as schemas have had them.
      if (migration.number >= 30)
        expect(Migrations.indexesAlone(migration).length > 0 || indexes.length === 0).toBe(true)
      for (const name of migration.statements.flatMap(tablesOf)) known.add(name)
    }
    expect(known.has("sim")).toBe(true)
  })
})
