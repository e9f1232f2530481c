/**
 * Requests that need no key are limited by address where they cost something (rule W13).
 */
import { expect, it } from "vitest"
import * as World from "../World.ts"

let world: World.World

const from = (address: string, path: string) =>
  world.fetch("GET", path, { headers: { "x-forwarded-for": address, "accept-encoding": "identity" } })

it("an address gets documents and metrics up to a limit, by their size; others and keys go on", async () => {
  world = await World.forTest({ withoutKey: { requests: 50, window: "1 hour" }, trustedProxies: 1 })
  const acme = await World.tenant(world)
  // The page costs 9 by its size, and the metrics cost 10.
  expect((await from("192.0.2.1", "/docs")).status).toBe(200)
  for (const n of [1, 2, 3]) expect([n, (await from("192.0.2.1", "/metrics")).status]).toEqual([n, 200])
  expect((await from("192.0.2.1", "/docs")).status).toBe(200)
  expect((await from("192.0.2.1", "/metrics")).status).toBe(200)
  for (const path of ["/metrics", "/docs", "/openapi.json", "/docs/reference"]) {
    const { body, headers, status } = await from("192.0.2.1", path)
    expect([path, status, body.code]).toEqual([path, 429, "rate_limited"])
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(60)
  }
  expect((await from("192.0.2.1", "/healthz")).status).toBe(200)
  expect((await from("192.0.2.2", "/docs")).status).toBe(200)
  expect((await acme.get("/v3/sims")).status).toBe(200)
})
