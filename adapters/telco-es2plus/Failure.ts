/**
 * How a call of ES2+ fails.
 */
import { Data } from "effect"
import type { CallFailure } from "../telco-calls/index.ts"

/** Beside the outcomes of all telcos, `WrongState`: the profile's state, or that of its order, does not allow the call. */
export type Outcome = CallFailure.Outcome | "WrongState"

export class Failure extends Data.TaggedError("Es2plus.Failure")<{
  readonly outcome: Outcome
  /** What an operator reads. It contains no secret. */
  readonly message: string
  readonly retryAfterSeconds?: number
}> {}
