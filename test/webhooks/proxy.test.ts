/**
 * Webhooks through an egress proxy (rule W7).
 */
import { createServer, type IncomingMessage, type Server } from "node:http"
import { connect, createServer as createSocketServer, type AddressInfo, type Server as SocketServer } from "node:net"
import { Effect, Redacted } from "effect"
import { WebhookSender } from "simplan/ports"
import { HttpSender, Proxy } from "simplan/webhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"

const credentials = "user:p@ss word"
const basic = `Basic ${Buffer.from(credentials).toString("base64")}`

interface Asked {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly host: string | undefined
}

const asked: Array<Asked> = []
/** What the proxy answers to CONNECT. */
let status = "200 Connection established"
let proxy: Server
/** Takes the place of every receiver behind the proxy, and keeps what it gets first. */
let receiver: SocketServer
let firstBytes: Promise<Buffer>

const portOf = (server: Server | SocketServer): number => (server.address() as AddressInfo).port

const listen = (server: Server | SocketServer): Promise<void> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))

const note = ({ headers, method, url }: IncomingMessage): void => {
  asked.push({ method, url, authorization: headers["proxy-authorization"], host: headers.host })
}

beforeAll(async () => {
  proxy = createServer((request, response) => {
    note(request)
    request.resume()
    response.end("by the proxy")
  })
  proxy.on("connect", (request, socket) => {
    note(request)
    const upstream = connect(portOf(receiver), "127.0.0.1")
    for (const one of [socket, upstream]) one.on("error", () => {})
    socket.write(`HTTP/1.1 ${status}\r\n\r\n`)
    socket.pipe(upstream).pipe(socket)
  })
  receiver = createSocketServer()
  await Promise.all([listen(proxy), listen(receiver)])
})

afterAll(() => {
  proxy.closeAllConnections()
  proxy.close()
  receiver.close()
})

beforeEach(() => {
  asked.length = 0
  status = "200 Connection established"
  firstBytes = new Promise((resolve) => {
    receiver.once("connection", (socket) => {
      socket.on("error", () => {})
      socket.once("data", (chunk) => {
        socket.destroy()
        resolve(chunk)
      })
    })
  })
})

const send = (url: string, options: HttpSender.Options = {}): Promise<string> =>
  WebhookSender.WebhookSender.use((sender) =>
    sender.send({ organizationId: "o1", url, eventId: "e1", body: "{}", at: 0, signingKeys: ["whsec_AA=="] })
  ).pipe(
    Effect.match({
      onSuccess: ({ body, status }) => `${status} ${body}`,
      onFailure: ({ message }) => message
    }),
    Effect.provide(
      HttpSender.layer({
        proxy: { hostname: "localhost", port: portOf(proxy), credentials: Redacted.make(credentials) },
        // No name server answers here: the proxy has to resolve the names.
        names: { servers: ["127.0.0.1:1"] },
        ...options
      })
    ),
    Effect.runPromise
  )

describe("Through a proxy", () => {
  it("an http call names its URL to the proxy, which resolves the name", async () => {
    expect(await send("http://me:secret@receiver.example:8080/hook?a=b")).toBe("200 by the proxy")
    expect(asked).toEqual([
      {
        method: "POST",
        url: "http://receiver.example:8080/hook?a=b",
        authorization: basic,
        host: "receiver.example:8080"
      }
    ])
  })

  it("an https call goes through a tunnel, with TLS for the receiver's name", async () => {
    const [message, hello] = await Promise.all([send("https://receiver.example/hook"), firstBytes])
    expect(message).toMatch(/disconnected|socket hang up|ECONNRESET/)
    expect(asked).toEqual([
      { method: "CONNECT", url: "receiver.example:443", authorization: basic, host: "receiver.example:443" }
    ])
    // The first byte of a TLS handshake, and the name in it.
    expect(hello[0]).toBe(0x16)
    expect(hello.toString("latin1")).toContain("receiver.example")
    expect(hello.toString("latin1")).not.toContain("Proxy-Authorization")
  })

  it("an IPv6 address is written in brackets", async () => {
    status = "403 Forbidden"
    expect(await send("https://[2606:4700::1111]:8443/")).toBe("The proxy refused the connection with status 403")
    expect(asked).toMatchObject([{ method: "CONNECT", url: "[2606:4700::1111]:8443" }])
  })

  it("an address in the URL and its port are checked all the same", async () => {
    expect(await send("http://10.0.0.1/")).toBe("The URL must not point to a loopback, private or reserved address")
    expect(await send("https://receiver.example:22/")).toContain("must use one of the ports")
    expect(asked).toEqual([])
  })

  it("that is silent or down, a call fails, and its message has no password", async () => {
    const silent = createSocketServer(() => {})
    await listen(silent)
    const to = (port: number) => ({
      proxy: { hostname: "127.0.0.1", port, credentials: Redacted.make(credentials) },
      timeout: "200 millis" as const
    })
    const messages = [
      await send("https://receiver.example/", to(portOf(silent))),
      await send("https://receiver.example/", to(1)),
      await send("http://receiver.example/", to(1))
    ]
    silent.close()
    expect(messages[0]).toMatch(/^No response within 200ms$|it does not answer$/)
    expect(messages[1]).toBe("The proxy cannot be used: connect ECONNREFUSED 127.0.0.1:1")
    expect(messages[2]).toContain("ECONNREFUSED")
    expect(messages.join()).not.toMatch(/p@ss|p%40ss/)
  })
})

describe("The URL of a proxy", () => {
  it("has a host, a port, and a user and password or none", () => {
    expect(Proxy.parse("http://proxy.example")).toEqual({ hostname: "proxy.example", port: 80, credentials: null })
    expect(Proxy.parse("http://[::1]:3128/")).toMatchObject({ hostname: "::1", port: 3128 })
    const parsed = Proxy.parse("http://user:p%40ss%20word@proxy.example:3128")
    expect(parsed?.credentials && Redacted.value(parsed.credentials)).toBe(credentials)
    expect(JSON.stringify(parsed)).not.toContain("p@ss")
  })

  it.each([
    "https://proxy.example",
    "socks5://proxy",
    "proxy:3128",
    "http://proxy/?a",
    "http://a%3Ab:c@proxy",
    "http://%zz@proxy"
  ])("cannot be %s", (text) => {
    expect(Proxy.parse(text)).toBeUndefined()
  })
})
