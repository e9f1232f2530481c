/**
 * The organization's mobile plan on an eSIM (rule I6).
 *
 * A change is asked of the telco before it shows: until then the SIM is `Changing`, and a change that the telco could
 * not take in time is turned back.
 */

/** `Settled`: as the telco has it. `Changing`: `applied` is still told while the telco is asked for `target`. */
export type MobilePlan =
  | { readonly _tag: "Settled"; readonly applied: boolean }
  | { readonly _tag: "Changing"; readonly applied: boolean; readonly target: boolean }

/** What a request about the mobile plan is answered with. */
export interface MobilePlanStatus {
  readonly iccid: string
  readonly applied: boolean
  /** The eSIM's serial in the inventory: the same for each change of one eSIM, another for every other. */
  readonly id: number
}
