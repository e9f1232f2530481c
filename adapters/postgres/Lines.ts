/**
 * The reads of lines: a SIM with its present subscription, that one's attachments and their packages, nested in SQL.
 */
import { Effect } from "effect"
import type { Storage } from "simplan"
import type { Database, Row } from "./Database.ts"
import * as Lookup from "./Lookup.ts"
import * as PackedLines from "./PackedLines.ts"
import * as Part from "./Part.ts"

const present = `
  left join simplan.subscription on subscription.organization_id = sim.organization_id
    and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'`

const whole = PackedLines.value(`package.occurrence >= coalesce(r."fromOccurrence", 0)`)

interface OfWhole extends Lookup.OfSim {
  readonly fromOccurrence?: number
}

const lookedForWhole = Part.columns<Lookup.Placed<OfWhole>>({
  integer: ["at", "fromOccurrence"],
  text: ["organizationId", "iccid"]
})

/** The line of one ICCID. */
export const byIccid = (database: Database) => {
  const packed = Lookup.make<OfWhole, PackedLines.Packed>(
    database,
    (sql, asked) => sql<Row<Lookup.Found<PackedLines.Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(whole)}) as value
      from ${Part.rows(sql, asked, lookedForWhole)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )
  return (of: OfWhole) => Effect.map(packed(of), (found) => (found === null ? null : PackedLines.unpack(found)))
}

/** The attachments of the live subscription of one ICCID. */
export const attachmentsOf = (database: Database) => {
  const packed = Lookup.make<Lookup.OfSim, PackedLines.PackedAttachments>(
    database,
    (sql, asked) => sql<Row<Lookup.Found<PackedLines.PackedAttachments>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(PackedLines.attachments)}) as value
      from ${Part.rows(sql, asked, Lookup.ofSim)}
      join simplan.subscription on subscription.organization_id = r."organizationId"
        and subscription.iccid = r.iccid and subscription.status <> 'Deleted'
      where subscription.status = 'Live'`
  )
  return (of: Lookup.OfSim) =>
    Effect.map(packed(of), (found) => (found === null ? null : PackedLines.unpackAttachments(of, found)))
}

const wanted = PackedLines.value(`(
  package.expiration_at is null or package.expiration_at > r.since
  or package.attachment_id || ':' || package.occurrence = any(r."packageIds")
  or package.telco_package_id = any(r."packageIds")
)`)

interface AskedOfLine {
  readonly iccid: string
  readonly since: number
  readonly packageIds: ReadonlyArray<string>
  readonly reportIds: ReadonlyArray<string>
}

export interface Asked {
  readonly iccids: ReadonlyArray<AskedOfLine>
  readonly seenSince: number
}

const askedColumns = Part.columns<AskedOfLine>({
  text: ["iccid"],
  bigint: ["since"],
  "text[]": ["packageIds", "reportIds"]
})

interface PackedReport {
  readonly line: PackedLines.Packed
  readonly seen: ReadonlyArray<string>
}

/** The lines that reports are about, of any organization. */
export const reported = (database: Database) => (of: Asked) =>
  Effect.map(
    database.rows(
      (sql) => sql<Row<PackedReport>>`
        select json_build_object(
          'line', ${sql.literal(wanted)},
          'seen', coalesce((
            select json_agg(seen_report.report_id)
            from simplan.seen_report
            where seen_report.organization_id = sim.organization_id and seen_report.report_id = any(r."reportIds")
              and seen_report.received_at >= ${of.seenSince}::bigint
          ), '[]')
        ) as value
        from ${Part.rows(sql, of.iccids, askedColumns)}
        join simplan.iccid on iccid.iccid = r.iccid
        join simplan.sim on sim.organization_id = iccid.organization_id and sim.iccid = iccid.iccid
        ${sql.literal(present)}`
    ),
    (found) => found.map(({ line, seen }): Storage.ReportedLine => ({ line: PackedLines.unpack(line), seen }))
  )
