/**
 * A cache of what the storage has committed.
 *
 * A call inside a transaction of the host reads past the cache (rule H1): what it sees may be rolled back, so nobody else
 * is given it. And it waits for no read of others, which may wait for the very connection that the transaction has.
 */
import { Cache, Effect, Exit } from "effect"
import { HostTransaction } from "../../ports/HostTransaction.ts"

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
    const cache = yield* Cache.makeWith(read, {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? keepMillis(exit.value) : 0)
    })
    return {
      get: (key) => Effect.flatMap(inTransaction, (isInside) => (isInside ? read(key) : Cache.get(cache, key))),
      empty: () => Effect.runSync(Cache.invalidateAll(cache))
    }
  })
