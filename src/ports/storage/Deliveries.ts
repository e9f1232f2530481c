/**
 * The storage port's reads of the webhook delivery log.
 */
import type { Filter, LoggedAttempt, LoggedDelivery } from "../../domain/Delivery.ts"
import type { CreatedCursor, OfOrganization, Page, Read } from "./Read.ts"

export type { Filter as DeliveryFilter } from "../../domain/Delivery.ts"

export interface Deliveries {
  readonly get: (of: OfOrganization & { readonly deliveryId: string }) => Read<LoggedDelivery | null>
  /** Those of `Delivery.isAsked`, by creation and id, descending: newest first. */
  readonly page: (query: Page<CreatedCursor> & Filter) => Read<ReadonlyArray<LoggedDelivery>>
  /** The last attempts of a delivery, up to 100, newest first. */
  readonly attempts: (of: OfOrganization & { readonly deliveryId: string }) => Read<ReadonlyArray<LoggedAttempt>>
}
