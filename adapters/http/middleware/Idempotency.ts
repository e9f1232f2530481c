/**
 * The `Idempotency-Key` header (rule W2). The fingerprint of a request is a hash of its method, its
 * path and the value of its JSON body; of a body that is no JSON, if none is asked for, of its
 * bytes. The query does not count: it has the API key, and what an answer is to show. A replayed
 * answer or refusal is encoded again from the stored value, so it is the same, byte for byte.
 * `Idempotent-Replayed` marks it.
 */
import { Effect, Result } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { IdempotencyKeys } from "simplan"
import { Idempotency } from "simplan/ports"
import { createHash } from "node:crypto"
import * as Turns from "../Turns.ts"
import type * as Body from "../wire/Body.ts"
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

const digest = (...parts: ReadonlyArray<string | Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

// A route takes the values of its path in each spelling, escaped or not.
const spelled = (part: string): string => {
  try {
    return encodeURIComponent(Idempotency.named(decodeURIComponent(part)))
  } catch {
    return part
  }
}

const fingerprintOf = ({ method, url }: HttpServerRequest.HttpServerRequest, { bytes, value }: Body.Sent) => {
  const called = `${method} ${Errors.pathOf(url).split("/").map(spelled).join("/")}`
  return value === undefined ? digest(`${called}\n`, bytes) : digest(Idempotency.meaning(called, value))
}

/** Whether a request has a key, be it a good one. */
export const isKeyed = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["idempotency-key"] !== undefined

/** How many rows are hashed in a turn of the event loop. */
const ROWS = 500

/** What a request of many rows is known again by: the values of its rows, in their order. */
export const sentRows = Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
  const hash = createHash("sha256")
  for (let from = 0; from < rows.length; from += ROWS) {
    if (from > 0) yield* Turns.piece
    for (const row of rows.slice(from, from + ROWS)) hash.update(Idempotency.meaning("", row))
  }
  const sent: Body.Sent = { bytes: hash.digest(), value: undefined }
  return sent
})

/** The parts of a call that its key is looked up with. */
export interface KeyedCall<Body> {
  readonly caller: { readonly organizationId: string }
  readonly request: HttpServerRequest.HttpServerRequest
  respond(body: Body): HttpServerResponse.HttpServerResponse
}

/**
 * Runs a use case under the request's idempotency key, if it has one. The response is made of what
 * the use case gave, now or the first time.
 */
export type Once = <Kind extends keyof Idempotency.Answers, Body, E extends Errors.Failure, R>(
  kind: Kind,
  call: KeyedCall<Body>,
  body: Body.Sent,
  run: Effect.Effect<Idempotency.Answers[Kind], E, R>,
  shape: (value: Idempotency.Answers[Kind]) => Body
) => Effect.Effect<HttpServerResponse.HttpServerResponse, Errors.Failure, R>

export const make: Effect.Effect<Once, never, IdempotencyKeys.IdempotencyKeys> = Effect.map(
  IdempotencyKeys.IdempotencyKeys,
  (keys) =>
    Effect.fnUntraced(function* (kind, call, body, run, shape) {
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
          fingerprint: fingerprintOf(call.request, body)
        })
      )
      if (!isReplay) return call.respond(shape(yield* Effect.fromResult(outcome)))
      const response = Result.isSuccess(outcome)
        ? call.respond(shape(outcome.success))
        : yield* Errors.responseTo(outcome.failure)
      return HttpServerResponse.setHeader(response, "idempotent-replayed", "true")
    })
)
