/**
 * Plans that operators make of the bundles of a supplier, and what differs between the two
 * (rule P6).
 */
import { Effect, Layer } from "effect"
import { type Telco, TelcoBundles } from "simplan/ports"
import { SimulatorBundles } from "simplan/telco-simulator"
import { expect, it } from "vitest"
import * as World from "../World.ts"

/** The simulator's catalogue, and bundles that no plan can be. */
const bundle = (code: string, changes: Partial<TelcoBundles.Bundle>): TelcoBundles.Bundle => ({
  ...{ code, name: code, kind: "any", countries: ["FR"], dataBytes: 1_048_576, days: 1, price: null },
  ...changes
})

const others = [
  bundle("no days", { days: null }),
  bundle("many days", { days: 3_661 }),
  bundle("tiny", { dataBytes: 1_048_575 }),
  bundle("huge", { dataBytes: 2 ** 31 * 1_048_576 }),
  bundle("nowhere", { countries: ["AQ"] }),
  bundle("partly", { countries: ["FR", "AQ", "DE"] }),
  bundle("unpriced", {}),
  bundle("of 2 MB", { dataBytes: 2 * 1_048_576 })
]

const sold: TelcoBundles.TelcoBundles = {
  telcos: Effect.succeed(["simulator"]),
  of: (): Effect.Effect<ReadonlyArray<TelcoBundles.Bundle>, Telco.Refused | Telco.Unavailable> =>
    Effect.succeed([...SimulatorBundles.all, ...others])
}

const world = await World.forFile({ beside: Layer.succeed(TelcoBundles.TelcoBundles, sold) })
const { organizationId, ...tenant } = await World.tenant(world)
const plans = `/organizations/${organizationId}/plans`

const FR = { telco: "simulator", bundle: "sim_1GB_7D_FR", label: "Green" }
const make = (body: object, query = "") => world.admin("POST", `${plans}/from-bundle${query}`, { ...FR, ...body })
const count = async () => (await tenant.get("/v3/plans?page_size=25")).body.data.length
const regions = async (): Promise<ReadonlyArray<string>> =>
  (await tenant.get("/v3/coverage-profiles?label=Green")).body.data
    .filter(({ region_code }: { readonly region_code: string }) => region_code.startsWith("CUSTOM_"))
    .map(({ region_name }: { readonly region_name: string }) => region_name)

it("a plan of a country has its standard profile, and the terms of the bundle", async () => {
  const { body, status } = await make({ price_limit: "2.00", currency: "USD" })
  expect(status).toBe(201)
  expect(body.data).toMatchObject({
    name: "France, 1 GB, 7 days",
    region_name: "France",
    label: "Green",
    countries: ["FR"],
    data_mega_bytes: 1_024,
    period_days: 7,
    load: "sim_1GB_7D_FR",
    top_up_load: null,
    price: "1.80",
    currency: "USD",
    notes: []
  })
  const { plan_id } = body.data
  expect((await tenant.get(`/v3/plans/${plan_id}`)).body.data).toMatchObject({
    plan_name: "France, 1 GB, 7 days",
    coverage_id: body.data.coverage_id,
    data_mega_bytes: 1_024,
    period_days: 7
  })
  expect((await world.admin("GET", `${plans}/${plan_id}/bundle`)).body.data).toMatchObject({
    load: "sim_1GB_7D_FR",
    price_limit: "2.00",
    currency: "USD"
  })
  const { body: log } = await world.admin("GET", `/organizations/${organizationId}/audit?action=plan.create`)
  expect(log.data[0]).toMatchObject({ resource_id: plan_id, changed: expect.arrayContaining([]) })
  expect((await tenant.post("/v3/subscription", { plan_id, metadata: "" })).status).toBe(201)
})

it("a plan of several countries has a custom region, which the next one of them has too", async () => {
  const first = await make({ bundle: "sim_2GB_15D_NORDIC" })
  expect(first.body.data).toMatchObject({ region_name: "Nordic countries, 2 GB, 15 days" })
  const again = await make({ bundle: "sim_2GB_15D_NORDIC", name: "Nordic" })
  expect(again.body.data).toMatchObject({ name: "Nordic", coverage_id: first.body.data.coverage_id })
  expect(await regions()).toEqual(["Nordic countries, 2 GB, 15 days"])
  expect(await make({ bundle: "sim_2GB_15D_NORDIC", label: "Aqua" })).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^label must be Green: the custom region Nordic countries/) }
  })
})

it("a region whose name is taken has its code in it", async () => {
  const body = { region_name: "partly", label: "Green", iso2_list: ["FR", "ES"] }
  expect((await tenant.post("/v3/coverage-profiles/custom-region", body)).status).toBe(200)
  const { data } = (await make({ bundle: "partly" })).body
  expect(data.region_name).toMatch(/^partly \(CUSTOM_[0-9A-F]{12}\)$/)
  expect(data.countries).toEqual(["FR", "DE"])
  expect(data.notes).toEqual([
    "The label Green has no network in AQ, where the bundle is for too: the plan leaves them out"
  ])
})

it("data that are no whole MB are rounded down, and an answer says so", async () => {
  const { body } = await make({ bundle: "sim_3GB_30D_US" })
  expect(body.data).toMatchObject({
    data_mega_bytes: 2_861,
    notes: ["The bundle has 3000000000 bytes: the plan gives 2861 MB, which is less"]
  })
  const { notes } = (await make({ bundle: "unpriced", price_limit: "1", currency: "USD" })).body.data
  expect(notes).toEqual(["The telco does not say what the bundle costs: the limit is not checked"])
})

it("with dry_run it is answered, and nothing is made", async () => {
  const [plansBefore, regionsBefore] = [await count(), await regions()]
  const { body } = await make({ bundle: "sim_3GB_15D_ASIA" }, "?dry_run=true")
  expect(body.data).toMatchObject({ plan_id: null, coverage_id: null, region_name: "Asia, 3 GB, 15 days" })
  expect((await make({}, "?dry_run=true")).body.data).toMatchObject({ plan_id: null, region_name: "France" })
  expect([await count(), await regions()]).toEqual([plansBefore, regionsBefore])
  expect((await make({}, "?dry_run=yes")).body.message).toBe("dry_run must be true or false")
})

it("is made once under an idempotency key, which a preview ignores", async () => {
  const send = (body: object, query = "") =>
    world.fetch("POST", `/admin/v1${plans}/from-bundle${query}`, {
      body: { ...FR, ...body },
      headers: { authorization: `Bearer ${World.ADMIN_TOKEN}`, "idempotency-key": "one" }
    })
  const before = await count()
  await send({ name: "Once" }, "?dry_run=true")
  const [first, second] = [await send({ name: "Once" }), await send({ name: "Once" })]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.text).toBe(first.text)
  expect(second.headers.get("idempotent-replayed")).toBe("true")
  expect(await count()).toBe(before + 1)
  expect(await send({ name: "Twice" })).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } })
})

it.each([
  [{ bundle: "sold out" }, "bundle must be the code of a bundle that the telco sells"],
  [{ bundle: "sim_5GB_30D_EU_TOPUP" }, "bundle must be one that eSIMs are sold with"],
  [{ bundle: "sim_UNLIMITED_7D_JP" }, "bundle must not be unlimited: plans have an end"],
  [{ bundle: "no days" }, "bundle must last for days that the telco says"],
  [{ bundle: "many days" }, "bundle must last for 1 to 3660 days"],
  [{ bundle: "tiny" }, "bundle must have at least 1 MB, of 1,048,576 bytes"],
  [{ bundle: "huge" }, "bundle must have at most 2147483647 MB"],
  [{ bundle: "nowhere" }, "label must have a network in a country of the bundle"],
  [{ label: "Grey" }, "label must have a network in a country of the bundle"],
  [{ label: "Pink" }, expect.stringMatching(/^label must/)],
  [{ top_up_bundle: "sold out" }, "top_up_bundle must be the code of a bundle that the telco sells"],
  [{ top_up_bundle: "sim_5GB_30D_EU" }, "top_up_bundle must be one that goes on an eSIM that is in service"],
  [{ top_up_bundle: "sim_5GB_30D_FR" }, "top_up_bundle must have the data and the days of the bundle"],
  [{ bundle: "unpriced", top_up_bundle: "of 2 MB" }, "top_up_bundle must have the data and the days of the bundle"],
  [{ price_limit: "1.79", currency: "USD" }, "price_limit must be at least what the bundle costs, 1.80 USD"],
  [{ price_limit: "9", currency: "EUR" }, "currency must be that of the price, USD"],
  [{ bundle: "unpriced", price_limit: "-1", currency: "USD" }, "price_limit must not be negative"],
  [{ price_limit: "9" }, "currency must be three capital letters"],
  [{ currency: "USD" }, "price_limit must be given with a currency"],
  [{ price_limit: "9,5", currency: "USD" }, "price_limit must be a decimal such as 9.50"],
  [{ name: " " }, "name must not be empty"],
  [{ name: "x".repeat(256) }, "name must have at most 255 characters"],
  [{ bundle: "x".repeat(256) }, "bundle must have at most 255 characters"],
  [{ bundle: 1 }, expect.stringMatching(/^bundle must/)],
  [{ dry_run: true }, expect.stringMatching(/^dry_run is not a known field/)]
])("%j is refused", async (body, message) => {
  const before = await count()
  expect(await make(body)).toMatchObject({ status: 400, body: { code: "invalid_field", message } })
  expect(await count()).toBe(before)
})

it("a telco that sells nothing and an organization that is not there are 404", async () => {
  expect((await make({ telco: "another" })).body.code).toBe("telco_not_found")
  expect((await world.admin("POST", "/organizations/none/plans/from-bundle", FR)).body.code).toBe(
    "organization_not_found"
  )
})

it("a plan that becomes a bundle shows first what differs", async () => {
  const { plan_id } = (await make({ name: "Changing" })).body.data
  const set = (body: object, query = "") => world.admin("PUT", `${plans}/${plan_id}/bundle${query}`, body)
  const differences = async (body: object) => (await set(body, "?dry_run=true")).body.data.differences
  expect(await differences({ load: "sim_1GB_7D_FR", price_limit: "1.80", currency: "USD" })).toEqual([])
  expect(await differences({ load: "sim_3GB_30D_US", price_limit: "5", currency: "USD" })).toEqual([
    { what: "data", plan: "1024 MB", bundle: "2861 MB" },
    { what: "days", plan: "7 days", bundle: "30 days" },
    { what: "countries", plan: "FR", bundle: "US" },
    { what: "price", plan: "at most 5 USD", bundle: "5.40 USD" }
  ])
  expect(await differences({ load: "sim_UNLIMITED_7D_JP" })).toMatchObject([
    { what: "data", bundle: "unlimited" },
    { what: "countries" }
  ])
  expect(await differences({ load: "gone" })).toEqual([{ what: "bundle", plan: "gone", bundle: null }])
  expect(await differences({})).toBeNull()
  expect((await set({ load: " " }, "?dry_run=true")).body.message).toBe("load must not be empty")
  const bundle = async () => (await world.admin("GET", `${plans}/${plan_id}/bundle`)).body.data.load
  expect(await bundle()).toBe("sim_1GB_7D_FR")
  expect((await set({ load: "sim_5GB_30D_FR" })).body.data).toMatchObject({
    load: "sim_5GB_30D_FR",
    differences: [{ what: "data" }, { what: "days" }]
  })
  expect(await bundle()).toBe("sim_5GB_30D_FR")
})
