/**
 * Lists that are sent while they are read (rule W4), and lists that fail.
 */
import { Context, Effect, Stream } from "effect"
import { connect } from "node:net"
import { Subscriptions } from "simplan"
import { Storage } from "simplan/ports"
import { afterEach, describe, expect, it } from "vitest"
import * as World from "./World.ts"

let world: World.World

afterEach(() => world.close())

const item = (n: number) => ({
  subscription: {
    organizationId: "o",
    subscriptionId: `s${n}`,
    iccid: World.iccid(n),
    metadata: "x".repeat(1000),
    createdAt: World.START,
    status: "Live" as const
  },
  sim: {
    organizationId: "o",
    simId: `sim${n}`,
    iccid: World.iccid(n),
    importSequence: n,
    label: "Green" as const,
    isEsim: true,
    lpa: null,
    createdAt: World.START,
    allocation: { _tag: "InService" as const, subscriptionId: `s${n}` },
    recycledAt: null,
    downloaded: false,
    smdp: null,
    location: null,
    lastActivityAt: null,
    mobilePlan: { _tag: "Settled" as const, applied: false },
    version: 1
  }
})

type Item = ReturnType<typeof item>

const PAGE = 100

const page = (n: number): ReadonlyArray<Item> => Array.from({ length: PAGE }, (_, index) => item(n * PAGE + index))

/** A world whose list of subscriptions has `pages` pages; `read(n)` gives the n-th, or fails. */
const listing = (pages: number, read: (n: number) => Effect.Effect<ReadonlyArray<Item>, Storage.StorageError>) =>
  World.start({
    replace: (context) => {
      const subscriptions = Context.get(context, Subscriptions.Subscriptions)
      const list = () =>
        Stream.range(0, pages - 1).pipe(Stream.rechunk(1), Stream.mapEffect(read), Stream.flattenIterable)
      return Context.add(
        context,
        Subscriptions.Subscriptions,
        Subscriptions.Subscriptions.of({ ...subscriptions, list })
      )
    }
  })

const broken = new Storage.StorageError({ message: "the disk is on fire", cause: new Error("secret cause") })

describe("a list", () => {
  it("is sent whole where it is short, and is one JSON text where it is long", async () => {
    for (const pages of [0, 1, 2, 30]) {
      world = await listing(pages, (n) => Effect.succeed(page(n)))
      const acme = await World.tenant(world)
      const { body, headers } = await acme.get("/v3/subscription")
      expect(body.data).toHaveLength(pages * PAGE)
      expect(body.data.map((one: { readonly subscription_id: string }) => one.subscription_id)).toEqual(
        Array.from({ length: pages * PAGE }, (_, n) => `s${n}`)
      )
      expect(headers.get("content-length") !== null).toBe(pages < 2)
      if (pages < 30) await world.close()
    }
  })

  it("that fails at its beginning is answered with an error", async () => {
    for (const failing of [0, 1]) {
      world = await listing(5, (n) => (n === failing ? Effect.fail(broken) : Effect.succeed(page(n))))
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
    world = await listing(50, (n) => (n === 40 ? Effect.fail(broken) : Effect.succeed(page(n))))
    const acme = await World.tenant(world)
    await expect(
      fetch(`${world.url}/v3/subscription?key=${acme.key}`).then((answer) => answer.text())
    ).rejects.toThrow()
    expect(world.logs.join()).toContain("A list broke off")
    expect((await acme.get("/v3/sims")).status).toBe(200)
  })

  it("is read no faster than it is taken", async () => {
    let read = 0
    world = await listing(100_000, (n) => {
      read = n
      return Effect.succeed(page(n))
    })
    const acme = await World.tenant(world)
    const socket = connect(Number(new URL(world.url).port), "127.0.0.1")
    await new Promise((resolve) => socket.once("connect", resolve))
    socket.write(`GET /v3/subscription?key=${acme.key} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await new Promise((resolve) => socket.once("readable", resolve))
    await new Promise((resolve) => setTimeout(resolve, 500))
    const stalled = read
    expect(stalled).toBeLessThan(1_000)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(read).toBe(stalled)
    expect((await acme.get("/v3/sims")).status).toBe(200)
    socket.destroy()
  })
})
