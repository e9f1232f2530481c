/**
 * Around every endpoint: counts and times its requests, and answers in the shape of all errors whatever goes wrong in
 * it (rule W1). A defect becomes 500 with a request id and nothing of its cause, which is logged. What is recorded of a
 * request in a trace is its method, route and status: a URL may hold a key.
 */
import { Cause, Context, Effect, Exit, Layer, Option, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"
import * as Security from "./api/Security.ts"
import * as Errors from "./Errors.ts"
import * as Incidents from "./Incidents.ts"
import * as Metrics from "./Metrics.ts"
import * as SchemaMessages from "./SchemaMessages.ts"

type Response = HttpServerResponse.HttpServerResponse

const names = { Params: "path", Query: "query", Headers: "headers", Payload: "body" } as const

const undecoded = (error: HttpApiError.HttpApiSchemaError): Response | undefined =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? undefined
    : Errors.toResponse(Errors.ofRefusal(SchemaMessages.toRefusal(error.cause.issue, names[error.kind])))

/** The answer to a request that ended with a cause; an interrupted one gets none. */
export const answerTo = (cause: Cause.Cause<unknown>): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause).pipe(Effect.orDie)
  const error = Cause.squash(cause)
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    const response = undecoded(error)
    if (response !== undefined) return Effect.succeed(response)
  }
  return Effect.map(Incidents.log("A request failed", cause), (requestId) =>
    Errors.toResponse({
      code: "internal_error",
      message: "Something went wrong on our side",
      additions: { request_id: requestId },
      headers: { "x-request-id": requestId }
    })
  )
}

/** The status under which a request is counted that its client gave up. */
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

export const layer: Layer.Layer<Security.Observed> = Layer.succeed(Security.Observed, (httpEffect, { endpoint }) => {
  const record = Metrics.recorder(endpoint.method, endpoint.path)
  const answered = Effect.catchCause(httpEffect, answerTo)
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
})
