/**
 * The usage of rate limits and what is under way (rule W10), which go along with the notifications: what this process
 * tells, merged by caller until it is sent, and who hears what other processes tell. Usage that is told while there is no
 * connection is kept, up to a bound, and sent by the next one. What is under way is told to nobody by a process that has
 * not heard of another one lately.
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
  /** Absent from processes of older versions, which tell nothing of it. */
  readonly underWay?: typeof UnderWays.Type
}

export interface UsageNotices extends RateLimitUsage.RateLimitUsage {
  /** Some of what is not sent yet, which then counts as sent. */
  readonly take: () => Required<Notice>
  readonly isEmpty: () => boolean
  /** Passes on what another process has told. */
  readonly hear: (notice: Notice, from: string) => void
}

/** The callers in one message: PostgreSQL takes up to 8,000 bytes. */
const IN_A_MESSAGE = 50

/** How many of them may be told of for what they have under way; the others are for usage. */
const UNDER_WAY_IN_A_MESSAGE = 25

/** The callers that wait to be told. Beyond, usage is not told. */
const WAITING = 10_000

/** A process that has heard of no other one for so long is alone, in milliseconds. It is longer than between heartbeats. */
const ALONE = 30_000

const watching = <Hear>(watchers: Set<Hear>, hear: Hear): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watchers.add(hear)),
      () => Effect.sync(() => watchers.delete(hear))
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

/** `onTold` is called when there is something to send. */
export const make = (onTold: () => void): UsageNotices => {
  const watchers = new Set<(usage: RateLimitUsage.Usage) => void>()
  const watchersOfUnderWay = new Set<(underWay: RateLimitUsage.UnderWay, from: string) => void>()
  const untold = new Map<string, RateLimitUsage.Usage>()
  const untoldUnderWay = new Map<string, RateLimitUsage.UnderWay>()
  let heardAt = Number.NEGATIVE_INFINITY
  return {
    tell: (usage) => {
      const key = `${usage.limit} ${usage.caller}`
      const before = untold.get(key)
      if (before === undefined && untold.size >= WAITING) return
      untold.set(key, before === undefined ? usage : { ...usage, cost: before.cost + usage.cost })
      onTold()
    },
    watch: (hear) => watching(watchers, hear),
    tellUnderWay: (underWay) => {
      if (performance.now() - heardAt > ALONE) return
      if (!untoldUnderWay.has(underWay.caller) && untoldUnderWay.size >= WAITING) return
      untoldUnderWay.set(underWay.caller, underWay)
      onTold()
    },
    watchUnderWay: (hear) => watching(watchersOfUnderWay, hear),
    take: () => {
      const underWay = taken(untoldUnderWay, UNDER_WAY_IN_A_MESSAGE)
      const usage = taken(untold, IN_A_MESSAGE - underWay.length)
      return { underWay, usage: usage.map((one) => ({ ...one, cost: Math.round(one.cost * 100) / 100 })) }
    },
    isEmpty: () => untold.size === 0 && untoldUnderWay.size === 0,
    hear: ({ underWay = [], usage }, from) => {
      heardAt = performance.now()
      for (const one of usage) for (const hear of watchers) hear(one)
      for (const one of underWay) for (const hear of watchersOfUnderWay) hear(one, from)
    }
  }
}
