/**
 * Reads no more of a list that comes as a whole (rule W4) than its first items: the answer is cut after them, and the
 * rest of it is not asked for.
 */
import { Effect, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** How deep the items are in `{"error":false,"data":[…]}`. */
const DEPTH = 2

/**
 * Takes the text of the answer piece by piece. `take` gives what of the piece belongs to the cut answer, which is whole
 * once `isCut` says so.
 */
const scanner = (limit: number) => {
  let [depth, items] = [0, 0]
  let [inString, isEscaped, isCut] = [false, false, false]

  const take = (piece: string): string => {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) inString = false
      } else if (code === QUOTE) inString = true
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--
      else if (code === COMMA && depth === DEPTH && ++items === limit) {
        isCut = true
        return `${piece.slice(0, at)}]}`
      }
    }
    return piece
  }

  return { take, isCut: () => isCut }
}

const cut = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.suspend(() => {
    if (response.status !== 200) return Effect.succeed(response)
    const { isCut, take } = scanner(limit)
    const pieces = response.stream.pipe(Stream.decodeText, Stream.map(take), Stream.takeUntil(isCut), Stream.mkString)
    return Effect.map(pieces, (text) => {
      const { headers, status } = response
      return HttpClientResponse.fromWeb(response.request, new Response(text, { status, headers }))
    })
  })

/**
 * The client with answers that are lists (`{"error":false,"data":[…]}`) cut after `limit` items, at least 1. The connection
 * of an answer that was cut is closed.
 */
export const through = (client: HttpClient.HttpClient, limit: number): HttpClient.HttpClient =>
  HttpClient.transformResponse(client, (answer) => Effect.flatMap(answer, (response) => cut(response, limit)))
