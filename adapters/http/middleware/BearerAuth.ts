/**
 * Bearer tokens of the management API and of the telco. They are compared in constant time; while one is not
 * configured, its API does not exist.
 */
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Security from "../api/Security.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as UnmatchedRoutes from "./UnmatchedRoutes.ts"

const challenge = { "www-authenticate": "Bearer" }

const missing = ErrorResponses.make({
  code: "token_missing",
  message: "Unauthorized: bearer token is missing",
  headers: challenge
})

const invalid = ErrorResponses.make({
  code: "token_invalid",
  message: "Unauthorized: bearer token is not valid",
  headers: challenge
})

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** Whether two texts are the same, in a time that tells nothing of where they differ. */
const isSame = (expected: Uint8Array, text: string): boolean => timingSafeEqual(expected, digest(text))

const guard = (token: Redacted.Redacted | undefined) => {
  const expected = token === undefined ? undefined : digest(Redacted.value(token))
  return <E, R>(
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> => {
    if (expected === undefined) return Effect.succeed(UnmatchedRoutes.routeNotFound)
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const credential = /^bearer +(\S+) *$/i.exec(request.headers["authorization"] ?? "")?.[1]
      if (credential === undefined) return Effect.succeed(missing)
      return isSame(expected, credential) ? httpEffect : Effect.succeed(invalid)
    })
  }
}

/** Lets in who has the management API's token. */
export const admin = (token: Redacted.Redacted | undefined): Layer.Layer<Security.AdminToken> => {
  const guarded = guard(token)
  return Layer.succeed(Security.AdminToken, (httpEffect) => guarded(httpEffect))
}

/** Lets in who has the telco's token. */
export const telco = (token: Redacted.Redacted | undefined): Layer.Layer<Security.TelcoToken> => {
  const guarded = guard(token)
  return Layer.succeed(Security.TelcoToken, (httpEffect) => guarded(httpEffect))
}
