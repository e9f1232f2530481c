/**
 * The speed limit of a package by its usage.
 */
import { Plan } from "simplan/ports"

/** The limit in Kbit/s after `usedBytes`; null for full speed. */
export const limitAt = (terms: Plan.PlanTerms, usedBytes: number): Plan.ThrottlingLimit | null =>
  terms.throttling.findLast(({ percentage }) => usedBytes * 100 >= Plan.allowanceBytes(terms) * percentage)?.limit ??
  null
