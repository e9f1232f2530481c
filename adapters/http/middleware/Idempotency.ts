/**
 * Idempotency keys at the edge (rule W2): the key of a request and the fingerprint of what was sent with it. An answer
 * that is told again is made from the same value by the same encoder, so it is the same, byte for byte.
 */
import { Effect, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Idempotency, IdempotencyKeys } from "simplan"
import { createHash } from "node:crypto"
import * as Security from "../api/Security.ts"
import * as ErrorLog from "../wire/ErrorLog.ts"
import * as Errors from "../wire/Errors.ts"

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

const malformed = new Errors.Problem({
  code: "invalid_idempotency_key",
  message: "Idempotency-Key must be 1 to 255 printable ASCII characters"
})

const keyOf = (request: HttpServerRequest.HttpServerRequest): Result.Result<string | undefined, Errors.Problem> => {
  const key = request.headers["idempotency-key"]
  if (key === undefined) return Result.succeed(undefined)
  return PRINTABLE.test(key) ? Result.succeed(key) : Result.fail(malformed)
}

const fingerprint = (request: HttpServerRequest.HttpServerRequest, body: Uint8Array): string =>
  createHash("sha256")
    .update(`${request.method} ${ErrorLog.pathOf(request.url)}\n`)
    .update(body)
    .digest("hex")

/**
 * Runs a use case under the request's idempotency key, if it has one, and answers with what the use case, now or the
 * first time, came to.
 */
export type Once = <Kind extends keyof Idempotency.Answers, E extends Errors.Failure, R>(
  kind: Kind,
  body: Uint8Array,
  run: Effect.Effect<Idempotency.Answers[Kind], E, R>,
  answer: (value: Idempotency.Answers[Kind]) => HttpServerResponse.HttpServerResponse
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Errors.Failure,
  R | HttpServerRequest.HttpServerRequest | Security.Caller
>

export const make: Effect.Effect<Once, never, IdempotencyKeys.IdempotencyKeys> = Effect.map(
  IdempotencyKeys.IdempotencyKeys,
  (keys) =>
    Effect.fnUntraced(function* (kind, body, run, answer) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const key = yield* Effect.fromResult(keyOf(request))
      if (key === undefined) return answer(yield* run)
      const { organizationId } = yield* Security.Caller
      let ran = false
      const first = Effect.suspend(() => {
        ran = true
        return run
      })
      const value = yield* Effect.provideService(keys.once(kind, first), IdempotencyKeys.CurrentRequest, {
        organizationId,
        key,
        fingerprint: fingerprint(request, body)
      })
      const response = answer(value)
      return ran ? response : HttpServerResponse.setHeader(response, "idempotent-replayed", "true")
    })
)
