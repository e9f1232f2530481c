/**
 * What a failed call, or a journal out of reach, is to the caller of the telco port.
 */
import { Effect } from "effect"
import { Telco } from "simplan/ports"
import type { CallFailure } from "./CallFailure.ts"
import type { JournalError } from "./Journal.ts"

/** The errors that calls of the port may fail with. */
export type TelcoFailure = Telco.Refused | Telco.Unavailable

/** `retryAfterSeconds` absent: the caller's own pauses. */
export const unavailable = (message: string, retryAfterSeconds?: number): Telco.Unavailable =>
  new Telco.Unavailable(retryAfterSeconds === undefined ? { message } : { message, retryAfterSeconds })

/** Unavailable, and certainly not done: nothing has to be undone (rule S5). For calls of the port that are one call. */
export const notDone = ({
  message,
  retryAfterSeconds
}: Pick<CallFailure, "message"> & { readonly retryAfterSeconds?: number }): Telco.Unavailable =>
  new Telco.Unavailable({ message, isDone: false, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })

/** Refused for good, or unavailable: not done, or unknown. */
export const of = ({ message, outcome, retryAfterSeconds }: CallFailure): TelcoFailure =>
  outcome === "Refused" || outcome === "NotFound"
    ? new Telco.Refused({ message })
    : unavailable(message, retryAfterSeconds)

/** Never a refusal: what the call was to do, or to undo, stays to be done. */
export const later = ({ message, retryAfterSeconds }: CallFailure): Telco.Unavailable =>
  unavailable(message, retryAfterSeconds)

/** Calls of a telco, failing as the port does. */
export const calls = <A, R>(call: Effect.Effect<A, CallFailure, R>): Effect.Effect<A, TelcoFailure, R> =>
  Effect.mapError(call, of)

/** The journal, failing as the port does. */
export const journal = <A, R>(call: Effect.Effect<A, JournalError, R>): Effect.Effect<A, Telco.Unavailable, R> =>
  Effect.mapError(call, ({ message }) => unavailable(message))

/** Leaves out that what the call was about is not there. */
export const unlessMissing = <R>(call: Effect.Effect<void, CallFailure, R>): Effect.Effect<void, CallFailure, R> =>
  Effect.catchIf(
    call,
    ({ outcome }) => outcome === "NotFound",
    () => Effect.void
  )
