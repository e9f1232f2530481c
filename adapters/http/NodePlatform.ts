/**
 * What the server on Node takes from `@effect/platform-node`. It is loaded with the first server, so that hosts that bring
 * their own do without the package.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as KeyLimits from "./middleware/KeyLimits.ts"

export const { makeHandler } = NodeHttpServer

/** Calls back when the answer of a request is written, or its connection is lost. */
export const whenSent: KeyLimits.WhenSent = (request, then) => {
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response.destroyed) return false
  response.once("close", then)
  return true
}
