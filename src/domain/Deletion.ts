/**
 * Deleting a subscription and recycling its SIM (rule S3). The deletion is committed first. A job
 * then cancels the packages at the telco. The SIM is free again when the telco has confirmed that.
 * A SIM in stock on which packages of packages without an owner are found goes the same way
 * (rule S5).
 */
import { Result } from "effect"
import type * as Attachment from "./Attachment.ts"
import * as Capabilities from "./Capabilities.ts"
import type { Decision } from "./Decision.ts"
import type { Work } from "./Job.ts"
import * as Moves from "./Moves.ts"
import * as Pause from "./Pause.ts"
import * as SimAggregate from "./SimAggregate.ts"
import { idOf, isAtTelco, packageId } from "./Package.ts"
import * as Recurrence from "./Recurrence.ts"
import { EsimInstalled, NotFound, type Refusing, SimBusy } from "./Refusal.ts"
import { isUsed, type Sim } from "./Sim.ts"
import { isLive } from "./Subscription.ts"
import type { Instant } from "./Time.ts"

type CancelPackages = Extract<Work, { readonly _tag: "CancelPackages" }>

/** The job that releases the SIM of a subscription. */
const releaseJobId = (subscriptionId: string): string => `release:${subscriptionId}`

/**
 * The packages that the telco has of an attachment, or may be about to have. Packages whose period
 * is over are left out.
 */
export const packageIdsAtTelco = (
  { attachment, packages }: Attachment.WithPackages,
  now: Instant
): ReadonlyArray<string> => {
  const { anchor, attachmentId, replacements, terms } = attachment
  const due =
    terms.recurrence !== null && anchor !== null
      ? Recurrence.dueCount(terms.recurrence, anchor, now)
      : Math.max(1, packages.length)
  return Array.from({ length: due }, (_, occurrence) => occurrence).flatMap((occurrence) => {
    const known = packages.find((pack) => pack.occurrence === occurrence)
    if (known === undefined) return packageId(attachmentId, occurrence, replacements)
    return isAtTelco(known, now) ? idOf(known) : []
  })
}

/**
 * What becomes of what else the telco lists on the SIM of a deleted subscription. If the telco has
 * taken an order of it there, all is cancelled. Else somebody may be there whom a restored backup
 * does not know (rule S5), and an operator decides.
 */
const releaseOf = (aggregate: SimAggregate.SimAggregate): Pick<CancelPackages, "release" | "onlyAttachments"> => {
  const onlyAttachments = SimAggregate.soleOwners(aggregate)
  return onlyAttachments === null ? { release: "Cancel" } : { release: "Review", onlyAttachments }
}

/** Whether the telco of a SIM shows that it was downloaded. */
export type Shown = Pick<Capabilities.Capabilities, "downloads">

/**
 * Rule S3: the SIM that a subscription leaves. If its telco does not show downloads, that its code
 * was handed out counts as one.
 */
export const left = (sim: Sim, { downloads }: Shown): Sim =>
  sim.isEsim && !downloads ? { ...sim, downloaded: true } : sim

/**
 * Rule S3: refuses an eSIM that shows a sign of a download. The subscription of a physical SIM can
 * always be deleted. A deletion ends a pause (rule S7), by the change `given` if the telco is
 * not being asked already.
 */
export const remove = (
  aggregate: SimAggregate.SimAggregate,
  now: Instant,
  given: Pause.Given,
  shown: Shown = Capabilities.full
): Result.Result<Decision, NotFound | Refusing<"deletion">> => {
  const { sim, subscription } = aggregate
  const { iccid } = sim
  if (!isLive(subscription)) {
    return Result.fail(new NotFound({ resource: "subscription", id: iccid }))
  }
  if (sim.isEsim && sim.downloaded) return Result.fail(new EsimInstalled({ iccid }))
  if (SimAggregate.confirmed(aggregate).length < aggregate.attachments.length)
    return Result.fail(new SimBusy({ iccid }))
  const { subscriptionId } = subscription
  const resumed = Pause.asked(sim, null, given, now)
  return Result.succeed({
    sim: {
      loaded: aggregate,
      next: {
        ...aggregate,
        sim: {
          ...left(resumed.sim, shown),
          allocation: { _tag: "Releasing", subscriptionId },
          recycledAt: now,
          moves: Moves.ended(sim, subscriptionId, now)
        },
        subscription: { ...subscription, status: "Deleted" }
      }
    },
    jobs: [
      ...resumed.jobs,
      {
        jobId: releaseJobId(subscriptionId),
        work: {
          _tag: "CancelPackages",
          iccid,
          packageIds: aggregate.attachments.flatMap((of) => packageIdsAtTelco(of, now)),
          ...releaseOf(aggregate)
        },
        dueAt: now
      }
    ]
  })
}

/**
 * Rule S5: the telco lists packages of ours on a free SIM, which nobody owns. The SIM leaves the
 * stock. If the telco knows the orders of all of them, the job that releases it cancels them
 * first; else an operator decides. `releaseId` is new; it stands for the subscription that the SIM
 * is released from. A SIM that is not free stays as it is.
 */
export const withheld = (
  aggregate: SimAggregate.SimAggregate,
  releaseId: string,
  { areOrdered }: { readonly areOrdered: boolean },
  now: Instant
): Decision => {
  const { sim } = aggregate
  if (isUsed(sim)) return {}
  const allocation = { _tag: "Releasing", subscriptionId: releaseId } as const
  return {
    sim: { loaded: aggregate, next: { ...aggregate, sim: { ...sim, allocation } } },
    jobs: [
      {
        jobId: releaseJobId(releaseId),
        work: {
          _tag: "CancelPackages",
          iccid: sim.iccid,
          packageIds: [],
          release: areOrdered ? "Cancel" : "Review"
        },
        dueAt: now
      }
    ]
  }
}

/**
 * Rule S5: what an operator reads of a SIM that is not sold, because the telco lists these packages
 * on it.
 */
export const reviewed = (iccid: string, packageIds: ReadonlyArray<string>): string =>
  `The telco lists packages on the SIM ${iccid} that no subscription here has: ${packageIds.join(", ")}. They may be of a ` +
  "customer whom a restored backup does not know. If they are not, have them cancelled; else retry once they are over"

/** The job that ends what the telco has of a subscription on the SIM that it has left (rule S8). */
const endJobId = (subscriptionId: string, iccid: string): string => `${releaseJobId(subscriptionId)}:${iccid}`

/**
 * The job that releases the SIM, or ends what its subscription has left on it; null if there is
 * none.
 */
export const releaseJobOf = ({ allocation, iccid }: Pick<Sim, "allocation" | "iccid">): string | null => {
  switch (allocation._tag) {
    case "Releasing":
      return releaseJobId(allocation.subscriptionId)
    case "Withdrawn":
      return allocation.ending === null ? null : endJobId(allocation.ending, iccid)
    case "Free":
    case "Provisioning":
    case "InService":
      return null
  }
}

/** The SIM after the telco has confirmed that nothing is left on it. */
const afterRelease = (sim: Sim): Sim => {
  if (!Pause.isResumed(sim)) return sim
  switch (sim.allocation._tag) {
    case "Releasing":
      return { ...sim, allocation: { _tag: "Free" } }
    case "Withdrawn":
      return { ...sim, allocation: { ...sim.allocation, ending: null } }
    case "Free":
    case "Provisioning":
    case "InService":
      return sim
  }
}

/**
 * Rules S3 and S8: the telco has confirmed the cancellation, so the SIM is free again, or withdrawn
 * if its subscription has moved. One that the telco has not resumed yet (rule S7) stays: it is
 * so when its change is done. A load that was used is a sign of a download, so that nobody gets the
 * SIM for it.
 */
export const released = (sim: Sim, isLoadUsed: boolean): Decision => {
  if (releaseJobOf(sim) === null) return {}
  const next = isLoadUsed ? { ...sim, downloaded: true } : sim
  return { sim: { loaded: { sim }, next: { sim: afterRelease(next) } } }
}

/**
 * Rule S7: a change of the SIM's service has ended. `isReleased` says that nothing else is left to
 * be done of its release: then the SIM is free, or withdrawn, if it was resumed.
 */
export const afterPause = (loaded: Sim, { jobs, sim }: Pause.Next, isReleased: boolean): Decision => {
  const next = isReleased ? afterRelease(sim) : sim
  return { sim: { loaded: { sim: loaded }, next: { sim: next } }, jobs }
}
