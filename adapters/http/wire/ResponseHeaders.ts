/**
 * The headers that every answer has. No cache keeps an answer, none gives the answer to one caller to another, and no
 * browser takes an answer for something that it is not. An answer that is the same for all callers says itself how it is
 * cached.
 */
import { HttpServerResponse } from "effect/http"
import * as RequestIds from "./RequestIds.ts"

/** The headers of the answer to a request with this id. */
export const of = (requestId: string) => ({
  "cache-control": "no-store",
  vary: "accept, authorization, x-api-key",
  "x-content-type-options": "nosniff",
  [RequestIds.HEADER]: requestId
})

/** Sets headers one by one: `HttpServerResponse.setHeaders` takes twice the time. */
export const set = (
  response: HttpServerResponse.HttpServerResponse,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  Object.entries(headers).reduce((told, [name, value]) => HttpServerResponse.setHeader(told, name, value), response)

/** The answer to the request with this id, with the headers that every answer has. */
export const complete = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string
): HttpServerResponse.HttpServerResponse => {
  const headers = of(requestId)
  const { "cache-control": caching, vary = headers.vary } = response.headers
  return set(response, caching === undefined ? headers : { ...headers, "cache-control": caching, vary })
}
