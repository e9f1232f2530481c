/**
 * The statements about SIMs but their import and claiming. The version of a SIM guards all that hangs on it.
 */
import { Effect } from "effect"
import type { Label, Sim, Storage } from "simplan"
import type { Database, Row, Sql } from "../connection/Database.ts"
import * as SimRows from "../sql/SimRows.ts"
import * as CommitClause from "../sql/CommitClause.ts"

export const value = `json_build_object(
  'organizationId', sim.organization_id, 'simId', sim.sim_id, 'iccid', sim.iccid, 'serial', sim.serial,
  'label', sim.label, 'isEsim', sim.is_esim, 'lpa', sim.lpa, 'createdAt', sim.created_at,
  'hold', case when sim.held_by is null
    then json_build_object('_tag', sim.hold)
    else json_build_object('_tag', sim.hold, 'subscriptionId', sim.held_by)
  end,
  'recycledAt', sim.recycled_at, 'downloaded', sim.downloaded, 'smdp', sim.smdp, 'location', sim.location,
  'lastActivityAt', sim.last_activity_at,
  'mobilePlan', case when sim.mobile_plan_target is null
    then json_build_object('_tag', 'Settled', 'applied', sim.mobile_plan_applied)
    else json_build_object('_tag', 'Changing', 'applied', sim.mobile_plan_applied, 'target', sim.mobile_plan_target)
  end,
  'version', sim.version
)`

/** What of a SIM can change, by its columns. */
interface State {
  readonly organizationId: string
  readonly iccid: string
  readonly hold: Sim.Hold["_tag"]
  readonly heldBy: string | null
  readonly recycledAt: number | null
  readonly downloaded: boolean
  readonly smdp: Sim.Sim["smdp"]
  readonly location: Sim.Sim["location"]
  readonly lastActivityAt: number | null
  readonly applied: boolean
  readonly target: boolean | null
  readonly version: number
}

const key = ["organizationId", "iccid"] as const

const columns = CommitClause.columns<State>(
  {
    text: ["organizationId", "iccid", "hold", "heldBy"],
    bigint: ["recycledAt", "lastActivityAt", "version"],
    boolean: ["downloaded", "applied", "target"],
    jsonb: ["smdp", "location"]
  },
  key,
  ["organizationId"]
)

const stateOf = (sim: Sim.Sim): State => ({
  organizationId: sim.organizationId,
  iccid: sim.iccid,
  hold: sim.hold._tag,
  heldBy: sim.hold._tag === "Free" ? null : sim.hold.subscriptionId,
  recycledAt: sim.recycledAt,
  downloaded: sim.downloaded,
  smdp: sim.smdp,
  location: sim.location,
  lastActivityAt: sim.lastActivityAt,
  applied: sim.mobilePlan.applied,
  target: sim.mobilePlan._tag === "Settled" ? null : sim.mobilePlan.target,
  version: sim.version
})

/** Updates them, each guarded by its version, and ends any claim on them. What they came in with stays as it is. */
export const update = (sql: Sql, sims: ReadonlyArray<Sim.Sim>): CommitClause.CommitClause => ({
  ctes: [
    sql`sim_updated as (
      update simplan.sim set
        hold = r.hold, held_by = r."heldBy", recycled_at = r."recycledAt", downloaded = r.downloaded, smdp = r.smdp,
        location = r.location, last_activity_at = r."lastActivityAt", mobile_plan_applied = r.applied,
        mobile_plan_target = r.target, version = r.version + 1, claim_token = null, claim_until = null
      from ${CommitClause.rows(sql, sims.map(stateOf), columns)}
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from sim_updated) = ${sims.length}::int, 'version')`
})

type Reported = Required<NonNullable<Storage.Commit["reported"]>>["sims"][number]

const used = {
  text: ["organizationId", "iccid"],
  bigint: ["lastActivityAt", "version"],
  boolean: ["downloaded"]
} as const

const usedColumns = CommitClause.columns<Reported>(used, key, ["organizationId"])
const sightedColumns = CommitClause.columns<Reported>({ ...used, jsonb: ["smdp", "location"] }, key, ["organizationId"])

/** Writes what was reported of them, guarded likewise. */
export const report = (sql: Sql, sims: ReadonlyArray<Reported>): CommitClause.CommitClause => {
  const isSighted = sims.some(({ location, smdp }) => location !== null || smdp !== null)
  const sighted = isSighted ? ", smdp = coalesce(r.smdp, sim.smdp), location = coalesce(r.location, sim.location)" : ""
  return {
    ctes: [
      sql`sim_reported as (
        update simplan.sim set
          downloaded = r.downloaded, last_activity_at = r."lastActivityAt", version = r.version + 1,
          claim_token = null, claim_until = null ${sql.literal(sighted)}
        from ${CommitClause.rows(sql, sims, isSighted ? sightedColumns : usedColumns)}
        where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
        returning 1
      )`
    ],
    outcome: sql`simplan.ensure((select count(*) from sim_reported) = ${sims.length}::int, 'version')`
  }
}

const keyColumns = CommitClause.columns<Sim.Loaded>({ text: ["organizationId", "iccid"], bigint: ["version"] }, key, [
  "organizationId"
])

/** Moves on the versions of SIMs that stay as they are, each guarded by it, and ends any claim on them. */
export const touch = (sql: Sql, sims: ReadonlyArray<Sim.Loaded>): CommitClause.CommitClause => ({
  ctes: [
    sql`sim_touched as (
      update simplan.sim set version = r.version + 1, claim_token = null, claim_until = null
      from ${CommitClause.rows(sql, sims, keyColumns)}
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from sim_touched) = ${sims.length}::int, 'version')`
})

/** Locks them in one order, where a commit writes several of them in several ways. */
export const lock = (sql: Sql, sims: ReadonlyArray<Sim.Loaded>): CommitClause.CommitClause => ({
  ctes: [
    sql`sim_locked as (
      select 1
      from ${CommitClause.rows(sql, sims, keyColumns)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      for update of sim
    )`
  ],
  outcome: sql`(select count(*) from sim_locked)`
})

/** A page, by serial; one row of a result has it all. */
export const page =
  (database: Database) =>
  (of: Storage.Page<number> & { readonly isEsim: boolean | null; readonly label: Label.Label | null }) =>
    Effect.map(
      database.row((sql) => {
        const filters = [
          sql`sim.organization_id = ${of.organizationId}`,
          ...(of.after === null ? [] : [sql`sim.serial > ${of.after}::bigint`]),
          ...(of.isEsim === null ? [] : [sql`sim.is_esim = ${of.isEsim}`]),
          ...(of.label === null ? [] : [sql`sim.label = ${of.label}`])
        ]
        return sql<Row<SimRows.PackedPage>>`
          select ${sql.literal(SimRows.page)} as value
          from (
            ${CommitClause.first(sql, sql`select * from simplan.sim where ${sql.and(filters)} order by sim.serial`, of.limit)}
          ) sim`
      }),
      (found) => SimRows.unpackPage(of.organizationId, found)
    )
