/**
 * Limits guessing (rule W10): wrong API keys and tokens are counted by the client's address. An address that has sent too
 * many gets 429, and its unknown keys are not looked up any more. Known keys and right tokens go on working, whatever
 * else comes from their address. A client whose address is unknown is not limited.
 */
import { Effect, type Scope } from "effect"
import { RequestContext } from "simplan"
import { MonotonicTime } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import * as ClientAddress from "./ClientAddress.ts"
import * as RateLimit from "./RateLimit.ts"

export const preset: RateLimit.Rate = { requests: 100, window: "10 seconds" }

export interface FailedAuthentication {
  /** Runs the check of a key, unless the key is unknown and its address has failed too often. */
  readonly guarded: <A, E>(check: Effect.Effect<A, E>, isKnown: () => boolean) => Effect.Effect<A, E | Errors.Problem>
  /** Counts a failed attempt. It fails with the problem, or with 429. */
  readonly count: (problem: Errors.Problem) => Effect.Effect<never, Errors.Problem>
}

const limited = (seconds: number): Errors.Problem =>
  new Errors.Problem({
    code: "rate_limited",
    message: "Too many wrong keys or tokens from this address",
    headers: Errors.retryAfter(seconds)
  })

export const make = (rate: RateLimit.Rate): Effect.Effect<FailedAuthentication, never, Scope.Scope> =>
  Effect.map(RateLimit.make("failed authentication", rate), (limit): FailedAuthentication => {
    if (limit === null) return { guarded: (check) => check, count: Effect.fail }
    /** The seconds until the address may fail again, by one of the limiter's operations. */
    const ask = (operation: "take" | "wait"): Effect.Effect<number> =>
      Effect.flatMap(RequestContext.Current, ({ address }) =>
        address === null
          ? Effect.succeed(0)
          : Effect.map(MonotonicTime.now, (now) => limit[operation](ClientAddress.network(address), now))
      )
    const wait = ask("wait")
    const take = ask("take")
    return {
      guarded: <A, E>(check: Effect.Effect<A, E>, isKnown: () => boolean): Effect.Effect<A, E | Errors.Problem> =>
        limit.isIdle()
          ? check
          : Effect.flatMap(
              wait,
              (seconds): Effect.Effect<A, E | Errors.Problem> =>
                seconds > 0 && !isKnown() ? Effect.fail(limited(seconds)) : check
            ),
      count: (problem) => Effect.flatMap(take, (seconds) => Effect.fail(seconds > 0 ? limited(seconds) : problem))
    }
  })
