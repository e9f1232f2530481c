/**
 * Rate limits: a token bucket per caller, on monotonic time (rules W10 and W13).
 *
 * A caller with a token left may go on, and is charged afterwards for what it turned out to cost.
 * That may leave a debt, which delays its next request. What callers use is published to the other
 * processes as soon as it is a twentieth of the limit, and what they publish is taken from the
 * buckets here, so that a limit holds over all processes. Full buckets are dropped from time to
 * time, so memory grows with the callers in use only.
 *
 * Requests that need no key and cost something, the documents and the metrics, are limited by the
 * client's address, in each process for itself. A client whose address is unknown is not limited.
 */
import { Clock, Duration, Effect, type Scope } from "effect"
import type { HttpServerResponse } from "effect/http"
import { RequestContext } from "simplan"
import { Clocks, RateLimitUsage } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import * as Requests from "./Requests.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The number of requests per window, in one burst or spread; or no limit. */
export type Rate = { readonly requests: number; readonly window: Duration.Input } | "off"

interface Bucket {
  tokens: number
  at: number
  /** What was used and not published to the other processes yet. */
  unpublished: number
}

/** The number of charges between two removals of full buckets. */
const SWEEP = 10_000

/** The largest number of buckets. Beyond, the oldest is dropped. */
const BUCKETS = 100_000

/** A caller's debt is at most so many windows. */
const LARGEST_DEBT = 10

/** Usage is published from this part of the limit on. */
const PUBLISHED_SHARE = 1 / 20

/** What a caller has left. */
export interface Left {
  /** What may still be used at once, rounded down. */
  readonly tokens: number
  /** The seconds until the caller has its whole quota again. */
  readonly reset: number
}

/** One limit, and what each caller has left of it (rule W10). */
export interface RateLimit {
  /** What a caller may use in one window. */
  readonly quota: number
  /** After how many seconds a used up quota is whole again. */
  readonly windowSeconds: number
  /**
   * Charges for a request if the caller has a token at `now`, in ms. Returns 0, or the seconds
   * until it has one.
   */
  readonly take: (caller: string, now: number) => number
  /** The seconds until the caller has a token; 0 if it has one. Charges nothing. */
  readonly wait: (caller: string, now: number) => number
  /** Charges for what a request cost. */
  readonly charge: (caller: string, cost: number, now: number) => void
  /** The milliseconds until the caller has half of its quota; 0 if it has. */
  readonly untilHalf: (caller: string, now: number) => number
  /** What the caller has at `now`, in ms. Charges nothing. */
  readonly left: (caller: string, now: number) => Left
  /** Whether no caller was charged lately. */
  readonly isIdle: () => boolean
}

/** A limiter for a rate, which shares its usage under a name; null without a limit. */
export const make = (name: string, rate: Rate): Effect.Effect<RateLimit | null, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (rate === "off") return null
    const usage = yield* RateLimitUsage.RateLimitUsage
    const clock = yield* Clock.Clock
    const { requests: quota } = rate
    const windowMillis = Duration.toMillis(Duration.fromInputUnsafe(rate.window))
    const perMilli = quota / windowMillis
    const buckets = new Map<string, Bucket>()
    let charges = 0

    const filled = (bucket: Bucket, now: number): number =>
      Math.min(quota, bucket.tokens + Math.max(0, now - bucket.at) * perMilli)

    const sweep = (now: number): void => {
      for (const [caller, bucket] of buckets) if (filled(bucket, now) >= quota) buckets.delete(caller)
    }

    /** The caller's bucket, filled up to `now`. */
    const bucketOf = (caller: string, now: number): Bucket => {
      let bucket = buckets.get(caller)
      if (bucket === undefined) {
        if (buckets.size >= BUCKETS) for (const oldest of buckets.keys()) if (buckets.delete(oldest)) break
        bucket = { tokens: quota, at: now, unpublished: 0 }
        buckets.set(caller, bucket)
      }
      bucket.tokens = filled(bucket, now)
      bucket.at = Math.max(bucket.at, now)
      return bucket
    }

    const spend = (bucket: Bucket, cost: number): void => {
      bucket.tokens = Math.max(-LARGEST_DEBT * quota, bucket.tokens - cost)
    }

    const chargeTo = (bucket: Bucket, caller: string, cost: number, now: number): void => {
      spend(bucket, cost)
      bucket.unpublished += cost
      if (bucket.unpublished >= quota * PUBLISHED_SHARE) {
        usage.publish({ limit: name, caller, cost: bucket.unpublished })
        bucket.unpublished = 0
      }
      if (++charges % SWEEP === 0) sweep(now)
    }

    const secondsUntil = (bucket: Bucket, tokens: number): number =>
      bucket.tokens >= tokens ? 0 : Math.max(1, Math.ceil((tokens - bucket.tokens) / perMilli / 1000))

    yield* usage.watch(({ caller, cost, limit }) => {
      if (limit === name) spend(bucketOf(caller, Clocks.monotonicNowUnsafe(clock)), cost)
    })

    return {
      quota,
      windowSeconds: Math.max(1, Math.round(windowMillis / 1000)),
      take: (caller, now) => {
        const bucket = bucketOf(caller, now)
        const seconds = secondsUntil(bucket, 1)
        if (seconds === 0) chargeTo(bucket, caller, 1, now)
        return seconds
      },
      wait: (caller, now) => {
        const bucket = buckets.get(caller)
        return bucket === undefined ? 0 : secondsUntil({ ...bucket, tokens: filled(bucket, now) }, 1)
      },
      charge: (caller, cost, now) => {
        if (cost > 0) chargeTo(bucketOf(caller, now), caller, cost, now)
      },
      untilHalf: (caller, now) => Math.max(0, (quota / 2 - bucketOf(caller, now).tokens) / perMilli),
      left: (caller, now) => {
        const bucket = bucketOf(caller, now)
        return { tokens: Math.max(0, Math.floor(bucket.tokens)), reset: secondsUntil(bucket, quota) }
      },
      isIdle: () => buckets.size === 0
    }
  })

/** What an address may ask for without a key if no other rate is set. */
export const withoutKey: Rate = { requests: 100, window: "1 second" }

/** The bytes of an answer that cost as much as a request. */
const UNIT = 65_536

/**
 * Makes an answer within the limit of the client's address, or refuses it (429). `cost` is that of
 * an empty answer.
 */
export type AddressLimit = <E, R>(answer: Effect.Effect<Response, E, R>, cost?: number) => Effect.Effect<Response, E, R>

const refused = (seconds: number): Response =>
  Errors.response({
    code: "rate_limited",
    message: "Too many requests without a key from this address",
    headers: Errors.retryAfter(seconds)
  })

/** The limit, for all routes that it is given to. */
export const byAddress = (rate: Rate): Effect.Effect<AddressLimit, never, Scope.Scope> =>
  make("requests without a key", rate).pipe(
    Effect.provideService(RateLimitUsage.RateLimitUsage, RateLimitUsage.RateLimitUsage.defaultValue()),
    Effect.map((limit): AddressLimit => {
      if (limit === null) return (answer) => answer
      return (answer, cost = 1) =>
        Effect.flatMap(RequestContext.Current, ({ address }) => {
          if (address === null) return answer
          const network = Requests.network(address)
          return Effect.flatMap(Clocks.monotonicNow, (now) => {
            const seconds = limit.take(network, now)
            if (seconds > 0) return Effect.succeed(refused(seconds))
            return Effect.map(answer, (response) => {
              const { body } = response
              const bytes = body._tag === "Uint8Array" ? body.contentLength : 0
              limit.charge(network, cost - 1 + Math.floor(bytes / UNIT), now)
              return response
            })
          })
        })
    })
  )
