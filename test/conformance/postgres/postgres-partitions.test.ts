/**
 * Report ids are partitioned by days, which are made ahead and dropped as a whole (rule R1).
 */
import { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { Time, UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { type Adapter, admin, connect, iccidOf, newSims, on } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const org = "org"
const now = Date.now()
const day = UsageBook.dayOf(now)

/** The name of the partition of a day, so many days from now. */
const partition = (offset: number): string =>
  `taken_report_${UsageBook.dateOf(day + offset * Time.DAY).replaceAll("-", "_")}`

const start = (adapter: Adapter) =>
  on(adapter, (storage) =>
    Effect.andThen(
      storage.commit({ organizations: [{ organizationId: org, name: org, createdAt: 0 }] }),
      storage.sims.import(newSims(org, 0, 1))
    )
  )

const take = (adapter: Adapter, seen: Readonly<Record<string, number>>) =>
  on(adapter, (storage) =>
    storage.commit({
      reports: {
        seen: Object.entries(seen).map(([reportId, receivedAt]) => ({ organizationId: org, reportId, receivedAt }))
      }
    })
  )

/** Which of the ids are known. */
const known = (adapter: Adapter, reportIds: ReadonlyArray<string>, seenSince = 0) =>
  on(adapter, (storage) =>
    Effect.map(
      storage.simAggregates.forReports({
        iccids: [{ iccid: iccidOf(0), since: now, packageIds: [], reportIds }],
        seenSince
      }),
      ([found]) => (found?.seen ?? []).toSorted()
    )
  )

const purge = (adapter: Adapter, offset: number) =>
  on(adapter, (storage) =>
    storage.purgeReports({ before: day + (offset - 35) * Time.DAY, now: now + offset * Time.DAY })
  )

/** The partitions of days, and what is in the default one. */
const partitions = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string; readonly rest: string }>`
      select inhrelid::regclass::text as name, (select count(*)::text from simplan.taken_report_default) as rest
      from pg_inherits where inhparent = 'simplan.taken_report'::regclass order by 1`,
    (found) => ({
      days: found.map(({ name }) => name.replace("simplan.", "")).filter((name) => !name.endsWith("_default")),
      rest: Number(found[0]?.rest)
    })
  )

const days = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => partition(from + index))

const count = (sql: SqlClient.SqlClient, table: string) =>
  Effect.map(
    sql.unsafe<{ readonly count: number }>(`select count(*)::int as count from ${table}`),
    ([row]) => row?.count
  )

describe("Report ids on PostgreSQL", () => {
  Tests.scoped("are in partitions of days, which are made two days ahead and dropped once they are old", function* () {
    const sql = yield* admin(url())
    const adapter = yield* connect(url())
    yield* start(adapter)
    expect(yield* partitions(sql)).toEqual({ days: days(-1, 2), rest: 0 })
    yield* take(adapter, { yesterday: day - 1, today: now })
    expect(yield* count(sql, `simplan.${partition(0)}`)).toBe(1)
    yield* purge(adapter, 1)
    expect(yield* partitions(sql)).toEqual({ days: days(-1, 3), rest: 0 })
    yield* purge(adapter, 34)
    expect(yield* known(adapter, ["yesterday", "today"])).toEqual(["today", "yesterday"])
    yield* purge(adapter, 35)
    expect(yield* known(adapter, ["yesterday", "today"])).toEqual(["today"])
    const { days: left } = yield* partitions(sql)
    expect(left[0]).toBe(partition(0))
    expect(left.at(-1)).toBe(partition(37))
    yield* purge(adapter, 36)
    expect(yield* known(adapter, ["yesterday", "today"])).toEqual([])
  })

  Tests.scoped(
    "of a day without a partition are found, and moved into one that is made for them, or stay where they are many",
    function* () {
      const sql = yield* admin(url())
      const adapter = yield* connect(url())
      yield* start(adapter)
      yield* take(adapter, { few: now + 9 * Time.DAY })
      yield* sql`
        insert into simplan.taken_report
        select ${org}::text, 'many ' || number, ${now + 20 * Time.DAY}::bigint from generate_series(1, 25000) number`
      expect(yield* partitions(sql)).toEqual({ days: days(-1, 2), rest: 25_001 })
      expect(yield* known(adapter, ["few", "many 7"], now + Time.DAY)).toEqual(["few", "many 7"])
      yield* purge(adapter, 0)
      expect(yield* partitions(sql)).toEqual({ days: [...days(-1, 2), partition(9)], rest: 25_000 })
      expect(yield* known(adapter, ["few", "many 7"], now + Time.DAY)).toEqual(["few", "many 7"])
      yield* purge(adapter, 55)
      expect(yield* known(adapter, ["few", "many 7"])).toEqual(["many 7"])
      yield* purge(adapter, 56)
      expect(yield* partitions(sql)).toEqual({ days: days(54, 58), rest: 0 })
    }
  )

  Tests.scoped("are kept by a role that may make and drop no tables", function* () {
    const sql = yield* admin(url())
    const adapter = yield* connect(url())
    yield* start(adapter)
    yield* take(adapter, { yesterday: day - 1 })
    const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const role = `service_of_${database?.name}`
    yield* sql.unsafe(`create role ${role}`)
    yield* Effect.addFinalizer(() =>
      Effect.orDie(Effect.andThen(sql.unsafe(`drop owned by ${role}`), sql.unsafe(`drop role ${role}`)))
    )
    yield* sql.unsafe(`grant usage on schema simplan to ${role}`)
    yield* sql.unsafe(`grant select, insert, update, delete on all tables in schema simplan to ${role}`)
    yield* sql.unsafe(`grant execute on all functions in schema simplan to ${role}`)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(`set local role ${role}`)
        const tomorrow = now + Time.DAY
        for (const step of ["more", "more", "done"]) {
          const found =
            yield* sql`select simplan.keep_partitions('reports', ${day}::bigint, ${tomorrow}::bigint) as step`
          expect(found).toEqual([{ step }])
        }
        yield* sql`insert into simplan.taken_report values (${org}, 'later', ${now + 3 * Time.DAY}::bigint)`
      })
    )
    expect(yield* partitions(sql)).toEqual({ days: days(0, 3), rest: 0 })
    expect(yield* known(adapter, ["yesterday", "later"])).toEqual(["later"])
  })

  Tests.scoped("are dropped later while a transaction has the table, which holds up nobody for long", function* () {
    const [sql, reader, other] = [yield* admin(url()), yield* admin(url()), yield* admin(url())]
    const adapter = yield* connect(url())
    yield* start(adapter)
    yield* take(adapter, { yesterday: day - 1 })
    const step = Effect.map(
      other<{
        readonly step: string
      }>`select simplan.keep_partitions('reports', ${day}::bigint, ${now}::bigint) as step`,
      ([row]) => row?.step
    )
    const heldUp = yield* reader.withTransaction(
      Effect.gen(function* () {
        yield* reader`select 1 from simplan.taken_report limit 1`
        let longest = 0
        const innocent = Effect.forever(
          Effect.gen(function* () {
            const begun = performance.now()
            yield* known(adapter, ["yesterday"])
            longest = Math.max(longest, performance.now() - begun)
          })
        )
        const asking = yield* Effect.forkChild(innocent)
        for (let times = 0; times < 5; times++) expect(yield* step).toBe("busy")
        yield* Fiber.interrupt(asking)
        return longest
      })
    )
    // It waits for a lock for 70 ms. The rest is for a machine that is busy.
    expect(heldUp).toBeLessThan(1_000)
    expect(yield* known(adapter, ["yesterday"])).toEqual(["yesterday"])
    expect(yield* step).toBe("more")
    expect(yield* known(adapter, ["yesterday"])).toEqual([])
    expect(yield* partitions(sql)).toEqual({ days: days(0, 2), rest: 0 })
  })
})
