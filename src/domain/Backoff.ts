/**
 * When to call an unavailable telco again (rules S5, T5 and T7).
 */
import type { Instant } from "./Time.ts"
import { HOUR, MINUTE, SECOND } from "./Time.ts"

const steps = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR] as const

/**
 * When to try again after `attempts` failed tries (at least 1). The first wait is 5 s; from the
 * sixth on, each is 1 h.
 */
export const nextTry = (attempts: number, now: Instant): Instant =>
  now + (steps[Math.min(attempts, steps.length) - 1] ?? HOUR)
