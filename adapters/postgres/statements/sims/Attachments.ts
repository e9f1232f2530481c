/**
 * The statements about plan attachments and their packages. They are written under the guard of their SIM.
 */
import type { Attachment, Package, SimDifference } from "simplan/ports"
import type { Sql } from "../../database/Database.ts"
import * as CommitClause from "../../sql/CommitClause.ts"

const columns = CommitClause.columns<Attachment.Attachment>(
  {
    text: ["organizationId", "attachmentId", "subscriptionId", "iccid", "planId", "metadata"],
    jsonb: ["terms", "activePeriod"],
    bigint: ["createdAt", "anchor", "suspendedAt"],
    boolean: ["confirmed"],
    integer: ["lastThresholdNotified"]
  },
  ["organizationId", "attachmentId"]
)

/** Inserts attachments. */
export const insert = (sql: Sql, rows: ReadonlyArray<Attachment.Attachment>): CommitClause.CommitClause => ({
  ctes: [
    sql`attachment_added as (
      insert into simplan.attachment (
        organization_id, attachment_id, subscription_id, iccid, plan_id, terms, active_period, metadata, created_at,
        confirmed, anchor, suspended_at, last_threshold_notified
      )
      select r."organizationId", r."attachmentId", r."subscriptionId", r.iccid, r."planId", r.terms, r."activePeriod",
        r.metadata, r."createdAt", r.confirmed, r.anchor, r."suspendedAt", r."lastThresholdNotified"
      from ${CommitClause.rows(sql, rows, columns)}
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from attachment_added)`
})

type State = SimDifference.AttachmentState

const stateColumns = CommitClause.columns<State>(
  {
    text: ["organizationId", "attachmentId"],
    bigint: ["anchor", "suspendedAt"],
    boolean: ["confirmed"],
    integer: ["lastThresholdNotified"]
  },
  [],
  ["organizationId"]
)

/** Writes everything that can change of attachments. */
export const update = (sql: Sql, rows: ReadonlyArray<State>): CommitClause.CommitClause => ({
  ctes: [
    sql`attachment_updated as (
      update simplan.attachment set
        confirmed = r.confirmed, anchor = r.anchor, suspended_at = r."suspendedAt", last_threshold_notified = r."lastThresholdNotified"
      from ${CommitClause.rows(sql, rows, stateColumns)}
      where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from attachment_updated)`
})

const notifiedColumns = CommitClause.columns<State>(
  { text: ["organizationId", "attachmentId"], bigint: ["anchor"], integer: ["lastThresholdNotified"] },
  [],
  ["organizationId"]
)

/** Writes what usage changes of attachments. */
export const notify = (sql: Sql, rows: ReadonlyArray<State>): CommitClause.CommitClause => ({
  ctes: [
    sql`attachment_notified as (
      update simplan.attachment set anchor = r.anchor, last_threshold_notified = r."lastThresholdNotified"
      from ${CommitClause.rows(sql, rows, notifiedColumns)}
      where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from attachment_notified)`
})

const packageColumns = CommitClause.columns<Package.Package>(
  {
    text: ["organizationId", "attachmentId", "iccid", "status", "telcoPackageId"],
    integer: ["occurrence"],
    bigint: ["activationAt", "expirationAt", "usedBytes"]
  },
  ["organizationId", "attachmentId", "occurrence"]
)

/** Inserts packages. */
export const insertPackages = (sql: Sql, rows: ReadonlyArray<Package.Package>): CommitClause.CommitClause => ({
  ctes: [
    sql`package_added as (
      insert into simplan.package (
        organization_id, attachment_id, occurrence, iccid, status, telco_package_id, activation_at, expiration_at,
        used_bytes
      )
      select r."organizationId", r."attachmentId", r.occurrence, r.iccid, r.status, r."telcoPackageId",
        r."activationAt", r."expirationAt", r."usedBytes"
      from ${CommitClause.rows(sql, rows, packageColumns)}
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from package_added)`
})

const usedPackageColumns = CommitClause.columns<Package.Package>(
  {
    text: ["organizationId", "attachmentId"],
    integer: ["occurrence"],
    bigint: ["activationAt", "expirationAt", "usedBytes"]
  },
  [],
  ["organizationId", "occurrence"]
)

/** Writes what usage changes of packages. */
export const usePackages = (sql: Sql, rows: ReadonlyArray<Package.Package>): CommitClause.CommitClause => ({
  ctes: [
    sql`package_used as (
      update simplan.package set
        activation_at = r."activationAt", expiration_at = r."expirationAt", used_bytes = r."usedBytes"
      from ${CommitClause.rows(sql, rows, usedPackageColumns)}
      where package.organization_id = r."organizationId" and package.attachment_id = r."attachmentId"
        and package.occurrence = r.occurrence
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from package_used)`
})

const keyColumns = CommitClause.columns<State>({ text: ["organizationId", "attachmentId"] })

/** Removes attachments with their packages. */
export const remove = (sql: Sql, rows: ReadonlyArray<State>): CommitClause.CommitClause => ({
  ctes: [
    sql`attachment_gone as (
      select * from ${CommitClause.rows(sql, rows, keyColumns)}
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
  outcome: sql`(select count(*) from attachment_removed), (select count(*) from package_removed)`
})
