/**
 * The limit of requests that need no key and cost something: the documents and the metrics (rule W13). They are limited by
 * the client's address, in each process for itself. One costs 1, and 1 more for each 64 KiB of its answer. A client whose
 * address is unknown is not limited.
 */
import { Effect, type Scope } from "effect"
import type { HttpServerResponse } from "effect/http"
import { RequestContext } from "simplan"
import { MonotonicTime, RateLimitUsage } from "simplan/ports"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as Requests from "./Requests.ts"
import * as RateLimit from "./RateLimit.ts"

type Response = HttpServerResponse.HttpServerResponse

export const preset: RateLimit.Rate = { requests: 100, window: "1 second" }

/** The bytes of an answer that cost as much as a request. */
const UNIT = 65_536

/** Makes an answer within the limit of the client's address, or refuses it (429). `cost` is that of an empty answer. */
export type AddressLimit = <E, R>(answer: Effect.Effect<Response, E, R>, cost?: number) => Effect.Effect<Response, E, R>

const refused = (seconds: number): Response =>
  ErrorResponses.make({
    code: "rate_limited",
    message: "Too many requests without a key from this address",
    headers: Errors.retryAfter(seconds)
  })

/** The limit, for all routes that it is given to. */
export const make = (rate: RateLimit.Rate): Effect.Effect<AddressLimit, never, Scope.Scope> =>
  RateLimit.make("requests without a key", rate).pipe(
    Effect.provideService(RateLimitUsage.RateLimitUsage, RateLimitUsage.RateLimitUsage.defaultValue()),
    Effect.map((limit): AddressLimit => {
      if (limit === null) return (answer) => answer
      return (answer, cost = 1) =>
        Effect.flatMap(RequestContext.Current, ({ address }) => {
          if (address === null) return answer
          const network = Requests.network(address)
          return Effect.flatMap(MonotonicTime.now, (now) => {
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
