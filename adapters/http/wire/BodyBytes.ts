/**
 * The bytes of a request's body, never more than a limit: a length that is declared is refused before anything is read
 * (rule W8), one that is not when the limit is passed. Reading stops there, and the request stays answerable.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Http from "node:http"
import { Problem } from "./Errors.ts"

/** 1 MiB: the limit of all bodies but imports. */
export const LIMIT = 1_048_576

/** 64 MiB: the limit of imports. */
export const IMPORT_LIMIT = 64 * LIMIT

const tooLarge = (limit: number): Problem =>
  new Problem({ code: "body_too_large", message: `body must have at most ${limit} bytes` })

const brokenOff = new Problem({ code: "malformed_body", message: "body broke off before its end" })

const none = new Uint8Array(0)

const declaredLength = (request: HttpServerRequest.HttpServerRequest): number | undefined => {
  const length = request.headers["content-length"]
  return length === undefined ? undefined : Number(length)
}

const source = (request: HttpServerRequest.HttpServerRequest): AsyncIterable<Uint8Array> => {
  if (request.source instanceof Http.IncomingMessage) return request.source.iterator({ destroyOnReturn: false })
  return request.source instanceof Request && request.source.body !== null ? request.source.body : empty()
}

async function* empty(): AsyncGenerator<Uint8Array> {}

/** The body in chunks, as they come; throws a `Problem` where it is too large or breaks off. */
export async function* chunks(request: HttpServerRequest.HttpServerRequest, limit: number): AsyncGenerator<Uint8Array> {
  if ((declaredLength(request) ?? 0) > limit) throw tooLarge(limit)
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

const collected = async (request: HttpServerRequest.HttpServerRequest, limit: number): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for await (const chunk of chunks(request, limit)) parts.push(chunk)
  return Buffer.concat(parts)
}

/** The whole body. */
export const read = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, Problem> => {
  const length = declaredLength(request)
  if (length === 0 || (length === undefined && isBodiless(request))) return Effect.succeed(none)
  if (length !== undefined) {
    return length > limit
      ? Effect.fail(tooLarge(limit))
      : Effect.mapBoth(request.arrayBuffer, {
          onFailure: () => brokenOff,
          onSuccess: (buffer) => new Uint8Array(buffer)
        })
  }
  return Effect.tryPromise({
    try: () => collected(request, limit),
    catch: (error) => (error instanceof Problem ? error : brokenOff)
  })
}

const isBodiless = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.source instanceof Http.IncomingMessage && request.headers["transfer-encoding"] === undefined
