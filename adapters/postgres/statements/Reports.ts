/**
 * The statements about what the telco reported: SM-DP+ state entries, and the ids of reports that were seen.
 */
import type { SmdpHistory, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"

const entryColumns = CommitClause.columns<SmdpHistory.Entry & { readonly position: number }>({
  text: ["organizationId", "iccid", "reportId", "state", "modificationResult"],
  bigint: ["modifiedAt"],
  integer: ["position"]
})

/** Appends entries in the order given. */
export const addEntries = (sql: Sql, entries: ReadonlyArray<SmdpHistory.Entry>): CommitClause.CommitClause => ({
  ctes: [
    sql`smdp_entry_added as (
      insert into simplan.smdp_entry (organization_id, iccid, modified_at, report_id, state, modification_result)
      select r."organizationId", r.iccid, r."modifiedAt", r."reportId", r.state, r."modificationResult"
      from ${CommitClause.rows(
        sql,
        entries.map((entry, position) => ({ ...entry, position })),
        entryColumns
      )}
      order by r.position
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from smdp_entry_added)`
})

/** The entries of a SIM, by `modifiedAt`, then as stored. */
export const entriesOf = (database: Database) => (of: { readonly organizationId: string; readonly iccid: string }) =>
  database.rows(
    (sql) => sql<Row<SmdpHistory.Entry>>`
      select json_build_object(
        'organizationId', smdp_entry.organization_id, 'iccid', smdp_entry.iccid, 'reportId', smdp_entry.report_id,
        'state', smdp_entry.state, 'modificationResult', smdp_entry.modification_result,
        'modifiedAt', smdp_entry.modified_at
      )::text as value
      from simplan.smdp_entry
      where smdp_entry.organization_id = ${of.organizationId} and smdp_entry.iccid = ${of.iccid}
      order by smdp_entry.modified_at, smdp_entry.position`
  )

const seenColumns = CommitClause.columns<Storage.SeenReport>(
  { text: ["organizationId", "reportId"], bigint: ["receivedAt"] },
  ["organizationId", "reportId"],
  ["organizationId", "receivedAt"]
)

/** Remembers report ids. */
export const putSeen = (sql: Sql, rows: ReadonlyArray<Storage.SeenReport>): CommitClause.CommitClause => ({
  ctes: [
    sql`seen_report_put as (
      insert into simplan.seen_report (organization_id, report_id, received_at)
      select r."organizationId", r."reportId", r."receivedAt"
      from ${CommitClause.rows(sql, rows, seenColumns)}
      on conflict (organization_id, report_id) do update set received_at = excluded.received_at
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from seen_report_put)`
})
