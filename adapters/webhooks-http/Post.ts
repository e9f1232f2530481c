/**
 * An HTTP POST that returns the status and the beginning of the body. It follows no redirect.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import { urlToHttpOptions } from "node:url"
import { Effect } from "effect"
import { WebhookSender } from "simplan/ports"
import * as Body from "./Body.ts"
import type { Connections } from "./Connections.ts"
import * as ReusableConnection from "./ReusableConnection.ts"
import * as Proxy from "./Proxy.ts"

/** A URL as options of a Node request. */
export interface Target {
  readonly isSecure: boolean
  readonly options: Pick<Http.RequestOptions, "hostname" | "port" | "path">
  /** Names and values alternate. */
  readonly headers: ReadonlyArray<string>
}

export const target = (url: URL, proxy: Proxy.Proxy | null): Target => {
  const { auth, hostname, path, port } = urlToHttpOptions(url)
  const isSecure = url.protocol === "https:"
  const credentials = auth ? ["authorization", `Basic ${Buffer.from(auth).toString("base64")}`] : []
  const headers = ["host", url.host, ...credentials]
  if (isSecure || proxy === null) return { isSecure, options: { hostname, path, port }, headers }
  const basic = Proxy.authorization(proxy)
  return {
    isSecure,
    options: { hostname: proxy.hostname, path: `http://${url.host}${path}`, port: proxy.port },
    headers: basic === undefined ? headers : [...headers, "proxy-authorization", basic]
  }
}

export interface Request {
  readonly organizationId: string
  readonly target: Target
  /** Names and values alternate; the headers of the target come first. */
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

export type Post = (request: Request) => Effect.Effect<WebhookSender.WebhookAnswer, WebhookSender.SendFailed>

export interface Options {
  readonly connections: Connections
  /** The time limit until the head of the response, in milliseconds. */
  readonly timeoutMillis: number
  /** The error message of a call that exceeds it. */
  readonly tooLate: string
}

export const make =
  ({ connections, timeoutMillis, tooLate }: Options): Post =>
  ({ body, headers, organizationId, target }) =>
    Effect.callback((resume) => {
      const began = performance.now()
      const options = {
        ...target.options,
        // The agent's key has it.
        organizationId,
        method: "POST",
        agent: target.isSecure ? connections.https : connections.http,
        headers: [...target.headers, ...headers, "content-length", String(Buffer.byteLength(body))]
      }
      const request = target.isSecure ? Https.request(options) : Http.request(options)
      const timer = setTimeout(() => {
        resume(Effect.fail(new WebhookSender.SendFailed({ message: tooLate })))
        request.destroy()
      }, timeoutMillis)
      request.on("socket", ReusableConnection.begin)
      let hasResponse = false
      // The listener stays, because an error may come after an interruption. After the response's head it changes nothing.
      request.on("error", (error) => {
        clearTimeout(timer)
        if (!hasResponse) resume(Effect.fail(failed(error)))
      })
      request.on("response", (response) => {
        hasResponse = true
        clearTimeout(timer)
        const status = response.statusCode ?? 0
        const durationMillis = Math.round(performance.now() - began)
        Body.read(response, (text) => resume(Effect.succeed({ status, durationMillis, body: text })))
      })
      request.on("upgrade", ({ statusCode = 0 }, socket) => {
        clearTimeout(timer)
        socket.destroy()
        resume(Effect.succeed({ status: statusCode }))
      })
      request.end(body)
      return Effect.sync(() => {
        clearTimeout(timer)
        request.destroy()
      })
    })

/** If a name has several addresses and none answers, the error has one cause for each. */
const failed = (error: Error): WebhookSender.SendFailed => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const message = first instanceof Error && first.message !== "" ? first.message : "The connection failed"
  return new WebhookSender.SendFailed({ message })
}
