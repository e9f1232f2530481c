/**
 * Which of the opt-in event types an organization's endpoints take (rule E1). A commit writes an event of such a type,
 * or a job for it, only where some endpoint takes it.
 *
 * Each process caches the types. A change of any endpoint, by any process, empties the cache. If the news of a change is
 * lost, an entry lives for `cacheMillis`.
 */
import { Context, Effect, Layer } from "effect"
import { isOptIn, type OptInType } from "../../domain/WebhookEvent.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Settings } from "../Settings.ts"
import * as CommittedCache from "./CommittedCache.ts"

export class NamedTypes extends Context.Service<
  NamedTypes,
  {
    /** The opt-in types that some endpoint of the organization takes, or misses while the service has it disabled. */
    readonly of: (organizationId: string) => Effect.Effect<ReadonlySet<OptInType>, StorageError>
  }
>()("simplan/NamedTypes") {}

const CACHED_ORGANIZATIONS = 10_000

const NONE: ReadonlySet<OptInType> = new Set()

export const layer: Layer.Layer<NamedTypes, never, Storage> = Layer.effect(
  NamedTypes,
  Effect.gen(function* () {
    const storage = yield* Storage
    const { cacheMillis } = yield* Settings
    const read = (organizationId: string) =>
      Effect.map(storage.webhookEndpoints.namedTypes({ organizationId }), (types) => {
        const optIn = types.filter(isOptIn)
        return optIn.length === 0 ? NONE : new Set(optIn)
      })
    const cache = yield* CommittedCache.make(read, { capacity: CACHED_ORGANIZATIONS, keepMillis: () => cacheMillis })
    yield* storage.watch(({ webhookEndpoints }) => {
      if (webhookEndpoints) cache.empty()
    })
    return NamedTypes.of({ of: cache.get })
  })
)
