/**
 * How long to wait before asking an unavailable telco again.
 */
import type { Instant } from "./Time.ts"
import { HOUR, MINUTE, SECOND } from "./Time.ts"

const steps = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR] as const

/** When to try again after `attempts` failed ones (at least 1): soon at first, then hourly for as long as it takes. */
export const nextTry = (attempts: number, now: Instant): Instant =>
  now + (steps[Math.min(attempts, steps.length) - 1] ?? HOUR)
