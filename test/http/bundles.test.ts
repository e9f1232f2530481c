/**
 * Plans that are bundles of suppliers (rules P5 and I15), set by operators and sold over `/v3`.
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import { expect, it } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

const world = await World.forFile()
const { planId, tenant } = await Inventory.stock(world, 1, 1)
const path = `/organizations/${tenant.organizationId}/plans/${planId}/bundle`

const none = { load: null, top_up_load: null, price_limit: null, currency: null }

const set = (body: unknown) => world.admin("PUT", path, body)

const sell = () => tenant.post("/v3/subscription", { plan_id: planId, metadata: "" })

it("an operator sets which bundle a plan is, and its subscriptions get eSIMs that are bought", async () => {
  expect((await world.admin("GET", path)).body.data).toMatchObject({ plan_id: planId, ...none })
  const bundle = { load: "1 GB", top_up_load: "1 GB more", price_limit: "4.50", currency: "USD" }
  const { top_up_load: _, ...purchase } = bundle
  expect((await set(bundle)).body.data).toMatchObject({ plan_id: planId, ...bundle })
  expect((await world.admin("GET", path)).body.data).toMatchObject(bundle)
  const preview = await tenant.post("/v3/subscription?dry_run=true", { plan_id: planId, metadata: "" })
  expect(preview).toMatchObject({
    status: 201,
    body: { esimdata: { iccid: "", lpa_string: "" }, preview: { purchase } }
  })
  const { body, status } = await sell()
  expect(status).toBe(201)
  expect(body.esimdata.iccid).toMatch(/^899990/)
  expect((await set({})).body.data).toMatchObject(none)
  expect((await sell()).body.esimdata.iccid).toBe(World.iccid(1))
})

it.each([
  [{ load: " " }, "load"],
  [{ load: "x".repeat(256) }, "load"],
  [{ top_up_load: "1 GB" }, "top_up_load"],
  [{ load: "1 GB", price_limit: "4,50", currency: "USD" }, "price_limit"],
  [{ load: "1 GB", price_limit: "4.50" }, "currency"],
  [{ load: "1 GB", price_limit: "4.50", currency: "usd" }, "currency"],
  [{ load: "1 GB", currency: "USD" }, "price_limit"],
  [{ load: "1 GB", price_limit: "-1", currency: "USD" }, "price_limit"]
])("%j is refused for its %s", async (body, field) => {
  const message = expect.stringMatching(new RegExp(`^${field} must`))
  expect(await set(body)).toMatchObject({ status: 400, body: { code: "invalid_field", message } })
})

it("a plan that is not there is 404, and only an admin may set one", async () => {
  expect((await world.admin("GET", path.replace(planId, "none"))).body.code).toBe("plan_not_found")
  expect((await world.admin("PUT", path.replace(planId, "none"), { load: "1 GB" })).body.code).toBe("plan_not_found")
})

it("what the supplier refuses, or does not answer, is said by name, and nothing is bought twice", async () => {
  await set({ load: "2 GB" })
  const fail = (...faults: Parameters<TelcoSimulator.TelcoSimulator["Service"]["setFaults"]>[0]) =>
    world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.setFaults(faults)))
  for (const [message, code, status] of [
    ["sold_out", "sold_out", 409],
    ["no_balance", "no_balance", 503],
    ["price", "telco_refused", 502]
  ] as const) {
    await fail({ fault: "refuse", on: "buySim", message, times: 1 })
    expect(await sell()).toMatchObject({ status, body: { code } })
  }
  await fail({ fault: "answer lost", on: "buySim", times: 1 })
  const waiting = await sell()
  expect(waiting).toMatchObject({ status: 503, body: { code: "esims_issuing" } })
  expect(Number(waiting.headers.get("retry-after"))).toBeGreaterThan(0)
  await fail()
  await world.admin("POST", "/clock/advance", { by: "1 day" })
  const before = await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.sales))
  expect((await sell()).status).toBe(201)
  expect(await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.sales))).toEqual(before)
})

it("an operator returns an eSIM that was bought and not sold, which nobody gets any more", async () => {
  await set({ load: "3 GB", price_limit: "9.50", currency: "USD" })
  const { iccid } = (await sell()).body.esimdata
  const give = (of: string) => world.admin("POST", `/organizations/${tenant.organizationId}/sims/${of}/return`)
  expect(await give(iccid)).toMatchObject({ status: 409, body: { code: "sim_in_use" } })
  expect(await give(World.iccid(1))).toMatchObject({ status: 409 })
  expect(await give(World.iccid(999))).toMatchObject({ status: 404, body: { code: "sim_not_found" } })
  await tenant.call("DELETE", `/v3/subscriptions/${iccid}`)
  const returned = { iccid, load: "3 GB", returned: "credit", cost: "2.50", currency: "USD" }
  for (let time = 0; time < 2; time++)
    expect(await give(iccid)).toMatchObject({ status: 200, body: { data: returned } })
  expect((await tenant.get(`/v3/sims/${iccid}`)).body.data).toMatchObject({ withdrawn_reason: "returned" })
  const available = await tenant.call("PATCH", `/v3/sims/${iccid}`, { body: { status: "available" } })
  expect(available).toMatchObject({ status: 409, body: { code: "sim_withdrawn" } })
})
