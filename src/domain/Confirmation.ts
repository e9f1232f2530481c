/**
 * How far the telco is with what was committed here and is asked of it by a job: a suspension
 * (rule T7), a pause (rule S7), a release (rule S3).
 */
import type { Job } from "./Job.ts"
import type { Instant } from "./Time.ts"

/** What the telco has said. */
export type Confirmation =
  /** It has done it. */
  | { readonly _tag: "Confirmed" }
  /** It is being asked. */
  | { readonly _tag: "Asked" }
  /** It has not taken it, and is asked again. */
  | { readonly _tag: "Waits"; readonly since: Instant; readonly nextTryAt: Instant }
  /** It refuses it for good, which is among the problems (rule S6). */
  | { readonly _tag: "Refused"; readonly said: string }

/** Nothing is left to be done. */
export const confirmed: Confirmation = { _tag: "Confirmed" }

/** How far it is by its job; null: the job is done. */
export const of = (job: Pick<Job, "dueAt" | "endedAt" | "refused" | "waiting"> | null): Confirmation => {
  if (job === null) return confirmed
  const { dueAt: nextTryAt, endedAt, refused, waiting } = job
  if (endedAt !== null) return { _tag: "Refused", said: refused?.message ?? "" }
  return waiting === null ? { _tag: "Asked" } : { _tag: "Waits", since: waiting.since, nextTryAt }
}
