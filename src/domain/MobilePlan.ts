/**
 * The organization's mobile plan on an eSIM (rule I6).
 *
 * A change is visible only after the telco has made it; until then the SIM's mobile plan is
 * `Changing`. If the telco does not answer in time, the request fails. The job goes on until the
 * outcome is known. If the telco did make the change, the job reverts it, because its caller got a
 * failure.
 */
import { Result } from "effect"
import type { Decision } from "./Decision.ts"
import type { Work } from "./Job.ts"
import type { Label } from "./Label.ts"
import { InvalidField, LabelMismatch, type Refusing, SimBusy, SimWithdrawn } from "./Refusal.ts"
import { changeOfPlan, type MobilePlan, type Sim, withdrawnReason } from "./Sim.ts"
import type { SimChange } from "./SimDifference.ts"
import type { Instant } from "./Time.ts"

/** The answer to a request about the mobile plan. */
export interface MobilePlanStatus {
  /** The ICCID of the eSIM. */
  readonly iccid: string
  /** Whether the telco applies it, as of the last change that is done. */
  readonly applied: boolean
  /**
   * The eSIM's import sequence: the same number for each change of one eSIM, another one for every
   * other eSIM.
   */
  readonly id: number
}

/** What is answered of the SIM's mobile plan. */
export const statusOf = (sim: Sim): MobilePlanStatus => ({
  iccid: sim.iccid,
  applied: sim.mobilePlan.applied,
  id: sim.importSequence
})

/** The job that asks the telco for the change. */
export const jobId = (changeId: string): string => `mobile-plan:${changeId}`

/** The job that turns the change back, if the telco has made it and its caller got a failure. */
export const undoJobId = (changeId: string): string => `mobile-plan-undo:${changeId}`

const withMobilePlan = (sim: Sim, mobilePlan: MobilePlan): SimChange => ({
  loaded: { sim },
  next: { sim: { ...sim, mobilePlan } }
})

/** Rule I6: a removal names its eSIM. */
export const checkNamed = (wanted: {
  readonly apply: boolean
  readonly iccid: string | null
}): Result.Result<void, InvalidField> =>
  !wanted.apply && wanted.iccid === null
    ? Result.fail(new InvalidField({ field: "iccid", message: "is required to remove the mobile plan" }))
    : Result.void

/**
 * Rule I6: requests that the mobile plan be applied or removed; null if it already is. `changeId`
 * is the key of the change at the telco. A withdrawn SIM gets none, and may lose the one that it
 * has (rule I9).
 */
export const request = (
  sim: Sim,
  wanted: { readonly apply: boolean; readonly label: Label },
  changeId: string,
  now: Instant
): Result.Result<
  { readonly decision: Decision; readonly work: Extract<Work, { readonly _tag: "ChangeMobilePlan" }> } | null,
  InvalidField | Refusing<"mobilePlan">
> => {
  const { iccid, label: simLabel, mobilePlan } = sim
  if (!sim.isEsim) return Result.fail(new InvalidField({ field: "iccid", message: "must be that of an eSIM" }))
  if (simLabel !== wanted.label) return Result.fail(new LabelMismatch({ iccid, simLabel, label: wanted.label }))
  if (mobilePlan._tag === "Changing") return Result.fail(new SimBusy({ iccid }))
  if (mobilePlan.applied === wanted.apply) return Result.succeed(null)
  const reason = withdrawnReason(sim)
  if (wanted.apply && reason !== null) return Result.fail(new SimWithdrawn({ iccid, reason }))
  const work = { _tag: "ChangeMobilePlan" as const, iccid, changeId }
  return Result.succeed({
    decision: {
      sim: withMobilePlan(sim, { _tag: "Changing", applied: mobilePlan.applied, target: wanted.apply }),
      jobs: [{ jobId: jobId(changeId), work, dueAt: now }]
    },
    work
  })
}

/**
 * Whether a request that has come again goes on with the change that it has left (rule S5). A SIM
 * that was withdrawn meanwhile gets no mobile plan (rule I9): its change is reverted, as one whose
 * request does not come again.
 */
export const isResumable = (sim: Sim): boolean => {
  const change = changeOfPlan(sim.mobilePlan)
  return change !== null && !isTurningBack(change) && !(change.target && withdrawnReason(sim) !== null)
}

/** The telco has made the change; `status` answers the request. */
export const settled = (sim: Sim): { readonly decision: Decision; readonly status: MobilePlanStatus } => {
  const { mobilePlan } = sim
  if (mobilePlan._tag === "Settled") return { decision: {}, status: statusOf(sim) }
  const change = withMobilePlan(sim, { _tag: "Settled", applied: mobilePlan.target })
  return { decision: { sim: change }, status: { ...statusOf(sim), applied: mobilePlan.target } }
}

/**
 * The telco refused the change, or it never left for the telco (rule S5). If that was to revert
 * another change, the other one remains.
 */
export const refused = (sim: Sim): Decision => {
  const { mobilePlan } = sim
  if (mobilePlan._tag === "Settled") return {}
  const applied = isTurningBack(mobilePlan) ? !mobilePlan.applied : mobilePlan.applied
  return { sim: withMobilePlan(sim, { _tag: "Settled", applied }) }
}

/** Whether the change reverts one whose caller got a failure. */
export const isTurningBack = (mobilePlan: Extract<MobilePlan, { readonly _tag: "Changing" }>): boolean =>
  mobilePlan.target === mobilePlan.applied

/**
 * The telco has made a change whose caller got a failure. A job reverts it, as the change `undoId`.
 */
export const turnedBack = (sim: Sim, changeId: string, undoId: string, now: Instant): Decision =>
  sim.mobilePlan._tag === "Changing"
    ? {
        sim: withMobilePlan(sim, { ...sim.mobilePlan, target: sim.mobilePlan.applied }),
        jobs: [
          {
            jobId: undoJobId(changeId),
            work: { _tag: "ChangeMobilePlan", iccid: sim.iccid, changeId: undoId },
            dueAt: now
          }
        ]
      }
    : {}
