/**
 * What the tests of the SQL adapters share: databases of their own, a client of one's own on each,
 * and rows to fill them with.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { type Context, Effect, Layer, Redacted, Schedule, Tracer } from "effect"
import type { SqlClient } from "effect/sql"
import pg from "pg"
import { type Job, type Jobs, type Outbox, type Sim, type SimDifference, Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import * as Values from "../../domain/Values.ts"

/** Everything that the adapter gives. */
export type Adapter = Context.Context<Storage.Storage | Jobs.Jobs | Outbox.Outbox | SqlClient.SqlClient>

/** A new adapter on the database, as another process would have. */
export const connect = (url: string, maxConnections = 4) =>
  Layer.build(Layer.fresh(Postgres.layer({ url: Redacted.make(url), maxConnections })))

/** A client of one's own. */
export const admin = (url: string) =>
  Layer.build(Layer.fresh(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))).pipe(
    Effect.flatMap((context) => Effect.provide(PgClient.PgClient, context))
  )

/** A pool of `pg`, as a host's. */
export const poolOf = (options: pg.PoolConfig) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool(options)
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(async () => (pool.ended ? undefined : pool.end()))
  )

/** A new adapter over a pool. */
export const over = (pool: Postgres.PgPool, schema?: string) =>
  Layer.build(Layer.fresh(Postgres.layer({ pool, schema })))

/** A new adapter over a pool with one connection. The planner's settings are the usual ones. */
export const connectOverPool = (url: string, options: pg.PoolConfig = {}) =>
  Effect.flatMap(poolOf({ connectionString: url, max: 1, application_name: "simplan", ...options }), (pool) =>
    over(pool)
  )

/**
 * Flushes this connection's counters. PostgreSQL 14 cannot; there its collector gets time for those
 * of ended connections.
 */
export const counted = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(
    sql<{ readonly release: number }>`select current_setting('server_version_num')::int / 10000 as release`,
    ([row]) =>
      row !== undefined && row.release > 14 ? sql`select pg_stat_force_next_flush()`.unprepared : Effect.sleep(1_000)
  )

/**
 * Waits until the adapters' connections to this client's database have ended, and all counters are
 * flushed.
 */
export const ended = (sql: SqlClient.SqlClient) =>
  Effect.repeat(
    sql`select pid from pg_stat_activity where datname = current_database() and application_name = 'simplan'`,
    { while: (connections) => connections.length > 0, schedule: Schedule.spaced("20 millis") }
  ).pipe(Effect.andThen(counted(sql)))

/** Runs with the storage of one of several adapters. */
export const on = <A, E>(
  adapter: Adapter,
  use: (storage: Storage.Storage["Service"]) => Effect.Effect<A, E>
): Effect.Effect<A, E> => Effect.provide(Storage.Storage.use(use), adapter)

export const iccidOf = (number: number): string => `8988${String(number).padStart(15, "0")}`

export const newSim = (organizationId: string, number: number, changes: Partial<Sim.Sim> = {}): Storage.NewSim =>
  Values.newSim({
    organizationId,
    simId: `sim-${number}`,
    iccid: iccidOf(number),
    lpa: null,
    createdAt: 1_000,
    ...changes
  })

export const newSims = (organizationId: string, from: number, count: number): ReadonlyArray<Storage.NewSim> =>
  Array.from({ length: count }, (_, index) => newSim(organizationId, from + index))

export const terms = Values.terms({ name: "Plan", regionCode: "FR", dataMegaBytes: 100, periodDays: 30 })

/** A job that is due then, named by it. */
export const jobDue = (dueAt: number): Job.Job =>
  Values.job({
    jobId: `job-${dueAt}`,
    organizationId: "o",
    work: { _tag: "Provision", iccid: "1", attachmentId: "1" },
    dueAt
  })

/** The change that writes nothing but the next version of a SIM. */
export const touch = (sim: Sim.Sim): SimDifference.SimChange => ({ loaded: { sim }, next: { sim } })

/** What puts a SIM into service with one attachment and one package. */
export const inService = (sim: Sim.Sim, id: string, createdAt: number): SimDifference.SimChange => {
  const { iccid, organizationId } = sim
  const own = { organizationId, iccid, subscriptionId: id }
  const attachment = Values.attachment({ ...own, attachmentId: id, terms, metadata: "", createdAt })
  const pack = Values.pack({ organizationId, iccid, attachmentId: id, telcoPackageId: `telco-${id}` })
  return {
    loaded: { sim, subscription: null, attachments: [] },
    next: {
      sim: { ...sim, allocation: { _tag: "InService", subscriptionId: id } },
      subscription: Values.subscription({ ...own, metadata: "", createdAt }),
      attachments: [{ attachment, packages: [pack] }]
    }
  }
}

/** All SIMs of an organization, page by page. */
export const allSims = (
  adapter: Adapter,
  organizationId: string
): Effect.Effect<Array<Sim.Sim>, Storage.StorageError> =>
  on(adapter, (storage) =>
    Effect.gen(function* () {
      const all: Array<Sim.Sim> = []
      while (true) {
        const after = all.at(-1)?.importSequence ?? null
        const page = yield* storage.sims.page({ organizationId, after, limit: 1_000, isEsim: null, label: null })
        if (page.length === 0) return all
        all.push(...page)
      }
    })
  )

/** The texts of all statements that are sent from now on. */
export const sending = () => {
  const sent: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => {
        if (name === "db.query.text" && typeof value === "string") sent.push(value)
        attribute(name, value)
      }
      return span
    }
  })
  return { sent, tracer }
}
