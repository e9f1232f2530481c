/**
 * Audit entries are partitioned by months, which are made ahead and dropped as a whole (rule W12). Those of a database from before
 * stay where they are, and processes of the version before find all that they need.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { AuditEntry, Time, UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Migrations from "../../../../adapters/postgres/migrations/Migrations.ts"
import * as Databases from "../../../setup/databases/Databases.ts"
import { type Adapter, admin, connect, on } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

const url = Databases.forEachTest()

const org = "org"
const now = Date.now()
const month = UsageBook.monthOf(now)

/** The first instant of a month, so many months from now. */
const monthAt = (offset: number): number => Time.addMonths(month, offset)

/** The name of the partition of a month, so many months from now. */
const partition = (offset: number): string =>
  `audit_entry_${UsageBook.dateOf(monthAt(offset)).slice(0, 7).replaceAll("-", "_")}`

const months = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => partition(from + index))

const entry = (entryId: string, createdAt: number, organizationId = org): AuditEntry.AuditEntry => ({
  organizationId,
  entryId,
  createdAt,
  actor: "host",
  action: "plan.create",
  resourceId: entryId,
  iccid: null,
  address: null,
  requestId: null,
  reason: null
})

const add = (adapter: Adapter, entries: ReadonlyArray<AuditEntry.AuditEntry>) =>
  on(adapter, (storage) => storage.commit({ auditEntries: entries }))

const all = { from: null, to: null, actor: null, action: null, resourceId: null, after: null, limit: 100 }

const listed = (adapter: Adapter, organizationId = org) =>
  on(adapter, (storage) =>
    Effect.map(storage.auditEntries.page({ organizationId, ...all }), ({ items }) =>
      items.map(({ entryId }) => entryId)
    )
  )

/** Forgets what is older than a month, so many months from now. */
const purge = (adapter: Adapter, offset: number, at = now) =>
  on(adapter, (storage) => storage.purgeAudit({ before: monthAt(offset), now: at }))

const partitions = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string }>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'simplan.audit_entry'::regclass order by 1`,
    (found) => found.map(({ name }) => name.replace("simplan.", "")).filter((name) => !name.endsWith("_default"))
  )

const start = (adapter: Adapter) =>
  on(adapter, (storage) => storage.commit({ organizations: [{ organizationId: org, name: org, createdAt: 0 }] }))

describe("Audit entries on PostgreSQL", () => {
  Tests.scoped(
    "are in partitions of months, which are made two months ahead and dropped once they are old",
    function* () {
      const sql = yield* admin(url())
      const adapter = yield* connect(url())
      yield* start(adapter)
      expect(yield* partitions(sql)).toEqual(months(-1, 2))
      yield* add(adapter, [entry("old", month - 1), entry("new", now), entry("service", month - 1, AuditEntry.SERVICE)])
      yield* add(adapter, [entry("ahead", monthAt(7))])
      yield* purge(adapter, -1, monthAt(1))
      expect(yield* partitions(sql)).toEqual([...months(-1, 3), partition(7)])
      expect(yield* listed(adapter)).toEqual(["ahead", "new", "old"])
      yield* purge(adapter, 0)
      expect(yield* partitions(sql)).toEqual([...months(0, 3), partition(7)])
      expect(yield* listed(adapter)).toEqual(["ahead", "new"])
      expect(yield* listed(adapter, AuditEntry.SERVICE)).toEqual([])
    }
  )

  Tests.scoped("are dropped later while a transaction has the table", function* () {
    const [sql, reader] = [yield* admin(url()), yield* admin(url())]
    const adapter = yield* connect(url())
    yield* add(adapter, [entry("old", month - 1), entry("new", now)])
    const step = sql`select simplan.keep_audit_entries(${month}::bigint, ${now}::bigint) as step`
    yield* reader.withTransaction(
      Effect.gen(function* () {
        yield* reader`select 1 from simplan.audit_entry limit 1`
        expect(yield* step).toEqual([{ step: "busy" }])
        expect(yield* listed(adapter)).toEqual(["new", "old"])
      })
    )
    expect(yield* step).toEqual([{ step: "more" }])
    expect(yield* listed(adapter)).toEqual(["new"])
  })
})

describe("A database with audit entries from before they were partitioned", () => {
  const ours = (name: string): ReadonlyArray<string> =>
    Migrations.all.find((one) => one.name === name)?.statements ?? expect.fail(`There is no migration ${name}`)

  /** Has the table as the version before had left it. */
  const leftAsBefore = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
    yield* Effect.scoped(Effect.flatMap(connect(url()), start))
    yield* sql`drop table simplan.audit_entry`
    yield* sql`drop function simplan.keep_audit_entries`
    const [table = ""] = ours("initial").filter((text) => text.startsWith("create table simplan.audit_entry "))
    for (const text of [table, ...ours("reasons")]) yield* sql.unsafe(text).unprepared
  })

  const migrate = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
    for (const name of ["audit_bound", "audit_bound_validated", "audit_months"]) {
      yield* sql.withTransaction(Effect.forEach(ours(name), (text) => sql.unsafe(text).unprepared))
    }
    return yield* connect(url())
  })

  const put = (sql: SqlClient.SqlClient, id: string, at: number, owner = org) =>
    sql`insert into simplan.audit_entry (organization_id, created_at, entry_id, actor, action, resource_id)
      values (${owner}, ${at}::bigint, ${id}, 'host', 'plan.create', ${id})`

  const fileOf = (sql: SqlClient.SqlClient, table: string) =>
    Effect.map(
      sql<{ readonly file: number }>`select pg_relation_filenode(${`simplan.${table}`}) as file`,
      ([row]) => row?.file
    )

  Tests.scoped(
    "keeps its table as a partition, from which old ones go one by one, until all of it is old",
    function* () {
      const sql = yield* admin(url())
      yield* leftAsBefore(sql)
      yield* put(sql, "older", monthAt(-14))
      yield* put(sql, "old", monthAt(-13))
      yield* put(sql, "new", now)
      yield* put(sql, "service", monthAt(-14), AuditEntry.SERVICE)
      const file = yield* fileOf(sql, "audit_entry")
      const adapter = yield* migrate(sql)
      expect(yield* partitions(sql)).toEqual(months(2, 6))
      expect(yield* fileOf(sql, partition(2))).toBe(file)
      expect(yield* sql`select conname from pg_constraint where conname = 'audit_entry_bound'`).toEqual([])
      yield* add(adapter, [entry("newer", now + 1), entry("next", monthAt(3))])
      expect(yield* listed(adapter)).toEqual(["next", "newer", "new", "old", "older"])
      yield* purge(adapter, -13)
      expect(yield* listed(adapter)).toEqual(["next", "newer", "new", "old"])
      expect(yield* listed(adapter, AuditEntry.SERVICE)).toEqual([])
      yield* purge(adapter, 2, monthAt(4))
      expect(yield* listed(adapter)).toEqual(["next"])
      expect(yield* partitions(sql)).toEqual(months(2, 6))
      yield* purge(adapter, 3, monthAt(5))
      expect(yield* partitions(sql)).toEqual(months(3, 7))
      expect(yield* listed(adapter)).toEqual(["next"])
    }
  )

  Tests.scoped("has old ones deleted in steps of 1,000, the oldest of each organization first", function* () {
    const sql = yield* admin(url())
    yield* leftAsBefore(sql)
    yield* sql`
      insert into simplan.audit_entry (organization_id, created_at, entry_id, actor, action, resource_id)
      select ${org}::text, i, i::text, '', '', '' from generate_series(1, 2500) i`
    yield* migrate(sql)
    for (const [step, left] of [
      ["more", 1_500],
      ["more", 500],
      ["done", 0]
    ] as const) {
      expect(yield* sql`select simplan.keep_audit_entries(${month}::bigint, ${now}::bigint) as step`).toEqual([
        { step }
      ])
      const found = sql`select count(*)::int as left, coalesce(min(created_at), 2501)::int as first from simplan.audit_entry`
      expect(yield* found).toEqual([{ left, first: 2_501 - left }])
    }
  })

  Tests.scoped("has a bound after its newest entry, whatever its business time", function* () {
    const sql = yield* admin(url())
    yield* leftAsBefore(sql)
    yield* put(sql, "far", Date.UTC(2100, 0, 31, 23))
    const adapter = yield* migrate(sql)
    const found = yield* partitions(sql)
    expect(found).toEqual(["audit_entry_2100_03", "audit_entry_2100_04", ...found.slice(2)])
    yield* add(adapter, [entry("last", Date.UTC(2100, 3, 1) - 1), entry("first", Date.UTC(2100, 3, 1))])
    expect(yield* fileOf(sql, "audit_entry_2100_03")).toBeDefined()
    expect(yield* listed(adapter)).toEqual(["first", "last", "far"])
  })

  Tests.scoped("serves who could use it, with the same rights", function* () {
    const sql = yield* admin(url())
    yield* leftAsBefore(sql)
    const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const [owner, role] = [`owner_of_${database?.name}`, `service_of_${database?.name}`]
    for (const name of [owner, role]) yield* sql.unsafe(`create role ${name}`)
    yield* Effect.addFinalizer(() =>
      Effect.orDie(
        Effect.forEach([`drop owned by ${owner}, ${role} cascade`, `drop role ${owner}, ${role}`], (text) =>
          sql.unsafe(text)
        )
      )
    )
    yield* sql.unsafe(`grant usage, create on schema simplan to ${owner}, ${role}`)
    yield* sql.unsafe(`alter table simplan.audit_entry owner to ${owner}`)
    yield* sql.unsafe(`grant select, insert on simplan.audit_entry to ${role}`)
    yield* put(sql, "before", month - 1)
    yield* migrate(sql)
    const as = (name: string, texts: ReadonlyArray<Effect.Effect<unknown, unknown>>) =>
      sql.withTransaction(Effect.andThen(sql.unsafe(`set local role ${name}`), Effect.all(texts)))
    yield* as(role, [put(sql, "new", now), put(sql, "next", monthAt(3))])
    const read = sql`select entry_id from simplan.audit_entry order by created_at`
    const rows = [{ entry_id: "before" }, { entry_id: "new" }, { entry_id: "next" }]
    expect(yield* as(role, [read])).toEqual([rows])
    const remove = sql`delete from simplan.audit_entry where created_at > ${now}::bigint`
    expect((yield* Effect.exit(as(role, [remove])))._tag).toBe("Failure")
    yield* as(owner, [remove])
    expect(yield* read).toEqual(rows.slice(0, 2))
  })
})
