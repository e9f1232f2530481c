/**
 * The log of internal failures. Each is logged with its cause under the request's id (rule W11); the caller gets only the
 * id. No log line shows an API key, a bearer token or a signing key.
 */
import { Cause, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { RequestContext } from "simplan"

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
