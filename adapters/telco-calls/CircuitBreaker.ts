/**
 * Keeps calls from a telco that does not answer: a state machine, without a clock of its own.
 *
 * Closed, until several calls in a row were not answered. Then open: no call is made for a while. After that half-open:
 * one call tries whether the telco answers. Its answer closes the breaker; otherwise it opens for twice as long.
 *
 * Times are machine time, in milliseconds.
 */
import { Result } from "effect"

export interface Limits {
  /** How many calls in a row are not answered before the breaker opens. */
  readonly failures: number
  /** How long the breaker stays open at first, and at most. */
  readonly openFor: { readonly first: number; readonly most: number }
}

export type State =
  | { readonly _tag: "Closed"; readonly failures: number }
  | { readonly _tag: "Open"; readonly until: number; readonly openFor: number }
  | { readonly _tag: "HalfOpen"; readonly openFor: number }

export const initial: State = { _tag: "Closed", failures: 0 }

const open = (now: number, openFor: number): State => ({ _tag: "Open", until: now + openFor, openFor })

/** Whether a call may be made now. Fails with the seconds to wait, at least 1. */
export const admit = (state: State, now: number): Result.Result<State, number> => {
  switch (state._tag) {
    case "Closed":
      return Result.succeed(state)
    case "HalfOpen":
      return Result.fail(1)
    case "Open":
      return state.until <= now
        ? Result.succeed({ _tag: "HalfOpen", openFor: state.openFor })
        : Result.fail(Math.max(1, Math.ceil((state.until - now) / 1_000)))
  }
}

/** The telco has answered a call, whatever the answer was. */
export const answered: State = initial

/** The telco has not answered a call. A call from before the breaker opened changes nothing. */
export const unanswered = (limits: Limits, state: State, now: number): State => {
  switch (state._tag) {
    case "Closed": {
      const failures = state.failures + 1
      return failures < limits.failures ? { _tag: "Closed", failures } : open(now, limits.openFor.first)
    }
    case "HalfOpen":
      return open(now, Math.min(2 * state.openFor, limits.openFor.most))
    case "Open":
      return state
  }
}

/** A call was given up before it told anything: where it was the one that tries, the next call does. */
export const abandoned = (state: State, now: number): State =>
  state._tag === "HalfOpen" ? { _tag: "Open", until: now, openFor: state.openFor } : state
