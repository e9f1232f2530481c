/**
 * A cache of what the storage has committed. A commit of any process that changes what the cache is
 * of empties it.
 *
 * A call inside a transaction of the host reads past the cache (rule H1): what it sees may be
 * rolled back, so nobody else is given it. And it waits for no read of others, which may wait for
 * the very connection that the transaction has.
 */
import { Cache, Effect, Exit, type Scope } from "effect"
import type { Changes, Watch } from "../../ports/Changes.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"

/**
 * Caches reads until the scope ends, each value for `keepMillis` milliseconds at most, in case
 * the news of a change is lost; a failure is not kept. `emptiedBy` names what the values are of.
 */
export const make = <Key, A, E>(
  watch: Watch,
  read: (key: Key) => Effect.Effect<A, E>,
  {
    capacity,
    emptiedBy,
    keepMillis
  }: {
    readonly capacity: number
    readonly emptiedBy: keyof Pick<Changes, "apiKeys" | "catalogue" | "webhookEndpoints">
    readonly keepMillis: (value: A) => number
  }
): Effect.Effect<(key: Key) => Effect.Effect<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inTransaction = yield* HostTransaction
    // `Cache` counts the time of its entries by the machine's clock, which may be set (rule W13).
    const kept = (key: Key) =>
      Effect.map(Effect.all([read(key), Clocks.monotonicNow]), ([value, now]) => ({
        value,
        until: now + keepMillis(value)
      }))
    const cache = yield* Cache.makeWith(kept, {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Number.POSITIVE_INFINITY : 0)
    })
    yield* watch((changes) => {
      if (changes[emptiedBy]) Effect.runSync(Cache.invalidateAll(cache))
    })
    const cached = (key: Key): Effect.Effect<A, E> =>
      Effect.flatMap(Cache.get(cache, key), (found) =>
        Effect.flatMap(Clocks.monotonicNow, (now) =>
          now < found.until
            ? Effect.succeed(found.value)
            : Effect.andThen(
                Cache.invalidateWhen(cache, key, (present) => present === found),
                Effect.map(Cache.get(cache, key), ({ value }) => value)
              )
        )
      )
    return (key) => Effect.flatMap(inTransaction, (isInside) => (isInside ? read(key) : cached(key)))
  })

/**
 * The cached value at first, and the stored one from the second time on. A decision on an outdated
 * value ends in a conflict, so it is made again on the stored value.
 */
export const cachedThenReload = <A, E>(known: A, load: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let isFirst = true
  return Effect.suspend(() => {
    if (!isFirst) return load
    isFirst = false
    return Effect.succeed(known)
  })
}
