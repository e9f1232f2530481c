/**
 * The storage port's reads of the webhook delivery log.
 */
import type { LoggedAttempt, LoggedDelivery, Status } from "../../domain/Delivery.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Type } from "../../domain/WebhookEvent.ts"
import type { CreatedCursor, OfOrganization, Page, Read } from "./Read.ts"

/** Which deliveries are asked for. An absent field filters nothing. */
export interface DeliveryFilter {
  readonly statuses?: ReadonlyArray<Status>
  readonly type?: Type
  readonly endpointId?: string
  /** The SIM that the event is about. */
  readonly iccid?: string
  /** Created at this instant or later. */
  readonly from?: Instant
  /** Created before this instant. */
  readonly to?: Instant
}

export interface Deliveries {
  readonly get: (of: OfOrganization & { readonly deliveryId: string }) => Read<LoggedDelivery | null>
  /** By creation and id, descending: newest first. */
  readonly page: (query: Page<CreatedCursor> & DeliveryFilter) => Read<ReadonlyArray<LoggedDelivery>>
  /** The last attempts of a delivery, up to 100, newest first. */
  readonly attempts: (of: OfOrganization & { readonly deliveryId: string }) => Read<ReadonlyArray<LoggedAttempt>>
}
