/**
 * How a call of a real telco fails, and what that is to the caller of the telco port. What an
 * adapter may do next depends on whether the telco may have done the work.
 */
import { Data, Effect } from "effect"
import { type Job, Telco } from "simplan/ports"
import type { JournalError } from "./Journal.ts"

/**
 * `Refused`: the telco has not done it and will not. `NotFound`: what the call is about is not
 * there. `NotDone`: the telco has certainly not done it, and may do it later: it has too many
 * calls, or was not asked at all. `Unknown`: no answer, or none that can be understood. The telco
 * may have done it, and may still do it.
 */
export type Outcome = "Refused" | "NotFound" | "NotDone" | "Unknown"

/** Why a purchase is refused. */
export type Refusal = Job.UnsoldReason

/** A call that failed; `outcome` says what may be done next. */
export class CallFailure extends Data.TaggedError("TelcoCalls.CallFailure")<{
  /** Whether the telco has done it, may have, or will not. */
  readonly outcome: Outcome
  /** What an operator reads. It contains no secret. */
  readonly message: string
  /** Absent: the telco does not say. */
  readonly retryAfterSeconds?: number
  /** Why a purchase is refused, if the outcome is `Refused` and the telco says so. */
  readonly reason?: Refusal
  /** Whether the telco itself said so. Calls without an answer open the circuit breaker. */
  readonly isAnswered?: boolean
  /** Whether the telco asks for fewer calls. All calls slow down after it. */
  readonly isOverloaded?: boolean
}> {}

/** The errors that calls of the port may fail with. */
export type TelcoFailure = Telco.Refused | Telco.Unavailable

/** `retryAfterSeconds` absent: the caller's own pauses. */
export const unavailable = (message: string, retryAfterSeconds?: number): Telco.Unavailable =>
  new Telco.Unavailable(retryAfterSeconds === undefined ? { message } : { message, retryAfterSeconds })

/**
 * Unavailable, and certainly not done: nothing has to be undone (rule S5). For calls of the port
 * that are one call.
 */
export const notDone = ({
  message,
  retryAfterSeconds
}: Pick<CallFailure, "message"> & { readonly retryAfterSeconds?: number }): Telco.Unavailable =>
  new Telco.Unavailable({ message, isDone: false, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })

/** Refused for good, or unavailable: not done, or unknown. */
export const toPort = ({ message, outcome, reason, retryAfterSeconds }: CallFailure): TelcoFailure =>
  outcome === "Refused" || outcome === "NotFound"
    ? new Telco.Refused(reason === undefined ? { message } : { message, reason })
    : unavailable(message, retryAfterSeconds)

/** Never a refusal: what the call was to do, or to undo, stays to be done. */
export const later = ({ message, retryAfterSeconds }: CallFailure): Telco.Unavailable =>
  unavailable(message, retryAfterSeconds)

/** Calls of a telco, failing as the port does. */
export const asPort = <A, R>(call: Effect.Effect<A, CallFailure, R>): Effect.Effect<A, TelcoFailure, R> =>
  Effect.mapError(call, toPort)

/** The journal, failing as the port does. */
export const ofJournal = <A, R>(call: Effect.Effect<A, JournalError, R>): Effect.Effect<A, Telco.Unavailable, R> =>
  Effect.mapError(call, ({ message }) => unavailable(message))

/**
 * A call about a SIM that is not there, if the account that is asked has bought it (`order`). An
 * account that has not is another one, as by a wrong key, and says nothing of the SIM.
 */
export const ofBuyer = <A, R>(
  call: Effect.Effect<A, CallFailure, R>,
  order: Effect.Effect<unknown, CallFailure, R>
): Effect.Effect<A, CallFailure, R> =>
  Effect.catchIf(
    call,
    ({ outcome }) => outcome === "NotFound",
    (missing) =>
      Effect.matchEffect(order, {
        onSuccess: () => Effect.fail(missing),
        onFailure: ({ message }) =>
          Effect.fail(
            new CallFailure({ outcome: "Unknown", message: `${missing.message}; and of its order: ${message}` })
          )
      })
  )

/** Leaves out that what the call was about is not there. */
export const unlessMissing = <R>(call: Effect.Effect<void, CallFailure, R>): Effect.Effect<void, CallFailure, R> =>
  Effect.catchIf(
    call,
    ({ outcome }) => outcome === "NotFound",
    () => Effect.void
  )
