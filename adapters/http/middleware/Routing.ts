/**
 * Which requests reach the router, and what the others get (rule W1): 404 for an unknown path, 405 with `Allow` for an
 * unknown method, and 204 with `Allow` for OPTIONS.
 *
 * Paths are matched exactly: as they are written, with no `;` parameters, no fragment, no trailing slash and no
 * percent-encoding of the fixed parts. Two paths that a proxy in front takes for different ones are never the same route
 * here. The values of path parameters may be percent-encoded.
 */
import { Cause, Effect } from "effect"
import type * as Types from "effect/Types"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as RequestMetrics from "./RequestMetrics.ts"

/** A method and a path such as `/v3/plans/:planId`. */
export interface Route {
  readonly method: string
  readonly path: string
}

export interface RoutePaths {
  /** Whether the router may look for the route of a request. It matches more than the exact path where it may not. */
  readonly admits: (method: string, url: string) => boolean
  /** The methods that the routes of a path take; none where there is no such path. */
  readonly methods: (url: string) => ReadonlyArray<string>
}

/** A path whose segments are not empty, and in which the router changes nothing. */
const PLAIN = /^(?:\/[^/%;#?]+)+(?:\?|$)/

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

const pattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "[^/;#]+")}$`)

/** The paths of the routes. */
export const paths = (routes: ReadonlyArray<Route>): RoutePaths => {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: pattern(path) }))
  const methods = (url: string): ReadonlyArray<string> => {
    const path = pathOf(url)
    return [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
  }
  return {
    methods,
    admits: (method, url) => PLAIN.test(url) || methods(url).includes(method === "HEAD" ? "GET" : method)
  }
}

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
  paths: RoutePaths,
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
export const answerUnmatched = (routes: ReadonlyArray<Route>) => {
  const known = paths(routes)
  const record = RequestMetrics.recorder("other", "unmatched")
  const answer = Effect.withFiber((fiber) =>
    Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      const response = unmatched(known, request)
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
      known.admits(method, url) ? routed : answer
    )
  }
}
