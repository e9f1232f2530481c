/**
 * The storage port's reads of the webhook delivery log.
 */
import type { Filter, LoggedAttempt, LoggedDelivery, WaitingCount } from "../../domain/Delivery.ts"
import type { Filtered, FilteredKeyset, OfOrganization, Read } from "./Read.ts"

export type { Filter as DeliveryFilter } from "../../domain/Delivery.ts"

export interface Deliveries {
  readonly get: (of: OfOrganization & { readonly deliveryId: string }) => Read<LoggedDelivery | null>
  /** Those of `Delivery.isAsked`, by creation and id, descending: newest first. */
  readonly page: (query: FilteredKeyset & OfOrganization & Filter) => Read<Filtered<LoggedDelivery>>
  /** The last attempts of a delivery, up to 100, newest first. */
  readonly attempts: (of: OfOrganization & { readonly deliveryId: string }) => Read<ReadonlyArray<LoggedAttempt>>
  /**
   * The first 10,000 pending ones of all organizations by next attempt and id, counted by what their last attempts met
   * (`Delivery.waitingCounts`): held ones too, and none to handlers. For watching.
   */
  readonly waitingCounts: Read<ReadonlyArray<WaitingCount>>
}
