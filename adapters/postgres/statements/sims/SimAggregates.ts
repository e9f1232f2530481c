/**
 * The reads of SIM aggregates: a SIM with its present subscription, that one's attachments and their packages, nested in SQL as
 * JSON arrays without names (see `Sims`). The rows of an aggregate have its organization, ICCID and subscription.
 */
import { Effect } from "effect"
import type { Attachment, Package, Sim, SimAggregate, Subscription } from "simplan/ports"
import type { Database, Row } from "../../database/Database.ts"
import * as Batching from "../../database/Batching.ts"
import * as Secrets from "../../encryption/Secrets.ts"
import * as CommitClause from "../../sql/CommitClause.ts"
import * as Sims from "./Sims.ts"

type PackedSubscription = readonly [
  subscriptionId: string,
  metadata: string,
  createdAt: number,
  status: Subscription.Status
]

type PackedPackage = readonly [
  occurrence: number,
  status: Package.Status,
  telcoPackageId: string | null,
  activationAt: number | null,
  expirationAt: number | null,
  usedBytes: number
]

type PackedAttachment = readonly [
  attachmentId: string,
  planId: string,
  terms: Attachment.Attachment["terms"],
  activePeriod: Attachment.ActivePeriod | null,
  metadata: string,
  createdAt: number,
  confirmed: boolean,
  anchor: number | null,
  suspendedAt: number | null,
  lastThresholdNotified: number,
  packages: ReadonlyArray<PackedPackage> | null
]

type Packed = readonly [
  organizationId: string,
  sim: Sims.Packed,
  subscription: PackedSubscription | null,
  attachments: ReadonlyArray<PackedAttachment> | null
]

/** Those packages of `attachment` that pass the filter. */
const packages = (filter: string): string => `(
  select json_agg(
    json_build_array(
      package.occurrence, package.status, package.telco_package_id, package.activation_at, package.expiration_at,
      package.used_bytes
    )
    order by package.occurrence
  )
  from simplan.package
  where package.organization_id = attachment.organization_id
    and package.attachment_id = attachment.attachment_id and ${filter}
)`

const attachmentsValue = (filter: string): string => `
    (
      select json_agg(
        json_build_array(
          attachment.attachment_id, attachment.plan_id, attachment.terms, attachment.active_period,
          attachment.metadata, attachment.created_at, attachment.confirmed, attachment.anchor,
          attachment.suspended_at, attachment.last_threshold_notified,
          ${packages("true")}
        )
        order by attachment.created_at, attachment.attachment_id
      )
      from simplan.attachment
      where attachment.organization_id = subscription.organization_id
        and attachment.subscription_id = subscription.subscription_id and ${filter}
    )`

/** The aggregate of `sim` and its `subscription`, with those attachments that pass the filter. */
const value = (filter: string): string => `
  json_build_array(
    sim.organization_id,
    ${Sims.value},
    case when subscription.subscription_id is not null then
      json_build_array(
        subscription.subscription_id, subscription.metadata, subscription.created_at, subscription.status
      )
    end,
    ${attachmentsValue(filter)}
  )`

/** Those attachments of `subscription` that pass the filter, with all of their packages. */
const attachments = (filter: string): string =>
  `json_build_array(subscription.subscription_id, ${attachmentsValue(filter)})`

type PackedAttachments = readonly [subscriptionId: string, attachments: ReadonlyArray<PackedAttachment> | null]

type Of = Pick<Attachment.Attachment, "organizationId" | "iccid">

const unpackPackage = (
  { iccid, organizationId }: Of,
  attachmentId: string,
  [occurrence, status, telcoPackageId, activationAt, expirationAt, usedBytes]: PackedPackage
): Package.Package => ({
  organizationId,
  iccid,
  attachmentId,
  occurrence,
  status,
  telcoPackageId,
  activationAt,
  expirationAt,
  usedBytes
})

/** The packages of an attachment that were packed; null: there is none. */
const unpackPackages = (
  of: Of,
  attachmentId: string,
  packed: ReadonlyArray<PackedPackage> | null
): ReadonlyArray<Package.Package> => (packed ?? []).map((one) => unpackPackage(of, attachmentId, one))

const unpackAttachment = (of: Of, subscriptionId: string, packed: PackedAttachment): Attachment.WithPackages => {
  const [attachmentId, planId, terms, activePeriod, metadata, createdAt, confirmed, anchor, ...rest] = packed
  const [suspendedAt, lastThresholdNotified, packages] = rest
  const { iccid, organizationId } = of
  return {
    attachment: {
      organizationId,
      iccid,
      subscriptionId,
      attachmentId,
      planId,
      terms,
      activePeriod,
      metadata,
      createdAt,
      confirmed,
      anchor,
      suspendedAt,
      lastThresholdNotified
    },
    packages: unpackPackages(of, attachmentId, packages)
  }
}

/** The attachments that were packed. */
const unpackAttachments = (
  of: Of,
  [subscriptionId, packed]: PackedAttachments
): ReadonlyArray<Attachment.WithPackages> => (packed ?? []).map((one) => unpackAttachment(of, subscriptionId, one))

/** The aggregate that was packed. */
const unpack = (
  decrypt: Secrets.Turn,
  [organizationId, packedSim, packedSubscription, attachments]: Packed
): SimAggregate.SimAggregate => {
  const sim = Sims.unpack(decrypt, organizationId, packedSim)
  if (packedSubscription === null) return { sim, subscription: null, attachments: [] }
  const [subscriptionId, metadata, createdAt, status] = packedSubscription
  const of = { organizationId, iccid: sim.iccid }
  return {
    sim,
    subscription: { ...of, subscriptionId, metadata, createdAt, status },
    attachments: unpackAttachments(of, [subscriptionId, attachments])
  }
}

const present = `
  left join simplan.subscription on subscription.organization_id = sim.organization_id
    and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'`

const whole = value("true")

/** The aggregate of one ICCID. */
export const byIccid = (database: Database) => {
  const packed = Batching.reads<Batching.OfSim, Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(whole)})::text as value
      from ${CommitClause.rows(sql, asked, Sims.ofSim)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )
  const { decrypt } = database.cipher
  return (of: Batching.OfSim) =>
    Secrets.decoded(packed(of), (found) => (found === null ? null : unpack(decrypt, found)))
}

interface OfAttachment extends Batching.OfSim {
  readonly attachmentId: string
}

const requestedAttachments = CommitClause.columns<Batching.Placed<OfAttachment>>({
  integer: ["at"],
  text: ["organizationId", "iccid", "attachmentId"]
})

const withOne = value('attachment.attachment_id = r."attachmentId"')

/** The aggregate of one ICCID without its other attachments. */
export const ofAttachment = (database: Database) => {
  const packed = Batching.reads<OfAttachment, Packed>(
    database,
    (sql, asked) => sql<Row<Batching.Found<Packed>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(withOne)})::text as value
      from ${CommitClause.rows(sql, asked, requestedAttachments)}
      join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
      ${sql.literal(present)}`
  )
  const { decrypt } = database.cipher
  return (of: OfAttachment) => Secrets.decoded(packed(of), (found) => (found === null ? null : unpack(decrypt, found)))
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
  packages: ReadonlyArray<PackedPackage> | null
]

const ofOccurrence = `json_build_array(
  sim.version, attachment.terms, attachment.confirmed, attachment.anchor, attachment.suspended_at,
  attachment.last_threshold_notified, ${packages("package.occurrence = r.occurrence")}
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
            packages: unpackPackages(of, attachmentId, packages)
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

const named = attachments("(r.id is null or attachment.attachment_id = r.id or attachment.plan_id = r.id)")

/** The attachments of the live subscription of one ICCID, all of them or those of one name. */
export const attachmentsOf = (database: Database) => {
  const packed = Batching.reads<OfNamed, PackedAttachments>(
    database,
    (sql, asked) => sql<Row<Batching.Found<PackedAttachments>>>`
      select json_build_object('at', r.at, 'found', ${sql.literal(named)})::text as value
      from ${CommitClause.rows(sql, asked, requestedNames)}
      join simplan.subscription on subscription.organization_id = r."organizationId"
        and subscription.iccid = r.iccid and subscription.status <> 'Deleted'
      where subscription.status = 'Live'`
  )
  return ({ id, ...of }: Batching.OfSim & { readonly id?: string | undefined }) =>
    Effect.map(packed({ ...of, id: id ?? null }), (found) => (found === null ? null : unpackAttachments(of, found)))
}
