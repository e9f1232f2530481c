/**
 * Wrong keys and tokens are limited by address, and keep out no right ones (rules W10 and W13).
 */
import { HttpServerRequest } from "effect/http"
import { Effect, Latch, Layer, Scope } from "effect"
import * as Memory from "simplan/memory"
import { ApiKey } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Requests from "../../../adapters/http/middleware/Requests.ts"
import * as World from "../World.ts"

let world: World.World

const limit = { failedAuthentication: { requests: 5, window: "1 hour" } } as const

const wrongKey = (n: number): string => ApiKey.fromRandom(new Uint8Array(32).fill(n))

describe("an address that guesses", () => {
  it("gets 429, while known keys, new ones and right tokens go on working", async () => {
    world = await World.forTest(limit)
    const acme = await World.tenant(world)
    const guess = (n: number, path = "/v3/sims") => world.fetch("GET", `${path}?key=${wrongKey(n)}`)
    for (let n = 0; n < 5; n++) expect((await guess(n)).status).toBe(401)
    const refused = await guess(9)
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(100)
    const admin = (token: string) =>
      world.fetch("GET", "/admin/v1/organizations", { headers: { authorization: `Bearer ${token}` } })
    expect((await admin("wrong-token-of-the-tests")).status).toBe(429)
    expect((await admin(World.ADMIN_TOKEN)).status).toBe(200)
    expect((await acme.get("/v3/sims")).status).toBe(200)
    const other = await World.tenant(world)
    expect((await other.get("/v3/sims")).status).toBe(200)
    expect((await world.fetch("GET", "/v3/sims")).status).toBe(401)
  })

  it("keeps no one out who has a right key, which is behind the same address, after a restart", async () => {
    const scope = Effect.runSync(Scope.make())
    const stored = await Effect.runPromise(Layer.buildWithScope(Memory.layer, scope))
    const storage = Layer.succeedContext(stored)
    world = await World.forTest({ ...limit, storage })
    const acme = await World.tenant(world)
    await world.close()
    world = await World.forTest({ ...limit, storage })
    const guess = (n: number) => world.fetch("GET", `/v3/sims?key=${wrongKey(n)}`)
    const statuses: Array<number> = []
    for (let n = 0; n < 200; n++) statuses.push((await guess(n)).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(195)
    const right = await world.fetch("GET", `/v3/sims?key=${acme.key}`)
    expect(right.status).toBe(200)
    expect((await guess(201)).status).toBe(429)
  })

  it("reads keys seven at a time, while known keys wait for none of them", async () => {
    let [reads, most, all] = [0, 0, 0]
    const gate = Latch.makeUnsafe(true)
    const slowly = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          all += 1
          most = Math.max(most, ++reads)
        }),
        () => Effect.andThen(gate.await, effect),
        () => Effect.sync(() => (reads -= 1))
      )
    const storage = World.changed(({ apiKeys }) => ({
      apiKeys: { ...apiKeys, byHash: (hash) => slowly(apiKeys.byHash(hash)) }
    }))
    world = await World.forTest({ ...limit, storage })
    const guess = (n: number) => world.fetch("GET", `/v3/sims?key=${wrongKey(n)}`)
    const [acme, other] = [await World.tenant(world), await World.tenant(world)]
    expect((await acme.get("/v3/sims")).status).toBe(200)
    gate.closeUnsafe()
    const guesses = Array.from({ length: 100 }, async (_, n) => (await guess(n)).status)
    await expect.poll(() => reads).toBe(7)
    expect((await acme.get("/v3/sims")).status).toBe(200)
    // A right key that is unknown here takes its turn.
    const right = other.get("/v3/sims")
    gate.openUnsafe()
    expect((await right).status).toBe(200)
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([401, 429]))
    expect(most).toBeLessThanOrEqual(7)
    const before = all
    // What is known to be wrong is not read, and neither is what has a wrong checksum.
    for (let times = 0; times < 4; times++) await guess(99)
    for (let n = 0; n < 4; n++) await world.fetch("GET", `/v3/sims?key=${wrongKey(n).slice(0, -1)}_`)
    expect(all).toBeLessThanOrEqual(before + 1)
  })

  it("is counted with its wrong tokens", async () => {
    world = await World.forTest(limit)
    const statuses = []
    for (let n = 0; n < 7; n++) {
      const headers = { authorization: `Bearer wrong-token-number-${n}` }
      statuses.push((await world.fetch("GET", "/admin/v1/organizations", { headers })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  })

  it("is distinguished from others by X-Forwarded-For where a proxy is trusted, and only there", async () => {
    const from = (address: string, n: number) =>
      world.fetch("GET", `/v3/sims?key=${wrongKey(n)}`, { headers: { "x-forwarded-for": `6.6.6.6, ${address}` } })
    for (const trustedProxies of [0, 1]) {
      world = await World.forTest({ ...limit, trustedProxies })
      for (let n = 0; n < 6; n++) await from("198.51.100.7", n)
      expect((await from("198.51.100.7", 7)).status).toBe(429)
      expect((await from("198.51.100.8", 8)).status).toBe(trustedProxies === 0 ? 429 : 401)
      if (trustedProxies === 0) await world.close()
    }
  })
})

describe("the address of a client", () => {
  const request = (forwarded: string) =>
    HttpServerRequest.fromWeb(new Request("http://a.test/", { headers: { "x-forwarded-for": forwarded } }))

  it("is so many places from the end of X-Forwarded-For", () => {
    expect(Requests.addressOf(request("1.1.1.1, 2.2.2.2, 3.3.3.3"), 0)).toBeNull()
    expect(Requests.addressOf(request("1.1.1.1, 2.2.2.2, 3.3.3.3"), 1)).toBe("3.3.3.3")
    expect(Requests.addressOf(request("1.1.1.1, 2.2.2.2, ::ffff:3.3.3.3"), 1)).toBe("3.3.3.3")
    expect(Requests.addressOf(request("1.1.1.1, 2.2.2.2, 3.3.3.3"), 3)).toBe("1.1.1.1")
    expect(Requests.addressOf(request("1.1.1.1"), 2)).toBeNull()
    expect(Requests.addressOf(request("unknown"), 1)).toBeNull()
  })

  it("counts as its /64 network where it is IPv6", () => {
    expect(Requests.network("192.0.2.1")).toBe("192.0.2.1")
    expect(Requests.network("2001:db8:0:1:2:3:4:5")).toBe("2001:db8:0:1::/64")
    expect(Requests.network("2001:0db8::1")).toBe("2001:db8:0:0::/64")
    expect(Requests.network("::1")).toBe("0:0:0:0::/64")
    expect(Requests.network("fe80::1%eth0")).toBe("fe80:0:0:0::/64")
    expect(Requests.network("2001:db8:0:1::")).toBe("2001:db8:0:1::/64")
  })
})
