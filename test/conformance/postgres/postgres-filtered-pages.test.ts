import { Effect } from "effect"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { admin, connectOverPool, ended, on } from "./PostgresWorld.ts"

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

describe("W13: a page of a filtered list on PostgreSQL", () => {
  const url = Databases.forEachTest()

  // Over a pool, whose planner has the usual settings.
  it("reads a bounded number of rows, however many there are", { timeout: 60_000 }, () =>
    Effect.gen(function* () {
      const client = yield* admin(url())
      yield* Effect.scoped(connectOverPool(url()))
      for (const statement of fill) yield* client.unsafe(statement)
      yield* client`vacuum analyze`
      for (const [name, table, read] of reads) {
        yield* client`select pg_stat_reset()`
        const found = yield* Effect.scoped(Effect.flatMap(connectOverPool(url()), (adapter) => on(adapter, read)))
        expect([name, found.items.length, found.rows]).toEqual([name, 0, Storage.LOOKED_AT_ONCE])
        yield* ended(client)
        const [counted] = yield* client<{ readonly rows: number }>`
          select (
            (select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where relname = ${table})
            + (select seq_tup_read from pg_stat_user_tables where schemaname = 'simplan' and relname = ${table})
          )::float8 as rows`
        expect([name, (counted?.rows ?? 0) <= Storage.LOOKED_AT_ONCE + 2]).toEqual([name, true])
        expect([name, (counted?.rows ?? 0) >= Storage.LOOKED_AT_ONCE]).toEqual([name, true])
      }
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
