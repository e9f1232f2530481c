/**
 * Webhook endpoints, and the log of their deliveries.
 */
import type { CallOptions, PagedList, WriteOptions } from "./Calls.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type {
  CreateWebhookEndpoint,
  Delivery,
  DeliveryFilter,
  DeliveryWithAttempts,
  ListedWebhookEndpoint,
  OfDelivery,
  OfWebhookEndpoint,
  ReplayDeliveries,
  ReplayedDeliveries,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSigningKey
} from "./printed/Webhooks.ts"

export type * from "./printed/Webhooks.ts"

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
  /**
   * Adds a new signing key; the one before stays valid for 24 h (rule W6). Errors: `NotFoundError`.
   */
  readonly rotateKey: (of: OfWebhookEndpoint, options?: WriteOptions) => Promise<WebhookEndpointWithSigningKey>
  /**
   * Sends an `endpoint.test` event to this endpoint. Errors: `NotFoundError`,
   * `EndpointDisabledError`.
   */
  readonly test: (of: OfWebhookEndpoint, options?: WriteOptions) => Promise<void>
  /** The log of deliveries, newest first; it is kept 30 days (rule W12). */
  readonly deliveries: (of: DeliveryFilter, options?: CallOptions) => PagedList<Delivery>
  /** Reads a delivery with its attempts. Errors: `NotFoundError`. */
  readonly delivery: (of: OfDelivery, options?: CallOptions) => Promise<DeliveryWithAttempts>
  /** Sends the event again, now, with a new retry schedule. Errors: `NotFoundError`. */
  readonly replay: (of: OfDelivery, options?: WriteOptions) => Promise<Delivery>
  /**
   * Sends the events of all deliveries that the filter takes once more, newest first, and returns
   * how many; those under way are left alone. It stops after 10,000: `next` is then where to go on
   * with `after`, else null.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`, `EndpointDisabledError`.
   */
  readonly replayAll: (of: ReplayDeliveries, options?: WriteOptions) => Promise<ReplayedDeliveries>
}
