/**
 * The bodies of requests, within a limit of bytes, and what JSON bodies mean.
 *
 * A declared length over the limit is refused before anything is read (rule W8); else reading stops
 * at the limit. The request can be answered in each case. JSON bodies are checked in this order:
 * content type, size, number of values, UTF-8, JSON, strings that no storage can keep, the lengths
 * of arrays, and the endpoint's schema.
 */
import { ByteSize, Effect, Result, Schema, type SchemaAST } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import * as Http from "node:http"
import { RequestContext, Refusal } from "simplan"
import * as Turns from "../Turns.ts"
import { Problem } from "./Errors.ts"
import * as Query from "./Query.ts"
import { Fields, Messages } from "../../fields/index.ts"

/** 1 MiB: the limit of all bodies but imports. */
export const LIMIT = 1_048_576

/** 64 MiB: the limit of imports. */
export const IMPORT_LIMIT = 64 * LIMIT

/**
 * 4 MiB: the limit of a catalogue, which is parsed as a whole. The one that is built in has a
 * quarter of 1 MiB.
 */
export const CATALOGUE_LIMIT = 4 * LIMIT

const tooLarge = (limit: number): Problem =>
  new Problem({ code: "body_too_large", message: `body must have at most ${limit} bytes` })

const brokenOff = new Problem({ code: "malformed_body", message: "body broke off before its end" })

const declaredLength = (request: HttpServerRequest.HttpServerRequest): number =>
  Number(request.headers["content-length"] ?? 0)

const source = (request: HttpServerRequest.HttpServerRequest): AsyncIterable<Uint8Array> => {
  if (request.source instanceof Http.IncomingMessage) return request.source.iterator({ destroyOnReturn: false })
  // Frameworks have web requests of their own.
  const body: unknown = Reflect.get(request.source, "body")
  return isStream(body) ? body : empty()
}

const isStream = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body

async function* empty(): AsyncGenerator<Uint8Array> {}

/** The body in chunks, as they arrive; throws a `Problem` if it is too large or breaks off. */
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

const problemOf = ({ reason }: HttpServerError.HttpServerError, limit: number): Problem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? tooLarge(limit) : brokenOff

/**
 * Parts of a body up to so many bytes are copied together: an object of its own takes a hundred
 * bytes and more.
 */
const SMALL = 4_096

/**
 * Nobody else reads the body of Node's request, so none of it is kept for others, as `arrayBuffer`
 * does by a fiber.
 */
const collected = (message: Http.IncomingMessage, limit: number): Effect.Effect<Uint8Array, Problem> =>
  Effect.callback((resume) => {
    const parts: Array<Uint8Array> = []
    let length = 0
    let small: Buffer | undefined
    let smallLength = 0
    const endSmall = (): void => {
      if (small === undefined) return
      parts.push(small.subarray(0, smallLength))
      small = undefined
      smallLength = 0
    }
    const stop = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken)
    }
    const settle = (outcome: Effect.Effect<Uint8Array, Problem>): void => {
      stop()
      resume(outcome)
    }
    const onData = (part: Uint8Array): void => {
      length += part.byteLength
      if (parts.length === 0 && small === undefined) parts.push(part)
      else if (part.byteLength > SMALL) {
        endSmall()
        parts.push(part)
      } else {
        if (small !== undefined && smallLength + part.byteLength > small.byteLength) endSmall()
        small ??= Buffer.allocUnsafeSlow(4 * SMALL)
        small.set(part, smallLength)
        smallLength += part.byteLength
      }
      if (length > limit) settle(Effect.fail(tooLarge(limit)))
    }
    const onEnd = (): void => {
      endSmall()
      settle(Effect.succeed(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)))
    }
    const onBroken = (): void => settle(Effect.fail(brokenOff))
    if (message.readableEnded) onEnd()
    else if (message.destroyed) onBroken()
    else message.on("end", onEnd).on("error", onBroken).on("close", onBroken).on("data", onData)
    return Effect.sync(stop)
  })

/** The whole body. */
export const readBytes = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Uint8Array, Problem> => {
  if (declaredLength(request) > limit) return Effect.fail(tooLarge(limit))
  if (request.source instanceof Http.IncomingMessage) {
    return Effect.tap(collected(request.source, limit), ({ byteLength }) => RequestContext.countBytes(byteLength))
  }
  return Effect.provideService(request.arrayBuffer, HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)).pipe(
    Effect.mapBoth({
      onFailure: (error) => problemOf(error, limit),
      onSuccess: (buffer) => new Uint8Array(buffer)
    })
  )
}

/** The media type of a request and its charset, in lower case. */
export const contentType = (
  request: HttpServerRequest.HttpServerRequest
): { readonly type: string; readonly charset: string } => {
  const header = request.headers["content-type"]
  if (header === undefined) return { type: "", charset: "utf-8" }
  const [type = "", ...parameters] = header.toLowerCase().split(";")
  const charset = parameters.map((part) => /^\s*charset="?([^"\s]+)"?\s*$/.exec(part)?.[1]).find((name) => name)
  return { type: type.trim(), charset: charset ?? "utf-8" }
}

/**
 * Accepts a body of one of the types, in UTF-8 and not compressed. A body without a type is of the
 * first one.
 */
export const accept = (
  request: HttpServerRequest.HttpServerRequest,
  types: readonly [string, ...ReadonlyArray<string>]
): Effect.Effect<string, Problem> => {
  const { charset, type } = contentType(request)
  const encoding = request.headers["content-encoding"] ?? "identity"
  const known = type === "" ? types[0] : types.find((name) => name === type)
  if (known !== undefined && (charset === "utf-8" || charset === "utf8") && encoding.toLowerCase() === "identity") {
    return Effect.succeed(known)
  }
  return Effect.fail(
    new Problem({
      code: "unsupported_media_type",
      message: `body must be ${types.join(" or ")} in UTF-8, not compressed`
    })
  )
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const malformed = new Problem({ code: "malformed_json", message: "body must be valid JSON" })
const notUtf8 = new Problem({ code: "malformed_body", message: "body must be UTF-8" })

/**
 * How many values a body has at most (rule W9). Those of 1 MiB of brackets take the parser 0.1 s
 * and 100 MB.
 */
export const MOST_VALUES = 25_000

/** How many a catalogue has at most: the one that is built in has a tenth of it. */
export const MOST_VALUES_OF_CATALOGUE = 200_000

const tooManyValues = (most: number): Problem =>
  new Problem({ code: "invalid_field", message: `body must have at most ${most} values` })

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/**
 * Whether the text has so many separators and brackets outside its strings that it has more values.
 */
export const hasMoreValues = (bytes: Uint8Array, most: number): boolean => {
  if (bytes.byteLength <= most) return false
  let values = 1
  let inString = false
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) inString = !inString
    else if (inString) at += byte === BACKSLASH ? 1 : 0
    else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) values++
    if (values > most) return true
  }
  return false
}

/** What a caller of `parse` bounds or checks itself. */
interface Unchecked {
  /** The strings. */
  readonly anyText?: boolean
  /** The number of values; `MOST_VALUES` at most by default. */
  readonly mostValues?: number
}

/** The JSON value in the bytes. */
export const parse = (bytes: Uint8Array, options?: Unchecked): Result.Result<unknown, Problem> => {
  const most = options?.mostValues ?? MOST_VALUES
  if (hasMoreValues(bytes, most)) return Result.fail(tooManyValues(most))
  let json: string
  try {
    json = utf8.decode(bytes)
  } catch {
    return Result.fail(notUtf8)
  }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return Result.fail(malformed)
  }
  const bad = options?.anyText === true || !Fields.isSuspicious(json) ? undefined : Fields.firstTextProblem(value)
  return bad === undefined
    ? Result.succeed(value)
    : Result.fail(new Problem({ code: "invalid_field", message: `${bad.field} ${bad.message}` }))
}

/** A body as it was sent, and the JSON value in it. */
export interface Sent {
  readonly bytes: Uint8Array
  /** Undefined if no JSON is asked for, and none was sent. */
  readonly value: unknown
}

/**
 * From so many bytes on a body is parsed in a turn of its own: 1 MiB of fields takes the event loop
 * for 25 ms.
 */
const LARGE = 16_384

/** Reads and parses a request's JSON body. */
export const read = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  options?: Unchecked & { readonly limit?: number }
) {
  yield* accept(request, ["application/json"])
  const bytes = yield* readBytes(request, options?.limit ?? LIMIT)
  if (bytes.byteLength >= LARGE) yield* Turns.piece
  const value = yield* Effect.fromResult(parse(bytes, options))
  const sent: Sent = { bytes, value }
  return sent
})

/** Reads the body of a request that is asked for none, and may have any. */
export const readUnasked = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Sent, Problem> =>
  Effect.map(readBytes(request, LIMIT), (bytes) => ({
    bytes,
    value: Result.getOrUndefined(parse(bytes, { anyText: true }))
  }))

/** How many items an array of a body has at most, if its schema does not say (rule W9). */
const MOST_ITEMS = 1_000

interface ArrayField {
  readonly name: string
  readonly most: number
}

const mostItems = (ast: SchemaAST.AST): number | undefined => {
  if (ast._tag === "Arrays") return Fields.mostItems(ast) ?? MOST_ITEMS
  return ast._tag === "Union" ? ast.types.map(mostItems).find((most) => most !== undefined) : undefined
}

const arrayFields = (ast: SchemaAST.AST): ReadonlyArray<ArrayField> =>
  ast._tag !== "Objects"
    ? []
    : ast.propertySignatures.flatMap(({ name, type }) => {
        const most = mostItems(type)
        return most === undefined ? [] : [{ name: String(name), most }]
      })

/**
 * The first array that is too long. A schema checks that after all items: half a million codes take
 * it a second.
 */
const tooLong = (fields: ReadonlyArray<ArrayField>, value: unknown): Refusal.InvalidField | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  for (const { most, name } of fields) {
    const array: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    if (Array.isArray(array) && array.length > most) {
      return new Refusal.InvalidField({ field: name, message: `must have at most ${most} items` })
    }
  }
  return undefined
}

/**
 * Compiles a decoder. `whole` is the name of the value itself in its messages, which tell all
 * problems or the first.
 */
export const decoding = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  whole: string,
  errors: "first" | "all" = "all"
): ((value: unknown) => Result.Result<S["Type"], Refusal.InvalidField>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors })
  const arrays = arrayFields(schema.ast)
  return (value) => {
    const long = tooLong(arrays, value)
    return long === undefined
      ? Result.mapError(decode(value), (error) => Messages.toRefusal(error.issue, whole))
      : Result.fail(long)
  }
}

/**
 * Compiles a decoder of bodies that refuses a field that it does not know: those of the management
 * API.
 */
export const closedDecoder = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((value: unknown) => Effect.Effect<S["Type"], Refusal.InvalidField | Problem>) => {
  const decode = decoding(schema, "body")
  const unknown = Query.unknownNames(schema, { name: "field", of: "body" })
  return (value) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    const stranger = isObject ? unknown(value) : undefined
    return stranger === undefined ? Effect.fromResult(decode(value)) : Effect.fail(stranger)
  }
}

/** Compiles a decoder of bodies. A field that it does not know is left out. */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((value: unknown) => Effect.Effect<S["Type"], Refusal.InvalidField>) => {
  const decode = decoding(schema, "body")
  return (value) => Effect.fromResult(decode(value))
}
