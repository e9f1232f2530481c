/**
 * Listening to the calls that a simulated service makes to its telco: what was asked, when, and what came of it.
 */
import { Cause, Effect, Exit } from "effect"
import type { Time } from "simplan"
import { Telco } from "simplan/ports"

export type Kind = Telco.Change

/** `no answer`: the caller gave up; the telco may have done the work, as it may have where it was unavailable. */
export type Outcome = "done" | "refused" | "unavailable" | "no answer"

export interface Call {
  readonly at: Time.Instant
  readonly kind: Kind
  /** What the call is idempotent by: the package's id, the message's, or a key. */
  readonly key: string
  readonly iccid: string
  readonly outcome: Outcome
}

export type Listener = (call: Call) => void

type Answer = Exit.Exit<unknown, Telco.Refused | Telco.Unavailable>

const outcome = (answer: Answer): Outcome => {
  if (Exit.isSuccess(answer)) return "done"
  const error = Cause.findErrorOption(answer.cause)
  if (error._tag === "None") return "no answer"
  return error.value._tag === "Telco.Refused" ? "refused" : "unavailable"
}

/** The telco, with every call that changes something passed to the listener as soon as it is over. */
export const observed = (
  telco: Telco.Telco["Service"],
  now: Effect.Effect<Time.Instant>,
  listener: Listener
): Telco.Telco["Service"] => ({
  ...telco,
  ...Telco.dispatch(({ iccid, key, operation: kind }, call) =>
    Effect.flatMap(now, (at) =>
      Effect.onExit(call(telco), (answer) =>
        Effect.sync(() => listener({ at, kind, key, iccid, outcome: outcome(answer) }))
      )
    )
  )
})
