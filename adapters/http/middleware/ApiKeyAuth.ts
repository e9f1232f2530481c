/**
 * Authentication by API key (rules W3 and W8): finds the organization that calls, checks the scope of the key, and
 * takes a request from its rate limit, in the order 401, 403, 429.
 */
import { Effect } from "effect"
import { ApiKeys } from "simplan"
import type { ApiKey } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import type * as FailedAuthentication from "./FailedAuthentication.ts"
import type * as Guard from "./Guard.ts"
import type * as KeyLimits from "./KeyLimits.ts"

const missing = new Errors.Problem({ code: "key_missing", message: "Unauthorized: API key is missing" })

const invalid = new Errors.Problem({ code: "key_invalid", message: "Unauthorized: API key is not valid" })

const readOnly = new Errors.Problem({ code: "key_read_only", message: "Forbidden: this API key may only read" })

/** The keys that a request carries in its query and its header, each once. */
const keysOf = ({ query, request }: Guard.Credentials): ReadonlyArray<string> => {
  const inQuery = query["key"] ?? ""
  const inHeader = request.headers["x-api-key"] ?? ""
  if (inHeader === "" && typeof inQuery === "string") return inQuery === "" ? [] : [inQuery]
  return [...new Set([inQuery, inHeader].flat())].filter((key) => key !== "")
}

/** The guard of endpoints that belong to an organization. */
export const make = (
  limits: KeyLimits.KeyLimits,
  failed: FailedAuthentication.FailedAuthentication
): Effect.Effect<Guard.Guard<ApiKey.ApiKey>, never, ApiKeys.ApiKeys> =>
  Effect.map(ApiKeys.ApiKeys, (apiKeys) => (credentials) => {
    const [key, other] = keysOf(credentials)
    if (key === undefined) return Effect.fail(missing)
    if (other !== undefined) return failed.count(invalid)
    const checked = failed.guarded(
      Effect.catchTag(apiKeys.authenticate(key), "KeyRefused", () => failed.count(invalid)),
      () => apiKeys.isKnown(key)
    )
    return Effect.flatMap(checked, (caller) => {
      if (credentials.writes && caller.scope === "read") return Effect.fail(readOnly)
      const reader = { key: caller.apiKeyId, organizationId: caller.organizationId }
      const admitted = { caller, actor: caller.apiKeyId, limited: limits.limited(reader, credentials.request) }
      return Effect.as(limits.admit(reader), admitted)
    })
  })
