/**
 * The usage of rate limits (rule W10) that goes along with the notifications: what this process tells, merged by caller
 * until it is sent, and who hears what other processes tell. What is told while there is no connection is kept, up to a
 * bound, and sent by the next one.
 */
import { Effect, Schema } from "effect"
import type { RateLimitUsage } from "simplan/ports"

type Hear = (usage: RateLimitUsage.Usage) => void

/** Usage as it is sent. */
export const Usages = Schema.Array(Schema.Struct({ limit: Schema.String, caller: Schema.String, cost: Schema.Finite }))

export interface UsageNotices extends RateLimitUsage.RateLimitUsage {
  /** Some of what is not sent yet, which then counts as sent. */
  readonly take: () => ReadonlyArray<RateLimitUsage.Usage>
  readonly isEmpty: () => boolean
  /** Passes on what another process has told. */
  readonly hear: (usages: typeof Usages.Type) => void
}

/** The callers in one message: PostgreSQL takes up to 8,000 bytes. */
const IN_A_MESSAGE = 50

/** The callers that wait to be told. Beyond, usage is not told. */
const WAITING = 10_000

/** `onTold` is called when there is something to send. */
export const make = (onTold: () => void): UsageNotices => {
  const watchers = new Set<Hear>()
  const untold = new Map<string, RateLimitUsage.Usage>()
  return {
    tell: (usage) => {
      const key = `${usage.limit} ${usage.caller}`
      const before = untold.get(key)
      if (before === undefined && untold.size >= WAITING) return
      untold.set(key, before === undefined ? usage : { ...usage, cost: before.cost + usage.cost })
      onTold()
    },
    watch: (hear) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => watchers.add(hear)),
          () => Effect.sync(() => watchers.delete(hear))
        )
      ),
    take: () => {
      const taken: Array<RateLimitUsage.Usage> = []
      for (const [key, usage] of untold) {
        if (taken.length >= IN_A_MESSAGE) break
        untold.delete(key)
        taken.push({ ...usage, cost: Math.round(usage.cost * 100) / 100 })
      }
      return taken
    },
    isEmpty: () => untold.size === 0,
    hear: (usages) => {
      for (const usage of usages) for (const hear of watchers) hear(usage)
    }
  }
}
