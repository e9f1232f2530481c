/**
 * Deleting a subscription and recycling its SIM (rule S3). The deletion is committed first. A job then cancels the
 * packages at the telco. The SIM is free again when the telco has confirmed that. A SIM in stock on which packages of
 * packages without an owner are found goes the same way (rule S5).
 */
import { Result } from "effect"
import type * as Attachment from "./Attachment.ts"
import type { Decision } from "./Decision.ts"
import * as Pause from "./Pause.ts"
import * as SimAggregate from "./SimAggregate.ts"
import { isAtTelco, packageId } from "./Package.ts"
import * as Recurrence from "./Recurrence.ts"
import { EsimInstalled, NotFound, SimBusy } from "./Refusal.ts"
import type { Sim } from "./Sim.ts"
import type { Instant } from "./Time.ts"

/** The job that releases the SIM of a subscription. */
const releaseJobId = (subscriptionId: string): string => `release:${subscriptionId}`

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
 * Rule S3: refuses an eSIM that shows a sign of a download. The subscription of a physical SIM can always be deleted. A
 * deletion ends a pause (rule S7), by the change `given` where the telco is not being asked already.
 */
export const remove = (
  aggregate: SimAggregate.SimAggregate,
  now: Instant,
  given: Pause.Given
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
  const resumed = Pause.asked(sim, null, given, now)
  return Result.succeed({
    sim: {
      loaded: aggregate,
      next: {
        ...aggregate,
        sim: { ...resumed.sim, allocation: { _tag: "Releasing", subscriptionId }, recycledAt: now },
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
        jobId: releaseJobId(releaseId),
        work: { _tag: "CancelPackages", iccid: sim.iccid, packageIds: [], release: true },
        dueAt: now
      }
    ]
  }
}

/** The job that releases the SIM; null while it is not being released. */
export const releaseJobOf = ({ allocation }: Sim): string | null =>
  allocation._tag === "Releasing" ? releaseJobId(allocation.subscriptionId) : null

/**
 * Rule S3: the telco has confirmed the cancellation, so the SIM is free again. One that the telco has not resumed yet (rule
 * S7) stays: it is free when its change is done.
 */
export const released = (sim: Sim): Decision => {
  if (sim.allocation._tag !== "Releasing") return {}
  const next: Sim = Pause.isResumed(sim) ? { ...sim, allocation: { _tag: "Free" } } : sim
  return { sim: { loaded: { sim }, next: { sim: next } } }
}

/**
 * Rule S7: a change of the SIM's service has ended. `isReleased` says that nothing else is left to be done of its release: then
 * the SIM is free where it was resumed.
 */
export const afterPause = (loaded: Sim, { jobs, sim }: Pause.Next, isReleased: boolean): Decision => {
  const isFree = isReleased && sim.allocation._tag === "Releasing" && Pause.isResumed(sim)
  const next: Sim = isFree ? { ...sim, allocation: { _tag: "Free" } } : sim
  return { sim: { loaded: { sim: loaded }, next: { sim: next } }, jobs }
}
