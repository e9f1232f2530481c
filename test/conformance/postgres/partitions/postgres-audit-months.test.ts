/**
 * Audit entries are partitioned by months, which are made ahead and dropped as a whole (rule W12).
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { AuditEntry, Time, UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
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
  changed: null,
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
    const step = sql`select simplan.keep_partitions('audit entries', ${month}::bigint, ${now}::bigint) as step`
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
