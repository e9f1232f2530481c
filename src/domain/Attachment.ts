/**
 * Plan attachments: one plan instance on a subscription, with its own copy of the plan's terms.
 *
 * The state is never stored: it is a pure function of facts and the clock (rule T2).
 */
import type { Package } from "./Package.ts"
import type { PlanTerms } from "./Plan.ts"
import type { Instant } from "./Time.ts"

/** The active period as it was asked for; `end` is kept for the creation's answer even where it is ignored. */
export interface ActivePeriod {
  readonly start: Instant
  readonly end: Instant | null
}

export interface Attachment {
  readonly organizationId: string
  readonly iccid: string
  readonly subscriptionId: string
  readonly attachmentId: string
  readonly planId: string
  readonly terms: PlanTerms
  readonly activePeriod: ActivePeriod | null
  readonly metadata: string
  readonly createdAt: Instant
  /** False until the telco's outcome is committed; invisible until then (rule S5). */
  readonly confirmed: boolean
  /** Where the cycles of a recurring attachment are counted from; null until the first use, and where none recurs. */
  readonly anchor: Instant | null
  readonly suspendedAt: Instant | null
  /** The highest allowance threshold that was told, in percent; 0 while none was (rule R2). */
  readonly thresholdTold: number
}

export type State = "PENDING_FOR_FIRST_USE" | "CREATED" | "ACTIVE" | "SUSPENDED" | "EXPIRED"

/** An attachment as it is at one instant. */
export interface View {
  readonly attachment: Attachment
  readonly state: State
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
  readonly usedBytes: number
  /** Those that were not refused, oldest first. */
  readonly packages: ReadonlyArray<Package>
}
