/**
 * The statements about the SIMs that are free: how many there are, and the claims of some that
 * nobody else is given meanwhile (rule S2).
 */
import { Effect } from "effect"
import { Label, Sim, type Storage } from "simplan/ports"
import type { Fragment } from "effect/sql/Statement"
import * as ClockOffset from "../../database/ClockOffset.ts"
import type { Database, Row, Sql } from "../../database/Database.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as Columns from "../../sql/Columns.ts"
import * as SimsStatements from "./SimsStatements.ts"

/** Whether an eSIM is free (rule S2). The text of the condition is that of the index. */
export const isFree = `sim.is_esim and sim.allocated_to is null and not sim.downloaded`

const isReleasing = SimsStatements.standing("releasing")

const isProvisioning = SimsStatements.allocatedSo(Sim.isProvisioning)

// The orders are for the planner, which goes by the index of each; it takes the order out of an
// `exists`.
/** Whether an organization has an eSIM of the label of `known`. */
export const hasSome = (sql: Sql, owner: Fragment): Fragment => sql`(
        select true from simplan.sim
        where sim.organization_id = ${owner} and sim.label <= known.label
          and (sim.label, sim.is_esim) >= (known.label, true)
        order by sim.label, sim.is_esim
        limit 1
      )`

/** Whose eSIMs of which label are counted, how many at most, and what can be sold still. */
interface Counted {
  readonly owner: Fragment
  readonly label: Fragment
  readonly atMost: Fragment
  readonly sellAfter: number
}

// What is sold no more is few, and is counted apart, so that the rest is counted by an index alone.
// With an offset the planner counts once, however often the number is named.
/** How many free eSIMs can be sold, as a row `free`. */
export const freeOf = (sql: Sql, { atMost, label, owner, sellAfter }: Counted): Fragment => sql`(
        select (
          select count(*) from (
            select from simplan.sim
            where sim.organization_id = ${owner} and sim.label = ${label} and ${sql.literal(isFree)}
            order by sim.recycled_at nulls first, sim.import_sequence
            limit ${atMost} + lapsed.count
          ) counted
        ) - lapsed.count as free
        from (
          select count(*) from simplan.sim
          where sim.organization_id = ${owner} and sim.label = ${label} and ${sql.literal(isFree)}
            and sim.purchase is not null and (sim.purchase->>'sellBy')::bigint <= ${sellAfter}::bigint
        ) lapsed
        offset 0
      )`

/** How many free eSIMs an organization has, by label. */
const stockOf = (sql: Sql, asked: Fragment, owner: Fragment, sellAfter: number) => sql<Row<Sim.Stock>>`
      select json_build_object('organizationId', ${owner}, 'label', known.label, 'free', found.free)::text
        as value
      from ${asked}
      cross join lateral ${freeOf(sql, { owner, label: sql.literal("known.label"), atMost: sql.literal("1000"), sellAfter })} found
      where found.free > 0 or ${hasSome(sql, owner)}`

const LABELS = JSON.stringify(Label.labels)

/** The same of organizations; one after another where tables are distributed. */
export const stock = (database: Database) => (of: Parameters<Storage.Sims["stock"]>[0]) =>
  database.isDistributed
    ? Effect.map(
        Effect.forEach(of.organizationIds, (organizationId) =>
          database.rows((sql) =>
            stockOf(
              sql,
              sql`json_array_elements_text(${LABELS}::json) as known(label)`,
              sql`${organizationId}::text`,
              of.sellAfter
            )
          )
        ),
        (found) => found.flat()
      )
    : database.rows((sql) =>
        stockOf(
          sql,
          sql`json_array_elements_text(${JSON.stringify(of.organizationIds)}::json) as asked(organization_id)
      cross join json_array_elements_text(${LABELS}::json) as known(label)`,
          sql.literal("asked.organization_id"),
          of.sellAfter
        )
      )

/**
 * Which SIMs serve the purpose, and in which order; each has a partial index of this shape;
 * withdrawn ones are few.
 */
const purposes = {
  subscription: {
    fits: isFree,
    order: `recycled_at nulls first, import_sequence`
  },
  load: {
    fits: `${isFree} and sim.purchase is not null`,
    order: `(purchase->>'sellBy')::bigint, import_sequence`
  },
  "mobile plan": {
    fits: `sim.is_esim and not sim.mobile_plan_applied and sim.mobile_plan_target is null
            and ${SimsStatements.allocatedSo((sim) => Sim.withdrawnReason(sim) === null)}`,
    order: `import_sequence`
  }
} as const

interface Outcome {
  readonly sims: ReadonlyArray<SimsStatements.Packed>
  /**
   * Whether there is one that fits, in the snapshot: past claims and locks. Null if all were
   * had.
   */
  readonly fitting: true | null
  /** Whether one is on its way back to stock (rule S5). Null if all were had, or one fits. */
  readonly returning: true | null
  /** Whether a creation has one that is not decided (rule S5). Null likewise. */
  readonly provisioning: true | null
}

type OfLabel = Pick<Storage.ReservationRequest, "organizationId" | "label" | "load">

/** Whether a SIM came with the load, and can be sold still (`Sim.hasLoad`). */
const hasLoad = (sql: Sql, { load }: Pick<OfLabel, "load">): Fragment =>
  load === null
    ? sql`sim.purchase is null`
    : sql`sim.purchase->>'load' = ${load.load} and coalesce((sim.purchase->>'sellBy')::bigint > ${load.sellAfter}::bigint, true)`

/** Which SIMs fit the request, and in which order. */
export const fitting = (sql: Sql, of: OfLabel & Pick<Storage.ReservationRequest, "purpose">) => {
  const isSale = of.purpose === "subscription"
  const { fits, order } = purposes[isSale && of.load !== null ? "load" : of.purpose]
  return { order, fits: isSale ? sql`${sql.literal(fits)} and ${hasLoad(sql, of)}` : sql.literal(fits) }
}

/** What a SIM on its way back to stock has. */
const isOnItsWay = (
  sql: Sql,
  of: OfLabel
) => sql`sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and sim.releasing
          and ${sql.literal(isReleasing)} and sim.is_esim and not sim.downloaded and ${hasLoad(sql, of)}`

/** The releases of an organization that have ended in refusals. */
const hasEnded = (sql: Sql, of: OfLabel) => sql`job.ended_at is not null and job.organization_id = ${of.organizationId}
              and job.work->>'_tag' = 'CancelPackages' and job.work->>'release' is not null`

/** What a SIM of a creation that is not decided has. */
const isUndecided = (sql: Sql, of: OfLabel) => sql`sim.label = ${of.label} and ${sql.literal(isProvisioning)}
              and sim.is_esim and not sim.downloaded and ${hasLoad(sql, of)}`

/** The creations of an organization that are not decided. */
const isCreation = (sql: Sql, of: OfLabel) =>
  sql`job.organization_id = ${of.organizationId} and job.ended_at is null and job.work->>'_tag' = 'Provision'`

// The index of the jobs of SIMs has texts of the default collation. In another one, and by a join,
// all jobs that have ended would be gone over, for each SIM.
/**
 * Selects a row if a SIM of the label is on its way back to stock. One whose release has ended in
 * refusals is not.
 */
const returning = (sql: Sql, of: OfLabel): Fragment => sql`
        select true from simplan.sim
        where ${isOnItsWay(sql, of)}
          and (
            select count(*) from simplan.job
            where ${hasEnded(sql, of)} and job.work->>'iccid' = sim.iccid collate "default"
          ) = 0
        limit 1`

/** Selects a row if a creation that is not decided has a SIM of the label. */
const provisioning = (sql: Sql, of: OfLabel): Fragment => sql`
        select true from simplan.job
        where ${isCreation(sql, of)}
          and (
            select ${isUndecided(sql, of)}
            from simplan.sim
            where sim.organization_id = ${of.organizationId} and sim.iccid = job.work->>'iccid'
          )
        limit 1`

/** The SIM that a reservation for a subscription would give first if none were reserved. */
export const free = (database: Database) => (of: OfLabel) =>
  Effect.map(
    database.rows((sql) => {
      const { fits, order } = fitting(sql, { ...of, purpose: "subscription" })
      return sql<Row<{ readonly sim: SimsStatements.Packed | null; readonly mayReturn: true | null }>>`
        with free as (
          select ${sql.literal(SimsStatements.value)} as value from simplan.sim
          where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
          order by ${sql.literal(order)}
          limit 1
        )
        select json_build_object(
          'sim', (select value from free),
          'mayReturn', case when not exists (select from free) then coalesce((
            ${returning(sql, of)}
          ), (
            ${provisioning(sql, of)}
          )) end
        )::text as value`
    }),
    ([found]): Storage.FreeSim => {
      const packed = found?.sim ?? null
      if (packed === null) return { sim: null, shortage: found?.mayReturn ? "Releasing" : "None" }
      return { sim: SimsStatements.unpack(database.cipher.decrypt, of.organizationId, packed), shortage: null }
    }
  )

/** How many are claimed at most. */
const MOST = 100

// A claim need not be on the disk before it is answered: the commit that makes use of it comes
// behind it in the log, and if a crash of the database undoes it, the SIM's version lets only
// one of those who then have it go on. Nor need its end. Within a transaction it is that one's
// setting.
const flushing = (sql: Sql, joined: boolean) =>
  sql.literal(joined ? "" : `, set_config('synchronous_commit', 'off', true)`)

// PostgreSQL plans it once, as no parameter promises a cheaper plan than any other would: it knows
// nothing of a number that is selected, and of an array that is, that it has ten places. The limit
// within is for the planner alone, so that it expects to be through soon and goes by the index; no
// row is locked that is not asked for. Where tables are distributed the engine takes no selected
// number as a limit, and each server plans for itself.
//
// `fitting` has an order for the planner's sake likewise, which would else read the table as a
// whole if it expects to find one soon; it takes the order out of an `exists`.
const reservation = (sql: Sql, of: Storage.ReservationRequest, joined: boolean, isDistributed: boolean) => {
  const wanted = fitting(sql, of)
  const { fits } = wanted
  const order = sql.literal(wanted.order)
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
        limit ${isDistributed ? sql`${of.count}::int` : sql`(select ${of.count}::int)`}
      ))
      returning sim.*
    )
    select json_build_object(
      'sims', (select coalesce(json_agg(${sql.literal(SimsStatements.value)} order by ${order}), '[]') from claimed sim),
      'fitting', case when (select count(*) from claimed) < ${of.count}::int then (
        select true from simplan.sim
        where sim.organization_id = ${of.organizationId} and sim.label = ${of.label} and ${fits}
        order by ${order}
        limit 1
      ) end,
      'returning', case when (select count(*) from claimed) = 0 and ${sql.literal(String(of.purpose === "subscription"))} then (
        ${returning(sql, of)}
      ) end,
      'provisioning', case when (select count(*) from claimed) = 0 and ${sql.literal(String(of.purpose === "subscription"))} then (
        ${provisioning(sql, of)}
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
          return reservation(sql, { ...claim, count: Math.min(of.count, MOST) }, joined, database.isDistributed)
        }),
        ([outcome]): Storage.ReservedSims => {
          const { decrypt } = database.cipher
          const sims = (outcome?.sims ?? []).map((sim) => SimsStatements.unpack(decrypt, of.organizationId, sim))
          if (sims.length >= of.count) return { sims, shortage: null }
          if (outcome?.fitting || sims.length > 0) return { sims, shortage: "Busy" }
          return { sims, shortage: outcome?.returning || outcome?.provisioning ? "Releasing" : "None" }
        }
      )
    )

const reservationColumns = Columns.of<Storage.SimReservation>({ iccid: "text", token: "text" }, ["iccid"])

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
              from ${Columns.rows(sql, reservations, reservationColumns)}
              where sim.organization_id = ${organizationId} and sim.iccid = r.iccid and sim.reservation_token = r.token
              returning 1
            )
            select count(*)::text as value${flushing(sql, joined)} from ended`
        )
      )
    )
