/**
 * Organizations and their API keys.
 */
import type { CallOptions, PagedList, WriteOptions } from "./Calls.ts"
import type {
  ApiKey,
  CreateApiKey,
  CreateOrganization,
  NewApiKey,
  OfApiKey,
  OfOrganization,
  Organization,
  RotateApiKey,
  Secret
} from "./printed/Organizations.ts"

export type * from "./printed/Organizations.ts"

/** Organizations: the tenants of the service. */
export interface Organizations {
  /**
   * Creates an organization. The name has 1 to 255 characters (rule W9). Keys of `idempotencyKey`
   * are those of the host, because there is no organization yet.
   *
   * Errors: `InvalidFieldError`.
   */
  readonly create: (request: CreateOrganization, options?: WriteOptions) => Promise<Organization>
  /** Reads an organization. Errors: `NotFoundError`. */
  readonly get: (of: OfOrganization, options?: CallOptions) => Promise<Organization>
  /** All organizations, oldest first. */
  readonly list: (of?: {}, options?: CallOptions) => PagedList<Organization>
}

/** An API key that was made under an idempotency key. */
export interface MaybeNewApiKey extends ApiKey {
  /**
   * The key itself; null if the call was repeated, because it is stored nowhere (rule W3):
   * `rotate` gives another one.
   */
  readonly key: string | null
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
   * Revokes a key: this process refuses it at once, all others within 5 s (rule W3). Again, it
   * changes nothing.
   *
   * Errors: `NotFoundError`.
   */
  readonly revoke: (of: OfApiKey, options?: WriteOptions) => Promise<ApiKey>
  /**
   * Gives the key another secret; the one before is refused from then on, or goes on for
   * `overlapHours`.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`, also if it is revoked.
   */
  readonly rotate: {
    (of: RotateApiKey, options?: CallOptions & { readonly idempotencyKey?: undefined }): Promise<NewApiKey>
    (of: RotateApiKey, options: WriteOptions): Promise<MaybeNewApiKey>
  }
  /** Whose key this is. Errors: `KeyRefusedError`, which does not say why the key is not valid. */
  readonly authenticate: (request: Secret, options?: CallOptions) => Promise<ApiKey>
}
