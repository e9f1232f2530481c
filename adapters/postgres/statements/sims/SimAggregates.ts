/**
 * The reads of SIM aggregates: a SIM with its present subscription, that one's attachments and their packages, nested in SQL.
 */
import { Effect } from "effect"
import type { Attachment, Sim, SimAggregate } from "simplan/ports"
import type { Database, Row } from "../../database/Database.ts"
import * as Batching from "../../database/Batching.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as AggregateRows from "../../sql/AggregateRows.ts"
import * as ReportedRows from "../../sql/ReportedRows.ts"
import * as CommitClause from "../../sql/CommitClause.ts"
import * as SimRows from "../../sql/SimRows.ts"

const present = `
  left join simplan.subscription on subscription.organization_id = sim.organization_id
    and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'`

const whole = AggregateRows.value("true")

/** The aggregate of one ICCID. */
export const byIccid = (database: Database) => {
  const packed = Batching.reads<Batching.OfSim, AggregateRows.Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<AggregateRows.Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(whole)})::text as value
      from ${CommitClause.rows(sql, asked, SimRows.ofSim)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )
  const { decrypt } = database.cipher
  return (of: Batching.OfSim) =>
    Secrets.decoded(packed(of), (found) => (found === null ? null : AggregateRows.unpack(decrypt, found)))
}

interface OfAttachment extends Batching.OfSim {
  readonly attachmentId: string
}

const requestedAttachments = CommitClause.columns<Batching.Placed<OfAttachment>>({
  integer: ["at"],
  text: ["organizationId", "iccid", "attachmentId"]
})

const withOne = AggregateRows.value('attachment.attachment_id = r."attachmentId"')

/** The aggregate of one ICCID without its other attachments. */
export const ofAttachment = (database: Database) => {
  const packed = Batching.reads<OfAttachment, AggregateRows.Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<AggregateRows.Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(withOne)})::text as value
      from ${CommitClause.rows(sql, asked, requestedAttachments)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )
  const { decrypt } = database.cipher
  return (of: OfAttachment) =>
    Secrets.decoded(packed(of), (found) => (found === null ? null : AggregateRows.unpack(decrypt, found)))
}

/** Whose SIM an ICCID is. */
export const owner = (database: Database) => (iccid: string) =>
  database.row(
    (sql) => sql<Row<Pick<Sim.Sim, "organizationId" | "label">>>`
      select json_build_object('organizationId', sim.organization_id, 'label', sim.label)::text as value
      from simplan.iccid
      join simplan.sim on sim.organization_id = iccid.organization_id and sim.iccid = iccid.iccid
      where iccid.iccid = ${iccid}`
  )

interface OfOccurrence extends Batching.OfSim {
  readonly attachmentId: string
  readonly occurrence: number
}

const requestedOccurrences = CommitClause.columns<Batching.Placed<OfOccurrence>>({
  integer: ["at", "occurrence"],
  text: ["organizationId", "iccid", "attachmentId"]
})

type PackedOccurrence = readonly [
  simVersion: number,
  terms: Attachment.Attachment["terms"],
  confirmed: boolean,
  anchor: number | null,
  suspendedAt: number | null,
  lastThresholdNotified: number,
  packages: ReadonlyArray<AggregateRows.PackedPackage> | null
]

const ofOccurrence = `json_build_array(
  sim.version, attachment.terms, attachment.confirmed, attachment.anchor, attachment.suspended_at,
  attachment.last_threshold_notified, ${AggregateRows.packages("package.occurrence = r.occurrence")}
)`

/** The view for an occurrence. */
export const occurrence = (database: Database) => {
  const packed = Batching.reads<OfOccurrence, PackedOccurrence>(
    database,
    (sql, asked) => sql<Row<Batching.Found<PackedOccurrence>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(ofOccurrence)})::text as value
      from ${CommitClause.rows(sql, asked, requestedOccurrences)}
      join simplan.attachment on attachment.organization_id = r."organizationId"
        and attachment.attachment_id = r."attachmentId" and attachment.iccid = r.iccid
      join simplan.subscription on subscription.organization_id = attachment.organization_id
        and subscription.subscription_id = attachment.subscription_id and subscription.status <> 'Deleted'
      join simplan.sim on sim.organization_id = attachment.organization_id and sim.iccid = attachment.iccid`
  )
  return (of: OfOccurrence) =>
    Effect.map(packed(of), (found): SimAggregate.ForOccurrence | null => {
      if (found === null) return null
      const { attachmentId, iccid, organizationId } = of
      const [version, terms, confirmed, anchor, suspendedAt, lastThresholdNotified, packages] = found
      const sim = { organizationId, iccid, version }
      const state = { confirmed, anchor, suspendedAt, lastThresholdNotified }
      return {
        sim,
        attachments: [
          {
            attachment: { organizationId, iccid, attachmentId, terms, ...state },
            packages: AggregateRows.unpackPackages(of, attachmentId, packages)
          }
        ]
      }
    })
}

interface OfNamed extends Batching.OfSim {
  readonly id: string | null
}

const requestedNames = CommitClause.columns<Batching.Placed<OfNamed>>({
  integer: ["at"],
  text: ["organizationId", "iccid", "id"]
})

const named = AggregateRows.attachments(
  "(r.id is null or attachment.attachment_id = r.id or attachment.plan_id = r.id)"
)

/** The attachments of the live subscription of one ICCID, all of them or those of one name. */
export const attachmentsOf = (database: Database) => {
  const packed = Batching.reads<OfNamed, AggregateRows.PackedAttachments>(
    database,
    (sql, asked) => sql<Row<Batching.Found<AggregateRows.PackedAttachments>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(named)})::text as value
      from ${CommitClause.rows(sql, asked, requestedNames)}
      join simplan.subscription on subscription.organization_id = r."organizationId"
        and subscription.iccid = r.iccid and subscription.status <> 'Deleted'
      where subscription.status = 'Live'`
  )
  return ({ id, ...of }: Batching.OfSim & { readonly id?: string | undefined }) =>
    Effect.map(packed({ ...of, id: id ?? null }), (found) =>
      found === null ? null : AggregateRows.unpackAttachments(of, found)
    )
}

interface AskedOfSim {
  readonly iccid: string
  readonly since: number
  readonly packageIds: ReadonlyArray<string>
  readonly reportIds: ReadonlyArray<string>
}

export interface Asked {
  readonly iccids: ReadonlyArray<AskedOfSim>
  readonly seenSince: number
}

interface PlacedSim extends Omit<AskedOfSim, "packageIds"> {
  readonly at: number
  readonly packageIds: ReadonlyArray<string> | null
}

const askedColumns = CommitClause.columns<PlacedSim>({
  integer: ["at"],
  text: ["iccid"],
  bigint: ["since"],
  "text[]": ["packageIds", "reportIds"]
})

const placed = ({ iccid, packageIds, reportIds, since }: AskedOfSim, at: number): PlacedSim => ({
  at,
  iccid,
  since,
  packageIds: packageIds.length === 0 ? null : packageIds,
  reportIds
})

// The look-up of a report is a value, and its time is no condition of it. So no index fits but the primary key, and that with
// both of its columns. `Connections.plannerSettings` keeps the planner from reading the table as a whole while it is empty.
const reportedAggregates = ReportedRows.value(`(
  select json_agg(asked.report_id)
  from unnest(r."reportIds") asked (report_id)
  where (
    select seen_report.received_at
    from simplan.seen_report
    where seen_report.organization_id = sim.organization_id and seen_report.report_id = asked.report_id
  ) >= kept.since
)`)

// A SIM is in service with the subscription that holds it.
const touchable = `
  left join simplan.attachment on sim.allocation = 'InService' and attachment.organization_id = sim.organization_id
    and attachment.subscription_id = sim.allocated_to and attachment.confirmed
  left join simplan.package on package.organization_id = attachment.organization_id
    and package.attachment_id = attachment.attachment_id and package.status = 'Created' and (
      package.expiration_at is null or package.expiration_at > r.since or r."packageIds" is not null and (
        package.telco_package_id = any(r."packageIds")
        or package.attachment_id || ':' || package.occurrence = any(r."packageIds")
      )
    )`

/** The aggregates that reports are about, of any organization. */
export const reported = (database: Database) => (of: Asked) =>
  Effect.map(
    database.row(
      (sql) => sql<Row<ReportedRows.Packed>>`
        select (${sql.literal(reportedAggregates)})::text as value
        from (select ${of.seenSince}::bigint as since) kept
        cross join ${CommitClause.rows(sql, of.iccids.map(placed), askedColumns)}
        join simplan.iccid on iccid.iccid = r.iccid
        join simplan.sim on sim.organization_id = iccid.organization_id and sim.iccid = iccid.iccid
        ${sql.literal(touchable)}`
    ),
    (packed) =>
      ReportedRows.unpack(
        of.iccids.map(({ iccid }) => iccid),
        packed
      )
  )
