/**
 * `/openapi.json`, `/docs` and `/docs/reference`: on each listener about what it serves,
 * compressed, and kept by browsers.
 */
import { describe, expect, it } from "vitest"
import { RouteGroups } from "../../adapters/http/index.ts"
import * as World from "./World.ts"

const paths = ["/openapi.json", "/docs", "/docs/reference"] as const

const world = await World.forFile()

describe("a listener for operators", () => {
  it("has the documents of what it serves, and so has the one for callers", async () => {
    const groupsOf = async (groups: ReadonlyArray<RouteGroups.Group>) => {
      const one = await World.start({ groups })
      try {
        const { body } = await one.fetch("GET", "/openapi.json")
        for (const path of ["/docs", "/docs/reference"]) {
          const page = await one.fetch("GET", path)
          expect([path, page.status]).toEqual([path, 200])
          expect([path, page.text.includes("/admin/v1/clock")]).toEqual([path, groups.includes("admin")])
        }
        return [...new Set(Object.keys(body.paths).map((path) => RouteGroups.ofPath(path)))].sort()
      } finally {
        await one.close()
      }
    }
    expect(await groupsOf(RouteGroups.operators)).toEqual(["admin", "health", "metrics"])
    expect(await groupsOf(RouteGroups.callers)).toEqual(["health", "telco", "v3"])
  })
})

describe.each(paths)("%s", (path) => {
  const get = (headers: Readonly<Record<string, string>> = {}, method = "GET") => world.fetch(method, path, { headers })

  it("is compressed for clients that take that, and the same for all others", async () => {
    const plain = await get({ "accept-encoding": "identity" })
    expect([plain.status, plain.headers.get("content-encoding")]).toEqual([200, null])
    for (const accepted of ["gzip", "br, gzip;q=0.8", "*", "deflate, *;q=0.5"]) {
      const compressed = await get({ "accept-encoding": accepted })
      expect([accepted, compressed.headers.get("content-encoding")]).toEqual([accepted, "gzip"])
      expect(Number(compressed.headers.get("content-length"))).toBeLessThan(plain.text.length / 3)
      expect(compressed.text === plain.text, accepted).toBe(true)
    }
    for (const accepted of ["gzip;q=0", "br", "gzip;q=0.0, *"]) {
      const { headers } = await get({ "accept-encoding": accepted })
      expect([accepted, headers.get("content-encoding")]).toEqual([accepted, null])
    }
  })

  it("is kept by browsers, which ask whether it still holds", async () => {
    const tags = new Set<string>()
    for (const accepted of ["identity", "gzip"]) {
      const asks = { "accept-encoding": accepted }
      const first = await get(asks)
      expect(first.headers.get("cache-control")).toBe("private, max-age=300")
      expect(first.headers.get("vary")).toBe("accept-encoding")
      expect(first.headers.get("x-request-id")).not.toBeNull()
      const tag = first.headers.get("etag") ?? ""
      tags.add(tag)
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const again = await get({ ...asks, "if-none-match": known })
        expect([known, again.status, again.text, again.headers.get("etag")]).toEqual([known, 304, "", tag])
      }
      expect((await get({ ...asks, "if-none-match": '"other"' })).status).toBe(200)
      expect((await get(asks, "HEAD")).headers.get("etag")).toBe(tag)
    }
    expect(tags.size).toBe(2)
  })
})
