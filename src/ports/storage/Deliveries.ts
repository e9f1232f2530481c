/**
 * The storage port's reads of the webhook delivery log.
 */
import type { LoggedDelivery } from "../../domain/Delivery.ts"
import type { CreatedCursor, OfOrganization, Page, Read } from "./Read.ts"

export interface Deliveries {
  readonly get: (of: OfOrganization & { readonly deliveryId: string }) => Read<LoggedDelivery | null>
  /** By creation and id, descending: newest first. */
  readonly page: (query: Page<CreatedCursor>) => Read<ReadonlyArray<LoggedDelivery>>
}
