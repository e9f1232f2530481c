/**
 * Keeps calls from a telco that does not answer: a state machine, without a clock of its own.
 *
 * Closed, until several calls in a row were not answered. Then open: no call is made for a while.
 * After that half-open: one call tries whether the telco answers. Its answer closes the breaker;
 * otherwise it opens for twice as long.
 *
 * Each organization has a breaker of its own beside the one of the telco (rule W13): what no answer
 * comes to may be the fault of what one organization asks for. The telco's opens after calls of at
 * least two of them, or of the service itself, in a row.
 *
 * The breaker of `effect/persistence` is no replacement: it goes by the wall clock, which may be
 * set (rule W13), and each of its circuits knows only its own calls.
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

/**
 * A call was given up before it had an outcome: if it was the one that tries, the next call
 * does.
 */
export const abandoned = (state: State, now: number): State =>
  state._tag === "HalfOpen" ? { _tag: "Open", until: now, openFor: state.openFor } : state

/** The breaker of a telco, and those of organizations that have calls without an answer. */
export interface Breakers {
  /** What holds for all. */
  readonly telco: State
  readonly of: ReadonlyMap<string, State>
  /** Whose calls were not answered since the last answer, and how many these are. */
  readonly silence: { readonly calls: number; readonly organizations: ReadonlySet<string> }
}

const quiet: Breakers["silence"] = { calls: 0, organizations: new Set() }

export const closed: Breakers = { telco: initial, of: new Map(), silence: quiet }

/** The organization id of calls that the service makes for itself. */
export const OWN = ""

const withState = (breakers: Breakers, organizationId: string, state: State): Breakers => {
  if (organizationId === OWN) return breakers
  const states = new Map(breakers.of)
  if (state._tag === "Closed" && state.failures === 0) states.delete(organizationId)
  else states.set(organizationId, state)
  return { ...breakers, of: states }
}

const ofOrganization = ({ of }: Breakers, organizationId: string): State => of.get(organizationId) ?? initial

/** Whether the organization's call may be made now. Fails with the seconds to wait, at least 1. */
export const admitOf = (breakers: Breakers, organizationId: string, now: number): Result.Result<Breakers, number> => {
  const own = admit(ofOrganization(breakers, organizationId), now)
  const telco = admit(breakers.telco, now)
  if (Result.isFailure(own) || Result.isFailure(telco)) {
    const seconds = (result: Result.Result<State, number>) => (Result.isFailure(result) ? result.failure : 0)
    return Result.fail(Math.max(seconds(own), seconds(telco)))
  }
  return Result.succeed(withState({ ...breakers, telco: telco.success }, organizationId, own.success))
}

/** The telco has answered a call of the organization. */
export const answeredTo = (breakers: Breakers, organizationId: string): Breakers =>
  breakers.telco === initial && breakers.silence === quiet && !breakers.of.has(organizationId)
    ? breakers
    : withState({ ...breakers, telco: initial, silence: quiet }, organizationId, initial)

/** The telco has not answered a call of the organization. */
export const unansweredTo = (limits: Limits, breakers: Breakers, organizationId: string, now: number): Breakers => {
  const { silence, telco } = breakers
  const organizations = new Set(silence.organizations).add(organizationId)
  const calls = silence.calls + 1
  const isTelcos = organizations.has(OWN) || organizations.size > 1
  const next =
    telco._tag !== "Closed"
      ? unanswered(limits, telco, now)
      : isTelcos && calls >= limits.failures
        ? open(now, limits.openFor.first)
        : telco
  const own = unanswered(limits, ofOrganization(breakers, organizationId), now)
  return withState({ ...breakers, telco: next, silence: { calls, organizations } }, organizationId, own)
}

/** A call of the organization was given up before it had an outcome. */
export const abandonedBy = (breakers: Breakers, organizationId: string, now: number): Breakers =>
  withState(
    { ...breakers, telco: abandoned(breakers.telco, now) },
    organizationId,
    abandoned(ofOrganization(breakers, organizationId), now)
  )

const order = ["Closed", "HalfOpen", "Open"] as const

/** The most that any of the breakers holds back, for metrics. */
export const worst = ({ of, telco }: Breakers): State => {
  let found = telco
  for (const state of of.values()) if (order.indexOf(state._tag) > order.indexOf(found._tag)) found = state
  return found
}
