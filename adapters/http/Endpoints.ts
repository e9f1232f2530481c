/**
 * Puts the endpoints of the definition on a router. Every request takes the same steps: its guard
 * (401, 403, 429), its path and query by their schemas (400), its handler, and JSON with the status
 * that the definition names. Failures become error bodies (rule W1). Schemas are compiled once,
 * when the route is made.
 *
 * What matches no route is answered here too: 404 for an unknown path, 405 with `Allow` for an
 * unknown method, and 204 with `Allow` for OPTIONS. Paths are matched exactly: as they are written,
 * with no `;` parameters, no fragment, no trailing slash and no percent-encoding of the fixed
 * parts. Two paths that a proxy in front takes for different ones are never the same route here.
 * The values of path parameters may be percent-encoded.
 *
 * This stands in for `HttpApiBuilder`, which copies all services of the process into the context of
 * each request: that took 9 of the 21 µs that a read of a subscription costs between the parser of
 * HTTP and the socket.
 */
import { Cause, Context, Effect, Result, Schema, type Scope } from "effect"
import type * as Types from "effect/Types"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { RequestContext } from "simplan"
import type { Version } from "simplan/ports"
import { Api } from "./api/Api.ts"
import * as Roles from "./api/Roles.ts"
import type * as Auth from "./middleware/Auth.ts"
import * as Reasons from "./middleware/Reasons.ts"
import * as Requests from "./middleware/Requests.ts"
import * as RouteGroups from "./RouteGroups.ts"
import * as Errors from "./wire/Errors.ts"
import * as Query from "./wire/Query.ts"
import * as Versions from "./wire/Versions.ts"
import { Codes, Fields, Messages } from "../fields/index.ts"

type Response = HttpServerResponse.HttpServerResponse

type Body<Endpoint> = HttpApiEndpoint.Success<Endpoint> extends { readonly Type: infer Type } ? Type : never

/**
 * A request as its handler gets it. `respond` makes the response of a body, with the endpoint's
 * status.
 */
export type Call<Endpoint, Caller> = Pick<
  HttpApiEndpoint.RequestRaw<Endpoint>,
  Extract<keyof HttpApiEndpoint.RequestRaw<Endpoint>, "params" | "query">
> & {
  readonly caller: Caller
  readonly request: HttpServerRequest.HttpServerRequest
  /** The versions that an edit may find (rule W16). */
  readonly ifVersion: Version.Expected
  respond(body: Body<Endpoint>): Response
}

type Outcome<Body> = Effect.Effect<Body | Response, Errors.Failure, HttpServerRequest.HttpServerRequest | Scope.Scope>

/** A handler for each endpoint of a group. It gives the body of a success, or a whole response. */
export type Handlers<Group extends HttpApiGroup.Constraint, Caller> = {
  readonly [Id in keyof Group["endpoints"]]: (
    call: Call<Group["endpoints"][Id], Caller>
  ) => Outcome<Body<Group["endpoints"][Id]>>
}

/**
 * Any handler. It is a method because a parameter of a method may be of a narrower type than is
 * declared.
 */
export interface AnyHandler {
  handle(call: {
    readonly params?: unknown
    readonly query?: unknown
    readonly caller: unknown
    readonly request: HttpServerRequest.HttpServerRequest
    readonly ifVersion: Version.Expected
    respond(body: unknown): Response
  }): Outcome<unknown>
}

/** A guard and the handlers of a group, with the types of its schemas left out. */
export interface Implementation {
  readonly guard: Auth.Guard<unknown>
  readonly handlers: Readonly<Record<string, AnyHandler["handle"]>>
}

/** A group with its guard and its handlers, whose types are those of the group's schemas. */
export const group = <Group extends HttpApiGroup.Constraint, Caller>(
  _: Group,
  guard: Auth.Guard<Caller>,
  handlers: Handlers<Group, Caller>
): Implementation => ({ guard, handlers })

const decoder = (schema: Schema.Top | undefined, part: "path" | "query") => {
  if (schema === undefined) return (): Result.Result<unknown, Errors.Failure> => Result.succeed(undefined)
  // The definition has lost the type of its schemas, none of which needs a service.
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(schema.ast), { errors: "all" })
  return (value: unknown): Result.Result<unknown, Errors.Failure> =>
    Result.mapError(decode(value), ({ issue }) => Messages.toRefusal(issue, part))
}

/** Refuses a query parameter that an endpoint does not have. */
const known = (schema: Schema.Top | undefined) =>
  Query.unknownNames(schema ?? Schema.Struct({}), { name: "query parameter", of: "route" })

/** Passes to use cases who changes something, and why (rule W11). */
const attributed = <A, E, R>(
  origin: Pick<RequestContext.RequestContext, "actor" | "reason">,
  effect: Effect.Effect<A, E, R>
) => Effect.updateService(effect, RequestContext.Current, (request) => ({ ...request, ...origin }))

const noReason: Result.Result<string | null, Errors.Failure> = Result.succeed(null)

const anyVersion: Result.Result<Version.Expected, Errors.Problem> = Result.succeed(undefined)

/**
 * The versions that a request may find: what is edited has some if its refusals have that of
 * another one.
 */
const versionsIn = (method: string, hasVersions: boolean) => {
  if (method !== "PATCH" && method !== "PUT") return () => anyVersion
  return hasVersions ? Versions.expected : Versions.none
}

const route = (
  endpoint: HttpApiEndpoint.Top,
  status: number,
  hasVersions: boolean,
  guard: Auth.Guard<unknown>,
  handle: AnyHandler["handle"]
) => {
  const decodeParams = decoder(endpoint.params, "path")
  const decodeQuery = decoder(endpoint.query, "query")
  const isManagement = RouteGroups.ofPath(endpoint.path) === "admin"
  const isOfOrganization = endpoint.path.startsWith("/admin/v1/organizations/:id")
  // Callers of `/v3` may send parameters that a later version has; a mistake of an operator is not
  // to go unnoticed.
  const unknownIn = isManagement ? known(endpoint.query) : () => undefined
  const writes = endpoint.method !== "GET"
  const ifVersionIn = versionsIn(endpoint.method, hasVersions)
  const need = Roles.of(endpoint)
  if (isManagement && need === undefined) throw new Error(`${endpoint.method} ${endpoint.path} declares no role`)
  const respond = (body: unknown): Response =>
    HttpServerResponse.isHttpServerResponse(body) ? body : HttpServerResponse.jsonUnsafe(body, { status })

  const guarded = Effect.contextWith((context: Context.Context<HttpRouter.Provided>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const search = Context.get(context, HttpServerRequest.ParsedSearchParams)
    const sent = Context.get(context, HttpRouter.RouteContext).params
    const organizationId = isOfOrganization ? Fields.idOfPath(sent["id"] ?? "") : undefined
    const credentials = { request, query: search, writes, need, organizationId }
    return Effect.flatMap(guard(credentials), ({ actor, caller, check, limited }) => {
      const handled = Effect.suspend(() => {
        const params = decodeParams(sent)
        if (Result.isFailure(params)) return Effect.fail(params.failure)
        const unknown = unknownIn(search)
        if (unknown !== undefined) return Effect.fail(unknown)
        const query = decodeQuery(search)
        if (Result.isFailure(query)) return Effect.fail(query.failure)
        const reason = isManagement ? Reasons.of(request) : noReason
        if (Result.isFailure(reason)) return Effect.fail(reason.failure)
        const expected = ifVersionIn(request.headers["if-match"])
        if (Result.isFailure(expected)) return Effect.fail(expected.failure)
        const ifVersion = expected.success
        const call = { params: params.success, query: query.success, caller, request, ifVersion, respond }
        const handled = check === undefined ? handle(call) : Effect.andThen(check, handle(call))
        if (writes) return attributed({ actor, reason: reason.success }, handled)
        return reason.success === null ? handled : attributed({ reason: reason.success }, handled)
      })
      const answered = Effect.matchEffect(handled, {
        onFailure: Errors.responseTo,
        onSuccess: (body) => Effect.succeed(respond(body))
      })
      return limited === null ? answered : limited(answered, writes ? null : endpoint.path)
    })
  })
  return HttpRouter.route(
    endpoint.method,
    `/${endpoint.path.slice(1)}`,
    Requests.instrumented(endpoint, Effect.catch(guarded, Errors.responseTo))
  )
}

/** Adds a route for each endpoint of the definition that is served. */
export const layer = (
  implementations: { readonly [Id in keyof typeof Api.groups]: Implementation },
  serves: (path: string) => boolean
) => {
  const byGroup: Readonly<Record<string, Implementation>> = implementations
  const routes: Array<ReturnType<typeof route>> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      const [status = 200] = successes.keys()
      const implementation = byGroup[group.identifier]
      const handle = implementation?.handlers[endpoint.identifier]
      if (implementation === undefined || handle === undefined)
        throw new Error(`${endpoint.method} ${endpoint.path} has no handler`)
      const hasVersions = errors.has(Codes.status("changed_meanwhile"))
      if (serves(endpoint.path)) routes.push(route(endpoint, status, hasVersions, implementation.guard, handle))
    }
  })
  return HttpRouter.use((router) => router.addAll(routes))
}

/** A method and a path such as `/v3/plans/:planId`. */
export interface Route {
  readonly method: string
  readonly path: string
}

interface RoutePaths {
  /**
   * Whether the router may look for the route of a request. It matches more than the exact path
   * if it may not.
   */
  readonly admits: (method: string, url: string) => boolean
  /** The methods that the routes of a path take; none if there is no such path. */
  readonly methods: (url: string) => ReadonlyArray<string>
}

/** A path whose segments are not empty, and in which the router changes nothing. */
const PLAIN = /^(?:\/[^/%;#?]+)+(?:\?|$)/

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

const pattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "[^/;#]+")}$`)

/** The paths of the routes. */
const pathsOf = (routes: ReadonlyArray<Route>): RoutePaths => {
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

/** The router takes paths as they are; `RoutePaths` refuses what it would still change. */
export const routerConfig = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 512
} as const

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const routeNotFound = Errors.response(Errors.routeNotFound)

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
}

const unmatched = (paths: RoutePaths, { method, url }: HttpServerRequest.HttpServerRequest): Response => {
  const known = paths.methods(url)
  // The router refuses the values of some path parameters.
  if (known.length === 0 || known.includes(method === "HEAD" ? "GET" : method)) return routeNotFound
  const read = known.includes("GET") ? ["HEAD"] : []
  const headers = { allow: [...METHODS.filter((name) => known.includes(name)), ...read, "OPTIONS"].join(", ") }
  if (method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers })
  return Errors.response({
    code: "method_not_allowed",
    message: `Method not allowed; the route takes ${headers.allow}`,
    headers
  })
}

// The type of a global middleware leaves the failure of the router open, though all of them are
// answered here.
type Answer = Effect.Effect<Response, Types.unhandled, HttpServerRequest.HttpServerRequest>

/** Answers what the router of these routes cannot. */
export const answerUnmatched = (routes: ReadonlyArray<Route>) => {
  const known = pathsOf(routes)
  const record = Requests.recorder("other", "unmatched")
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
      (cause): Answer => (isRouteNotFound(cause) ? answer : Errors.responseToCause(cause))
    )
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
      known.admits(method, url) ? routed : answer
    )
  }
}
