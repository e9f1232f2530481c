/**
 * What must hold of answers: what was acknowledged stays, what was refused leaves nothing, and each
 * is the right one.
 */
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { Plan } from "../../domain/Plan.ts"
import type { Created } from "../../domain/Subscription.ts"
import { type Instant, toIso } from "../../domain/Time.ts"
import type { Asked, Outcome, Request } from "../commands/Command.ts"
import type { History, Step } from "../History.ts"
import * as TimingModel from "../TimingModel.ts"
import { attachments, visible, first, isBought, movedBy, type Invariant, make, same, show } from "./Invariant.ts"

const createdOf = (outcome: Outcome): Created | null =>
  outcome._tag === "Answered" && outcome.answer.kind === "Created" ? outcome.answer.created : null

/**
 * Rule W1. Finds requests that end in a defect or a storage error, and background work that fails
 * with a cause.
 */
export const nothingBreaks: Invariant = make(
  "nothing breaks: every request is answered or refused, and every job is done",
  "W1",
  () =>
    ({ step }) =>
      step.outcome._tag === "Broken" ? step.outcome.message : (step.changes.mishaps[0] ?? null)
)

/**
 * Rules S1 and S5. The acknowledged attachment keeps its SIM, subscription and metadata until a
 * deletion takes effect.
 */
export const creationsStay: Invariant = make(
  "a subscription that was acknowledged stays until it is deleted, and on its SIM until it moves",
  "S1, S5, S8",
  () => {
    const acknowledged = new Map<string, Created>()
    return (frame) => {
      const { after, step } = frame
      const { asked, outcome } = step
      const created = createdOf(outcome)
      // An answer that is replayed may be about a subscription that was deleted meanwhile.
      if (created !== null && asked._tag === "Subscribe") acknowledged.set(created.attachmentId, created)
      if (asked._tag === "Delete" && outcome._tag !== "Refused") {
        for (const [id, { sim }] of acknowledged) if (sim.iccid === asked.iccid) acknowledged.delete(id)
      }
      const moved = movedBy(frame)
      for (const [id, created] of moved === null ? [] : acknowledged) {
        if (created.sim.iccid === moved?.from.sim.iccid) acknowledged.set(id, { ...created, sim: moved.to.sim })
      }
      const there = new Map(visible(after).map(({ attachment }) => [attachment.attachmentId, attachment]))
      return first(acknowledged.values(), ({ attachmentId, metadata, sim, subscriptionId }) => {
        const found = there.get(attachmentId)
        if (found === undefined) return `${attachmentId} was acknowledged on ${sim.iccid}, and is not there`
        return found.subscriptionId === subscriptionId && found.iccid === sim.iccid && found.metadata === metadata
          ? null
          : `${attachmentId} was acknowledged otherwise than it is: ${show(found)}`
      })
    }
  }
)

/**
 * The SIMs that a subscription may have come to from one of them by the end of a history: by the
 * moves that were answered, and by those whose process died, of which nothing is known.
 */
const whereabouts = ({ steps }: History): ((from: string) => (iccid: string) => boolean) => {
  const moves = new Map<string, ReadonlyArray<string>>()
  const unknown = new Set<string>()
  for (const { asked, outcome } of steps) {
    if (outcome._tag === "Answered" && outcome.answer.kind === "Replaced") {
      const { replacedIccid, sim } = outcome.answer.replaced
      moves.set(replacedIccid, [...(moves.get(replacedIccid) ?? []), sim.iccid])
    } else if (asked._tag === "Replace" && outcome._tag !== "Refused") unknown.add(asked.iccid)
  }
  return (from) => {
    const reached = new Set([from])
    for (const iccid of reached) for (const next of moves.get(iccid) ?? []) reached.add(next)
    const isAnywhere = [...reached].some((iccid) => unknown.has(iccid))
    return (iccid) => isAnywhere || reached.has(iccid)
  }
}

/**
 * Rules S1, S5 and S8. As `creationsStay`, if only the order of the answers is known, and moves
 * are known by these.
 */
export const creationsStayWhereverTheyMove: Invariant = make(
  "a subscription that was acknowledged stays until it is deleted, wherever it moves",
  "S1, S5, S8",
  (history) => {
    const mayBeAt = whereabouts(history)
    const acknowledged = new Map<string, Created>()
    return ({ after, step: { asked, outcome } }) => {
      const created = createdOf(outcome)
      if (created !== null && asked._tag === "Subscribe") acknowledged.set(created.attachmentId, created)
      if (asked._tag === "Delete" && outcome._tag !== "Refused") {
        for (const [id, { sim }] of acknowledged) if (mayBeAt(sim.iccid)(asked.iccid)) acknowledged.delete(id)
      }
      const there = new Map(visible(after).map(({ attachment }) => [attachment.attachmentId, attachment]))
      return first(acknowledged.values(), ({ attachmentId, metadata, sim, subscriptionId }) => {
        const found = there.get(attachmentId)
        if (found === undefined) return `${attachmentId} was acknowledged on ${sim.iccid}, and is not there`
        const isSame = found.subscriptionId === subscriptionId && found.metadata === metadata
        return isSame && mayBeAt(sim.iccid)(found.iccid)
          ? null
          : `${attachmentId} was acknowledged otherwise than it is: ${show(found)}`
      })
    }
  }
)

/** Rule T7. A second suspension does not move the instant of the first one. */
export const suspensionsStay: Invariant = make(
  "a suspension that was acknowledged holds from when it was asked for, for good",
  "T7",
  () => {
    const suspended = new Map<string, Instant>()
    return ({ after, before, step }) => {
      const { asked, began, outcome } = step
      if (asked._tag === "Suspend" && outcome._tag === "Answered") {
        const { attachmentId } = asked
        const known = attachments(before).find(({ attachment }) => attachment.attachmentId === attachmentId)
        suspended.set(attachmentId, known?.attachment.suspendedAt ?? began)
      }
      return first(attachments(after), ({ attachment: { attachmentId, suspendedAt } }) => {
        const expected = suspended.get(attachmentId)
        return expected === undefined || suspendedAt === expected
          ? null
          : `${attachmentId} was suspended at ${toIso(expected)}, and is shown so from ${show(suspendedAt)}`
      })
    }
  }
)

/**
 * Rule S7. A second pause does not move the instant of the first one, and only a resumption or a
 * deletion ends it.
 */
export const pausesStay: Invariant = make(
  "a pause that was acknowledged holds from when it was asked for until its end is",
  "S7",
  () => {
    const paused = new Map<string, Instant>()
    return (frame) => {
      const { after, before, step } = frame
      const { asked, began, outcome } = step
      const moved = movedBy(frame)
      const since = moved === null ? undefined : paused.get(moved.from.sim.iccid)
      if (moved !== null && since !== undefined) {
        paused.delete(moved.from.sim.iccid)
        paused.set(moved.to.sim.iccid, since)
      }
      const isTaken = outcome._tag === "Answered"
      if (asked._tag === "Pause" && isTaken) {
        if (!asked.paused) paused.delete(asked.iccid)
        else paused.set(asked.iccid, before.get(asked.iccid)?.sim.service.pausedAt ?? began)
      }
      if (asked._tag === "Delete" && isTaken) paused.delete(asked.iccid)
      return first(after.values(), ({ sim: { iccid, service } }) => {
        const expected = paused.get(iccid) ?? null
        if (service.pausedAt === expected) return null
        // A request whose process was killed may have been taken.
        const isKilled = outcome._tag === "Killed" && "iccid" in asked && asked.iccid === iccid
        if (isKilled && service.pausedAt !== null) paused.set(iccid, service.pausedAt)
        else if (isKilled) paused.delete(iccid)
        return isKilled
          ? null
          : `${iccid} was paused at ${expected === null ? "no time" : toIso(expected)}, and is shown so from ${show(service.pausedAt)}`
      })
    }
  }
)

/** What the telco's state caused, or that of the inventory, and what is not done yet. */
const passing: ReadonlySet<string> = new Set([
  "TelcoRefused",
  "TelcoUnavailable",
  "SimBusy",
  "NoFreeSim",
  "SimsReleasing",
  "EsimsIssuing",
  "SoldOut",
  "NoBalance",
  "SpendingLimited",
  "RequestInProgress"
])

/** Whether an answer is replayed to the same key. */
const isFinal = (outcome: Outcome): boolean =>
  outcome._tag === "Answered" || (outcome._tag === "Refused" && !passing.has(outcome.refusal._tag))

const isInProgress = (outcome: Outcome): boolean =>
  outcome._tag === "Refused" && outcome.refusal._tag === "RequestInProgress"

const requestOf = (asked: Asked): Request | null =>
  asked._tag === "Repeat" ? asked.request : asked._tag === "Subscribe" || asked._tag === "SendSms" ? asked : null

/**
 * Rule W2. A final answer is replayed as it was. Two attachments never stem from one request, with
 * a key or without.
 */
export const repetitionsAreAnsweredTheSame: Invariant = make(
  "a request that comes again with its key is answered the same, and has no further effect",
  "W2",
  () => {
    const answered = new Map<string, { readonly outcome: Outcome; readonly ended: Instant }>()
    const left = new Map<string, string>()
    return ({ after, step }) => {
      const request = requestOf(step.asked)
      const key = request?.key ?? null
      const before = key === null ? undefined : answered.get(key)
      const isAnsweredDifferently =
        step.outcome._tag !== "Killed" && before !== undefined && !same(before.outcome, step.outcome)
      // A twin that began before the answer was there may have found the first one under way.
      if (isAnsweredDifferently && !(isInProgress(step.outcome) && step.began < before.ended)) {
        return `${key} was answered ${show(before.outcome)}, and then ${show(step.outcome)}`
      }
      if (key !== null && isFinal(step.outcome)) answered.set(key, { outcome: step.outcome, ended: step.ended })
      return first(visible(after), ({ attachment: { attachmentId, metadata } }) => {
        const known = left.get(metadata)
        left.set(metadata, attachmentId)
        return known === undefined || known === attachmentId
          ? null
          : `${metadata} has left ${known} and ${attachmentId}`
      })
    }
  }
)

/**
 * Rule W2. Compares the telco's books with the answers; each message of a run has a text of its
 * own.
 */
export const messagesAreSentOnce: Invariant = make(
  "a message that was acknowledged was sent once; no other is sent twice, and none that was refused",
  "W2",
  () => {
    const sent = new Map<string, number>()
    return ({ step }) => {
      for (const record of step.changes.records) {
        if (record.kind === "message" && record.refusal === null) {
          sent.set(record.text, (sent.get(record.text) ?? 0) + 1)
        }
      }
      const twice = first(sent, ([text, times]) => (times > 1 ? `"${text}" was sent ${times} times` : null))
      const request = requestOf(step.asked)
      if (twice !== null || request?._tag !== "SendSms") return twice
      const was = sent.has(request.text)
      if (step.outcome._tag === "Answered" && !was) return `"${request.text}" was acknowledged, and not sent`
      const refused = step.outcome._tag === "Refused" && step.asked._tag === "SendSms" ? step.outcome.refusal._tag : ""
      return was && ["TelcoRefused", "NotFound"].includes(refused) ? `"${request.text}" was refused, and sent` : null
    }
  }
)

/** Requests that touch a line. */
const touching = new Set<Asked["_tag"]>([
  "Subscribe",
  "SendSms",
  "Suspend",
  "Delete",
  "Replace",
  "SetMobilePlan",
  "CorrectSim"
])

// A claim that came to nothing, as on a plan that was archived meanwhile, leaves its mark on the
// SIM's version alone.
const isClaimedAtMost = (before: SimAggregate | undefined, after: SimAggregate): boolean =>
  before !== undefined && same(before, { ...after, sim: { ...after.sim, version: before.sim.version } })

/**
 * Rules S5 and W1. No SIM changes but in its version, which an abandoned claim raises, and no
 * attachment of a refused creation is left. A telco's refusal may change the SIM. What the telco
 * left open under a key may stay unconfirmed, so that the request can go on with it.
 */
export const refusalsLeaveNothing: Invariant = make("a request that was refused leaves nothing", "S5, W1", () => {
  const refused = new Set<string>()
  const interrupted = new Set<string>()
  return ({ after, before, step }) => {
    const { asked, changes, outcome } = step
    if (outcome._tag === "Refused" && touching.has(asked._tag)) {
      const byTelco = outcome.refusal._tag === "TelcoRefused" || outcome.refusal._tag === "TelcoUnavailable"
      // What was bought by then came into the stock, whoever awaits it.
      const touched = changes.lines.find(
        (line) => !isClaimedAtMost(before.get(line.sim.iccid), line) && !isBought({ after, before }, line.sim.iccid)
      )
      if (!byTelco && touched !== undefined) {
        return `${asked._tag} was refused with ${outcome.refusal._tag}, and changed ${touched.sim.iccid}`
      }
      if (asked._tag === "Subscribe") refused.add(asked.metadata)
      if (asked._tag === "Subscribe" && asked.key !== null && outcome.refusal._tag === "TelcoUnavailable") {
        interrupted.add(asked.metadata)
      }
    }
    // With its key it may come again, and be taken.
    if (asked._tag === "Repeat" && asked.request._tag === "Subscribe") refused.delete(asked.request.metadata)
    return first(attachments(after), ({ attachment: { attachmentId, confirmed, metadata } }) =>
      refused.has(metadata) && (confirmed || !interrupted.has(metadata))
        ? `${metadata} was refused, and has left ${attachmentId}`
        : null
    )
  }
})

const flawed = ({ asked, outcome }: Step): string | null => {
  if (asked._tag !== "CreatePlan" || outcome._tag === "Killed") return null
  if (asked.flaw === null) return outcome._tag === "Answered" ? null : `a valid plan was refused: ${show(outcome)}`
  const field = outcome._tag === "Refused" && outcome.refusal._tag === "InvalidField" ? outcome.refusal.field : null
  return field === asked.flaw ? null : `a plan that is wrong in ${asked.flaw} was answered with ${show(outcome)}`
}

const misread = ({ asked, outcome }: Step): string | null => {
  if (asked._tag !== "CreatePlan" || outcome._tag !== "Answered" || outcome.answer.kind !== "Plan") return null
  const wanted = asked.terms
  const { label, regionCode, ...has } = outcome.answer.plan.terms
  return same(wanted, has) ? null : `a plan was asked for with ${show(wanted)}, and has ${show(has)}`
}

/**
 * Rule P1. The stored terms are those asked for; a flawed request is refused with `InvalidField` of
 * the flawed field.
 */
export const plansAreAsAskedFor: Invariant = make(
  "a plan is taken as it was asked for, and one that is wrong is refused by the name of its field",
  "P1",
  () =>
    ({ step }) =>
      flawed(step) ?? misread(step)
)

/**
 * The seven rules of `active_period`, and rules T4 to T6: `TimingModel` says which field is
 * refused, and what is answered.
 */
export const periodsAreTakenByTheRules: Invariant = make(
  "an active period is taken or refused by the seven rules, and answered with the times they give",
  "active_period rules 1 to 7, T4, T5, T6",
  () => {
    const plans = new Map<string, Plan>()
    return ({ step }) => {
      const { asked, began, outcome } = step
      if (outcome._tag === "Answered" && outcome.answer.kind === "Plan") {
        plans.set(outcome.answer.plan.planId, outcome.answer.plan)
      }
      const plan = asked._tag === "Subscribe" && !asked.foreign ? plans.get(asked.planId) : undefined
      if (asked._tag !== "Subscribe" || plan === undefined || outcome._tag === "Killed") return null
      if (outcome._tag === "Refused" && outcome.refusal._tag === "NotFound") return null
      const refused = TimingModel.refused(plan.terms, asked.period, began)
      const field = outcome._tag === "Refused" && outcome.refusal._tag === "InvalidField" ? outcome.refusal.field : null
      if (field !== (refused === null ? null : `activePeriod.${refused}`)) {
        return `${show(asked.period)} was answered with ${show(outcome)}, and is to be refused for ${refused ?? "nothing"}`
      }
      const created = createdOf(outcome)
      const expected = TimingModel.answer(plan.terms, asked.period, began, true)
      return created === null || same(created.period, expected)
        ? null
        : `${show(asked.period)} was answered with ${show(created.period)}, not ${show(expected)}`
    }
  }
)
