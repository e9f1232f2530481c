/**
 * Whether the telco can carry a plan's terms, asked when a plan is created (rule P4): a telco that knows its labels and
 * coverage profiles by settings refuses what they do not name, before anybody subscribes to it.
 *
 * The default takes all terms. An adapter whose telco needs settings for them provides this reference beside `Telco`.
 */
import { Context, Effect } from "effect"
import type { PlanTerms } from "../domain/Plan.ts"
import type { StorageError } from "./storage/Failure.ts"
import type { Refused } from "./Telco.ts"

/** Answers for the telco whether it has what a plan's terms need. */
export interface TelcoTerms {
  /** Refuses with a sentence for the one who creates the plan: what is missing, and how the operator sets it. */
  readonly check: (of: {
    readonly organizationId: string
    readonly terms: PlanTerms
  }) => Effect.Effect<void, Refused | StorageError>
}

/** Answers for the telco whether it has what a plan's terms need. */
export const TelcoTerms = Context.Reference<TelcoTerms>("simplan/TelcoTerms", {
  defaultValue: () => ({ check: () => Effect.void })
})
