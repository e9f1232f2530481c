/**
 * One HTTP POST of which only the status matters. No redirect is followed. The response's body is thrown away, and the
 * connection with it where the body is long or slow.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import { Effect, type Scope } from "effect"
import { WebhookSender } from "simplan"

/** How much of a body is read, and for how long, to keep the connection for the next call. */
const BODY_BYTES = 16 * 1024
const BODY_MILLIS = 1_000

export interface Request {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Post = (request: Request) => Effect.Effect<{ readonly status: number }, WebhookSender.SendFailed>

/** Connections are kept for a while and closed with the scope. `lookup` resolves names. */
export const make = (options: { readonly lookup?: LookupFunction }): Effect.Effect<Post, never, Scope.Scope> =>
  Effect.gen(function* () {
    const agentOptions = { ...options, keepAlive: true, maxFreeSockets: 4, timeout: 10_000 }
    const agents = yield* Effect.acquireRelease(
      Effect.sync(() => ({ http: new Http.Agent(agentOptions), https: new Https.Agent(agentOptions) })),
      ({ http, https }) =>
        Effect.sync(() => {
          http.destroy()
          https.destroy()
        })
    )

    return ({ body, headers, url }) =>
      Effect.callback((resume) => {
        const bytes = Buffer.from(body)
        const common = { method: "POST", headers: { ...headers, "content-length": String(bytes.length) } }
        const request =
          url.protocol === "https:"
            ? Https.request(url, { ...common, agent: agents.https })
            : Http.request(url, { ...common, agent: agents.http })
        // It stays: an error may still come after the response, or after an interruption.
        request.on("error", (error) => resume(Effect.fail(failed(error))))
        request.on("response", (response) => {
          discard(response)
          resume(Effect.succeed({ status: response.statusCode ?? 0 }))
        })
        request.end(bytes)
        return Effect.sync(() => request.destroy())
      })
  })

const discard = (response: Http.IncomingMessage): void => {
  let left = BODY_BYTES
  const tooSlow = setTimeout(() => response.destroy(), BODY_MILLIS)
  response.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) response.destroy()
  })
  response.on("error", () => {})
  response.on("close", () => clearTimeout(tooSlow))
}

/** A name with several addresses, none of which answers, gives an error with one cause per address. */
const failed = (error: Error): WebhookSender.SendFailed => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const message = first instanceof Error && first.message !== "" ? first.message : "The connection failed"
  return new WebhookSender.SendFailed({ message })
}
