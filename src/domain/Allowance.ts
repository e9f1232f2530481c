/**
 * Allowance thresholds (rule R2): 50, 80 and 100 % of a plan that does not recur, each told once and in order.
 */
import type * as Plan from "./Plan.ts"
import { allowanceBytes } from "./Plan.ts"

export const thresholds = [50, 80, 100] as const

/**
 * The thresholds that `usedBytes` has reached beyond `told`, the highest one that was told; none for a recurring plan.
 * Reckoned in whole numbers: a threshold is reached at its very byte.
 */
export const crossed = (terms: Plan.PlanTerms, told: number, usedBytes: number): ReadonlyArray<number> =>
  terms.recurrence !== null
    ? []
    : thresholds.filter(
        (threshold) => threshold > told && BigInt(usedBytes) * 100n >= BigInt(allowanceBytes(terms)) * BigInt(threshold)
      )
