/**
 * Deleting a subscription and recycling its SIM (rule S3). The deletion is committed first. A job then cancels the
 * packages at the telco. The SIM is free again when the telco has confirmed that. A SIM in stock on which packages of
 * packages without an owner are found goes the same way (rule S5).
 */
import { Result } from "effect"
import type * as Attachment from "./Attachment.ts"
import type { Decision } from "./Decision.ts"
import * as SimAggregate from "./SimAggregate.ts"
import { isAtTelco, packageId } from "./Package.ts"
import * as Recurrence from "./Recurrence.ts"
import { EsimInstalled, NotFound, SimBusy } from "./Refusal.ts"
import type { Sim } from "./Sim.ts"
import type { Instant } from "./Time.ts"

/**
 * The packages that the telco has of an attachment, or may be about to have. Packages whose period is over are left
 * out.
 */
const packageIdsAtTelco = ({ attachment, packages }: Attachment.WithPackages, now: Instant): ReadonlyArray<string> => {
  const { anchor, attachmentId, terms } = attachment
  const due =
    terms.recurrence !== null && anchor !== null
      ? Recurrence.dueCount(terms.recurrence, anchor, now)
      : Math.max(1, packages.length)
  return Array.from({ length: due }, (_, occurrence) => occurrence)
    .filter((occurrence) => {
      const known = packages.find((pack) => pack.occurrence === occurrence)
      if (known === undefined) return true
      return isAtTelco(known, now)
    })
    .map((occurrence) => packageId(attachmentId, occurrence))
}

/**
 * Rule S3: refuses an eSIM that shows a sign of a download. The subscription of a physical SIM can always be deleted.
 */
export const remove = (
  aggregate: SimAggregate.SimAggregate,
  now: Instant
): Result.Result<Decision, NotFound | EsimInstalled | SimBusy> => {
  const { sim, subscription } = aggregate
  const { iccid } = sim
  if (subscription === null || subscription.status !== "Live") {
    return Result.fail(new NotFound({ resource: "subscription", id: iccid }))
  }
  if (sim.isEsim && sim.downloaded) return Result.fail(new EsimInstalled({ iccid }))
  if (SimAggregate.confirmed(aggregate).length < aggregate.attachments.length)
    return Result.fail(new SimBusy({ iccid }))
  const { subscriptionId } = subscription
  return Result.succeed({
    sim: {
      loaded: aggregate,
      next: {
        ...aggregate,
        sim: { ...sim, allocation: { _tag: "Releasing", subscriptionId }, recycledAt: now },
        subscription: { ...subscription, status: "Deleted" }
      }
    },
    jobs: [
      {
        jobId: `release:${subscriptionId}`,
        work: {
          _tag: "CancelPackages",
          iccid,
          packageIds: aggregate.attachments.flatMap((of) => packageIdsAtTelco(of, now)),
          release: true
        },
        dueAt: now
      }
    ]
  })
}

/**
 * Rule S5: the telco lists packages of ours on a free SIM, which nobody owns. The SIM leaves the stock, and the job that
 * releases it cancels all that is listed first. `releaseId` is new; it stands for the subscription that the SIM is
 * released from. A SIM that is not free stays as it is.
 */
export const withheld = (aggregate: SimAggregate.SimAggregate, releaseId: string, now: Instant): Decision => {
  const { sim } = aggregate
  if (sim.allocation._tag !== "Free") return {}
  const allocation = { _tag: "Releasing", subscriptionId: releaseId } as const
  return {
    sim: { loaded: aggregate, next: { ...aggregate, sim: { ...sim, allocation } } },
    jobs: [
      {
        jobId: `release:${releaseId}`,
        work: { _tag: "CancelPackages", iccid: sim.iccid, packageIds: [], release: true },
        dueAt: now
      }
    ]
  }
}

/** Rule S3: the telco has confirmed the cancellation, so the SIM is free again. */
export const released = (sim: Sim): Decision =>
  sim.allocation._tag === "Releasing"
    ? { sim: { loaded: { sim }, next: { sim: { ...sim, allocation: { _tag: "Free" } } } } }
    : {}
