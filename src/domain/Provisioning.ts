/**
 * Putting a SIM into service, or attaching another plan to it (rules S1 and S5): two decisions
 * around a call of the telco.
 *
 * `subscribe` allocates the SIM and creates a job; the subscription is invisible until the telco
 * has every package that is due. Then `confirm` makes it visible. If the telco did not take the
 * packages, `undo` removes it, and a job cancels what the telco may have done. If the telco gave no
 * answer and the same request may come again, `interrupt` leaves the attempt for a while, and
 * `resume` goes on with it: same SIM, same packages.
 */
import { Result } from "effect"
import * as Activation from "./Activation.ts"
import type { Attachment } from "./Attachment.ts"
import type { Change } from "./AuditEntry.ts"
import * as Cost from "./Cost.ts"
import type { Decision } from "./Decision.ts"
import type { Work } from "./Job.ts"
import * as SimAggregate from "./SimAggregate.ts"
import * as Occurrence from "./Occurrence.ts"
import type { Package } from "./Package.ts"
import { packageId } from "./Package.ts"
import { attachedTerms, orderedLoad, type Plan } from "./Plan.ts"
import { type InvalidField, LabelMismatch, PlanArchived, type Refusing, SimBusy, SimWithdrawn } from "./Refusal.ts"
import { isInService, type Sim } from "./Sim.ts"
import { checkSize, type Created, isPending, type Subscription } from "./Subscription.ts"
import type { Instant } from "./Time.ts"

export interface Request {
  /** The SIM that the request names; absent or null: it names none. */
  readonly iccid?: string | null
  readonly metadata: string
  readonly activePeriod: Activation.Request | null
}

/** The ids that new values get. */
export interface Ids {
  readonly subscriptionId: string
  readonly attachmentId: string
}

/**
 * The telco's answer about an initial package. Its id is null for a package that was over and not
 * ordered.
 */
export interface Outcome extends Cost.Answer {
  readonly occurrence: number
  readonly telcoPackageId: string | null
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
}

/** A creation that is done. */
export interface Confirmed {
  readonly decision: Decision
  readonly created: Created
  /** Those of the attachment, by occurrence. */
  readonly packages: ReadonlyArray<Package>
}

export type Subscribed =
  /** Nothing is due at the telco yet: the subscription is visible at once. */
  | ({ readonly _tag: "Complete" } & Confirmed)
  /** The job has to be done before anything is visible. */
  | {
      readonly _tag: "AwaitingTelco"
      readonly decision: Decision
      /** The SIM's aggregate after the decision. */
      readonly aggregate: SimAggregate.SimAggregate
      /** The one that is not confirmed. */
      readonly attachment: Attachment
      readonly work: Extract<Work, { readonly _tag: "Provision" }>
    }

/**
 * The checks that need no SIM, so that no SIM is reserved in vain: the active period and, if the
 * request names no ICCID, whether the plan is archived.
 */
export const admissible = (
  plan: Plan,
  iccid: string | null,
  activePeriod: Activation.Request | null,
  now: Instant
): Result.Result<void, InvalidField | PlanArchived> =>
  Result.flatMap(Activation.start(plan.terms, activePeriod, now), () =>
    iccid === null && plan.archivedAt !== null
      ? Result.fail(new PlanArchived({ planId: plan.planId }))
      : Result.succeed(undefined)
  )

/**
 * Whether a creation may have the SIM: one that is free, or in service for a top-up (rules I9, S1
 * and S5).
 */
const admits = ({ allocation, iccid }: Sim): Result.Result<void, SimBusy | SimWithdrawn> => {
  switch (allocation._tag) {
    case "Free":
    case "InService":
      return Result.void
    case "Provisioning":
    case "Releasing":
      return Result.fail(new SimBusy({ iccid }))
    case "Withdrawn":
      return Result.fail(new SimWithdrawn({ iccid, reason: allocation.reason }))
  }
}

/**
 * Rules I9, P2, S1, S5, T4, T5 and W9: begins a creation. Refusals come in the order of rule W8.
 */
export const subscribe = (
  plan: Plan,
  aggregate: SimAggregate.SimAggregate,
  request: Request,
  ids: Ids,
  now: Instant
): Result.Result<Subscribed, InvalidField | Refusing<"creation">> =>
  Result.gen(function* () {
    const start = yield* Activation.start(plan.terms, request.activePeriod, now)
    const { sim } = aggregate
    if (sim.label !== plan.terms.label) {
      return yield* Result.fail(new LabelMismatch({ iccid: sim.iccid, simLabel: sim.label, label: plan.terms.label }))
    }
    if (plan.archivedAt !== null) return yield* Result.fail(new PlanArchived({ planId: plan.planId }))
    yield* admits(sim)
    const { iccid, organizationId } = sim
    const subscription: Subscription = aggregate.subscription ?? {
      organizationId,
      subscriptionId: ids.subscriptionId,
      iccid,
      metadata: request.metadata,
      createdAt: now,
      status: "Pending"
    }
    const attachment: Attachment = {
      organizationId,
      iccid,
      subscriptionId: subscription.subscriptionId,
      attachmentId: ids.attachmentId,
      planId: plan.planId,
      terms: attachedTerms(plan),
      ...start,
      metadata: request.metadata,
      createdAt: now,
      confirmed: false,
      suspendedAt: null,
      lastThresholdNotified: 0,
      replacements: 0
    }
    const attached = [...aggregate.attachments, { attachment, packages: [] }]
    yield* checkSize(
      subscription.subscriptionId,
      attached.map((of) => of.attachment)
    )
    const taken: SimAggregate.SimAggregate = {
      sim: isInService(sim)
        ? sim
        : { ...sim, allocation: { _tag: "Provisioning", subscriptionId: subscription.subscriptionId } },
      subscription,
      attachments: attached
    }
    const initial = Activation.initialPackages(attachment)
    if (initial.every(({ over }) => over)) {
      const { after, created, jobs, packages } = outcome(taken, attachment, initial.map(lapsed), now)
      const decision: Decision = { unchangedPlan: plan, sim: { loaded: aggregate, next: after }, jobs }
      return { _tag: "Complete", created, decision, packages }
    }
    const work = {
      _tag: "Provision" as const,
      iccid,
      attachmentId: attachment.attachmentId,
      ...(request.iccid != null && { isNamed: true as const })
    }
    return {
      _tag: "AwaitingTelco",
      decision: {
        unchangedPlan: plan,
        sim: { loaded: aggregate, next: taken },
        jobs: [{ jobId: jobId(attachment.attachmentId), work, dueAt: now }]
      },
      aggregate: taken,
      attachment,
      work
    }
  })

const lapsed = ({ occurrence }: Activation.Initial): Outcome => ({
  occurrence,
  telcoPackageId: null,
  activationAt: null,
  expirationAt: null
})

/**
 * What follows from the telco's answers: the packages, the aggregate after the creation, the job of
 * the next package, and the answer of the creation.
 */
const outcome = (
  aggregate: SimAggregate.SimAggregate,
  attachment: Attachment,
  outcomes: ReadonlyArray<Outcome>,
  now: Instant
) => {
  const { activePeriod, attachmentId, subscriptionId } = attachment
  const outcomeOf = (occurrence: number) => outcomes.find((outcome) => outcome.occurrence === occurrence)
  const packages = Activation.initialPackages(attachment).map(({ occurrence, window }): Package => {
    const outcome = outcomeOf(occurrence)
    const telco = outcome === undefined || outcome.telcoPackageId === null ? null : outcome
    return Occurrence.packageOf(attachment, occurrence, window, telco)
  })
  const after = completed(aggregate, attachment, packages)
  const isFirst = SimAggregate.soleOwners(after) !== null
  const next = Occurrence.next(attachment, packages.length, isFirst)
  const first = outcomeOf(0)
  const created: Created = {
    subscriptionId,
    createdAt: aggregate.subscription?.createdAt ?? now,
    metadata: attachment.metadata,
    attachmentId,
    sim: { ...aggregate.sim, allocation: { _tag: "InService", subscriptionId } },
    period:
      activePeriod === null
        ? null
        : {
            activationAt: first?.activationAt ?? activePeriod.start,
            expirationAt: first?.expirationAt ?? activePeriod.end
          }
  }
  return { created, packages, after, jobs: next === undefined ? [] : [next] }
}

/**
 * The aggregate after the creation: SIM in service, subscription live, attachment confirmed, with
 * its packages.
 */
const completed = (
  { attachments, sim, subscription }: SimAggregate.SimAggregate,
  attachment: Attachment,
  packages: ReadonlyArray<Package>
): SimAggregate.SimAggregate => ({
  sim: { ...sim, allocation: { _tag: "InService", subscriptionId: attachment.subscriptionId } },
  subscription: subscription && { ...subscription, status: "Live" },
  attachments: SimAggregate.withAttachment(attachments, { attachment: { ...attachment, confirmed: true }, packages })
})

/**
 * Rule S5: the telco has every package. Subscription and attachment are visible, and the recurrence
 * goes on.
 */
export const confirm = (
  aggregate: SimAggregate.SimAggregate,
  attachment: Attachment,
  outcomes: ReadonlyArray<Outcome>,
  now: Instant
): Confirmed => {
  const { after, created, jobs, packages } = outcome(aggregate, attachment, outcomes, now)
  const decision = { sim: { loaded: aggregate, next: after }, jobs }
  return { decision: { ...decision, ...booked(aggregate, attachment, outcomes, now) }, created, packages }
}

/** Rules C1 and C3: what the packages cost that the telco has, and what the plan was sold for. */
const booked = (
  { attachments, sim }: SimAggregate.SimAggregate,
  attachment: Attachment,
  outcomes: ReadonlyArray<Outcome>,
  now: Instant
): Pick<Decision, "ledger"> => {
  const { attachmentId, terms } = attachment
  const isFree = SimAggregate.soleOwners({ attachments }) !== null
  const taken = outcomes.filter(({ telcoPackageId }) => telcoPackageId !== null)
  const costs = taken.map((outcome, index) => {
    const { occurrence } = outcome
    const isFirst = isFree && index === 0
    const ordered = {
      packageId: packageId(attachmentId, occurrence),
      occurrence,
      isFirst,
      ...orderedLoad(terms, isFirst)
    }
    return Cost.ofPackage(sim, attachment, ordered, outcome, now)
  })
  const seller = taken.find(({ telco }) => telco !== undefined)?.telco ?? sim.purchase?.telco ?? null
  return Cost.booking(...costs, Cost.sale(sim, attachment, terms.load === undefined ? null : seller, now))
}

/** The job that hands the first packages of the attachment to the telco. */
export const jobId = (attachmentId: string): string => `provision:${attachmentId}`

/** The job that cancels what an undone creation may have left at the telco. */
export const undoJobId = (attachmentId: string): string => `cancel:${attachmentId}`

/**
 * The aggregate, with the SIM allocated anew if it was allocated for a creation that is not
 * confirmed.
 */
const reallocated = (
  aggregate: SimAggregate.SimAggregate,
  _tag: "Provisioning" | "Releasing"
): SimAggregate.SimAggregate => {
  const { sim, subscription } = aggregate
  if (!isPending(subscription)) return aggregate
  const { subscriptionId } = subscription
  return { ...aggregate, sim: { ...sim, allocation: { _tag, subscriptionId } } }
}

/**
 * Rule S5: the telco gave no answer. The attempt stays; its SIM is on its way back to stock, unless
 * it is resumed.
 */
export const interrupt = (aggregate: SimAggregate.SimAggregate): Decision => ({
  sim: { loaded: aggregate, next: reallocated(aggregate, "Releasing") }
})

/** Rule S5: the request has come again, and goes on with the attempt that was interrupted. */
export const resume = (
  aggregate: SimAggregate.SimAggregate
): { readonly decision: Decision; readonly aggregate: SimAggregate.SimAggregate } => {
  const resumed = reallocated(aggregate, "Provisioning")
  return { decision: { sim: { loaded: aggregate, next: resumed } }, aggregate: resumed }
}

/** Rule S5: the occurrences that an attempt of the creation may have ordered. */
export const orderable = (attachment: Attachment): ReadonlyArray<number> =>
  Activation.initialPackages(attachment).flatMap(({ occurrence, over }) => (over ? [] : [occurrence]))

/**
 * Rule S5: the telco has not taken the packages, so nothing remains. A job cancels the `ordered`
 * occurrences, which the telco has or may have; a SIM that was allocated for this creation is free
 * only after that. A package that was used meanwhile is kept, and an operator decides about it
 * (rule S6). `isOccupied`: the telco has packages of somebody else on the SIM. One that was to be
 * sold leaves the stock until an operator has decided about these.
 */
export const undo = (
  aggregate: SimAggregate.SimAggregate,
  attachment: Attachment,
  ordered: ReadonlyArray<number>,
  now: Instant,
  isOccupied = false
): Decision => {
  const { iccid, sim } = { iccid: attachment.iccid, sim: aggregate.sim }
  const isNew = isPending(aggregate.subscription)
  const packageIds = ordered.map((occurrence) => packageId(attachment.attachmentId, occurrence))
  const clean = packageIds.length === 0 && !(isOccupied && isNew)
  return {
    sim: {
      loaded: aggregate,
      next: {
        sim: isNew
          ? {
              ...sim,
              allocation: clean ? { _tag: "Free" } : { _tag: "Releasing", subscriptionId: attachment.subscriptionId }
            }
          : sim,
        subscription: isNew ? null : aggregate.subscription,
        attachments: aggregate.attachments.filter((of) => of.attachment.attachmentId !== attachment.attachmentId)
      }
    },
    jobs: clean
      ? []
      : [
          {
            jobId: undoJobId(attachment.attachmentId),
            work: {
              _tag: "CancelPackages",
              iccid,
              packageIds,
              release: isNew ? (isOccupied ? "Review" : "Cancel") : null,
              isUndone: true
            },
            dueAt: now
          }
        ]
  }
}

/**
 * Rule W11: the creation of a subscription with its first attachment, or of an attachment on a
 * subscription that was there, as the audit log has it.
 */
export const change = (
  of: {
    readonly organizationId: string
    readonly subscriptionId: string
    readonly attachmentId: string
    readonly iccid: string
  },
  isFirst: boolean
): Change => ({
  organizationId: of.organizationId,
  action: isFirst ? "subscription.create" : "plan_attachment.create",
  resourceId: isFirst ? of.subscriptionId : of.attachmentId,
  iccid: of.iccid
})
