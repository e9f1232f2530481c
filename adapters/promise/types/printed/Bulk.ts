/** Printed from the views by `npm run print`: what hosts see and send. */
import type { InstantInput } from "../Calls.ts"
import type { OfOrganization } from "./Organizations.ts"
import type { Label } from "../Label.ts"

/** Which subscriptions a list has. An absent field filters nothing. */
export interface SubscriptionFilter extends OfOrganization {
  /**
   * Only what this finds: the first or last digits of an ICCID, an IMSI, a phone number, also as in
   * its country, the id of a subscription, or the first characters of a metadata or words in it, in
   * any case.
   */
  readonly search?: string | undefined
  /** Only those on SIMs of this label. */
  readonly label?: Label | undefined
  /** Only those whose SIM has this tag, in any case. */
  readonly tag?: string | undefined
  /** Only those that were made after this instant. */
  readonly createdAfter?: InstantInput | undefined
  /** Only those that are paused, or only those that are not. */
  readonly status?: "active" | "paused" | undefined
}

/** Which SIMs a list has. An absent field filters nothing. */
export interface SimFilter extends OfOrganization {
  /**
   * Only what this finds: the first or last digits of an ICCID, an IMSI, a phone number, also as in
   * its country, the id of a subscription, or the first characters of a metadata or words in it, in
   * any case.
   */
  readonly search?: string | undefined
  /** Only those of this label. */
  readonly label?: Label | undefined
  /** Only those whose SIM has this tag, in any case. */
  readonly tag?: string | undefined
  /** Only those that were made after this instant. */
  readonly createdAfter?: InstantInput | undefined
  /**
   * Only those that stand so: `free`, `in_use` by a subscription or a creation under way,
   * `releasing`, which are on their way back to stock, or `withdrawn`.
   */
  readonly status?: "free" | "in_use" | "releasing" | "withdrawn" | undefined
  /** Only eSIMs, or only physical SIMs. */
  readonly isEsim?: boolean | undefined
}

/** Which subscriptions are meant. An absent field filters nothing. */
export interface SubscriptionSelection extends OfOrganization {
  /**
   * Only what this finds: the first or last digits of an ICCID, an IMSI, a phone number, also as in
   * its country, the id of a subscription, or the first characters of a metadata or words in it, in
   * any case.
   */
  readonly search?: string | undefined
  /** Only those of this label. */
  readonly label?: string | undefined
  /** Only those whose SIM has this tag, in any case. */
  readonly tag?: string | undefined
  /** Only those that were made after this instant. */
  readonly createdAfter?: InstantInput | undefined
  /** Only those that were made at this instant or before it. */
  readonly createdUntil?: InstantInput | undefined
  /** Only those that are paused, or only those that are not. */
  readonly status?: "active" | "paused" | undefined
  /** Only those with an attachment of this plan that has neither expired nor been suspended. */
  readonly planId?: string | undefined
}

/** What is done to all subscriptions that the other fields take. */
export interface SubscriptionAction extends OfOrganization {
  /** What is done to each; `suspend` suspends the attachments of the plan that the filter names. */
  readonly action: "pause" | "resume" | "suspend" | "delete"
  /**
   * Only what this finds: the first or last digits of an ICCID, an IMSI, a phone number, also as in
   * its country, the id of a subscription, or the first characters of a metadata or words in it, in
   * any case.
   */
  readonly search?: string | undefined
  /** Only those of this label. */
  readonly label?: string | undefined
  /** Only those whose SIM has this tag, in any case. */
  readonly tag?: string | undefined
  /** Only those that were made after this instant. */
  readonly createdAfter?: InstantInput | undefined
  /** Only those that were made at this instant or before it. */
  readonly createdUntil?: InstantInput | undefined
  /** Only those that are paused, or only those that are not. */
  readonly status?: "active" | "paused" | undefined
  /** Only those with an attachment of this plan that has neither expired nor been suspended. */
  readonly planId?: string | undefined
  /** Has to be true where nothing else says which. */
  readonly all?: boolean | undefined
}

/** What is done to all SIMs that the other fields take. */
export interface SimAction extends OfOrganization {
  /** What is done to each: it is withdrawn, put back into stock, or gets another label. */
  readonly action: "withdraw" | "restore" | "set_label"
  /** Why they are withdrawn; only with that action. */
  readonly reason?: "broken" | "lost" | "replaced" | "returned" | undefined
  /** The label that is set; only with that action. */
  readonly newLabel?: Label | undefined
  /**
   * Only what this finds: the first or last digits of an ICCID, an IMSI, a phone number, also as in
   * its country, the id of a subscription, or the first characters of a metadata or words in it, in
   * any case.
   */
  readonly search?: string | undefined
  /** Only those of this label. */
  readonly label?: string | undefined
  /** Only those whose SIM has this tag, in any case. */
  readonly tag?: string | undefined
  /** Only those that were made after this instant. */
  readonly createdAfter?: InstantInput | undefined
  /** Only those that were made at this instant or before it. */
  readonly createdUntil?: InstantInput | undefined
  /**
   * Only those that stand so: `free`, `in_use` by a subscription or a creation under way,
   * `releasing`, which are on their way back to stock, or `withdrawn`.
   */
  readonly status?: "free" | "in_use" | "releasing" | "withdrawn" | undefined
  /** Only eSIMs, or only physical SIMs. */
  readonly isEsim?: boolean | undefined
  /** Has to be true where nothing else says which. */
  readonly all?: boolean | undefined
}

/** What would come of all that a filter takes. */
export interface BulkActionPreview {
  /** How many there are. */
  readonly matching: number
  /** How many would be changed. */
  readonly changed: number
  /** How many are so already. */
  readonly unchanged: number
  /** How many would be refused. */
  readonly refused: number
  /** Whether there are more, which were not counted. */
  readonly hasMore: boolean
  /** With this in the request, nothing is acted on that is made after the preview. */
  readonly createdUntil: Date
}
