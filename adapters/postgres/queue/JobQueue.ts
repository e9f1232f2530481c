/**
 * The statements about jobs and their leases.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Job, type Jobs, type Storage } from "simplan/ports"
import * as ClockOffset from "../database/ClockOffset.ts"
import * as Claims from "./Claims.ts"
import * as DistributedClaims from "./DistributedClaims.ts"
import type { Queue } from "./Queue.ts"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"

const columns = Columns.of<Job.Job>(
  {
    jobId: "text",
    organizationId: "text",
    work: "jsonb",
    dueAt: "bigint",
    attempts: "integer",
    createdAt: "bigint",
    idempotencyKey: "text",
    origin: "jsonb",
    command: "jsonb",
    refused: "jsonb",
    endedAt: "bigint",
    waiting: "jsonb"
  },
  ["organizationId", "jobId"]
)

// The text of the condition is that of the index.
const isPurchase = "job.ended_at is null and job.work->>'_tag' = 'BuySim'"

type Packed = Columns.Packed<Job.Job>

const value = Columns.packed("job", columns)

const at = Columns.places(columns)

const unpack = (packed: Packed): Job.Job => ({
  jobId: packed[at.jobId],
  organizationId: packed[at.organizationId],
  work: packed[at.work],
  dueAt: packed[at.dueAt],
  attempts: packed[at.attempts],
  createdAt: packed[at.createdAt],
  idempotencyKey: packed[at.idempotencyKey],
  origin: packed[at.origin],
  command: packed[at.command],
  refused: packed[at.refused],
  endedAt: packed[at.endedAt],
  waiting: packed[at.waiting]
})

export const queue: Queue = {
  table: "job",
  partition: "job.organization_id",
  dueAt: "job.due_at",
  id: "job.job_id",
  // The text of the condition is that of the indexes.
  waits: "job.ended_at is null",
  hasFunctions: true
}

type Writes = NonNullable<Storage.Commit["jobs"]>

interface Put extends Job.Job {
  readonly leaseToken: string | null
  readonly leaseUntil: number | null
}

const insert = Columns.insert(
  "job_put",
  "job",
  Columns.of<Put>({ ...columns.types, leaseToken: "text", leaseUntil: "bigint" }, columns.key),
  "on conflict do nothing"
)

/** Stores jobs that are not there yet. */
export const put = (
  sql: Sql,
  puts: NonNullable<Writes["put"]>,
  { offset }: Pick<Database, "offset">,
  ending?: string
): Columns.Clause =>
  insert(
    sql,
    puts.map(
      ({ job, lease }): Put => ({
        ...job,
        leaseToken: lease?.token ?? null,
        leaseUntil: lease === null ? null : ClockOffset.endOf(offset, lease)
      })
    ),
    undefined,
    ending
  )

const leaseColumns = Columns.of<Jobs.JobLease>({ organizationId: "text", jobId: "text", token: "text" }, [
  "organizationId",
  "jobId"
])

/** The row of what is handed in. */
const isOf = `job.organization_id = r."organizationId" and job.job_id = r."jobId"`

/** Removes jobs that are held with the token. */
export const finish = Columns.clause(
  "job_finished",
  leaseColumns,
  (rows) => `delete from simplan.job using ${rows} where ${isOf} and job.lease_token = r.token returning 1`,
  "lease"
)

// The text of the condition is that of the index.
const hasEnded = "job.ended_at is not null"

/** The job of an id. */
export const byId =
  (database: Database) =>
  ({ jobId, organizationId }: Parameters<Storage.Service["jobs"]["get"]>[0]) =>
    Effect.map(
      database.row(
        (sql) => sql<Row<Packed>>`
        select (${sql.literal(value)})::text as value
        from simplan.job
        where job.job_id = ${jobId}
          and ${organizationId === undefined ? sql.literal("true") : sql`job.organization_id = ${organizationId}`}`
      ),
      (row) => (row === null ? null : unpack(row))
    )

/** Jobs that have ended in refusals. */
export const problems =
  (database: Database) =>
  ({ after, limit, organizationId }: Parameters<Storage.Service["problems"]["page"]>[0]) =>
    Effect.map(
      database.rowsOfAll(
        (sql, living) => sql<Row<Packed>>`
          select (${sql.literal(value)})::text as value
          from simplan.job
          where ${sql.literal(hasEnded)} and ${Pages.after(sql, "job.created_at, job.job_id", after)}
            and ${organizationId === undefined ? sql.literal("true") : sql`job.organization_id = ${organizationId}`}
            ${living("job")}
          order by job.created_at, job.job_id
          limit ${limit}::int`,
        organizationId
      ),
      (rows) => rows.map(unpack)
    )

export const problemCount = (database: Database) =>
  Effect.map(
    database.rowsOfAll(
      (sql, living) => sql<Row<number>>`
        select to_json(count(*))::text as value
        from (
          select true from simplan.job
          where ${sql.literal(hasEnded)} ${living("job")}
          order by job.created_at, job.job_id
          limit 10000
        ) problem`
    ),
    ([count]) => count ?? 0
  )

/** The outstanding purchases of an organization (rule I15). */
export const purchases =
  (database: Database) =>
  ({ limit, organizationId }: Parameters<Storage.Service["jobs"]["purchases"]>[0]) =>
    Effect.map(
      database.rows(
        (sql) => sql<Row<Packed>>`
          select (${sql.literal(value)})::text as value
          from simplan.job
          where job.organization_id = ${organizationId} and ${sql.literal(isPurchase)}
          order by job.created_at, job.job_id
          limit ${limit}::int`
      ),
      (rows) => rows.map(unpack)
    )

/** An outstanding purchase that nobody awaits, awaited from now on (rule I15). */
export const adoptPurchase =
  (database: Database) =>
  (asked: Parameters<Storage.Service["adoptPurchase"]>[0]): Effect.Effect<Job.Job | null, Storage.StorageError> =>
    Effect.map(
      database.write((sql) => {
        const { label, load, machineNow, organizationId, until } = ClockOffset.claimed(database.offset, asked)
        return sql<Row<Packed>>`
          with job as (
          update simplan.job set awaited_until = ${until}::bigint
          where job.organization_id = ${organizationId} and job.job_id = (
            select job.job_id from simplan.job
            where job.organization_id = ${organizationId} and ${sql.literal(isPurchase)}
              and job.work->>'label' = ${label} and job.work->>'load' = ${load}
              and (job.awaited_until is null or job.awaited_until <= ${machineNow}::bigint)
            order by job.created_at, job.job_id
            limit 1
            for update skip locked
          )
          returning job.*
          )
          select (${sql.literal(value)})::text as value from job`
      }),
      ([row]) => (row === undefined ? null : unpack(row))
    )

/** The purchase is awaited no more by who adopted it until then. */
export const leavePurchase =
  (database: Database) =>
  ({ jobId, organizationId, ...lease }: Parameters<Storage.Service["leavePurchase"]>[0]) =>
    Effect.asVoid(
      database.write(
        (sql) => sql<Row<number>>`
          update simplan.job set awaited_until = null
          where job.job_id = ${jobId} and job.organization_id = ${organizationId}
            and job.awaited_until = ${ClockOffset.endOf(database.offset, lease)}::bigint
          returning '1' as value`
      )
    )

type Retried = NonNullable<Writes["retried"]>[number]

interface Retry extends Omit<Retried, "lease"> {
  readonly next: string | null
  readonly until: number | null
}

const retryRows = Columns.clause<Retry>(
  "job_retried",
  Columns.of(
    {
      organizationId: "text",
      jobId: "text",
      token: "text",
      next: "text",
      dueAt: "bigint",
      endedAt: "bigint",
      until: "bigint",
      attempts: "integer",
      refused: "jsonb",
      waiting: "jsonb"
    },
    ["organizationId", "jobId"]
  ),
  (rows) => `update simplan.job set due_at = r."dueAt", attempts = r.attempts,
      refused = coalesce(r.refused, job.refused), ended_at = r."endedAt", waiting = r.waiting, lease_token = r.next,
      lease_until = r.until
    from ${rows}
    where ${isOf} and job.lease_token = r.token
    returning 1`,
  "lease"
)

const retryOf =
  (offset: Database["offset"]) =>
  ({ lease = null, ...retried }: Retried): Retry => ({
    ...retried,
    next: lease?.token ?? null,
    until: lease === null ? null : ClockOffset.endOf(offset, lease)
  })

/** Gives back jobs that are held with the token, for a later try, or to who goes on with them. */
export const retry = (
  sql: Sql,
  rows: ReadonlyArray<Retried>,
  { offset }: Pick<Database, "offset">,
  ending?: string
): Columns.Clause => retryRows(sql, rows.map(retryOf(offset)), undefined, ending)

// The text of the condition is that of the index.
export const waits = "job.waiting is not null and job.ended_at is null"

/** Has jobs tried sooner that wait for their next try. */
export const hasten = Columns.update(
  "job_hastened",
  "job",
  Columns.pick(columns, ["organizationId", "jobId", "dueAt"]),
  `and ${waits} and job.due_at > r."dueAt"`
)

const waitingList: Pages.List<Packed> = {
  table: "job",
  order: ["job.created_at", "job.job_id"],
  isNewestFirst: false,
  value
}

/** Jobs that wait for their next try. */
export const waiting =
  (database: Database) =>
  ({ kind, organizationId, reason, telco, ...of }: Storage.FilteredKeyset & Storage.WaitingFilter) =>
    Effect.map(
      Pages.filteredOfAll(database, waitingList, { ...of, organizationId }, (sql, living) => ({
        listed: [sql`${sql.literal(waits)} ${living("job")}`],
        filters: [
          ...(organizationId === undefined ? [] : [sql`job.organization_id = ${organizationId}`]),
          ...(kind === undefined ? [] : [sql`job.work->>'_tag' = ${kind}`]),
          ...(reason === undefined ? [] : [sql`job.waiting->>'reason' = ${reason}`]),
          ...(telco === undefined ? [] : [sql`coalesce(job.waiting->>'telco', '') = ${telco}`])
        ]
      })),
      ({ items, ...found }) => ({ ...found, items: items.map(unpack).filter(Job.isWaiting) })
    )

// The text of the condition is that of the index.
/** The jobs about a SIM that wait for their next try or have ended. */
export const ofSim =
  (database: Database) =>
  ({ after, iccid, limit, organizationId }: Parameters<Storage.Service["jobs"]["ofSim"]>[0]) =>
    Effect.map(
      database.rows(
        (sql) => sql<Row<Packed>>`
          select (${sql.literal(value)})::text as value
          from simplan.job
          where job.organization_id = ${organizationId} and job.work->>'iccid' = ${iccid}
            and (job.waiting is not null or job.ended_at is not null)
            and ${Pages.after(sql, "job.created_at, job.job_id", after)}
          order by job.created_at, job.job_id
          limit ${limit}::int`
      ),
      (rows) => rows.map(unpack)
    )

/** Has jobs that have ended tried again. */
export const reopen = Columns.clause(
  "job_reopened",
  Columns.of<NonNullable<Writes["reopened"]>[number]>(
    {
      organizationId: "text",
      jobId: "text",
      endedAt: "bigint",
      dueAt: "bigint",
      attempts: "integer",
      work: "jsonb"
    },
    ["organizationId", "jobId"]
  ),
  (rows) => `update simplan.job set due_at = r."dueAt", attempts = r.attempts, ended_at = null, waiting = null,
      work = coalesce(r.work, job.work)
    from ${rows}
    where ${isOf} and job.ended_at = r."endedAt"
    returning 1`,
  "version"
)

/** Removes jobs that have ended. */
export const resolve = Columns.remove(
  "job_resolved",
  "job",
  Columns.pick(columns, ["organizationId", "jobId", "endedAt"]),
  'and job.ended_at = r."endedAt"',
  "version"
)

/** Removes jobs of which no attempt was given back. */
export const cancel = Columns.remove(
  "job_cancelled",
  "job",
  Columns.pick(columns, ["organizationId", "jobId"]),
  "and job.attempts = 0",
  "version"
)

/** Hands out jobs that are due and unheld, in due order. */
export const claim = (database: Database) => (claim: Jobs.Claim) =>
  Effect.suspend(() => {
    const claimed = ClockOffset.claimed(database.offset, claim)
    const take = (before: (sql: Sql) => Fragment, isTaken: (sql: Sql) => Fragment) =>
      database.write(
        (sql) => sql<Row<Packed>>`
        with ${before(sql)} job as (
          update simplan.job set lease_token = ${claimed.token}, lease_until = ${claimed.until}::bigint
          where ${isTaken(sql)}
          returning job.*
        )
        select (${sql.literal(value)})::text as value from job order by job.due_at, job.job_id`
      )
    const rows = database.isDistributed
      ? DistributedClaims.claim<Packed>(database, {
          queue,
          claim: claimed,
          take: (isTaken) => take((sql) => sql.literal(""), isTaken),
          placeOf: (packed) => ({ dueAt: packed[at.dueAt], id: packed[at.jobId] })
        })
      : take(
          (sql) => sql`${Claims.byPlace(sql, queue, claimed).taken},`,
          (sql) => Claims.byPlace(sql, queue, claimed).isTaken
        )
    return Effect.map(rows, (found) => found.map(unpack))
  })

/**
 * Moves the ends of leases. What is locked is just being finished or taken, and needs it no more.
 */
export const renew = (database: Database) => {
  const ofSome = (of: Jobs.Renewal) =>
    database.writeHeld(
      (sql) => sql<Row<never>>`
        with job_renewing as (
          select * from (
            select job.organization_id, job.job_id
            from ${Columns.rows(sql, of.leases, leaseColumns)}
            join simplan.job on ${sql.literal(isOf)} and job.lease_token = r.token
            order by job.organization_id, job.job_id
            for update of job skip locked
          ) locked
        )
        update simplan.job set lease_until = ${ClockOffset.endOf(database.offset, of)}::bigint
        from job_renewing r
        where job.organization_id = r.organization_id and job.job_id = r.job_id
          ${Columns.ofOwner(sql, "job", of.leases)}`
    )
  // Rows of one organization are locked where they stand.
  return (of: Jobs.Renewal) =>
    database.isDistributed
      ? DistributedClaims.ofEachOwner(of.leases, (leases) => ofSome({ ...of, leases }))
      : Effect.asVoid(ofSome(of))
}

/** Ends every lease on what is due. */
export const release = (database: Database) => (at: { readonly now: number }) =>
  Effect.asVoid(
    database.writeHeld(
      (sql) => sql<Row<never>>`
        update simplan.job set lease_token = null, lease_until = null
        where ${sql.literal(queue.waits)} and job.due_at <= ${at.now}::bigint and job.lease_until is not null`
    )
  )

/** Ends leases that are held with the token. */
export const handBack = (database: Database) => {
  const ofSome = (leases: ReadonlyArray<Jobs.JobLease>) =>
    database.writeHeld(
      (sql) => sql<Row<never>>`
        update simplan.job set lease_token = null, lease_until = null
        from ${Columns.rows(sql, leases, leaseColumns)}
        where ${sql.literal(isOf)} and job.lease_token = r.token`
    )
  return (leases: ReadonlyArray<Jobs.JobLease>) =>
    database.isDistributed ? DistributedClaims.ofEachOwner(leases, ofSome) : Effect.asVoid(ofSome(leases))
}
