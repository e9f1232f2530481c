/**
 * When API keys were last used (rule W3). A request only notes it in memory. What is noted is written some minutes later, for
 * all keys in one statement: each key at most once in that time, however often it is used.
 *
 * Where a write fails, the uses stay noted and are written with the next ones. What a killed process has noted is lost.
 */
import { Array as Arr, Effect, type Scope } from "effect"
import type { ApiKey, Use } from "../../domain/ApiKey.ts"
import { MINUTE, SECOND, type Instant } from "../../domain/Time.ts"
import { Storage } from "../../ports/Storage.ts"

/** The uses of keys by this process. */
export interface KeyUses {
  /** The key was used. */
  readonly note: (key: ApiKey, at: Instant) => void
  /** The key as it is stored, with what is noted of it here. */
  readonly withNoted: (key: ApiKey) => ApiKey
}

/** How long uses are noted before they are written, in milliseconds of machine time. */
export const WRITTEN_AFTER = 2 * MINUTE

/** How many keys one statement writes. */
const WRITTEN_AT_ONCE = 1_000

/** How long closing the scope waits for the last write. */
const LAST_WRITE = SECOND

/** Uses that are noted until the scope ends, and written then as well. */
export const make: Effect.Effect<KeyUses, never, Storage | Scope.Scope> = Effect.gen(function* () {
  const storage = yield* Storage
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const noted = new Map<string, Use>()
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
