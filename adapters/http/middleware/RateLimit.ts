/**
 * How often a key may call: one token bucket per API key, on the machine's clock. A bucket that has filled up again is
 * forgotten, so that memory follows the keys in use and not those ever seen.
 */
import { Duration } from "effect"

/** So many requests in so much time, at once or spread; or as many as one likes. */
export type Rate = { readonly requests: number; readonly window: Duration.Input } | "off"

interface Bucket {
  tokens: number
  at: number
}

/** How many takes lie between two sweeps of the buckets. */
const SWEEP = 10_000

export interface RateLimit {
  /** Takes a token at the machine's time `now`: 0, or after how many seconds there will be one. */
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
