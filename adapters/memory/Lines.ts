/**
 * Lines: writing and removing subscriptions, attachments and packages, and reading a SIM with all of them.
 *
 * A line that was read is kept until something on it changes: most of what happens to a line is a read.
 */
import { type Attachment, type Line, Package, type Storage, type Subscription, type Time } from "simplan"
import { byCreation } from "./Order.ts"
import { SortedSet } from "./SortedSet.ts"
import * as Tables from "./Tables.ts"
import type { AttachmentPlace, SimPlace, Tenant, WithPackages } from "./Tenant.ts"

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
  sim.line = null
  if (subscription.status !== "Deleted") sim.subscriptionId = subscription.subscriptionId
}

// Takes a subscription out of the lists that it may be in.
const detach = (tables: Tables.Tables, tenant: Tenant, subscription: Subscription.Subscription): void => {
  tenant.subscriptionList.delete(listed(subscription))
  const sim = Tables.simOf(tables, subscription.organizationId, subscription.iccid)
  if (sim === undefined) return
  sim.line = null
  if (sim.subscriptionId === subscription.subscriptionId) sim.subscriptionId = null
}

const changed = (tables: Tables.Tables, attachment: Attachment.Attachment): void => {
  const sim = Tables.simOf(tables, attachment.organizationId, attachment.iccid)
  if (sim !== undefined) sim.line = null
}

export const putAttachment = (tables: Tables.Tables, attachment: Attachment.Attachment): void => {
  const tenant = Tables.tenant(tables, attachment.organizationId)
  const known = tenant.attachments.get(attachment.attachmentId)
  if (known !== undefined) {
    tenant.subscriptions
      .get(known.standing.attachment.subscriptionId)
      ?.attachmentIds.delete(cursor(known.standing.attachment))
  }
  const standing = { attachment, packages: known?.standing.packages ?? [] }
  tenant.attachments.set(attachment.attachmentId, { standing, latestExpiries: known?.latestExpiries ?? [] })
  tenant.subscriptions.get(attachment.subscriptionId)?.attachmentIds.add(cursor(attachment))
  changed(tables, attachment)
}

export const putPackage = (tables: Tables.Tables, added: Package.Package): void => {
  const tenant = Tables.tenant(tables, added.organizationId)
  const known = tenant.attachments.get(added.attachmentId)
  if (known === undefined) return
  const { latestExpiries, standing } = known
  const before = standing.packages.findLastIndex((other) => other.occurrence <= added.occurrence)
  const replaces = standing.packages[before]?.occurrence === added.occurrence
  const at = replaces ? before : before + 1
  const packages = replaces ? standing.packages.with(at, added) : standing.packages.toSpliced(at, 0, added)
  for (let index = at; index < packages.length; index++) {
    const expiry = packages[index]?.expirationAt ?? Number.POSITIVE_INFINITY
    latestExpiries[index] = Math.max(latestExpiries[index - 1] ?? expiry, expiry)
  }
  tenant.attachments.set(added.attachmentId, { standing: { ...standing, packages }, latestExpiries })
  changed(tables, standing.attachment)
}

/** The packages that expire after an instant, or never. */
const expiringAfter = (
  { latestExpiries, standing }: AttachmentPlace,
  since: Time.Instant
): ReadonlyArray<Package.Package> => {
  let low = 0
  let high = latestExpiries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((latestExpiries[middle] ?? since) > since) high = middle
    else low = middle + 1
  }
  return standing.packages.slice(low).filter(({ expirationAt }) => expirationAt === null || expirationAt > since)
}

export const removeAttachment = (tables: Tables.Tables, organizationId: string, attachmentId: string): void => {
  const tenant = Tables.tenant(tables, organizationId)
  const known = tenant.attachments.get(attachmentId)
  if (known === undefined) return
  tenant.attachments.delete(attachmentId)
  const { attachment } = known.standing
  tenant.subscriptions.get(attachment.subscriptionId)?.attachmentIds.delete(cursor(attachment))
  changed(tables, attachment)
}

export const removeSubscription = (tables: Tables.Tables, organizationId: string, subscriptionId: string): void => {
  const tenant = Tables.tenant(tables, organizationId)
  const place = tenant.subscriptions.get(subscriptionId)
  if (place === undefined) return
  detach(tables, tenant, place.subscription)
  tenant.subscriptions.delete(subscriptionId)
  for (const { id } of place.attachmentIds.ascending(null)) tenant.attachments.delete(id)
}

/** The line of a SIM. */
export const read = (tables: Tables.Tables, sim: SimPlace): Line.Line => {
  if (sim.line === null) sim.line = build(tables, sim)
  return sim.line
}

const build = (tables: Tables.Tables, { row, subscriptionId }: SimPlace): Line.Line => {
  const tenant = Tables.tenant(tables, row.sim.organizationId)
  const place = subscriptionId === null ? undefined : tenant.subscriptions.get(subscriptionId)
  if (place === undefined) return { sim: row.sim, subscription: null, attachments: [] }
  const attachments: Array<WithPackages> = []
  for (const { id } of place.attachmentIds.ascending(null)) {
    const place = tenant.attachments.get(id)
    if (place !== undefined) attachments.push(place.standing)
  }
  return { sim: row.sim, subscription: place.subscription, attachments }
}

type Asked = Parameters<Storage.Storage["Service"]["reportedLines"]>[0]

/** The lines that reports are about, each with the packages that they can touch. */
export const reported = (tables: Tables.Tables, asked: Asked): ReadonlyArray<Storage.ReportedLine> =>
  asked.iccids.flatMap(({ iccid, packageIds, reportIds, since }) => {
    const sim = tables.sims.get(iccid)
    if (sim === undefined) return []
    const { attachments: places, seenReports } = Tables.tenant(tables, sim.row.sim.organizationId)
    const named = new Set(packageIds)
    const isAsked = (one: Package.Package): boolean =>
      one.expirationAt === null ||
      one.expirationAt > since ||
      named.has(Package.packageId(one.attachmentId, one.occurrence)) ||
      (one.telcoPackageId !== null && named.has(one.telcoPackageId))
    const askedOf = ({ attachment, packages }: WithPackages): ReadonlyArray<Package.Package> => {
      const place = named.size > 0 ? undefined : places.get(attachment.attachmentId)
      return place === undefined ? packages.filter(isAsked) : expiringAfter(place, since)
    }
    const line = read(tables, sim)
    const attachments = line.attachments.map((of) => ({ attachment: of.attachment, packages: askedOf(of) }))
    const seen = reportIds.filter((id) => (seenReports.get(id) ?? Number.NEGATIVE_INFINITY) >= asked.seenSince)
    return [{ line: { ...line, attachments }, seen }]
  })
