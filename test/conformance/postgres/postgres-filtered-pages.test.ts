import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { SimSearch, Storage } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { admin, connectOverPool, ended, on } from "./PostgresWorld.ts"
import * as Tests from "../../setup/Tests.ts"

const ROWS = 4_000
const org = "org"

const anyPlan = { archived: null, label: null, search: null, covering: null }
const anyEntry = { from: null, to: null, actor: null, action: null, resourceId: null }
const page = { organizationId: org, after: null, limit: 10 }

type Service = Storage.Storage["Service"]

/** Reads that find nothing, and what each of them reads of. */
const reads: ReadonlyArray<
  readonly [string, string, (storage: Service) => Effect.Effect<Storage.Filtered<unknown>, unknown>]
> = [
  ["plans by name", "plan", ({ plans }) => plans.page({ ...page, ...anyPlan, search: "nowhere" })],
  ["plans by label", "plan", ({ plans }) => plans.page({ ...page, ...anyPlan, label: "Red" })],
  ["archived plans", "plan", ({ plans }) => plans.page({ ...page, ...anyPlan, archived: true })],
  [
    "plans by country",
    "plan",
    ({ plans }) => plans.page({ ...page, ...anyPlan, covering: { coverageIds: ["none"], iso2List: ["SE"] } })
  ],
  [
    "audit entries by actor",
    "audit_entry",
    (storage) => storage.auditEntries.page({ ...page, ...anyEntry, actor: "no" })
  ],
  [
    "audit entries by resource",
    "audit_entry",
    (storage) => storage.auditEntries.page({ ...page, ...anyEntry, resourceId: "no" })
  ],
  ["deliveries by status", "delivery", ({ deliveries }) => deliveries.page({ ...page, statuses: ["Failed"] })],
  ["deliveries by type", "event", ({ deliveries }) => deliveries.page({ ...page, type: "esim.smdp.stateChanged" })],
  ["waiting jobs by telco", "job", ({ jobs }) => jobs.waiting({ after: null, limit: 10, telco: "none" })]
]

const fill = [
  `insert into simplan.plan select 'org', 'p-' || i, 'Green', 'c', 'plan', '{}', i, null, null, 1
    from generate_series(1, ${ROWS}) i`,
  `insert into simplan.audit_entry (organization_id, created_at, entry_id, actor, action, resource_id)
    select 'org', i, 'e-' || i, 'host', 'plan.create', 'p' from generate_series(1, ${ROWS}) i`,
  `insert into simplan.event select 'org', 'v-' || i, i, '{"type": "endpoint.test", "data": {}}'
    from generate_series(1, ${ROWS}) i`,
  `insert into simplan.delivery (
      organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, created_at
    ) select 'org', 'v-' || i || ':e', 'v-' || i, 'e', 'Delivered', 1, 0, i from generate_series(1, ${ROWS}) i`,
  `insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at, waiting)
    select 'j-' || i, 'org', '{"_tag": "SendSms"}', 9e12, 1, i, '{"reason": "busy", "since": 1}'
    from generate_series(1, ${ROWS}) i`
]

/**
 * How many rows and entries of indexes were read of a table and its partitions by time since the
 * counters were reset.
 */
const rowsReadOf = (client: SqlClient.SqlClient, table: string) =>
  Effect.gen(function* () {
    yield* ended(client)
    const names = `^${table}(_default|_[0-9]{4}_[0-9]{2})?$`
    const [counted] = yield* client<{ readonly rows: number }>`
      select (
        (select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where relname ~ ${names})
        + (select coalesce(sum(seq_tup_read), 0) from pg_stat_user_tables where schemaname = 'simplan' and relname ~ ${names})
      )::float8 as rows`
    return counted?.rows ?? 0
  })

/**
 * SIMs of two labels and both kinds, of which those of one label and kind are few, and come last.
 */
const sims = `insert into simplan.sim (
    organization_id, iccid, sim_id, import_sequence, label, is_esim, created_at, allocation, downloaded,
    mobile_plan_applied, version
  ) select 'org', i::text, i::text, i, case when i % 2 = 0 then 'Green' else 'Blue' end, i > ${ROWS - 20} or i % 2 = 0, 1, 'Free',
    false, false, 1
  from generate_series(1, ${ROWS}) i`

/** SIMs in service, with a note that says `blue boat`. */
const noted = (organizationId: string, count: number) => [
  `insert into simplan.organization values ('${organizationId}', 'Shop', 1)`,
  `insert into simplan.sim (
      organization_id, iccid, sim_id, import_sequence, label, is_esim, created_at, allocation, downloaded,
      mobile_plan_applied, version
    ) select '${organizationId}', '${organizationId}' || i, i::text, i, 'Green', true, 1, 'Allocated', false, true, 1
    from generate_series(1, ${count}) i`,
  `insert into simplan.subscription
    select '${organizationId}', '${organizationId}-' || i, '${organizationId}' || i, 'a blue boat', i, 'Live'
    from generate_series(1, ${count}) i`
]

/** The events are about three SIMs: one has four, one every other, and one the rest. */
const ofSims = `json_build_object('type', 'esim.smdp.stateChanged', 'data', json_build_object('sim',
  case when created_at < 5 then 'rare' when created_at % 2 = 0 then 'common' else 'other' end
))`

describe("W13: a page of a filtered list on PostgreSQL", { timeout: 60_000 }, () => {
  const url = Databases.forEachTest()

  // Over a pool, whose planner has the usual settings.
  Tests.scoped("reads a bounded number of rows, however many there are", function* () {
    const client = yield* admin(url())
    yield* Effect.scoped(connectOverPool(url()))
    for (const statement of fill) yield* client.unsafe(statement)
    yield* client`vacuum analyze`
    for (const [name, table, read] of reads) {
      yield* client`select pg_stat_reset()`
      const found = yield* Effect.scoped(Effect.flatMap(connectOverPool(url()), (adapter) => on(adapter, read)))
      expect([name, found.items.length, found.rows]).toEqual([name, 0, Storage.SCAN_LIMIT])
      const rows = yield* rowsReadOf(client, table)
      expect([name, rows <= Storage.SCAN_LIMIT + 2]).toEqual([name, true])
      expect([name, rows >= Storage.SCAN_LIMIT]).toEqual([name, true])
    }
  })

  Tests.scoped("reads of a SIM's deliveries no others, however many there are", function* () {
    const client = yield* admin(url())
    yield* Effect.scoped(connectOverPool(url()))
    for (const statement of [...fill, "update simplan.event set payload = " + ofSims]) yield* client.unsafe(statement)
    yield* client`vacuum analyze`
    // What filled the tables is counted before the counters are reset.
    yield* ended(client)
    for (const [iccid, after, count] of [
      ["rare", null, 4],
      ["none", null, 0],
      ["common", null, page.limit],
      ["common", { createdAt: 400, id: "" }, page.limit]
    ] as const) {
      yield* client`select pg_stat_reset()`
      const read = (storage: Service) => storage.deliveries.page({ ...page, after, iccid })
      const found = yield* Effect.scoped(Effect.flatMap(connectOverPool(url()), (adapter) => on(adapter, read)))
      expect([iccid, found.items.length]).toEqual([iccid, count])
      const rows = (yield* rowsReadOf(client, "delivery")) + (yield* rowsReadOf(client, "event"))
      expect([iccid, rows <= 2 * Storage.SCAN_LIMIT]).toEqual([iccid, true])
    }
  })

  // Up to 1,024 rows of all organizations are read, then those of the organization.
  for (const others of [900, 1_100]) {
    Tests.scoped(`L1: finds words in notes that ${others} SIMs of others have, too`, function* () {
      const client = yield* admin(url())
      yield* Effect.scoped(connectOverPool(url()))
      for (const statement of [...noted(org, 3), ...noted("other", others)]) yield* client.unsafe(statement)
      yield* client`vacuum analyze`
      const search = SimSearch.of("boat blue")
      if (search === null) throw new Error("There is nothing to search for")
      const ofSims = { label: null, tag: null, isEsim: null, status: null, createdAfter: null }
      const [sims, subscriptions, hits] = yield* Effect.scoped(
        Effect.flatMap(connectOverPool(url()), (adapter) =>
          on(adapter, (storage) =>
            Effect.all([
              storage.sims.find({ ...page, ...ofSims, search }),
              storage.subscriptions.find({ ...page, ...ofSims, search }),
              storage.sims.search({ organizationId: org, search, limit: 10 })
            ])
          )
        )
      )
      const iccids = ["org1", "org2", "org3"]
      expect(sims.items.map(({ iccid }) => iccid)).toEqual(iccids)
      expect(subscriptions.items.map(({ sim }) => sim.iccid)).toEqual(iccids)
      expect(hits.hits.map(({ iccid }) => iccid)).toEqual(iccids)
    })
  }

  Tests.scoped(
    "reads of SIMs no more than it answers, whatever their label and kind",

    function* () {
      const client = yield* admin(url())
      yield* Effect.scoped(connectOverPool(url()))
      yield* client.unsafe(sims)
      yield* client`vacuum analyze`
      // What filled the tables is counted before the counters are reset.
      yield* ended(client)
      const asked = [null, ROWS / 2, ROWS].flatMap((after) =>
        ([null, "Green", "Blue", "Red"] as const).flatMap((label) =>
          [null, true, false].map((isEsim) => ({ ...page, after, label, isEsim }))
        )
      )
      yield* client`select pg_stat_reset()`
      const found = yield* Effect.scoped(
        Effect.flatMap(connectOverPool(url()), (adapter) =>
          on(adapter, (storage) => Effect.forEach(asked, (one) => storage.sims.page(one)))
        )
      )
      for (const [index, one] of asked.entries()) {
        const sequences = (found[index] ?? []).map(({ importSequence }) => importSequence)
        const isEmpty = one.label === "Red" || one.after === ROWS || (one.label === "Green" && one.isEsim === false)
        expect([one, sequences.length]).toEqual([one, isEmpty ? 0 : page.limit])
        expect(sequences).toEqual(sequences.toSorted((left, right) => left - right))
      }
      // Of a label the first of both kinds are read.
      expect(yield* rowsReadOf(client, "sim")).toBeLessThanOrEqual(asked.length * 2 * (page.limit + 1))
    }
  )
})
