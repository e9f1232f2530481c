/**
 * Problems: jobs that the telco refuses for good, packages that it refuses, and what a comparison
 * of both books finds (rule S6). The third refusal ends a job: it is not handed out any more, and
 * stays until an operator retries or resolves it. A finding is such a job from the start, and so is
 * an event that holds up its SIM, because a host's handler fails at it (rule E2). What is found of
 * an account at a supplier is the service's.
 */
import * as Amount from "./Amount.ts"
import type { Attachment, WithPackages } from "./Attachment.ts"
import { SERVICE } from "./AuditEntry.ts"
import { nextTry } from "./Backoff.ts"
import type * as Correction from "./Correction.ts"
import type { Decision } from "./Decision.ts"
import { type Delivery, isPending, type LoggedDelivery } from "./Delivery.ts"
import * as EventHandler from "./EventHandler.ts"
import * as Deletion from "./Deletion.ts"
import * as Jobs from "./Job.ts"
import type { Job, Refusals, Work } from "./Job.ts"
import { isRefused } from "./Package.ts"
import type { Sim } from "./Sim.ts"
import type { Instant } from "./Time.ts"
import type { Difference } from "./UsageReconciliation.ts"
import * as WebhookEvent from "./WebhookEvent.ts"

/** How many refusals end a job. */
export const REFUSALS = 3

/** A job after a refusal by the telco. */
export interface Refused {
  /** How often, since when, and what the telco said. */
  readonly refused: Refusals
  /** Null: the job is tried again. */
  readonly endedAt: Instant | null
  /**
   * When it is tried again: within 20 s of the first refusal, however often the telco was
   * unavailable before.
   */
  readonly dueAt: Instant
}

/**
 * Rule S6: adds a refusal. Each third one ends the job, so that a job that was retried has as many
 * as a new one.
 */
export const refused = ({ refused }: Pick<Job, "refused">, message: string, now: Instant): Refused => {
  const times = (refused?.times ?? 0) + 1
  return {
    refused: { times, since: refused?.since ?? now, message },
    endedAt: times % REFUSALS === 0 ? now : null,
    dueAt: nextTry(Math.max(1, times % REFUSALS), now)
  }
}

/** Rule S6: the job ends with this refusal, as one that another try would only repeat. */
export const ended = (
  { refused }: Pick<Job, "refused">,
  said: Pick<Refusals, "message" | "reason" | "soldBy">,
  now: Instant
): Refused => ({
  refused: {
    times: (Math.floor((refused?.times ?? 0) / REFUSALS) + 1) * REFUSALS,
    since: refused?.since ?? now,
    ...said
  },
  endedAt: now,
  dueAt: now
})

/** A difference between the telco's books and ours that an operator has to review. */
export interface Finding {
  /** Names the difference: the same one has the same id at each comparison. */
  readonly findingId: string
  /** The ICCID of the SIM that the difference is about. */
  readonly iccid: string
  /** A sentence for the operator: what differs. */
  readonly message: string
  /**
   * The day on which usage differs, with both figures (rule U1); absent: something else differs.
   */
  readonly usage?: Difference
  /**
   * What is had here, and what the telco has; absent: a figure of usage, or what has no two sides.
   */
  readonly sides?: Correction.Sides
  /** How the telco is asked for what is had here; absent: it cannot be. */
  readonly correction?: Correction.Correction
}

/** The id of a finding's job. */
export const findingJobId = (findingId: string): string => `review:${findingId}`

/** Rule S6: the job of a finding, which has ended already. */
export const found = (
  { correction, findingId, iccid, message, sides, usage }: Finding,
  organizationId: string,
  now: Instant
): Job => ({
  ...Jobs.make(
    {
      jobId: findingJobId(findingId),
      work:
        usage === undefined
          ? {
              ...{ _tag: "ReviewPackage", iccid, findingId },
              ...(sides !== undefined && { sides }),
              ...(correction !== undefined && { correction })
            }
          : { _tag: "UsageDiffers", iccid, findingId, usage },
      dueAt: now
    },
    { organizationId, createdAt: now }
  ),
  refused: { times: REFUSALS, since: now, message },
  endedAt: now
})

/** What was found of an account at a supplier. */
export interface AccountFinding {
  /** Names what was found: the same has the same id each time. */
  readonly findingId: string
  /** The supplier's name among the telcos. */
  readonly telco: string
  /** A sentence for the operator. */
  readonly message: string
  /** What is had here, and what the supplier has; absent: it has no two sides. */
  readonly sides?: Correction.Sides
}

/** Rule S6: the job of what was found of an account, which has ended already. */
export const foundOfAccount = ({ findingId, message, sides, telco }: AccountFinding, now: Instant): Job => ({
  ...Jobs.make(
    {
      jobId: findingJobId(findingId),
      work: { _tag: "ReviewAccount", telco, findingId, ...(sides !== undefined && { sides }) },
      dueAt: now
    },
    { organizationId: SERVICE, createdAt: now }
  ),
  refused: { times: REFUSALS, since: now, message },
  endedAt: now
})

/** The id of the finding that the balance at a supplier is below its level. */
export const balanceFindingId = (telco: string): string => `${telco}/balance`

/** Rule I16: the balance at a supplier is below its level, in whole units of its currency. */
export const lowBalance = (telco: string, balance: Amount.Amount, level: number): AccountFinding => ({
  findingId: balanceFindingId(telco),
  telco,
  message:
    `The account at ${telco} has ${Amount.text(balance)} left, which is below its level of ${level}. Pay in: what it does ` +
    "not pay for is not bought"
})

const refusalId = (attachmentId: string): string => `refused/${attachmentId}`

/** The id of the job of the problem that packages of an attachment are refused for good. */
export const refusalJobId = (attachmentId: string): string => findingJobId(refusalId(attachmentId))

/**
 * Rule S6: the jobs of the problems that end when these attachments are deleted or suspended: what
 * the telco refuses of them is not wanted any more.
 */
export const endingWith = (
  attachments: ReadonlyArray<WithPackages>
): ReadonlyArray<{ readonly organizationId: string; readonly jobId: string }> =>
  attachments
    .filter(({ packages }) => packages.some((pack) => isRefused(pack) || pack.refusal !== null))
    .map(({ attachment: { attachmentId, organizationId } }) => ({
      organizationId,
      jobId: refusalJobId(attachmentId)
    }))

/**
 * What an operator reads of a package that the telco refuses for good (rules T5 and S8): once for
 * an attachment, however many of its packages are refused.
 */
export const refusedPackage = (
  {
    attachmentId,
    iccid,
    terms
  }: Pick<Attachment, "attachmentId" | "iccid"> & {
    readonly terms: Pick<Attachment["terms"], "name">
  },
  packageId: string,
  said: string
): Finding => ({
  findingId: refusalId(attachmentId),
  iccid,
  message:
    `The telco has refused the package ${packageId} of the plan ${terms.name} for good: ${said}. Nothing orders it again. Add ` +
    "another plan, or see to it at the telco; then resolve this"
})

/**
 * Rule S5: the telco has packages of others on a SIM in service, for which nothing was ordered
 * therefore. `message` is the telco's.
 */
export const occupied = (iccid: string, message: string): Finding => ({
  findingId: `occupied/${iccid}`,
  iccid,
  message
})

/** The package of ours that a finding wants to be cancelled; null if it wants something else. */
export const cancelled = ({ correction }: Pick<Finding, "correction">): string | null =>
  correction?._tag === "Cancellation" ? correction.packageId : null

/** Whether the job cancels the package already, or waits for an operator who decides about that. */
export const isCancelledBy = (packageId: string, { work }: Pick<Job, "work">): boolean =>
  work._tag === "CancelPackages" && work.packageIds.includes(packageId)

/** Whether the problem of usage has the figures that the finding has. */
export const isOf = ({ usage }: Pick<Finding, "usage">, { work }: Pick<Job, "work">): boolean =>
  work._tag === "UsageDiffers" && work.usage.booked === usage?.booked && work.usage.telco === usage.telco

/** How many failed attempts of a handler at an event make a problem of it. */
export const FAILURES = 2

/** The id of the job of an event that a handler fails at. */
export const eventJobId = (deliveryId: string): string => `handle:${deliveryId}`

/** Whether a delivery to a handler, as an attempt has found it, may be among the problems. */
export const mayHoldUp = ({ retryStep }: Pick<Delivery, "retryStep">): boolean => retryStep >= FAILURES

/**
 * Rules E2 and S6: the job of an event that a handler has failed at and that is tried again, which
 * has ended already; null if it holds up nothing: it is about no SIM, was handled or given up,
 * or has not failed often enough.
 */
export const heldUp = ({ delivery, event }: LoggedDelivery, now: Instant): Job | null => {
  const { attempts, createdAt, deliveryId, lastError, organizationId } = delivery
  const handler = EventHandler.nameOf(delivery)
  const iccid = WebhookEvent.iccid(event.payload)
  if (handler === null || iccid === null || !isPending(delivery) || !mayHoldUp(delivery)) return null
  const message =
    `The handler ${handler} fails at ${event.payload.type}, and later events about the SIM wait for it: ` +
    (lastError ?? "")
  return {
    ...Jobs.make(
      {
        jobId: eventJobId(deliveryId),
        work: { _tag: "HandleEvent", iccid, handler, deliveryId },
        dueAt: now
      },
      { organizationId, createdAt: now }
    ),
    attempts,
    refused: { times: attempts, since: createdAt, message },
    endedAt: now
  }
}

/** Whether the job has been a problem before, and is tried again. */
export const isRetried = ({ endedAt, refused }: Pick<Job, "endedAt" | "refused">): boolean =>
  endedAt === null && refused !== null && refused.times >= REFUSALS

/**
 * Rule S6: the key of a job's call to the telco. The telco answers a key as it did before, so each
 * refusal gives the next attempt a key of its own.
 */
export const telcoKey = (key: string, { refused }: Pick<Job, "refused">): string =>
  refused === null ? key : `${key}:${refused.times}`

/** Rule S6: an operator retries the job. It is due at once, and its waits begin anew. */
export const retried = (now: Instant): Pick<Job, "dueAt" | "attempts"> => ({ dueAt: now, attempts: 0 })

/**
 * What follows when the work is done at the telco: by the job, or by hand before an operator
 * resolves the problem (rules S3 and S6). `sim` is null if there is no such SIM. `isLoadUsed`: the
 * telco has said so; null: it was not asked.
 */
export const done = (work: Work, sim: Sim | null, isLoadUsed: boolean | null): Decision =>
  work._tag === "CancelPackages" && work.release !== null && sim !== null
    ? Deletion.released(sim, isLoadUsed ?? sim.purchase !== null)
    : {}

/** Both sides of what a problem is about; null if it has none. */
export const sides = (work: Work): Correction.Sides | null => {
  if (work._tag === "UsageDiffers") {
    const { booked, telco } = work.usage
    return { ours: `${booked} bytes`, theirs: `${telco} bytes` }
  }
  return work._tag === "ReviewPackage" || work._tag === "ReviewAccount" ? (work.sides ?? null) : null
}

/**
 * Rule S6: what the job of a problem does from now on, since an operator has said that the telco is
 * to have what is had here; null if it cannot be asked for that. On a SIM that waits for its
 * release nobody has what the telco lists: that is cancelled then, whoever uses it.
 */
export const corrected = (work: Work): Work | null => {
  switch (work._tag) {
    case "ReviewPackage": {
      const { correction, findingId, iccid } = work
      return correction === undefined ? null : { _tag: "CorrectDifference", iccid, findingId, correction }
    }
    case "CancelPackages":
      return work.release === null ? null : { ...work, release: "Confirmed" }
    case "CorrectDifference":
      return work
    default:
      return null
  }
}
