/**
 * An upgrade without downtime: the version before serves while a later version is made, and after
 * it.
 *
 * The later versions are planted, and the version before is this build. Once there is a second
 * migration, the version before it is known by its statements, which `statements-before.json.gz`
 * has: as the suite runs them. Set `RECORD_STATEMENTS=1` for this test to record those of this
 * build, before the first change of the schema after a release.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { gunzipSync, gzipSync } from "node:zlib"
import { Effect, Exit, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "simplan/postgres"
import { StorageSuite } from "simplan/testing"
import { expect, it } from "vitest"
import * as Migrations from "../../../adapters/postgres/migrations/Migrations.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import * as PlantedVersions from "../../setup/databases/PlantedVersions.ts"
import { admin, connect, sending } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const url = Databases.forEachTest()

const schema = Postgres.DatabaseSchema.make(Postgres.DatabaseSchema.DEFAULT)

const file = new URL("statements-before.json.gz", import.meta.url)

const Recorded = Schema.fromJsonString(
  Schema.Struct({ version: Schema.Number, statements: Schema.Array(Schema.String) })
)

interface Recorded {
  readonly version: number
  readonly statements: ReadonlyArray<string>
}

const packed = (recorded: Recorded): Uint8Array => gzipSync(JSON.stringify(recorded, null, 2), { level: 9 })

const unpacked = Schema.decodeUnknownSync(Recorded)

const statementsOf = (sent: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = new Set(sent.map((text) => text.replace(/\s+/g, " ").trim()))
  return [...found].filter((text) => /^(with|select|insert|update|delete) .*simplan\./.test(text)).sort()
}

/**
 * What of these statements the schema does not serve, and which of its columns they would have to
 * write and do not.
 */
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

Tests.scoped(
  "the version before serves while later versions are made and after them, and what would break it is found",
  function* () {
    const { sent, tracer } = sending()
    const before = yield* Effect.withTracer(connect(url(), 1), tracer)
    const migrating = yield* admin(url())
    const failed: Array<string> = []
    const made: Array<Fiber.Fiber<void, unknown>> = []
    for (const [index, { effect, name }] of StorageSuite.cases().entries()) {
      const chain = PlantedVersions.upTo(index / 20)
      if (index % 20 === 0) made.push(yield* Effect.forkScoped(Migrations.run(migrating, schema, chain)))
      const served = Effect.provide(Effect.withTracer(effect, tracer), before)
      if (Exit.isFailure(yield* Effect.exit(served))) failed.push(name)
    }
    yield* Fiber.joinAll(made)
    expect(failed).toEqual([])
    expect(yield* migrating`select max(migration_id) as newest from simplan.migration`).toEqual([
      { newest: PlantedVersions.chain.length }
    ])
    const live = { version: Migrations.latest, statements: statementsOf(sent) }
    if (process.env.RECORD_STATEMENTS === "1") writeFileSync(file, packed(live))
    expect(live.statements.length).toBeGreaterThan(80)
    expect(unpacked(gunzipSync(packed(live)).toString())).toEqual(live)
    expect(yield* unserved(migrating, live.statements)).toEqual({ failing: [], unwritten: [] })

    yield* migrating`alter table simplan.sim rename column recycled_at to last_recycled_at`
    yield* migrating`truncate simplan.plan`
    yield* migrating`alter table simplan.plan add column demanded_by_later_versions text not null`
    const found = yield* unserved(migrating, live.statements)
    expect(found.failing.length).toBeGreaterThan(0)
    expect(found.unwritten).toEqual(["plan.demanded_by_later_versions"])
  },
  300_000
)

it("the statements that were recorded of the version before work on this one", async () => {
  const recorded = existsSync(file) ? unpacked(gunzipSync(readFileSync(file)).toString()) : undefined
  // A change may be two migrations: of its columns, and of their indexes.
  expect([Migrations.latest - 2, Migrations.latest - 1]).toContain(recorded?.version)
  const found = await onSchema((sql) => unserved(sql, recorded?.statements ?? []))
  expect(found).toEqual({ failing: [], unwritten: [] })
})

it("W13: triggers count what is pending, and keep that true whatever is written", async () => {
  const found = await onSchema((sql) =>
    Effect.gen(function* () {
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
