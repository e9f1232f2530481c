import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Job, Jobs, Outbox, Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as FairClaims from "../../../src/app/engine/FairClaims.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { admin, connect, connectOverPool, ended } from "./PostgresWorld.ts"
import * as Values from "../../domain/Values.ts"
import * as Tests from "../../setup/Tests.ts"

const JOBS = 24_000
const BATCH = 200

const job = (number: number, organizations: number): Job.Job =>
  Values.job({
    jobId: `job-${String(number).padStart(6, "0")}`,
    organizationId: `org-${number % organizations}`,
    work: { _tag: "Provision", iccid: "1", attachmentId: String(number) },
    dueAt: number
  })

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0

describe("Claims on PostgreSQL", () => {
  const url = Databases.forEachTest()

  it.each([1, 3])(
    "have no more to read while an open transaction keeps from being cleared away what is done (of %i)",
    (organizations) =>
      Effect.gen(function* () {
        const adapter = yield* connect(url(), 1)
        const idle = yield* connect(url(), 1)
        const [jobs, storage] = [Context.get(adapter, Jobs.Jobs), Context.get(adapter, Storage.Storage)]
        const sql = Context.get(adapter, SqlClient.SqlClient)
        const put = Array.from({ length: JOBS }, (_, number) => ({ job: job(number, organizations), lease: null }))
        yield* storage.commit({ jobs: { put } })
        yield* sql`vacuum analyze simplan.job`.unprepared

        const claims = FairClaims.make({
          claim: jobs.claim,
          partitions: jobs.partitions,
          placeOf: ({ dueAt, jobId, organizationId }: Job.Job) => ({ dueAt, id: jobId, partitionId: organizationId }),
          ...FairClaims.makeJobSlots(BATCH),
          batchSize: BATCH,
          isStrict: false
        })
        // The entries of its indexes that were read, dead ones included.
        const read = Effect.gen(function* () {
          yield* sql`select pg_stat_force_next_flush()`
          const [row] = yield* sql<{ readonly entries: number }>`
          select sum(idx_tup_read)::float8 as entries from pg_stat_user_indexes
          where indexrelname in ('job_due', 'job_of_organization')`
          return row?.entries ?? 0
        })
        const done = new Set<string>()
        const claim = Effect.gen(function* () {
          const machineNow = Date.now()
          const taking = { now: JOBS, machineNow, until: machineNow + 60_000, token: "worker" }
          const before = yield* read
          const claimed = yield* claims.next(taking, BATCH)
          const entries = (yield* read) - before
          yield* storage.commit({
            jobs: { finished: claimed.map(({ jobId, organizationId }) => ({ organizationId, jobId, token: "worker" })) }
          })
          for (const { jobId } of claimed) done.add(jobId)
          return entries
        })

        const other = Context.get(idle, SqlClient.SqlClient)
        yield* other.withTransaction(
          Effect.gen(function* () {
            yield* other`set transaction isolation level repeatable read`
            yield* other`select count(*) from simplan.job`
            const work: Array<number> = []
            while (done.size < JOBS && work.length < 2 * (JOBS / BATCH)) work.push(yield* claim)
            expect(done.size).toBe(JOBS)
            const [first, last] = [work.slice(0, 3), work.slice(-25, -5)]
            expect(median(last)).toBeLessThanOrEqual(2 * median(first))
          })
        )
      }).pipe(Effect.scoped, Effect.runPromise)
  )

  /**
   * What is asked of the queues, and how many rows and entries of indexes were read of both, dead
   * ones included.
   */
  const reading = <A, E>(
    client: SqlClient.SqlClient,
    ask: (queues: readonly [Jobs.Jobs["Service"], Outbox.Outbox["Service"]]) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function* () {
      yield* ended(client)
      yield* client`select pg_stat_reset()`
      // Over a pool, whose planner has the usual settings.
      const answer = yield* Effect.scoped(
        Effect.flatMap(connectOverPool(url()), (adapter) =>
          ask([Context.get(adapter, Jobs.Jobs), Context.get(adapter, Outbox.Outbox)])
        )
      )
      yield* ended(client)
      const [counted] = yield* client<{ readonly entries: number }>`
        select sum(idx_tup_read)::float8 + (
          select sum(seq_tup_read) from pg_stat_user_tables where relname in ('job', 'delivery')
        )::float8 as entries
        from pg_stat_user_indexes where relname in ('job', 'delivery')`
      return { answer, entries: counted?.entries ?? 0 }
    })

  // PostgreSQL believes that a queue is empty until its statistics are gathered anew.
  Tests.scoped(
    "go over the partitions by their index also where a queue was empty a moment ago (rule W13)",
    function* () {
      const client = yield* admin(url())
      yield* Effect.scoped(connectOverPool(url()))
      yield* client`vacuum analyze simplan.job`.unprepared
      yield* client`vacuum analyze simplan.delivery`.unprepared
      yield* client`
        insert into simplan.delivery (
          organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at
        )
        select 'org-' || n % 100, 'd-' || n, 'e', 'p-' || lpad((n % 5000)::text, 4, '0'), 'Pending', 0, 0, n, n
        from generate_series(1, 100000) n`.unprepared
      yield* client`
        insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at)
        select 'j-' || n, 'p-' || lpad((n % 5000)::text, 4, '0'), '{}', n, 0, n from generate_series(1, 100000) n`
        .unprepared
      const at = { now: 1_000_000, machineNow: Date.now() }
      const page = { ...at, after: "p-1000", limit: 256 }
      const listed = yield* reading(client, ([jobs, outbox]) =>
        Effect.all([jobs.partitions(page), outbox.partitions(page)])
      )
      for (const { next, partitions } of listed.answer) {
        expect(partitions).toHaveLength(256)
        expect(next).toBe("p-1256")
      }
      // An entry for each partition, and those that the statement skips.
      expect(listed.entries).toBeLessThan(4 * 256)
      expect(listed.entries).toBeGreaterThanOrEqual(2 * 256)
      const shares = Array.from({ length: 100 }, (_, number) => ({
        partitionId: `p-${2_000 + number}`,
        organizationId: `p-${2_000 + number}`,
        from: { dueAt: 0, id: "" },
        limit: 3
      }))
      const claim = { ...at, until: at.machineNow + 60_000, token: "worker", limit: 300, shares }
      const claimed = yield* reading(client, ([jobs]) => jobs.claim(claim))
      expect(claimed.answer).toHaveLength(300)
      expect(claimed.entries).toBeLessThan(8 * 300)
    }
  )

  Tests.scoped(
    "look at a bounded number of rows for those that are held, however many are due (rule W13)",
    function* () {
      const client = yield* admin(url())
      yield* Effect.scoped(connectOverPool(url()))
      yield* client`
        insert into simplan.delivery (
          organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at,
          lease_until
        )
        select 'org', 'd-' || n, 'e', 'p', 'Pending', 0, 0, n, n, case when n <= 3 then 9e12 end
        from generate_series(1, 20000) n`.unprepared
      yield* client`
        insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at, lease_until)
        select 'j-' || n, 'org', '{}', n, 0, n, case when n <= 3 then 9e12 end from generate_series(1, 20000) n`
        .unprepared
      yield* client`vacuum analyze`.unprepared
      const at = { now: 1_000_000, machineNow: Date.now() }
      const { answer, entries } = yield* reading(client, ([jobs, outbox]) =>
        Effect.all([jobs.pending(at), outbox.pending(at)])
      )
      expect(answer).toEqual([
        { dueAt: 4, held: 3 },
        { dueAt: 4, held: 3 }
      ])
      expect(entries).toBeLessThan(4_000)
      expect(entries).toBeGreaterThanOrEqual(2_000)
    }
  )
})
