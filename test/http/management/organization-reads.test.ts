/**
 * What operators read of an organization (rule W14): the answers that its own key gets from `/v3`,
 * activation codes by role, and the limits of operators (rule W13).
 */
import type { Operator } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Definition from "../Definition.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"
import * as Leaks from "../../setup/Leaks.ts"

const world = await World.forFile()
const { planId, tenant } = await Inventory.stock(world, 1, 6)
await Inventory.stock(world, 100, 2)
const iccid = World.iccid(1)
await tenant.post("/v3/subscription", { plan_id: planId, metadata: "order 4711", iccid })
const region = { region_name: "Ours", label: "Green", iso2_list: ["FR", "ES"] }
const made = await tenant.post("/v3/coverage-profiles/custom-region", region)
const operators = await tenant.get("/v3/operators?country=FR")

const operator = async (of: World.World, name: string, role: Operator.Role, organizationId: string | null = null) => {
  const { body } = await of.admin("POST", "/operators", { name, role, organization_id: organizationId })
  const { token } = body.data
  Leaks.know(token)
  return {
    operatorId: body.data.operator_id,
    token,
    get: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      of.fetch("GET", `/admin/v1${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  }
}

const support = await operator(world, "Sup", "support")
const reader = await operator(world, "Rea", "read")
const bound = await operator(world, "Bound", "read", tenant.organizationId)

const ids: Readonly<Record<string, string>> = {
  iccid,
  plan_id: planId,
  planId,
  coverageId: made.body.data.coverage_id,
  operatorId: operators.body.data[0].operator_id
}

const reads = Definition.routes.filter(({ method, path }) => method === "GET" && path.startsWith("/v3"))

const pathOf = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? expect.fail(name))

const of = (path: string) => `/organizations/${tenant.organizationId}${path.slice("/v3".length)}`

const queries: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/v3/sims": ["page_size=2", "search=4711", "label=Blue", "install=true", "page_size=0"],
  "/v3/subscription": ["search=order", "install=true"],
  "/v3/plans": ["page_size=1", "label=Blue"],
  "/v3/costs": ["by=supplier", "by=plan,label,country", "from=2026-13", "from=2026-02&to=2026-01"],
  "/v3/usage": ["by=country", "by=month,country", "by=nothing", "by=day,month"]
}

describe.each(reads.map(({ path }) => path))("GET %s", (path) => {
  it.each(["", ...(queries[path] ?? [])])("is the same for an operator, with the query %s", async (query) => {
    const sent = query === "" ? "" : `?${query}`
    const own = await tenant.get(`${pathOf(path)}${sent}`)
    const answer = await support.get(of(`${pathOf(path)}${sent}`))
    const shown = ({ headers, status, text }: World.Answer) => {
      // Rule I7: what the telco knows a SIM by is shown to operators alone.
      const alike = text.replace(/"(?:imsi|msisdn)":(?:null|"\d*"),/g, "")
      const { request_id: _, ...body } = status < 400 ? { text: alike } : JSON.parse(text)
      return [status, headers.get("content-type"), body]
    }
    expect(shown(answer)).toEqual(shown(own))
  })

  it("is 404 for an organization that does not exist", async () => {
    const unknown = "01900000-0000-7000-8000-000000000000"
    const answer = await support.get(of(pathOf(path)).replace(tenant.organizationId, unknown))
    expect([answer.status, answer.body.code]).toEqual([404, "organization_not_found"])
  })
})

it("usage is a table where one is asked for", async () => {
  const { headers, text } = await reader.get(of("/v3/usage"), { accept: "text/csv" })
  expect([headers.get("content-type"), text]).toEqual(["text/csv; charset=utf-8", "day,used_bytes\r\n"])
})

it("a parameter that no read has is refused", async () => {
  const { body, status } = await reader.get(of("/v3/sims?serach=1"))
  expect([status, body.code]).toEqual([400, "invalid_field"])
})

describe("an activation code", () => {
  const paths = ["/v3/sims", `/v3/sims/${iccid}`, "/v3/subscription", `/v3/subscriptions/${iccid}`]

  it.each(paths)("is shortened for the role read, and has no links: %s", async (path) => {
    for (const { get } of [reader, bound]) {
      const plain = await get(of(path))
      expect(plain.text).toContain('"LPA:1$smdp.example$…"')
      expect(plain.text).not.toContain('"install"')
      const asking = await get(of(`${path}?install=true`))
      expect(asking.text).toContain('"install":null')
      for (const { text } of [plain, asking]) expect(text).not.toMatch(/\$M-\d|apple/)
    }
    const shown = await support.get(of(`${path}?install=true`))
    expect(shown.text).toContain('"LPA:1$smdp.example$M-1"')
    expect(shown.text).toContain('"apple"')
  })

  it("is no picture for the role read", async () => {
    const path = of(`/v3/sims/${iccid}/qr.svg`)
    for (const { get } of [reader, bound]) expect((await get(path)).body.code).toBe("forbidden")
    expect((await support.get(path)).text).toContain("<svg")
  })
})

describe("who asks", () => {
  it("is an operator with a role, an organization and the end of the token that was sent", async () => {
    const answer = async (token: string) => {
      const { body } = await world.fetch("GET", "/admin/v1/whoami", { headers: { authorization: `Bearer ${token}` } })
      return body.data
    }
    const expected = { name: "Bound", role: "read", organization_id: tenant.organizationId, expires_at: null }
    expect(await answer(bound.token)).toEqual(expected)
    const rotated = await world.admin("POST", `/operators/${bound.operatorId}/rotate`)
    Leaks.know(rotated.body.data.token)
    const tomorrow = new Date(World.START + 86_400_000).toISOString()
    expect(await answer(rotated.body.data.token)).toEqual(expected)
    expect(await answer(bound.token)).toEqual({ ...expected, expires_at: tomorrow })
  })

  it("is bootstrap, who has the server's own token", async () => {
    const { body } = await world.admin("GET", "/whoami")
    expect(body.data).toEqual({ name: "bootstrap", role: "admin", organization_id: null, expires_at: null })
  })
})

it("W13: an operator has limits of its own, beside those of the organization that it reads", async () => {
  const limited = await World.forTest({ rateLimit: { requests: 3, window: "1 minute" } })
  const acme = await World.tenant(limited)
  const [one, two] = [await operator(limited, "One", "read"), await operator(limited, "Two", "read")]
  const path = `/organizations/${acme.organizationId}/plans`
  const answers = await Promise.all([1, 2, 3].map(() => one.get(path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const refused = await one.get(path)
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    429,
    "rate_limited",
    "Too many requests of this operator"
  ])
  expect(refused.headers.get("ratelimit-policy")).toBe('"operator";q=3;w=60')
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  expect((await two.get(path)).status).toBe(200)
  expect((await acme.get("/v3/plans")).headers.get("ratelimit")).toBe('"default";r=2;t=20')
})
