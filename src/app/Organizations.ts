/**
 * Organizations and their API keys. A key is shown once, when it is made; what is stored is its hash (rule W3).
 */
import { Context, type Effect } from "effect"
import type { ApiKey, Scope } from "../domain/ApiKey.ts"
import type { Organization } from "../domain/Organization.ts"
import type { InvalidField, KeyRefused, NotFound } from "../domain/Refusal.ts"
import type { Instant } from "../domain/Time.ts"
import type { StorageError } from "../ports/Storage.ts"

/** A key as its maker sees it, this once. */
export interface NewKey {
  readonly apiKey: ApiKey
  readonly key: string
}

interface OfKey {
  readonly organizationId: string
  readonly apiKeyId: string
}

export class Organizations extends Context.Service<
  Organizations,
  {
    readonly create: (request: { readonly name: string }) => Effect.Effect<Organization, InvalidField | StorageError>
    readonly list: Effect.Effect<ReadonlyArray<Organization>, StorageError>
    readonly get: (of: { readonly organizationId: string }) => Effect.Effect<Organization, NotFound | StorageError>
    readonly createKey: (request: {
      readonly organizationId: string
      readonly name: string
      readonly scope: Scope
      readonly expiresAt: Instant | null
    }) => Effect.Effect<NewKey, InvalidField | NotFound | StorageError>
    readonly keys: (of: {
      readonly organizationId: string
    }) => Effect.Effect<ReadonlyArray<ApiKey>, NotFound | StorageError>
    /** Refused at once by this process, within 5 s by all. Again: changes nothing. */
    readonly revokeKey: (of: OfKey) => Effect.Effect<ApiKey, NotFound | StorageError>
    /** Gives the key another secret; the old one is refused from then on, as if revoked. */
    readonly rotateKey: (of: OfKey) => Effect.Effect<NewKey, NotFound | StorageError>
    /** Whose key this is; what is not a valid key is refused, and why is not told. */
    readonly authenticate: (key: string) => Effect.Effect<ApiKey, KeyRefused | StorageError>
  }
>()("simplan/Organizations") {}
