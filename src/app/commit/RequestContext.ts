/**
 * Which request the running fiber serves (rule W11). The edge that takes requests sets it: the HTTP API does, and a host
 * that embeds the services can. It changes nothing that a use case does; it lets logs and records name where a change
 * came from.
 */
import { Context } from "effect"

/** What is known of the request that the fiber serves. */
export interface RequestContext {
  /** The id under which answers, logs and records name the request; null without a request. */
  readonly requestId: string | null
  /** The caller's network address; null where it is unknown. */
  readonly address: string | null
  /** Who asks, as `Origin.actor` in audit entries has it; `host` by default. */
  readonly actor?: string
}

const none: RequestContext = { requestId: null, address: null }

/** The request that the running fiber serves: `Effect.provideService(useCase, RequestContext.Current, request)`. */
export const Current = Context.Reference<RequestContext>("simplan/RequestContext/Current", {
  defaultValue: () => none
})
