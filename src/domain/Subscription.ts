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
  readonly subscriptionId: string
  readonly createdAt: Instant
  readonly metadata: string
  readonly attachmentId: string
  readonly sim: Sim
  /**
   * The first package's times as the telco reported them, else as requested. Null if the request had no active period.
   * The expiry is null if neither the telco nor the request named one.
   */
  readonly period: { readonly activationAt: Instant; readonly expirationAt: Instant | null } | null
}
