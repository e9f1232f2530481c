/**
 * The statement about attachments that the telco has taken: with the SIM, its subscription and its attachment, three rows
 * that change in a word each.
 */
import type { Storage } from "simplan"
import type { Sql } from "../connection/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"

const columns = CommitClause.columns<Storage.Confirmed>(
  { text: ["organizationId", "iccid", "subscriptionId", "attachmentId"], bigint: ["version"] },
  ["organizationId", "iccid"]
)

/** Makes them visible, each guarded by its SIM's version, and ends any claim on that. */
export const put = (sql: Sql, rows: ReadonlyArray<Storage.Confirmed>): CommitClause.CommitClause => ({
  ctes: [
    sql`confirmed as (
      select * from ${CommitClause.rows(sql, rows, columns)}
    )`,
    sql`sim_confirmed as (
      update simplan.sim set
        hold = 'InService', held_by = r."subscriptionId", version = r.version + 1, claim_token = null, claim_until = null
      from confirmed r
      where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
      returning 1
    )`,
    sql`subscription_confirmed as (
      update simplan.subscription set status = 'Live'
      from confirmed r
      where subscription.organization_id = r."organizationId" and subscription.subscription_id = r."subscriptionId"
        and subscription.status = 'Pending'
      returning 1
    )`,
    sql`attachment_confirmed as (
      update simplan.attachment set confirmed = true
      from confirmed r
      where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from sim_confirmed) = ${rows.length}::int, 'version'),
    (select count(*) from subscription_confirmed), (select count(*) from attachment_confirmed)`
})
