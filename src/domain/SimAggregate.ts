/**
 * The aggregate of a SIM: the SIM with its present subscription, that subscription's attachments
 * and their packages.
 *
 * Decisions about a SIM are made on its aggregate. The version of the SIM guards all of it: every
 * commit that changes any part of an aggregate names the version that was loaded. A view is a part
 * of the aggregate. Views serve frequent work for which reading the rest would cost too much; the
 * functions that make views define what belongs to each.
 */
import { Result } from "effect"
import type * as Attachment from "./Attachment.ts"
import { idOf, isTaken, type Package } from "./Package.ts"
import type { PlanTerms } from "./Plan.ts"
import { NotFound } from "./Refusal.ts"
import { holder, isInService, type Sim } from "./Sim.ts"
import { isLive, type Subscription, type SubscriptionWithSim } from "./Subscription.ts"
import type { Instant } from "./Time.ts"

/** All that decisions about one SIM go by; the SIM's version guards it. */
export interface SimAggregate {
  /** As it was loaded, with its version. */
  readonly sim: Sim
  /**
   * The pending or live subscription; null if there is none. A decision that deletes it leaves it
   * here as `Deleted`.
   */
  readonly subscription: Subscription | null
  /** The subscription's attachments, oldest first, unconfirmed ones included. */
  readonly attachments: ReadonlyArray<Attachment.WithPackages>
}

/** The view that telco reports read and change. */
export interface ForReports {
  /** What reports read and change of it; its allocation only if one says that it is gone. */
  readonly sim: Pick<
    Sim,
    | "organizationId"
    | "iccid"
    | "label"
    | "isEsim"
    | "movedTo"
    | "downloaded"
    | "smdp"
    | "location"
    | "lastActivityAt"
    | "purchase"
    | "version"
  > &
    Partial<Pick<Sim, "allocation">>
  /** Of the present subscription, oldest first. */
  readonly attachments: ReadonlyArray<AttachmentForReports>
}

/** An attachment as reports need it. */
export interface AttachmentForReports {
  /** Without the period and the texts of the terms, which no report needs. */
  readonly attachment: Omit<Attachment.Attachment, "activePeriod" | "terms"> & {
    readonly terms: Pick<PlanTerms, "dataMegaBytes" | "periodDays" | "recurrence" | "alertThresholds">
  }
  /** By occurrence, ascending. */
  readonly packages: ReadonlyArray<Package>
}

/**
 * The view that the job of an occurrence reads and changes: one attachment, with the package of
 * that occurrence if it exists.
 */
export interface ForOccurrence {
  /** The keys, and the version that guards the change. */
  readonly sim: Pick<Sim, "organizationId" | "iccid" | "version">
  /** Exactly one. */
  readonly attachments: readonly [
    {
      readonly attachment: Omit<
        Attachment.Attachment,
        "subscriptionId" | "planId" | "activePeriod" | "metadata" | "createdAt"
      >
      readonly packages: ReadonlyArray<Package>
    }
  ]
}

/** The live subscription with its SIM; null if there is none, or a pending one. */
export const live = ({ sim, subscription }: SimAggregate): SubscriptionWithSim | null =>
  isLive(subscription) ? { subscription, sim } : null

/** An aggregate whose subscription is live. */
export interface Visible extends SimAggregate {
  /** The live one. */
  readonly subscription: Subscription
}

/**
 * Rule S5: the aggregate of the SIM if its subscription is live; a pending one is invisible.
 * With `subscriptionId` no other subscription is found.
 */
export const visible = (
  aggregate: SimAggregate | null,
  iccid: string,
  subscriptionId?: string
): Result.Result<Visible, NotFound> =>
  aggregate !== null &&
  isLive(aggregate.subscription) &&
  (subscriptionId === undefined || aggregate.subscription.subscriptionId === subscriptionId)
    ? Result.succeed({ ...aggregate, subscription: aggregate.subscription })
    : Result.fail(new NotFound({ resource: "subscription", id: iccid }))

/**
 * Rule S5: whose the packages are that the telco has on the SIM, creations under way included; none
 * if the SIM is free or withdrawn. Null while the SIM is being sold or released, or its
 * subscription has just moved, and whose they are changes.
 */
export const owners = ({ attachments, sim }: SimAggregate): ReadonlyArray<Attachment.WithPackages> | null => {
  switch (sim.allocation._tag) {
    case "Provisioning":
    case "Releasing":
      return null
    case "Free":
      return []
    case "Withdrawn":
      return sim.allocation.ending === null ? [] : null
    case "InService":
      return attachments
  }
}

interface Attachments<Of> {
  readonly attachments: ReadonlyArray<Of>
}

/** The ids of the attachments. */
export const attachmentIds = ({
  attachments
}: Attachments<{ readonly attachment: Pick<Attachment.Attachment, "attachmentId"> }>): ReadonlyArray<string> =>
  attachments.map(({ attachment }) => attachment.attachmentId)

/**
 * Rule S5: the attachments that alone may have packages on the SIM, creations under way included.
 * Null if the telco has taken an order of one there: then nobody else was on the SIM. What it has
 * taken on a SIM that the subscription has left does not count.
 */
export const soleOwners = (aggregate: Pick<SimAggregate, "attachments">): ReadonlyArray<string> | null => {
  const isTakenHere = aggregate.attachments.some(({ attachment: { replacements }, packages }) =>
    packages.some(
      ({ replacement, telcoPackageId }) => telcoPackageId !== null && (replacement?.number ?? 0) === replacements
    )
  )
  return isTakenHere ? null : attachmentIds(aggregate)
}

/** Rule S5: the visible attachments, those whose telco outcome is committed. */
export const confirmed = <Of extends { readonly attachment: { readonly confirmed: boolean } }>(
  aggregate: Attachments<Of>
): ReadonlyArray<Of> => aggregate.attachments.filter(({ attachment }) => attachment.confirmed)

/** The attachment of that id, confirmed or not; undefined if the aggregate has none. */
export const attachment = (aggregate: SimAggregate, attachmentId: string): Attachment.WithPackages | undefined =>
  aggregate.attachments.find((of) => of.attachment.attachmentId === attachmentId)

/** The aggregate without its other attachments; without any if it has none of that id. */
export const forAttachment = (aggregate: SimAggregate, attachmentId: string): SimAggregate => ({
  ...aggregate,
  attachments: aggregate.attachments.filter((of) => of.attachment.attachmentId === attachmentId)
})

/** The attachments with one of them replaced. */
export const withAttachment = <Of extends { readonly attachment: { readonly attachmentId: string } }>(
  attachments: ReadonlyArray<Of>,
  next: Of
): ReadonlyArray<Of> =>
  attachments.map((of) => (of.attachment.attachmentId === next.attachment.attachmentId ? next : of))

/** The packages with one of them replaced. */
export const withPackage = (packages: ReadonlyArray<Package>, next: Package): ReadonlyArray<Package> =>
  packages.map((pack) => (pack.occurrence === next.occurrence ? next : pack))

/** Which packages the reports about a SIM can touch. */
export interface PackagesForReports {
  /** Packages that expired at or before this instant are left out, unless they are named. */
  readonly since: Instant
  /** Packages that the reports name, by our id or by the telco's. */
  readonly packageIds: ReadonlyArray<string>
}

/**
 * The view for reports: of a SIM in service the confirmed attachments, each with its `Created`
 * packages that have no expiry, expire after `since`, or are named.
 */
export const forReports = (
  { attachments, sim, subscription }: SimAggregate,
  { packageIds, since }: PackagesForReports
): ForReports => {
  const isNamed = (pack: Package): boolean =>
    packageIds.length > 0 &&
    (packageIds.includes(idOf(pack)) || (pack.telcoPackageId !== null && packageIds.includes(pack.telcoPackageId)))
  const isAsked = (pack: Package): boolean =>
    (pack.expirationAt === null || pack.expirationAt > since || isNamed(pack)) && isTaken(pack)
  const isServed = isInService(sim) && holder(sim.allocation) === subscription?.subscriptionId
  return {
    sim,
    attachments: isServed
      ? confirmed({ attachments }).map((of) => ({
          attachment: of.attachment,
          packages: of.packages.filter(isAsked)
        }))
      : []
  }
}

/** The view for an occurrence; null if the aggregate has no such attachment. */
export const forOccurrence = (
  aggregate: SimAggregate,
  of: { readonly attachmentId: string; readonly occurrence: number }
): ForOccurrence | null => {
  const found = attachment(aggregate, of.attachmentId)
  if (found === undefined) return null
  const packages = found.packages.filter(({ occurrence }) => occurrence === of.occurrence)
  return { sim: aggregate.sim, attachments: [{ attachment: found.attachment, packages }] }
}
