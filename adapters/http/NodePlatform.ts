/**
 * What the server on Node takes from `@effect/platform-node`. It is loaded with the first server, so that hosts that bring a
 * server of their own do without the package, which is an optional dependency.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

const needed = (cause: unknown): Error => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (cause instanceof Error && code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return cause
  const name = "@effect/platform-node"
  return new Error(`The HTTP server needs the package ${name}, which is not installed: npm install ${name}`, { cause })
}

// Bundlers let a package be missing that is imported in a `try`.
const load = async () => {
  try {
    const { makeHandler } = await import("@effect/platform-node/NodeHttpServer")
    const { toServerResponse } = await import("@effect/platform-node/NodeHttpServerRequest")
    return { makeHandler, toServerResponse }
  } catch (cause) {
    throw needed(cause)
  }
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
