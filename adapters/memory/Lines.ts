/**
 * Lines: writing and removing subscriptions, attachments and packages, and reading a SIM with all of them.
 *
 * The packages of an attachment are one array that is changed in place, and copied for whoever reads the line: a copy
 * that is soon forgotten costs less than one that is kept.
 */
import {
  type Attachment,
  type SimAggregate,
  Occurrence,
  Package,
  type ReportedLine,
  type Sim,
  type Storage,
  type Subscription,
  type Time
} from "simplan"
import { byCreation } from "./Order.ts"
import { SortedSet } from "./SortedSet.ts"
import * as Tables from "./Tables.ts"
import type { AttachmentPlace, SimPlace, Tenant } from "./Tenant.ts"

const cursor = (attachment: Attachment.Attachment): Storage.CreatedCursor => ({
  createdAt: attachment.createdAt,
  id: attachment.attachmentId
})

const listed = (subscription: Subscription.Subscription): Storage.CreatedCursor => ({
  createdAt: subscription.createdAt,
  id: subscription.subscriptionId
})

export const putSubscription = (tables: Tables.Tables, subscription: Subscription.Subscription): void => {
  const tenant = Tables.tenant(tables, subscription.organizationId)
  const place = tenant.subscriptions.get(subscription.subscriptionId)
  if (place === undefined) {
    tenant.subscriptions.set(subscription.subscriptionId, { subscription, attachmentIds: new SortedSet(byCreation) })
  } else {
    detach(tables, tenant, place.subscription)
    place.subscription = subscription
  }
  if (subscription.status === "Live") tenant.subscriptionList.add(listed(subscription))
  const sim = Tables.simOf(tables, subscription.organizationId, subscription.iccid)
  if (sim === undefined) return
  if (subscription.status !== "Deleted") sim.subscriptionId = subscription.subscriptionId
}

// Takes a subscription out of the lists that it may be in.
const detach = (tables: Tables.Tables, tenant: Tenant, subscription: Subscription.Subscription): void => {
  tenant.subscriptionList.delete(listed(subscription))
  const sim = Tables.simOf(tables, subscription.organizationId, subscription.iccid)
  if (sim === undefined) return
  if (sim.subscriptionId === subscription.subscriptionId) sim.subscriptionId = null
}

export const putAttachment = (tables: Tables.Tables, attachment: Attachment.Attachment): void => {
  const tenant = Tables.tenant(tables, attachment.organizationId)
  const known = tenant.attachments.get(attachment.attachmentId)
  if (known === undefined) {
    tenant.attachments.set(attachment.attachmentId, { attachment, packages: [], latestExpiries: [] })
  } else {
    const before = known.attachment
    tenant.subscriptions.get(before.subscriptionId)?.attachmentIds.delete(cursor(before))
    known.attachment = attachment
  }
  tenant.subscriptions.get(attachment.subscriptionId)?.attachmentIds.add(cursor(attachment))
}

/** Makes an attachment and its subscription visible. */
export const confirm = (
  tables: Tables.Tables,
  { attachmentId, organizationId, subscriptionId }: Storage.Confirmed
): void => {
  const { attachments, subscriptions } = Tables.tenant(tables, organizationId)
  const subscription = subscriptions.get(subscriptionId)?.subscription
  const attachment = attachments.get(attachmentId)?.attachment
  if (subscription?.status === "Pending") putSubscription(tables, { ...subscription, status: "Live" })
  if (attachment !== undefined) putAttachment(tables, { ...attachment, confirmed: true })
}

export const putPackage = (tables: Tables.Tables, added: Package.Package): void => {
  const place = Tables.tenant(tables, added.organizationId).attachments.get(added.attachmentId)
  if (place === undefined) return
  const { latestExpiries, packages } = place
  const before = packages.findLastIndex((other) => other.occurrence <= added.occurrence)
  const replaces = packages[before]?.occurrence === added.occurrence
  const at = replaces ? before : before + 1
  packages.splice(at, replaces ? 1 : 0, added)
  for (let index = at; index < packages.length; index++) {
    const expiry = packages[index]?.expirationAt ?? Number.POSITIVE_INFINITY
    latestExpiries[index] = Math.max(latestExpiries[index - 1] ?? expiry, expiry)
  }
}

type Reported = Required<NonNullable<Storage.Commit["reported"]>>

export const reportAttachment = (
  tables: Tables.Tables,
  { anchor, attachmentId, organizationId, thresholdTold }: Reported["attachments"][number]
): void => {
  const place = Tables.tenant(tables, organizationId).attachments.get(attachmentId)
  if (place !== undefined) place.attachment = { ...place.attachment, anchor, thresholdTold }
}

export const reportPackage = (
  tables: Tables.Tables,
  { occurrence, ...reported }: Reported["packages"][number]
): void => {
  const { attachmentId, organizationId } = reported
  const place = Tables.tenant(tables, organizationId).attachments.get(attachmentId)
  const before = place?.packages.findLast((pack) => pack.occurrence <= occurrence)
  if (before?.occurrence === occurrence) putPackage(tables, { ...before, ...reported })
}

/** The packages that expire after an instant, or never. */
const expiringAfter = (
  { latestExpiries, packages }: AttachmentPlace,
  since: Time.Instant
): ReadonlyArray<Package.Package> => {
  let low = 0
  let high = latestExpiries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((latestExpiries[middle] ?? since) > since) high = middle
    else low = middle + 1
  }
  return packages.slice(low).filter(({ expirationAt }) => expirationAt === null || expirationAt > since)
}

export const removeAttachment = (tables: Tables.Tables, organizationId: string, attachmentId: string): void => {
  const tenant = Tables.tenant(tables, organizationId)
  const known = tenant.attachments.get(attachmentId)
  if (known === undefined) return
  tenant.attachments.delete(attachmentId)
  const { attachment } = known
  tenant.subscriptions.get(attachment.subscriptionId)?.attachmentIds.delete(cursor(attachment))
}

export const removeSubscription = (tables: Tables.Tables, organizationId: string, subscriptionId: string): void => {
  const tenant = Tables.tenant(tables, organizationId)
  const place = tenant.subscriptions.get(subscriptionId)
  if (place === undefined) return
  detach(tables, tenant, place.subscription)
  tenant.subscriptions.delete(subscriptionId)
  for (const { id } of place.attachmentIds.ascending(null)) tenant.attachments.delete(id)
}

type PackagesOf = (place: AttachmentPlace) => ReadonlyArray<Package.Package>

/** The occurrence of an attachment on a SIM. */
export const occurrence = (
  tables: Tables.Tables,
  { row: { sim }, subscriptionId }: SimPlace,
  of: { readonly attachmentId: string; readonly occurrence: number }
): Occurrence.Present | null => {
  const place = Tables.tenant(tables, sim.organizationId).attachments.get(of.attachmentId)
  if (place === undefined || place.attachment.subscriptionId !== subscriptionId) return null
  const { anchor, attachmentId, iccid, organizationId, suspendedAt, terms } = place.attachment
  return {
    sim: { organizationId, iccid, version: sim.version },
    attachment: { organizationId, iccid, attachmentId, terms, anchor, suspendedAt },
    isRecorded: Occurrence.isRecorded(place.packages, of.occurrence)
  }
}

/** The line of a SIM, with those packages of its attachments that are asked for: all of them, unless told otherwise. */
export const read = (
  tables: Tables.Tables,
  { row, subscriptionId }: SimPlace,
  packagesOf: PackagesOf = ({ packages }) => packages.slice()
): SimAggregate.SimAggregate => {
  const tenant = Tables.tenant(tables, row.sim.organizationId)
  const subscribed = subscriptionId === null ? undefined : tenant.subscriptions.get(subscriptionId)
  if (subscribed === undefined) return { sim: row.sim, subscription: null, attachments: [] }
  const attachments: Array<SimAggregate.SimAggregate["attachments"][number]> = []
  for (const { id } of subscribed.attachmentIds.ascending(null)) {
    const place = tenant.attachments.get(id)
    if (place !== undefined) attachments.push({ attachment: place.attachment, packages: packagesOf(place) })
  }
  return { sim: row.sim, subscription: subscribed.subscription, attachments }
}

const askedFor = (since: Time.Instant, packageIds: ReadonlyArray<string>): PackagesOf => {
  if (packageIds.length === 0) return (place) => expiringAfter(place, since)
  const named = new Set(packageIds)
  return ({ packages }) =>
    packages.filter(
      ({ attachmentId, expirationAt, occurrence, telcoPackageId }) =>
        expirationAt === null ||
        expirationAt > since ||
        named.has(Package.packageId(attachmentId, occurrence)) ||
        (telcoPackageId !== null && named.has(telcoPackageId))
    )
}

// Of a SIM in service, the attachments that are confirmed, with those of their packages that the telco has.
const attachmentsOf = (
  tables: Tables.Tables,
  { hold, organizationId }: Sim.Sim,
  packagesOf: PackagesOf
): ReportedLine.ReportedLine["attachments"] => {
  if (hold._tag !== "InService") return []
  const tenant = Tables.tenant(tables, organizationId)
  const attachments: Array<Attachment.WithPackages> = []
  for (const { id } of tenant.subscriptions.get(hold.subscriptionId)?.attachmentIds.ascending(null) ?? []) {
    const place = tenant.attachments.get(id)
    if (place === undefined || !place.attachment.confirmed) continue
    const packages = packagesOf(place).filter(({ status }) => status === "Created")
    attachments.push({ attachment: place.attachment, packages })
  }
  return attachments
}

/** The lines that reports are about, each with the packages that they can touch. */
export const reported = (tables: Tables.Tables, asked: Storage.ReportQuery): ReadonlyArray<Storage.Reported> =>
  asked.iccids.flatMap(({ iccid, packageIds, reportIds, since }) => {
    const place = tables.sims.get(iccid)
    if (place === undefined) return []
    const { sim } = place.row
    const { seenReports } = Tables.tenant(tables, sim.organizationId)
    const attachments = attachmentsOf(tables, sim, askedFor(since, packageIds))
    const seen = reportIds.filter((id) => (seenReports.get(id) ?? Number.NEGATIVE_INFINITY) >= asked.seenSince)
    return [{ line: { sim, attachments }, seen }]
  })
