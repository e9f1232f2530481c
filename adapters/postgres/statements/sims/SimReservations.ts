/**
 * The claim of SIMs that nobody else is given meanwhile, and its end before its time.
 */
import { Effect } from "effect"
import type { Storage } from "simplan/ports"
import * as ClockOffset from "../../database/ClockOffset.ts"
import type { Database, Row, Sql } from "../../database/Database.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as SimRows from "../../sql/SimRows.ts"
import * as CommitClause from "../../sql/CommitClause.ts"

/** Whether an eSIM is free (rule S2). The text of the condition is that of the index. */
export const isFree = `sim.is_esim and sim.allocated_to is null and not sim.downloaded`

/** Which SIMs serve the purpose, and in which order; each has a partial index of this very shape. */
const purposes = {
  subscription: {
    fits: isFree,
    order: `recycled_at nulls first, import_sequence`
  },
  "mobile plan": {
    fits: `sim.is_esim and not sim.mobile_plan_applied and sim.mobile_plan_target is null`,
    order: `import_sequence`
  }
} as const

interface Outcome {
  readonly sims: ReadonlyArray<SimRows.Packed>
  /** Whether there is one that fits, in the snapshot: past claims and locks. Null where all were had. */
  readonly fitting: true | null
  /** Whether one is on its way back to stock (rule S5). Null where all were had, or one fits. */
  readonly returning: true | null
  /** Whether a creation has one that is not decided (rule S5). Null likewise. */
  readonly provisioning: true | null
}

/** How many are claimed at most. */
const MOST = 100

// A claim need not be on the disk before it is answered: the commit that makes use of it comes behind it in the log, and
// where a crash of the database undoes it, the SIM's version lets only one of those who then have it go on. Nor need its
// end. Within a transaction it is that one's setting.
const flushing = (sql: Sql, joined: boolean) =>
  sql.literal(joined ? "" : `, set_config('synchronous_commit', 'off', true)`)

// PostgreSQL plans it once, as no parameter promises a cheaper plan than any other would: it knows nothing of a number
// that is selected, and of an array that is, that it has ten places. The limit within is for the planner alone, so that
// it expects to be through soon and goes by the index; no row is locked that is not asked for.
//
// `fitting` has an order for the planner's sake likewise, which would else read the table as a whole where it expects to
// find one soon; it takes the order out of an `exists`.
const statement = (sql: Sql, of: Storage.ReservationRequest, joined: boolean) => {
  const fits = sql.literal(purposes[of.purpose].fits)
  const order = sql.literal(purposes[of.purpose].order)
  return sql<Row<Outcome>>`
    with claimed as (
      update simplan.sim
      set reservation_token = ${of.token}, reserved_until = ${of.until}::bigint, version = sim.version + 1
      where sim.organization_id = ${of.organizationId} and sim.iccid = any (array(
        select free.iccid from (
          select sim.iccid from simplan.sim
          where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
            and (sim.reserved_until is null or sim.reserved_until <= ${of.machineNow}::bigint)
          order by ${order}
          limit ${sql.literal(String(MOST))}
          for update skip locked
        ) free
        limit (select ${of.count}::int)
      ))
      returning sim.recycled_at, sim.import_sequence, ${sql.literal(SimRows.value)} as value
    )
    select json_build_object(
      'sims', (select coalesce(json_agg(value order by ${order}), '[]') from claimed),
      'fitting', case when (select count(*) from claimed) < ${of.count}::int then (
        select true from simplan.sim
        where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
        order by ${order}
        limit 1
      ) end,
      'returning', case when (select count(*) from claimed) = 0 and ${sql.literal(String(of.purpose === "subscription"))} then (
        select true from simplan.sim
        where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and sim.releasing
          and sim.allocation = 'Releasing' and sim.is_esim and not sim.downloaded
          and not exists (
            select from simplan.job
            where job.ended_at is not null and job.organization_id = sim.organization_id
              and job.work->>'_tag' = 'CancelPackages' and (job.work->>'release')::boolean
              and job.work->>'iccid' = sim.iccid
          )
        limit 1
      ) end,
      'provisioning', case when (select count(*) from claimed) = 0 and ${sql.literal(String(of.purpose === "subscription"))} then (
        select true from simplan.job
        where job.organization_id = ${of.organizationId} and job.ended_at is null and job.work->>'_tag' = 'Provision'
          and (
            select sim.label = ${of.label} and sim.allocation = 'Provisioning' and sim.is_esim and not sim.downloaded
            from simplan.sim
            where sim.organization_id = job.organization_id and sim.iccid = job.work->>'iccid'
          )
        limit 1
      ) end
    )::text as value${flushing(sql, joined)}`
}

export const reserve =
  (database: Database) =>
  (of: Storage.ReservationRequest): Effect.Effect<Storage.ReservedSims, Storage.StorageError> =>
    Effect.flatMap(database.inTransaction, (joined) =>
      Secrets.decoded(
        database.write((sql) => {
          const claim = ClockOffset.claimed(database.offset, of)
          return statement(sql, { ...claim, count: Math.min(of.count, MOST) }, joined)
        }),
        ([outcome]): Storage.ReservedSims => {
          const { decrypt } = database.cipher
          const sims = (outcome?.sims ?? []).map((sim) => SimRows.unpack(decrypt, of.organizationId, sim))
          if (sims.length >= of.count) return { sims, shortage: null }
          if (outcome?.fitting || sims.length > 0) return { sims, shortage: "Busy" }
          return { sims, shortage: outcome?.returning || outcome?.provisioning ? "Releasing" : "None" }
        }
      )
    )

const reservationColumns = CommitClause.columns<Storage.SimReservation>({ text: ["iccid", "token"] }, ["iccid"])

export const release =
  (database: Database) =>
  ({
    reservations,
    organizationId
  }: {
    readonly organizationId: string
    readonly reservations: ReadonlyArray<Storage.SimReservation>
  }) =>
    Effect.flatMap(database.inTransaction, (joined) =>
      Effect.asVoid(
        database.writeHeld(
          (sql) => sql<Row<number>>`
            with ended as (
              update simplan.sim set reservation_token = null, reserved_until = null
              from ${CommitClause.rows(sql, reservations, reservationColumns)}
              where sim.organization_id = ${organizationId} and sim.iccid = r.iccid and sim.reservation_token = r.token
              returning 1
            )
            select count(*)::text as value${flushing(sql, joined)} from ended`
        )
      )
    )
