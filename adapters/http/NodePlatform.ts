/**
 * What the server on Node takes from `@effect/platform-node`. It is loaded with the first server, so that hosts that bring
 * a server of their own do without it.
 */
import { Effect } from "effect"

const load = async () => {
  const { makeHandler } = await import("@effect/platform-node/NodeHttpServer")
  const { toServerResponse } = await import("@effect/platform-node/NodeHttpServerRequest")
  return { makeHandler, toServerResponse }
}

/** The platform. */
export const loaded = Effect.promise(load)
