/**
 * A partition is made, and rows are moved into it, while no statement uses its table: no write is
 * refused for it, and no read misses a row, in whatever order they come. Each order is made by
 * transactions that are left open.
 */
import { Effect, Fiber, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { Time, UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Databases from "../../../setup/databases/Databases.ts"
import { type Adapter, admin, connect, iccidOf, newSims, on } from "../PostgresWorld.ts"
import * as Tests from "../../../setup/Tests.ts"

const url = Databases.forEachTest()

const organizationId = "org"
const iccid = iccidOf(0)

/** A day for which there is no partition until it is made. */
const far = UsageBook.dayOf(Time.addMonths(UsageBook.monthOf(Date.now()), 20) + 14 * Time.DAY)

interface Book {
  /** The tables whose partitions are made together. */
  readonly tables: ReadonlyArray<string>
  /** Makes the next partition. */
  readonly step: (sql: SqlClient.SqlClient, at: number) => Effect.Effect<ReadonlyArray<{ step: string }>, unknown>
  readonly write: (adapter: Adapter, id: string) => Effect.Effect<unknown, unknown>
  /** The names of what was written, or for how many writes the bytes are. */
  readonly read: (adapter: Adapter) => Effect.Effect<ReadonlyArray<string> | number, unknown>
  readonly all: (ids: ReadonlyArray<string>) => ReadonlyArray<string> | number
}

const BYTES = 7

const days = { from: far, until: far + Time.DAY }

const books: Readonly<Record<string, Book>> = {
  "audit entries": {
    tables: ["audit_entry"],
    step: (sql, at) => sql<{ step: string }>`select simplan.keep_partitions('audit entries', 0, ${at}::bigint) as step`,
    write: (adapter, entryId) => {
      const unattributed = { iccid: null, address: null, requestId: null, changed: null, reason: null }
      const entry = { organizationId, entryId, createdAt: far, actor: "host", action: "plan.create" } as const
      return on(adapter, (storage) =>
        storage.commit({ auditEntries: [{ ...entry, resourceId: entryId, ...unattributed }] })
      )
    },
    read: (adapter) =>
      on(adapter, (storage) => {
        const any = { from: null, to: null, actor: null, action: null, resourceId: null, after: null, limit: 100 }
        return Effect.map(storage.auditEntries.page({ organizationId, ...any }), ({ items }) =>
          items.map(({ entryId }) => entryId).toSorted()
        )
      }),
    all: (ids) => ids
  },
  "ids of reports": {
    tables: ["taken_report"],
    step: (sql, at) => sql<{ step: string }>`select simplan.keep_partitions('reports', 0, ${at}::bigint) as step`,
    write: (adapter, reportId) =>
      on(adapter, (storage) => storage.commit({ reports: { seen: [{ organizationId, reportId, receivedAt: far }] } })),
    read: (adapter) =>
      on(adapter, (storage) =>
        Effect.map(
          storage.simAggregates.forReports({
            iccids: [{ iccid, since: far, packageIds: [], reportIds: ["first", "second"] }],
            seenSince: 0
          }),
          ([found]) => (found?.seen ?? []).toSorted()
        )
      ),
    all: (ids) => ids
  },
  "usage by SIM": {
    tables: ["usage_entry", "usage_total"],
    step: (sql, at) => sql<{ step: string }>`select simplan.keep_partitions('usage', 0, ${at}::bigint) as step`,
    write: (adapter) => addUsage(adapter),
    read: (adapter) =>
      on(adapter, (storage) =>
        Effect.map(
          storage.usage.entries({ organizationId, iccid, ...days, after: null, limit: 10 }),
          (found) => found.reduce((sum, { bytes }) => sum + bytes, 0) / BYTES
        )
      ),
    all: (ids) => ids.length
  },
  "usage of organizations": {
    tables: ["usage_entry", "usage_total"],
    step: (sql, at) => sql<{ step: string }>`select simplan.keep_partitions('usage', 0, ${at}::bigint) as step`,
    write: (adapter) => addUsage(adapter),
    read: (adapter) =>
      on(adapter, (storage) =>
        Effect.map(
          storage.usage.totals({ organizationId, ...days, by: ["day"], after: null, limit: 800 }),
          (found) => found.reduce((sum, { bytes }) => sum + bytes, 0) / BYTES
        )
      ),
    all: (ids) => ids.length
  }
}

const addUsage = (adapter: Adapter) => {
  const booked = { attachmentId: "a", planId: "p", label: "Green", countryAlpha2: "FR" } as const
  return on(adapter, (storage) =>
    storage.commit({ reports: { usage: [{ organizationId, iccid, day: far, bytes: BYTES, ...booked }] } })
  )
}

const start = (adapter: Adapter) =>
  on(adapter, (storage) =>
    Effect.andThen(
      storage.commit({ organizations: [{ organizationId, name: "Org", createdAt: 0 }] }),
      storage.sims.import(newSims(organizationId, 0, 1))
    )
  )

/** Makes all partitions around the day. */
const keep = ({ step }: Book, sql: SqlClient.SqlClient) =>
  Effect.repeat(step(sql, far), { until: ([found]) => found?.step !== "more" })

/** Waits until a statement of another connection waits for a lock. */
const blocked = (sql: SqlClient.SqlClient) =>
  Effect.repeat(
    sql`select pid from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
    {
      until: (waiting) => waiting.length > 0,
      schedule: Schedule.spaced("5 millis")
    }
  )

/** How many rows the default partitions have. */
const left = ({ tables }: Book, sql: SqlClient.SqlClient) =>
  Effect.map(
    Effect.forEach(tables, (table) =>
      sql.unsafe<{ readonly count: number }>(`select count(*)::int as count from simplan.${table}_default`)
    ),
    (found) => found.flat().reduce((sum, { count }) => sum + count, 0)
  )

/**
 * Runs what comes while the partitions are made and not committed yet; it has to wait, and ends
 * after the commit.
 */
const meanwhile = Effect.fnUntraced(function* <A, E>(
  {
    book,
    keeper,
    sql
  }: { readonly book: Book; readonly keeper: SqlClient.SqlClient; readonly sql: SqlClient.SqlClient },
  effect: Effect.Effect<A, E>
) {
  const fiber = yield* keeper.withTransaction(
    Effect.gen(function* () {
      expect((yield* keep(book, keeper))[0]?.step).toBe("done")
      const begun = yield* Effect.forkChild(effect, { startImmediately: true })
      yield* blocked(sql)
      return begun
    })
  )
  return yield* Fiber.join(fiber)
})

const open = Effect.fnUntraced(function* (book: Book) {
  const [keeper, sql] = [yield* admin(url()), yield* admin(url())]
  const adapter = yield* connect(url(), 1)
  yield* start(adapter)
  return { book, keeper, sql, adapter }
})

describe.each(Object.entries(books))("%s", (_, book) => {
  Tests.scoped("are written while partitions are made for them", function* () {
    const world = yield* open(book)
    yield* meanwhile(world, book.write(world.adapter, "first"))
    expect(yield* left(book, world.sql)).toBe(0)
    expect(yield* book.read(world.adapter)).toEqual(book.all(["first"]))
  })

  Tests.scoped("are written while those before them are moved", function* () {
    const world = yield* open(book)
    yield* book.write(world.adapter, "first")
    expect(yield* left(book, world.sql)).toBeGreaterThan(0)
    yield* meanwhile(world, book.write(world.adapter, "second"))
    expect(yield* left(book, world.sql)).toBe(0)
    expect(yield* book.read(world.adapter)).toEqual(book.all(["first", "second"]))
  })

  describe.each([0, 10])("after %i reads on the same connection", (reads) => {
    Tests.scoped("are all read while they are moved", function* () {
      const world = yield* open(book)
      yield* book.write(world.adapter, "first")
      for (let times = 0; times < reads; times++) yield* book.read(world.adapter)
      expect(yield* meanwhile(world, book.read(world.adapter))).toEqual(book.all(["first"]))
      expect(yield* left(book, world.sql)).toBe(0)
    })
  })

  Tests.scoped(
    "keep partitions from being made while a transaction writes them, and are moved afterwards",
    function* () {
      const { adapter, keeper, sql } = yield* open(book)
      yield* book.write(adapter, "first")
      yield* sql.withTransaction(
        Effect.gen(function* () {
          for (const table of book.tables)
            yield* sql.unsafe(`update simplan.${table} set organization_id = organization_id`)
          expect(yield* book.step(keeper, far)).toEqual([{ step: "busy" }])
        })
      )
      yield* keep(book, keeper)
      expect(yield* left(book, sql)).toBe(0)
      expect(yield* book.read(adapter)).toEqual(book.all(["first"]))
    }
  )

  Tests.scoped("have their partitions made by one of two processes", function* () {
    const { keeper, sql } = yield* open(book)
    yield* keeper.withTransaction(
      Effect.gen(function* () {
        yield* keep(book, keeper)
        expect(yield* book.step(sql, far)).toEqual([{ step: "busy" }])
      })
    )
    expect(yield* book.step(sql, far)).toEqual([{ step: "done" }])
  })
})
