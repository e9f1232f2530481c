/**
 * The storage on tables that are partitioned by organization, as an operator may have them, or an
 * engine that is distributed by organization has them (see `adapters/cli/processes.md`).
 *
 * With `MEASURE_PARTITIONS=1` the last test prints what the statements that name no organization
 * take on 64 partitions, beside what they take on whole tables.
 */
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { Jobs, Outbox, Storage } from "simplan/ports"
import { StorageSuite } from "simplan/testing"
import { expect } from "vitest"
import * as Databases from "../../../setup/databases/Databases.ts"
import { type Adapter, admin, connect, connectOverPool } from "../PostgresWorld.ts"
import * as Partitions from "./Partitions.ts"
import { operations } from "../printed/Operations.ts"
import * as Tests from "../../../setup/Tests.ts"

const url = Databases.forEachTest()

const clientOf = (adapter: Adapter) => Effect.provide(SqlClient.SqlClient, adapter)

/** The tables that have no partitions: of these an engine has one, or a copy in each place. */
const whole = [
  ...["api_key", "catalogue", "clock", "encryption_key", "event_handler", "iccid", "job", "migration", "operator"],
  ...["process", "region", "session", "session_key", "write_probe"]
]

Tests.scoped(
  "the storage's suite passes on partitioned tables",
  function* () {
    const adapter = yield* connect(url(), 2)
    const sql = yield* clientOf(adapter)
    yield* Partitions.make(sql, 4, false)
    expect(yield* Partitions.unpartitioned(sql)).toEqual(whole)
    const failed: Array<string> = []
    for (const { effect, name } of StorageSuite.cases()) {
      if (Exit.isFailure(yield* Effect.exit(Effect.provide(effect, adapter)))) failed.push(name)
    }
    expect(failed).toEqual([])
  },
  240_000
)

const COUNT = 64

// An equality beside it would also fit indexes without words, which read all of a large
// organization.
const WORDS = "finds words by an index that has the organization in an array, which no partition is chosen by"

/** What those that name an organization go over nevertheless, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "overview.failingEndpoints of an organization":
    "picks an organization's among those that fail, which are counted up to a bound",
  "organizations.getAll": "takes organizations as a list, and has one partition for each",
  "sims.find": WORDS,
  "sims.levels": "takes organizations as a list, and has one partition for each",
  "sims.search of an organization": WORDS,
  "sims.stock": "takes organizations as a list, and has one partition for each",
  "subscriptions.find": WORDS
}

/** The operations that cannot name an organization, by what they do. */
const unnamed = {
  claims: [
    ...["outbox.claim", "outbox.claim of partitions", "outbox.claimForHandler", "outbox.pending", "outbox.partitions"],
    ...["outbox.pendingForHandler", "outbox.backlog", "outbox.release", "commit.eventHandlers.removed"]
  ],
  purges: ["purge", "purgeAudit", "purgeEvents", "purgeReports", "purgeUsage"],
  "by what is unique": ["apiKeys.byHash", "simAggregates.owner", "simAggregates.forReports"],
  "of operators": [
    ...[
      "organizations.page",
      "sims.search",
      "eventHandlers.failed",
      "webhookEndpoints.failing",
      "deliveries.waitingCounts"
    ],
    ...["overview.failingEndpoints", "overview.stocks", "overview.loads", "plans.uses"],
    "ledger.totals of all organizations"
  ]
} as const

/** The functions that go over tables with partitions. */
const functions = ["delivery_partitions", "delivery_places", "keep_partitions"]

/** Whether a parameter has the organization of the operations, by itself or in an array. */
const isNamed = (value: unknown): boolean =>
  typeof value === "string" && (value === "o" || /[{[,:]"o"[\]},]/.test(value))

const portsOf = (adapter: Adapter) =>
  Effect.provide(Effect.all({ storage: Storage.Storage, jobs: Jobs.Jobs, outbox: Outbox.Outbox }), adapter)

/** What each operation sends. */
const statementsOf = Effect.fnUntraced(function* (url: string) {
  const sent: Array<Partitions.Sent> = []
  const adapter = yield* connectOverPool(url, { Client: Partitions.recording(sent) })
  const ports = yield* portsOf(adapter)
  const found: Array<Partitions.Sent & { readonly name: string }> = []
  for (const [name, operation] of Object.entries(operations)) {
    sent.length = 0
    yield* Effect.exit(operation(ports))
    found.push(...sent.filter(({ text }) => text.includes("simplan.")).map((one) => ({ ...one, name })))
  }
  return found
})

const session = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client(url)
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

Tests.scoped(
  "a statement that names an organization has one partition of each table before it begins",
  function* () {
    const sql = yield* clientOf(yield* connect(url(), 1))
    const partitioned = yield* Partitions.make(sql, COUNT, true)
    const statements = yield* statementsOf(url())
    const client = yield* session(url())
    const several = new Map<string, Array<string>>()
    const none = new Set<string>()
    for (const { name, text, values } of statements) {
      const isOfOne = values.some(isNamed)
      // What functions go over shows in no plan.
      const goesOver = Array.from(text.matchAll(/simplan\.(\w+)/g)).some(
        ([, table = ""]) => partitioned.includes(table) || functions.includes(table)
      )
      if (!isOfOne && goesOver) none.add(name)
      for (const mode of ["custom", "generic"] as const) {
        const found = yield* Effect.promise(() => Partitions.plan(client, { text, values }, mode))
        const many = [...found].filter(([, parts]) => parts.size > 1).map(([table]) => table)
        if (isOfOne && many.length > 0) several.set(name, [...(several.get(name) ?? []), `${mode}: ${many}`])
      }
    }
    const unexpected = [...several].filter(([name]) => exceptions[name] === undefined)
    expect(unexpected).toEqual([])
    // Each exception is one still.
    expect([...several.keys()].sort()).toEqual(Object.keys(exceptions).sort())
    expect([...none].sort()).toEqual(Object.values(unnamed).flat().sort())
  },
  240_000
)

/** How many organizations there are to measure on, and how many rows each of them has of a kind. */
const [ORGANIZATIONS, EACH] = [500, 100]

/** Rows of many organizations. A tenth of what waits is due, and a tenth of what is kept is old. */
const rows = (sql: SqlClient.SqlClient) => {
  const all = sql`
    (select 'o' || o as organization_id, o, i, o * ${EACH}::int + i as n, case when i % 10 = 0 then 0 else 1000 end as at
    from generate_series(0, ${ORGANIZATIONS - 1}::int) o, generate_series(0, ${EACH - 1}::int) i) r`
  const ofOrganizations = sql`(select 'o' || o as organization_id, o from generate_series(0, ${ORGANIZATIONS - 1}::int) o) r`
  return [
    sql`insert into simplan.organization select organization_id, organization_id, o from ${ofOrganizations}`,
    sql`insert into simplan.webhook_endpoint (
        organization_id, endpoint_id, url, description, failing_since, signing_keys, created_at, version
      ) select organization_id, 'e' || o, '', '', case when o % 10 = 0 then 1 end, '[]', 0, 1 from ${ofOrganizations}`,
    sql`insert into simplan.stock_level select organization_id, 'Green', 10, false, 1 from ${ofOrganizations}`,
    sql`insert into simplan.iccid select '8988' || lpad(n::text, 15, '0'), organization_id from ${all}`,
    sql`insert into simplan.sim (
        organization_id, iccid, sim_id, import_sequence, label, is_esim, created_at, allocation, allocated_to, downloaded,
        mobile_plan_applied, version, msisdn
      ) select organization_id, '8988' || lpad(n::text, 15, '0'), 's' || n, i, 'Green', true, 0, 'InService', 's' || n, false,
        false, 1, '467' || lpad(n::text, 8, '0') from ${all}`,
    sql`insert into simplan.subscription select organization_id, 's' || n, '8988' || lpad(n::text, 15, '0'), 'order ' || n,
        at, 'Live' from ${all}`,
    sql`insert into simplan.attachment (
        organization_id, attachment_id, subscription_id, iccid, plan_id, terms, metadata, created_at, confirmed,
        last_threshold_notified
      ) select organization_id, 'a' || n, 's' || n, '8988' || lpad(n::text, 15, '0'), 'p', '{"label": "Green"}', 'order ' || n,
        at, true, 0 from ${all}`,
    sql`insert into simplan.package (organization_id, attachment_id, occurrence, iccid, status, used_bytes)
      select organization_id, 'a' || n, 0, '8988' || lpad(n::text, 15, '0'), 'Created', 1 from ${all}`,
    sql`insert into simplan.region (
        organization_id, coverage_id, region_code, region_name, label, iso2_list, countries, created_at
      ) select organization_id, 'c' || n, 'r', 'R' || i, 'Green', '{FR}', n::text, 0 from ${all}`,
    sql`insert into simplan.taken_report select organization_id, 'r' || n, at from ${all}`,
    sql`insert into simplan.idempotency select organization_id, 'k' || n, '', at, '{}' from ${all}`,
    sql`insert into simplan.command select organization_id, 'c' || n, '{}', at, '{}', at from ${all}`,
    sql`insert into simplan.audit_entry (organization_id, created_at, entry_id, actor, action, resource_id)
      select organization_id, at, 'a' || n, '', '', '' from ${all}`,
    sql`insert into simplan.event select organization_id, 'v' || n, at, '{}' from ${all}`,
    sql`insert into simplan.delivery (
        organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at
      ) select organization_id, 'v' || n || ':e', 'v' || n, 'e' || o, 'Pending', 0, 0, at, at from ${all}`,
    sql`insert into simplan.event_handler values ('h', '{}', null, 0)`,
    sql`insert into simplan.delivery (
        organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at,
        handler, iccid
      ) select organization_id, 'v' || n || ':handler:h', 'v' || n, 'handler:h', 'Pending', 0, 0, at, at, 'h', 'i' || n
      from ${all} where i < 10`
  ]
}

/**
 * What each of these statements takes, in milliseconds: the middle of several runs that are undone.
 */
const measured = Effect.fnUntraced(function* (isPartitioned: boolean) {
  const database = yield* Databases.scoped()
  const sql = yield* clientOf(yield* connect(database.url, 1))
  if (isPartitioned) yield* Partitions.make(sql, COUNT, true)
  const statements = yield* statementsOf(database.url)
  const own = yield* admin(database.url)
  yield* own`truncate simplan.organization, simplan.webhook_endpoint, simplan.region, simplan.sim, simplan.iccid, simplan.event_handler`
  for (const filled of rows(own)) yield* filled
  yield* own`analyze`
  const client = yield* session(database.url)
  const found = new Map<string, number>()
  const wanted: ReadonlyArray<string> = Object.values(unnamed).flat()
  for (const { name, text, values } of statements.filter((one) => wanted.includes(one.name))) {
    const times = yield* Effect.promise(() => Partitions.times(client, { text, values }, 15))
    found.set(name, (found.get(name) ?? 0) + (times[7] ?? 0))
  }
  return found
})

if (process.env.MEASURE_PARTITIONS === "1") {
  Tests.scoped(
    "what the statements take that name no organization",
    function* () {
      const plain = yield* measured(false)
      const partitioned = yield* measured(true)
      const lines = Object.entries(unnamed).flatMap(([kind, names]) =>
        names.map((name) => {
          const [one, many] = [plain.get(name) ?? 0, partitioned.get(name) ?? 0]
          return `| ${kind} | ${name} | ${one.toFixed(2)} | ${many.toFixed(2)} |`
        })
      )
      process.stderr.write(`${lines.join("\n")}\n`)
    },
    600_000
  )
}
