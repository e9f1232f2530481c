/**
 * What callers have used of their rate limits and what they have under way, shared among the
 * processes of a service, so that limits hold over all of them together (rule W10).
 *
 * The default is for a process that is alone: what is published reaches no other process. An
 * adapter whose storage several processes share provides this reference beside its ports. Usage is
 * published at most once, and may be lost with a connection: then a limit is looser for that
 * moment.
 */
import { Context, Effect, type Scope } from "effect"

/**
 * Usage that a process publishes: in units of the limit, since it last published that of this
 * caller.
 */
export interface Usage {
  /** Which limit, such as `requests` or `sms`. */
  readonly limit: string
  /** Who or what is limited: an API key's id, an address, or an organization's SIM. */
  readonly caller: string
  /** In units of the limit, above 0. */
  readonly cost: number
}

/**
 * What a caller has under way in a process at the moment: absolute numbers, which replace those
 * published before.
 */
export interface UnderWay {
  /** Whose it is: an API key's id, or what names an organization. */
  readonly caller: string
  /** The requests under way. */
  readonly requests: number
  /** The streamed answers under way. */
  readonly streams: number
}

/**
 * Publishes usage among processes and delivers that of others. It never fails: what cannot be sent
 * is lost.
 */
export interface RateLimitUsage {
  /** Publishes to the other processes, soon. Several publications may arrive as one. */
  readonly publish: (usage: Usage) => void
  /**
   * Subscribes to what other processes publish, never to what this one does, until the scope ends.
   */
  readonly watch: (listener: (usage: Usage) => void) => Effect.Effect<void, never, Scope.Scope>
  /**
   * Publishes to the other processes, soon, what a caller has under way in this one. The last of
   * several publications arrives.
   */
  readonly publishInFlight: (underWay: UnderWay) => void
  /**
   * Subscribes to what callers have under way in other processes, never in this one, until the
   * scope ends. `from` names the process that publishes: it has the same name as long as it runs,
   * and no other process has it.
   */
  readonly watchInFlight: (
    listener: (underWay: UnderWay, from: string) => void
  ) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Publishes usage among processes and delivers that of others. It never fails: what cannot be sent
 * is lost.
 */
export const RateLimitUsage = Context.Reference<RateLimitUsage>("simplan/RateLimitUsage", {
  defaultValue: () => ({
    publish: () => {},
    watch: () => Effect.void,
    publishInFlight: () => {},
    watchInFlight: () => Effect.void
  })
})
