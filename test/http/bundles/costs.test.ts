/**
 * What suppliers have charged, by month (rule C3): of the organization, for operators of all
 * organizations, as JSON and as CSV.
 */
import { Cost, Storage } from "simplan/ports"
import { beforeAll, describe, expect, it } from "vitest"
import * as Csv from "../../../adapters/fields/Csv.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const [acme, other] = [await World.tenant(world), await World.tenant(world)]

const THIS = Date.UTC(new Date(World.START).getUTCFullYear(), new Date(World.START).getUTCMonth())
const textOf = (month: number): string => new Date(month).toISOString().slice(0, 7)
const [month, former] = [textOf(THIS), textOf(THIS - 1)]

const entry = (costId: string, changes: Partial<Cost.Entry> = {}): Cost.Entry => ({
  ...Cost.purchase(
    {
      ...{ organizationId: acme.organizationId, purchaseId: costId, telco: "esim-go", load: "1 GB", label: "Green" },
      ...{ regionCode: "FR", iccid: World.iccid(1), amount: { units: 190, scale: 2, currency: "USD" } }
    },
    THIS
  ),
  ...changes
})

beforeAll(() =>
  world.run(
    Storage.Storage.use((of) =>
      of.commit({
        ledger: {
          put: [
            entry("1", { at: THIS - 1, planId: "p-1" }),
            entry("2"),
            entry("3", { kind: "sale", telco: "airalo", amount: { units: 900_005, scale: 5, currency: "USD" } }),
            entry("4", { kind: "top_up", amount: null, telco: null }),
            entry("5", { organizationId: other.organizationId, amount: { units: 1, scale: 0, currency: "EUR" } })
          ]
        }
      })
    )
  )
)

const none = { cost: "0.00", price: "0.00", margin: null, purchases: 0, top_ups: 0, refunds: 0, sales: 0 }
const first = { month: former, currency: "USD", ...none, cost: "1.90", purchases: 1 }
const unknown = { month, currency: null, ...none, cost: null, price: null, top_ups: 1 }

describe("an organization's costs", () => {
  it("are of this month and the one before, by currency, with the margin where something was sold", async () => {
    const { body } = await acme.get("/v3/costs")
    const sold = { price: "9.00005", margin: "7.10005", sales: 1 }
    const now = { month, currency: "USD", ...none, cost: "1.90", purchases: 1, ...sold }
    expect(body).toStrictEqual({ error: false, data: [first, unknown, now] })
  })

  it("are by supplier and plan, of the months that are named", async () => {
    const { body } = await acme.get(`/v3/costs?from=${month}&to=${month}&by=supplier`)
    expect(body.data.map((one: Record<string, unknown>) => [one["supplier"], one["cost"], one["margin"]])).toEqual([
      [null, null, null],
      ["airalo", "0.00", "9.00005"],
      ["esim-go", "1.90", null]
    ])
    const { body: plans } = await acme.get(`/v3/costs?to=${former}&by=plan,label,country`)
    expect(plans.data).toStrictEqual([{ ...first, plan_id: "p-1", label: "Green", region_code: "FR" }])
  })

  it("are a table with Accept: text/csv", async () => {
    const path = `/v3/costs?from=${month}&to=${month}&by=supplier`
    const { headers, text } = await acme.call("GET", path, { headers: { accept: "text/csv" } })
    expect(headers.get("content-type")).toMatch(/^text\/csv/)
    expect(text).toBe(
      [
        "month,supplier,currency,cost,price,margin,purchases,top_ups,refunds,sales",
        `${month},,,,,,0,1,0,0`,
        `${month},airalo,USD,0.00,9.00005,9.00005,0,0,0,1`,
        `${month},esim-go,USD,1.90,0.00,,1,0,0,0`,
        ""
      ].join("\r\n")
    )
  })

  it("have a margin below 0 as a number, and no formula of anybody's", () => {
    const row = { margin: "-0.02", units: "-7", sum: "-1+2", cell: "-A1", dash: "-" }
    expect(Csv.line(["margin", "units", "sum", "cell", "dash"], row)).toBe("-0.02,-7,'-1+2,'-A1,'-")
  })

  it.each([
    ["from=2026-13", "from"],
    ["from=2026-02&to=2026-01", "to"],
    ["from=2020-01&to=2026-01", "to"],
    ["by=sim", "by"]
  ])("refuse %s for its %s", async (query, field) => {
    const { body, status } = await acme.get(`/v3/costs?${query}`)
    expect([status, body.code]).toEqual([400, "invalid_field"])
    expect(body.message).toMatch(new RegExp(`^${field} must`))
  })
})

it("operators read those of all organizations together, and of one", async () => {
  const currencies = async (path: string) =>
    (await world.admin("GET", `${path}?from=${month}&to=${month}`)).body.data.map((one: Record<string, unknown>) => [
      one["currency"],
      one["cost"]
    ])
  expect(await currencies("/costs")).toEqual([
    [null, null],
    ["EUR", "1.00"],
    ["USD", "1.90"]
  ])
  expect(await currencies(`/organizations/${other.organizationId}/costs`)).toEqual([["EUR", "1.00"]])
})

it("an operator who is bound to an organization reads that one's alone", async () => {
  const role = { name: "finance of other", role: "read", organization_id: other.organizationId }
  const { token } = (await world.admin("POST", "/operators", role)).body.data
  const { body } = await world.fetch("GET", `/admin/v1/costs?from=${month}&to=${month}`, {
    headers: { authorization: `Bearer ${token}` }
  })
  expect(body).toMatchObject({ data: [{ currency: "EUR", cost: "1.00" }] })
})
