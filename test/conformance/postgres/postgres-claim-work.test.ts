import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Job, Jobs, Outbox, Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as FairClaims from "../../../src/app/engine/FairClaims.ts"
import * as JobSlots from "../../../src/app/engine/JobSlots.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { connect } from "./PostgresWorld.ts"

const JOBS = 24_000
const BATCH = 200

const job = (number: number, organizations: number): Job.Job => ({
  jobId: `job-${String(number).padStart(6, "0")}`,
  organizationId: `org-${number % organizations}`,
  work: { _tag: "Provision", iccid: "1", attachmentId: String(number) },
  dueAt: number,
  attempts: 0,
  createdAt: 0,
  idempotencyKey: null,
  origin: null,
  command: null,
  refused: null,
  waiting: null,
  endedAt: null
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
          ...JobSlots.make(BATCH),
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
          yield* storage.commit({ jobs: { finished: claimed.map(({ jobId }) => ({ jobId, token: "worker" })) } })
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

  // PostgreSQL believes that a queue is empty until its statistics are gathered anew.
  it("go over the partitions by their index also where a queue was empty a moment ago (rule W13)", () =>
    Effect.gen(function* () {
      const adapter = yield* connect(url(), 1)
      const [jobs, outbox] = [Context.get(adapter, Jobs.Jobs), Context.get(adapter, Outbox.Outbox)]
      const sql = Context.get(adapter, SqlClient.SqlClient)
      yield* sql`vacuum analyze simplan.job`.unprepared
      yield* sql`vacuum analyze simplan.delivery`.unprepared
      yield* sql`
        insert into simplan.delivery (
          organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at
        )
        select 'org-' || n % 100, 'd-' || n, 'e', 'p-' || lpad((n % 5000)::text, 4, '0'), 'Pending', 0, 0, n, n
        from generate_series(1, 100000) n`.unprepared
      yield* sql`
        insert into simplan.job (job_id, organization_id, work, due_at, attempts, created_at)
        select 'j-' || n, 'p-' || lpad((n % 5000)::text, 4, '0'), '{}', n, 0, n from generate_series(1, 100000) n`
        .unprepared
      const read = Effect.gen(function* () {
        yield* sql`select pg_stat_force_next_flush()`
        const [row] = yield* sql<{ readonly entries: number }>`
          select sum(idx_tup_read)::float8 + (
            select sum(seq_tup_read) from pg_stat_user_tables where relname in ('job', 'delivery')
          )::float8 as entries
          from pg_stat_user_indexes where relname in ('job', 'delivery')`
        return row?.entries ?? 0
      })
      const at = { now: 1_000_000, machineNow: Date.now() }
      const before = yield* read
      const page = { ...at, after: "p-1000", limit: 256 }
      for (const { next, partitions } of [yield* jobs.partitions(page), yield* outbox.partitions(page)]) {
        expect(partitions).toHaveLength(256)
        expect(next).toBe("p-1256")
      }
      const listed = yield* read
      // An entry for each partition, and those that the statement looks past.
      expect(listed - before).toBeLessThan(4 * 256)
      const places = yield* sql<{ readonly count: number }>`
        select count(*)::float8 as count from simplan.delivery_places(
          (select json_agg(json_build_object('partition_id', 'p-' || n, 'due_at', 0, 'id', '', 'most', 3))
            from generate_series(2000, 2099) n),
          1000000, ${at.machineNow}
        )`
      expect(places).toEqual([{ count: 300 }])
      expect((yield* read) - listed).toBeLessThan(4 * 300)
    }).pipe(Effect.scoped, Effect.runPromise))
})
