/**
 * An upgrade without downtime: a migration works while the version before it still runs.
 *
 * `statements/<version>.json` has the statements of the storage of each version of the schema, as its conformance suite
 * runs them. Those of the version before the newest must go on working on the newest. Set `RECORD_STATEMENTS=1` for this
 * test to record those of the newest version: before another migration is added, and while there is only one version,
 * whenever its statements change.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { StorageSuite } from "simplan/testing"
import { expect, it } from "vitest"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { connect, sending } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const fileOf = (version: number): URL => new URL(`statements/${String(version).padStart(4, "0")}.json`, import.meta.url)

const texts = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))

const recorded = (version: number): ReadonlyArray<string> => texts(readFileSync(fileOf(version), "utf8"))

/** The statements that the suite runs. */
const statements = Effect.gen(function* () {
  const { sent, tracer } = sending()
  const all = Effect.gen(function* () {
    const adapter = yield* connect(url(), 1)
    for (const { effect } of StorageSuite.cases()) yield* Effect.provide(effect, adapter)
  })
  yield* Effect.withTracer(all, tracer)
  const found = new Set(sent.map((text) => text.replace(/\s+/g, " ").trim()))
  return [...found].filter((text) => /^(with|select|insert|update|delete) .*simplan\./.test(text)).sort()
})

/** What of these statements the schema does not serve, and which of its columns they would have to write and do not. */
const unserved = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, texts: ReadonlyArray<string>) {
  const failing: Array<string> = []
  for (const [index, text] of texts.entries()) {
    const prepared = yield* Effect.exit(sql.unsafe(`prepare old_${index} as ${text}`).unprepared)
    if (Exit.isFailure(prepared)) failing.push(text)
    else yield* sql.unsafe(`deallocate old_${index}`).unprepared
  }
  const columns = yield* sql<{ readonly name: string }>`
    select columns.table_name || '.' || columns.column_name as name
    from information_schema.columns
    where columns.table_schema = 'simplan' and columns.is_nullable = 'NO'
      and columns.column_default is null and columns.is_identity = 'NO' and columns.table_name <> 'migration'`
  const joined = texts.join("\n")
  // What they do not write at all may demand anything.
  const written = columns.filter(({ name }) => joined.includes(`simplan.${name.split(".")[0]} `))
  const unwritten = written.filter(({ name }) => !joined.includes(name.split(".")[1] ?? name)).map(({ name }) => name)
  return { failing, unwritten }
})

const onSchema = <A, E>(check: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const adapter = yield* connect(url(), 1)
    return yield* check(yield* Effect.provide(SqlClient.SqlClient, adapter))
  }).pipe(Effect.scoped, Effect.runPromise)

// While there is one version, its own statements are held against it.
const before = Math.max(1, Migrations.latest - 1)

it("the statements of the version before work on the newest schema, and so do their inserts", async () => {
  const old = recorded(before)
  expect(old.length).toBeGreaterThan(80)
  expect(await onSchema((sql) => unserved(sql, old))).toEqual({ failing: [], unwritten: [] })
})

it("a migration that drops, renames or demands a column is found", async () => {
  const old = recorded(before)
  const found = await onSchema((sql) =>
    Effect.gen(function* () {
      yield* sql`alter table simplan.sim rename column recycled_at to last_recycled_at`
      yield* sql`alter table simplan.plan add column demanded_by_later_versions text not null`
      return yield* unserved(sql, old)
    })
  )
  expect(found.failing.length).toBeGreaterThan(0)
  expect(found.unwritten).toEqual(["plan.demanded_by_later_versions"])
})

Tests.scoped("the statements of every version before the newest are recorded", function* () {
  if (process.env.RECORD_STATEMENTS === "1") {
    writeFileSync(fileOf(Migrations.latest), `${JSON.stringify(yield* statements, null, 2)}\n`)
  }
  const versions = Array.from({ length: before }, (_, index) => index + 1)
  expect(versions.filter((version) => !existsSync(fileOf(version)))).toEqual([])
})

it("migration 9 ends the failures that the log has a success after, and no others", async () => {
  const [madeUp = ""] = Migrations.all.find(({ number }) => number === 9)?.statements ?? []
  const found = await onSchema((sql) =>
    Effect.gen(function* () {
      yield* sql`
        insert into simplan.webhook_endpoint (
          organization_id, endpoint_id, url, description, disabled_reason, disabled_at, failing_since, signing_keys,
          created_at, version
        )
        select 'o', endpoint_id, '', '', reason, case when reason is not null then 9 end, 5, '[]', 0, 1
        from (values ('recovered', null), ('failing', null), ('silent', null), ('off', 'Failing')) as of(endpoint_id, reason)`
      yield* sql`
        insert into simplan.delivery (
          organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, last_attempt_at, created_at,
          handler
        )
        select organization_id, endpoint_id || at, '', endpoint_id, status, 1, 1, at, 0, handler
        from (values
          ('o', 'recovered', 'Delivered', 6, null), ('o', 'recovered', 'Failed', 7, null), ('o', 'off', 'Delivered', 6, null),
          ('o', 'failing', 'Delivered', 4, null), ('o', 'failing', 'Failed', 6, null),
          ('o', 'failing', 'Delivered', 8, 'handler'), ('other', 'failing', 'Delivered', 6, null)
        ) as of(organization_id, endpoint_id, status, at, handler)`
      yield* sql.unsafe(madeUp).unprepared
      return yield* sql`
        select endpoint_id || coalesce(' ' || failing_since, '') as name from simplan.webhook_endpoint order by 1`
    })
  )
  expect(found.map(({ name }) => name)).toEqual(["failing 5", "off 5", "recovered", "silent 5"])
})

it("W13: migration 35 counts what is pending, and keeps that true whatever is written", async () => {
  const found = await onSchema((sql) =>
    Effect.gen(function* () {
      const statements = Migrations.all.find(({ name }) => name === "delivery_counts")?.statements ?? []
      yield* sql`drop table simplan.delivery_count`
      yield* sql`drop function simplan.count_deliveries cascade`
      yield* sql`
        insert into simplan.webhook_endpoint (
          organization_id, endpoint_id, url, description, signing_keys, created_at, version
        )
        select 'o' || n % 2, 'w' || n, '', '', '[]', 0, 1 from generate_series(0, 3) n`
      const deliver = (from: number) => sql`
        insert into simplan.delivery (
          organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, last_attempt_at, created_at, handler
        )
        select 'o' || n % 2, 'd' || n, '', 'w' || n % 4, case when n % 3 = 0 then 'Delivered' else 'Pending' end, 1, 1, n, n,
          case when n % 5 = 0 then 'h' end
        from generate_series(${from}::int, ${from}::int + 99) n`
      const compared = sql<{ readonly kept: number; readonly counted: number; readonly at: number }>`
        select coalesce(sum(kept.pending), 0)::int as kept, max(kept.delivered_at)::int as at, (
          select count(*) from simplan.delivery where delivery.organization_id = webhook_endpoint.organization_id
            and delivery.endpoint_id = webhook_endpoint.endpoint_id and status = 'Pending' and handler is null
        )::int as counted
        from simplan.webhook_endpoint
        left join simplan.delivery_count kept using (organization_id, endpoint_id)
        group by organization_id, endpoint_id order by endpoint_id`.unprepared
      yield* deliver(0)
      for (const statement of statements) yield* sql.unsafe(statement).unprepared
      const seen = [yield* compared]
      yield* deliver(100)
      seen.push(yield* compared)
      yield* sql`update simplan.delivery set lease_token = 't'`
      yield* sql`update simplan.delivery set status = 'Failed' where created_at % 7 = 0`
      seen.push(yield* compared)
      yield* sql`update simplan.delivery set status = 'Pending' where created_at % 3 = 0`
      yield* sql`delete from simplan.delivery where created_at % 11 = 0`
      seen.push(yield* compared)
      yield* sql`update simplan.delivery set status = 'Delivered', last_attempt_at = 600 where delivery_id = 'd7'`
      yield* sql`update simplan.delivery set status = 'Failed', last_attempt_at = 700 where delivery_id = 'd2'`
      yield* sql`update simplan.delivery set status = 'Pending', last_attempt_at = 700 where delivery_id = 'd7'`
      seen.push(yield* compared)
      return seen
    })
  )
  for (const rows of found) expect(rows.map(({ kept }) => kept)).toEqual(rows.map(({ counted }) => counted))
  expect(found[0]?.map(({ at }) => at)).toEqual([96, 93, 78, 99])
  expect(found.at(-1)?.map(({ at }) => at)).toEqual([192, 189, 198, 600])
  expect(new Set(found.flatMap((rows) => rows.map(({ kept }) => kept))).size).toBeGreaterThan(5)
})

it("U1: migration 13 gives an attachment that has usage one entry, on no day", async () => {
  const found = await onSchema((sql) =>
    Effect.gen(function* () {
      const statements = Migrations.all.find(({ name }) => name === "usage_book")?.statements ?? []
      yield* sql`drop table simplan.usage_entry, simplan.usage_total`
      yield* sql`drop function simplan.keep_usage_months`
      yield* sql`
        insert into simplan.package (organization_id, attachment_id, occurrence, iccid, status, used_bytes)
        values ('o', 'a', 0, '1', 'Created', 5), ('o', 'a', 1, '1', 'Created', 7), ('o', 'b', 0, '1', 'Created', 0)`
      for (const statement of statements) yield* sql.unsafe(statement).unprepared
      return yield* sql`
        select concat_ws(' ', iccid, attachment_id, day, country || '-', bytes) as name from simplan.usage_entry order by 1`
    })
  )
  expect(found.map(({ name }) => name)).toEqual(["1 a -8640000000000000 - 12"])
})
