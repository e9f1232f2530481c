/**
 * Answers requests that match no endpoint (rule W1): 404 for an unknown path, 405 with `Allow` for an unknown method, and
 * 204 with `Allow` for OPTIONS. The paths of an API whose token is not configured are unknown.
 */
import { Cause, Effect, type Layer } from "effect"
import type * as Types from "effect/Types"
import { FindMyWay, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import * as ErrorLog from "../wire/ErrorLog.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as RequestMetrics from "./RequestMetrics.ts"

/** Paths match exactly, but a trailing slash is ignored. */
export const routerConfig = { caseSensitive: true, ignoreDuplicateSlashes: false, maxParamLength: 512 } as const

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** The methods that the routes of the definition, and others, allow on a path; none where the path is unknown. */
const allowances = (others: ReadonlyArray<`/${string}`>): ((url: string) => ReadonlyArray<string>) => {
  const routes = FindMyWay.make<true>(routerConfig)
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      if (endpoint.path.startsWith("/")) routes.on(endpoint.method, `/${endpoint.path.slice(1)}`, true)
    }
  })
  for (const path of others) routes.on("GET", path, true)
  return (url) => {
    const found: ReadonlyArray<string> = methods.filter((method) => routes.find(method, url) !== undefined)
    if (found.length === 0) return []
    return [...found, ...(found.includes("GET") ? ["HEAD"] : []), "OPTIONS"]
  }
}

const routeNotFound = ErrorResponses.make(Errors.routeNotFound)

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
}

// The type of a global middleware leaves the failure of the router open, though all of them are answered here.
type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest>

/** Answers what the router cannot. `hidden` has the path prefixes of APIs that do not exist. */
export const layer = (options: {
  readonly paths: ReadonlyArray<`/${string}`>
  readonly hidden: ReadonlyArray<string>
}): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const allowed = allowances(options.paths)
  const record = RequestMetrics.recorder("other", "unmatched")

  const unmatched = (request: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse => {
    const path = ErrorLog.pathOf(request.url)
    const allow = options.hidden.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
      ? []
      : allowed(request.url)
    if (allow.length === 0) return routeNotFound
    const headers = { allow: allow.join(", ") }
    if (request.method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers })
    return ErrorResponses.make({
      code: "method_not_allowed",
      message: `Method not allowed; the route takes ${headers.allow}`,
      headers
    })
  }

  const answer = Effect.withFiber((fiber) =>
    Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      const response = unmatched(request)
      record(response.status, 0, fiber.context)
      return response
    })
  )

  return HttpRouter.middleware(
    (httpEffect) =>
      Effect.catchCause(
        httpEffect,
        (cause): Answer => (isRouteNotFound(cause) ? answer : ErrorResponses.ofCause(cause))
      ),
    { global: true }
  )
}
