/**
 * Counts, times and traces the requests of every endpoint, and answers every failure with an error body (rule W1).
 *
 * Counts and latencies are by method, route and status, in Effect's metric registry. Labels are route patterns and never
 * paths, so they contain no ids and no keys. A span has the method, the route and the status of a request; it has no URL,
 * because a URL may hold a key.
 */
import { Context, Effect, Exit, Metric, Option, Tracer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as ErrorResponses from "../wire/ErrorResponses.ts"

const BOUNDARIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Records one answered request. */
export type Record = (status: number, seconds: number, context: Context.Context<never>) => void

/** A recorder for a route. It makes the series of a status when the status first occurs, and keeps them. */
export const recorder = (method: string, route: string): Record => {
  const byStatus = new Map<number, Record>()
  const series = (status: number): Record => {
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

/** The registry in the text format of Prometheus. */
export const text = PrometheusMetrics.format()

type Response = HttpServerResponse.HttpServerResponse

/** The status that counts requests whose client closed the connection before the answer. */
const GIVEN_UP = 499

const traced = <E, R>(
  endpoint: HttpApiEndpoint.Top,
  run: Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest> =>
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

/** The handler of an endpoint, counted, timed and traced, with a response to whatever goes wrong in it. */
export const instrumented = <E, R>(
  endpoint: HttpApiEndpoint.Top,
  handler: Effect.Effect<Response, E, R>
): Effect.Effect<Response, never, R | HttpServerRequest.HttpServerRequest> => {
  const record = recorder(endpoint.method, endpoint.path)
  const answered = Effect.catchCause(handler, ErrorResponses.ofCause)
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
