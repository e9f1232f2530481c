/**
 * What must hold of corrections of SIMs (rule I9): each is taken or refused by the rule, and
 * changes what it names and nothing else.
 */
import type { Label } from "../../domain/Label.ts"
import * as Sim from "../../domain/Sim.ts"
import type { Correction } from "../../domain/SimCorrection.ts"
import { first, type Invariant, isBought, type Lines, make, same, show } from "./Invariant.ts"

/** Whether a SIM is withdrawn because its supplier has it back, or is being asked for that. */
const isReturned = (lines: Lines, iccid: string): boolean => {
  const sim = lines.get(iccid)?.sim
  return sim?.purchase?.returned !== undefined && Sim.withdrawnReason(sim) === "returned"
}

/**
 * Rule I9. What is withdrawn is taken by nothing, and stays so until it is made available again.
 */
export const withdrawnSimsStay: Invariant = make(
  "a withdrawn SIM is taken by no subscription and chosen for no mobile plan",
  "I9",
  () =>
    ({ after, before, step: { asked, outcome } }) => {
      const corrected = asked._tag === "CorrectSim" ? asked : null
      if (corrected !== null && outcome._tag === "Answered" && corrected.correction.status !== undefined) {
        const { iccid, correction } = corrected
        const reason = Sim.withdrawnReason(after.get(iccid)?.sim ?? { allocation: { _tag: "Free" } })
        const expected = correction.status?._tag === "Withdrawn" ? correction.status.reason : null
        if (reason !== expected) return `${iccid} was to be withdrawn as ${expected}, and is so as ${reason}`
      }
      if (asked._tag === "SetMobilePlan" && asked.iccid === null && outcome._tag === "Answered") {
        const chosen = outcome.answer.kind === "MobilePlan" ? before.get(outcome.answer.status.iccid)?.sim : undefined
        if (chosen !== undefined && Sim.withdrawnReason(chosen) !== null)
          return `${chosen.iccid} was chosen for a mobile plan`
      }
      if (asked._tag === "SetMobilePlan" && asked.iccid !== null && outcome._tag !== "Killed") {
        const named = before.get(asked.iccid)?.sim
        const plan = named?.mobilePlan
        const isNew = named?.label === asked.label && plan?._tag === "Settled" && asked.apply && !plan.applied
        const isWithdrawn = named?.isEsim === true && Sim.withdrawnReason(named) !== null
        const isRefused = outcome._tag === "Refused" && outcome.refusal._tag === "SimWithdrawn"
        if (!asked.foreign && isRefused !== (isWithdrawn && isNew))
          return `${show(asked)} was answered with ${show(outcome)}`
      }
      return first(before.values(), ({ sim: { allocation, iccid } }) => {
        const next = after.get(iccid)?.sim.allocation
        if (allocation._tag !== "Withdrawn" || corrected?.iccid === iccid) return null
        if (isBought({ after, before }, iccid) || isReturned(after, iccid)) return null
        // The telco has confirmed that nothing is left of a subscription that has moved (rule S8).
        const isEnded = same(next, { ...allocation, ending: null })
        return isEnded || same(next, allocation) ? null : `${iccid} was withdrawn, and is ${show(next)}`
      })
    }
)

/**
 * Rules I9 and S8. A SIM that an answered move has left is withdrawn from then on, until a
 * correction says otherwise. It holds of requests in the order of their answers, too.
 */
export const leftSimsStay: Invariant = make("a SIM that its subscription has left never comes back", "I9, S8", () => {
  const left = new Set<string>()
  return ({ after, step: { asked, outcome } }) => {
    if (asked._tag === "CorrectSim" && asked.correction.status !== undefined && outcome._tag !== "Refused")
      left.delete(asked.iccid)
    if (outcome._tag === "Answered" && outcome.answer.kind === "Replaced")
      left.add(outcome.answer.replaced.replacedIccid)
    if (asked._tag === "ReturnSim" && outcome._tag !== "Refused") left.delete(asked.iccid)
    return first(left, (iccid) => {
      const sim = after.get(iccid)?.sim
      return sim !== undefined && Sim.withdrawnReason(sim) === "replaced"
        ? null
        : `${iccid} was left by its subscription, and is ${show(sim?.allocation)}`
    })
  }
})

/** What a correction may change of a SIM. */
interface Corrected {
  readonly label: Label
  readonly lpa: string | null
  /** Why it is withdrawn; null: it is not. */
  readonly reason: string | null
}

const correctedOf = (sim: Sim.Sim): Corrected => ({
  label: sim.label,
  lpa: sim.lpa,
  reason: Sim.withdrawnReason(sim)
})

/** The name of the refusal of the correction, or what the SIM has after it. */
const expectedOf = (sim: Sim.Sim, { label, lpa: given, status }: Correction): string | Corrected => {
  const lpa = given?.startsWith("1$") ? `LPA:${given}` : given
  const code = lpa ?? null
  const isNothing = label === undefined && lpa === undefined && status === undefined
  if (isNothing || (code !== null && !(sim.isEsim && code.startsWith("LPA:1$")))) return "InvalidField"
  const now = correctedOf(sim)
  const isMoved = status?._tag === "Withdrawn" || (label !== undefined && label !== sim.label)
  if (isMoved && sim.allocation._tag === "InService") return "SimInUse"
  const isHeld = Sim.holder(sim.allocation) !== null
  if (isHeld && (isMoved || (status !== undefined && now.reason !== null))) return "SimBusy"
  const reason = status?._tag === "Withdrawn" ? status.reason : null
  if (Sim.isGivenBack(sim) && status !== undefined && now.reason !== null && reason !== now.reason)
    return "SimWithdrawn"
  return {
    label: label ?? now.label,
    lpa: lpa === undefined ? now.lpa : lpa,
    reason: status === undefined ? now.reason : status._tag === "Withdrawn" ? status.reason : null
  }
}

/** Rule I9. Label, activation code and withdrawal change by corrections alone. */
export const correctionsAreTakenByTheRules: Invariant = make(
  "a correction of a SIM is taken or refused by the rules, and nothing else changes what it may change",
  "I9",
  () =>
    ({ after, before, step: { asked, outcome } }) => {
      const request = asked._tag === "CorrectSim" && !asked.foreign ? asked : null
      const sim = request === null ? undefined : before.get(request.iccid)?.sim
      const expected = request === null || sim === undefined ? null : expectedOf(sim, request.correction)
      if (expected !== null && outcome._tag !== "Killed") {
        const refusal = outcome._tag === "Refused" ? outcome.refusal._tag : null
        const foreseen = typeof expected === "string" ? expected : null
        if (refusal !== foreseen) return `${show(asked)} was answered with ${show(outcome)}, not ${show(expected)}`
      }
      return first(after.values(), ({ sim: next }) => {
        const known = before.get(next.iccid)?.sim
        if (known === undefined) return null
        const isAsked = request?.iccid === next.iccid && outcome._tag !== "Refused"
        const [was, is] = [correctedOf(known), correctedOf(next)]
        // The SIM that its subscription has left is withdrawn (rule S8).
        if (asked._tag === "Replace" && asked.iccid === next.iccid && is.reason === "replaced") return null
        if (isBought({ after, before }, next.iccid) || (!isAsked && isReturned(after, next.iccid))) return null
        if (isAsked && same(is, expected)) return null
        return same(is, was) && (!isAsked || outcome._tag === "Killed")
          ? null
          : `${next.iccid} had ${show(was)}, and has ${show(is)} after ${show(asked)}`
      })
    }
)
