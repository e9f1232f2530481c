/**
 * Webhook endpoints, and the log of their deliveries.
 */
import type { CallOptions, InstantInput, PagedList, WriteOptions } from "./Calls.ts"
import type { EventType } from "./printed/Events.ts"
import type { OfOrganization } from "./printed/Organizations.ts"

/** Where an organization's events go. */
export interface WebhookEndpoint extends OfOrganization {
  /** The id, a UUID. */
  readonly endpointId: string
  /** The URL. */
  readonly url: string
  /** The types of events that it receives. */
  readonly events: ReadonlyArray<EventType>
  /** A text for people. */
  readonly description: string
  /** Whether it gets deliveries. */
  readonly enabled: boolean
  /** Who or what disabled it: its organization, a response of 410, or five days of failures (rule W7); null if enabled. */
  readonly disabledReason: "organization" | "gone" | "failing" | null
  /** When it was disabled; null if it is enabled. */
  readonly disabledAt: Date | null
  /** When it was created. */
  readonly createdAt: Date
  /** Rises with each change, and where its deliveries begin to fail or succeed again. */
  readonly version: number
}

/** An endpoint with its newest signing key. */
export interface WebhookEndpointWithKey extends WebhookEndpoint {
  /** `whsec_` and base64 of 32 random bytes (rule W6). Only the calls that make a key return it. */
  readonly signingKey: string
}

/** Names an endpoint. */
export interface OfEndpoint extends OfOrganization {
  /** The endpoint's id. */
  readonly endpointId: string
}

/** What a new endpoint is to be. */
export interface CreateWebhookEndpoint extends OfOrganization {
  /** An http or https URL of at most 2,048 characters, to an address and a port that are allowed. */
  readonly url: string
  /** The types of events that it receives, at least one; the standard ones where it is absent. */
  readonly events?: ReadonlyArray<EventType> | undefined
  /** A text for people, at most 255 characters; empty by default. */
  readonly description?: string | undefined
}

/** Changes of an endpoint. Absent fields stay as they are. */
export interface UpdateWebhookEndpoint extends OfEndpoint {
  /** An http or https URL of at most 2,048 characters, to an address and a port that are allowed. */
  readonly url?: string | undefined
  /** The types of events that it receives; null for the standard ones. */
  readonly events?: ReadonlyArray<EventType> | null | undefined
  /** A text for people, at most 255 characters. */
  readonly description?: string | undefined
  /** True enables it, whatever disabled it. */
  readonly enabled?: boolean | undefined
  /** The version that it is of (rule W16): where another one is there, it is refused. Absent: of whichever is there. */
  readonly ifVersion?: number | undefined
}

/** What became of a delivery so far. */
export type DeliveryStatus = "pending" | "delivered" | "failed"

/** An event on its way to an endpoint. */
export interface Delivery extends OfOrganization {
  /** `<event id>:<endpoint id>`. */
  readonly deliveryId: string
  /** The endpoint. */
  readonly endpointId: string
  /** What became of it so far. */
  readonly status: DeliveryStatus
  /** How many attempts were made. */
  readonly attempts: number
  /** The status of the last response; null if there was none. */
  readonly responseStatus: number | null
  /** Why the last attempt failed, for people; null if it did not. */
  readonly lastError: string | null
  /** When the last attempt was made; null before the first. */
  readonly lastAttemptAt: Date | null
  /** When the next attempt is due; null if there is none. */
  readonly nextAttemptAt: Date | null
  /** When it was made. */
  readonly createdAt: Date
  /** The event, with the data of its webhook body (rule W5). */
  readonly event: {
    readonly eventId: string
    readonly type: EventType | "endpoint.test"
    readonly createdAt: Date
    readonly data: Readonly<Record<string, unknown>>
  }
}

/** An attempt of a delivery. */
export interface DeliveryAttempt {
  /** Its number, from 1. */
  readonly number: number
  /** When it was made. */
  readonly at: Date
  /** How long the response took, in milliseconds; null where it was not measured. */
  readonly durationMillis: number | null
  /** The status of the response; null if there was none. */
  readonly responseStatus: number | null
  /** Why it failed, for people; null if it did not. */
  readonly error: string | null
  /** The first 1,024 bytes of the response's body; null if there was no response. */
  readonly responseBody: string | null
}

/** A delivery with its attempts. */
export interface DeliveryWithAttempts extends Delivery {
  /** The last 100, newest first. */
  readonly attemptLog: ReadonlyArray<DeliveryAttempt>
}

/** Which deliveries are meant. An absent field filters nothing. */
export interface DeliveryFilter extends OfOrganization {
  /** Only those with this status. */
  readonly status?: DeliveryStatus | undefined
  /** Only those of events of this type. */
  readonly type?: EventType | "endpoint.test" | undefined
  /** Only those to this endpoint. */
  readonly endpointId?: string | undefined
  /** Only those of events about this SIM. */
  readonly iccid?: string | undefined
  /** Only those made at this instant or later. */
  readonly from?: InstantInput | undefined
  /** Only those made before this instant. */
  readonly to?: InstantInput | undefined
}

/** Names a delivery. */
export interface OfDelivery extends OfOrganization {
  /** The delivery's id. */
  readonly deliveryId: string
}

/** Webhook endpoints of an organization, and the log of their deliveries (rules W5 to W7). */
export interface Webhooks {
  /** Makes an endpoint. Errors: `InvalidFieldError`, `NotFoundError`, `QuotaExceededError`. */
  readonly create: (request: CreateWebhookEndpoint, options?: WriteOptions) => Promise<WebhookEndpointWithKey>
  /** All endpoints of an organization, oldest first. */
  readonly list: (of: OfOrganization, options?: CallOptions) => PagedList<WebhookEndpoint>
  /** Changes an endpoint. Errors: `InvalidFieldError`, `NotFoundError`, `ChangedMeanwhileError`. */
  readonly update: (request: UpdateWebhookEndpoint, options?: WriteOptions) => Promise<WebhookEndpoint>
  /** Deletes an endpoint. Its deliveries stay in the log. Errors: `NotFoundError`. */
  readonly remove: (of: OfEndpoint, options?: WriteOptions) => Promise<void>
  /** Adds a new signing key; the one before stays valid for 24 h (rule W6). Errors: `NotFoundError`. */
  readonly rotateKey: (of: OfEndpoint, options?: WriteOptions) => Promise<WebhookEndpointWithKey>
  /** Sends an `endpoint.test` event to this endpoint. Errors: `NotFoundError`, `EndpointDisabledError`. */
  readonly test: (of: OfEndpoint, options?: WriteOptions) => Promise<void>
  /** The log of deliveries, newest first; it is kept 30 days (rule W12). */
  readonly deliveries: (of: DeliveryFilter, options?: CallOptions) => PagedList<Delivery>
  /** Reads a delivery with its attempts. Errors: `NotFoundError`. */
  readonly delivery: (of: OfDelivery, options?: CallOptions) => Promise<DeliveryWithAttempts>
  /** Sends the event again, now, with a new retry schedule. Errors: `NotFoundError`. */
  readonly replay: (of: OfDelivery, options?: WriteOptions) => Promise<Delivery>
  /**
   * Sends the events of all deliveries that the filter takes once more, newest first, and returns how many; those under
   * way are left alone. It stops after 10,000: `next` is then where to go on with `after`, else null.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`, `EndpointDisabledError`.
   */
  readonly replayAll: (
    of: DeliveryFilter & { readonly after?: string | null | undefined },
    options?: WriteOptions
  ) => Promise<{ readonly replayed: number; readonly next: string | null }>
}
