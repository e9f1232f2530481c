/**
 * Webhook endpoints, and the log of their deliveries.
 */
import type { CallOptions, InstantInput, PagedList, WriteOptions } from "./Calls.ts"
import type { EventType } from "./printed/Events.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type {
  CreateWebhookEndpoint,
  Delivery,
  DeliveryStatus,
  DeliveryWithAttempts,
  ListedWebhookEndpoint,
  OfDelivery,
  OfWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSigningKey
} from "./printed/Webhooks.ts"

export type * from "./printed/Webhooks.ts"

/** Which deliveries are meant. An absent field filters nothing. */
export interface DeliveryFilter extends OfOrganization {
  /** Only those with this status. */
  readonly status?: DeliveryStatus | undefined
  /** Only those of events of this type. */
  readonly type?: EventType | "endpoint.test" | undefined
  /** Only those to this endpoint. */
  readonly webhookEndpointId?: string | undefined
  /** Only those of events about this SIM. */
  readonly iccid?: string | undefined
  /** Only those made at this instant or later. */
  readonly from?: InstantInput | undefined
  /** Only those made before this instant. */
  readonly to?: InstantInput | undefined
}

/** Webhook endpoints of an organization, and the log of their deliveries (rules W5 to W7). */
export interface Webhooks {
  /** Makes an endpoint. Errors: `InvalidFieldError`, `NotFoundError`, `QuotaExceededError`. */
  readonly create: (request: CreateWebhookEndpoint, options?: WriteOptions) => Promise<WebhookEndpointWithSigningKey>
  /** All endpoints of an organization, oldest first. */
  readonly list: (of: OfOrganization, options?: CallOptions) => PagedList<ListedWebhookEndpoint>
  /** Changes an endpoint. Errors: `InvalidFieldError`, `NotFoundError`, `ChangedMeanwhileError`. */
  readonly update: (request: UpdateWebhookEndpoint, options?: WriteOptions) => Promise<WebhookEndpoint>
  /** Deletes an endpoint. Its deliveries stay in the log. Errors: `NotFoundError`. */
  readonly remove: (of: OfWebhookEndpoint, options?: WriteOptions) => Promise<void>
  /** Adds a new signing key; the one before stays valid for 24 h (rule W6). Errors: `NotFoundError`. */
  readonly rotateKey: (of: OfWebhookEndpoint, options?: WriteOptions) => Promise<WebhookEndpointWithSigningKey>
  /** Sends an `endpoint.test` event to this endpoint. Errors: `NotFoundError`, `EndpointDisabledError`. */
  readonly test: (of: OfWebhookEndpoint, options?: WriteOptions) => Promise<void>
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
