/**
 * The search of operators over all organizations, by the wire (rule L4).
 */
import { expect, it } from "vitest"
import * as Leaks from "../../setup/Leaks.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const own = await Inventory.stock(world, 1, 30)
const other = await Inventory.stock(world, 100, 30)

/** The metadata and the plan's name of each subscription. */
const notes = new Map<string, string>()
const plans = new Map<string, string>()

const sell = async ({ planId, tenant }: Inventory.Stock, number: number, metadata: string): Promise<string> => {
  const iccid = World.iccid(number)
  await tenant.post("/v3/subscription", { plan_id: planId, metadata, iccid })
  const id = (await tenant.get(`/v3/subscriptions/${iccid}`)).body.data.subscription_id
  notes.set(id, metadata)
  plans.set(id, (await tenant.get(`/v3/plans/${planId}`)).body.data.plan_name)
  return id
}

const first = await sell(own, 1, "Order 4711")
const second = await sell(other, 101, "order 4711-B")
const identities = { imsi: "208930000000017", msisdn: "46701234567" }
const [row] = Inventory.esims(102, 1)
await world.admin("POST", `/organizations/${other.tenant.organizationId}/sims`, { sims: [{ ...row, ...identities }] })

const find = (q: string) => world.admin("GET", `/search?q=${encodeURIComponent(q)}`)

const hit = ({ tenant }: Inventory.Stock, number: number, matched: string, subscriptionId: string | null = null) => ({
  organization_id: tenant.organizationId,
  organization_name: "Acme",
  iccid: World.iccid(number),
  label: "Green",
  subscription_id: subscriptionId,
  matched,
  status: subscriptionId === null ? "free" : "in_use",
  paused: false,
  plan_name: subscriptionId === null ? null : plans.get(subscriptionId),
  metadata: subscriptionId === null ? null : notes.get(subscriptionId)
})

const byOrganization = (hits: ReadonlyArray<ReturnType<typeof hit>>) =>
  hits.toSorted((a, b) => (a.organization_id < b.organization_id ? -1 : 1))

it("finds by each thing that a customer names, in whichever organization", async () => {
  const both = byOrganization([hit(own, 1, "metadata", first), hit(other, 101, "metadata", second)])
  expect((await find("ORDER 4711")).body).toEqual({ error: false, data: both, has_more: false })
  const found = async (q: string) => (await find(q)).body.data
  expect(await found("order 4711-b")).toEqual([hit(other, 101, "metadata", second)])
  expect(await found(first)).toEqual([hit(own, 1, "subscription_id", first)])
  expect(await found(identities.imsi)).toEqual([hit(other, 102, "imsi")])
  expect(await found("+46 70 123 45 67")).toEqual([hit(other, 102, "phone_number")])
  expect(await found(World.iccid(120))).toEqual([hit(other, 120, "iccid")])
  expect(await found(World.iccid(20).slice(-6))).toContainEqual(hit(own, 20, "iccid"))
  expect(await found("nothing has this")).toEqual([])
  expect(await found("  ")).toEqual([])
})

it("finds words inside a note, an e-mail, and a phone number as in its country, and shows the top-up's note", async () => {
  const found = async (q: string) => (await find(q)).body.data
  const note = 'Table 4, Ms Åberg <eva.aberg@example.com>, "late"'
  const iccid = World.iccid(3)
  const id = await sell(own, 3, note)
  for (const q of ["åberg", "eva.aberg@example.com", "EVA table", "example.com eva"]) {
    expect(await found(q)).toEqual([hit(own, 3, "metadata", id)])
  }
  for (const q of ["aber", "eva 4711", "eva.aberg@example.org"]) expect(await found(q)).toEqual([])
  for (const q of ["070-123 45 67", "0046701234567", "+46 (0)70 123 45 67", "701234567"]) {
    expect(await found(q)).toEqual([hit(other, 102, "phone_number")])
  }
  await own.tenant.post("/v3/subscription", { plan_id: own.planId, metadata: "voucher 88, from Ludvika", iccid })
  await own.tenant.post(`/v3/subscriptions/${iccid}/pause`, {})
  expect(await found("ludvika")).toEqual([
    { ...hit(own, 3, "metadata", id), metadata: "voucher 88, from Ludvika", paused: true }
  ])
  expect((await own.tenant.get("/v3/sims?search=ludvika")).body.data).toMatchObject([{ iccid }])
})

it("gives twenty, and says that there are more", async () => {
  const { body } = await find(World.iccid(1).slice(0, 8))
  expect([body.data.length, body.has_more]).toEqual([20, true])
})

it("finds for an operator of one organization nothing else", async () => {
  const { organizationId } = own.tenant
  const made = await world.admin("POST", "/operators", { name: "Desk", role: "read", organization_id: organizationId })
  Leaks.know(made.body.data.token)
  const headers = { authorization: `Bearer ${made.body.data.token}` }
  const found = async (q: string) =>
    (await world.fetch("GET", `/admin/v1/search?q=${encodeURIComponent(q)}`, { headers })).body.data
  expect(await found("order 4711")).toEqual([hit(own, 1, "metadata", first)])
  for (const q of [second, identities.imsi, identities.msisdn, World.iccid(120)]) expect(await found(q)).toEqual([])
})

it.each(["", "?q=1&q=2", `?q=${"x".repeat(256)}`, "?q=%00"])("is refused without one text: %s", async (query) => {
  const { body, status } = await world.admin("GET", `/search${query}`)
  expect([status, body.code]).toEqual([400, "invalid_field"])
})

it("W13: an operator who searches has limits", async () => {
  const limited = await World.forTest({ rateLimit: { requests: 1, window: "1 minute" } })
  // A search is charged its time, too.
  expect((await limited.admin("GET", "/search?q=1")).headers.get("ratelimit")).toMatch(/^"operator";r=0;t=\d+$/)
  expect((await limited.admin("GET", "/search?q=1")).body.message).toBe("Too many requests of this operator")
  expect((await limited.admin("GET", "/whoami")).status).toBe(200)
})
