/**
 * Rule W13: leases of several processes on one PostgreSQL, on machines whose clocks differ, and
 * while the database's own clock is set by ten minutes. What the database shows is that of a
 * function which comes before `pg_catalog`'s.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Job, Jobs, Clocks, Storage } from "simplan/ports"
import pg from "pg"
import { beforeEach, describe, expect } from "vitest"
import * as Postgres from "../../../adapters/postgres/index.ts"
import { Journal, SqlJournal } from "../../../adapters/telco-calls/index.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as Values from "../../domain/Values.ts"
import * as Tests from "../../setup/Tests.ts"

const LEASE = 15_000
/**
 * After how long a process has measured the database's clock again, and for how long it goes by
 * both times then.
 */
const MEASURED = "16 seconds"
const BOTH = "61 seconds"

const url = Databases.forEachTest()

/** Sets the database's clock so far ahead of what it was. */
const set = async (millis: number) => {
  const client = new pg.Client(url())
  await client.connect()
  await client.query(
    `create schema if not exists stepped;
     create or replace function stepped.clock_timestamp() returns timestamptz language sql volatile as
       $$ select pg_catalog.clock_timestamp() + ${millis} * interval '1 millisecond' $$;
     do $$ begin
       execute format('alter database %I set search_path = stepped, pg_catalog, public', current_database());
     end $$`
  )
  await client.end()
}

const job: Job.Job = Values.job({
  jobId: "job-1",
  organizationId: "org",
  work: { _tag: "Provision", iccid: "1", attachmentId: "1" },
  dueAt: 1
})

/**
 * A process on a machine of its own, whose clock is so far ahead, and a virtual one as it measures
 * by intervals.
 */
const process = (ahead: number) =>
  Effect.gen(function* () {
    const virtual = yield* TestClock.make()
    const stepped = SteppedClock.of(virtual)
    stepped.step(ahead)
    const on = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, Clock.Clock, stepped.clock)
    const layer = SqlJournal.layer.pipe(Layer.provideMerge(Postgres.layer({ url: url() })), Layer.fresh)
    const context = yield* on(Layer.build(layer))
    const jobs = Context.get(context, Jobs.Jobs)
    const journal = Context.get(context, Journal.Journal)
    // A lease may be asked for at a later time.
    const claim = (token: string, later = 0) =>
      on(
        Effect.gen(function* () {
          const machineNow = (yield* Clocks.monotonicNow) + later
          const claimed = yield* jobs.claim({ now: 10, machineNow, until: machineNow + LEASE, token, limit: 1 })
          return claimed.length === 1
        })
      )
    const renew = (token: string) =>
      on(
        Effect.flatMap(Clocks.monotonicNow, (now) =>
          jobs.renew({ leases: [{ organizationId: job.organizationId, jobId: job.jobId, token }], until: now + LEASE })
        )
      )
    const lock = (token: string, later = 0) =>
      on(
        Effect.flatMap(Clocks.monotonicNow, (time) => {
          const now = time + later
          return journal.lock({ telco: "ocs", iccid: "8901", token, now, until: now + LEASE })
        })
      )
    const { clockOffset } = Context.get(context, Storage.Storage)
    /** Lets it notice that the database's clock was set. */
    const notice = Effect.gen(function* () {
      const before = yield* clockOffset
      yield* virtual.adjust(MEASURED)
      while (Math.abs((yield* clockOffset) - before) < 1_000) yield* Effect.sleep(20)
    })
    const forget = virtual.adjust(BOTH)
    return {
      on,
      claim,
      renew,
      lock,
      notice,
      forget,
      storage: Context.get(context, Storage.Storage),
      step: stepped.step,
      journal
    }
  })

describe("W13: leases on PostgreSQL", () => {
  beforeEach(() => set(0))

  for (const ahead of SteppedClock.steps) {
    Tests.scoped(`of processes whose machines' clocks differ by ${ahead} ms are one another's`, function* () {
      const [one, other] = [yield* process(0), yield* process(ahead)]
      yield* one.on(one.storage.commit({ jobs: { put: [{ job, lease: null }] } }))
      expect([yield* one.claim("one"), yield* other.claim("other")]).toEqual([true, false])
      expect([yield* one.lock("one"), yield* other.lock("other")]).toEqual([true, false])
      yield* one.journal.unlock({ telco: "ocs", iccid: "8901", token: "one" })
      expect([yield* other.lock("other"), yield* one.lock("one")]).toEqual([true, false])
      // A clock that is set while the process runs.
      other.step(-ahead)
      one.step(ahead)
      expect([yield* other.lock("other"), yield* one.lock("one")]).toEqual([true, false])
      yield* one.renew("one")
      expect(yield* other.claim("other")).toBe(false)
    })
  }

  for (const step of SteppedClock.steps) {
    Tests.scoped(`stay the holder's while the database's clock is set by ${step} ms`, function* () {
      const [holder, other] = [yield* process(0), yield* process(0)]
      yield* holder.on(holder.storage.commit({ jobs: { put: [{ job, lease: null }] } }))
      /** The holder renews; nobody else gets the job or the lock. */
      const keeps = Effect.gen(function* () {
        yield* holder.renew("holder")
        expect(yield* holder.lock("holder")).toBe(true)
        expect([yield* other.claim("other"), yield* other.lock("other")]).toEqual([false, false])
      })
      expect([yield* holder.claim("holder"), yield* holder.lock("holder")]).toEqual([true, true])
      yield* keeps
      yield* Effect.promise(() => set(step))
      yield* keeps
      yield* other.notice
      expect([yield* other.claim("other"), yield* other.lock("other")]).toEqual([false, false])
      yield* keeps
      yield* holder.notice
      yield* keeps
      yield* other.forget
      yield* keeps
      yield* holder.forget
      yield* keeps
    })
  }

  Tests.scoped("of a process that was killed end where the database's clock is set ahead", function* () {
    const [killed, other] = [yield* process(0), yield* process(0)]
    yield* killed.on(killed.storage.commit({ jobs: { put: [{ job, lease: null }] } }))
    expect([yield* killed.claim("killed"), yield* killed.lock("killed")]).toEqual([true, true])
    yield* Effect.promise(() => set(600_000))
    yield* other.notice
    yield* other.forget
    expect([yield* other.claim("other", LEASE), yield* other.lock("other", LEASE)]).toEqual([true, true])
  })
})
