/**
 * One HTTP POST of which only the status matters. No redirect is followed. The response's body is thrown away, and the
 * connection with it where the body is long or slow.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import { urlToHttpOptions } from "node:url"
import { Effect, type Scope } from "effect"
import { WebhookSender } from "simplan"

/** How much of a body is read, and for how long, to keep the connection for the next call. */
const BODY_BYTES = 16 * 1024
const BODY_MILLIS = 1_000

/** Where a URL leads, as Node wants to be told of it. */
export interface Target {
  readonly isSecure: boolean
  readonly options: Pick<Http.RequestOptions, "hostname" | "port" | "path">
  /** Names and values by turns. */
  readonly headers: ReadonlyArray<string>
}

export const target = (url: URL): Target => {
  const { auth, hostname, path, port } = urlToHttpOptions(url)
  const credentials = auth ? ["authorization", `Basic ${Buffer.from(auth).toString("base64")}`] : []
  return {
    isSecure: url.protocol === "https:",
    options: { hostname, path, port },
    headers: ["host", url.host, ...credentials]
  }
}

export interface Request {
  readonly target: Target
  /** Names and values by turns; the target's own go before them. */
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

export type Post = (request: Request) => Effect.Effect<{ readonly status: number }, WebhookSender.SendFailed>

export interface Options {
  /** Resolves names. */
  readonly lookup?: LookupFunction
  /** How long a call may take until its response's head came, in milliseconds, and what to say of one that takes longer. */
  readonly timeoutMillis: number
  readonly tooLate: string
}

/** Connections are kept for a while and closed with the scope. */
export const make = ({ timeoutMillis, tooLate, ...options }: Options): Effect.Effect<Post, never, Scope.Scope> =>
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

    return ({ body, headers, target }) =>
      Effect.callback((resume) => {
        const common = {
          ...target.options,
          method: "POST",
          headers: [...target.headers, ...headers, "content-length", String(Buffer.byteLength(body))]
        }
        const request = target.isSecure
          ? Https.request({ ...common, agent: agents.https })
          : Http.request({ ...common, agent: agents.http })
        const timer = setTimeout(() => {
          resume(Effect.fail(new WebhookSender.SendFailed({ message: tooLate })))
          request.destroy()
        }, timeoutMillis)
        // It stays: an error may still come after the response, or after an interruption.
        request.on("error", (error) => {
          clearTimeout(timer)
          resume(Effect.fail(failed(error)))
        })
        request.on("response", (response) => {
          clearTimeout(timer)
          discard(response)
          resume(Effect.succeed({ status: response.statusCode ?? 0 }))
        })
        request.end(body)
        return Effect.sync(() => {
          clearTimeout(timer)
          request.destroy()
        })
      })
  })

const discard = (response: Http.IncomingMessage): void => {
  response.on("error", () => {})
  if (response.headers["content-length"] === "0") {
    response.resume()
    return
  }
  let left = BODY_BYTES
  const tooSlow = setTimeout(() => response.destroy(), BODY_MILLIS)
  response.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) response.destroy()
  })
  response.on("close", () => clearTimeout(tooSlow))
}

/** A name with several addresses, none of which answers, gives an error with one cause per address. */
const failed = (error: Error): WebhookSender.SendFailed => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const message = first instanceof Error && first.message !== "" ? first.message : "The connection failed"
  return new WebhookSender.SendFailed({ message })
}
