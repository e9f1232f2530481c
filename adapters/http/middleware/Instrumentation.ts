/**
 * Wraps every endpoint: counts and times its requests, makes their spans, and answers every failure with an error body
 * (rule W1). A span has the method, the route and the status of a request; it has no URL, because a URL may hold a key.
 */
import { Context, Effect, Exit, Option, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as RequestMetrics from "./RequestMetrics.ts"

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
  const record = RequestMetrics.recorder(endpoint.method, endpoint.path)
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
