/**
 * The reads of lines: a SIM with its present subscription, that one's attachments and their packages, nested in SQL.
 */
import type { Line, Storage } from "simplan"
import * as Attachments from "./Attachments.ts"
import type { Database, Row } from "./Database.ts"
import * as Lookup from "./Lookup.ts"
import * as Part from "./Part.ts"
import * as Sims from "./Sims.ts"
import * as Subscriptions from "./Subscriptions.ts"

/** The line of `sim` and its `subscription`, with those packages that pass the filter. */
const line = (packageFilter: string): string => `
  json_build_object(
    'sim', ${Sims.value},
    'subscription', case when subscription.subscription_id is not null then
      ${Subscriptions.value}
    end,
    'attachments', coalesce((
      select json_agg(
        json_build_object(
          'attachment', ${Attachments.value},
          'packages', coalesce((
            select json_agg(${Attachments.packageValue} order by package.occurrence)
            from simplan.package
            where package.organization_id = attachment.organization_id
              and package.attachment_id = attachment.attachment_id and ${packageFilter}
          ), '[]')
        )
        order by attachment.created_at, attachment.attachment_id
      )
      from simplan.attachment
      where attachment.organization_id = subscription.organization_id
        and attachment.subscription_id = subscription.subscription_id
    ), '[]')
  )`

const present = `
  left join simplan.subscription on subscription.organization_id = sim.organization_id
    and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'`

const whole = line("true")

interface OfLine {
  readonly organizationId: string
  readonly iccid: string
}

/** The line of one ICCID. */
export const byIccid = (database: Database) =>
  Lookup.make<OfLine, Line.Line>(
    database,
    (sql, asked) => sql<Row<Lookup.Found<Line.Line>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(whole)}) as value
      from ${Part.rows(sql, asked, `at integer, "organizationId" text, iccid text`)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )

const wanted = line(`(
  package.expiration_at is null or package.expiration_at > r.since
  or package.attachment_id || ':' || package.occurrence = any(r."packageIds")
  or package.telco_package_id = any(r."packageIds")
)`)

export interface Asked {
  readonly iccids: ReadonlyArray<{
    readonly iccid: string
    readonly since: number
    readonly packageIds: ReadonlyArray<string>
    readonly reportIds: ReadonlyArray<string>
  }>
  readonly seenSince: number
}

const askedShape = `
  iccid text, since bigint, "packageIds" text[], "reportIds" text[]`

/** The lines that reports are about, of any organization. */
export const reported = (database: Database) => (of: Asked) =>
  database.rows(
    (sql) => sql<Row<Storage.ReportedLine>>`
      select json_build_object(
        'line', ${sql.literal(wanted)},
        'seen', coalesce((
          select json_agg(seen_report.report_id)
          from simplan.seen_report
          where seen_report.organization_id = sim.organization_id and seen_report.report_id = any(r."reportIds")
            and seen_report.received_at >= ${of.seenSince}::bigint
        ), '[]')
      ) as value
      from ${Part.rows(sql, of.iccids, askedShape)}
      join simplan.iccid on iccid.iccid = r.iccid
      join simplan.sim on sim.organization_id = iccid.organization_id and sim.iccid = iccid.iccid
      ${sql.literal(present)}`
  )
