/**
 * Clients that read slowly, or next to nothing (rules W10 and W13): an answer of any size is under
 * way until it is read, counts for its key and its organization, and is sent to the end to whoever
 * reads it steadily.
 */
import { Effect } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { connect, Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import * as Lists from "../Lists.ts"
import * as World from "../World.ts"

let world: World.World

/** A world whose list of subscriptions is one answer of so many items of about 1 KB. */
const listOf = (items: number, setting: World.Setting = {}) =>
  Lists.world(1, () => Effect.sync(() => Array.from({ length: items }, (_, n) => Lists.item(n))), setting)

/** A connection that asks for the list, and reads nothing. */
const unread = (key: string): { readonly socket: Socket; readonly ask: () => void } => {
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1").pause()
  socket.on("error", () => {})
  const ask = () => void socket.write(`GET /v3/subscription?key=${key} HTTP/1.1\r\nHost: x\r\n\r\n`)
  ask()
  return { socket, ask }
}

/** Reads the whole list with a pause after each piece; `length` is how long it says that it is. */
const readSteadily = async (key: string) => {
  const answer = await fetch(`${world.url}/v3/subscription?key=${key}`)
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    await sleep(25)
  }
  return { bytes, length: Number(answer.headers.get("content-length")) }
}

it("an answer below 64 KiB holds its place until it is read", async () => {
  world = await listOf(50, { bounds: { requests: 2 } })
  const [acme, other] = [await World.tenant(world), await World.tenant(world)]
  const asking = [unread(acme.key), unread(acme.key)]
  const sockets = asking.map(({ socket }) => socket)
  // Asks again when an answer was taken by the operating system, whose buffers take some megabytes.
  const onFinish = (message: unknown) => {
    if (typeof message !== "object" || message === null || !("socket" in message)) return
    if (!(message.socket instanceof Socket)) return
    const { remotePort } = message.socket
    asking.find(({ socket }) => socket.localPort === remotePort)?.ask()
  }
  subscribe("http.server.response.finish", onFinish)
  await expect.poll(async () => (await acme.get("/v3/sims")).body.code).toBe("concurrency_limited")
  await sleep(200)
  expect((await acme.get("/v3/sims")).status).toBe(429)
  expect((await other.get("/v3/sims")).status).toBe(200)
  sockets[0]?.resume()
  await expect.poll(async () => (await acme.get("/v3/sims")).status).toBe(200)
  unsubscribe("http.server.response.finish", onFinish)
  for (const socket of sockets) socket.destroy()
})

it("an organization with much unread gets no new answers, whichever its key; others do", async () => {
  world = await listOf(16_000, { unreadBytes: 64 * 1_048_576 })
  const [acme, other] = [await World.tenant(world), await World.tenant(world)]
  const path = `/organizations/${acme.organizationId}/api-keys`
  const key: string = (await world.admin("POST", path, { name: "second", scope: "full" })).body.data.key
  const { socket } = unread(acme.key)
  const both = async () => [
    (await acme.get("/v3/sims")).body.code,
    (await world.fetch("GET", "/v3/sims", { headers: { "x-api-key": key } })).status
  ]
  // One request of a key is always admitted, so that none starves.
  await expect.poll(both).toEqual(["concurrency_limited", 200])
  expect((await other.get("/v3/sims")).status).toBe(200)
  socket.destroy()
  await expect.poll(async () => (await acme.get("/v3/sims")).status).toBe(200)
})

it("a large answer that is read steadily is sent to its end", { timeout: 60_000 }, async () => {
  // A busy machine may stop the reader for seconds too.
  world = await listOf(20_000, { stallTimeout: "3 seconds" })
  const acme = await World.tenant(world)
  const { bytes, length } = await readSteadily(acme.key)
  expect(bytes).toBe(length)
})

describe("a reader that stops reading", () => {
  it("holds little memory, and is disconnected after the limit", { timeout: 60_000 }, async () => {
    let held = 0
    const read = (n: number) =>
      Effect.sync(() => {
        held += 1
        return Lists.page(n)
      })
    world = await Lists.world(100_000, read, { stallTimeout: "1 second" })
    const tenants = await Promise.all([1, 2, 3].map(() => World.tenant(world)))
    const keys = Array.from({ length: 20 }, (_, n) => tenants[n % 3]?.key ?? "")
    const sockets = await Promise.all(keys.map((key) => Lists.stalled(world.url, key)))
    let open = sockets.length
    for (const socket of sockets) socket.once("close", () => (open -= 1))
    // The buffers of the operating system take some megabytes of each; the process reads no page
    // beyond them.
    for (let filled = -1; filled !== held; await sleep(300)) filled = held
    expect((await tenants[0]?.get("/v3/sims"))?.status).toBe(200)
    // Nothing more is read. Who writes to a connection that the server has closed gets an error.
    while (open > 0) {
      for (const socket of sockets) if (!socket.destroyed) socket.write("\r\n")
      await sleep(100)
    }
    expect(held).toBeLessThan(100_000)
  })

  it("that reads slowly is served on", { timeout: 60_000 }, async () => {
    // A busy machine may stop the reader for seconds too.
    world = await Lists.world(120, undefined, { stallTimeout: "4 seconds" })
    const acme = await World.tenant(world)
    const { bytes } = await readSteadily(acme.key)
    expect(bytes).toBeGreaterThan(12_000_000)
  })
})
