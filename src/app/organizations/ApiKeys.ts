/**
 * The API keys of organizations. A key is shown once, when it is made; what is stored is its hash
 * (rule W3). `KeyLookup` says for how long a process goes by what it has looked up, and when it
 * writes which keys were used.
 */
import { Context, Effect, Equal, Layer } from "effect"
import type { Action } from "../../domain/AuditEntry.ts"
import * as ApiKey from "../../domain/ApiKey.ts"
import { kinds } from "../../domain/Idempotency.ts"
import { type InvalidField, type KeyRefused, NotFound, type QuotaExceeded } from "../../domain/Refusal.ts"
import * as Organization from "../../domain/Organization.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, type Page, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Paging from "../Paging.ts"
import * as KeyLookup from "./KeyLookup.ts"
import { Organizations } from "./Organizations.ts"

/** A key with its secret, which is nowhere else. */
export interface NewKey {
  /** What lists show of it. Only its hash is stored, never the secret. */
  readonly apiKey: ApiKey.ApiKey
  /** The secret, which is shown this once (rule W3). */
  readonly key: string
}

interface OfOrganization {
  readonly organizationId: string
}

interface OfKey extends OfOrganization {
  readonly apiKeyId: string
}

/** Makes, lists, rotates and revokes keys, and finds whose a key is (rule W3). */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** `expiresAt` null: the key does not expire. */
    readonly create: (
      request: OfOrganization & {
        readonly name: string
        readonly scope: ApiKey.Scope
        readonly expiresAt: Instant | null
      }
    ) => Effect.Effect<NewKey, InvalidField | NotFound | QuotaExceeded | StorageError>
    /** Oldest first, revoked ones included. */
    readonly page: (
      of: Page<CreatedCursor>
    ) => Effect.Effect<Paging.Page<ApiKey.ApiKey, CreatedCursor>, NotFound | StorageError>
    /**
     * This process refuses the key at once, all others within 5 s. Revoking it again changes
     * nothing.
     */
    readonly revoke: (of: OfKey) => Effect.Effect<ApiKey.ApiKey, NotFound | StorageError>
    /**
     * Gives the key another secret. The one before goes on for that many hours; by default it is
     * refused at once, as if revoked.
     */
    readonly rotate: (
      of: OfKey & { readonly overlapHours?: number }
    ) => Effect.Effect<NewKey, InvalidField | NotFound | StorageError>
    /** Whose key this is. A refusal does not say why a key is not valid. */
    readonly authenticate: (key: string) => Effect.Effect<ApiKey.ApiKey, KeyRefused | StorageError>
    /**
     * Whether this process has made the key or found it valid, so that to look it up again is no
     * guess (rule W10).
     */
    readonly isKnown: (key: string) => boolean
  }
>()("simplan/ApiKeys") {}

type Needs = Storage | BusinessClock | Ids | Commits | Organizations

/**
 * The implementation that `Services.layer` provides. Each build has a cache of its own, in which a
 * key stays for `cacheMillis` at most (rule W3).
 */
export const layer: Layer.Layer<ApiKeys, never, Needs> = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const organizations = yield* Organizations
    const uses = yield* KeyLookup.uses
    const lookup = yield* KeyLookup.make(storage.apiKeys.byHash, ApiKey.isValid, uses.note)

    const get = Effect.fnUntraced(function* (of: OfKey) {
      yield* organizations.get(of)
      const found = yield* storage.apiKeys.get(of)
      return found === null ? yield* new NotFound({ resource: "api key", id: of.apiKeyId }) : uses.withNoted(found)
    })

    const write = Effect.fnUntraced(function* (apiKey: ApiKey.ApiKey, action: Action, now: Instant) {
      const { apiKeyId: resourceId, organizationId } = apiKey
      const change = { organizationId, action, resourceId, iccid: null }
      const commit = yield* commits.audited({ apiKeys: [apiKey] }, change, now)
      yield* commits.write(commit, kinds.ApiKey.keep(apiKey))
    })

    const made = (apiKey: ApiKey.ApiKey, key: string): NewKey => {
      lookup.remember(key)
      return { apiKey, key }
    }

    return ApiKeys.of({
      page: Effect.fn("ApiKeys.page")(function* ({ limit, ...of }) {
        yield* organizations.get(of)
        const found = yield* storage.apiKeys.page({ ...of, limit: limit + 1 })
        return Paging.page(found.map(uses.withNoted), limit, ({ apiKeyId, createdAt }) => ({ createdAt, id: apiKeyId }))
      }),
      create: Effect.fn("ApiKeys.create")(function* ({ expiresAt, organizationId, scope, ...request }) {
        const name = yield* Effect.fromResult(Organization.named(request.name))
        yield* organizations.get({ organizationId })
        const now = yield* clock.now
        const { key, secret } = yield* lookup.make
        const apiKeyId = yield* ids.next(now, organizationId)
        const apiKey = yield* Effect.fromResult(
          ApiKey.make({ ...secret, organizationId, apiKeyId, name, scope, expiresAt }, now)
        )
        yield* organizations.checkQuota({ organizationId, kind: "apiKeys" })
        yield* commits.retryOnConflict(write(apiKey, "api_key.create", now))
        return made(apiKey, key)
      }),
      revoke: Effect.fn("ApiKeys.revoke")(function* (of) {
        return yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const apiKey = yield* get(of)
            const now = yield* clock.now
            const revoked = ApiKey.revoked(apiKey, now)
            if (!Equal.equals(revoked, apiKey)) yield* write(revoked, "api_key.revoke", now)
            return revoked
          })
        )
      }),
      rotate: Effect.fn("ApiKeys.rotate")(function* ({ overlapHours = 0, ...of }) {
        return yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const { key, secret } = yield* lookup.make
            const now = yield* clock.now
            const apiKey = yield* Effect.fromResult(ApiKey.rotated(yield* get(of), secret, overlapHours, now))
            yield* write(apiKey, "api_key.rotate", now)
            return made(apiKey, key)
          })
        )
      }),
      authenticate: lookup.authenticate,
      isKnown: lookup.isKnown
    })
  })
)
