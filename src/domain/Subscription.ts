/**
 * Subscriptions: a SIM in service, at most one per SIM at a time (rules S1, S3, S5).
 */
import type { Instant } from "./Time.ts"

/** `Pending` until the telco's outcome is committed; invisible until then. A deleted one is kept as history. */
export const statuses = ["Pending", "Live", "Deleted"] as const

export type Status = (typeof statuses)[number]

export interface Subscription {
  readonly organizationId: string
  readonly subscriptionId: string
  readonly iccid: string
  readonly metadata: string
  readonly createdAt: Instant
  readonly status: Status
}
