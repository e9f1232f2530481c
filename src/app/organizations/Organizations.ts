/**
 * Organizations and their API keys. A key is shown once, when it is made; what is stored is its hash (rule W3).
 */
import { Clock as MachineClock, Context, Effect, Equal, Layer } from "effect"
import * as ApiKeys from "../../domain/ApiKey.ts"
import type { ApiKey, Scope } from "../../domain/ApiKey.ts"
import type { Organization } from "../../domain/Organization.ts"
import { InvalidField, KeyRefused, NotFound } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"

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

/** How many keys are kept in memory. */
const CACHED_KEYS = 10_000

const named = (name: string) =>
  name.trim() === ""
    ? Effect.fail(new InvalidField({ field: "name", message: "must not be empty" }))
    : Effect.succeed(name.trim())

export const layer: Layer.Layer<Organizations, never, Storage | BusinessClock | Ids | Commits> = Layer.effect(
  Organizations,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const { cacheMillis } = yield* Settings

    // By the key itself. Forgotten as a whole when any key is changed, and what was being looked up meanwhile is not
    // kept. Should nothing be heard of a change, a key is believed for a moment only.
    const cache = new Map<string, { readonly apiKey: ApiKey; readonly until: number }>()
    let generation = 0
    const forget = () => {
      generation += 1
      cache.clear()
    }
    yield* storage.watch(({ apiKeys }) => {
      if (apiKeys) forget()
    })

    const get = Effect.fnUntraced(function* ({ organizationId }: { readonly organizationId: string }) {
      const organization = yield* storage.organizations.get(organizationId)
      return organization ?? (yield* new NotFound({ resource: "organization", id: organizationId }))
    })

    const keys = (of: { readonly organizationId: string }) => Effect.andThen(get(of), storage.apiKeys.list(of))

    const keyOf = Effect.fnUntraced(function* (of: OfKey) {
      const found = (yield* keys(of)).find(({ apiKeyId }) => apiKeyId === of.apiKeyId)
      return found ?? (yield* new NotFound({ resource: "api key", id: of.apiKeyId }))
    })

    const secret = Effect.gen(function* () {
      const key = ApiKeys.fromRandom(yield* ids.bytes(32))
      return { key, hash: yield* ids.digest(key), hint: ApiKeys.hint(key) }
    })

    const lookUp = Effect.fnUntraced(function* (key: string) {
      const machineNow = yield* MachineClock.currentTimeMillis
      const cached = cache.get(key)
      if (cached !== undefined && machineNow < cached.until) return cached.apiKey
      if (!ApiKeys.isWellFormed(key)) return yield* new KeyRefused()
      const asked = generation
      const apiKey = yield* storage.apiKeys.byHash(yield* ids.digest(key))
      if (apiKey === null) return yield* new KeyRefused()
      if (cache.size >= CACHED_KEYS) cache.clear()
      if (asked === generation) cache.set(key, { apiKey, until: machineNow + cacheMillis })
      return apiKey
    })

    return Organizations.of({
      get,
      list: storage.organizations.list,
      keys,
      create: Effect.fn("Organizations.create")(function* (request) {
        const name = yield* named(request.name)
        const now = yield* clock.now
        const organization: Organization = { organizationId: yield* ids.next(now), name, createdAt: now }
        yield* commits.retryOnConflict(commits.write({ organizations: [organization] }))
        return organization
      }),
      createKey: Effect.fn("Organizations.createKey")(function* ({ expiresAt, organizationId, scope, ...request }) {
        const name = yield* named(request.name)
        yield* get({ organizationId })
        const now = yield* clock.now
        const { key, ...kept } = yield* secret
        const apiKeyId = yield* ids.next(now)
        const apiKey = yield* Effect.fromResult(
          ApiKeys.make({ ...kept, organizationId, apiKeyId, name, scope, expiresAt }, now)
        )
        yield* commits.retryOnConflict(commits.write({ apiKeys: [apiKey] }))
        return { apiKey, key }
      }),
      revokeKey: Effect.fn("Organizations.revokeKey")(function* (of) {
        const revoked = yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const apiKey = yield* keyOf(of)
            const changed = ApiKeys.revoked(apiKey, yield* clock.now)
            if (!Equal.equals(changed, apiKey)) yield* commits.write({ apiKeys: [changed] })
            return changed
          })
        )
        return revoked
      }),
      rotateKey: Effect.fn("Organizations.rotateKey")(function* (of) {
        const rotated = yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const { key, ...kept } = yield* secret
            const changed = yield* Effect.fromResult(ApiKeys.rotated(yield* keyOf(of), kept))
            yield* commits.write({ apiKeys: [changed] })
            return { apiKey: changed, key }
          })
        )
        return rotated
      }),
      authenticate: Effect.fnUntraced(function* (key) {
        const apiKey = yield* lookUp(key)
        return ApiKeys.isValid(apiKey, yield* clock.now) ? apiKey : yield* new KeyRefused()
      })
    })
  })
)
