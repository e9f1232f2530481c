/**
 * Pipelined requests (rule W13): each is handed to the routes when the answers to the earlier ones were taken, and none
 * is lost.
 */
import { Effect } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { IncomingMessage } from "node:http"
import { connect, Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import * as Lists from "../Lists.ts"
import * as RawHttp from "../RawHttp.ts"
import * as World from "../World.ts"

let world: World.World

/** A connection that has sent so many requests at once, and reads nothing. */
const pipelined = (path: string, count: number): Socket => {
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1").pause()
  socket.on("error", () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count))
  return socket
}

/** Reads until there were so many answers, and returns the sizes of their bodies. */
const sizes = async (socket: Socket, count: number): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  let rest = ""
  for await (const chunk of socket.setEncoding("latin1")) {
    rest += chunk
    for (let end = rest.indexOf("\r\n\r\n"); end !== -1; end = rest.indexOf("\r\n\r\n")) {
      const size = Number(/^content-length: (\d+)/im.exec(rest.slice(0, end))?.[1])
      if (rest.length < end + 4 + size) break
      found.push(size)
      rest = rest.slice(end + 4 + size)
    }
    if (found.length === count) break
  }
  return found
}

it("requests wait until the answers before theirs are read", async () => {
  let read = 0
  world = await Lists.world(1, (n) =>
    Effect.sync(() => {
      read += 1
      return Lists.page(n)
    })
  )
  const acme = await World.tenant(world)
  const socket = pipelined(`/v3/subscription?key=${acme.key}`, 400)
  // The buffers of the operating system take some megabytes, of answers of 110 KB.
  for (let before = -1; read === 0 || before !== read; await sleep(300)) before = read
  expect(read).toBeLessThan(200)
  expect((await acme.get("/v3/sims")).status).toBe(200)
  const answers = await sizes(socket, 400)
  expect(new Set(answers).size).toBe(1)
  expect([answers.length, read]).toEqual([400, 400])
})

it("what is read of a connection that Node holds waits for the answer before it, whoever reads", async () => {
  // A list of 22 MB, more than the buffers of the operating system take.
  world = await Lists.world(200)
  const acme = await World.tenant(world)
  const served: Array<Socket> = []
  const onRequest = (message: unknown) => {
    if (typeof message !== "object" || message === null || !("socket" in message)) return
    if (message.socket instanceof Socket) served.push(message.socket)
  }
  const request = `GET /v3/subscription?key=${acme.key} HTTP/1.1\r\nHost: x\r\n\r\n`
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1").pause()
  subscribe("http.server.request.start", onRequest)
  try {
    socket.write(request)
    while (served[0]?.writableNeedDrain !== true) await sleep(5)
    socket.write(request)
    while (served.length < 2) await sleep(5)
    const [held] = served
    expect(Reflect.get(held, "_paused")).toBe(true)
    socket.write(request)
    await sleep(50)
    // Node ends the process where its parser is given anything of such a connection.
    held.resume().read()
    await sleep(50)
    expect(served).toHaveLength(2)
    let text = ""
    for await (const chunk of socket.setEncoding("latin1")) {
      text = text.slice(-5) + chunk
      if (served.length === 3 && text.endsWith("0\r\n\r\n")) break
    }
  } finally {
    unsubscribe("http.server.request.start", onRequest)
    socket.destroy()
  }
})

it("a connection with many requests ahead parses no more of them, whoever reads its socket", async () => {
  let begun = 0
  world = await World.start({
    ready: Effect.suspend(() => {
      begun += 1
      return Effect.never
    })
  })
  const served: Array<Socket> = []
  const onRequest = (message: unknown) => {
    if (typeof message !== "object" || message === null || !("socket" in message)) return
    if (message.socket instanceof Socket) served.push(message.socket)
  }
  subscribe("http.server.request.start", onRequest)
  try {
    const socket = pipelined("/readyz", 400)
    for (let before = -1; begun === 0 || before !== served.length; await sleep(100)) before = served.length
    const parsed = served.length
    for (let time = 0; time < 10; time++) {
      served[0]?.resume().read()
      await sleep(10)
    }
    expect(served).toHaveLength(parsed)
    expect(parsed).toBeLessThan(60)
    socket.destroy()
  } finally {
    unsubscribe("http.server.request.start", onRequest)
  }
})

it("requests behind a long body in chunks are answered, which waits for the answer before it", async () => {
  world = await World.start({ ready: Effect.delay(Effect.succeed(true), "50 millis") })
  const acme = await World.tenant(world)
  const body = JSON.stringify({ region_name: "x".repeat(5_000), label: "Green", iso2_list: [] })
  const chunks = Array.from({ length: Math.ceil(body.length / 100) }, (_, index) =>
    body.slice(index * 100, index * 100 + 100)
  )
  const ready = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"
  const region =
    `POST /v3/coverage-profiles/custom-region?key=${acme.key} HTTP/1.1\r\nHost: x\r\n` +
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
    `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")}0\r\n\r\n`
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1")
  socket.write(`${ready}${region}${region}${ready}`)
  // In its own packet, so that it is parsed by itself.
  await sleep(20)
  socket.write(ready)
  expect(await sizes(socket, 5)).toHaveLength(5)
  socket.destroy()
})

const ROWS = Array.from({ length: 1_000 }, (_, index) => ({
  iccid: `89999${String(index).padStart(14, "0")}`,
  label: "a"
}))

it.each([
  ["JSON in chunks of a byte", "application/json", JSON.stringify({ sims: ROWS }), 1],
  ["JSON in chunks of 3,000 bytes", "application/json", JSON.stringify({ sims: ROWS }), 3_000],
  ["CSV in chunks of a byte", "text/csv", `iccid,label\n${ROWS.map(Object.values).join("\n")}`, 1],
  ["CSV in chunks of 3,000 bytes", "text/csv", `iccid,label\n${ROWS.map(Object.values).join("\n")}`, 3_000]
])("rows that are read in pieces arrive to the last: %s", async (_, type, body, size) => {
  world = await World.forTest()
  const acme = await World.tenant(world)
  const parts = body.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
  const answer = await RawHttp.exchange(
    world.url,
    `POST /v3/sims/updates?key=${acme.key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n` +
      `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`
  )
  expect(RawHttp.statuses(answer)).toEqual([200])
  expect(answer.match(/"result":"refused"/g)).toHaveLength(ROWS.length)
})

it("requests of a connection that is lost reach no route", async () => {
  let begun = 0
  world = await World.forTest({
    ready: Effect.suspend(() => {
      begun += 1
      return Effect.never
    })
  })
  const socket = pipelined("/readyz", 100)
  while (begun === 0) await sleep(5)
  socket.destroy()
  await sleep(100)
  expect((await world.fetch("GET", "/healthz")).status).toBe(200)
  expect(begun).toBe(1)
})

it("what is no request is refused after the answers to the requests before it", async () => {
  world = await World.forTest({ ready: Effect.delay(Effect.succeed(true), "20 millis") })
  const request = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"
  const answers = await RawHttp.exchange(world.url, `${request}${request}${request}nonsense\r\n\r\n`)
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
  expect(statuses).toEqual(["200", "200", "200", "400"])
})

it("a turn of the event loop parses few of the requests that many connections pipeline, and all are answered", async () => {
  world = await World.forTest()
  let [parsed, most] = [0, 0]
  const count = () => {
    parsed += 1
  }
  const turn = () => {
    most = Math.max(most, parsed)
    parsed = 0
    immediate = setImmediate(turn)
  }
  let immediate = setImmediate(turn)
  subscribe("http.server.request.start", count)
  try {
    const sockets = Array.from({ length: 10 }, () => pipelined("/healthz", 1_000))
    for (const socket of sockets) expect(await sizes(socket, 1_000)).toHaveLength(1_000)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(600)
  } finally {
    clearImmediate(immediate)
    unsubscribe("http.server.request.start", count)
  }
})

it("what is longer than a piece is parsed once, whatever its length", async () => {
  world = await World.forTest()
  const lengths = [511, 512, 513, 600, 1_023, 1_024, 1_025, 1_536, 1_537, 2_000, 2_048, 2_049, 3_585, 4_000, 9_000]
  const request = (length: number) => {
    const [head, end] = ["GET /healthz HTTP/1.1\r\nHost: x\r\nX-Pad: ", "\r\n\r\n"]
    return head + "a".repeat(length - head.length - end.length) + end
  }
  const answers = await Promise.all(
    lengths.map(async (length) => RawHttp.statuses(await RawHttp.exchange(world.url, request(length))))
  )
  expect(answers).toEqual(lengths.map(() => [200]))
})

it("an organization has the same turns from forty addresses as from one", async () => {
  world = await World.forTest()
  const [loud, quiet] = [await World.tenant(world), await World.tenant(world)]
  const request = (key: string) => `GET /v3/plans?key=${key} HTTP/1.1\r\nHost: x\r\n\r\n`
  const opened = async (key: string, localAddress: string): Promise<Socket> => {
    const socket = connect({ port: Number(new URL(world.url).port), host: "127.0.0.1", localAddress })
    socket.on("error", () => {}).write(request(key))
    await once(socket, "data")
    return socket
  }
  const sockets: Array<Socket> = []
  for (let n = 0; n < 40; n++) sockets.push(await opened(loud.key, `127.0.0.${2 + n}`))
  const last = await opened(quiet.key, "127.0.0.1")
  const order: Array<boolean> = []
  const onRequest = (message: unknown) => {
    if (typeof message !== "object" || message === null || !("request" in message)) return
    const { request } = message
    if (request instanceof IncomingMessage) order.push(request.url?.includes(quiet.key) === true)
  }
  subscribe("http.server.request.start", onRequest)
  try {
    // All of it arrives in one turn of the event loop, which begins sixteen of them at most.
    for (const socket of sockets) socket.write(request(loud.key))
    last.write(request(quiet.key))
    await expect.poll(() => order.length).toBe(41)
    expect(order.indexOf(true)).toBeGreaterThan(0)
    expect(order.indexOf(true)).toBeLessThan(20)
  } finally {
    unsubscribe("http.server.request.start", onRequest)
    for (const socket of [...sockets, last]) socket.destroy()
  }
})
