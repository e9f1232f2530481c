/**
 * Lists that are sent while they are read (rule W4), and lists that fail.
 */
import { Effect } from "effect"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Lists from "../Lists.ts"
import * as World from "../World.ts"

let world: World.World

const broken = new Storage.StorageError({ message: "the disk is on fire", cause: new Error("secret cause") })

describe("a list", () => {
  it("is sent whole where it is short, and is one JSON text where it is long", async () => {
    for (const pages of [0, 1, 2, 30]) {
      world = await Lists.world(pages, (n) => Effect.succeed(Lists.page(n)))
      const acme = await World.tenant(world)
      const { body, headers } = await acme.get("/v3/subscription")
      expect(body.data).toHaveLength(pages * Lists.PAGE)
      expect(body.data.map((one: { readonly subscription_id: string }) => one.subscription_id)).toEqual(
        Array.from({ length: pages * Lists.PAGE }, (_, n) => `s${n}`)
      )
      expect(headers.get("content-length") !== null).toBe(pages < 2)
      if (pages < 30) await world.close()
    }
  })

  it("that fails at its beginning is answered with an error", async () => {
    for (const failing of [0, 1]) {
      world = await Lists.world(5, (n) => (n === failing ? Effect.fail(broken) : Effect.succeed(Lists.page(n))))
      const acme = await World.tenant(world)
      const { body, headers, status, text } = await acme.get("/v3/subscription")
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "storage_unavailable", "1"])
      expect(headers.get("x-request-id")).toBe(body.request_id)
      expect(text).not.toContain("fire")
      expect(world.logs.join()).toContain("the disk is on fire")
      expect(world.logs.join()).toContain(body.request_id)
      if (failing === 0) await world.close()
    }
  })

  it("that fails later breaks the connection", async () => {
    world = await Lists.world(50, (n) => (n === 40 ? Effect.fail(broken) : Effect.succeed(Lists.page(n))))
    const acme = await World.tenant(world)
    await expect(
      fetch(`${world.url}/v3/subscription?key=${acme.key}`).then((answer) => answer.text())
    ).rejects.toThrow()
    expect(world.logs.join()).toContain("A list broke off")
    expect((await acme.get("/v3/sims")).status).toBe(200)
  })

  it("is read no faster than it is taken", async () => {
    let read = 0
    world = await Lists.world(100_000, (n) => {
      read = n
      return Effect.succeed(Lists.page(n))
    })
    const acme = await World.tenant(world)
    const socket = await Lists.stalled(world.url, acme.key)
    // The buffers of the operating system take some megabytes; nothing is read beyond them.
    for (let before = -1; before !== read; await new Promise((resolve) => setTimeout(resolve, 300))) before = read
    expect(read).toBeLessThan(1_000)
    expect((await acme.get("/v3/sims")).status).toBe(200)
    socket.destroy()
  })
})
