/**
 * Pipelined requests (rule W13): a connection has one request at a time. The answer to one that has
 * not begun when another arrives is the last; what arrives later waits until that answer was taken.
 */
import { Deferred, Effect, Exit } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { IncomingMessage } from "node:http"
import { connect, Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
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

const ready = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"

/** The server's sockets of what Node's server says from now on, each time it says it. */
const socketsOf = (name: "http.server.request.start" | "http.server.response.finish"): ReadonlyArray<Socket> => {
  const sockets: Array<Socket> = []
  const note = (message: unknown) => {
    if (typeof message !== "object" || message === null || !("socket" in message)) return
    if (message.socket instanceof Socket) sockets.push(message.socket)
  }
  subscribe(name, note)
  onTestFinished(() => void unsubscribe(name, note))
  return sockets
}

/** All that the server sends until it closes the connection. */
const textOf = async (socket: Socket): Promise<string> => {
  let text = ""
  for await (const chunk of socket.setEncoding("latin1")) text += chunk
  return text
}

/** The status and the header `connection` of each answer. */
const answers = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/g)].map(
    ([head, status]) => `${status} ${/^connection: (.+)\r$/im.exec(head)?.[1]}`
  )

it.each([
  ["a request", ready],
  ["a part of one, and its rest", ready.slice(0, 9), ready.slice(9)],
  ["what is no request", "nonsense\r\n\r\n"],
  ["a request for a proxy", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"]
])("behind a request whose answer has not begun is dropped: %s", async (_, behind, rest = "") => {
  for (const isApart of [false, true]) {
    const gate = Deferred.makeUnsafe<void>()
    world = await World.start({ ready: Effect.as(Deferred.await(gate), true) })
    const served = socketsOf("http.server.request.start")
    const socket = connect(Number(new URL(world.url).port), "127.0.0.1")
    const arrived = async (text: string) => {
      const before = served[0]?.bytesRead ?? 0
      socket.write(text)
      while ((served[0]?.bytesRead ?? 0) < before + text.length) await sleep(5)
    }
    await arrived(isApart ? ready : `${ready}${behind}`)
    if (isApart) await arrived(behind)
    if (rest !== "") await arrived(rest)
    Deferred.doneUnsafe(gate, Exit.void)
    expect(answers(await textOf(socket))).toEqual(["200 close"])
    await world.close()
  }
})

it("an empty line behind a request is no request", async () => {
  world = await World.forTest()
  expect(answers(await RawHttp.exchange(world.url, `${ready}\r\n`))).toEqual(["200 keep-alive"])
})

it("of many requests the first is answered as a whole, though the client goes on sending", async () => {
  world = await Lists.world(20)
  const acme = await World.tenant(world)
  const finished = socketsOf("http.server.response.finish")
  const socket = pipelined(`/v3/subscription?key=${acme.key}`, 200_000)
  while (finished.length === 0) await sleep(5)
  // A connection that was closed with unread bytes would have been reset by now.
  await sleep(100)
  const text = await textOf(socket)
  expect([answers(text), text.endsWith("0\r\n\r\n")]).toEqual([["200 close"], true])
})

it("what arrives behind an answer that has begun waits until it was taken, whoever reads", async () => {
  // A list of 22 MB, more than the buffers of the operating system take.
  world = await Lists.world(200)
  const acme = await World.tenant(world)
  const served = socketsOf("http.server.request.start")
  const request = `GET /v3/subscription?key=${acme.key} HTTP/1.1\r\nHost: x\r\n\r\n`
  const body = JSON.stringify({ region_name: "x".repeat(5_000), label: "Green", iso2_list: [] })
  const region =
    `POST /v3/coverage-profiles/custom-region?key=${acme.key} HTTP/1.1\r\nHost: x\r\n` +
    "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
    `${(body.match(/.{1,100}/g) ?? []).map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")}0\r\n\r\n`
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1").pause()
  socket.write(request)
  while (served[0]?.writableNeedDrain !== true) await sleep(5)
  const [held] = served
  socket.write(region)
  while (held.readableLength === 0) await sleep(5)
  // Node ends the process where its parser is given a request of such a connection, and more after
  // that.
  for (let time = 0; time < 5; time++) {
    held.resume().read()
    await sleep(10)
  }
  expect(served).toHaveLength(1)
  let text = ""
  for await (const chunk of socket.setEncoding("latin1")) {
    text = text.slice(-20) + chunk
    if (text.includes("HTTP/1.1 400 ")) break
  }
  expect(served).toHaveLength(2)
})

it("a connection with many requests ahead parses no more of them, whoever reads its socket", async () => {
  let begun = 0
  world = await World.start({
    ready: Effect.suspend(() => {
      begun += 1
      return Effect.never
    })
  })
  const served = socketsOf("http.server.request.start")
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
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1")
  socket.write(
    `POST /v3/sims/updates?key=${acme.key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n` +
      `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`
  )
  const answer = await textOf(socket)
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

it("a turn of the event loop parses few of the requests that many connections pipeline, and each is answered", async () => {
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
    const sockets = Array.from({ length: 100 }, () => pipelined("/healthz", 1_000))
    for (const socket of sockets) expect(answers(await textOf(socket))).toEqual(["200 close"])
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
