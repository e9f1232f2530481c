/**
 * The bytes of a request's body, within a limit. A declared length over the limit is refused before anything is read
 * (rule W8); else reading stops at the limit. The request can be answered in each case.
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import * as Http from "node:http"
import { ReadCost } from "simplan"
import { Problem } from "./Errors.ts"

/** 1 MiB: the limit of all bodies but imports. */
export const LIMIT = 1_048_576

/** 64 MiB: the limit of imports. */
export const IMPORT_LIMIT = 64 * LIMIT

const tooLarge = (limit: number): Problem =>
  new Problem({ code: "body_too_large", message: `body must have at most ${limit} bytes` })

const brokenOff = new Problem({ code: "malformed_body", message: "body broke off before its end" })

const declaredLength = (request: HttpServerRequest.HttpServerRequest): number =>
  Number(request.headers["content-length"] ?? 0)

const source = (request: HttpServerRequest.HttpServerRequest): AsyncIterable<Uint8Array> => {
  if (request.source instanceof Http.IncomingMessage) return request.source.iterator({ destroyOnReturn: false })
  // Frameworks have web requests of their own.
  const body: unknown = Reflect.get(request.source, "body")
  return body instanceof ReadableStream ? body : empty()
}

async function* empty(): AsyncGenerator<Uint8Array> {}

/** The body in chunks, as they arrive; throws a `Problem` where it is too large or breaks off. */
export async function* chunks(request: HttpServerRequest.HttpServerRequest, limit: number): AsyncGenerator<Uint8Array> {
  if (declaredLength(request) > limit) throw tooLarge(limit)
  let length = 0
  try {
    for await (const chunk of source(request)) {
      length += chunk.byteLength
      if (length > limit) throw tooLarge(limit)
      yield chunk
    }
  } catch (error) {
    throw error instanceof Problem ? error : brokenOff
  }
}

const problem = ({ reason }: HttpServerError.HttpServerError, limit: number): Problem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? tooLarge(limit) : brokenOff

/** Nobody else reads the body of Node's request, so none of it is kept for others, as `arrayBuffer` does by a fiber. */
const collected = (message: Http.IncomingMessage, limit: number): Effect.Effect<Uint8Array, Problem> =>
  Effect.callback((resume) => {
    const parts: Array<Uint8Array> = []
    let length = 0
    const stop = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken)
    }
    const settle = (outcome: Effect.Effect<Uint8Array, Problem>): void => {
      stop()
      resume(outcome)
    }
    const onData = (part: Uint8Array): void => {
      length += part.byteLength
      parts.push(part)
      if (length > limit) settle(Effect.fail(tooLarge(limit)))
    }
    const onEnd = (): void => settle(Effect.succeed(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)))
    const onBroken = (): void => settle(Effect.fail(brokenOff))
    if (message.readableEnded) onEnd()
    else if (message.destroyed) onBroken()
    else message.on("end", onEnd).on("error", onBroken).on("close", onBroken).on("data", onData)
    return Effect.sync(stop)
  })

/** The whole body. */
export const read = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, Problem> => {
  if (declaredLength(request) > limit) return Effect.fail(tooLarge(limit))
  if (request.source instanceof Http.IncomingMessage) {
    return Effect.tap(collected(request.source, limit), ({ byteLength }) => ReadCost.bytes(byteLength))
  }
  return Effect.provideService(request.arrayBuffer, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)).pipe(
    Effect.mapBoth({
      onFailure: (error) => problem(error, limit),
      onSuccess: (buffer) => new Uint8Array(buffer)
    })
  )
}
