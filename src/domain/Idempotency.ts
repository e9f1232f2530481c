/**
 * Idempotency keys (rule W2): the first final answer to a key is kept for 24 h and told again.
 *
 * The record is written in the request's first commit. Where the outcome still depends on a job it is `Pending`, and
 * that job's last commit settles or forgets it, so a crash leaves no key stuck.
 */
import type { Instant } from "./Time.ts"
import { DAY } from "./Time.ts"

/** How long an answer is told again. */
export const RETENTION = DAY

export type Outcome =
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Succeeded"; readonly value: unknown }
  /** A refusal: its tag and its fields. */
  | { readonly _tag: "Refused"; readonly refusal: string; readonly fields: Record<string, unknown> }

export interface IdempotencyRecord {
  readonly organizationId: string
  readonly key: string
  /** A digest of the method, the path and the body: what the key was first used with. */
  readonly fingerprint: string
  readonly createdAt: Instant
  /** Plain JSON. */
  readonly outcome: Outcome
}
