/**
 * The rate limit of API keys: a token bucket per key, on the machine's clock. Full buckets are dropped from time to time,
 * so memory grows with the keys in use only.
 */
import { Duration } from "effect"

/** The number of requests per window, in one burst or spread; or no limit. */
export type Rate = { readonly requests: number; readonly window: Duration.Input } | "off"

interface Bucket {
  tokens: number
  at: number
}

/** The number of requests between two removals of full buckets. */
const SWEEP = 10_000

export interface RateLimit {
  /** Takes a token at `now`, in ms. Returns 0, or the seconds until there is a token. */
  readonly take: (key: string, now: number) => number
}

/** A limiter for a rate. */
export const make = (rate: Rate): RateLimit => {
  if (rate === "off") return { take: () => 0 }
  const { requests } = rate
  const perMilli = requests / Duration.toMillis(Duration.fromInputUnsafe(rate.window))
  const buckets = new Map<string, Bucket>()
  let takes = 0

  const filled = (bucket: Bucket, now: number): number =>
    Math.min(requests, bucket.tokens + Math.max(0, now - bucket.at) * perMilli)

  const sweep = (now: number): void => {
    for (const [key, bucket] of buckets) {
      if (filled(bucket, now) >= requests) buckets.delete(key)
    }
  }

  return {
    take: (key, now) => {
      if (++takes % SWEEP === 0) sweep(now)
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        bucket = { tokens: requests, at: now }
        buckets.set(key, bucket)
      }
      bucket.tokens = filled(bucket, now)
      bucket.at = now
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1
        return 0
      }
      return Math.max(1, Math.ceil((1 - bucket.tokens) / perMilli / 1000))
    }
  }
}
