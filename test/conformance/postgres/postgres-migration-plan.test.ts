/**
 * What `simplan migrate --plan` says of a migration, held against a database that runs it; and how
 * a migration gets its locks while the database is used. A database of this build is brought to
 * planted later versions.
 */
import { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import * as Postgres from "simplan/postgres"
import { describe, expect } from "vitest"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import * as Plan from "../../../adapters/postgres/migrations/Plan.ts"
import * as Step from "../../../adapters/postgres/migrations/Step.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import * as PlantedVersions from "../../setup/databases/PlantedVersions.ts"
import { admin } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const onDatabase = Tests.given(
  Effect.suspend(() => admin(url())),
  (test) => Effect.runPromise(Effect.scoped(test))
)

const schema = Postgres.DatabaseSchema.make(Postgres.DatabaseSchema.DEFAULT)

const { chain } = PlantedVersions

/** To this build's version, and so many of the planted ones. */
const migrate = (sql: SqlClient.SqlClient, later = 3) => Migrations.run(sql, schema, PlantedVersions.upTo(later))

/** The number of a planted migration, from 1. */
const numberOf = (later: number): number => Migrations.latest + later

const fill = (sql: SqlClient.SqlClient, count: number) =>
  Effect.gen(function* () {
    yield* sql`
      insert into simplan.sim (
        organization_id, iccid, sim_id, import_sequence, label, is_esim, created_at, allocation, downloaded,
        mobile_plan_applied, version
      )
      select 'o', i::text, i::text, i, 'Green', true, 0, 'Free', false, false, 1 from generate_series(1, ${count}::int) i`
    yield* sql`insert into simplan.subscription select 'o', iccid, iccid, 'm', 0, 'Live' from simplan.sim`
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
  sql`select indisvalid as valid from pg_index where indexrelid = to_regclass('simplan.sim_remarks')`

interface Observed {
  /** The tables of before that others cannot use as they would, and what they cannot do. */
  readonly blocked: Readonly<Record<string, Step.Blocks>>
  /**
   * The tables and indexes of before that have another file now; a table with partitions has none.
   */
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

/**
 * How many rows this session has read of tables row by row; what earlier transactions read may be
 * in it.
 */
const scans = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string; readonly count: number }>`
      select relname as name, seq_tup_read::float8 as count from pg_stat_xact_all_tables where schemaname = 'simplan'`,
    (rows) => new Map(rows.map(({ count, name }) => [name, count]))
  )

/** Runs a step, and gives what it did to the tables and indexes of before. */
const observe = (sql: SqlClient.SqlClient, step: Step.Step, known: ReadonlySet<string>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const before = yield* files(sql)
      const tables = yield* sql<{ readonly oid: string; readonly name: string }>`
        select oid::text, relname as name from pg_class
        where relnamespace = 'simplan'::regnamespace and relkind in ('r', 'p') and not relispartition`
      const nameOf = new Map(tables.map(({ name, oid }) => [oid, name]))
      const read = yield* scans(sql)
      for (const text of Step.statements(step)) yield* sql.unsafe(text).unprepared
      const held = yield* sql<{ readonly oid: string; readonly mode: string }>`
        select relation::text as oid, mode from pg_locks where pid = pg_backend_pid() and granted and relation is not null`
      const locks = held.map(({ mode, oid }) => ({ mode, name: nameOf.get(oid) ?? "" }))
      const readThen = yield* scans(sql)
      const after = yield* files(sql)
      const all = locks.filter(({ mode, name }) => known.has(name) && mode === "AccessExclusiveLock")
      const writes = locks.filter(({ mode, name }) => known.has(name) && WRITES.includes(mode))
      const observed: Observed = {
        blocked: Object.fromEntries([
          ...writes.map(({ name }): [string, Step.Blocks] => [name, "writes"]),
          ...all.map(({ name }): [string, Step.Blocks] => [name, "reads and writes"])
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
const promised = (step: Step.Step, known: ReadonlySet<string>): Observed => {
  const { blocks, tables, work } = Plan.ofTables(Step.impact(step), known)
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
  onDatabase("says of each step what it blocks and scans, and none makes a table anew", function* (sql) {
    yield* migrate(sql, 0)
    yield* fill(sql, 20)
    yield* sql`set enable_bitmapscan = off`
    yield* sql`set enable_indexscan = off`
    const kinds = new Set<string>()
    for (const { name, steps } of Migrations.numbered(chain).slice(Migrations.latest)) {
      const known = yield* knownTo(sql)
      for (const step of steps) {
        kinds.add(step._tag)
        const found = yield* observe(sql, step, known)
        const { scanned, ...said } = promised(step, known)
        expect({ name, step, ...found, scanned: found.scanned.toSorted() }).toEqual({
          name,
          step,
          ...said,
          scanned: scanned.toSorted()
        })
      }
    }
    expect([...kinds].sort()).toEqual(["Columns", "Drop", "Function", "Index", "Statement", "Table", "Trigger"])
  })

  onDatabase("does not fit a statement that makes a table anew, though it says another thing", function* (sql) {
    yield* migrate(sql, 0)
    yield* fill(sql, 20)
    const text = "alter table simplan.sim add column token text not null default gen_random_uuid()::text"
    const said = { does: "adds token", tables: ["sim"], blocks: "reads and writes", work: "none" } as const
    const step = Step.Step.Statement({ ...said, text })
    const known = yield* knownTo(sql)
    const found = yield* observe(sql, step, known)
    expect(found).not.toEqual(promised(step, known))
    expect(found.rewritten).toContain("sim")
  })

  onDatabase("has the rows and the sizes of the tables, and holds a lock until the migration ends", function* (sql) {
    yield* migrate(sql, 0)
    yield* fill(sql, 3_000)
    yield* sql`analyze`
    const pending = yield* Plan.of(sql, schema, chain)
    expect(pending.map(({ name, number }) => `${number} ${name}`)).toEqual([
      `${numberOf(1)} remarks`,
      `${numberOf(2)} remarked_sims`,
      `${numberOf(3)} no_remarks`
    ])
    const steps = pending[0]?.steps ?? []
    expect(steps).toMatchObject([
      { does: "adds remark, remarks", tables: ["sim"], blocks: "reads and writes", rows: 3_000, seconds: 0 },
      { does: "creates the table remark", tables: [], blocks: "nothing", rows: 0, blockedSeconds: 0 },
      { does: "makes the function remarked", tables: [], blocks: "nothing" },
      { does: "creates the trigger sim_remarked", tables: ["sim"], blocks: "writes" },
      { does: "changes rows", tables: ["sim"], blocks: "nothing", work: "scan", blockedSeconds: 0 },
      { does: "fills the table remark", tables: ["sim"], blocks: "nothing", work: "copy", blockedSeconds: 0 },
      { does: "drops the index sim_listed_by_kind", tables: ["sim"], blocks: "reads and writes", blockedSeconds: 0 }
    ])
    const [added, , , , changed, filled] = steps
    expect(added?.bytes).toBeGreaterThan(3_000 * 100)
    expect(filled?.seconds).toBeGreaterThan(0)
    expect(added?.blockedSeconds).toBe((filled?.seconds ?? 0) + (changed?.seconds ?? 0))
    expect(pending[1]?.steps).toMatchObject([
      { does: "creates the index sim_remarks", blocks: "writes", work: "index" },
      { does: "creates the index subscription_folded", blocks: "writes", work: "folded index" }
    ])
    yield* migrate(sql)
    expect(yield* Plan.of(sql, schema, chain)).toEqual([])
  })
})

describe("A migration of a database that is used", () => {
  onDatabase("waits for a lock without holding up others, and holds nothing of another migration", function* (sql) {
    yield* migrate(sql, 2)
    yield* fill(sql, 10)
    const [reader, other, migrating] = [yield* admin(url()), yield* admin(url()), yield* admin(url())]
    const audited: Migrations.Migration = {
      name: "audited",
      steps: [Step.Step.Columns({ table: "audit_entry", columns: { note: { type: "text" } } })]
    }
    const held = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* reader`begin`
        yield* reader`select from simplan.audit_entry`
        const started = yield* Effect.forkScoped(Migrations.run(migrating, schema, [...chain, audited]))
        // The last one is done, and this one waits for the reader.
        const had = other<{ readonly number: number }>`select max(migration_id) as number from simplan.migration`
        yield* Effect.repeat(had, { until: ([row]) => row?.number === numberOf(3) })
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
    expect(held).toBe(numberOf(3))
    expect(yield* Plan.of(sql, schema, [...chain, audited])).toEqual([])
  })

  onDatabase("builds an index on a large table while others read and write, in one process alone", function* (sql) {
    yield* migrate(sql, 1)
    yield* fillLarge(sql)
    const [writer, other, first, second] = yield* Effect.all([admin(url()), admin(url()), admin(url()), admin(url())])
    const [planned] = yield* Plan.of(sql, schema, chain)
    expect(planned).toMatchObject({
      number: numberOf(2),
      steps: [
        { does: "creates the index sim_remarks while others read and write", blocks: "nothing", blockedSeconds: 0 },
        { does: "creates the index subscription_folded", blocks: "writes" }
      ]
    })
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* writer`begin`
        yield* writer`update simplan.sim set label = 'Blue' where iccid = '1'`
        const started = yield* Effect.forkScoped(migrate(first, 2), { startImmediately: true })
        const waits = other`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like 'create index concurrently sim_remarks%'`
        yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
        const again = yield* Effect.forkScoped(migrate(second, 2), { startImmediately: true })
        const asks = other`
          select from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory_lock(%'
            and query not like '%pg_stat_activity%'`
        yield* Effect.repeat(asks, { until: (rows) => rows.length > 0 })
        yield* other`set statement_timeout = '5s'`
        yield* other`update simplan.sim set label = 'Red' where iccid = '2'`
        yield* other`select from simplan.sim where iccid = '3'`
        yield* writer`commit`
        yield* Fiber.join(started)
        yield* Fiber.join(again)
      })
    )
    expect(yield* validity(sql)).toEqual([{ valid: true }])
    expect(yield* Plan.of(sql, schema, PlantedVersions.upTo(2))).toEqual([])
  })

  for (const [size, filled] of [
    ["large", fillLarge],
    ["small", (sql: SqlClient.SqlClient) => fill(sql, 10)]
  ] as const) {
    onDatabase(`builds anew an index on a ${size} table that an ended process has left`, function* (sql) {
      yield* migrate(sql, 1)
      yield* filled(sql)
      yield* sql`create index sim_remarks on simplan.sim (organization_id)`
      yield* sql`update pg_index set indisvalid = false where indexrelid = 'simplan.sim_remarks'::regclass`
      yield* migrate(sql, 2)
      expect(yield* validity(sql)).toEqual([{ valid: true }])
      const [made] = yield* sql`select pg_get_indexdef('simplan.sim_remarks'::regclass) as text`
      expect(made).toMatchObject({ text: expect.stringContaining("(remark IS NOT NULL)") })
    })
  }
})
