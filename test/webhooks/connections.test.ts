/**
 * The connections of the sender, against receivers that say more than they are asked (rule W7).
 * Receivers are raw sockets, because no HTTP server would do this.
 */
import { createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { PassThrough } from "node:stream"
import { Effect } from "effect"
import { WebhookSender } from "simplan/ports"
import { HttpSender } from "simplan/webhooks"
import { afterEach, describe, expect, it } from "vitest"
import * as Connections from "../../adapters/webhooks-http/Connections.ts"

const servers: Array<{ readonly server: Server; readonly sockets: Array<Socket> }> = []

afterEach(() => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

type Respond = (request: {
  readonly socket: Socket
  readonly connection: number
  readonly organizationId: string
}) => void

/** A receiver that calls `respond` for each request; the organization is the request's path. */
const receiver = async (respond: Respond) => {
  const sockets: Array<Socket> = []
  const server = createServer((socket) => {
    const connection = sockets.push(socket)
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      const [, organizationId] = /^POST \/(\w+) /.exec(chunk.toString("latin1")) ?? []
      if (organizationId !== undefined) respond({ socket, connection, organizationId })
    })
  })
  servers.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets }
}

const send = (url: string, organizationId: string) =>
  WebhookSender.WebhookSender.use((sender) =>
    sender.send({ organizationId, url: url + organizationId, eventId: "e", body: "{}", at: 0, signingKeys: [] })
  )

const run = <A>(calls: Effect.Effect<A, WebhookSender.SendFailed, WebhookSender.WebhookSender>): Promise<A> =>
  Effect.runPromise(Effect.provide(calls, HttpSender.layer({ allowPrivateAddresses: true })))

const response = (status: number, text = "ok"): string =>
  `HTTP/1.1 ${status} Status\r\ncontent-length: ${text.length}\r\n\r\n${text}`

const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"

/** Statuses of calls one after the other, and the connection that each went over. */
const statuses = async (respond: Respond, organizations: ReadonlyArray<string>) => {
  const connections: Array<number> = []
  const { url } = await receiver((request) => {
    connections.push(request.connection)
    respond(request)
  })
  const all = await run(
    Effect.forEach(organizations, (organizationId) =>
      // What comes late has come by then.
      Effect.delay(send(url, organizationId), "30 millis")
    )
  )
  return { connections, statuses: all.map(({ status }) => status) }
}

describe("A connection", () => {
  it("keeps no part of what it received, only a copy of the end", () => {
    const socket = new PassThrough()
    Connections.beginResponse(socket)
    const received = Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")
    socket.emit("data", received)
    received.fill("x")
    expect(Connections.endResponse(socket)).toBe(true)
  })

  it.each([
    ["with a length", response(200)],
    ["with the length 0", response(200, "")],
    ["of chunks", chunked],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["after an informational one", `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${response(200)}`]
  ])("is used again by its organization after a response %s", async (_, text) => {
    const { connections } = await statuses(({ socket }) => socket.write(text), ["a", "a", "a"])
    expect(connections).toEqual([1, 1, 1])
  })

  it("is not used by another organization", async () => {
    const { connections } = await statuses(({ socket }) => socket.write(response(200)), ["a", "b", "a", "b"])
    expect(connections).toEqual([1, 2, 1, 2])
  })

  it("that answers late answers for no other organization", async () => {
    const all = await statuses(
      ({ organizationId, socket }) => {
        if (organizationId === "victim") setTimeout(() => socket.write(response(500)), 40)
        else socket.write(response(200))
        // The attacker has a second answer ready, for whoever comes next on its connection.
        if (organizationId === "attacker") setTimeout(() => socket.write(response(200)), 50)
      },
      ["attacker", "victim", "attacker", "victim"]
    )
    expect(all.statuses).toEqual([200, 500, 200, 500])
  })

  it.each([
    ["a second response at once", response(200) + response(200)],
    ["half a second response at once", `${response(200)}HTTP/1.1 200 OK\r\ncontent-`],
    ["half a second response after chunks", `${chunked}HTTP/1.1 200 OK\r\ncontent-`],
    ["a byte too many", `${response(200)}x`],
    ["a body where none was announced", `${response(200, "")}x`],
    ["lines too many", `${response(200)}\r\n\r\n`]
  ])("is not used again after %s", async (_, text) => {
    const { connections, ...all } = await statuses(
      ({ connection, socket }) => socket.write(connection === 1 ? text : response(500)),
      ["a", "a"]
    )
    expect(all.statuses).toEqual([200, 500])
    expect(connections).toEqual([1, 2])
  })

  it.each([
    ["a second response", response(200)],
    ["half a second response", "HTTP/1.1 200 OK\r\n"],
    ["a byte", "\n"]
  ])("is not used again after %s between two calls", async (_, text) => {
    const { sockets, url } = await receiver(({ connection, socket }) =>
      socket.write(connection === 1 ? response(200) : response(500))
    )
    const second = await run(
      Effect.gen(function* () {
        yield* send(url, "a")
        const closed = yield* Effect.promise(async () => {
          const [socket] = sockets
          await new Promise((resolve) => setTimeout(resolve, 10))
          return new Promise<boolean>((resolve) => socket?.once("close", () => resolve(true)).write(text))
        })
        expect(closed).toBe(true)
        return yield* send(url, "a")
      })
    )
    expect(second.status).toBe(500)
    expect(sockets).toHaveLength(2)
  })

  it("is closed when 1,024 others were used since", async () => {
    const { sockets, url } = await receiver(({ socket }) => socket.write(response(200)))
    const others = Array.from({ length: 1_024 }, (_, index) => `a${index}`)
    const open = await run(
      Effect.gen(function* () {
        yield* send(url, "first")
        // At once: one by one they may take longer than an idle connection is kept.
        yield* Effect.forEach(others, (organizationId) => send(url, organizationId), { concurrency: 64 })
        yield* Effect.sleep("30 millis")
        return sockets.map((socket) => !socket.destroyed)
      })
    )
    expect(open.indexOf(false)).toBe(0)
    expect(open.filter((one) => one)).toHaveLength(1_024)
  })
})

describe("The answer to a call", () => {
  const answer = async (text: string | Buffer) => {
    const { url } = await receiver(({ socket }) => socket.write(text))
    return run(send(url, "a"))
  }

  it("has the status, the time it took and the body", async () => {
    const { durationMillis, ...rest } = await answer(response(410, "gone for good"))
    expect(rest).toEqual({ status: 410, body: "gone for good" })
    expect(durationMillis).toBeGreaterThanOrEqual(0)
    expect(await answer(response(204, ""))).toMatchObject({ status: 204, body: "" })
  })

  it("has the first kilobyte of a long body, whole characters and no NUL", async () => {
    const { body } = await answer(response(200, "x".repeat(5_000)))
    expect(body).toBe("x".repeat(1024))
    const bytes = Buffer.concat([Buffer.from([0, 0xff]), Buffer.from("x".repeat(1021)), Buffer.from("é and more")])
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`
    const mixed = await answer(Buffer.concat([Buffer.from(head), bytes]))
    expect(mixed.body).toBe(`\u{fffd}\u{fffd}${"x".repeat(1021)}`)
  })

  it("has nothing of the answer before, whose last character was cut off, and no byte order mark", async () => {
    const head = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    expect((await answer(head(`${"x".repeat(1023)}é`))).body).toBe("x".repeat(1023))
    expect((await answer(head("\u{feff}next"))).body).toBe("next")
  })

  it("has what came of a body that ends early", async () => {
    const { url } = await receiver(({ socket }) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun"))
    expect(await run(send(url, "a"))).toMatchObject({ status: 200, body: "begun" })
  })

  it("to an upgrade is its status", async () => {
    expect(
      await answer("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
    ).toMatchObject({ status: 101 })
  })
})
