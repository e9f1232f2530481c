/**
 * What the server on Node takes from `@effect/platform-node`. It is loaded with the first server, so that hosts that bring
 * a server of their own do without it.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

const load = async () => {
  const { makeHandler } = await import("@effect/platform-node/NodeHttpServer")
  const { toServerResponse } = await import("@effect/platform-node/NodeHttpServerRequest")
  return { makeHandler, toServerResponse }
}

/** The platform. */
export const loaded = Effect.map(Effect.promise(load), ({ makeHandler, toServerResponse }) => ({
  makeHandler,
  /** Calls back when the answer to a request is written, or its connection is lost. False where that is over. */
  whenSent: (request: HttpServerRequest.HttpServerRequest, then: () => void): boolean => {
    const response = toServerResponse(request)
    if (response.destroyed) return false
    response.once("close", then)
    return true
  }
}))
