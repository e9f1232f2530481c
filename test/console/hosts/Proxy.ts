/**
 * A proxy before a server: it serves it below a prefix of its own, says so in `X-Forwarded-*` as if
 * it were reached by TLS, and adds a policy of its own to each answer.
 */
import { createServer, request } from "node:http"

/** What helmet sends by default, but for what has browsers ask by TLS, with trusted types. */
export const POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' https: data:",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self' https: 'unsafe-inline'",
  "require-trusted-types-for 'script'"
].join(";")

export interface Proxy {
  readonly port: number
  readonly close: () => Promise<void>
}

/**
 * `to`: the address that a path without the prefix is asked of. `protocol`: how the proxy says that
 * it is reached.
 */
export const start = async (prefix: string, to: () => string, protocol: "http" | "https"): Promise<Proxy> => {
  const proxy = createServer((incoming, outgoing) => {
    const { host, ...headers } = incoming.headers
    const forwarded = {
      "x-forwarded-for": incoming.socket.remoteAddress ?? "",
      "x-forwarded-host": host ?? "",
      "x-forwarded-proto": protocol
    }
    const upstream = new URL((incoming.url ?? "/").slice(prefix.length) || "/", to())
    const sent = request(upstream, { method: incoming.method ?? "GET", headers: { ...headers, ...forwarded } })
    sent.on("response", (answer) => {
      const policies = [answer.headers["content-security-policy"] ?? [], POLICY].flat()
      for (const [name, value] of Object.entries(answer.headers))
        if (value !== undefined) outgoing.setHeader(name, value)
      outgoing.setHeader("content-security-policy", policies)
      outgoing.writeHead(answer.statusCode ?? 502)
      answer.pipe(outgoing)
    })
    sent.on("error", () => outgoing.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  const address = proxy.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        proxy.closeAllConnections()
      })
  }
}
