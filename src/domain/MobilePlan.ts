/**
 * The organization's mobile plan on an eSIM (rule I6).
 *
 * A change is asked of the telco before it shows: until then the SIM is `Changing`. One that the telco could not take in
 * time has failed for its caller; it is asked again until the outcome is known, and turned back if it was done.
 */
import { Result } from "effect"
import type { Decision } from "./Decision.ts"
import type { Work } from "./Job.ts"
import type { Label } from "./Label.ts"
import { InvalidField, LabelMismatch, SimBusy } from "./Refusal.ts"
import type { MobilePlan, Sim } from "./Sim.ts"
import type { Instant } from "./Time.ts"

/** What a request about the mobile plan is answered with. */
export interface MobilePlanStatus {
  readonly iccid: string
  readonly applied: boolean
  /** The eSIM's serial in the inventory: the same for each change of one eSIM, another for every other. */
  readonly id: number
}

export const statusOf = (sim: Sim): MobilePlanStatus => ({
  iccid: sim.iccid,
  applied: sim.mobilePlan.applied,
  id: sim.serial
})

/**
 * Asks for the mobile plan to be applied or removed; null where it is so already. `changeId` names the change at the
 * telco.
 */
export const request = (
  sim: Sim,
  wanted: { readonly apply: boolean; readonly label: Label },
  changeId: string,
  now: Instant
): Result.Result<
  { readonly decision: Decision; readonly work: Extract<Work, { readonly _tag: "ChangeMobilePlan" }> } | null,
  InvalidField | LabelMismatch | SimBusy
> => {
  const { iccid, label: simLabel, mobilePlan } = sim
  if (!sim.isEsim) return Result.fail(new InvalidField({ field: "iccid", message: "must be that of an eSIM" }))
  if (simLabel !== wanted.label) return Result.fail(new LabelMismatch({ iccid, simLabel, label: wanted.label }))
  if (mobilePlan._tag === "Changing") return Result.fail(new SimBusy({ iccid }))
  if (mobilePlan.applied === wanted.apply) return Result.succeed(null)
  const work = { _tag: "ChangeMobilePlan" as const, iccid, changeId }
  return Result.succeed({
    decision: {
      sim: { ...sim, mobilePlan: { _tag: "Changing", applied: mobilePlan.applied, target: wanted.apply } },
      jobs: [{ jobId: `mobile-plan:${changeId}`, work, dueAt: now }]
    },
    work
  })
}

/** The telco has the target. */
export const settled = (sim: Sim): Decision =>
  sim.mobilePlan._tag === "Changing"
    ? { sim: { ...sim, mobilePlan: { _tag: "Settled", applied: sim.mobilePlan.target } } }
    : {}

/** The telco refused the change: it stays as it was there, which after a refused turning back is what was turned from. */
export const refused = (sim: Sim): Decision => {
  const { mobilePlan } = sim
  if (mobilePlan._tag === "Settled") return {}
  const applied = isTurningBack(mobilePlan) ? !mobilePlan.applied : mobilePlan.applied
  return { sim: { ...sim, mobilePlan: { _tag: "Settled", applied } } }
}

/** Whether a change brings back what is told, after one that its caller was told has failed. */
export const isTurningBack = (mobilePlan: Extract<MobilePlan, { readonly _tag: "Changing" }>): boolean =>
  mobilePlan.target === mobilePlan.applied

/** The telco has done what its caller was told has failed: it is asked for the old state, under a key of its own. */
export const turnedBack = (sim: Sim, undoId: string, now: Instant): Decision =>
  sim.mobilePlan._tag === "Changing"
    ? {
        sim: { ...sim, mobilePlan: { ...sim.mobilePlan, target: sim.mobilePlan.applied } },
        jobs: [
          {
            jobId: `mobile-plan:${undoId}`,
            work: { _tag: "ChangeMobilePlan", iccid: sim.iccid, changeId: undoId },
            dueAt: now
          }
        ]
      }
    : {}
