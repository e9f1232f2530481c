/**
 * How a call of ES2+ fails.
 */
import { Data } from "effect"
import type { CallFailure } from "../telco-calls/index.ts"

/** Beside the outcomes of all telcos, `WrongState`: the profile's state, or that of its order, does not allow the call. */
export type Outcome = CallFailure.Outcome | "WrongState"

/** How a function of ES2+ fails. */
export class Failure extends Data.TaggedError("Es2plus.Failure")<{
  /** What may be done next depends on it. */
  readonly outcome: Outcome
  /** What an operator reads. It contains no secret. */
  readonly message: string
  /** Absent: the SM-DP+ does not say. */
  readonly retryAfterSeconds?: number
}> {}
