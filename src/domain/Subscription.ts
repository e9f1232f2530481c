/**
 * Subscriptions: a SIM in service, at most one per SIM at a time (rules S1, S3, S5).
 */
import type { Sim } from "./Sim.ts"
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

export interface SubscriptionWithSim {
  readonly subscription: Subscription
  readonly sim: Sim
}

/** What a creation is answered with. `metadata` is the request's, also where the plan was added to an older one. */
export interface Created {
  readonly subscriptionId: string
  readonly createdAt: Instant
  readonly metadata: string
  readonly attachmentId: string
  readonly sim: Sim
  /**
   * The first package's times as reported by the telco, else as asked for; null where no active period was sent. The
   * expiry is null where neither tells it.
   */
  readonly period: { readonly activationAt: Instant; readonly expirationAt: Instant | null } | null
}
