/**
 * Creates and verifies webhook signatures (rule W6). A receiver can use this module alone: it needs
 * only Node's `crypto`.
 *
 *     import { verify } from "simplan/webhooks"
 *     const result = verify({ headers: request.headers, body, signingKey })
 *     if (result._tag !== "Verified") return response.status(400).end(result.message)
 *
 * `x-service-signature: t=<unix seconds>,v1=<hex>` is HMAC-SHA256 over `<t>.<body>`, keyed by the
 * UTF-8 bytes of the signing key. During a key rotation there is one `v1` for each valid key; one
 * match is enough. The headers of the Standard Webhooks specification are sent too; their key is
 * the decoded base64 text after `whsec_`.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

/** The signature's header, in lower case as Node names it. */
export const HEADER = "x-service-signature"

const STANDARD_ID = "webhook-id"
const STANDARD_TIMESTAMP = "webhook-timestamp"
const STANDARD_SIGNATURE = "webhook-signature"

const PREFIX = "whsec_"

/** The key of the Standard Webhooks signature: the decoded base64 text. */
const standardSecret = (key: string): Buffer =>
  Buffer.from(key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key, "base64")

/** What a signature is made of. */
export interface Signed {
  /** For the headers of the Standard Webhooks specification. */
  readonly eventId: string
  /** Unix seconds. */
  readonly timestamp: number
  /** Exactly as it is sent. */
  readonly body: string
  /** `whsec_` and base64; each gives a signature of its own, newest first. */
  readonly signingKeys: ReadonlyArray<string>
}

/** The value of `x-service-signature`. */
export const sign = ({ body, signingKeys, timestamp }: Omit<Signed, "eventId">): string => {
  const signed = `${timestamp}.${body}`
  let header = `t=${timestamp}`
  for (const key of signingKeys) header += `,v1=${createHmac("sha256", key).update(signed).digest("hex")}`
  return header
}

/** The headers of the Standard Webhooks specification. */
export const standardHeaders = ({ body, eventId, signingKeys, timestamp }: Signed): Record<string, string> => {
  const signatures = signingKeys.map((key) => {
    return `v1,${createHmac("sha256", standardSecret(key)).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`
  })
  return {
    [STANDARD_ID]: eventId,
    [STANDARD_TIMESTAMP]: String(timestamp),
    [STANDARD_SIGNATURE]: signatures.join(" ")
  }
}

/** `timestamp` is in Unix seconds; `message` is for a person. */
export type Verification =
  | { readonly _tag: "Verified"; readonly timestamp: number }
  | {
      readonly _tag: "BodyMissing" | "HeaderMissing" | "HeaderMalformed" | "SignatureMismatch"
      readonly message: string
    }
  | { readonly _tag: "TimestampOutOfTolerance"; readonly timestamp: number; readonly message: string }

type HeaderValue = string | ReadonlyArray<string> | null | undefined

/** A webhook that was received, and what it is verified by. */
export interface ToVerify {
  /** The value of `x-service-signature`, or a list with it; several values are malformed. */
  readonly header?: HeaderValue
  /**
   * All headers, instead of `header`: as Node (`headers` or `headersDistinct`) or `fetch` has them.
   * Without `x-service-signature` the headers of the Standard Webhooks specification are verified.
   */
  readonly headers?: { readonly [name: string]: HeaderValue } | { readonly get: (name: string) => string | null }
  /** The received body, as it came; or the parsed payload, whose compact JSON text is the body. */
  readonly body: string | Uint8Array | ArrayBuffer | { readonly [key: string]: unknown }
  /** The key of the endpoint; with several keys, one match is enough. */
  readonly signingKey?: string
  /** In place of `signingKey`, while two are known; one match is enough. It may be one text. */
  readonly signingKeys?: string | ReadonlyArray<string>
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly now?: number
  /**
   * How far the timestamp may be from `now`, in either direction; 300 by default. It limits for how
   * long a call can be replayed.
   */
  readonly toleranceSeconds?: number
}

/**
 * Verifies the signature of a call. Signatures are compared in constant time. It throws nothing: a
 * body that is none is `BodyMissing`, and keys that are none are `SignatureMismatch`; both say what
 * was given. To prevent replays within the tolerance, store the ids of events for as long.
 */
export const verify = (given: ToVerify): Verification => {
  // JavaScript code may give nothing.
  const none: unknown = given
  if (typeof none !== "object" || none === null) {
    return {
      _tag: "BodyMissing",
      message: `verify must be given the headers, the body and the signingKey, not ${typeOf(none)}`
    }
  }
  const { body, header, headers = {}, now = Date.now(), signingKey, signingKeys = [], toleranceSeconds = 300 } = given
  const bytes = bytesOf(body)
  if (typeof bytes === "string") return { _tag: "BodyMissing", message: bytes }
  const own = single(header) ?? read(headers, HEADER)
  const isStandard = !own && Boolean(read(headers, STANDARD_SIGNATURE))
  if (!own && !isStandard) return { _tag: "HeaderMissing", message: `The header ${HEADER} is missing` }
  const parsed = isStandard ? parseStandard(headers) : parse(own)
  if (parsed === undefined) {
    const message = isStandard
      ? "The headers are not those of the Standard Webhooks specification"
      : `The header ${HEADER} is not t=<unix seconds>,v1=<hex>`
    return { _tag: "HeaderMalformed", message }
  }
  const { prefix, secretOf, signatures, timestamp } = parsed
  // With an empty key anyone could sign.
  const secrets = [signingKeys, signingKey]
    .flat()
    .filter((key) => typeof key === "string")
    .map(secretOf)
    .filter((secret) => secret.length > 0)
  const expected = secrets.map((secret) => createHmac("sha256", secret).update(prefix).update(bytes).digest())
  const matches = expected.map((one) => signatures.some((signature) => timingSafeEqual(one, signature)))
  if (!matches.includes(true)) {
    const none = secrets.length === 0 ? "No signingKey is given" : "No signature is the body's under a given key"
    return { _tag: "SignatureMismatch", message: wrongKey({ signingKey, signingKeys }) ?? none }
  }
  const age = numberOf(now) / 1000 - timestamp
  const tolerated = numberOf(toleranceSeconds)
  if (!(Math.abs(age) <= tolerated)) {
    const when = `${Math.ceil(Math.abs(age))} s ${age > 0 ? "ago" : "ahead"}`
    return {
      _tag: "TimestampOutOfTolerance",
      timestamp,
      message: `The call was signed ${when}; ${tolerated} s are tolerated`
    }
  }
  return { _tag: "Verified", timestamp }
}

// `headersDistinct` of Node has a list of each header's values.
const single = (value: HeaderValue): HeaderValue =>
  typeof value === "object" && value !== null && value.length === 1 ? value[0] : value

/** The value of a header; its name is in lower case. */
const read = (headers: NonNullable<ToVerify["headers"]>, name: string): HeaderValue => {
  if (typeof headers?.get === "function") {
    try {
      return headers.get(name)
    } catch {
      return undefined
    }
  }
  const [, value] = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name) ?? []
  return single(value)
}

/** A number, whatever JavaScript code has given; NaN if that is none. */
const numberOf = (value: unknown): number => {
  try {
    return Number(value)
  } catch {
    return Number.NaN
  }
}

const typeOf = (value: unknown): string => (value === null ? "null" : typeof value)

/** What is wrong with the keys; undefined: nothing. Those of a list may be missing. */
const wrongKey = (keys: Readonly<Record<string, unknown>>): string | undefined => {
  for (const [name, value] of Object.entries(keys)) {
    const wrong = [value].flat().find((key) => typeof key !== "string" && key !== undefined)
    if (wrong !== undefined) return `${name} must be a text, or a list of texts, not ${typeOf(wrong)}`
  }
  return undefined
}

const MUST = "body must be the received body, as text, bytes or the parsed payload"

/** The bytes of a body, of whatever realm; or a sentence that says what was given in its place. */
const bytesOf = (body: unknown): Uint8Array | string => {
  if (typeof body === "string") return Buffer.from(body)
  if (typeof body !== "object" || body === null) return `${MUST}, not ${typeOf(body)}`
  try {
    if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    if (isBuffer(body)) return new Uint8Array(body)
    const has = (name: string): boolean => typeof Reflect.get(body, name) === "function"
    if (has("then")) return `${MUST}, not a promise that is still to be awaited`
    if (["arrayBuffer", "getReader", "pipe"].some(has))
      return `${MUST}, not a request or a stream that is still to be read`
    const kind = Object.prototype.toString.call(body).slice("[object ".length, -1)
    return kind === "Object" ? Buffer.from(JSON.stringify(body)) : `${MUST}, not an object of the kind ${kind}`
  } catch {
    return `${MUST}, not an object that is no JSON`
  }
}

// One of another realm is no instance of `ArrayBuffer`.
const isBuffer = (value: object): value is ArrayBuffer =>
  /^\[object (?:Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value))

interface Parsed {
  readonly timestamp: number
  /** Of 32 bytes each. */
  readonly signatures: ReadonlyArray<Buffer>
  /** What is signed before the body. */
  readonly prefix: string
  /** The bytes of a signing key. */
  readonly secretOf: (key: string) => Buffer
}

const SECONDS = /^\d{1,12}$/

/** Parts of schemes other than `v1` are ignored, so that one can be added later. */
const parse = (header: HeaderValue): Parsed | undefined => {
  if (typeof header !== "string") return undefined
  const valuesOf = (prefix: string) =>
    header.split(",").flatMap((part) => (part.trim().startsWith(prefix) ? [part.trim().slice(prefix.length)] : []))
  const [[time, second], signatures] = [valuesOf("t="), valuesOf("v1=")]
  if (time === undefined || second !== undefined || !SECONDS.test(time)) return undefined
  if (signatures.length === 0 || !signatures.every((signature) => /^[0-9a-f]{64}$/i.test(signature))) return undefined
  return {
    timestamp: Number(time),
    signatures: signatures.map((signature) => Buffer.from(signature, "hex")),
    prefix: `${Number(time)}.`,
    secretOf: (key) => Buffer.from(key)
  }
}

/** As `parse`, for the headers of the Standard Webhooks specification. */
const parseStandard = (headers: NonNullable<ToVerify["headers"]>): Parsed | undefined => {
  const [id, time, signed] = [STANDARD_ID, STANDARD_TIMESTAMP, STANDARD_SIGNATURE].map((name) => read(headers, name))
  if (typeof id !== "string" || id === "" || typeof time !== "string" || !SECONDS.test(time)) return undefined
  const texts = typeof signed === "string" ? signed.split(" ").filter((part) => part.startsWith("v1,")) : []
  const signatures = texts.map((text) => Buffer.from(text.slice("v1,".length), "base64"))
  if (signatures.length === 0 || !signatures.every(({ length }) => length === 32)) return undefined
  return { timestamp: Number(time), signatures, prefix: `${id}.${time}.`, secretOf: standardSecret }
}
