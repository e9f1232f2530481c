/**
 * Query parameters of the management API, and fields of its bodies: one that a route does not have
 * is refused, with the name that was likely meant.
 */
import { describe, expect, it } from "vitest"
import { Messages } from "../../../adapters/fields/index.ts"
import * as Definition from "../Definition.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const organizationId = (await World.tenant(world)).organizationId

const managing = Definition.routes
  .filter(({ path }) => path.startsWith("/admin/"))
  .map(({ method, path }) => ({ method, path }))

it.each(managing)("$method $path refuses a parameter that it does not have", async ({ method, path }) => {
  const target = path.replace("/admin/v1", "").replace(/:\w+/g, "x")
  const refused = await world.admin(method, `${target}?no_such_parameter=1`)
  expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
  expect(refused.body.message).toMatch(/^no_such_parameter is not a known query parameter; the route has /)
})

describe("a body", () => {
  it.each([
    ["/organizations", { nmae: "Acme" }, "nmae", "did you mean name?"],
    ["/organizations", { name: "Acme", plan: 1 }, "plan", "the body has name"],
    [
      "/organizations/{id}/api-keys",
      { name: "k", expiresAt: "2027-01-01T00:00:00Z" },
      "expiresAt",
      "did you mean expires_at?"
    ],
    ["/organizations/{id}/webhook-endpoints", { url: "https://a.example", event: [] }, "event", "did you mean events?"],
    ["/organizations/{id}/deliveries/replay", { stauts: "failed" }, "stauts", "did you mean status?"],
    ["/jobs/retry", { knd: "SendSms" }, "knd", "did you mean kind?"],
    ["/clock/advance", { By: "1 hour" }, "By", "did you mean by?"]
  ])("of %s refuses a field that it does not have: %j", async (path, body, field, hint) => {
    const refused = await world.admin("POST", path.replace("{id}", organizationId), body)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
    expect(refused.body.message).toBe(`${field} is not a known field; ${hint}`)
  })

  it("of another type is refused as before", async () => {
    expect((await world.admin("POST", "/organizations", ["name"])).body.message).toMatch(/^body /)
  })

  it("of /v3 may have fields that a later version knows", async () => {
    const tenant = await World.tenant(world)
    const { body, status } = await tenant.post("/v3/wallet/mobile-plan", { apply: true, label: "Green", nope: 1 })
    expect([status, body.code]).toEqual([404, "no_free_esim"])
  })
})

describe("the name that was likely meant", () => {
  it.each([
    ["/organizations?pagesize=5", "pagesize", "did you mean page_size?"],
    ["/organizations?page_sise=5", "page_sise", "did you mean page_size?"],
    ["/organizations?limit=5", "limit", "the route has page_size, page"],
    ["/organizations?page_size=5&pge=x", "pge", "did you mean page?"],
    ["/organizations/{id}/deliveries?stauts=failed", "stauts", "did you mean status?"],
    ["/organizations/{id}/deliveries?webhookEndpointId=x", "webhookEndpointId", "did you mean webhook_endpoint_id?"],
    ["/organizations/{id}/audit?actr=admin", "actr", "did you mean actor?"],
    ["/clock?=5", '""', "the route has none"],
    [`/clock?${"x".repeat(100)}=5`, "x".repeat(64), "the route has none"]
  ])("%s", async (path, name, hint) => {
    const { body, status } = await world.admin("GET", path.replace("{id}", organizationId))
    expect([status, body.message]).toEqual([400, `${name} is not a known query parameter; ${hint}`])
  })

  it("is not guessed where none is near", () => {
    const names = ["page", "page_size", "status"]
    expect(Messages.nearest("state", names)).toBe(undefined)
    expect(Messages.nearest("", names)).toBe(undefined)
    expect(Messages.nearest("Status", names)).toBe("status")
    expect(Messages.nearest("pgae", names)).toBe("page")
    expect(Messages.nearest("x".repeat(10_000), names)).toBe(undefined)
  })
})

it("asks for the token first, and lets callers of /v3 send what it does not know", async () => {
  const guest = await world.fetch("GET", "/admin/v1/clock?nope=1")
  expect(guest.status).toBe(401)
  const tenant = await World.tenant(world)
  expect((await tenant.get("/v3/plans?nope=1")).status).toBe(200)
})
