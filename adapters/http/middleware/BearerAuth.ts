/**
 * Authentication by bearer token, for the management API and for the telco. Tokens are compared in constant time. An API
 * whose token is not configured does not exist: every request to it is 404. Wrong tokens are counted by address.
 */
import { Effect, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Errors from "../wire/Errors.ts"
import type * as FailedAuthentication from "./FailedAuthentication.ts"
import * as Guard from "./Guard.ts"

const challenge = { "www-authenticate": "Bearer" }

const missing = new Errors.Problem({
  code: "token_missing",
  message: "Unauthorized: bearer token is missing",
  headers: challenge
})

const invalid = new Errors.Problem({
  code: "token_invalid",
  message: "Unauthorized: bearer token is not valid",
  headers: challenge
})

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** The guard of endpoints that need the token; `actor` is who has it (rule W11). */
export const make = (
  token: Redacted.Redacted | undefined,
  actor: string,
  failed: FailedAuthentication.FailedAuthentication
): Guard.Guard<undefined> => {
  if (token === undefined) return () => Effect.fail(Errors.routeNotFound)
  const admitted = Guard.known(actor)
  const expected = digest(Redacted.value(token))
  return ({ request }) => {
    const credential = /^bearer +(\S+) *$/i.exec(request.headers["authorization"] ?? "")?.[1]
    if (credential === undefined) return Effect.fail(missing)
    return timingSafeEqual(expected, digest(credential)) ? Effect.succeed(admitted) : failed.count(invalid)
  }
}
