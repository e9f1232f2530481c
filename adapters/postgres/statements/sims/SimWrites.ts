/**
 * The statements that write SIMs, one for each group of columns that changes together.
 *
 * Each is guarded by the SIM's version, raises it, and ends any reservation of the SIM.
 */
import type { Sim, SimDifference } from "simplan/ports"
import type { Sql } from "../../database/Database.ts"
import * as CommitClause from "../../sql/CommitClause.ts"

/** A SIM as it is to be, under the version that was loaded. */
export type Row = SimDifference.Difference["sim"]["row"]

type Rows = ReadonlyArray<Row>

const key = ["organizationId", "iccid"] as const
const keyColumns = { text: ["organizationId", "iccid"], bigint: ["version"] } as const

const write = (sql: Sql, name: string, assignments: string, columns: CommitClause.Columns<State>, rows: Rows) => ({
  ctes: [
    sql`${sql.literal(name)} as (
      update simplan.sim set
        ${sql.literal(assignments)} version = r.version + 1, reservation_token = null, reserved_until = null
      from ${CommitClause.rows(sql, rows.map(stateOf), columns)}
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from ${sql.literal(name)}) = ${rows.length}::int, 'version')`
})

/** What of a SIM can change, by its columns. */
interface State extends Pick<Row, "organizationId" | "iccid" | "version"> {
  readonly allocation: Sim.Allocation["_tag"] | undefined
  readonly allocatedTo: string | null
  readonly recycledAt: number | null | undefined
  readonly downloaded: boolean | undefined
  readonly smdp: Sim.Sim["smdp"] | undefined
  readonly location: Sim.Sim["location"] | undefined
  readonly lastActivityAt: number | null | undefined
  readonly applied: boolean | undefined
  readonly target: boolean | null
}

const stateOf = (row: Row): State => ({
  organizationId: row.organizationId,
  iccid: row.iccid,
  version: row.version,
  allocation: row.allocation?._tag,
  allocatedTo: row.allocation === undefined || row.allocation._tag === "Free" ? null : row.allocation.subscriptionId,
  recycledAt: row.recycledAt,
  downloaded: row.downloaded,
  smdp: row.smdp,
  location: row.location,
  lastActivityAt: row.lastActivityAt,
  applied: row.mobilePlan?.applied,
  target: row.mobilePlan?._tag === "Changing" ? row.mobilePlan.target : null
})

const touchedColumns = CommitClause.columns<State>(keyColumns, key, ["organizationId"])

/** Raises the versions alone. */
export const bumpVersion = (sql: Sql, rows: Rows): CommitClause.CommitClause =>
  write(sql, "sim_touched", "", touchedColumns, rows)

const used = { ...keyColumns, bigint: ["version", "lastActivityAt"], boolean: ["downloaded"] } as const
const usedColumns = CommitClause.columns<State>(used, key, ["organizationId"])
const reportedColumns = CommitClause.columns<State>({ ...used, jsonb: ["smdp", "location"] }, key, ["organizationId"])

const usedAssignments = `downloaded = r.downloaded, last_activity_at = r."lastActivityAt",`

/** Writes what usage changes. */
export const use = (sql: Sql, rows: Rows): CommitClause.CommitClause =>
  write(sql, "sim_used", usedAssignments, usedColumns, rows)

/** Writes what reports of any kind change. */
export const writeReported = (sql: Sql, rows: Rows): CommitClause.CommitClause =>
  write(sql, "sim_reported", `${usedAssignments} smdp = r.smdp, location = r.location,`, reportedColumns, rows)

const allocated = {
  ...keyColumns,
  text: [...key, "allocation", "allocatedTo"],
  bigint: ["version", "recycledAt"]
} as const
const allocatedColumns = CommitClause.columns<State>(allocated, key, ["organizationId"])

const allocatedAssignments = `allocation = r.allocation, allocated_to = r."allocatedTo", recycled_at = r."recycledAt",
        releasing = nullif(r.allocation = 'Releasing', false),`

/** Writes who has the SIM. */
export const allocate = (sql: Sql, rows: Rows): CommitClause.CommitClause =>
  write(sql, "sim_allocated", allocatedAssignments, allocatedColumns, rows)

const updatedColumns = CommitClause.columns<State>(
  {
    text: allocated.text,
    bigint: ["version", "recycledAt", "lastActivityAt"],
    boolean: ["downloaded", "applied", "target"],
    jsonb: ["smdp", "location"]
  },
  key,
  ["organizationId"]
)

/** Writes everything that can change. */
export const update = (sql: Sql, rows: Rows): CommitClause.CommitClause =>
  write(
    sql,
    "sim_updated",
    `${allocatedAssignments} ${usedAssignments} smdp = r.smdp, location = r.location,
        mobile_plan_applied = r.applied, mobile_plan_target = r.target,`,
    updatedColumns,
    rows
  )

/** Locks SIMs in the order of their keys, for a commit that writes several of them in several ways. */
export const lock = (sql: Sql, rows: Rows): CommitClause.CommitClause => ({
  ctes: [
    sql`sim_locked as (
      select 1
      from ${CommitClause.rows(sql, rows.map(stateOf), touchedColumns)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      for update of sim
    )`
  ],
  outcome: sql`(select count(*) from sim_locked)`
})

/** A SIM in service with its live subscription and a confirmed attachment. */
export interface Provisioned {
  readonly organizationId: string
  readonly iccid: string
  readonly version: number
  readonly subscriptionId: string
  readonly attachmentId: string
}

const provisionedColumns = CommitClause.columns<Provisioned>(
  { text: ["organizationId", "iccid", "subscriptionId", "attachmentId"], bigint: ["version"] },
  key
)

/**
 * Writes what a confirmed creation changes: a word each in the rows of the SIM, of its subscription and of the attachment.
 * Every creation ends with it, and it costs half of what the three general statements do.
 */
export const provision = (sql: Sql, rows: ReadonlyArray<Provisioned>): CommitClause.CommitClause => ({
  ctes: [
    sql`provisioned as (
      select * from ${CommitClause.rows(sql, rows, provisionedColumns)}
    )`,
    sql`sim_provisioned as (
      update simplan.sim set
        allocation = 'InService', allocated_to = r."subscriptionId", releasing = null, version = r.version + 1,
        reservation_token = null, reserved_until = null
      from provisioned r
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1
    )`,
    sql`subscription_provisioned as (
      update simplan.subscription set status = 'Live'
      from provisioned r
      where subscription.organization_id = r."organizationId" and subscription.subscription_id = r."subscriptionId"
        and subscription.status = 'Pending'
      returning 1
    )`,
    sql`attachment_provisioned as (
      update simplan.attachment set confirmed = true
      from provisioned r
      where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from sim_provisioned) = ${rows.length}::int, 'version'),
    (select count(*) from subscription_provisioned), (select count(*) from attachment_provisioned)`
})
