/**
 * Connections are bounded by address and in all, and a place is kept for clients of other addresses
 * (rule W13).
 */
import { Effect } from "effect"
import { Agent, get } from "node:http"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import * as Connections from "../../../adapters/http/connections/Connections.ts"
import * as World from "../World.ts"

let world: World.World

interface Opened {
  readonly socket: Socket
  isOpen: boolean
}

/** A connection from an address of this machine. */
const open = async (localAddress: string): Promise<Opened> => {
  const socket = connect({ port: Number(new URL(world.url).port), host: "127.0.0.1", localAddress })
  const one = { socket, isOpen: true }
  socket.on("error", () => {})
  socket.once("close", () => (one.isOpen = false))
  socket.resume()
  await new Promise((resolve) => socket.once("connect", resolve))
  return one
}

const openMany = async (count: number, address: string): Promise<ReadonlyArray<Opened>> => {
  const all: Array<Opened> = []
  for (let n = 0; n < count; n++) all.push(await open(address))
  return all
}

const still = (all: ReadonlyArray<Opened>): ReadonlyArray<number> =>
  all.flatMap(({ isOpen }, index) => (isOpen ? [index] : []))

/** The status of an answer on a new connection from an address. */
const status = (address: string, path = "/healthz", key = ""): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false })
    const headers = key === "" ? {} : { "x-api-key": key }
    get(world.url + path, { agent, localAddress: address, headers }, (answer) => {
      answer.resume()
      answer.once("end", () => resolve(answer.statusCode))
    }).on("error", reject)
  })

describe("a new connection", () => {
  it("takes the place of the one that is idle for longest, of the address that has the most", async () => {
    world = await World.forTest({ connections: 8 })
    const few = await openMany(2, "127.0.0.3")
    const many = await openMany(6, "127.0.0.2")
    for (const n of [1, 2, 3]) {
      expect(await status("127.0.0.4")).toBe(200)
      expect(n).toBeGreaterThan(0)
    }
    const own = await openMany(3, "127.0.0.4")
    await expect.poll(() => still(many)).toEqual([3, 4, 5])
    expect([still(few), still(own)]).toEqual([
      [0, 1],
      [0, 1, 2]
    ])
  })

  it("of an address with its share takes a place of its own address", async () => {
    world = await World.forTest({ connectionsOfAddress: 3 })
    const many = await openMany(5, "127.0.0.2")
    const other = await openMany(3, "127.0.0.3")
    await expect.poll(() => still(many)).toEqual([2, 3, 4])
    expect(still(other)).toEqual([0, 1, 2])
  })

  it("takes no place of a client that has shown a key while there is another, and none where all are busy", async () => {
    let begun = 0
    world = await World.forTest({
      connections: 3,
      authenticate: (request) =>
        Effect.suspend(() => {
          begun += request.url.startsWith("/v3/plans") ? 1 : 0
          return begun > 0 ? Effect.never : Effect.succeed(null)
        })
    })
    // Busy without a key.
    const busy = await openMany(3, "127.0.0.2")
    for (const { socket } of busy) socket.write("GET /v3/plans HTTP/1.1\r\nHost: x\r\n\r\n")
    await expect.poll(() => begun).toBe(3)
    expect(await status("127.0.0.3")).toBe(200)
    expect(still(busy)).toHaveLength(2)
    for (const { socket } of busy) socket.destroy()
  })

  it("leaves idle connections with a key alone as long as there are others", async () => {
    world = await World.forTest({ connections: 3 })
    const acme = await World.tenant(world)
    const all = await openMany(2, "127.0.0.2")
    const [keyed] = all
    const answered = new Promise((resolve) => keyed?.socket.once("data", resolve))
    keyed?.socket.write(`GET /v3/sims?key=${acme.key} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await answered
    await openMany(3, "127.0.0.2")
    await expect.poll(() => still(all)).toEqual([0])
  })
})

describe("the limit of open files", () => {
  it("leaves a quarter, and 128 at least, to everything else", () => {
    expect([1_048_576, 2_048, 400, 100].map((files) => Connections.mostWithin(10_000, files))).toEqual([
      10_000, 1_536, 272, 1
    ])
    expect(Connections.mostWithin(50, 2_048)).toBe(50)
  })
})
