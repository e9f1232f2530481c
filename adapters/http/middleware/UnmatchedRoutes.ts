/**
 * Answers requests that match no endpoint (rule W1): 404 for an unknown path, 405 with `Allow` for an unknown method, and
 * 204 with `Allow` for OPTIONS. A path that is not written exactly as a route's is unknown, even to the router.
 */
import { Cause, Effect } from "effect"
import type * as Types from "effect/Types"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as RoutePaths from "../wire/RoutePaths.ts"
import * as RequestMetrics from "./RequestMetrics.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The router takes paths as they are; `RoutePaths` refuses what it would still change. */
export const routerConfig = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 512
} as const

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const routeNotFound = ErrorResponses.make(Errors.routeNotFound)

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
}

const unmatched = (
  paths: RoutePaths.RoutePaths,
  { method, url }: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse => {
  const known = paths.methods(url)
  // The router refuses the values of some path parameters.
  if (known.length === 0 || known.includes(method === "HEAD" ? "GET" : method)) return routeNotFound
  const read = known.includes("GET") ? ["HEAD"] : []
  const headers = { allow: [...METHODS.filter((name) => known.includes(name)), ...read, "OPTIONS"].join(", ") }
  if (method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers })
  return ErrorResponses.make({
    code: "method_not_allowed",
    message: `Method not allowed; the route takes ${headers.allow}`,
    headers
  })
}

// The type of a global middleware leaves the failure of the router open, though all of them are answered here.
type Answer = Effect.Effect<Response, Types.unhandled, HttpServerRequest.HttpServerRequest>

/** Answers what the router of these routes cannot. */
export const around = (routes: ReadonlyArray<RoutePaths.Route>) => {
  const paths = RoutePaths.make(routes)
  const record = RequestMetrics.recorder("other", "unmatched")
  const answer = Effect.withFiber((fiber) =>
    Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      const response = unmatched(paths, request)
      record(response.status, 0, fiber.context)
      return response
    })
  )
  return <E, R>(router: Effect.Effect<Response, E, R>) => {
    const routed = Effect.catchCause(
      router,
      (cause): Answer => (isRouteNotFound(cause) ? answer : ErrorResponses.ofCause(cause))
    )
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
      paths.admits(method, url) ? routed : answer
    )
  }
}
