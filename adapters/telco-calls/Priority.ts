/**
 * Which calls go first, where a telco allows few.
 */
import { Context, Effect } from "effect"

/** `order`: somebody waits for it. `poll`: it takes what the orders leave. */
export type Priority = "order" | "poll"

/** The priority of the calls that an effect makes; `order` if nothing is said. */
export const Priority = Context.Reference<Priority>("simplan/TelcoCalls/Priority", { defaultValue: () => "order" })

/** Makes the calls of an effect give way to orders. */
export const asPoll = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Priority, "poll")
