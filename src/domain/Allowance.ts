/**
 * Allowance thresholds (rule R2): 50, 80 and 100 % of a plan that does not recur, each told once and in order.
 */
import type * as Plan from "./Plan.ts"
import { allowanceBytes } from "./Plan.ts"

export const thresholds = [50, 80, 100] as const

/**
 * The thresholds that `usedBytes` has reached beyond `told`, the highest one that was told; none for a recurring plan.
 * A threshold is reached at its very byte: up to the largest allowance, 2^51 bytes, both sides are exact, or nearer to
 * it than they differ, by 20 at least.
 */
export const crossed = (
  terms: Pick<Plan.PlanTerms, "recurrence" | "dataMegaBytes">,
  told: number,
  usedBytes: number
): ReadonlyArray<number> =>
  terms.recurrence !== null
    ? []
    : thresholds.filter((threshold) => threshold > told && usedBytes * 100 >= allowanceBytes(terms) * threshold)
