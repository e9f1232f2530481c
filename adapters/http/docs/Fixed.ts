/**
 * Answers that stay the same: made and compressed once. A client that has one already gets 304.
 *
 * Only what goes to a connection of Node as it is goes compressed. A web response is for the host's
 * server to compress: some do that once more, or drop the header that says how it was done.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import * as Http from "node:http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as Requests from "../middleware/Requests.ts"

type Response = HttpServerResponse.HttpServerResponse

/** An answer in one encoding, and the one to a client that has it already. */
interface Variant {
  readonly tag: string
  readonly whole: Response
  readonly unchanged: Response
}

/** An answer in its encodings. */
export interface Fixed {
  readonly plain: Variant
  readonly compressed: Variant
}

/** What an answer is made of. */
export interface Content {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** The value of `Cache-Control`. */
  readonly caching: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Makes an answer. */
export const make = async ({ bytes, caching, contentType, headers }: Content): Promise<Fixed> => {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 27)
  const variant = (body: Uint8Array, tag: string, encoding: Readonly<Record<string, string>>): Variant => {
    const kept = { "cache-control": caching, vary: "accept-encoding", etag: tag }
    return {
      tag,
      whole: HttpServerResponse.uint8Array(body, { contentType, headers: { ...headers, ...kept, ...encoding } }),
      unchanged: HttpServerResponse.empty({ status: 304, headers: kept })
    }
  }
  return {
    plain: variant(bytes, `"${hash}"`, {}),
    compressed: variant(await promisify(gzip)(bytes), `"${hash}-gzip"`, { "content-encoding": "gzip" })
  }
}

const takesGzip = (accepted: string): boolean => {
  const codings = accepted.split(",").map((coding) =>
    coding
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
  )
  const [, ...parameters] = codings.find(([name]) => name === "gzip") ??
    codings.find(([name]) => name === "*") ?? ["", "q=0"]
  return !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one))
}

const has = (noneMatch: string, tag: string): boolean =>
  noneMatch.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag)

/** The answer to a request, in the encoding that its client takes. */
export const answer = Effect.fnUntraced(function* ({ compressed, plain }: Fixed) {
  const { headers, source } = yield* HttpServerRequest.HttpServerRequest
  const arrival = yield* Requests.CurrentArrival
  const isSentAsIs = arrival?.direct !== undefined || source instanceof Http.IncomingMessage
  const isCompressed = isSentAsIs && takesGzip(headers["accept-encoding"] ?? "")
  const { tag, unchanged, whole } = isCompressed ? compressed : plain
  return has(headers["if-none-match"] ?? "", tag) ? unchanged : whole
})
