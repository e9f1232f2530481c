/**
 * What differs between the telco's books and ours, and asking the telco for what we have (rule S6).
 * An operator says so, and a job asks for what is wanted by then: what has changed meanwhile is not
 * asked for.
 */
import { changeOfPlan, changeOfService, isInService, type Sim } from "./Sim.ts"
import type { Instant } from "./Time.ts"

/** Both sides of a difference, as an operator reads them. */
export interface Sides {
  /** What is had here. */
  readonly ours: string
  /** What the telco has. */
  readonly theirs: string
}

/** What the telco can be asked for so that it has what is had here. */
export type Correction =
  /** The SIM has service, or is paused, as its subscription is then (rule S7). */
  | { readonly _tag: "Service" }
  /** The mobile plan is applied, or not, as the SIM has it then (rule I6). */
  | { readonly _tag: "MobilePlan" }
  /** The packages of a suspended attachment are stopped (rule T7). */
  | { readonly _tag: "Suspension"; readonly attachmentId: string }
  /**
   * The package is cancelled, as the telco calls it; an operator has said that nobody is to have it
   * (rule S5).
   */
  | { readonly _tag: "Cancellation"; readonly packageId: string }

/**
 * Whether a SIM in service has none, because it is paused; null if it is not in service, or is
 * being changed.
 */
export const serviceWanted = (sim: Sim): { readonly pausedAt: Instant | null } | null =>
  isInService(sim) && changeOfService(sim.service) === null ? { pausedAt: sim.service.pausedAt } : null

/** Whether the mobile plan is to be applied; null while it is being changed. */
export const mobilePlanWanted = ({ mobilePlan }: Sim): boolean | null =>
  changeOfPlan(mobilePlan) === null ? mobilePlan.applied : null
