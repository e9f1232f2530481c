/**
 * A server that stops answers what has arrived: on kept connections, pipelined, in parts, and on
 * connections that it has not accepted yet. The last answer on each connection says that it is
 * closed, and nothing waits longer than the drain timeout.
 */
import { Context, Deferred, Effect } from "effect"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { Operators } from "simplan"
import { beforeEach, describe, expect, it } from "vitest"
import * as World from "../World.ts"

const KEPT = 40

/** What a client has got, until the end of its connection. */
interface Client {
  readonly socket: Socket
  readonly received: () => string
  readonly ended: Promise<unknown>
}

const client = (url: string): Client => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  let text = ""
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk
  })
  // One that is reset has got nothing more.
  socket.on("error", () => {})
  return { socket, received: () => text, ended: once(socket, "close") }
}

const organization = (name: string): string => {
  const body = JSON.stringify({ name })
  const lines = [
    "POST /admin/v1/organizations HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${World.ADMIN_TOKEN}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`
  ]
  return `${lines.join("\r\n")}\r\n\r\n${body}`
}

const health = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

/** The status and the header `connection` of each answer. */
const answers = ({ received }: Client): ReadonlyArray<string> =>
  [...received().matchAll(/HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/g)].map(
    ([head, status]) => `${status} ${/^connection: (.+)\r$/im.exec(head)?.[1]}`
  )

/** A connection on which a request was answered. */
const kept = async (url: string): Promise<Client> => {
  const one = client(url)
  one.socket.write(health)
  await expect.poll(one.received).toContain("\r\n\r\n")
  return one
}

const keptBy = (url: string, count = KEPT) => Promise.all(Array.from({ length: count }, () => kept(url)))

let world: World.World

describe("a server that stops", () => {
  beforeEach(async () => {
    world = await World.forTest({ rateLimit: "off" })
  })

  it("answers a request that has arrived on each of many kept connections", async () => {
    const clients = await keptBy(world.url)
    for (const [index, { socket }] of clients.entries()) socket.write(organization(`kept ${index}`))
    await world.close()
    await Promise.all(clients.map(({ ended }) => ended))
    expect(clients.map(answers)).toEqual(clients.map(() => ["200 keep-alive", "201 close"]))
  })

  it("answers what arrives a moment later on kept connections, and closes those without a request", async () => {
    const [idle, ...clients] = await keptBy(world.url, 9)
    const closed = world.close()
    await new Promise((resolve) => setImmediate(resolve))
    for (const [index, { socket }] of clients.entries()) socket.write(organization(`late ${index}`))
    await closed
    await Promise.all([idle, ...clients].map((one) => one?.ended))
    expect(clients.map(answers)).toEqual(clients.map(() => ["200 keep-alive", "201 close"]))
    expect(idle === undefined ? [] : answers(idle)).toEqual(["200 keep-alive"])
  })

  it("answers the first of requests that were pipelined, and says that it closes the connection", async () => {
    const clients = await keptBy(world.url, 4)
    for (const { socket } of clients) socket.write(health.repeat(50))
    await world.close()
    await Promise.all(clients.map(({ ended }) => ended))
    expect(clients.map(answers)).toEqual(clients.map(() => ["200 keep-alive", "200 close"]))
  })

  it("answers on connections that it has not accepted yet", async () => {
    const clients = Array.from({ length: 8 }, () => client(world.url))
    await Promise.all(clients.map(({ socket }) => once(socket, "connect")))
    for (const [index, { socket }] of clients.entries()) socket.write(organization(`new ${index}`))
    await world.close()
    await Promise.all(clients.map(({ ended }) => ended))
    expect(clients.map(answers)).toEqual(clients.map(() => ["201 close"]))
  })

  it("waits for the rest of a request", async () => {
    const request = organization("in parts")
    const cuts = [10, request.length - 5]
    const clients = await keptBy(world.url, cuts.length)
    for (const [index, { socket }] of clients.entries()) socket.write(request.slice(0, cuts[index]))
    const closed = world.close()
    await expect
      .poll(() =>
        fetch(`${world.url}/healthz`).then(
          () => "answers",
          () => "refuses"
        )
      )
      .toBe("refuses")
    for (const [index, { socket }] of clients.entries()) socket.write(request.slice(cuts[index]))
    await closed
    await Promise.all(clients.map(({ ended }) => ended))
    expect(clients.map(answers)).toEqual(clients.map(() => ["200 keep-alive", "201 close"]))
  })
})

describe("after its drain timeout a server that stops", () => {
  it("refuses what has no answer, and what has not arrived to its end", async () => {
    const begun = Deferred.makeUnsafe<void>()
    const list = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
    world = await World.forTest({
      drainTimeout: "200 millis",
      replace: (context) => {
        const operators = Context.get(context, Operators.Operators)
        return Context.add(context, Operators.Operators, Operators.Operators.of({ ...operators, list }))
      }
    })
    const acme = await World.tenant(world)
    const [hanging, part, beginning] = [await kept(world.url), await kept(world.url), await kept(world.url)]
    hanging.socket.write(`GET /v3/operators?key=${acme.key} HTTP/1.1\r\nHost: x\r\n\r\n`)
    part.socket.write(organization("a part").slice(0, -5))
    beginning.socket.write("GET /hea")
    await Effect.runPromise(Deferred.await(begun))
    await world.close()
    for (const one of [hanging, part, beginning]) {
      await one.ended
      expect(answers(one)).toEqual(["200 keep-alive", "503 close"])
      expect(one.received()).toContain('"code":"not_ready"')
      expect(one.received()).toMatch(/^retry-after: \d+\r$/im)
    }
  })
})
