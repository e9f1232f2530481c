/**
 * The OpenAPI document describes exactly the served routes, and the documentation page loads nothing from elsewhere.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Codes } from "../../adapters/http/index.ts"
import * as Definition from "./Definition.ts"
import * as World from "./World.ts"

let world: World.World

beforeAll(async () => {
  world = await World.start()
})

afterAll(() => world.close())

describe("/openapi.json", () => {
  it("describes exactly the served routes", async () => {
    const { body } = await world.fetch("GET", "/openapi.json")
    const described = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
    )
    const defined = Definition.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
    expect(described.sort()).toEqual(defined.sort())
    for (const operation of described) {
      const [method = "", path = ""] = operation.split(" ")
      const answer = await world.fetch(method, path.replace(/\{\w+\}/g, "x"))
      expect([operation, answer.body?.code]).not.toEqual([operation, "route_not_found"])
    }
  })

  it("names the security of every route, and one shape of errors", async () => {
    const { body, text } = await world.fetch("GET", "/openapi.json")
    expect(body.components.securitySchemes.apiKeyInQuery).toEqual({ type: "apiKey", in: "query", name: "key" })
    expect(body.paths["/v3/plans"].get.security).toEqual([{ apiKeyInQuery: [] }, { apiKeyInHeader: [] }])
    expect(body.paths["/admin/v1/clock"].get.security).toEqual([{ adminToken: [] }])
    expect(text).not.toMatch(/Error_\d/)
    const references = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    for (const name of references) expect(Object.keys(body.components.schemas)).toContain(name)
  })

  it("gives every code a status of errors", () => {
    for (const code of ["key_missing", "plan_not_found", "telco_unavailable"] as const) {
      expect(Codes.status(code)).toBeGreaterThanOrEqual(400)
    }
  })
})

describe("/docs", () => {
  it("loads nothing from elsewhere", async () => {
    const { headers, status, text } = await world.fetch("GET", "/docs")
    expect(status).toBe(200)
    expect(text).not.toMatch(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)\s*=/i)
    expect(text).not.toMatch(/@import\s+(?:url\()?["']?https?:/i)
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
  })
})
