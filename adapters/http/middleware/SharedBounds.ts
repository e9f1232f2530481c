/**
 * Makes the bounds of a key hold over all processes together (rule W10): publishes what the key has under way here,
 * and limits this process by what the others have published.
 *
 * Numbers are absolute, and published again each second. Those of another process are forgotten after 3 s, so that one
 * that was killed holds no places. Keys with little traffic are not published.
 *
 * A process takes what is left of the bound for streams at once. Of the free places for requests it takes its part only, ten
 * times a second, and gives up its part where there are too many: if each process took or gave up all of them, those
 * with short requests would do so together, again and again.
 */
import { Effect, Latch, type Scope } from "effect"
import { RateLimitUsage } from "simplan/ports"

/** How much of a key may be under way at a time, or is. */
export interface Bounds {
  /** The requests of a key that are under way at a time. */
  readonly requests: number
  /** The streamed answers of a key at a time. */
  readonly streams: number
}

/** The places of keys in this process. */
export interface Places {
  /** How many are taken. */
  readonly taken: (key: string) => Bounds
  /** Sets how many there are: `bounds` itself where no other process publishes the key. */
  readonly allow: (key: string, bounds: Bounds) => void
}

export interface SharedBounds {
  /** From which numbers on a process publishes. */
  readonly publishThreshold: Bounds
  /** Follows a key that has as many under way, until there is no more to publish or to receive of it. */
  readonly follow: (key: string) => void
}

/** The interval at which the bounds of the followed keys are shared, in milliseconds. */
const INTERVAL = 100

/** After how many intervals the same numbers are published again. */
const RENEWAL = 10

/** After how many intervals the numbers of another process are forgotten. */
const LIFETIME = 30

const nothing: Bounds = { requests: 0, streams: 0 }

interface Followed {
  published: Bounds
  publishedFor: number
  readonly others: Map<string, Bounds & { age: number }>
}

/**
 * The least of a bound that is published: an eighth, so that several processes that publish nothing stay near the
 * bound.
 */
const leastPublished = (bound: number): number => Math.min(bound, Math.max(2, Math.floor(bound / 8)))

/** Shares the bounds of all keys, until the scope ends. */
export const make = (bounds: Bounds, places: Places): Effect.Effect<SharedBounds, never, Scope.Scope> =>
  Effect.gen(function* () {
    const usage = yield* RateLimitUsage.RateLimitUsage
    const keys = new Map<string, Followed>()
    const isFollowing = Latch.makeUnsafe(false)
    const publishThreshold = { requests: leastPublished(bounds.requests), streams: leastPublished(bounds.streams) }

    const followed = (key: string): Followed => {
      let one = keys.get(key)
      if (one === undefined) {
        one = { published: nothing, publishedFor: 0, others: new Map() }
        keys.set(key, one)
        isFollowing.openUnsafe()
      }
      return one
    }

    const share = (key: string, one: Followed): void => {
      let [requests, streams, processes] = [0, 0, 1]
      for (const [from, other] of one.others) {
        other.age += 1
        if (other.age > LIFETIME) one.others.delete(from)
        else {
          requests += other.requests
          streams += other.streams
          if (other.requests > 0) processes += 1
        }
      }
      const own = places.taken(key)
      const missing = bounds.requests - own.requests - requests
      const allowed = {
        // At least one, so that a process is not starved by the others.
        requests: Math.max(1, own.requests + Math.ceil(missing / processes)),
        streams: Math.max(0, bounds.streams - streams)
      }
      places.allow(key, one.others.size === 0 ? bounds : allowed)

      const isPublished =
        own.requests + requests >= publishThreshold.requests || own.streams + streams >= publishThreshold.streams
      const { requests: nowRequests, streams: nowStreams } = isPublished ? own : nothing
      const isNew = nowRequests !== one.published.requests || nowStreams !== one.published.streams
      const isDue = ++one.publishedFor >= RENEWAL && nowRequests + nowStreams > 0
      if (isNew || isDue) {
        one.published = { requests: nowRequests, streams: nowStreams }
        one.publishedFor = 0
        usage.publishInFlight({ caller: key, ...one.published })
      }
      if (!isPublished && one.others.size === 0) keys.delete(key)
    }

    yield* usage.watchInFlight(({ caller, requests, streams }, from) => {
      if (requests + streams > 0) followed(caller).others.set(from, { requests, streams, age: 0 })
      else keys.get(caller)?.others.delete(from)
    })
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.gen(function* () {
          yield* isFollowing.await
          yield* Effect.sleep(INTERVAL)
          for (const [key, one] of keys) share(key, one)
          if (keys.size === 0) isFollowing.closeUnsafe()
        })
      )
    )
    return { publishThreshold, follow: (key) => void followed(key) }
  })
