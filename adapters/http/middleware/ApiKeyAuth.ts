/**
 * API keys at the edge (rules W3 and W8): the key of a request, whose it is, whether it may do this, and how often it
 * has. The checks run in the order 401, 403, 429; all others come after them.
 */
import { Clock, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Organizations } from "simplan"
import * as Security from "../api/Security.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import type * as RateLimit from "./RateLimit.ts"

const missing = ErrorResponses.make({ code: "key_missing", message: "Unauthorized: API key is missing" })

const invalid = ErrorResponses.make({ code: "key_invalid", message: "Unauthorized: API key is not valid" })

const readOnly = ErrorResponses.make({ code: "key_read_only", message: "Forbidden: this API key may only read" })

const tooMany = (seconds: number) =>
  ErrorResponses.make({
    code: "rate_limited",
    message: "Too many requests with this API key",
    headers: { "retry-after": String(seconds) }
  })

type Sent = { readonly _tag: "None" } | { readonly _tag: "Unclear" } | { readonly _tag: "Key"; readonly key: string }

const sent = (query: string | ReadonlyArray<string> | undefined, header: string | undefined): Sent => {
  const texts = new Set([...(typeof query === "string" ? [query] : (query ?? [])), header ?? ""])
  texts.delete("")
  const [key, other] = texts
  if (key === undefined) return { _tag: "None" }
  return other === undefined ? { _tag: "Key", key } : { _tag: "Unclear" }
}

/** Lets a request in on behalf of the organization whose key it came with. */
export const layer = (limit: RateLimit.RateLimit): Layer.Layer<Security.ApiKeys, never, Organizations.Organizations> =>
  Layer.effect(
    Security.ApiKeys,
    Effect.gen(function* () {
      const organizations = yield* Organizations.Organizations

      return Security.ApiKeys.of((httpEffect, { endpoint }) => {
        const reads = endpoint.method === "GET"
        return Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const query = yield* HttpServerRequest.ParsedSearchParams
          const found = sent(query["key"], request.headers["x-api-key"])
          if (found._tag === "None") return missing
          if (found._tag === "Unclear") return invalid
          const authenticated = yield* Effect.result(organizations.authenticate(found.key))
          if (authenticated._tag === "Failure") return yield* ErrorResponses.ofFailure(authenticated.failure)
          const caller = authenticated.success
          if (!reads && caller.scope === "read") return readOnly
          const seconds = limit.take(caller.apiKeyId, yield* Clock.currentTimeMillis)
          if (seconds > 0) return tooMany(seconds)
          return yield* Effect.provideService(httpEffect, Security.Caller, caller)
        })
      })
    })
  )
