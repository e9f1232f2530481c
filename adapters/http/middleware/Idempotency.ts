/**
 * The `Idempotency-Key` header (rule W2). The fingerprint of a request is a hash of its method, path and body. A replayed
 * answer or refusal is encoded again from the stored value, so it is the same, byte for byte. `Idempotent-Replayed` marks
 * it.
 */
import { Effect, Result } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { IdempotencyKeys } from "simplan"
import type { Idempotency } from "simplan/ports"
import { createHash } from "node:crypto"
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
    .update(`${request.method} ${Errors.pathOf(request.url)}\n`)
    .update(body)
    .digest("hex")

/** The parts of a call that its key is looked up with. */
interface KeyedCall<Body> {
  readonly caller: { readonly organizationId: string }
  readonly request: HttpServerRequest.HttpServerRequest
  respond(body: Body): HttpServerResponse.HttpServerResponse
}

/**
 * Runs a use case under the request's idempotency key, if it has one. The response is made of what the use case gave,
 * now or the first time; `bytes` is the body that was sent.
 */
export type Once = <Kind extends keyof Idempotency.Answers, Body, E extends Errors.Failure, R>(
  kind: Kind,
  call: KeyedCall<Body>,
  bytes: Uint8Array,
  run: Effect.Effect<Idempotency.Answers[Kind], E, R>,
  shape: (value: Idempotency.Answers[Kind]) => Body
) => Effect.Effect<HttpServerResponse.HttpServerResponse, Errors.Failure, R>

export const make: Effect.Effect<Once, never, IdempotencyKeys.IdempotencyKeys> = Effect.map(
  IdempotencyKeys.IdempotencyKeys,
  (keys) =>
    Effect.fnUntraced(function* (kind, call, bytes, run, shape) {
      const key = yield* Effect.fromResult(keyOf(call.request))
      if (key === undefined) return call.respond(shape(yield* run))
      let isReplay = false
      const onReplay = Effect.sync(() => {
        isReplay = true
      })
      const outcome = yield* Effect.result(
        Effect.provideService(keys.once(kind, run, onReplay), IdempotencyKeys.CurrentRequest, {
          organizationId: call.caller.organizationId,
          key,
          fingerprint: fingerprint(call.request, bytes)
        })
      )
      if (!isReplay) return call.respond(shape(yield* Effect.fromResult(outcome)))
      const response = Result.isSuccess(outcome)
        ? call.respond(shape(outcome.success))
        : yield* Errors.responseTo(outcome.failure)
      return HttpServerResponse.setHeader(response, "idempotent-replayed", "true")
    })
)
