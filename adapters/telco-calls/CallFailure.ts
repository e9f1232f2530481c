/**
 * How a call of a real telco fails. What an adapter may do next depends on whether the telco may have done the work.
 */
import { Data } from "effect"

/**
 * `Refused`: the telco has not done it and will not.
 * `NotFound`: what the call is about is not there.
 * `NotDone`: the telco has certainly not done it, and may do it later: it has too many calls, or was not asked at all.
 * `Unknown`: no answer, or none that can be understood. The telco may have done it, and may still do it.
 */
export type Outcome = "Refused" | "NotFound" | "NotDone" | "Unknown"

/** A call that failed; `outcome` says what may be done next. */
export class CallFailure extends Data.TaggedError("TelcoCalls.CallFailure")<{
  /** Whether the telco has done it, may have, or will not. */
  readonly outcome: Outcome
  /** What an operator reads. It contains no secret. */
  readonly message: string
  /** Absent: the telco does not say. */
  readonly retryAfterSeconds?: number
  /** Whether the telco itself said so. Calls without an answer open the circuit breaker. */
  readonly isAnswered?: boolean
  /** Whether the telco asks for fewer calls. All calls slow down after it. */
  readonly isOverloaded?: boolean
}> {}
