/**
 * An egress proxy for webhooks: `http://[user:password@]host:port`.
 *
 * `https` calls go through a tunnel (CONNECT), `http` calls name their whole URL to the proxy. The
 * proxy resolves the names and decides which addresses they may have. Its own address may be
 * private.
 */
import * as Http from "node:http"
import type * as Https from "node:https"
import type { LookupFunction } from "node:net"
import type { Duplex } from "node:stream"
import * as Tls from "node:tls"
import { Redacted } from "effect"

/** An egress proxy, as it was read of its URL. */
export interface Proxy {
  /** A name or an address, without brackets. */
  readonly hostname: string
  /** 80 if the URL has none. */
  readonly port: number
  /** `user:password`; null if the proxy asks for none. */
  readonly credentials: Redacted.Redacted | null
}

/** Reads the URL of a proxy; undefined for any other text. */
export const parse = (text: string): Proxy | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hash, hostname, password, pathname, port, protocol, search, username } = new URL(text)
  if (protocol !== "http:" || `${hash}${search}` !== "" || pathname !== "/") return undefined
  try {
    const user = decodeURIComponent(username)
    if (user.includes(":")) return undefined
    const credentials = `${user}:${decodeURIComponent(password)}`
    return {
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? 80 : Number(port),
      credentials: credentials === ":" ? null : Redacted.make(credentials)
    }
  } catch {
    // The credentials are not percent-encoded.
    return undefined
  }
}

/** The value of `Proxy-Authorization`; undefined if the proxy asks for none. */
export const authorization = ({ credentials }: Proxy): string | undefined =>
  credentials === null ? undefined : `Basic ${Buffer.from(Redacted.value(credentials)).toString("base64")}`

/** How a tunnel through the proxy is made. */
export interface Options {
  /** Whose address may be private. */
  readonly proxy: Proxy
  /** Resolves the proxy's name. */
  readonly lookup: LookupFunction
  /** The time limit until the proxy has answered, in milliseconds. */
  readonly timeoutMillis: number
}

const authorityOf = ({ host, port }: Https.RequestOptions): string =>
  `${host?.includes(":") ? `[${host}]` : host}:${port}`

/** Connects through the proxy to the `host` and `port` of a request, with TLS. */
export const tunnelTo = (request: Https.RequestOptions, options: Options): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const { lookup, proxy, timeoutMillis } = options
    const authority = authorityOf(request)
    const basic = authorization(proxy)
    const asked = Http.request({
      method: "CONNECT",
      hostname: proxy.hostname,
      port: proxy.port,
      path: authority,
      headers: { host: authority, ...(basic === undefined ? {} : { "proxy-authorization": basic }) },
      agent: false,
      lookup
    })
    const tooSlow = setTimeout(() => asked.destroy(new Error("it does not answer")), timeoutMillis)
    asked.on("error", ({ message }) => {
      clearTimeout(tooSlow)
      reject(new Error(`The proxy cannot be used: ${message}`))
    })
    asked.on("connect", ({ statusCode = 0 }, socket, head) => {
      clearTimeout(tooSlow)
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) {
        const { host, servername = "" } = request
        return resolve(Tls.connect({ ALPNProtocols: ["http/1.1"], host: host ?? "", servername, socket }))
      }
      socket.destroy()
      reject(new Error(`The proxy refused the connection with status ${statusCode}`))
    })
    asked.end()
  })
