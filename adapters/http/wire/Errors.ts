/**
 * Errors as the wire has them (rule W1): the code, the message and the further fields of each
 * refusal of the domain, and of each problem with a request that no use case has seen; and the
 * responses made of them, `{"error": true, "message", "code"}` with the status that `Codes` gives.
 *
 * A storage failure or a defect is logged with its cause under the request's id (rule W11); the
 * caller gets only the id. No log line shows an API key, a bearer token or a signing key.
 */
import { Cause, Data, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Refusal, RequestContext } from "simplan"
import { Storage } from "simplan/ports"
import { Codes, Messages } from "../../fields/index.ts"

const fieldNames: Readonly<Record<string, string>> = {
  dataMegaBytes: "data_MBs",
  occurrences: "nb_occurrence",
  frequency: "recurring_periodicity_frequency",
  throttlingThreshold1Percentage: "throttling_threshold1_perc",
  throttlingThreshold2Percentage: "throttling_threshold2_perc",
  throttlingThreshold3Percentage: "throttling_threshold3_perc",
  iso2List: "iso2_list",
  lpa: "lpa_string"
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The wire's name of a field. Each part of a path such as `activePeriod.start` is renamed. */
export const fieldName = (field: string): string =>
  field
    .split(".")
    .map((part) => fieldNames[part] ?? (part.includes("_") ? part : snakeCase(part)))
    .join(".")

/**
 * The content of an error body. `additions` are the fields beside `error`, `message` and `code`.
 */
export interface ErrorContent {
  readonly code: Codes.Code
  readonly message: string
  readonly additions?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The request itself is wrong; no use case has run. */
export class Problem extends Data.TaggedError("Problem")<ErrorContent> {}

/** There is no such route. */
export const routeNotFound = new Problem({ code: "route_not_found", message: "Route not found" })

/** The failures of use cases and of reading requests. */
export type Failure = Refusal.Plain | Storage.StorageError | Problem

/** The `Retry-After` header, in whole seconds and at least 1. */
export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({
  "retry-after": String(Math.max(1, Math.ceil(seconds)))
})

const titles: Partial<Readonly<Record<Refusal.Resource, string>>> = { sim: "SIM", "api key": "API key" }

/** What is not found, as the interface says it: `Plan not found`. */
const notFound = (resource: Refusal.Resource): string =>
  `${titles[resource] ?? `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`} not found`

/** What the wire has beside the code and the sentence, or in its place. */
const onTheWire = (refusal: Refusal.Plain): Partial<ErrorContent> => {
  switch (refusal._tag) {
    case "NotFound":
      return { message: notFound(refusal.resource) }
    case "RegionNameTaken":
    case "RegionUncovered":
      return { additions: { missing_iso2: refusal.missingIso2 } }
    case "RegionExists":
      return {
        additions: {
          existing_coverage: {
            coverage_id: refusal.coverageId,
            region_code: refusal.regionCode,
            region_name: refusal.regionName,
            iso2_list: refusal.iso2List
          }
        }
      }
    case "ChangedMeanwhile":
      return { headers: { etag: `"${refusal.version}"` } }
    default:
      return {}
  }
}

/** The error that a refusal becomes. */
export const ofRefusal = (refusal: Refusal.Plain): ErrorContent => {
  const seconds = Refusal.retryAfterSeconds(refusal)
  return {
    code: Refusal.code(refusal),
    message: Refusal.sentence(refusal, fieldName),
    ...(seconds !== undefined && { headers: retryAfter(seconds) }),
    ...onTheWire(refusal)
  }
}

/** The problem of a field with a wrong value; `message` follows the name of the field. */
export const invalidField = (field: string, message: string): Problem =>
  new Problem({ code: "invalid_field", message: `${field} ${message}` })

const secrets: ReadonlyArray<readonly [RegExp, string]> = [
  [/simplan_[0-9A-Za-z_]+/g, "simplan_<redacted>"],
  [/whsec_[0-9A-Za-z+/=_-]+/g, "whsec_<redacted>"],
  [/([?&]key=)[^&\s"'`]*/gi, "$1<redacted>"],
  [/(bearer\s+)[^\s"'`,]+/gi, "$1<redacted>"],
  [/(\/telco\/ocs\/[^/\s]+\/notifications\/)[^/\s"'`]+/g, "$1<redacted>"],
  [/(\/telco\/es2plus\/[^/\s]+\/)[^/\s"'`]+/g, "$1<redacted>"],
  [/(\/telco\/suppliers\/[^/\s]+\/callbacks\/)[^/\s"'`]+/g, "$1<redacted>"],
  [/((?:x-api-key|authorization)["']?\s*[:=]\s*["']?)(?!bearer)[^\s"'`,}]+/gi, "$1<redacted>"]
]

/** The text with everything that looks like a secret replaced. */
const redacted = (text: string): string =>
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
export const response = ({ additions, code, headers, message }: ErrorContent): Response =>
  HttpServerResponse.jsonUnsafe({ error: true, message, code, ...additions }, { status: Codes.status(code), headers })

/** The response to a failure of a use case, or of reading its request. */
export const responseTo = (failure: Failure): Effect.Effect<Response> => {
  if (failure instanceof Problem) return Effect.succeed(response(failure))
  if (failure instanceof Storage.LeaseLost) {
    const message = "Another process goes on with this request; try again"
    return Effect.succeed(response({ code: "storage_unavailable", message, headers: retryAfter(1) }))
  }
  if (failure instanceof Storage.StorageError) {
    const { message, refusedRead } = failure
    if (refusedRead !== undefined) {
      const code = refusedRead === "own" ? "concurrency_limited" : "storage_unavailable"
      return Effect.succeed(response({ code, message, headers: retryAfter(refusedRead === "too long" ? 10 : 1) }))
    }
    return Effect.map(log("The storage failed", failure), (requestId) =>
      response({
        code: "storage_unavailable",
        message: "The service cannot reach its storage; try again",
        additions: { request_id: requestId },
        headers: retryAfter(1)
      })
    )
  }
  return Effect.succeed(response(ofRefusal(failure)))
}

const requestParts = { Params: "path", Query: "query", Headers: "headers", Payload: "body" } as const

const ofSchemaError = ({ cause, kind }: HttpApiError.HttpApiSchemaError): Response | undefined =>
  kind === "Body" || kind === "ResponseHeaders"
    ? undefined
    : response(ofRefusal(Messages.toRefusal(cause.issue, requestParts[kind])))

/**
 * The response to whatever ended a request: 400 if the request did not match its schema,
 * else 500. An interrupted request gets no response.
 */
export const responseToCause = (cause: Cause.Cause<unknown>): Effect.Effect<Response> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause).pipe(Effect.orDie)
  const error = Cause.squash(cause)
  const refused = HttpApiError.HttpApiSchemaError.is(error) ? ofSchemaError(error) : undefined
  if (refused !== undefined) return Effect.succeed(refused)
  return Effect.map(log("A request failed", cause), (requestId) =>
    response({
      code: "internal_error",
      message: "Something went wrong on our side",
      additions: { request_id: requestId }
    })
  )
}
