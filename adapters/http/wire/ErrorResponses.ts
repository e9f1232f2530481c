/**
 * Responses for errors (rule W1): `{"error": true, "message", "code"}` with the status that `Codes` gives. A storage
 * failure or a defect is logged with its cause under the request's id (rule W11); the caller gets only the id. No log line
 * shows an API key, a bearer token or a signing key.
 */
import { Cause, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestContext } from "simplan"
import { HttpApiError } from "effect/http-api"
import { Storage } from "simplan/ports"
import * as Codes from "./Codes.ts"
import * as Errors from "./Errors.ts"
import { Messages } from "../../fields/index.ts"

const secrets: ReadonlyArray<readonly [RegExp, string]> = [
  [/simplan_[0-9A-Za-z_]+/g, "simplan_<redacted>"],
  [/whsec_[0-9A-Za-z+/=_-]+/g, "whsec_<redacted>"],
  [/([?&]key=)[^&\s"'`]*/gi, "$1<redacted>"],
  [/(bearer\s+)[^\s"'`,]+/gi, "$1<redacted>"],
  [/(\/telco\/ocs\/[^/\s]+\/notifications\/)[^/\s"'`]+/g, "$1<redacted>"],
  [/(\/telco\/es2plus\/[^/\s]+\/)[^/\s"'`]+/g, "$1<redacted>"],
  [/((?:x-api-key|authorization)["']?\s*[:=]\s*["']?)(?!bearer)[^\s"'`,}]+/gi, "$1<redacted>"]
]

/** The text with everything that looks like a secret replaced. */
export const redacted = (text: string): string =>
  secrets.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)

/** The path of a URL without its query, which may hold a key. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#;]/)
  return end === -1 ? url : url.slice(0, end)
}

const pretty = (failure: unknown): string =>
  Cause.isCause(failure) ? Cause.pretty(failure) : Cause.pretty(Cause.fail(failure))

/** Logs a failure or a cause under the id of the running request, and returns the id. */
export const log = Effect.fnUntraced(function* (what: string, failure: unknown) {
  const current = yield* RequestContext.Current
  const requestId = current.requestId ?? globalThis.crypto.randomUUID()
  const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
  yield* Effect.logError(`${what}: ${redacted(pretty(failure))}`).pipe(
    Effect.annotateLogs({
      request_id: requestId,
      ...(request._tag === "Some"
        ? { method: request.value.method, path: redacted(pathOf(request.value.url)) }
        : undefined)
    })
  )
  return requestId
})

type Response = HttpServerResponse.HttpServerResponse

/** The response with the content of an error. */
export const make = ({ additions, code, headers, message }: Errors.ErrorContent): Response =>
  HttpServerResponse.jsonUnsafe({ error: true, message, code, ...additions }, { status: Codes.status(code), headers })

/** The response to a failure of a use case, or of reading its request. */
export const ofFailure = (failure: Errors.Failure): Effect.Effect<Response> => {
  if (failure instanceof Errors.Problem) return Effect.succeed(make(failure))
  if (failure instanceof Storage.StorageError) {
    return Effect.map(log("The storage failed", failure), (requestId) =>
      make({
        code: "storage_unavailable",
        message: "The service cannot reach its storage; try again",
        additions: { request_id: requestId },
        headers: Errors.retryAfter(1)
      })
    )
  }
  return Effect.succeed(make(Errors.ofRefusal(failure)))
}

/** Turns the failures of a handler into responses. */
export const handled = <E extends Errors.Failure, R>(
  handler: Effect.Effect<Response, E, R>
): Effect.Effect<Response, never, R> => Effect.catch(handler, ofFailure)

const requestParts = { Params: "path", Query: "query", Headers: "headers", Payload: "body" } as const

const ofSchemaError = ({ cause, kind }: HttpApiError.HttpApiSchemaError): Response | undefined =>
  kind === "Body" || kind === "ResponseHeaders"
    ? undefined
    : make(Errors.ofRefusal(Messages.toRefusal(cause.issue, requestParts[kind])))

/**
 * The response to whatever ended a request: 400 where the request did not match its schema, else 500. An interrupted
 * request gets no response.
 */
export const ofCause = (cause: Cause.Cause<unknown>): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause).pipe(Effect.orDie)
  const error = Cause.squash(cause)
  const response = HttpApiError.HttpApiSchemaError.is(error) ? ofSchemaError(error) : undefined
  if (response !== undefined) return Effect.succeed(response)
  return Effect.map(log("A request failed", cause), (requestId) =>
    make({
      code: "internal_error",
      message: "Something went wrong on our side",
      additions: { request_id: requestId }
    })
  )
}
