/**
 * Idempotency keys (rule W2): the first final answer to a key is kept for 24 h and told again.
 *
 * The record is written in the request's first commit. Where the outcome still depends on a job it is `Pending`, and
 * that job's last commit settles or forgets it, so a crash leaves no key stuck.
 */
import type { MobilePlanStatus } from "./MobilePlan.ts"
import type { Plan } from "./Plan.ts"
import type { Plain } from "./Refusal.ts"
import type { Region } from "./Region.ts"
import type { Created } from "./Subscription.ts"
import type { Instant } from "./Time.ts"
import { DAY } from "./Time.ts"

/** How long an answer is told again. */
export const RETENTION = DAY

/** What requests are answered with, by kind of answer: plain values, kept as they are and told again. */
export interface Answers {
  readonly Done: null
  readonly Plan: Plan
  readonly Region: Region
  readonly Created: Created
  readonly MobilePlan: MobilePlanStatus
}

export type Answer = {
  readonly [Kind in keyof Answers]: { readonly kind: Kind; readonly value: Answers[Kind] }
}[keyof Answers]

/** How a kind of answer is kept and told again. */
export interface Kind<A> {
  readonly keep: (value: A) => Answer
  /** Undefined where the answer is of another kind. */
  readonly tell: (answer: Answer) => { readonly value: A } | undefined
}

export const kinds: { readonly [Name in keyof Answers]: Kind<Answers[Name]> } = {
  Done: {
    keep: (value) => ({ kind: "Done", value }),
    tell: (answer) => (answer.kind === "Done" ? answer : undefined)
  },
  Plan: {
    keep: (value) => ({ kind: "Plan", value }),
    tell: (answer) => (answer.kind === "Plan" ? answer : undefined)
  },
  Region: {
    keep: (value) => ({ kind: "Region", value }),
    tell: (answer) => (answer.kind === "Region" ? answer : undefined)
  },
  Created: {
    keep: (value) => ({ kind: "Created", value }),
    tell: (answer) => (answer.kind === "Created" ? answer : undefined)
  },
  MobilePlan: {
    keep: (value) => ({ kind: "MobilePlan", value }),
    tell: (answer) => (answer.kind === "MobilePlan" ? answer : undefined)
  }
}

export type Outcome =
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Succeeded"; readonly answer: Answer }
  | { readonly _tag: "Refused"; readonly refusal: Plain }

export interface IdempotencyRecord {
  readonly organizationId: string
  readonly key: string
  /** A digest of the method, the path and the body: what the key was first used with. */
  readonly fingerprint: string
  readonly createdAt: Instant
  readonly outcome: Outcome
}
