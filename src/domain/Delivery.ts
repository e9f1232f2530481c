/**
 * Webhook deliveries and their ladder of retries (rule W7).
 */
import type { Instant } from "./Time.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"
import type { WebhookEvent } from "./WebhookEvent.ts"

export const statuses = ["Pending", "Delivered", "Failed"] as const

export type Status = (typeof statuses)[number]

export interface Delivery {
  readonly organizationId: string
  /** `<event id>:<endpoint id>`: an event goes to an endpoint once. */
  readonly deliveryId: string
  readonly eventId: string
  readonly endpointId: string
  readonly status: Status
  /** How many attempts were made, replays included. */
  readonly attempts: number
  /** The rung of the ladder: attempts since the delivery was written or last replayed. */
  readonly rung: number
  /** Status of the last response; null where there was none. */
  readonly responseStatus: number | null
  /** Why the last attempt failed, for a person to read; null where it did not. */
  readonly lastError: string | null
  readonly lastAttemptAt: Instant | null
  /** Null once it is delivered or given up. */
  readonly nextAttemptAt: Instant | null
  readonly createdAt: Instant
}

export const deliveryId = (eventId: string, endpointId: string): string => `${eventId}:${endpointId}`

/** A delivery with all that an attempt needs. */
export interface DueDelivery {
  readonly delivery: Delivery
  readonly event: WebhookEvent
  readonly endpoint: WebhookEndpoint
}

/** A delivery and its event, as the delivery log shows it. */
export interface LoggedDelivery {
  readonly delivery: Delivery
  readonly event: WebhookEvent
}
