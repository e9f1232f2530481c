/**
 * Allowance thresholds (rule R2): 50, 80 and 100 % of a non-recurring plan. Each one is notified once, in order.
 */
import type * as Plan from "./Plan.ts"
import { allowanceBytes } from "./Plan.ts"

/** In percent of a package's allowance (rule R2). */
export const thresholds = [50, 80, 100] as const

/**
 * The thresholds above `lastNotified` that `usedBytes` has reached, in rising order. `lastNotified` is the last
 * threshold notified, in percent. A recurring plan has none.
 *
 * The comparison is exact to the byte. The largest allowance is 2^51 bytes, so both products can exceed 2^53 and be
 * rounded. Rounding errors stay below the smallest difference between two unequal products, which is 20.
 */
export const crossed = (
  terms: Pick<Plan.PlanTerms, "recurrence" | "dataMegaBytes">,
  lastNotified: number,
  usedBytes: number
): ReadonlyArray<number> =>
  terms.recurrence !== null
    ? []
    : thresholds.filter((threshold) => threshold > lastNotified && usedBytes * 100 >= allowanceBytes(terms) * threshold)
