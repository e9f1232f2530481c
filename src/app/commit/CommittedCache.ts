/**
 * A cache of what the storage has committed.
 *
 * A call inside a transaction of the host reads past the cache (rule H1): what it sees may be rolled back, so nobody else
 * is given it. And it waits for no read of others, which may wait for the very connection that the transaction has.
 */
import { Cache, Effect, Exit } from "effect"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"

export interface CommittedCache<Key, A, E> {
  readonly get: (key: Key) => Effect.Effect<A, E>
  /** Forgets everything. */
  readonly empty: () => void
}

/** `keepMillis` is for how many milliseconds a value is kept; a failure is not. */
export const make = <Key, A, E>(
  read: (key: Key) => Effect.Effect<A, E>,
  { capacity, keepMillis }: { readonly capacity: number; readonly keepMillis: (value: A) => number }
): Effect.Effect<CommittedCache<Key, A, E>> =>
  Effect.gen(function* () {
    const inTransaction = yield* HostTransaction
    // `Cache` counts the time of its entries by the machine's clock, which may be set (rule W13).
    const kept = (key: Key) =>
      Effect.map(Effect.all([read(key), MonotonicTime.now]), ([value, now]) => ({
        value,
        until: now + keepMillis(value)
      }))
    const cache = yield* Cache.makeWith(kept, {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Number.POSITIVE_INFINITY : 0)
    })
    const cached = (key: Key): Effect.Effect<A, E> =>
      Effect.flatMap(Cache.get(cache, key), (found) =>
        Effect.flatMap(MonotonicTime.now, (now) =>
          now < found.until
            ? Effect.succeed(found.value)
            : Effect.andThen(
                Cache.invalidateWhen(cache, key, (present) => present === found),
                Effect.map(Cache.get(cache, key), ({ value }) => value)
              )
        )
      )
    return {
      get: (key) => Effect.flatMap(inTransaction, (isInside) => (isInside ? read(key) : cached(key))),
      empty: () => Effect.runSync(Cache.invalidateAll(cache))
    }
  })
