/**
 * An HTTP POST that returns only the status. It follows no redirect and discards the body of the response. If the body is
 * long or slow, the connection is closed.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import { urlToHttpOptions } from "node:url"
import { Effect, type Scope } from "effect"
import { WebhookSender } from "simplan/ports"

/** Up to which size and time a body is read, so that the connection can be used again. */
const BODY_BYTES = 16 * 1024
const BODY_MILLIS = 1_000

/** A URL as options of a Node request. */
export interface Target {
  readonly isSecure: boolean
  readonly options: Pick<Http.RequestOptions, "hostname" | "port" | "path">
  /** Names and values alternate. */
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
  /** Names and values alternate; the headers of the target come first. */
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

export type Post = (request: Request) => Effect.Effect<{ readonly status: number }, WebhookSender.SendFailed>

export interface Options {
  readonly lookup?: LookupFunction
  /** The time limit until the head of the response, in milliseconds. */
  readonly timeoutMillis: number
  /** The error message of a call that exceeds it. */
  readonly tooLate: string
}

/** Connections are reused, and closed with the scope. */
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
        // The listener stays, because an error may come after the response or after an interruption.
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

/** If a name has several addresses and none answers, the error has one cause for each. */
const failed = (error: Error): WebhookSender.SendFailed => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const message = first instanceof Error && first.message !== "" ? first.message : "The connection failed"
  return new WebhookSender.SendFailed({ message })
}
