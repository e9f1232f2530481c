/**
 * What every request has: where it came in, an id (rule W11), the client's network address, the
 * context that its handler runs in, the headers of its answer, and its count, time and trace.
 *
 * - A host may serve the routes below a prefix of the path, such as `/esim`. Handlers see the path
 *   without it.
 * - The id is the caller's `X-Request-Id` if it is 1 to 128 letters, digits, dots, underscores and
 *   hyphens, else a new one. Handlers, use cases and logs find it in `RequestContext`, and the
 *   answer has it in `X-Request-Id`.
 * - `X-Forwarded-For` counts only as far as proxies are trusted: anybody can send it.
 * - No cache keeps an answer, none gives the answer to one caller to another, and no browser takes
 *   an answer for something that it is not. An answer that is the same for all callers says itself
 *   how it is cached.
 * - Metrics are by method, route and status. Labels are route patterns and never paths, so they
 *   contain no ids and no keys. A span has no URL, because a URL may hold a key.
 */
import { Clock, Context, Effect, Exit, Logger, Metric, Option, References, Tracer } from "effect"
import { HttpBody, HttpServerError, HttpServerRequest, HttpServerResponse, HttpTraceContext } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { isIP } from "node:net"
import { Rates, RequestContext } from "simplan"
import * as RouteGroups from "../RouteGroups.ts"
import * as Errors from "../wire/Errors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The header that carries the id, in requests and in answers. */
export const ID_HEADER = "x-request-id"

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/

/** A new id. */
export const makeId = (): string => globalThis.crypto.randomUUID()

/** The id of a request with this header. */
export const idOf = (header: string | undefined): string =>
  header !== undefined && ACCEPTED.test(header) ? header : makeId()

// A socket that listens on IPv6 shows IPv4 addresses in their mapped form.
const plain = (address: string): string =>
  address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address

/**
 * The address of the client; null if it is unknown. Each of the trusted proxies adds to the
 * header the address that called it, so the client's is that many places from its end. If that is
 * no address, it is the connection's.
 */
export const addressOf = (request: Request, trustedProxies: number): string | null =>
  addressBehind(Option.getOrNull(request.remoteAddress), request.headers["x-forwarded-for"], trustedProxies)

/**
 * What the trusted proxy next to the client has added to a header; undefined if no proxy is
 * trusted, or it has added nothing.
 */
export const forwarded = (header: string | undefined, trustedProxies: number): string | undefined =>
  trustedProxies === 0 ? undefined : header?.split(",").at(-trustedProxies)?.trim()

/** What the trusted proxy has added, by the connection's address and the header. */
export const addressBehind = (
  connected: string | null,
  header: string | undefined,
  trustedProxies: number
): string | null => {
  const last = forwarded(header, trustedProxies) ?? ""
  const address = isIP(last) === 0 ? connected : last
  return address === null ? null : plain(address)
}

const GROUPS = 8

/**
 * What limits go by: an IPv4 address, or the /64 network of an IPv6 address, all of which one
 * client may have.
 */
export const network = (address: string): string => {
  if (!address.includes(":")) return address
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => "0")
  const prefix = [...head, ...zeros, ...tail].slice(0, GROUPS / 2)
  return `${prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`
}

/** The headers of the answer to a request with this id. */
export const answerHeaders = (requestId: string) => ({
  "cache-control": "no-store",
  vary: "accept, authorization, x-api-key",
  "x-content-type-options": "nosniff",
  [ID_HEADER]: requestId
})

/** Sets headers one by one: `HttpServerResponse.setHeaders` takes twice the time. */
export const setHeaders = (response: Response, headers: Readonly<Record<string, string>>): Response =>
  Object.entries(headers).reduce(
    (changed, [name, value]) => HttpServerResponse.setHeader(changed, name, value),
    response
  )

/** The answer to the request with this id, with the headers that every answer has. */
const completeHeaders = (response: Response, requestId: string): Response => {
  const headers = answerHeaders(requestId)
  const { "cache-control": caching, vary = headers.vary } = response.headers
  return setHeaders(response, caching === undefined ? headers : { ...headers, "cache-control": caching, vary })
}

/** How many services are added to the context of a request, at most, before it is copied. */
const ADDED = 16

/**
 * What requests take from the services around them: logs, metrics, traces and the machine's clock.
 * Use cases have theirs. The context of a request is extended several times, and with all services
 * in it that took 25 of the 155 µs of a read.
 */
export const observed = (services: Context.Context<never>): Context.Context<never> => {
  const picked = Context.pick(
    Clock.Clock,
    Logger.CurrentLoggers,
    References.MinimumLogLevel,
    Metric.MetricRegistry,
    Tracer.Tracer
  )(services)
  return Context.makeUnsafe(picked.mapUnsafe, { maxDepth: ADDED })
}

/**
 * Runs the handler of a request under its id. `trustedProxies`: how many proxies pass the client's
 * address.
 */
export const inContext = <E, R>(
  handler: Effect.Effect<Response, E, R>,
  trustedProxies: number
): Effect.Effect<Response, E, R | Request> =>
  Effect.contextWith((context: Context.Context<Request>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const requestId = idOf(request.headers[ID_HEADER])
    const address = addressOf(request, trustedProxies)
    const annotations = { ...Context.get(context, References.CurrentLogAnnotations), request_id: requestId }
    const within = Effect.updateContext(handler, (outside: Context.Context<R>) =>
      outside.pipe(
        Context.add(RequestContext.Current, { requestId, address, meter: { bytes: 0, millis: 0 } }),
        Context.add(References.CurrentLogAnnotations, annotations)
      )
    )
    return Effect.map(within, (response) => completeHeaders(response, requestId))
  })

const BOUNDARIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Records one answered request. */
type Recorder = (status: number, seconds: number, context: Context.Context<never>) => void

/**
 * A recorder for a route. It makes the series of a status when the status first occurs, and keeps
 * them.
 */
export const recorder = (method: string, route: string): Recorder => {
  const byStatus = new Map<number, Recorder>()
  const series = (status: number): Recorder => {
    const attributes = { method, route, status: String(status) }
    const count = Metric.counter("http_requests_total", {
      description: "HTTP requests that were answered",
      attributes,
      incremental: true
    })
    const latency = Metric.histogram("http_request_duration_seconds", {
      description: "Time from a request's arrival to the head of its answer",
      attributes,
      boundaries: BOUNDARIES
    })
    return (_, seconds, context) => {
      count.updateUnsafe(1, context)
      Rates.count("requests", status >= 500, context)
      latency.updateUnsafe(seconds, context)
    }
  }
  return (status, seconds, context) => {
    let record = byStatus.get(status)
    if (record === undefined) {
      record = series(status)
      byStatus.set(status, record)
    }
    record(status, seconds, context)
  }
}

/** The status that counts requests whose client closed the connection before the answer. */
const GIVEN_UP = 499

const traced = <E, R>(
  endpoint: HttpApiEndpoint.Top,
  run: Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R | Request> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    Effect.useSpan(
      `${endpoint.method} ${endpoint.path}`,
      {
        kind: "server",
        parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(headers)),
        attributes: { "http.request.method": endpoint.method, "http.route": endpoint.path }
      },
      (span) =>
        Effect.map(Effect.withParentSpan(run, span), (response) => {
          span.attribute("http.response.status_code", response.status)
          return response
        })
    )
  )

/**
 * The handler of an endpoint, counted, timed and traced, with a response to whatever goes wrong in
 * it.
 */
export const instrumented = <E, R>(
  endpoint: HttpApiEndpoint.Top,
  handler: Effect.Effect<Response, E, R>
): Effect.Effect<Response, never, R | Request> => {
  const record = recorder(endpoint.method, endpoint.path)
  const answered = Effect.catchCause(handler, Errors.responseToCause)
  const answeredAndTraced = traced(endpoint, answered)
  return Effect.withFiber((fiber) => {
    const context = fiber.context
    const start = performance.now()
    const untraced = Context.get(context, Tracer.Tracer) === Tracer.nativeTracer
    return Effect.onExitPrimitive(untraced ? answered : answeredAndTraced, (exit) => {
      const status = Exit.isSuccess(exit) ? exit.value.status : GIVEN_UP
      record(status, (performance.now() - start) / 1000, context)
      return undefined
    })
  })
}

/**
 * What a host's server does itself, in place of a web response and of the signal of a web request.
 */
export interface Direct {
  /**
   * Gets the body of an answer of a known length; the web response has its headers, and no body.
   */
  readonly take: (body: Uint8Array | string) => void
  /** Gets what interrupts the request, when that begins. */
  readonly begin: (interrupt: () => void) => void
}

/** What the host's server knows of a request. */
export interface Arrival {
  /** What comes before the routes in the request's path, such as `/esim`; empty for nothing. */
  readonly prefix: string
  /** The groups of routes that are there, of those that are served; all of them by default. */
  readonly groups?: ReadonlyArray<RouteGroups.Group> | undefined
  /** The network address of the client's connection; null if it is unknown. */
  readonly address: string | null
  /** The request as the host's framework has it. */
  readonly host: unknown
  /** Absent: the web response has the body, and the web request's signal interrupts. */
  readonly direct?: Direct
}

/** Where the request came in; null if that is not known. */
export const CurrentArrival = Context.Reference<Arrival | null>("simplan/http/Arrival", { defaultValue: () => null })

/** A path that no route has. */
const OUTSIDE = "/"

const below = (prefix: string, url: string): string => {
  if (prefix === "") return url
  return url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : OUTSIDE
}

const routed = (url: string, { groups, prefix }: Arrival): string => {
  const path = below(prefix, url)
  return groups === undefined || RouteGroups.have(groups, path) ? path : OUTSIDE
}

const arrived = (request: Request, arrival: Arrival): Request => {
  const { address } = arrival
  return request.modify({
    url: routed(request.url, arrival),
    ...(address !== null && { remoteAddress: Option.some(address) })
  })
}

/**
 * Hands requests to the routes as they are without a prefix. `prefix` is that of requests whose
 * arrival is not known.
 */
export const mounted = <A, E, R>(handler: Effect.Effect<A, E, R>, prefix: string): Effect.Effect<A, E, R | Request> => {
  const everywhere: Arrival = { prefix, address: null, host: undefined }
  return Effect.contextWith((context: Context.Context<Request>) => {
    const given = Context.get(context, CurrentArrival)
    if (given === null && prefix === "") return handler
    const arrival = given ?? everywhere
    const request = arrived(Context.get(context, HttpServerRequest.HttpServerRequest), arrival)
    return handler.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(CurrentArrival, arrival)
    )
  })
}

/** Hands over the body. The headers stay, those of the body too. */
const handedOver = (response: Response, { take }: Direct): Response => {
  const { body, headers } = response
  if (body._tag !== "Uint8Array") return response
  take(body.text ?? body.body)
  return setHeaders(HttpServerResponse.setBody(response, HttpBody.empty), headers)
}

/**
 * Hands over the answer's body, and the way to interrupt the request, if the host takes them.
 */
export const direct = <E, R>(answer: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R> =>
  Effect.withFiber((fiber) => {
    const direct = Context.get(fiber.context, CurrentArrival)?.direct
    if (direct === undefined) return answer
    direct.begin(() => fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation))
    return Effect.map(answer, (response) => handedOver(response, direct))
  })
