/**
 * What must hold of facts: what is known once stays known, and a telco's report counts once
 * (rule R1).
 */
import type { Attachment } from "../../domain/Attachment.ts"
import { formerOf, type Package } from "../../domain/Package.ts"
import type { Plan } from "../../domain/Plan.ts"
import {
  attachments,
  first,
  type Invariant,
  type Lines,
  make,
  movedBy,
  packages,
  periodOf,
  same,
  show
} from "./Invariant.ts"
import type { Report, Verdict } from "../../domain/TelcoReport.ts"
import { DAY, type Instant, MINUTE, toIso } from "../../domain/Time.ts"
import type { Step } from "../History.ts"

/** The parts of an attachment that nothing may change, but for a move of its SIM (rule S8). */
const fixed = ({ iccid, ...of }: Attachment, moved: ReadonlyMap<string, string>) => {
  const { activePeriod, createdAt, metadata, organizationId, planId, subscriptionId, terms } = of
  return {
    organizationId,
    iccid: moved.get(iccid) ?? iccid,
    subscriptionId,
    planId,
    terms,
    activePeriod,
    metadata,
    createdAt
  }
}

/**
 * Rules P2 and S8. Covers the SIM, the subscription, the active period and the metadata of an
 * attachment as well.
 */
export const termsStay: Invariant = make(
  "an attachment's terms never change, and are those of its plan",
  "P2, section 1",
  () => {
    const plans = new Map<string, Plan>()
    const known = new Map<string, Attachment>()
    return (frame) => {
      const { after, step } = frame
      const { outcome } = step
      if (outcome._tag === "Answered" && outcome.answer.kind === "Plan") {
        plans.set(outcome.answer.plan.planId, outcome.answer.plan)
      }
      const move = movedBy(frame)
      const moved = new Map(move === null ? [] : [[move.from.sim.iccid, move.to.sim.iccid]])
      return first(attachments(after), ({ attachment }) => {
        const before = known.get(attachment.attachmentId)
        if (before === attachment) return null
        known.set(attachment.attachmentId, attachment)
        const plan = plans.get(attachment.planId)
        // Which bundle a plan is may be set anew: what is attached keeps it (rule P5).
        const { load: _, topUpLoad: __, ...terms } = attachment.terms
        if (plan !== undefined && !same(plan.terms, terms)) {
          return `${attachment.attachmentId} has ${show(attachment.terms)}, and its plan ${show(plan.terms)}`
        }
        return before === undefined || same(fixed(before, moved), fixed(attachment, new Map()))
          ? null
          : `${attachment.attachmentId} was ${show(before)}, and is ${show(attachment)}`
      })
    }
  }
)

/** What is set once may not change. */
const kept = (before: unknown, after: unknown): boolean => before === null || before === after

const movedBack = (before: Package, after: Package): string | null => {
  if (before.status !== after.status) return `went from ${before.status} to ${after.status}`
  if (!kept(before.activationAt, after.activationAt)) return "activates at another time than before"
  const { expirationAt } = before
  if (expirationAt !== null && (after.expirationAt ?? Number.POSITIVE_INFINITY) > expirationAt) {
    return "expires later than before"
  }
  const isMoved = before.replacement?.number !== after.replacement?.number
  if (!isMoved && !kept(before.telcoPackageId, after.telcoPackageId)) return "has another id at the telco than before"
  return after.usedBytes < before.usedBytes ? `has used ${after.usedBytes}, and before ${before.usedBytes}` : null
}

/**
 * Rules T3, T7 and R1. Covers a package's status, times, usage and id at the telco, and an
 * attachment's anchor, suspension and thresholds.
 */
export const factsStay: Invariant = make(
  "used data never falls, and what was known once never changes",
  "T3, T7, R1",
  () => {
    const known = new Map<string, Package>()
    const anchors = new Map<string, Attachment>()
    return ({ after }) => {
      const complaint = first(packages(after), ({ id, pack }) => {
        const before = known.get(periodOf(pack))
        known.set(periodOf(pack), pack)
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

/** How long an id is kept at least. */
const RETENTION = 35 * DAY

/**
 * Whether a report lies too far ahead, or is a delta that lies too far back, whatever it is about.
 */
const isOutOfReach = ({ fact, occurredAt }: Report, now: Instant): boolean =>
  occurredAt - now > 5 * MINUTE ||
  (fact._tag === "Usage" && fact.usage._tag === "Delta" && now - occurredAt > RETENTION)

/**
 * Whether a report is of nobody here: of a customer who had the ICCID before it was bought, or of
 * an eSIM that was sold and has not come into the stock yet (rule I15).
 */
const isUnowned = ({ iccid, occurredAt }: Report, lines: Lines): boolean => {
  const line = lines.get(iccid)
  if (line === undefined) return true
  const { purchase } = line.sim
  return purchase !== null && occurredAt + 5 * MINUTE < purchase.boughtAt
}

const verdictsOf = ({ asked, outcome }: Step): ReadonlyArray<readonly [Report, Verdict]> => {
  if (asked._tag !== "Report" || outcome._tag !== "Answered" || outcome.answer.kind !== "Verdicts") return []
  const { verdicts } = outcome.answer
  const all = asked.reports.flatMap((report, index) => {
    const verdict = verdicts[index]
    return verdict === undefined ? [] : [[report, verdict] as const]
  })
  return all.sort(([left], [right]) => left.occurredAt - right.occurredAt)
}

/**
 * Rules R1 and I15. A repeated id is a duplicate for 35 days. A report more than 5 min ahead is
 * rejected, and so is a delta more than 35 days old, and what was before the SIM was bought.
 */
export const reportsCountOnce: Invariant = make(
  "a report counts once, however often it comes, and what lies too far ahead or back is rejected",
  "R1, I15",
  () => {
    const accepted = new Map<string, Instant>()
    // What became of a report whose process was killed is not known until it comes again.
    const open = new Map<string, Instant>()
    return ({ after, step: { asked, began, outcome }, step }) => {
      if (asked._tag === "Report" && outcome._tag === "Killed") {
        for (const { reportId } of asked.reports) open.set(reportId, open.get(reportId) ?? began)
      }
      return first(verdictsOf(step), ([report, verdict]) => {
        const { reportId } = report
        const known = accepted.get(reportId)
        const perhaps = known ?? open.get(reportId)
        if (verdict._tag === "Duplicate") {
          if (perhaps === undefined) return `${show(report)} is answered as a duplicate, and is new`
          accepted.set(reportId, perhaps)
          return null
        }
        if (known !== undefined && began - known <= RETENTION) {
          return `${show(report)} was ${verdict._tag}, and was taken at ${toIso(known)} already`
        }
        if (verdict._tag === "Accepted") accepted.set(reportId, began)
        const isTaken = verdict._tag === "Accepted"
        if (isOutOfReach(report, began) || isUnowned(report, after)) return isTaken ? `${show(report)} was taken` : null
        return isTaken || report.fact._tag !== "Location" ? null : `${show(report)} was not taken`
      })
    }
  }
)

const usageOf = ({ fact }: Report) => (fact._tag === "Usage" ? fact.usage : null)

/**
 * Rule R1. A package's usage rises in one step by at most the bytes of the step's accepted reports.
 */
export const usageIsWhatWasReported: Invariant = make(
  "usage rises by what was reported, and by nothing else",
  "R1",
  () =>
    ({ after, before, step }) => {
      if (step.asked._tag === "Report" && step.outcome._tag === "Killed") return null
      const known = new Map(packages(before).map(({ pack }) => [periodOf(pack), pack.usedBytes]))
      const risen = packages(after).filter(({ pack }) => pack.usedBytes !== (known.get(periodOf(pack)) ?? 0))
      const usages = verdictsOf(step).flatMap(([report, verdict]) =>
        verdict._tag === "Accepted" ? (usageOf(report) ?? []) : []
      )
      // A delta adds to what is there, in whatever order with totals: it is at most all of it
      // together.
      const most = usages.reduce((sum, { bytes }) => sum + bytes, 0)
      return first(risen, ({ id, pack }) => {
        const { usedBytes } = pack
        const from = known.get(periodOf(pack)) ?? 0
        return usedBytes <= from + most
          ? null
          : `${id} rose from ${from} to ${usedBytes}, and ${show(usages)} was reported`
      })
    }
)

/** When the packages that wait for their first use are active from: not known yet. */
const waiting = (lines: Lines): ReadonlySet<string> =>
  new Set(packages(lines).flatMap(({ pack }) => (pack.activationAt === null ? [periodOf(pack)] : [])))

/**
 * Rules T3 and S8. The activation is the `occurredAt` of a report of use or first use in the same
 * step, on the package's SIM or on one that its subscription has left.
 */
export const firstUsesActivate: Invariant = make(
  "a package that waits for its first use is activated by a report of use, at the instant that it names",
  "T3",
  () =>
    ({ after, before, step }) => {
      const { asked } = step
      const idle = waiting(before)
      const activated = packages(after).filter(({ pack }) => idle.has(periodOf(pack)) && pack.activationAt !== null)
      const uses = asked._tag === "Report" ? asked.reports.filter(({ fact }) => isUse(fact) || isEndOfUsed(fact)) : []
      return first(activated, ({ id, pack }) => {
        const sims = [pack.iccid, ...formerOf(pack).map(({ iccid }) => iccid)]
        // An end of one in use begins it, but not ahead of the clock.
        const isOne = ({ fact, occurredAt }: Report) =>
          occurredAt === pack.activationAt || (isEndOfUsed(fact) && occurredAt > (pack.activationAt ?? 0))
        return uses.some((use) => sims.includes(use.iccid) && isOne(use))
          ? null
          : `${id} was activated at ${toIso(pack.activationAt ?? 0)}, when no use was reported`
      })
    }
)

/** Whether the package has the end of its time, as its activation has it. */
const isByItsTime = ({ attachment, pack }: ReturnType<typeof packages>[number]): boolean =>
  pack.activationAt !== null && pack.expirationAt === pack.activationAt + attachment.terms.periodDays * DAY

/**
 * Rule R4. The expiry of a package changes by an end that names it, in the same step, to the
 * instant of that, and never once it is over. An end that is taken leaves its package over.
 */
export const endsAreReported: Invariant = make(
  "a package ends before its time when the telco has ended it, once, and at no other time",
  "R4",
  () =>
    ({ after, before, step }) => {
      const { asked, began, ended, outcome } = step
      const reports = asked._tag === "Report" ? asked.reports : []
      const isOpen = outcome._tag === "Killed"
      const taken = new Set(
        isOpen ? reports : verdictsOf(step).flatMap(([report, verdict]) => (verdict._tag === "Accepted" ? report : []))
      )
      const ends = [...taken].flatMap(({ fact, ...report }) => (fact._tag === "End" ? { ...report, ...fact } : []))
      const known = new Map(packages(before).map(({ pack }) => [periodOf(pack), pack]))
      const isOf = (end: (typeof ends)[number], { id, pack }: ReturnType<typeof packages>[number]) =>
        end.iccid === pack.iccid && (end.packageId === id || end.packageId === pack.telcoPackageId)
      return (
        first(packages(after), (one) => {
          const was = known.get(periodOf(one.pack))
          const { activationAt, expirationAt } = one.pack
          if (was === undefined || was.expirationAt === expirationAt || expirationAt === null) return null
          if (was.activationAt === null && isByItsTime(one)) return null
          if (was.expirationAt !== null && was.expirationAt <= began) return `${one.id} was over, and ends anew`
          const isDated = ends.some((end) => {
            const isLate = began <= expirationAt && expirationAt <= ended && end.occurredAt >= expirationAt
            return isOf(end, one) && (end.occurredAt === expirationAt || activationAt === expirationAt || isLate)
          })
          return isDated ? null : `${one.id} ends at ${toIso(expirationAt)}, and no end says so`
        }) ??
        first(packages(after), (one) => {
          const { expirationAt, iccid } = one.pack
          if (isOpen || !ends.some((end) => isOf(end, one) && end.iccid === iccid)) return null
          return expirationAt !== null && expirationAt <= ended ? null : `${one.id} was ended, and is not over`
        })
      )
    }
)

const isUse = ({ _tag }: Report["fact"]): boolean => _tag === "Usage" || _tag === "FirstUse"

const isEndOfUsed = (fact: Report["fact"]): boolean =>
  fact._tag === "End" && (fact.reason === "depleted" || fact.reason === "expired")
