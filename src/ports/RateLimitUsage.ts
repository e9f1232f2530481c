/**
 * What callers have used of their rate limits and what they have under way, told among the processes of a service, so that
 * limits hold over all of them together (rule W10).
 *
 * The default is for a process that is alone: what is told reaches nobody. An adapter whose storage several processes
 * share provides this reference beside its ports. Usage is told at most once, and may be lost with a connection: then a
 * limit is looser for that moment.
 */
import { Context, Effect, type Scope } from "effect"

/** Usage that a process tells: in units of the limit, since it last told of this caller. */
export interface Usage {
  /** Which limit, such as `requests` or `sms`. */
  readonly limit: string
  /** Who or what is limited: an API key's id, an address, or an organization's SIM. */
  readonly caller: string
  /** In units of the limit, above 0. */
  readonly cost: number
}

/** What a caller has under way in a process at the moment: absolute numbers, which replace those told before. */
export interface UnderWay {
  /** Whose it is: an API key's id, or what names an organization. */
  readonly caller: string
  /** The requests under way. */
  readonly requests: number
  /** The streamed answers under way. */
  readonly streams: number
}

/** Tells and hears usage among processes. It never fails: what cannot be told is lost. */
export interface RateLimitUsage {
  /** Tells the other processes, soon. Several tellings may arrive as one. */
  readonly tell: (usage: Usage) => void
  /** Hears what other processes tell, never what this one does, until the scope ends. */
  readonly watch: (hear: (usage: Usage) => void) => Effect.Effect<void, never, Scope.Scope>
  /** Tells the other processes, soon, what a caller has under way in this one. The last of several tellings arrives. */
  readonly tellUnderWay: (underWay: UnderWay) => void
  /**
   * Hears what callers have under way in other processes, never in this one, until the scope ends. `from` names the process
   * that tells: it has the same name as long as it runs, and no other process has it.
   */
  readonly watchUnderWay: (hear: (underWay: UnderWay, from: string) => void) => Effect.Effect<void, never, Scope.Scope>
}

/** Tells and hears usage among processes. It never fails: what cannot be told is lost. */
export const RateLimitUsage = Context.Reference<RateLimitUsage>("simplan/RateLimitUsage", {
  defaultValue: () => ({
    tell: () => {},
    watch: () => Effect.void,
    tellUnderWay: () => {},
    watchUnderWay: () => Effect.void
  })
})
