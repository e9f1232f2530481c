/**
 * What is done to many subscriptions or SIMs of an organization at once.
 */
import type { CallOptions, List, PagedList } from "./Calls.ts"
import type { BulkActionPreview, SimAction, SubscriptionAction, SubscriptionSelection } from "./printed/Bulk.ts"
import type { UpdateResult } from "./SimsTypes.ts"
import type { Subscription } from "./SubscriptionsTypes.ts"

export type * from "./printed/Bulk.ts"

/** What came of a SIM, or would. */
export interface SimActionResult extends Pick<UpdateResult, "refusal"> {
  /** The SIM's ICCID. */
  readonly iccid: string
  /** `unchanged`: it was so already. With a refusal, a part of what is `changed` is refused. */
  readonly result: "changed" | "unchanged" | "refused"
}

/** What came of a subscription, or would. */
export interface SubscriptionActionResult extends SimActionResult {
  /** The subscription's id. */
  readonly subscriptionId: string
}

/** What would come of all, with the first 20 that would be refused. */
export interface BulkPreview<Item> extends BulkActionPreview {
  /** The first that would be refused. */
  readonly refusals: ReadonlyArray<Item>
}

/**
 * Actions on all subscriptions or SIMs of an organization that a filter takes (rule W15). Each is
 * acted on as by a call about it alone, while the results are read. One that is refused stops no
 * other, and those that are made meanwhile are left out. The same call again goes on where one has
 * broken off: what is done already stays as it is.
 */
export interface Bulk {
  /** The subscriptions that a filter takes, oldest first. A page may be short (rule W10). */
  readonly list: (of: SubscriptionSelection, options?: CallOptions) => PagedList<Subscription>
  /**
   * Pauses, resumes or deletes subscriptions, or suspends their attachments of a plan, oldest
   * first. Errors: `InvalidFieldError`.
   */
  readonly act: (request: SubscriptionAction, options?: CallOptions) => List<SubscriptionActionResult>
  /** What `act` would do now: nothing is done (rule S9). Errors: those of `act`. */
  readonly previewAct: (
    request: SubscriptionAction,
    options?: CallOptions
  ) => Promise<BulkPreview<SubscriptionActionResult>>
  /**
   * Withdraws SIMs, puts them back into stock, or sets their label, in the order of their import.
   * Errors: `InvalidFieldError`.
   */
  readonly actOnSims: (request: SimAction, options?: CallOptions) => List<SimActionResult>
  /** What `actOnSims` would do now: nothing is done (rule S9). Errors: those of `actOnSims`. */
  readonly previewActOnSims: (request: SimAction, options?: CallOptions) => Promise<BulkPreview<SimActionResult>>
}
