/**
 * The rate limit of a key, and the bound of its lists, over two servers on one PostgreSQL
 * (rule W10).
 */
import { Redacted } from "effect"
import * as Postgres from "simplan/postgres"
import { expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Lists from "../Lists.ts"
import * as World from "../World.ts"

const RATE = 20
const SECONDS = 3

it("a rate limit holds over all processes to within 20 %", { timeout: 30_000 }, async () => {
  const database = await Databases.create()
  const worlds: Array<World.World> = []
  try {
    for (const _ of [1, 2]) {
      const storage = Postgres.layer({ url: Redacted.make(database.url), maxConnections: 4 })
      worlds.push(await World.start({ storage, rateLimit: { requests: RATE, window: "1 second" } }))
    }
    const [first] = worlds
    if (first === undefined) throw new Error("no world")
    const acme = await World.tenant(first)
    // Usage is published once the connections of both are up.
    let isShared = false
    for (let tries = 0; !isShared && tries < 100; tries++) {
      const asked = Array.from({ length: RATE / 2 }, () => worlds[0]?.fetch("GET", `/v3/sims?key=${acme.key}`))
      await Promise.all(asked)
      await new Promise((resolve) => setTimeout(resolve, 60))
      const answer = await worlds[1]?.fetch("GET", `/v3/sims?key=${acme.key}`)
      isShared = Number(/;r=(\d+)/.exec(answer?.headers.get("ratelimit") ?? "")?.[1]) < RATE - 1
    }
    expect(isShared).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 1_500))

    const began = performance.now()
    const until = began + SECONDS * 1_000
    let isLimited = false
    // A quota that is whole does not grow: what a machine that stands still for longer has not
    // asked for is lost.
    let asking = 0
    let last = began
    const flood = async (world: World.World): Promise<number> => {
      let taken = 0
      while (performance.now() < until) {
        const { status } = await world.fetch("GET", `/v3/sims?key=${acme.key}`)
        const now = performance.now()
        asking += Math.min(now - last, 1_000)
        last = now
        if (status === 200) {
          taken += 1
          continue
        }
        isLimited = true
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      return taken
    }
    const taken = await Promise.all(worlds.map(flood))
    // The last answers of a slow machine come after the seconds are over.
    const allowed = RATE + (RATE * (performance.now() - began)) / 1_000
    expect(taken.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(allowed * 1.2)
    const wanted = RATE + (RATE * asking) / 1_000
    // A machine that is too slow to reach the limit takes what it can.
    if (isLimited) expect(taken.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(wanted * 0.7)
  } finally {
    for (const world of worlds) await world.close()
    await database.drop()
  }
})

it("eight lists of a key are all that it has over all processes", { timeout: 60_000 }, async () => {
  const database = await Databases.create()
  const worlds: Array<World.World> = []
  try {
    const start = (): Promise<World.World> =>
      Lists.world(100_000, undefined, {
        storage: Postgres.layer({ url: Redacted.make(database.url), maxConnections: 4 })
      })
    const first = await start()
    worlds.push(first)
    const second = await start()
    worlds.push(second)
    const acme = await World.tenant(first)
    const sockets = await Promise.all(Array.from({ length: 8 }, () => Lists.stalled(first.url, acme.key)))
    /** What a list of the second server is answered. It reads no more than the beginning. */
    const answer = async (): Promise<string> => {
      const socket = await Lists.stalled(second.url, acme.key)
      const [head = "", body = ""] = String(socket.read()).split("\r\n\r\n")
      socket.destroy()
      return `${head.slice(9, 12)} ${/concurrency_limited/.exec(body) ?? ""}`
    }
    await expect.poll(answer, { timeout: 20_000 }).toBe("429 concurrency_limited")
    for (const socket of sockets) socket.destroy()
    await expect.poll(answer, { timeout: 20_000 }).toBe("200 ")
  } finally {
    for (const world of worlds) await world.close()
    await database.drop()
  }
})
