/**
 * Handlers of events in a host's own process (rule E2), known by name over all processes.
 *
 * What is due to a handler is stored as a delivery, as for an endpoint: the handler's name stands
 * in place of the endpoint's id. Deliveries of one handler about one SIM go one after the other, in
 * the order of their events: the next one waits until the one before is delivered or given up.
 */
import { Result } from "effect"
import { InvalidField } from "./Refusal.ts"
import type { Instant } from "./Time.ts"
import * as WebhookEndpoint from "./WebhookEndpoint.ts"
import * as WebhookEvent from "./WebhookEvent.ts"

/** A handler of events in hosts' processes, as the storage knows it (rule E2). */
export interface EventHandler {
  /** By which all processes know it: 1 to 100 letters, digits, dots, hyphens and underscores. */
  readonly name: string
  /** Each once. */
  readonly types: ReadonlyArray<WebhookEvent.FilterType>
  /** The organization whose events it takes; null for all. */
  readonly organizationId: string | null
  /** When it was first registered: it takes no event from before. */
  readonly createdAt: Instant
}

const NAME = /^[A-Za-z0-9._-]{1,100}$/

/**
 * A handler with this name; null and undefined for all organizations. Refuses a name and types that
 * are not allowed.
 */
export const make = (request: {
  readonly name: string
  readonly types: ReadonlyArray<string>
  readonly organizationId?: string | null | undefined
  readonly createdAt: Instant
}): Result.Result<EventHandler, InvalidField> => {
  const { createdAt, name, organizationId = null } = request
  if (!NAME.test(name)) {
    const message = "must be 1 to 100 letters, digits, dots, hyphens and underscores"
    return Result.fail(new InvalidField({ field: "name", message }))
  }
  return Result.mapBoth(WebhookEvent.typesOf(request.types), {
    onSuccess: (types) => ({ name, types, organizationId, createdAt }),
    onFailure: () =>
      new InvalidField({ field: "types", message: `must hold at least one of ${WebhookEvent.types.join(", ")}` })
  })
}

/** Whether both take the same events. */
export const takesTheSame = (one: EventHandler, other: EventHandler): boolean =>
  one.organizationId === other.organizationId &&
  one.types.length === other.types.length &&
  one.types.every((type) => other.types.includes(type))

/**
 * Rule E2: whether the event is delivered to the handler. One that is for a single endpoint is not.
 */
export const receives = (
  { organizationId, types }: EventHandler,
  event: Pick<WebhookEvent.WebhookEvent, "organizationId" | "payload">
): boolean =>
  WebhookEvent.onlyTo(event.payload) === null &&
  (organizationId === null || organizationId === event.organizationId) &&
  types.some((type) => type === event.payload.type)

/**
 * Rules E1 and E2: the types that an organization's endpoints name, and those of handlers for it or
 * for all. An endpoint counts if it is enabled, or if what it misses is kept (rule W7).
 */
export const namedTypes = (
  organizationId: string,
  endpoints: Iterable<WebhookEndpoint.WebhookEndpoint>,
  handlers: Iterable<EventHandler>
): ReadonlyArray<WebhookEvent.Type> => {
  const named = new Set<WebhookEvent.Type>()
  for (const endpoint of endpoints) {
    const counts = WebhookEndpoint.isEnabled(endpoint) || WebhookEndpoint.missesEvents(endpoint)
    if (counts) for (const type of endpoint.events ?? []) named.add(type)
  }
  for (const handler of handlers) {
    if (handler.organizationId === null || handler.organizationId === organizationId)
      for (const type of handler.types) named.add(type)
  }
  return [...named]
}

const PREFIX = "handler:"

/**
 * What stands in place of the endpoint's id in a delivery to the handler. No endpoint has such an
 * id.
 */
export const endpointId = (name: string): string => `${PREFIX}${name}`

/** The handler that a delivery is for; null for one to an endpoint. */
export const nameOf = (delivery: { readonly endpointId: string }): string | null =>
  delivery.endpointId.startsWith(PREFIX) ? delivery.endpointId.slice(PREFIX.length) : null

/** Why deliveries are given up when their handler is removed. */
export const REMOVED = "the handler was removed"
