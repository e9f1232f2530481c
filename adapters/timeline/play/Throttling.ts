/**
 * At which speed a package is served, by what was used of it.
 */
import { Plan } from "simplan"

/** The limit in Kbit/s that holds once `usedBytes` were used; null for full speed. */
export const limitAt = (terms: Plan.PlanTerms, usedBytes: number): Plan.ThrottlingLimit | null =>
  terms.throttling.findLast(({ percentage }) => usedBytes * 100 >= Plan.allowanceBytes(terms) * percentage)?.limit ??
  null
