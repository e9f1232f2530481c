/**
 * Makes keys and tokens, and finds whose one is: the part that API keys and the tokens of operators have in common (rules W3 and
 * W14).
 *
 * Each process caches what it has looked up until any key changes, for `cacheMillis` at most, and unknown keys for 2 s.
 */
import { Effect, type Scope } from "effect"
import * as ApiKey from "../../domain/ApiKey.ts"
import { KeyRefused } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import * as CommittedCache from "../commit/CommittedCache.ts"
import { Ids } from "../commit/Ids.ts"
import { Settings } from "../Settings.ts"

/** A key that was just made, and what is stored of it. */
export interface Made {
  readonly key: string
  readonly secret: ApiKey.Secret
}

/** Makes keys of one kind, and finds their owners. */
export interface KeyLookup<Owner> {
  /** A new key. `remember` it once it is stored. */
  readonly make: Effect.Effect<Made>
  /** A look-up of the key is no guess from now on (rule W10). */
  readonly remember: (key: string) => void
  /** Whose key this is. A refusal does not say why a key is not valid. */
  readonly authenticate: (key: string) => Effect.Effect<Owner, KeyRefused | StorageError>
  /** Whether this process has made the key or found it valid (rule W10). */
  readonly isKnown: (key: string) => boolean
}

const CACHED_KEYS = 10_000

/** How long an unknown key is cached, in milliseconds. Another process may have made it, and the news be lost. */
const UNKNOWN_MILLIS = 2_000

/**
 * A cache of its own until the scope ends. `isValid` says whether the key with the hash is good at `now`; `used` is called where
 * it is, for each request.
 */
export const make = <Owner>(
  byHash: (hash: string) => Effect.Effect<Owner | null, StorageError>,
  isValid: (owner: Owner, now: Instant, hash: string) => boolean,
  used: (owner: Owner, now: Instant) => void = () => undefined
): Effect.Effect<KeyLookup<Owner>, never, Storage | BusinessClock | Ids | Scope.Scope> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const { cacheMillis } = yield* Settings

    const read = Effect.fnUntraced(function* (key: string) {
      if (!ApiKey.isWellFormed(key)) return yield* new KeyRefused()
      const hash = yield* ids.digest(key)
      const owner = yield* byHash(hash)
      return owner === null ? null : { owner, hash }
    })
    const find = yield* CommittedCache.make(storage.watch, read, {
      capacity: CACHED_KEYS,
      emptiedBy: "apiKeys",
      keepMillis: (found) => (found === null ? Math.min(cacheMillis, UNKNOWN_MILLIS) : cacheMillis)
    })
    const known = new Set<string>()
    const remember = (key: string): void => {
      if (known.has(key)) return
      if (known.size >= CACHED_KEYS) for (const oldest of known) if (known.delete(oldest)) break
      known.add(key)
    }
    return {
      make: Effect.gen(function* () {
        const key = ApiKey.fromRandom(yield* ids.bytes(32))
        return { key, secret: { hash: yield* ids.digest(key), hint: ApiKey.hint(key) } }
      }),
      remember,
      authenticate: (key) =>
        Effect.flatMap(find(key), (found) =>
          Effect.flatMap(clock.now, (now) => {
            if (found === null || !isValid(found.owner, now, found.hash)) {
              known.delete(key)
              return Effect.fail(new KeyRefused())
            }
            remember(key)
            used(found.owner, now)
            return Effect.succeed(found.owner)
          })
        ),
      isKnown: (key) => known.has(key)
    }
  })
