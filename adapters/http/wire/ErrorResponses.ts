/**
 * Responses for errors (rule W1): `{"error": true, "message", "code"}` with the status that `Codes` gives. A storage
 * failure or a defect is logged with its cause; the caller gets only the request's id, under which it was logged.
 */
import { Cause, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Storage } from "simplan/ports"
import * as Codes from "./Codes.ts"
import * as ErrorLog from "./ErrorLog.ts"
import * as Errors from "./Errors.ts"
import { Messages } from "../../fields/index.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The response with the content of an error. */
export const make = ({ additions, code, headers, message }: Errors.ErrorContent): Response =>
  HttpServerResponse.jsonUnsafe({ error: true, message, code, ...additions }, { status: Codes.status(code), headers })

/** The response to a failure of a use case, or of reading its request. */
export const ofFailure = (failure: Errors.Failure): Effect.Effect<Response> => {
  if (failure instanceof Errors.Problem) return Effect.succeed(make(failure))
  if (failure instanceof Storage.StorageError) {
    return Effect.map(ErrorLog.log("The storage failed", failure), (requestId) =>
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
  return Effect.map(ErrorLog.log("A request failed", cause), (requestId) =>
    make({
      code: "internal_error",
      message: "Something went wrong on our side",
      additions: { request_id: requestId }
    })
  )
}
