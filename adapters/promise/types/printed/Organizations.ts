/** Printed from the views by `npm run print`: what hosts see and send. */
import type { InstantInput } from "../Calls.ts"

/** What the key may do: `full` everything, `read` only read. */
export type ApiKeyScope = "full" | "read"

/**
 * Every request about things of an organization has its id. One that does not exist is a
 * `NotFoundError`.
 */
export interface OfOrganization {
  /** The organization's id. */
  readonly organizationId: string
}

/** A tenant. It owns API keys, SIMs, plans, regions, subscriptions and webhook endpoints. */
export interface Organization {
  /** The organization's id. */
  readonly organizationId: string
  /** The organization's name. */
  readonly name: string
  /** When it was made. */
  readonly createdAt: Date
}

/** What a new organization is to be. */
export interface CreateOrganization {
  /** The organization's name. */
  readonly name: string
}

/** Names an API key. */
export interface OfApiKey extends OfOrganization {
  /** The key's id. */
  readonly apiKeyId: string
}

/** A key of the HTTP API, without its secret. */
export interface ApiKey extends OfApiKey {
  /** The key's name. */
  readonly name: string
  /** What the key may do: `full` everything, `read` only read. */
  readonly scope: ApiKeyScope
  /** The key's last characters. */
  readonly hint: string
  /** Until when the secret before goes on; null if there is none. */
  readonly previousKeyUntil: Date | null
  /** When it was made. */
  readonly createdAt: Date
  /** When the key ends; null if it does not. */
  readonly expiresAt: Date | null
  /** When the key was revoked; null if it was not. */
  readonly revokedAt: Date | null
  /** When a request last came with the key, at most some minutes behind; null if none ever has. */
  readonly lastUsedAt: Date | null
}

/** An API key with its secret. */
export interface NewApiKey extends ApiKey {
  /** The key itself; it is shown this once. */
  readonly key: string
}

/** What a new API key is to be. */
export interface CreateApiKey extends OfOrganization {
  /** The key's name. */
  readonly name: string
  /** What the key may do: `full` everything, `read` only read. */
  readonly scope?: ApiKeyScope | undefined
  /** When the key ends; null if it does not. */
  readonly expiresAt?: InstantInput | null | undefined
}

/** Which API key gets another secret. */
export interface RotateApiKey extends OfApiKey {
  /** For how many hours the secret before goes on, 0 to 720; 0 by default. */
  readonly overlapHours?: number | undefined
}

/** The secret of an API key. */
export interface Secret {
  /** The key itself. */
  readonly key: string
}
