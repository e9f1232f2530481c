/**
 * Creates and verifies webhook signatures (rule W6). A receiver can use this module alone: it needs only Node's `crypto`.
 *
 *     const result = Signature.verify({ header: request.headers["x-service-signature"], body, signingKey })
 *     if (result._tag !== "Verified") return response.status(400).end(result.message)
 *
 * `x-service-signature: t=<unix seconds>,v1=<hex>` is HMAC-SHA256 over `<t>.<body>`, keyed by the UTF-8 bytes of the
 * signing key. During a key rotation there is one `v1` for each valid key; one match is enough. The headers of the
 * Standard Webhooks specification are sent too; their key is the decoded base64 text after `whsec_`.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

/** The signature's header, in lower case as Node names it. */
export const HEADER = "x-service-signature"

const PREFIX = "whsec_"

const hmac = (key: string, timestamp: number, body: string | Uint8Array): Buffer =>
  createHmac("sha256", key).update(`${timestamp}.`).update(body).digest()

export interface Signed {
  readonly eventId: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly body: string
  readonly signingKeys: ReadonlyArray<string>
}

/** The value of `x-service-signature`. */
export const sign = ({ body, signingKeys, timestamp }: Omit<Signed, "eventId">): string => {
  let header = `t=${timestamp}`
  for (const key of signingKeys) header += `,v1=${hmac(key, timestamp, body).toString("hex")}`
  return header
}

/** The headers of the Standard Webhooks specification. */
export const standardHeaders = ({ body, eventId, signingKeys, timestamp }: Signed): Record<string, string> => {
  const signatures = signingKeys.map((key) => {
    const secret = Buffer.from(key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key, "base64")
    return `v1,${createHmac("sha256", secret).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`
  })
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" ")
  }
}

/** `timestamp` is in Unix seconds; `message` is for a person. */
export type Verification =
  | { readonly _tag: "Verified"; readonly timestamp: number }
  | { readonly _tag: "HeaderMissing" | "HeaderMalformed" | "SignatureMismatch"; readonly message: string }
  | { readonly _tag: "TimestampOutOfTolerance"; readonly timestamp: number; readonly message: string }

export interface ToVerify {
  /** The value of `x-service-signature`; several values are malformed. */
  readonly header: string | ReadonlyArray<string> | null | undefined
  /** The received body; or the parsed payload, whose compact JSON text is the body. */
  readonly body: string | Uint8Array | { readonly [key: string]: unknown }
  /** The key of the endpoint; with several keys, one match is enough. */
  readonly signingKey?: string
  readonly signingKeys?: ReadonlyArray<string>
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly now?: number
  /** How far the timestamp may be from `now`. It limits for how long a call can be replayed. */
  readonly toleranceSeconds?: number
}

/**
 * Verifies the signature of a call. Signatures are compared in constant time. To prevent replays within the tolerance,
 * store the ids of events for as long.
 */
export const verify = ({
  body,
  header,
  now = Date.now(),
  signingKey,
  signingKeys = [],
  toleranceSeconds = 300
}: ToVerify): Verification => {
  if (header === undefined || header === null || header === "") {
    return { _tag: "HeaderMissing", message: `The header ${HEADER} is missing` }
  }
  const parsed = typeof header === "string" ? parse(header) : undefined
  if (parsed === undefined) {
    return { _tag: "HeaderMalformed", message: `The header ${HEADER} is not t=<unix seconds>,v1=<hex>` }
  }
  const bytes = bytesOf(body)
  // With an empty key anyone could sign.
  const keys = [...signingKeys, ...(signingKey === undefined ? [] : [signingKey])].filter((key) => key !== "")
  const expected = keys.map((key) => hmac(key, parsed.timestamp, bytes))
  const matches = expected.map((one) => parsed.signatures.some((signature) => timingSafeEqual(one, signature)))
  if (!matches.includes(true)) {
    return { _tag: "SignatureMismatch", message: "No signature is the body's under a given key" }
  }
  const { timestamp } = parsed
  const age = now / 1000 - timestamp
  // A timestamp has whole seconds, so that the computed age may be up to one second too high.
  if (!(age < toleranceSeconds + 1 && -age <= toleranceSeconds)) {
    const when = age > 0 ? `${Math.floor(age)} s ago` : `${Math.ceil(-age)} s ahead`
    return {
      _tag: "TimestampOutOfTolerance",
      timestamp,
      message: `The call was signed ${when}; ${toleranceSeconds} s are tolerated`
    }
  }
  return { _tag: "Verified", timestamp }
}

const bytesOf = (body: ToVerify["body"]): Uint8Array => {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
}

interface Parsed {
  readonly timestamp: number
  /** Of 32 bytes each. */
  readonly signatures: ReadonlyArray<Buffer>
}

/** Parts of schemes other than `v1` are ignored, so that one can be added later. */
const parse = (header: string): Parsed | undefined => {
  const valuesOf = (prefix: string) =>
    header.split(",").flatMap((part) => (part.trim().startsWith(prefix) ? [part.trim().slice(prefix.length)] : []))
  const [[time, second], signatures] = [valuesOf("t="), valuesOf("v1=")]
  if (time === undefined || second !== undefined || !/^\d{1,12}$/.test(time)) return undefined
  if (signatures.length === 0 || !signatures.every((signature) => /^[0-9a-f]{64}$/i.test(signature))) return undefined
  return { timestamp: Number(time), signatures: signatures.map((signature) => Buffer.from(signature, "hex")) }
}
