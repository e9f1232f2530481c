/**
 * How much callers may have under way at a time: requests and streams per API key (rule W10), and
 * reads of the database per organization (rule W13). These bounds hold without a rate limit too.
 *
 * Requests and streams are bounded over all processes together. Each process publishes how many it
 * has under way. Numbers are absolute, and published again each second. Those of another process
 * are forgotten after 3 s, so that one that was killed holds no places. Keys with little traffic
 * are not published.
 *
 * Reads are bounded in each process by the bytes that they will load. So few large answers are made
 * at a time, whichever keys ask for them, and a read of another organization waits behind little of
 * them, in the database too. What was made counts as unread then. How much a read will load is
 * known from what the organization's reads of the route have loaded lately: the most of a minute,
 * half of that after each minute more. If nothing is known, little room is taken for granted.
 */
import { Clock, Effect, Latch, type Scope } from "effect"
import { FairSlots } from "simplan"
import { Clocks, RateLimitUsage } from "simplan/ports"

/** How much of a key may be under way at a time, or is. */
export interface Bounds {
  /** The requests of a key that are under way at a time. */
  readonly requests: number
  /** The streamed answers of a key at a time. */
  readonly streams: number
}

/** The places of keys in this process. */
interface Places {
  /** How many are taken. */
  readonly taken: (key: string) => Bounds
  /** Sets how many there are: `bounds` itself if no other process publishes the key. */
  readonly allow: (key: string, bounds: Bounds) => void
}

interface SharedBounds {
  /** From which numbers on a process publishes. */
  readonly publishThreshold: Bounds
  /**
   * Follows a key that has as many under way, until there is no more to publish or to receive of
   * it.
   */
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
 * The least of a bound that is published: an eighth, so that several processes that publish nothing
 * stay near the bound.
 */
const leastPublished = (bound: number): number => Math.min(bound, Math.max(2, Math.floor(bound / 8)))

/**
 * Publishes what the keys have under way here, and limits this process by what the others have
 * published, until the scope ends.
 *
 * A process takes what is left of the bound for streams at once. Of the free places for requests it
 * takes its part only, ten times a second, and gives up its part if there are too many: if each
 * process took or gave up all of them, those with short requests would do so together, again and
 * again.
 */
const sharing = (bounds: Bounds, places: Places): Effect.Effect<SharedBounds, never, Scope.Scope> =>
  Effect.gen(function* () {
    const usage = yield* RateLimitUsage.RateLimitUsage
    const keys = new Map<string, Followed>()
    const isFollowing = Latch.makeUnsafe(false)
    const publishThreshold = { requests: leastPublished(bounds.requests), streams: leastPublished(bounds.streams) }

    const followed = (key: string): Followed => {
      let used = keys.get(key)
      if (used === undefined) {
        used = { published: nothing, publishedFor: 0, others: new Map() }
        keys.set(key, used)
        isFollowing.openUnsafe()
      }
      return used
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

export const defaults: Bounds = { requests: 32, streams: 8 }

/** How long a request waits for a place, in milliseconds. */
const WAIT_LIMIT = 1_000

/** How many requests of a key may wait for a place. */
const MOST_WAITING = 256

interface Held {
  requests: number
  streams: number
  /** How many there may be in this process. */
  allowed: Bounds
  readonly waiting: Set<() => void>
}

export interface Concurrency {
  /**
   * Takes a place for a request, without waiting. Whoever got one calls `leave` once. A key without
   * room gets one place only.
   */
  readonly tryEnter: (key: string, hasRoom?: () => boolean) => boolean
  /** Takes a place for a request; false if there was none within a second. */
  readonly enter: (key: string, onEntered: () => void, hasRoom?: () => boolean) => Effect.Effect<boolean>
  readonly leave: (key: string) => void
  /** Takes a place for a stream. Whoever got one calls `closeStream` once. */
  readonly tryOpenStream: (key: string) => boolean
  readonly closeStream: (key: string) => void
}

/** The bounds of all keys, shared with other processes until the scope ends. */
export const make = Effect.fnUntraced(function* (bounds: Bounds): Effect.fn.Return<Concurrency, never, Scope.Scope> {
  const byKey = new Map<string, Held>()

  const holder = (key: string): Held => {
    let held = byKey.get(key)
    if (held === undefined) {
      held = { requests: 0, streams: 0, allowed: bounds, waiting: new Set() }
      byKey.set(key, held)
    }
    return held
  }

  const forget = (key: string, held: Held): void => {
    if (held.requests + held.streams + held.waiting.size === 0 && held.allowed === bounds) byKey.delete(key)
  }

  const wake = (held: Held, count: number): void => {
    for (const one of held.waiting) {
      if (count-- <= 0) return
      held.waiting.delete(one)
      one()
    }
  }

  const shared = yield* sharing(bounds, {
    taken: (key) => byKey.get(key) ?? { requests: 0, streams: 0 },
    allow: (key, allowed) => {
      const held = holder(key)
      held.allowed = allowed
      wake(held, allowed.requests - held.requests)
      forget(key, held)
    }
  })

  const tryEnter: Concurrency["tryEnter"] = (key, hasRoom) => {
    const held = holder(key)
    if (held.requests >= held.allowed.requests) return false
    if (held.requests > 0 && hasRoom?.() === false) return false
    held.requests += 1
    if (held.requests >= shared.publishThreshold.requests) shared.follow(key)
    return true
  }

  /** Ends when a request has left. */
  const left = (held: Held): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const go = (): void => resume(Effect.void)
      held.waiting.add(go)
      return Effect.sync(() => void held.waiting.delete(go))
    })

  const entered = (key: string, onEntered: () => void, hasRoom?: () => boolean): Effect.Effect<true> =>
    Effect.suspend(() => {
      if (!tryEnter(key, hasRoom)) return Effect.andThen(left(holder(key)), entered(key, onEntered, hasRoom))
      onEntered()
      return Effect.succeed(true as const)
    })

  return {
    tryEnter,
    enter: (key, onEntered, hasRoom) =>
      Effect.suspend(() =>
        holder(key).waiting.size >= MOST_WAITING
          ? Effect.succeed(false)
          : Effect.timeoutOrElse(entered(key, onEntered, hasRoom), {
              duration: WAIT_LIMIT,
              orElse: () => Effect.succeed(false)
            })
      ),
    leave: (key) => {
      const held = holder(key)
      held.requests -= 1
      wake(held, 1)
      forget(key, held)
    },
    tryOpenStream: (key) => {
      const held = holder(key)
      if (held.streams >= held.allowed.streams) return false
      held.streams += 1
      if (held.streams >= shared.publishThreshold.streams) shared.follow(key)
      return true
    },
    closeStream: (key) => {
      const held = holder(key)
      held.streams -= 1
      forget(key, held)
    }
  }
})

/** The bytes of a slot. */
const SLOT = 32_768

/**
 * The slots of the process: 2 MiB that are being read. As objects and texts that is several times
 * as much.
 */
const SLOTS = 64

/** The slots of one read: as many as 1 MiB has, the most that an aggregate takes (rule W9). */
const MOST = 32

/** The slots of a read of which nothing is known. */
const UNKNOWN = 8

/** How many reads of an organization wait. */
const MOST_READS_WAITING = 256

/** How long a read waits, in milliseconds. */
const READ_WAIT_LIMIT = 5_000

/** For how long the largest read is remembered as it was, in milliseconds. */
const WINDOW = 60_000

/** Of how many organizations a route is remembered. */
const REMEMBERED = 1_000

interface Largest {
  slots: number
  /** That of the last window. */
  before: number
  since: number
}

/**
 * Room for what is being read (rule W13): a read begins when there is room for about as many bytes
 * as it will load, which organizations share by the turns of `FairSlots`.
 */
export interface ReadRoom {
  /** The slots that a read will need. */
  readonly expected: (organizationId: string, route: string) => number
  /** Remembers how many bytes a read has loaded. */
  readonly learn: (organizationId: string, route: string, bytes: number) => void
  /** Takes slots at once; false if there is no room. Whoever got them gives them back. */
  readonly tryTake: (organizationId: string, slots: number) => boolean
  /** Waits for slots for `READ_WAIT_LIMIT`; `onTaken` runs when they are the caller's. */
  readonly take: (organizationId: string, slots: number, onTaken: () => void) => Effect.Effect<boolean>
  readonly give: (organizationId: string, slots: number) => void
  /** The slots that are taken: by an organization, or by all. */
  readonly held: (organizationId?: string) => number
}

const slotsOf = (bytes: number): number => Math.min(MOST, Math.max(1, Math.ceil(bytes / SLOT)))

/** The room of a process. */
export const makeReadRoom: Effect.Effect<ReadRoom> = Effect.map(Clock.Clock, (clock) => {
  const slots = FairSlots.make({ slots: SLOTS, mostWaiting: MOST_READS_WAITING })
  const routes = new Map<string, Map<string, Largest>>()

  const largest = (organizationId: string, route: string): Largest | undefined => {
    const lines = routes.get(route)?.get(organizationId)
    if (lines === undefined) return undefined
    const windows = Math.floor((Clocks.monotonicNowUnsafe(clock) - lines.since) / WINDOW)
    if (windows > 0) {
      lines.before = Math.floor(Math.max(lines.slots, lines.before / 2) / 2 ** (windows - 1))
      lines.slots = 1
      lines.since += windows * WINDOW
    }
    return lines
  }

  return {
    expected: (organizationId, route) => {
      const most = largest(organizationId, route)
      return most === undefined ? UNKNOWN : Math.max(most.slots, most.before)
    },
    learn: (organizationId, route, bytes) => {
      const found = slotsOf(bytes)
      const most = largest(organizationId, route)
      if (most !== undefined) {
        most.slots = Math.max(most.slots, found)
        return
      }
      const known = routes.get(route) ?? new Map<string, Largest>()
      routes.set(route, known)
      if (known.size >= REMEMBERED) for (const oldest of known.keys()) if (known.delete(oldest)) break
      known.set(organizationId, { slots: found, before: 1, since: Clocks.monotonicNowUnsafe(clock) })
    },
    tryTake: slots.tryTake,
    take: (organizationId, needed, onTaken) =>
      slots.take({ organizationId, isUrgent: true, waitLimitMillis: READ_WAIT_LIMIT, slots: needed }, onTaken),
    give: slots.give,
    held: slots.held
  }
})
