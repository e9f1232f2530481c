/**
 * What must hold of facts: what is known once stays known.
 */
import type { Attachment } from "../../domain/Attachment.ts"
import type { Package } from "../../domain/Package.ts"
import type { Plan } from "../../domain/Plan.ts"
import { attachments, packages } from "./Frames.ts"
import { first, type Invariant, make, same, show } from "./Invariant.ts"

/** The parts of an attachment that nothing may change. */
const fixed = (of: Attachment) => {
  const { activePeriod, createdAt, iccid, metadata, organizationId, planId, subscriptionId, terms } = of
  return {
    organizationId,
    iccid,
    subscriptionId,
    planId,
    terms,
    activePeriod,
    metadata,
    createdAt
  }
}

/** Rule P2. Covers the SIM, the subscription, the active period and the metadata of an attachment as well. */
export const termsStay: Invariant = make(
  "an attachment's terms never change, and are those of its plan",
  "P2, section 1",
  () => {
    const plans = new Map<string, Plan>()
    const known = new Map<string, Attachment>()
    return ({ after, step }) => {
      const { outcome } = step
      if (outcome._tag === "Answered" && outcome.answer.kind === "Plan") {
        plans.set(outcome.answer.plan.planId, outcome.answer.plan)
      }
      return first(attachments(after), ({ attachment }) => {
        const before = known.get(attachment.attachmentId)
        if (before === attachment) return null
        known.set(attachment.attachmentId, attachment)
        const plan = plans.get(attachment.planId)
        if (plan !== undefined && !same(plan.terms, attachment.terms)) {
          return `${attachment.attachmentId} has ${show(attachment.terms)}, and its plan ${show(plan.terms)}`
        }
        return before === undefined || same(fixed(before), fixed(attachment))
          ? null
          : `${attachment.attachmentId} was ${show(fixed(before))}, and is ${show(fixed(attachment))}`
      })
    }
  }
)

/** What is set once may not change. */
const kept = (before: unknown, after: unknown): boolean => before === null || before === after

const movedBack = (before: Package, after: Package): string | null => {
  if (before.status !== after.status) return `went from ${before.status} to ${after.status}`
  if (!kept(before.activationAt, after.activationAt)) return "activates at another time than before"
  if (!kept(before.expirationAt, after.expirationAt)) return "expires at another time than before"
  if (!kept(before.telcoPackageId, after.telcoPackageId)) return "has another id at the telco than before"
  return after.usedBytes < before.usedBytes ? `has used ${after.usedBytes}, and before ${before.usedBytes}` : null
}

/**
 * Rules T3, T7 and R1. Covers a package's status, times, usage and id at the telco, and an attachment's anchor,
 * suspension and thresholds.
 */
export const factsStay: Invariant = make(
  "used data never falls, and what was known once never changes",
  "T3, T7, R1",
  () => {
    const known = new Map<string, Package>()
    const anchors = new Map<string, Attachment>()
    return ({ after }) => {
      const complaint = first(packages(after), ({ id, pack }) => {
        const before = known.get(id)
        known.set(id, pack)
        const message = before === undefined || before === pack ? null : movedBack(before, pack)
        return message === null ? null : `${id} ${message}`
      })
      if (complaint !== null) return complaint
      return first(attachments(after), ({ attachment }) => {
        const before = anchors.get(attachment.attachmentId)
        anchors.set(attachment.attachmentId, attachment)
        if (before === undefined) return null
        if (!kept(before.anchor, attachment.anchor)) return `${attachment.attachmentId} is counted from another instant`
        if (!kept(before.suspendedAt, attachment.suspendedAt))
          return `${attachment.attachmentId} is suspended otherwise`
        if (before.confirmed && !attachment.confirmed) return `${attachment.attachmentId} is not confirmed any more`
        return before.lastThresholdNotified > attachment.lastThresholdNotified
          ? `${attachment.attachmentId} notifies thresholds anew`
          : null
      })
    }
  }
)

/** Rules P2 and T5. The number of an attachment's packages never falls. */
export const packagesStay: Invariant = make("a package is there for as long as its attachment is", "P2, T5", () => {
  const known = new Map<string, number>()
  return ({ after }) =>
    first(attachments(after), ({ attachment, packages }) => {
      const before = known.get(attachment.attachmentId) ?? 0
      known.set(attachment.attachmentId, packages.length)
      return packages.length < before
        ? `${attachment.attachmentId} had ${before} packages, and has ${packages.length}`
        : null
    })
})
