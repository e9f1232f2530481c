/**
 * Limits guessing (rules W10 and W13): wrong API keys and tokens are counted by the client's address, and one that has sent
 * too many gets 429 for them. A right key or token is never refused for the wrong ones of others behind the same address: a
 * key is wrong only once it was looked up. A client whose address is unknown is not limited.
 *
 * Look-ups of unknown keys have a bound of their own, which addresses share by turns: guesses delay guesses of the same
 * address first, then those of others, and never a known key.
 */
import { Effect, type Scope } from "effect"
import { FairSlots, RequestContext } from "simplan"
import { MonotonicTime } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import * as ClientAddress from "./ClientAddress.ts"
import * as RateLimit from "./RateLimit.ts"

export const preset: RateLimit.Rate = { requests: 100, window: "10 seconds" }

/** How many unknown keys are looked up at a time. */
const SLOTS = 8

/** How many look-ups of one address wait: as many as it has connections. */
const WAITING = 1_000

/** How long a look-up waits, in milliseconds. */
const PATIENCE = 10_000

export interface FailedAuthentication {
  /** Runs the check of a key: where the key is unknown, when it is the turn of its address. */
  readonly guarded: <A, E>(check: Effect.Effect<A, E>, isKnown: () => boolean) => Effect.Effect<A, E | Errors.Problem>
  /** Counts a failed attempt. It fails with the problem, or with 429. */
  readonly count: (problem: Errors.Problem) => Effect.Effect<never, Errors.Problem>
}

const limited = (message: string, seconds: number): Errors.Problem =>
  new Errors.Problem({ code: "rate_limited", message, headers: Errors.retryAfter(seconds) })

const tooManyLookUps = Effect.fail(limited("Too many unknown keys from this address wait to be looked up", 1))

export const make = (rate: RateLimit.Rate): Effect.Effect<FailedAuthentication, never, Scope.Scope> =>
  Effect.map(RateLimit.make("failed authentication", rate), (limit): FailedAuthentication => {
    const slots = FairSlots.make({ slots: SLOTS, mostWaiting: WAITING })
    const network = Effect.map(RequestContext.Current, ({ address }) =>
      address === null ? null : ClientAddress.network(address)
    )
    return {
      guarded: <A, E>(check: Effect.Effect<A, E>, isKnown: () => boolean): Effect.Effect<A, E | Errors.Problem> =>
        Effect.suspend(() =>
          isKnown()
            ? check
            : Effect.flatMap(network, (from): Effect.Effect<A, E | Errors.Problem> => {
                const asking = { organizationId: from ?? "", isUrgent: true, patienceMillis: PATIENCE }
                return slots.run(asking, check, tooManyLookUps)
              })
        ),
      count: (problem) =>
        Effect.flatMap(Effect.all([network, MonotonicTime.now]), ([from, now]) => {
          const seconds = from === null || limit === null ? 0 : limit.take(from, now)
          return Effect.fail(
            seconds > 0 ? limited("Too many wrong keys or tokens from this address", seconds) : problem
          )
        })
    }
  })
