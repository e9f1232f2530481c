/**
 * What callers have used of their rate limits, told among the processes of a service, so that a limit holds over all of
 * them together (rule W10).
 *
 * The default is for a process that is alone: what is told reaches nobody. An adapter whose storage several processes
 * share provides this reference beside its ports. Usage is told at most once, and may be lost with a connection: then a
 * limit is looser for that moment.
 */
import { Context, Effect, type Scope } from "effect"

/** Usage that a process tells: in units of the limit, since it last told of this caller. */
export interface Usage {
  /** Which limit, such as `requests`. */
  readonly limit: string
  /** Who is limited: an API key's id, or an address. */
  readonly caller: string
  /** In units of the limit, above 0. */
  readonly cost: number
}

/** Tells and hears usage among processes. It never fails: what cannot be told is lost. */
export interface RateLimitUsage {
  /** Tells the other processes, soon. Several tellings may arrive as one. */
  readonly tell: (usage: Usage) => void
  /** Hears what other processes tell, never what this one does, until the scope ends. */
  readonly watch: (hear: (usage: Usage) => void) => Effect.Effect<void, never, Scope.Scope>
}

/** Tells and hears usage among processes. It never fails: what cannot be told is lost. */
export const RateLimitUsage = Context.Reference<RateLimitUsage>("simplan/RateLimitUsage", {
  defaultValue: () => ({ tell: () => {}, watch: () => Effect.void })
})
