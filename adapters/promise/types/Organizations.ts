/**
 * Organizations and their API keys.
 */
import type { CallOptions, InstantInput, OfOrganization, PagedList, WriteOptions } from "./Calls.ts"

/** A tenant. It owns API keys, SIMs, plans, regions, subscriptions and webhook endpoints. */
export interface Organization {
  /** The id, a UUID. */
  readonly organizationId: string
  /** The name, without space around it. */
  readonly name: string
  /** When it was created. */
  readonly createdAt: Date
}

/** Organizations: the tenants of the service. */
export interface Organizations {
  /**
   * Creates an organization. The name has 1 to 255 characters (rule W9). Keys of `idempotencyKey` are those of the host,
   * because there is no organization yet.
   *
   * Errors: `InvalidFieldError`.
   */
  readonly create: (request: { readonly name: string }, options?: WriteOptions) => Promise<Organization>
  /** Reads an organization. Errors: `NotFoundError`. */
  readonly get: (of: OfOrganization, options?: CallOptions) => Promise<Organization>
  /** All organizations, oldest first. */
  readonly list: (of?: {}, options?: CallOptions) => PagedList<Organization>
}

/** What a key may do: everything, or only what changes nothing. */
export type ApiKeyScope = "full" | "read"

/** A key of the HTTP API, without its secret. */
export interface ApiKey extends OfOrganization {
  /** The id, a UUID. */
  readonly apiKeyId: string
  /** The name, for people. */
  readonly name: string
  /** What the key may do. */
  readonly scope: ApiKeyScope
  /** The last characters of the key, by which a person distinguishes it from others. */
  readonly hint: string
  /** When it was created. */
  readonly createdAt: Date
  /** From when on it is refused; null if it does not expire. */
  readonly expiresAt: Date | null
  /** When it was revoked; null if it was not. */
  readonly revokedAt: Date | null
  /** Until when the secret before goes on; null if there is none. */
  readonly previousKeyUntil: Date | null
  /** When it was last used, at most some minutes behind; null if it never was. */
  readonly lastUsedAt: Date | null
}

/** An API key with its secret. */
export interface NewApiKey extends ApiKey {
  /** The key itself. It is returned this once and stored nowhere (rule W3). */
  readonly key: string
}

/** An API key that was made under an idempotency key. */
export interface MaybeNewApiKey extends ApiKey {
  /** The key itself; null where the call was repeated, because it is stored nowhere (rule W3): `rotate` gives another one. */
  readonly key: string | null
}

/** Names an API key. */
export interface OfApiKey extends OfOrganization {
  /** The key's id. */
  readonly apiKeyId: string
}

/** Which API key gets another secret. */
export interface RotateApiKey extends OfApiKey {
  /** For how many hours the secret before goes on, 0 to 720; 0 by default. */
  readonly overlapHours?: number | undefined
}

/** What a new API key is to be. */
export interface CreateApiKey extends OfOrganization {
  /** The name, 1 to 255 characters (rule W9). */
  readonly name: string
  /** What the key may do; `full` by default. */
  readonly scope?: ApiKeyScope | undefined
  /** From when on it is refused, in the future; absent or null if it is not to expire. */
  readonly expiresAt?: InstantInput | null | undefined
}

/** API keys of organizations, for the HTTP API (rule W3). */
export interface ApiKeys {
  /** Makes a key. Errors: `InvalidFieldError`, `NotFoundError`, `QuotaExceededError`. */
  readonly create: {
    (request: CreateApiKey, options?: CallOptions & { readonly idempotencyKey?: undefined }): Promise<NewApiKey>
    (request: CreateApiKey, options: WriteOptions): Promise<MaybeNewApiKey>
  }
  /** All keys of an organization, oldest first, revoked ones included. Errors: `NotFoundError`. */
  readonly list: (of: OfOrganization, options?: CallOptions) => PagedList<ApiKey>
  /**
   * Revokes a key: this process refuses it at once, all others within 5 s (rule W3). Again, it changes nothing.
   *
   * Errors: `NotFoundError`.
   */
  readonly revoke: (of: OfApiKey, options?: WriteOptions) => Promise<ApiKey>
  /**
   * Gives the key another secret; the one before is refused from then on, or goes on for `overlapHours`.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`, also where it is revoked.
   */
  readonly rotate: {
    (of: RotateApiKey, options?: CallOptions & { readonly idempotencyKey?: undefined }): Promise<NewApiKey>
    (of: RotateApiKey, options: WriteOptions): Promise<MaybeNewApiKey>
  }
  /** Whose key this is. Errors: `KeyRefusedError`, which does not say why the key is not valid. */
  readonly authenticate: (request: { readonly key: string }, options?: CallOptions) => Promise<ApiKey>
}
