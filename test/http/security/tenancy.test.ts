/**
 * No organization can read or change what belongs to another one: every endpoint of the definition
 * is called with ids that exist and the key of another organization.
 */
import { describe, expect, it } from "vitest"
import * as Definition from "../Definition.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const region = { region_name: "Ours", label: "Green", iso2_list: ["FR", "ES"] }

const snapshot = async (): Promise<string> => {
  const paths = [
    "/v3/subscription",
    "/v3/plans?page_size=25",
    "/v3/sims?page_size=100",
    `/v3/subscriptions/${ids["iccid"]}/plan-attachments`,
    `/v3/coverage-profiles/${ids["coverageId"]}`
  ]
  const answers = await Promise.all(paths.map((path) => owner.tenant.get(path)))
  return answers.map(({ text }) => text).join("\n")
}

const world = await World.forFile()
const owner = await Inventory.stock(world, 1, 3)
const stranger = await World.tenant(world)
const iccid = World.iccid(1)
await owner.tenant.post("/v3/subscription", { plan_id: owner.planId, metadata: "ours", iccid })
const attachments = await owner.tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)
const made = await owner.tenant.post("/v3/coverage-profiles/custom-region", region)
const ids = {
  iccid,
  plan_id: owner.planId,
  planId: owner.planId,
  id: attachments.body.data[0].plan_attachment_id,
  coverageId: made.body.data.coverage_id,
  operatorId: "nope"
}
const before = await snapshot()

it("shows in cursors and wallet ids nothing of what others have imported", async () => {
  const seen = await Promise.all(
    [10_000, 20_000].map(async (first, index) => {
      const { tenant } = await Inventory.stock(world, first, 3 + 5 * index)
      const { body: page } = await tenant.get("/v3/sims?page_size=2")
      const { body: wallet } = await tenant.post("/v3/wallet/mobile-plan", { apply: true, label: "Green" })
      return [page.next_page, wallet.data.id]
    })
  )
  expect(seen[0]).toEqual([expect.any(String), 1])
  expect(seen[1]).toEqual(seen[0])
})

type Ids = Readonly<Record<string, string>>

const bodies: Readonly<Record<string, (ids: Ids) => unknown>> = {
  "subscriptions.create": ({ iccid, planId }) => ({ plan_id: planId, metadata: "", iccid }),
  "subscriptions.sendSms": () => ({ from: "a", message: "b" }),
  "plans.create": ({ coverageId = "" }) => Inventory.planBody(coverageId),
  "coverage.createRegion": () => region,
  "sims.updateMany": () => ({ sims: [] }),
  "sims.update": () => ({ label: "Blue" }),
  "sims.setStockLevels": () => ({ levels: [] }),
  "wallet.setMobilePlan": ({ iccid }) => ({ apply: true, label: "Green", iccid })
}

const UNKNOWN_ID = "01900000-0000-7000-8000-000000000000"

/** Ids of the same form that nothing has. */
const unknown: Ids = {
  iccid: World.iccid(9_999),
  plan_id: UNKNOWN_ID,
  planId: UNKNOWN_ID,
  id: UNKNOWN_ID,
  coverageId: UNKNOWN_ID,
  operatorId: "nope"
}

/** All of an answer but its id and its time. */
const comparable = ({ headers, status, text }: World.Answer): string => {
  const kept = [...headers].filter(([name]) => name !== "x-request-id" && name !== "date")
  return JSON.stringify([status, kept, text])
}

/** Lists, and creations for the stranger: they succeed, and show nothing of the owner's. */
const harmless = new Set([
  "subscriptions.list",
  "plans.list",
  "coverage.list",
  "sims.list",
  "usage.ofOrganization",
  "costs.ofOrganization",
  "sims.updateMany",
  "sims.stock",
  "sims.setStockLevels",
  "operators.list",
  "coverage.createRegion"
])

const urlOf = (path: string, known: Ids): string =>
  path.replace(/:(\w+)/g, (_, parameter: string) => {
    const id = known[parameter]
    if (id === undefined) throw new Error(`the walk knows no ${parameter}`)
    return id
  })

const v3 = Definition.routes.filter(({ path }) => path.startsWith("/v3"))

describe("a foreign key", () => {
  it("meets every endpoint of /v3", () => {
    expect(v3.length).toBeGreaterThanOrEqual(25)
  })

  it.each(v3.map((route) => [route.method, route.path, route] as const))("%s %s", async (method, path, route) => {
    const name = `${route.group}.${route.endpoint.identifier}`
    const call = (known: Ids): Promise<World.Answer> => {
      const url = urlOf(path, known)
      const body = bodies[name]?.(known)
      return stranger.call(method, url, body === undefined ? {} : { body })
    }
    const answer = await call(ids)
    if (harmless.has(name)) {
      expect(answer.status).toBe(200)
      const ours = [owner.planId, ids["iccid"], ids["id"], ids["coverageId"]]
      for (const id of ours) expect(answer.text).not.toContain(id)
    } else {
      expect([answer.status, answer.body.code.endsWith("_not_found")]).toEqual([404, true])
      expect(comparable(answer)).toBe(comparable(await call(unknown)))
    }
    expect(await snapshot()).toBe(before)
  })
})

describe("an operator of the stranger", () => {
  /** The path that the management API has in place of one of `/v3`. */
  const managedPath = (path: string): string =>
    `/admin/v1/organizations/:organization${path.slice("/v3".length)}`.replace(
      "/:id/suspend",
      "/:attachment_id/suspend"
    )

  const shapeOf = (path: string): string => path.replace(/:\w+/g, ":")

  const managed = new Set(Definition.routes.map(({ method, path }) => `${method} ${shapeOf(path)}`))
  const operations = v3.filter(({ method, path }) => managed.has(`${method} ${shapeOf(managedPath(path))}`))

  it("meets every read of /v3, and the day's tasks of a SIM", () => {
    expect(operations).toEqual(expect.arrayContaining(v3.filter(({ method }) => method === "GET")))
    expect(operations.filter(({ method }) => method !== "GET")).toHaveLength(14)
  })

  it.each(operations.map((route) => [route.method, route.path, route] as const))(
    "%s %s",
    async (method, path, route) => {
      const name = `${route.group}.${route.endpoint.identifier}`
      const { body } = await world.admin("POST", "/operators", {
        name,
        role: "admin",
        organization_id: stranger.organizationId
      })
      const headers = { authorization: `Bearer ${body.data.token}` }
      const call = (organization: string, known: Ids): Promise<World.Answer> => {
        const { id: attachment_id = "" } = known
        const url = urlOf(managedPath(path), { ...known, organization, attachment_id })
        const sent = bodies[name]?.(known)
        return world.fetch(method, url, { headers, ...(sent !== undefined && { body: sent }) })
      }
      const answer = await call(stranger.organizationId, ids)
      if (harmless.has(name)) {
        expect(answer.status).toBe(200)
        for (const id of [owner.planId, ids.iccid, ids.id, ids.coverageId]) expect(answer.text).not.toContain(id)
      } else {
        expect([answer.status, answer.body.code.endsWith("_not_found")]).toEqual([404, true])
        expect(comparable(answer)).toBe(comparable(await call(stranger.organizationId, unknown)))
      }
      const foreign = await call(owner.tenant.organizationId, ids)
      expect([foreign.status, foreign.body.code]).toEqual([404, "organization_not_found"])
      expect(await snapshot()).toBe(before)
    }
  )
})
