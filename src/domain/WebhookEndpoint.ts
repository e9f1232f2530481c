/**
 * Webhook endpoints: where an organization's events go, and the keys that sign them (rule W6).
 */
import type { Instant } from "./Time.ts"
import type { Type } from "./WebhookEvent.ts"

export interface SigningKey {
  /** `whsec_` and base64 of 32 random bytes. */
  readonly key: string
  /** Null for the newest key; a rotated one signs along until then. */
  readonly validUntil: Instant | null
}

export interface WebhookEndpoint {
  readonly organizationId: string
  readonly endpointId: string
  readonly url: string
  /** The types that go there; all of them where null. */
  readonly events: ReadonlyArray<Type> | null
  readonly description: string
  readonly enabled: boolean
  /** Newest first. */
  readonly signingKeys: ReadonlyArray<SigningKey>
  readonly createdAt: Instant
  readonly deletedAt: Instant | null
  readonly version: number
}
