/**
 * The statements about plan attachments and their packages. They are written under the guard of their SIM.
 */
import type { Attachment, Package, Storage } from "simplan"
import type { Sql } from "../connection/Database.ts"
import * as CommitClause from "../sql/CommitClause.ts"

const columns = CommitClause.columns<Attachment.Attachment>(
  {
    text: ["organizationId", "attachmentId", "subscriptionId", "iccid", "planId", "metadata"],
    jsonb: ["terms", "activePeriod"],
    bigint: ["createdAt", "anchor", "suspendedAt"],
    boolean: ["confirmed"],
    integer: ["thresholdTold"]
  },
  ["organizationId", "attachmentId"]
)

/** Inserts or replaces attachments. */
export const put = (sql: Sql, rows: ReadonlyArray<Attachment.Attachment>): CommitClause.CommitClause => ({
  ctes: [
    sql`attachment_put as (
      insert into simplan.attachment (
        organization_id, attachment_id, subscription_id, iccid, plan_id, terms, active_period, metadata, created_at,
        confirmed, anchor, suspended_at, threshold_told
      )
      select r."organizationId", r."attachmentId", r."subscriptionId", r.iccid, r."planId", r.terms, r."activePeriod",
        r.metadata, r."createdAt", r.confirmed, r.anchor, r."suspendedAt", r."thresholdTold"
      from ${CommitClause.rows(sql, rows, columns)}
      on conflict (organization_id, attachment_id) do update set
        subscription_id = excluded.subscription_id, iccid = excluded.iccid, plan_id = excluded.plan_id,
        terms = excluded.terms, active_period = excluded.active_period, metadata = excluded.metadata,
        created_at = excluded.created_at, confirmed = excluded.confirmed, anchor = excluded.anchor,
        suspended_at = excluded.suspended_at, threshold_told = excluded.threshold_told
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from attachment_put)`
})

const packageColumns = CommitClause.columns<Package.Package>(
  {
    text: ["organizationId", "attachmentId", "iccid", "status", "telcoPackageId"],
    integer: ["occurrence"],
    bigint: ["activationAt", "expirationAt", "usedBytes"]
  },
  ["organizationId", "attachmentId", "occurrence"]
)

/** Inserts or replaces packages. */
export const putPackages = (sql: Sql, rows: ReadonlyArray<Package.Package>): CommitClause.CommitClause => ({
  ctes: [
    sql`package_put as (
      insert into simplan.package (
        organization_id, attachment_id, occurrence, iccid, status, telco_package_id, activation_at, expiration_at,
        used_bytes
      )
      select r."organizationId", r."attachmentId", r.occurrence, r.iccid, r.status, r."telcoPackageId",
        r."activationAt", r."expirationAt", r."usedBytes"
      from ${CommitClause.rows(sql, rows, packageColumns)}
      on conflict (organization_id, attachment_id, occurrence) do update set
        iccid = excluded.iccid, status = excluded.status, telco_package_id = excluded.telco_package_id,
        activation_at = excluded.activation_at, expiration_at = excluded.expiration_at,
        used_bytes = excluded.used_bytes
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from package_put)`
})

type Reported = Required<NonNullable<Storage.Commit["reported"]>>

const reportedColumns = CommitClause.columns<Reported["attachments"][number]>(
  { text: ["organizationId", "attachmentId"], bigint: ["anchor"], integer: ["thresholdTold"] },
  [],
  ["organizationId"]
)

/** Writes what was reported of attachments. */
export const report = (sql: Sql, rows: Reported["attachments"]): CommitClause.CommitClause => ({
  ctes: [
    sql`attachment_reported as (
      update simplan.attachment set anchor = r.anchor, threshold_told = r."thresholdTold"
      from ${CommitClause.rows(sql, rows, reportedColumns)}
      where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from attachment_reported)`
})

const reportedPackageColumns = CommitClause.columns<Reported["packages"][number]>(
  {
    text: ["organizationId", "attachmentId"],
    integer: ["occurrence"],
    bigint: ["activationAt", "expirationAt", "usedBytes"]
  },
  [],
  ["organizationId", "occurrence"]
)

/** Writes what was reported of packages. */
export const reportPackages = (sql: Sql, rows: Reported["packages"]): CommitClause.CommitClause => ({
  ctes: [
    sql`package_reported as (
      update simplan.package set
        activation_at = r."activationAt", expiration_at = r."expirationAt", used_bytes = r."usedBytes"
      from ${CommitClause.rows(sql, rows, reportedPackageColumns)}
      where package.organization_id = r."organizationId" and package.attachment_id = r."attachmentId"
        and package.occurrence = r.occurrence
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from package_reported)`
})

type GoneSubscription = NonNullable<Storage.Commit["removedSubscriptions"]>[number]
type GoneAttachment = NonNullable<Storage.Commit["removedAttachments"]>[number]

const subscriptionKeys = CommitClause.columns<GoneSubscription>({ text: ["organizationId", "subscriptionId"] })
const attachmentKeys = CommitClause.columns<GoneAttachment>({ text: ["organizationId", "attachmentId"] })

/** Removes subscriptions with their attachments, and attachments with their packages. */
export const remove = (
  sql: Sql,
  subscriptions: ReadonlyArray<GoneSubscription>,
  attachments: ReadonlyArray<GoneAttachment>
): CommitClause.CommitClause => ({
  ctes: [
    sql`subscription_gone as (
      select * from ${CommitClause.rows(sql, subscriptions, subscriptionKeys)}
    )`,
    sql`attachment_gone as (
      select r."organizationId", r."attachmentId"
      from ${CommitClause.rows(sql, attachments, attachmentKeys)}
      union
      select attachment.organization_id, attachment.attachment_id
      from subscription_gone gone
      join simplan.attachment on attachment.organization_id = gone."organizationId"
        and attachment.subscription_id = gone."subscriptionId"
    )`,
    sql`subscription_removed as (
      delete from simplan.subscription using subscription_gone gone
      where subscription.organization_id = gone."organizationId"
        and subscription.subscription_id = gone."subscriptionId"
      returning 1
    )`,
    sql`attachment_removed as (
      delete from simplan.attachment using attachment_gone gone
      where attachment.organization_id = gone."organizationId" and attachment.attachment_id = gone."attachmentId"
      returning 1
    )`,
    sql`package_removed as (
      delete from simplan.package using attachment_gone gone
      where package.organization_id = gone."organizationId" and package.attachment_id = gone."attachmentId"
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from subscription_removed), (select count(*) from attachment_removed),
    (select count(*) from package_removed)`
})
