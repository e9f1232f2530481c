/**
 * Whatever is stored can be read, and one read never fails another (rule W9): rows that are larger
 * than any limit allows, a message that the client refuses for its size, and connections that the
 * database ends under load.
 */
import { Effect, Exit, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import { describe, expect } from "vitest"
import fc from "fast-check"
import * as NoteWords from "../../../adapters/postgres/migrations/NoteWords.ts"
import * as SimSearch from "../../../src/domain/SimSearch.ts"
import * as Subscription from "../../../src/domain/Subscription.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { connect, inService, newSims, on, terms } from "./PostgresWorld.ts"
import * as Values from "../../domain/Values.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const ORGANIZATION = "org"
const MIB = 1_048_576
const page = { organizationId: ORGANIZATION, after: null, limit: 100 }

const plan = (planId: string) => Values.plan({ organizationId: ORGANIZATION, planId, terms, createdAt: 1, version: 0 })

/** A storage with so many SIMs in service and two plans, and the client beside it. */
const stocked = Effect.fnUntraced(function* (count: number) {
  const adapter = yield* connect(url(), 4)
  const storage = yield* Effect.provide(Storage.Storage, adapter)
  const sql = yield* Effect.provide(SqlClient.SqlClient, adapter)
  yield* storage.sims.import(newSims(ORGANIZATION, 0, count))
  const sims = yield* storage.sims.page({ ...page, isEsim: null, label: null })
  yield* storage.commit({
    plans: [plan("small"), plan("large")],
    sims: sims.map((sim, index) => inService(sim, `subscription-${index}`, index))
  })
  return { adapter, sql, storage, iccids: sims.map(({ iccid }) => iccid) }
})

/** The server's processes behind the adapter's connections. */
const backends = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly pid: number }>`
      select pid from pg_stat_activity
      where application_name = 'simplan' and datname = current_database() order by pid`,
    (rows) => rows.map(({ pid }) => pid)
  )

describe("Rows of any size (W9)", () => {
  Tests.scoped("are listed, and no message is too large for its connection", function* () {
    const { iccids, sql, storage } = yield* stocked(18)
    const large = "x".repeat(MIB)
    yield* sql`update simplan.subscription set metadata = repeat('x', ${MIB}::int)`
    yield* sql`
        update simplan.sim set location = jsonb_build_object(
          'countryAlpha2', 'FR', 'operator', repeat('x', ${MIB}::int), 'rat', '4G', 'imei', '1', 'at', 1
        ) where import_sequence % 2 = 0`
    yield* storage.plans.get(plan("small"))
    const before = yield* backends(sql)
    const subscriptions = yield* storage.subscriptions.page(page)
    expect(subscriptions.map(({ sim }) => sim.iccid)).toEqual(iccids)
    expect(subscriptions.every(({ subscription }) => subscription.metadata === large)).toBe(true)
    const sims = yield* storage.sims.page({ ...page, isEsim: null, label: null })
    expect(sims.map(({ iccid }) => iccid)).toEqual(iccids)
    expect(sims.filter(({ location }) => location?.operator === large)).toHaveLength(9)
    const third = subscriptions[2]?.subscription
    const after = { createdAt: third?.createdAt ?? 0, id: third?.subscriptionId ?? "" }
    const next = yield* storage.subscriptions.page({ ...page, after, limit: 5 })
    expect(next.map(({ sim }) => sim.iccid)).toEqual(iccids.slice(3, 8))
    expect(yield* backends(sql)).toEqual(before)
  })

  Tests.scoped("fail their own read alone, where one is too large for any connection", function* () {
    const { iccids, sql, storage } = yield* stocked(4)
    yield* sql`
        update simplan.plan set terms = terms || jsonb_build_object('name', repeat('x', ${17 * MIB}::int))
        where plan_id = 'large'`
    const reads = Array.from({ length: 120 }, (_, index) => {
      const of = { organizationId: ORGANIZATION, iccid: iccids[index % 4] ?? "" }
      const each: ReadonlyArray<Effect.Effect<unknown, Storage.StorageError>> = [
        storage.plans.get(plan("small")),
        storage.subscriptions.get(of),
        storage.simAggregates.get(of),
        storage.regions.page(page),
        storage.subscriptions.page(page)
      ]
      return each[index % 5] ?? Effect.void
    })
    const tooLarge = Effect.exit(storage.plans.get(plan("large")))
    for (let round = 0; round < 2; round++) {
      const [failed, ...others] = yield* Effect.all([tooLarge, ...reads.map(Effect.exit)], {
        concurrency: "unbounded"
      })
      expect(failed).toMatchObject({ _tag: "Failure" })
      expect(others.filter(Exit.isFailure)).toEqual([])
    }
    const found = yield* storage.plans.get(plan("small"))
    expect(found?.planId).toBe("small")
  })
})

describe("A subscription that is full (W9)", () => {
  Tests.scoped("is read as a whole, and so are its attachments", function* () {
    const { iccids, sql, storage } = yield* stocked(1)
    const of = { organizationId: ORGANIZATION, iccid: iccids[0] ?? "" }
    const loaded = yield* Effect.fromNullishOr(yield* storage.simAggregates.get(of))
    const length = Subscription.SIZE_LIMIT / 8 - 2_048
    const attachments = loaded.attachments.flatMap(({ attachment }) =>
      Array.from({ length: 8 }, (_, index) => ({
        attachment: { ...attachment, attachmentId: `attachment-${index}`, createdAt: index },
        packages: []
      }))
    )
    yield* storage.commit({ sims: [{ loaded, next: { ...loaded, attachments } }] })
    yield* sql`update simplan.attachment set metadata = repeat('x', ${length}::int)`
    const aggregate = yield* storage.simAggregates.get(of)
    const size = Subscription.sizeOf((aggregate?.attachments ?? []).map(({ attachment }) => attachment))
    expect(size).toBeGreaterThan(Subscription.SIZE_LIMIT * 0.99)
    expect(aggregate?.attachments.map(({ attachment }) => attachment.metadata.length)).toEqual(Array(8).fill(length))
    expect(yield* storage.subscriptions.attachments(of)).toMatchObject({ attachments: aggregate?.attachments })
  })
})

describe("Connections that the database ends (W9)", () => {
  Tests.scoped("fail no read, however many are under way", function* () {
    const { iccids, storage } = yield* stocked(4)
    const other = yield* connect(url(), 1)
    const outside = yield* Effect.provide(SqlClient.SqlClient, other)
    let ended = 0
    // The reads under way begin so. The database shows only the first 1,023 characters of a
    // statement.
    const end = Effect.map(
      outside<{ readonly ended: boolean }>`
          select pg_terminate_backend(pid) as ended from pg_stat_activity
          where application_name = 'simplan' and datname = current_database() and pid <> pg_backend_pid()
            and query ~ '^\\s*select (json_build_object|case when octet_length)'
          order by query_start desc limit 1`,
      (rows) => {
        ended += rows.length
      }
    )
    const ending = yield* Effect.forkChild(Effect.repeat(end, Schedule.spaced("60 millis")))
    const read = (index: number) =>
      storage.subscriptions.get({ organizationId: ORGANIZATION, iccid: iccids[index % 4] ?? "" })
    const lists = Effect.forEach(Array.from({ length: 100 }), () => Effect.exit(storage.subscriptions.page(page)), {
      concurrency: 20
    })
    const singles = Effect.forEach(Array.from({ length: 500 }), (_, index) => Effect.exit(read(index)), {
      concurrency: 50
    })
    // A fast machine reads all of these between two ends, so the readers go on until there were
    // three.
    const failed: Array<Exit.Exit<unknown, unknown>> = []
    while (ended < 3) {
      const [listed, found] = yield* Effect.all([lists, singles], { concurrency: "unbounded" })
      failed.push(...listed.filter(Exit.isFailure), ...found.filter(Exit.isFailure))
    }
    yield* Fiber.interrupt(ending)
    expect(failed).toEqual([])
    expect(yield* Effect.exit(on(other, (same) => same.ready))).toMatchObject({ _tag: "Success" })
  })
})

describe("What a search folds", () => {
  Tests.scoped("is folded by the database as by the domain", function* () {
    const { sql } = yield* stocked(1)
    const texts = yield* Effect.sync(() => [
      "",
      "Order 17",
      "A".repeat(100),
      `${"a".repeat(63)}ÉÉ`,
      Array.from({ length: 0x21_00 }, (_, code) => (code === 0 ? "x" : String.fromCharCode(code))).join(""),
      ...Array.from({ length: 40 }, (_, part) =>
        String.fromCharCode(...Array.from({ length: 200 }, (_, at) => 1 + part * 200 + at))
      ),
      `${"é ".repeat(127)}ab 😀c`,
      ...fc.sample(fc.string({ maxLength: 80 }), 300),
      ...fc.sample(fc.string({ maxLength: 80, unit: fc.constantFrom(..."AZaz09ÀÞŁłΏΩЀЯßẞİı😀𐐀 _") }), 300)
    ])
    const rows = yield* sql<{ readonly folded: string; readonly words: ReadonlyArray<string> }>`
      select simplan.folded(text) as folded, ${sql.literal(NoteWords.words("text"))} as words
      from json_array_elements_text(${JSON.stringify(texts)}::json) with ordinality given (text, at) order by at`
    expect(rows.map(({ folded }) => folded)).toEqual(texts.map(SimSearch.folded))
    expect(rows.map(({ words }) => [...new Set(words)])).toEqual(texts.map(SimSearch.words))
  })
})

describe("The buckets of the words inside metadata (L4)", () => {
  Tests.scoped("hold each row, each one as many as all before it", function* () {
    const { sql } = yield* stocked(1)
    const hexadecimal = Array.from({ length: 4_096 }, (_, at) => `id-${at.toString(16).padStart(3, "0")}`)
    const bucketsOf = (ids: ReadonlyArray<string>) =>
      Effect.map(
        sql<{ readonly bucket: string; readonly count: number }>`
          select ${sql.literal(NoteWords.bucketOfRow("subscription"))} as bucket, count(*)::int as count
          from json_array_elements_text(${JSON.stringify(ids)}::json) subscription (subscription_id) group by 1`,
        (rows) => new Map(rows.map(({ bucket, count }) => [bucket, count]))
      )
    const counts = yield* bucketsOf(hexadecimal)
    expect(NoteWords.buckets.map((bucket) => counts.get(bucket) ?? 0)).toEqual([
      ...[0, 16, 16, 32, 64, 128, 256, 512, 1_024, 2_048]
    ])
    const others = yield* Effect.sync(() => [
      ...["", "0", "z0", "00", "Z", "A", "F0", "é", "😀0", " ", "0 "],
      ...fc.sample(fc.string({ maxLength: 4, unit: "grapheme" }), 300)
    ])
    expect([...(yield* bucketsOf(others)).keys()].filter((bucket) => !NoteWords.buckets.includes(bucket))).toEqual([])
  })
})

describe("A search that goes over as many attachments as it looks at (L4)", () => {
  Tests.scoped("says that it may find more", function* () {
    const { iccids, sql, storage } = yield* stocked(1)
    const iccid = iccids[0] ?? ""
    yield* sql`insert into simplan.organization (organization_id, name, created_at) values (${ORGANIZATION}, 'Acme', 0)`
    const attached = (from: number, to: number, subscriptionId: string, metadata: string) => sql`
      insert into simplan.attachment (organization_id, attachment_id, subscription_id, iccid, plan_id, terms, metadata, created_at, confirmed,
        last_threshold_notified)
      select ${ORGANIZATION}, 'a-' || i, ${subscriptionId}, ${iccid}, 'small', '{}', ${metadata}, 0, true, 0
      from generate_series(${from}::int, ${to}::int) i`
    // Of a subscription that is gone, before the one that is there.
    yield* attached(1, Storage.SCAN_LIMIT - 2, "gone", "order 1")
    yield* attached(0, 0, "subscription-0", "order 2")
    const search = SimSearch.of("Order")
    if (search === null) return
    const found = (organizationId: string | null) =>
      Effect.map(storage.sims.search({ search, organizationId, limit: 20 }), ({ hasMore, hits }) => [
        hits.map((hit) => hit.iccid),
        hasMore
      ])
    for (const of of [null, ORGANIZATION]) expect(yield* found(of)).toEqual([[iccid], false])
    yield* attached(Storage.SCAN_LIMIT, Storage.SCAN_LIMIT + 1, "gone", "order 1")
    for (const of of [null, ORGANIZATION]) expect(yield* found(of)).toEqual([expect.anything(), true])
  })
})
