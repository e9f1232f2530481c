/**
 * Makes keys and tokens, finds whose one is, and keeps when one was used: what a process knows of
 * API keys (rule W3) and of the tokens of operators (rule W14).
 *
 * Each process caches what it has looked up until any key changes, for `cacheMillis` at most, and
 * unknown keys for 2 s.
 *
 * That an API key was used is only noted in memory. What is noted is written some minutes later,
 * for all keys in one statement: each key at most once in that time, however often it is used.
 * If a write fails, the uses stay noted and are written with the next ones. What a killed
 * process has noted is lost.
 */
import { Array as Arr, Effect, type Scope } from "effect"
import * as ApiKey from "../../domain/ApiKey.ts"
import { KeyRefused } from "../../domain/Refusal.ts"
import { MINUTE, SECOND, type Instant } from "../../domain/Time.ts"
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

/**
 * How long an unknown key is cached, in milliseconds. Another process may have made it, and the
 * news be lost.
 */
const UNKNOWN_MILLIS = 2_000

/**
 * A cache of its own until the scope ends. `isValid` says whether the key with the hash is good at
 * `now`; `used` is called if it is, for each request.
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

/** The uses of keys by this process. */
export interface Uses {
  /** The key was used. */
  readonly note: (key: ApiKey.ApiKey, at: Instant) => void
  /** The key as it is stored, with what is noted of it here. */
  readonly withNoted: (key: ApiKey.ApiKey) => ApiKey.ApiKey
}

/** How long uses are noted before they are written, in milliseconds of machine time. */
export const WRITTEN_AFTER = 2 * MINUTE

/** How many keys one statement writes. */
const WRITTEN_AT_ONCE = 1_000

/** How long closing the scope waits for the last write. */
const LAST_WRITE = SECOND

/** Uses that are noted until the scope ends, and written then as well. */
export const uses: Effect.Effect<Uses, never, Storage | Scope.Scope> = Effect.gen(function* () {
  const storage = yield* Storage
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const noted = new Map<string, ApiKey.Use>()
  let isPlanned = false

  const write = Effect.suspend(() =>
    Effect.forEach(
      Arr.chunksOf(noted.values(), WRITTEN_AT_ONCE),
      (part) =>
        Effect.tap(storage.recordKeyUses(part), () =>
          Effect.sync(() => {
            for (const use of part) if (noted.get(use.apiKeyId) === use) noted.delete(use.apiKeyId)
          })
        ),
      { discard: true }
    )
  )

  // Failure: they stay noted, and are written with the next ones.
  const planned: Effect.Effect<void> = write.pipe(
    Effect.catchTag("StorageError", (error) =>
      Effect.logWarning("the last uses of API keys were not written; they are written later", { error: error.message })
    ),
    Effect.delay(WRITTEN_AFTER),
    Effect.andThen(
      Effect.suspend(() => {
        isPlanned = noted.size > 0
        return isPlanned ? planned : Effect.void
      })
    )
  )

  // Failure: the last two minutes are not written; the key's next use is, by whichever process has
  // it.
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeoutOption(write, LAST_WRITE)))

  return {
    note: (key, at) => {
      const { apiKeyId, organizationId } = key
      const known = noted.get(apiKeyId)
      if (known !== undefined && at < known.at + SECOND) return
      noted.set(apiKeyId, { organizationId, apiKeyId, at })
      if (isPlanned) return
      isPlanned = true
      fork(Effect.forkIn(planned, scope))
    },
    withNoted: (key) => {
      const at = noted.get(key.apiKeyId)?.at ?? null
      return at === null || (key.lastUsedAt !== null && key.lastUsedAt >= at) ? key : { ...key, lastUsedAt: at }
    }
  }
})
