/**
 * Subscriptions: a SIM in service, at most one per SIM at a time (rules S1, S3, S5).
 */
import { Result } from "effect"
import type { InvalidField } from "./Refusal.ts"
import type { Sim } from "./Sim.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"

/** `Pending`: invisible, until the telco's outcome is committed (rule S5). `Deleted`: kept as history. */
export const statuses = ["Pending", "Live", "Deleted"] as const

/** `Live` is the only status of a subscription that clients see. */
export type Status = (typeof statuses)[number]

/** A SIM in service: at most one for a SIM that is pending or live (rule S1). */
export interface Subscription {
  /** The organization that owns it. */
  readonly organizationId: string
  /** An id that never changes. */
  readonly subscriptionId: string
  /** 18 to 20 digits (rule I1). */
  readonly iccid: string
  /** The first creation's text, up to 4,096 characters (rule W9). */
  readonly metadata: string
  /** Business time. */
  readonly createdAt: Instant
  /** Only a live one is visible. */
  readonly status: Status
}

/** A subscription with the SIM that is in service. */
export interface SubscriptionWithSim {
  /** Its status is `Live`. */
  readonly subscription: Subscription
  /** In its present state, not that of the creation. */
  readonly sim: Sim
}

/** Rule W9: whether the texts of a creation are within their limits. */
export const checkTexts = (request: {
  readonly planId: string
  readonly iccid: string | null
  readonly metadata: string
}): Result.Result<void, InvalidField> =>
  Result.gen(function* () {
    yield* TextLimit.check("planId", request.planId, TextLimit.ID)
    if (request.iccid !== null) yield* TextLimit.check("iccid", request.iccid, TextLimit.ID)
    yield* TextLimit.check("metadata", request.metadata, TextLimit.METADATA)
  })

/**
 * The answer to a creation (rule S1). `metadata` is the request's, also if the plan was added to an older subscription.
 */
export interface Created {
  /** The SIM's subscription, which may be older than this creation. */
  readonly subscriptionId: string
  /** The subscription's, in business time. */
  readonly createdAt: Instant
  /** As it was sent. */
  readonly metadata: string
  /** The id of the attachment that was made. */
  readonly attachmentId: string
  /** The one that was named, or the eSIM that was picked (rule S2). */
  readonly sim: Sim
  /**
   * The first package's times as the telco reported them, else as requested. Null if the request had no active period.
   * The expiry is null if neither the telco nor the request named one.
   */
  readonly period: { readonly activationAt: Instant; readonly expirationAt: Instant | null } | null
}
