/**
 * Turns of work that go on beside the calls of the port, each with the pause that it asks for. All
 * calls of theirs give way to orders. A failure ends nothing: the next turn goes on.
 */
import { Effect } from "effect"
import { RequestContext } from "simplan"
import { Time } from "simplan/ports"
import * as CallGate from "../CallGate.ts"

/** How long a turn waits if nothing is due, in milliseconds. */
export const IDLE = Time.SECOND

/** How long a turn waits if nothing works, in milliseconds. */
export const STUCK = 5 * Time.SECOND

/**
 * How many turns of each work a share has.
 */
const SHARE = 5

/** A turn: how long to wait before the next one, in milliseconds; 0 if more may be due now. */
export type Turn<R> = Effect.Effect<number, never, R>

/** A turn of work that may fail. */
export const turn = <R>(what: string, work: Effect.Effect<number, { readonly message: string }, R>): Turn<R> =>
  // Failure: the next turn.
  work.pipe(
    Effect.catch(({ message }) => Effect.as(Effect.logWarning(`${what} waits: ${message}`), STUCK)),
    Effect.catchDefect((defect) => Effect.as(Effect.logError(`${what} has failed`, defect), STUCK))
  )

/** The audit entries of what follows say that the telco has reported it (rule W11). */
export const asTelco = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(RequestContext.Current, (current) =>
    Effect.provideService(effect, RequestContext.Current, { ...current, actor: "telco" })
  )

const each = <R>(turns: ReadonlyArray<Turn<R>>, repeat: (turn: Turn<R>) => Effect.Effect<void, never, R>) =>
  Effect.all(turns.map(repeat), { concurrency: "unbounded", discard: true }).pipe(CallGate.asPoll, asTelco)

/** Takes the turns until it is interrupted. */
export const forever = <R>(turns: ReadonlyArray<Turn<R>>): Effect.Effect<never, never, R> =>
  each(turns, (one) =>
    Effect.forever(Effect.flatMap(one, (millis) => (millis === 0 ? Effect.yieldNow : Effect.sleep(millis))))
  ).pipe(Effect.andThen(Effect.never))

/** Does what is due now, in a bounded number of turns each. */
export const drain = <R>(turns: ReadonlyArray<Turn<R>>): Effect.Effect<void, never, R> =>
  each(turns, (one) => Effect.asVoid(Effect.repeat(one, { while: (millis) => millis === 0, times: SHARE - 1 })))
