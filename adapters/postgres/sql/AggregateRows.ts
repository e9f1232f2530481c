/**
 * The aggregates of SIMs as JSON arrays without names (see `SimRows`): every request about a SIM reads one. The rows of an
 * aggregate have its organization, ICCID and subscription.
 */
import type { Attachment, SimAggregate, Package, Subscription } from "simplan/ports"
import type * as Secrets from "../encryption/Secrets.ts"
import * as SimRows from "./SimRows.ts"

type PackedSubscription = readonly [
  subscriptionId: string,
  metadata: string,
  createdAt: number,
  status: Subscription.Status
]

export type PackedPackage = readonly [
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

export type Packed = readonly [
  organizationId: string,
  sim: SimRows.Packed,
  subscription: PackedSubscription | null,
  attachments: ReadonlyArray<PackedAttachment> | null
]

/** Those packages of `attachment` that pass the filter. */
export const packages = (filter: string): string => `(
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
export const value = (filter: string): string => `
  json_build_array(
    sim.organization_id,
    ${SimRows.value},
    case when subscription.subscription_id is not null then
      json_build_array(
        subscription.subscription_id, subscription.metadata, subscription.created_at, subscription.status
      )
    end,
    ${attachmentsValue(filter)}
  )`

/** Those attachments of `subscription` that pass the filter, with all of their packages. */
export const attachments = (filter: string): string =>
  `json_build_array(subscription.subscription_id, ${attachmentsValue(filter)})`

export type PackedAttachments = readonly [subscriptionId: string, attachments: ReadonlyArray<PackedAttachment> | null]

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
export const unpackPackages = (
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
export const unpackAttachments = (
  of: Of,
  [subscriptionId, packed]: PackedAttachments
): ReadonlyArray<Attachment.WithPackages> => (packed ?? []).map((one) => unpackAttachment(of, subscriptionId, one))

/** The aggregate that was packed. */
export const unpack = (
  decrypt: Secrets.Turn,
  [organizationId, packedSim, packedSubscription, attachments]: Packed
): SimAggregate.SimAggregate => {
  const sim = SimRows.unpack(decrypt, organizationId, packedSim)
  if (packedSubscription === null) return { sim, subscription: null, attachments: [] }
  const [subscriptionId, metadata, createdAt, status] = packedSubscription
  const of = { organizationId, iccid: sim.iccid }
  return {
    sim,
    subscription: { ...of, subscriptionId, metadata, createdAt, status },
    attachments: unpackAttachments(of, [subscriptionId, attachments])
  }
}
