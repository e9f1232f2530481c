/**
 * Implements simplan's `WebhookSender` port (rules W6 and W7) over HTTP on Node.
 *
 * Each call is signed with the time of the attempt, ends within the time limit, follows no
 * redirect, and uses only the ports and addresses that are allowed (see `Destinations`).
 * Organizations share no connection. The core decides what a status means. No message contains a
 * signing key or the password of a proxy.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import { urlToHttpOptions } from "node:url"
import { Duration, Effect, Layer, Metric, Result } from "effect"
import { RetryAfter, WebhookEvent, WebhookSender } from "simplan/ports"
import * as Connections from "./Connections.ts"
import * as Destinations from "./Destinations.ts"
import * as Names from "./Names.ts"
import * as Proxy from "./Proxy.ts"
import * as Signature from "./Signature.ts"

/** How webhooks are sent, and where they may go. */
export interface Options extends Destinations.Options {
  /** The time limit of a call, from the DNS query to the head of the response; 15 s by default. */
  readonly timeout?: Duration.Input
  /** Sends all calls through this proxy, which then resolves the names; see `Proxy`. */
  readonly proxy?: Proxy.Proxy | null
  /** How names are resolved; by the machine's name servers and hosts file by default. */
  readonly names?: Names.Options
}

/** How many parsed URLs are cached. */
const CACHED = 10_000

/** What became of a name that was needed for a connection. */
type Outcome = "resolved" | "failed" | "refused"

const lookups = (outcome: Outcome) =>
  Metric.counter("simplan_webhook_lookups_total", {
    description: "Names of webhooks that were resolved for a connection, by outcome",
    attributes: { outcome },
    incremental: true
  })

/**
 * Resolves the names of an organization's connections. Fails if one of a name's addresses is not
 * allowed.
 */
const lookupOf =
  (resolve: Names.Resolve, isAllowed: (address: string) => boolean, count: (outcome: Outcome) => void) =>
  (organizationId: string): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, organizationId).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
          count("refused")
          return callback(new Error(`${hostname} resolves to a loopback, private or reserved address`), [])
        }
        count("resolved")
        if (options.all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: Error) => {
        count("failed")
        callback(error, [])
      }
    )
  }

/** A URL as options of a Node request. */
interface Target {
  readonly isSecure: boolean
  readonly options: Pick<Http.RequestOptions, "hostname" | "port" | "path">
  /** Names and values alternate. */
  readonly headers: ReadonlyArray<string>
}

const targetOf = (url: URL, proxy: Proxy.Proxy | null): Target => {
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

/** Up to which size and time a body is read, so that the connection can be used again. */
const READ_BYTES = 16 * 1024
const READ_MILLIS = 1_000

const utf8 = new TextDecoder()

/** PostgreSQL stores no NUL. A character that is cut off at the end is left out. */
const toText = (bytes: Uint8Array): string => {
  const text = utf8.decode(bytes, { stream: true })
  // Ends the stream: the next text begins anew.
  utf8.decode()
  return text.replaceAll("\0", "\u{fffd}")
}

const isEmpty = ({ headers, statusCode }: Http.IncomingMessage): boolean =>
  headers["content-length"] === "0" || statusCode === 204

/**
 * Reads the beginning of a response's body, and calls `done` once: with the first kilobyte, with
 * the whole body, or with what came within a second. Closes the connection if the body is long
 * or slow.
 */
const readBody = (response: Http.IncomingMessage, done: (text: string) => void): void => {
  if (isEmpty(response)) {
    response.on("error", () => {}).resume()
    done("")
    return
  }
  let begun = Buffer.alloc(0)
  let total = 0
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    done(toText(begun))
  }
  const tooSlow = setTimeout(() => {
    finish()
    response.destroy()
  }, READ_MILLIS)
  response.on("data", (chunk: Buffer) => {
    total += chunk.length
    if (begun.length < WebhookSender.BODY_BYTES) {
      begun = Buffer.concat([begun, chunk]).subarray(0, WebhookSender.BODY_BYTES)
    }
    if (begun.length === WebhookSender.BODY_BYTES) finish()
    if (total > READ_BYTES) response.destroy()
  })
  response.on("end", finish)
  response.on("error", finish)
  response.on("close", () => {
    clearTimeout(tooSlow)
    finish()
  })
}

/** If a name has several addresses and none answers, the error has one cause for each. */
const failed = (error: Error): WebhookSender.SendFailed => {
  const first: unknown = "errors" in error && Array.isArray(error.errors) ? error.errors[0] : error
  const found: unknown = typeof first === "object" && first !== null ? Reflect.get(first, "message") : undefined
  const message = typeof found === "string" && found !== "" ? found : "The connection failed"
  return new WebhookSender.SendFailed({ message })
}

interface Call {
  readonly organizationId: string
  readonly target: Target
  /** The machine's time. */
  readonly at: number
  /** Names and values alternate; the headers of the target come first. */
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

/**
 * Posts, and answers with the status and the beginning of the body. The time limit is until the
 * head of the response, and `tooLate` is the message of a call that exceeds it.
 */
const posting =
  (connections: Connections.Connections, timeoutMillis: number, tooLate: string) =>
  ({ at, body, headers, organizationId, target }: Call) =>
    Effect.callback<WebhookSender.WebhookAnswer, WebhookSender.SendFailed>((resume) => {
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
      request.on("socket", Connections.beginResponse)
      let hasResponse = false
      // The listener stays, because an error may come after an interruption. After the response's
      // head it changes nothing.
      request.on("error", (error) => {
        clearTimeout(timer)
        if (!hasResponse) resume(Effect.fail(failed(error)))
      })
      request.on("response", (response) => {
        hasResponse = true
        clearTimeout(timer)
        const status = response.statusCode ?? 0
        const durationMillis = Math.round(performance.now() - began)
        const header = response.headers["retry-after"]
        const retryAfterSeconds = header === undefined ? undefined : RetryAfter.seconds(header, at + durationMillis)
        const head = { status, durationMillis, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
        readBody(response, (text) => resume(Effect.succeed({ ...head, body: text })))
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

const make = ({ names, proxy = null, timeout = "15 seconds", ...options }: Options) =>
  Effect.gen(function* () {
    const limit = Duration.fromInputUnsafe(timeout)
    const timeoutMillis = Duration.toMillis(limit)
    const context = yield* Effect.context<never>()
    const isOpen = options.allowPrivateAddresses === true || proxy !== null
    const connections = yield* Connections.make({
      lookupOf: lookupOf(
        Names.make(names),
        (address) => isOpen || Destinations.isPublicAddress(address),
        (outcome) => lookups(outcome).updateUnsafe(1, context)
      ),
      proxy,
      timeoutMillis
    })
    const post = posting(connections, timeoutMillis, `No response within ${Duration.format(limit)}`)

    const targets = new Map<string, Result.Result<Target, string>>()
    const target = (url: string): Result.Result<Target, string> => {
      const known = targets.get(url)
      if (known !== undefined) return known
      const checked = Result.map(Destinations.checkUrl(url, options), (parsed) => targetOf(parsed, proxy))
      if (targets.size >= CACHED) targets.clear()
      targets.set(url, checked)
      return checked
    }

    return WebhookSender.WebhookSender.of({
      send: ({ at, body, eventId, organizationId, signingKeys, url }) =>
        Effect.suspend(() => {
          const to = target(url)
          if (Result.isFailure(to)) {
            return Effect.fail(new WebhookSender.SendFailed({ message: `The URL ${to.failure}` }))
          }
          const timestamp = Math.floor(at / 1000)
          const standard = Signature.standardHeaders({ eventId, timestamp, body, signingKeys })
          const signature = Signature.sign({ timestamp, body, signingKeys })
          const headers = [...Object.entries(WebhookEvent.fixedHeaders).flat(), Signature.HEADER, signature]
          for (const name of Object.keys(standard)) headers.push(name, standard[name] ?? "")
          return post({ organizationId, target: to.success, at, headers, body })
        })
    })
  })

/** The sender, with its own connections. */
export const layer = (options: Options = {}): Layer.Layer<WebhookSender.WebhookSender> =>
  Layer.effect(WebhookSender.WebhookSender, make(options))
