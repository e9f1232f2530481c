/**
 * Authentication by API key (rules W3 and W8): finds the organization that calls, checks the scope of the key, and
 * takes a request from its rate limit, in the order 401, 403, 429.
 */
import { Clock, Effect } from "effect"
import { ApiKeys } from "simplan"
import type { ApiKey } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import type * as Guard from "./Guard.ts"
import type * as RateLimit from "./RateLimit.ts"

const missing = new Errors.Problem({ code: "key_missing", message: "Unauthorized: API key is missing" })

const invalid = new Errors.Problem({ code: "key_invalid", message: "Unauthorized: API key is not valid" })

const readOnly = new Errors.Problem({ code: "key_read_only", message: "Forbidden: this API key may only read" })

const rateLimited = (seconds: number) =>
  new Errors.Problem({
    code: "rate_limited",
    message: "Too many requests with this API key",
    headers: Errors.retryAfter(seconds)
  })

/** The keys that a request carries in its query and its header, each once. */
const keysOf = ({ query, request }: Guard.Credentials): ReadonlyArray<string> => {
  const inQuery = query["key"] ?? ""
  const inHeader = request.headers["x-api-key"] ?? ""
  if (inHeader === "" && typeof inQuery === "string") return inQuery === "" ? [] : [inQuery]
  return [...new Set([inQuery, inHeader].flat())].filter((key) => key !== "")
}

/** The guard of endpoints that belong to an organization. */
export const make = (limit: RateLimit.RateLimit): Effect.Effect<Guard.Guard<ApiKey.ApiKey>, never, ApiKeys.ApiKeys> =>
  Effect.map(ApiKeys.ApiKeys, (apiKeys) => (credentials) => {
    const [key, other] = keysOf(credentials)
    if (key === undefined) return Effect.fail(missing)
    if (other !== undefined) return Effect.fail(invalid)
    return Effect.flatMap(apiKeys.authenticate(key), (caller) => {
      if (credentials.writes && caller.scope === "read") return Effect.fail(readOnly)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const seconds = limit.take(caller.apiKeyId, now)
        return seconds > 0 ? Effect.fail(rateLimited(seconds)) : Effect.succeed(caller)
      })
    })
  })
