/**
 * What operators see first: an outage of a telco, an endpoint that answers 500 and a stock that
 * runs out, and what of it exists for whoever is bound to one organization (rule W14).
 */
import { Effect, Layer } from "effect"
import { WebhookSender } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, expect, it } from "vitest"
import * as Leaks from "../../setup/Leaks.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const sender = Layer.succeed(WebhookSender.WebhookSender, {
  send: () => Effect.succeed({ status: 500, body: "" } as const)
})

let world: World.World
let stock: Inventory.Stock

beforeEach(async () => {
  world = await World.forTest({ sender, telcos: undefined, version: "1.2.3+test" })
  stock = await Inventory.stock(world, 1, 4)
})

const advance = (by: string) => world.admin("POST", "/clock/advance", { by })

const overview = async () => (await world.admin("GET", "/overview")).body.data

/** Sells eSIMs, the last of which comes back while the telco does not answer. */
const outage = async () => {
  const { tenant } = stock
  const of = `/organizations/${tenant.organizationId}`
  const url = "https://hooks.example/?key=secret"
  const endpoint = await world.admin("POST", `${of}/webhook-endpoints`, { url, events: ["stock.low"] })
  await tenant.call("PUT", "/v3/sims/stock/levels", { body: { levels: [{ label: "Green", level: 4 }] } })
  for (const number of [1, 2]) {
    await tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(number) })
  }
  await advance("10 seconds")
  const faults = [{ fault: "unavailable", on: "cancelPackage" }] as const
  await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.setFaults(faults)))
  await tenant.call("DELETE", `/v3/subscriptions/${World.iccid(2)}`)
  await advance("1 hour")
  return { organization_id: tenant.organizationId, webhook_endpoint_id: endpoint.body.data.webhook_endpoint_id }
}

const began = new Date(World.START + 10_000).toISOString()

it("is quiet where nothing is the matter", async () => {
  const { organizationId: organization_id } = stock.tenant
  const free = { organization_id, organization_name: "Acme", label: "Green", free: 4 }
  expect(await overview()).toEqual({
    now: new Date(World.START).toISOString(),
    telcos: [{ name: null, answers: true, since: null, waiting_jobs: 0, oldest_since: null, next_try_at: null }],
    waiting: [],
    failing_endpoints: [],
    stock: [{ ...free, level: null, is_low: false, sold_a_day: 0, days_left: null }],
    service: {
      version: "1.2.3+test",
      started_at: expect.stringMatching(/Z$/),
      due_jobs: 0,
      held_jobs: 0,
      oldest_due_at: null,
      problems: 0,
      database: { takes_writes: true, dead_servers: [], bytes: null, connections: null, most_connections: null },
      processes: [
        {
          process_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          answers: true,
          version: null,
          host: null,
          runs: ["admin", "telco", "v3"],
          started_at: expect.stringMatching(/Z$/),
          last_heartbeat_at: expect.stringMatching(/Z$/),
          held_jobs: 0,
          held_deliveries: 0
        }
      ],
      rates: expect.objectContaining({ span_seconds: 300 }),
      loads: []
    }
  })
})

it("shows a telco that does not answer, an endpoint that fails and a stock that is low", async () => {
  const { organization_id, webhook_endpoint_id } = await outage()
  const seen = await overview()
  const [waiting] = seen.waiting
  expect(Date.parse(waiting.next_try_at)).toBeGreaterThan(World.START + 3_600_000)
  expect(seen.waiting).toEqual([
    {
      kind: "CancelPackages",
      reason: "unavailable",
      telco: null,
      count: 1,
      since: began,
      next_try_at: waiting.next_try_at
    }
  ])
  expect(seen.telcos).toEqual([
    {
      name: null,
      answers: false,
      since: began,
      waiting_jobs: 1,
      oldest_since: began,
      next_try_at: waiting.next_try_at
    }
  ])
  expect(seen.failing_endpoints).toEqual([
    {
      organization_id,
      organization_name: "Acme",
      webhook_endpoint_id,
      url: "https://hooks.example/?key=***",
      since: expect.stringMatching(/^2026-01-10T12:00:/),
      disabled_at: null,
      pending_deliveries: 1
    }
  ])
  // One of the two that were sold is still in service.
  expect(seen.stock).toEqual([
    {
      organization_id,
      organization_name: "Acme",
      label: "Green",
      free: 2,
      level: 4,
      is_low: true,
      sold_a_day: 0.1,
      days_left: 14
    }
  ])
  expect(seen.service.loads).toEqual([
    { organization_id, organization_name: "Acme", waiting_jobs: 1, pending_deliveries: 1 }
  ])
})

it("shows an endpoint that was disabled because it failed, until it is enabled", async () => {
  const { organization_id, webhook_endpoint_id } = await outage()
  const since = (await overview()).failing_endpoints[0].since
  await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.setFaults([])))
  await advance("6 days")
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(3) })
  const endpoints = `/organizations/${organization_id}/webhook-endpoints`
  const path = `${endpoints}/${webhook_endpoint_id}`
  await world.admin("POST", `${path}/test`)
  await advance("1 minute")
  const [disabled, ...others] = (await overview()).failing_endpoints
  expect(others).toEqual([])
  expect(disabled).toMatchObject({ webhook_endpoint_id, since, disabled_at: expect.stringMatching(/^2026-01-1[5-6]T/) })
  const [listed] = (await world.admin("GET", endpoints)).body.data
  expect(listed).toMatchObject({ enabled: false, disabled_reason: "failing" })
  await world.admin("PATCH", path, { enabled: true })
  expect((await overview()).failing_endpoints).toEqual([])
})

it("has the free eSIMs of every label, those that run out first", async () => {
  const { organizationId } = stock.tenant
  const add = (sims: ReadonlyArray<unknown>) => world.admin("POST", `/organizations/${organizationId}/sims`, { sims })
  await add(Inventory.esims(101, 2, "Blue"))
  await add([{ iccid: World.iccid(201), label: "Red", is_esim: false }])
  const fast = await Inventory.stock(world, 301, 3)
  for (const iccid of [World.iccid(1), World.iccid(301), World.iccid(302)]) {
    const { planId, tenant } = iccid === World.iccid(1) ? stock : fast
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
  }
  const of = ({ label, organization_id }: { readonly label: string; readonly organization_id: string }) => [
    organization_id === organizationId ? "first" : "fast",
    label
  ]
  const { stock: stocks } = await overview()
  expect(stocks.map(of)).toEqual([
    ["fast", "Green"],
    ["first", "Green"],
    ["first", "Blue"]
  ])
  expect(stocks[0]).toMatchObject({ free: 1, level: null, is_low: false, sold_a_day: 0.3, days_left: 3.5 })
  expect(stocks[2]).toMatchObject({ free: 2, sold_a_day: 0, days_left: null })
})

it("counts what happened lately in the process that answers, and what of it failed", async () => {
  await outage()
  const { rates } = (await overview()).service
  const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, one) => total + one, 0)
  const sums = (name: string) => [sum(rates[name].all), sum(rates[name].failed)]
  expect(rates.requests.all).toHaveLength(72)
  expect(Date.parse(rates.from) + 72 * rates.span_seconds * 1_000).toBeGreaterThan(Date.now())
  expect(sums("requests")[0]).toBeGreaterThan(8)
  expect(sums("requests")[1]).toBe(0)
  // Two packages were ordered, and the cancellation of one got no answer.
  const [calls = 0, unanswered = 0] = sums("telco_calls")
  expect(unanswered).toBeGreaterThan(1)
  expect(calls).toBeGreaterThanOrEqual(unanswered + 2)
  const [sent, failed] = sums("deliveries")
  expect([sent, failed]).toEqual([sent, sent])
  expect(failed).toBeGreaterThan(0)
  expect(sums("jobs")[1]).toBeGreaterThan(0)
})

it("has for an operator of one organization what is of it", async () => {
  const { organization_id } = await outage()
  const other = await World.tenant(world)
  const bound = async (name: string, of: string) => {
    const { token } = (await world.admin("POST", "/operators", { name, role: "read", organization_id: of })).body.data
    Leaks.know(token)
    const headers = { authorization: `Bearer ${token}` }
    return (await world.fetch("GET", "/admin/v1/overview", { headers })).body.data
  }
  const { now, service, ...whole } = await overview()
  expect(service).not.toBeNull()
  expect(await bound("Ours", organization_id)).toEqual({ now, service: null, ...whole })
  const nothing = { telcos: [], waiting: [], failing_endpoints: [], stock: [], service: null }
  expect(await bound("Theirs", other.organizationId)).toEqual({ now, ...nothing })
})
