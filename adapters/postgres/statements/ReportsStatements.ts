/**
 * The statements about what the telco reported: SM-DP+ state entries, the ids of reports that were
 * taken, and the views of SIMs that reports need.
 *
 * The views come column by column, one row for each package that the reports can touch, and one
 * if there is none. PostgreSQL makes it in half of the time that nested values take, at a third
 * of the length.
 */
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { type Package, Sim, type SimAggregate, type SmdpHistory, type Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"
import * as SimsStatements from "./sims/SimsStatements.ts"

const entryColumns = Columns.of<SmdpHistory.Entry>({
  organizationId: "text",
  iccid: "text",
  reportId: "text",
  state: "text",
  modificationResult: "text",
  modifiedAt: "bigint"
})

const entryValue = Columns.json("smdp_entry", entryColumns)

const insertEntries = Columns.clause<SmdpHistory.Entry & { readonly position: number }>(
  "smdp_entry_added",
  Columns.of({ ...entryColumns.types, position: "integer" }),
  (rows) => `${Columns.insertion("smdp_entry", entryColumns)} from ${rows} order by r.position returning 1`
)

/** Appends entries in the order given. */
export const addEntries = (sql: Sql, entries: ReadonlyArray<SmdpHistory.Entry>): Columns.Clause =>
  insertEntries(
    sql,
    entries.map((entry, position) => ({ ...entry, position }))
  )

/** The entries of a SIM, by `modifiedAt`, then as stored. */
export const entriesOf = (database: Database) => (of: { readonly organizationId: string; readonly iccid: string }) =>
  database.rows(
    (sql) => sql<Row<SmdpHistory.Entry>>`
      select ${sql.literal(entryValue)}::text as value
      from simplan.smdp_entry
      where smdp_entry.organization_id = ${of.organizationId} and smdp_entry.iccid = ${of.iccid}
      order by smdp_entry.modified_at, smdp_entry.position`
  )

const seenColumns = Columns.of<Storage.SeenReport>(
  { organizationId: "text", reportId: "text", receivedAt: "bigint" },
  ["organizationId", "reportId"],
  ["organizationId", "receivedAt"]
)

/**
 * Remembers report ids, each beside what is there of it: the key has the day, which is the
 * partition.
 */
export const putSeen = Columns.insert("taken_report_put", "taken_report", seenColumns, "on conflict do nothing")

type Attachment = SimAggregate.AttachmentForReports["attachment"]
type ReportedSim = SimAggregate.ForReports["sim"]

/**
 * Of one row; from the attachment's id on null if there is none, and from the occurrence on
 * likewise.
 */
type PackedRow = readonly [
  at: number,
  organizationId: string,
  label: ReportedSim["label"],
  isEsim: boolean,
  movedTo: string | null,
  downloaded: boolean,
  smdp: ReportedSim["smdp"],
  location: ReportedSim["location"],
  lastActivityAt: number | null,
  version: number,
  purchase: ReportedSim["purchase"],
  seen: ReadonlyArray<string> | null,
  attachmentId: string | null,
  planId: string,
  subscriptionId: string,
  metadata: string,
  createdAt: number,
  anchor: number | null,
  suspendedAt: number | null,
  lastThresholdNotified: number,
  replacements: number,
  dataMegaBytes: number,
  periodDays: number,
  recurrence: Attachment["terms"]["recurrence"],
  alertThresholds: ReadonlyArray<number> | null,
  occurrence: number | null,
  telcoPackageId: string | null,
  activationAt: number | null,
  expirationAt: number | null,
  usedBytes: number,
  replacement: Package.Package["replacement"]
]

const simColumns: ReadonlyArray<string> = [
  "r.at",
  ...[
    "organization_id",
    "label",
    "is_esim",
    "moved_to",
    "downloaded",
    "smdp",
    "location",
    "last_activity_at",
    "version",
    "purchase"
  ].map((name) => `sim.${name}`)
]

const heldColumns: ReadonlyArray<string> = [
  ...[
    "attachment_id",
    "plan_id",
    "subscription_id",
    "metadata",
    "created_at",
    "anchor",
    "suspended_at",
    "last_threshold_notified",
    "replacements"
  ].map((name) => `attachment.${name}`),
  ...["dataMegaBytes", "periodDays", "recurrence", "alertThresholds"].map((name) => `attachment.terms -> '${name}'`),
  ...["occurrence", "telco_package_id", "activation_at", "expiration_at", "used_bytes", "replacement"].map(
    (name) => `package.${name}`
  )
]

/** Null: there is no SIM. */
type Packed = Columns.ByColumn<PackedRow> | null

const gathered = (columns: ReadonlyArray<string>): string => columns.map((column) => `array_agg(${column})`).join(", ")

/** All of the rows. */
const packedViews = (sql: Sql, of: Asked): Fragment => sql`
  case when count(*) > 0 then
    json_build_array(${sql.literal(gathered(simColumns))}, array_agg(${seen(sql, of)}), ${sql.literal(gathered(heldColumns))})
  end`

interface Unpacked {
  readonly aggregate: {
    readonly sim: ReportedSim
    readonly attachments: Array<{ readonly attachment: Attachment; readonly packages: Array<Package.Package> }>
  }
  readonly seen: ReadonlyArray<string>
}

const isBefore = (left: Attachment, right: Attachment): boolean =>
  left.createdAt < right.createdAt || (left.createdAt === right.createdAt && left.attachmentId < right.attachmentId)

// Rows come in no order: each is put in its place, which is nearly always the end.
const insert = <A>(values: Array<A>, value: A, isAfter: (other: A) => boolean): void => {
  let at = values.length
  for (let other = values[at - 1]; other !== undefined && isAfter(other); other = values[at - 1]) at--
  if (at === values.length) values.push(value)
  else values.splice(at, 0, value)
}

const NONE: ReadonlyArray<string> = []

/** The reports that were seen, each one once: it may have been taken on two days. */
const seenOf = (asked: AskedOfSim | undefined, found: ReadonlyArray<string>): ReadonlyArray<string> =>
  asked === undefined || found.length === 0 ? NONE : asked.reportIds.filter((id) => found.includes(id))

/** The aggregates that were packed, of what was asked. */
const unpack = (asked: ReadonlyArray<AskedOfSim>, packed: Packed): ReadonlyArray<Storage.Reported> => {
  if (packed === null) return []
  const [ats, organizationIds, labels, areEsims, movedTos, downloads, smdps, locations, activities, ...others] = packed
  const [versions, purchases, seens, ...more] = others
  const [
    attachmentIds,
    planIds,
    subscriptionIds,
    notes,
    createdAts,
    anchors,
    suspensions,
    notified,
    moves,
    megaBytes,
    periods,
    recurrences,
    alerts,
    ...rest
  ] = more
  const [occurrences, telcoPackageIds, activations, expirations, used, replaced] = rest
  const aggregates = new Map<number, Unpacked>()
  // One string for all who have the same.
  let organizationId = ""
  ats.forEach((at, row) => {
    const iccid = asked[at]?.iccid ?? ""
    let aggregate = aggregates.get(at)
    if (aggregate === undefined) {
      if (organizationIds[row] !== organizationId) organizationId = organizationIds[row] ?? ""
      const sim = {
        organizationId,
        iccid,
        label: labels[row] ?? "Green",
        isEsim: areEsims[row] ?? false,
        movedTo: movedTos[row] ?? null,
        downloaded: downloads[row] ?? false,
        smdp: smdps[row] ?? null,
        location: locations[row] ?? null,
        lastActivityAt: activities[row] ?? null,
        purchase: purchases[row] ?? null,
        version: versions[row] ?? 0
      }
      aggregate = { aggregate: { sim, attachments: [] }, seen: seenOf(asked[at], seens[row] ?? NONE) }
      aggregates.set(at, aggregate)
    }
    const attachmentId = attachmentIds[row] ?? null
    if (attachmentId === null) return
    const { attachments } = aggregate.aggregate
    let known = attachments.find(({ attachment }) => attachment.attachmentId === attachmentId)
    if (known === undefined) {
      const alertThresholds = alerts[row] ?? null
      const attachment = {
        organizationId,
        iccid,
        attachmentId,
        planId: planIds[row] ?? "",
        subscriptionId: subscriptionIds[row] ?? "",
        metadata: notes[row] ?? "",
        createdAt: createdAts[row] ?? 0,
        confirmed: true,
        anchor: anchors[row] ?? null,
        suspendedAt: suspensions[row] ?? null,
        lastThresholdNotified: notified[row] ?? 0,
        replacements: moves[row] ?? 0,
        terms: {
          dataMegaBytes: megaBytes[row] ?? 0,
          periodDays: periods[row] ?? 0,
          recurrence: recurrences[row] ?? null,
          ...(alertThresholds === null ? {} : { alertThresholds })
        }
      }
      known = { attachment, packages: [] }
      insert(attachments, known, (other) => isBefore(attachment, other.attachment))
    }
    const occurrence = occurrences[row] ?? null
    if (occurrence === null) return
    const pack: Package.Package = {
      organizationId,
      iccid,
      attachmentId,
      occurrence,
      status: "Created",
      refusal: null,
      telcoPackageId: telcoPackageIds[row] ?? null,
      activationAt: activations[row] ?? null,
      expirationAt: expirations[row] ?? null,
      usedBytes: used[row] ?? 0,
      replacement: replaced[row] ?? null
    }
    insert(known.packages, pack, (other) => other.occurrence > occurrence)
  })
  return [...aggregates.values()]
}

interface AskedOfSim {
  readonly iccid: string
  readonly since: number
  readonly packageIds: ReadonlyArray<string>
  readonly reportIds: ReadonlyArray<string>
}

interface Asked {
  readonly iccids: ReadonlyArray<AskedOfSim>
  readonly seenSince: number
  readonly seenUntil?: number
}

interface PlacedSim extends Omit<AskedOfSim, "packageIds"> {
  readonly at: number
  readonly packageIds: ReadonlyArray<string> | null
}

const askedColumns = Columns.of<PlacedSim>({
  at: "integer",
  iccid: "text",
  since: "bigint",
  packageIds: "text[]",
  reportIds: "text[]"
})

const placed = ({ iccid, packageIds, reportIds, since }: AskedOfSim, at: number): PlacedSim => ({
  at,
  iccid,
  since,
  packageIds: packageIds.length === 0 ? null : packageIds,
  reportIds
})

// It goes through the days that are asked for, whose bounds are parameters of the statement, so
// that the other partitions are left out when it begins. Each has an index by its primary key and
// no other. `Connections.plannerSettings` keeps the planner from reading a table as a whole while
// it is empty.
/** Those of the reports that a SIM's organization has seen. */
const seen = (sql: Sql, { seenSince, seenUntil = Number.MAX_SAFE_INTEGER }: Asked): Fragment => sql`(
  select json_agg(taken_report.report_id)
  from simplan.taken_report
  where taken_report.organization_id = sim.organization_id and taken_report.report_id = any(r."reportIds")
    and taken_report.received_at >= ${seenSince}::bigint and taken_report.received_at < ${seenUntil}::bigint
)`

// A SIM is in service with the subscription that holds it.
const touchable = `
  left join simplan.attachment on ${SimsStatements.allocatedSo(Sim.isInService)} and attachment.organization_id = sim.organization_id
    and attachment.subscription_id = sim.allocated_to and attachment.confirmed
  left join simplan.package on package.organization_id = attachment.organization_id
    and package.attachment_id = attachment.attachment_id and package.status = 'Created' and (
      package.expiration_at is null or package.expiration_at > r.since or r."packageIds" is not null and (
        package.telco_package_id = any(r."packageIds")
        or package.attachment_id || ':' || package.occurrence || coalesce(':' || (package.replacement->>'number'), '')
          = any(r."packageIds")
      )
    )`

/**
 * The views that reports need, of SIMs of any organization. Their owners are found first: where
 * tables are distributed, ICCIDs stand by themselves.
 */
export const views = (database: Database) => (of: Asked) =>
  Effect.map(
    database.row(
      (sql) => sql<Row<Packed>>`
        with r as materialized (
          select r.*, iccid.organization_id
          from ${Columns.rows(sql, of.iccids.map(placed), askedColumns)}
          join simplan.iccid on iccid.iccid = r.iccid
        )
        select (${packedViews(sql, of)})::text as value
        from r
        join simplan.sim on sim.organization_id = r.organization_id and sim.iccid = r.iccid
        ${sql.literal(touchable)}`
    ),
    (packed) => unpack(of.iccids, packed)
  )
