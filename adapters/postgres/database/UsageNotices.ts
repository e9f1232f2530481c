/**
 * The usage of rate limits and what is under way (rule W10), which go along with the notifications: what this process
 * publishes, merged by caller until it is sent, and who listens to other processes. Usage that is published while there
 * is no connection is kept, up to a bound, and sent by the next one. What is under way is not published by a process
 * that has received nothing from another one lately.
 */
import { Effect, Schema, type Scope } from "effect"
import type { RateLimitUsage } from "simplan/ports"

/** Usage as it is sent. */
export const Usages = Schema.Array(Schema.Struct({ limit: Schema.String, caller: Schema.String, cost: Schema.Finite }))

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What is under way as it is sent. */
export const UnderWays = Schema.Array(Schema.Struct({ caller: Schema.String, requests: Count, streams: Count }))

/** What goes along in one message. */
export interface Notice {
  readonly usage: typeof Usages.Type
  /** Absent from processes of older versions, which do not publish it. */
  readonly underWay?: typeof UnderWays.Type
}

export interface UsageNotices extends RateLimitUsage.RateLimitUsage {
  /** Some of what is not sent yet, which then counts as sent. */
  readonly take: () => Required<Notice>
  readonly isEmpty: () => boolean
  /** Passes on what another process has published. */
  readonly receive: (notice: Notice, from: string) => void
}

/** The callers in one message: PostgreSQL takes up to 8,000 bytes. */
const IN_A_MESSAGE = 50

/** How many of them may be for what callers have under way; the others are for usage. */
const UNDER_WAY_IN_A_MESSAGE = 25

/** The callers that wait to be published. Beyond, usage is not published. */
const WAITING = 10_000

/**
 * A process that has received nothing from another one for so long is alone, in milliseconds. It is longer than between
 * heartbeats.
 */
const ALONE = 30_000

const watching = <Listener>(watchers: Set<Listener>, listener: Listener): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watchers.add(listener)),
      () => Effect.sync(() => watchers.delete(listener))
    )
  )

/** Takes up to `count` values out of a map. */
const taken = <A>(from: Map<string, A>, count: number): ReadonlyArray<A> => {
  const values: Array<A> = []
  for (const [key, value] of from) {
    if (values.length >= count) break
    from.delete(key)
    values.push(value)
  }
  return values
}

/** `onPending` is called when there is something to send. */
export const make = (onPending: () => void): UsageNotices => {
  const watchers = new Set<(usage: RateLimitUsage.Usage) => void>()
  const watchersOfInFlight = new Set<(underWay: RateLimitUsage.UnderWay, from: string) => void>()
  const unpublished = new Map<string, RateLimitUsage.Usage>()
  const unpublishedInFlight = new Map<string, RateLimitUsage.UnderWay>()
  let receivedAt = Number.NEGATIVE_INFINITY
  return {
    publish: (usage) => {
      const key = `${usage.limit} ${usage.caller}`
      const before = unpublished.get(key)
      if (before === undefined && unpublished.size >= WAITING) return
      unpublished.set(key, before === undefined ? usage : { ...usage, cost: before.cost + usage.cost })
      onPending()
    },
    watch: (listener) => watching(watchers, listener),
    publishInFlight: (underWay) => {
      if (performance.now() - receivedAt > ALONE) return
      if (!unpublishedInFlight.has(underWay.caller) && unpublishedInFlight.size >= WAITING) return
      unpublishedInFlight.set(underWay.caller, underWay)
      onPending()
    },
    watchInFlight: (listener) => watching(watchersOfInFlight, listener),
    take: () => {
      const underWay = taken(unpublishedInFlight, UNDER_WAY_IN_A_MESSAGE)
      const usage = taken(unpublished, IN_A_MESSAGE - underWay.length)
      return { underWay, usage: usage.map((one) => ({ ...one, cost: Math.round(one.cost * 100) / 100 })) }
    },
    isEmpty: () => unpublished.size === 0 && unpublishedInFlight.size === 0,
    receive: ({ underWay = [], usage }, from) => {
      receivedAt = performance.now()
      for (const one of usage) for (const listener of watchers) listener(one)
      for (const one of underWay) for (const listener of watchersOfInFlight) listener(one, from)
    }
  }
}
