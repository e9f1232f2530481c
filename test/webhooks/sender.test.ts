/**
 * The HTTP sender of webhook deliveries (rules W6 and W7), against receivers that answer, hang,
 * redirect and hang up.
 */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Fiber } from "effect"
import { WebhookEndpoint, WebhookEvent, WebhookSender } from "simplan/ports"
import { HttpSender, Signature } from "simplan/webhooks"
import { Webhook } from "standardwebhooks"
import { describe, expect, it, onTestFinished } from "vitest"

const signingKeys = [randomBytes(32), randomBytes(32)].map(WebhookEndpoint.signingKey)
const [newestKey = "", oldKey = ""] = signingKeys
const organizationId = "o1"
const body = JSON.stringify({ id: "e1", type: "esim.smdp.stateChanged", timestamp: 1, data: { sim: "é ✓" } })

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that keeps what it gets and answers by `respond`. */
const receiver = async (respond: RequestListener) => {
  const received: Array<Received> = []
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method, url } = request
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      respond(request, response)
    })
  })
  server.on("connection", () => connections++)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook?a=b`, received, connections: () => connections }
}

const answering = (status: number, headers: Record<string, string> = {}): RequestListener => {
  return (_, response) => response.writeHead(status, headers).end("thanks")
}

const sending = (urls: ReadonlyArray<string>, options: HttpSender.Options = { allowPrivateAddresses: true }) =>
  WebhookSender.WebhookSender.use((sender) =>
    Effect.forEach(urls, (url) =>
      sender.send({ organizationId, url, eventId: "e1", body, at: Date.now(), signingKeys })
    )
  ).pipe(Effect.provide(HttpSender.layer(options)))

const send = async (url: string, options?: HttpSender.Options): Promise<number | string> => {
  const [answer] = await Effect.runPromise(
    Effect.match(sending([url], options), {
      onSuccess: (all): ReadonlyArray<number | string> => all.map(({ status }) => status),
      onFailure: ({ message }) => [message]
    })
  )
  return answer ?? "nothing"
}

describe("The sender", () => {
  it("says in how many seconds the receiver asks to be called again, by seconds or a date", async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString()
    const asked = async (status: number, headers: Record<string, string>) => {
      const { url } = await receiver(answering(status, headers))
      const [answer] = await Effect.runPromise(sending([url]))
      return answer?.retryAfterSeconds
    }
    expect(await asked(429, { "retry-after": "40" })).toBe(40)
    expect(await asked(503, { "retry-after": later })).toSatisfy(
      (seconds: number) => seconds > 3_000 && seconds <= 3_600
    )
    expect(await asked(429, {})).toBeUndefined()
    expect(await asked(429, { "retry-after": "tomorrow" })).toBeUndefined()
  })

  it("posts the body, signed with every key at the machine's time", async () => {
    const { received, url } = await receiver(answering(204))
    expect(await send(url)).toBe(204)
    const [call] = received
    if (call === undefined) throw new Error("nothing came")
    expect(call).toMatchObject({ method: "POST", url: "/hook?a=b", body })
    expect(call.headers).toMatchObject({ "content-type": "application/json", "webhook-id": "e1" })
    // What a delivery's page shows is what is sent.
    for (const { name, value } of WebhookEvent.headersOf({ eventId: "e1" }))
      expect([name, call.headers[name]]).toEqual([name, value ?? expect.any(String)])
    const ofHttp = ["host", "connection", "content-length"]
    expect(Object.keys(call.headers).filter((name) => !ofHttp.includes(name))).toEqual(
      expect.arrayContaining([...WebhookEvent.headersOf({ eventId: "e1" }).map(({ name }) => name)])
    )
    expect(Object.keys(call.headers)).toHaveLength(ofHttp.length + WebhookEvent.headersOf({ eventId: "e1" }).length)
    for (const signingKey of signingKeys) {
      const header = call.headers[Signature.HEADER]
      expect(Signature.verify({ header, body: call.body, signingKey })._tag).toBe("Verified")
      expect(new Webhook(signingKey).verify(call.body, call.headers as Record<string, string>)).toEqual(
        JSON.parse(body)
      )
    }
    expect(call.headers["traceparent"]).toBeUndefined()
  })

  it("names the host, and hands over the credentials of the URL", async () => {
    const { received, url } = await receiver(answering(200))
    expect(await send(url.replace("http://", "http://us%20er:p%40ss@"))).toBe(200)
    const { authorization, host } = received[0]?.headers ?? {}
    expect(host).toBe(new URL(url).host)
    expect(authorization).toBe(`Basic ${Buffer.from("us er:p@ss").toString("base64")}`)
    expect(received[0]?.url).toBe("/hook?a=b")
  })

  it.each([200, 400, 410, 500])("passes status %i on", async (status) => {
    expect(await send((await receiver(answering(status))).url)).toBe(status)
  })

  it("follows no redirect", async () => {
    const elsewhere = await receiver(answering(200))
    const { url } = await receiver(answering(307, { location: elsewhere.url }))
    expect(await send(url)).toBe(307)
    expect(elsewhere.received).toEqual([])
  })

  it("gives up after the time-out", async () => {
    const silent = await receiver(() => {})
    expect(await send(silent.url, { allowPrivateAddresses: true, timeout: "500 millis" })).toBe(
      "No response within 500ms"
    )
    expect(silent.received).toHaveLength(1)
  })

  it("can be interrupted", async () => {
    const silent = await receiver(() => {})
    await Effect.runPromise(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(sending([silent.url]), { startImmediately: true })
        while (silent.received.length === 0) yield* Effect.sleep("5 millis")
        yield* Fiber.interrupt(fiber)
      })
    )
    expect(silent.received).toHaveLength(1)
  })

  it("waits for no body: neither an endless nor a stalled one", async () => {
    const endless = await receiver((_, response) => {
      response.writeHead(200)
      const more = (): void => {
        if (!response.destroyed) response.write("x".repeat(64 * 1024), more)
      }
      more()
    })
    const stalled = await receiver((_, response) => response.writeHead(200).write("x"))
    for (const { url } of [endless, stalled]) expect(await send(url)).toBe(200)
  })

  it("uses a connection again", async () => {
    const { connections, received, url } = await receiver(answering(200))
    await Effect.runPromise(
      sending(
        [url, url, url].map((one, index) => `${one}${index}`),
        { allowPrivateAddresses: true }
      )
    )
    expect(received).toHaveLength(3)
    expect(connections()).toBeLessThanOrEqual(2)
  })

  it("says what failed when nobody answers, and never a key", async () => {
    const { url } = await receiver((request) => request.socket.destroy())
    const answers = [await send(url), await send("http://127.0.0.1:1/"), await send("http://host.invalid/")]
    expect(answers[0]).toBe("socket hang up")
    expect(answers[1]).toContain("ECONNREFUSED")
    expect(answers[2]).toMatch(/ENOTFOUND|EAI_AGAIN/)
    for (const answer of answers) {
      expect(answer).not.toContain(newestKey)
      expect(answer).not.toContain(oldKey)
    }
  })
})

describe("Without leave for private addresses, the sender", () => {
  it.each([
    ["an address", (url: string) => url],
    ["localhost", (url: string) => url.replace("127.0.0.1", "localhost")]
  ])("does not go to %s", async (_, spelled) => {
    const { received, url } = await receiver(answering(200))
    expect(await send(spelled(url), {})).toBe("The URL must not point to a loopback, private or reserved address")
    expect(received).toEqual([])
  })

  it("goes to no other scheme", async () => {
    expect(await send("ftp://example.com/", {})).toBe("The URL must start with https:// or http://")
    expect(await send("nonsense", {})).toBe("The URL must be an absolute URL")
  })
})
