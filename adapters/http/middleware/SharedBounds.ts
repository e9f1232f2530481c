/**
 * Makes the bounds of a key hold over all processes together (rule W10): tells the others what the key has under way here,
 * and limits this process by what they have told.
 *
 * Numbers are absolute, and told again each second. Those of another process are forgotten after 3 s, so that one that was
 * killed holds no places. A key with few requests and streams under way, in all processes that tell, is not told of.
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
  /** Sets how many there are: `bounds` itself where no other process tells of the key. */
  readonly allow: (key: string, bounds: Bounds) => void
}

export interface SharedBounds {
  /** From which numbers on a process tells. */
  readonly toldFrom: Bounds
  /** Follows a key that has as many under way, until there is no more to tell or to hear of it. */
  readonly follow: (key: string) => void
}

/** The interval at which the followed keys are looked at, in milliseconds. */
const INTERVAL = 100

/** After how many intervals the same numbers are told again. */
const RENEWAL = 10

/** After how many intervals the numbers of another process are forgotten. */
const LIFETIME = 30

const nothing: Bounds = { requests: 0, streams: 0 }

interface Followed {
  told: Bounds
  toldFor: number
  readonly others: Map<string, Bounds & { age: number }>
}

/** The least of a bound that is told: an eighth, so that several processes that tell nothing stay near the bound. */
const leastTold = (bound: number): number => Math.min(bound, Math.max(2, Math.floor(bound / 8)))

/** Shares the bounds of all keys, until the scope ends. */
export const make = (bounds: Bounds, places: Places): Effect.Effect<SharedBounds, never, Scope.Scope> =>
  Effect.gen(function* () {
    const usage = yield* RateLimitUsage.RateLimitUsage
    const keys = new Map<string, Followed>()
    const isFollowing = Latch.makeUnsafe(false)
    const toldFrom = { requests: leastTold(bounds.requests), streams: leastTold(bounds.streams) }

    const followed = (key: string): Followed => {
      let one = keys.get(key)
      if (one === undefined) {
        one = { told: nothing, toldFor: 0, others: new Map() }
        keys.set(key, one)
        isFollowing.openUnsafe()
      }
      return one
    }

    const look = (key: string, one: Followed): void => {
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

      const isTold = own.requests + requests >= toldFrom.requests || own.streams + streams >= toldFrom.streams
      const { requests: nowRequests, streams: nowStreams } = isTold ? own : nothing
      const isNew = nowRequests !== one.told.requests || nowStreams !== one.told.streams
      const isDue = ++one.toldFor >= RENEWAL && nowRequests + nowStreams > 0
      if (isNew || isDue) {
        one.told = { requests: nowRequests, streams: nowStreams }
        one.toldFor = 0
        usage.tellUnderWay({ caller: key, ...one.told })
      }
      if (!isTold && one.others.size === 0) keys.delete(key)
    }

    yield* usage.watchUnderWay(({ caller, requests, streams }, from) => {
      if (requests + streams > 0) followed(caller).others.set(from, { requests, streams, age: 0 })
      else keys.get(caller)?.others.delete(from)
    })
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.gen(function* () {
          yield* isFollowing.await
          yield* Effect.sleep(INTERVAL)
          for (const [key, one] of keys) look(key, one)
          if (keys.size === 0) isFollowing.closeUnsafe()
        })
      )
    )
    return { toldFrom, follow: (key) => void followed(key) }
  })
