/**
 * Webhook endpoints: where an organization's events go (rule W7), and the keys that sign them (rule W6).
 */
import { Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import type { InvalidField } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"
import { DAY } from "./Time.ts"
import { isOptIn, type Type } from "./WebhookEvent.ts"

export interface SigningKey {
  /** `whsec_` and base64 of 32 random bytes. */
  readonly key: string
  /** Null for the newest key. A replaced key also signs until this instant. */
  readonly validUntil: Instant | null
}

export interface WebhookEndpoint {
  readonly organizationId: string
  readonly endpointId: string
  readonly url: string
  /** The event types that the endpoint receives; null for the interface's types (rule E1). */
  readonly events: ReadonlyArray<Type> | null
  readonly description: string
  readonly enabled: boolean
  /** Newest first. */
  readonly signingKeys: ReadonlyArray<SigningKey>
  readonly createdAt: Instant
  readonly deletedAt: Instant | null
  readonly version: number
}

/** Rule W9: whether the texts of a request are within their limits; absent ones are. */
export const checkTexts = (request: {
  readonly url?: string
  readonly description?: string
}): Result.Result<void, InvalidField> =>
  Result.gen(function* () {
    if (request.url !== undefined) yield* TextLimit.check("url", request.url, TextLimit.URL)
    if (request.description !== undefined) {
      yield* TextLimit.check("description", request.description, TextLimit.DESCRIPTION)
    }
  })

/** Rule W6: the signing key made from 32 random bytes. */
export const signingKey = (random: Uint8Array): string => `whsec_${Base64.encode(random)}`

/** Rule E1: whether the endpoint is sent events of the type. */
export const takes = ({ deletedAt, enabled, events }: WebhookEndpoint, type: Type): boolean =>
  enabled && deletedAt === null && (events === null ? !isOptIn(type) : events.includes(type))

/** Rule W7: the endpoint gets no more deliveries, until it is enabled again. */
export const disabled = (endpoint: WebhookEndpoint): WebhookEndpoint => ({ ...endpoint, enabled: false })

/** The endpoint after its deletion. Its deliveries stay in the log. */
export const deleted = (endpoint: WebhookEndpoint, now: Instant): WebhookEndpoint => ({
  ...disabled(endpoint),
  deletedAt: now
})

/** How long a replaced key goes on signing. */
export const ROTATION_OVERLAP = DAY

/** Rule W6: the endpoint with a new signing key. Each earlier key goes on signing for 24 h after it was replaced. */
export const withNewKey = (endpoint: WebhookEndpoint, key: string, now: Instant): WebhookEndpoint => ({
  ...endpoint,
  signingKeys: [
    { key, validUntil: null },
    ...endpoint.signingKeys.flatMap(({ key: before, validUntil }) =>
      validUntil === null || now < validUntil ? [{ key: before, validUntil: validUntil ?? now + ROTATION_OVERLAP }] : []
    )
  ]
})

/** The keys to sign with at `now`, newest first. */
export const keysAt = (endpoint: WebhookEndpoint, now: Instant): ReadonlyArray<string> =>
  endpoint.signingKeys.filter(({ validUntil }) => validUntil === null || now < validUntil).map(({ key }) => key)
