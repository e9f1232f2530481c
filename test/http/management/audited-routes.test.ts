/**
 * Each route of the document that changes something, and the audit entry that it leaves (rule W11).
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import { expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 20)
const acme = stock.tenant

const of = () => `/organizations/${acme.organizationId}`

const subscription = async (number: number): Promise<string> => {
  const iccid = World.iccid(number)
  await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  return `/v3/subscriptions/${iccid}`
}

/** The path of the management API, of one of `/v3`. */
const managed = (path: string): string => `${of()}${path.slice("/v3".length)}`

const key = async (): Promise<string> =>
  `${of()}/api-keys/${(await world.admin("POST", `${of()}/api-keys`, { name: "other" })).body.data.api_key_id}`

const operator = async (name: string): Promise<string> =>
  `/operators/${(await world.admin("POST", "/operators", { name, role: "read" })).body.data.operator_id}`

const endpoint = async (): Promise<string> => {
  const { body } = await world.admin("POST", `${of()}/webhook-endpoints`, { url: "https://hooks.example/" })
  return `${of()}/webhook-endpoints/${body.data.webhook_endpoint_id}`
}

let reported = 0

const report = (number: number) => {
  reported += 1
  return world.telco([
    {
      id: `report-${reported}`,
      type: "smdp_state",
      iccid: World.iccid(number),
      occurred_at: new Date(World.START - 3_600_000).toISOString(),
      state: reported % 2 === 0 ? "Enable" : "Disable"
    }
  ])
}

/** The id of a delivery that was made. */
const delivery = async (): Promise<string> => {
  await endpoint()
  await report(10)
  await world.admin("POST", "/clock/advance", { by: "1 second" })
  return (await world.admin("GET", `${of()}/deliveries`)).body.data[0].delivery_id
}

const telco = (fault: "refuse" | "unavailable" | null, on: "cancelPackage" | "releaseProfile" = "cancelPackage") =>
  world.run(
    TelcoSimulator.TelcoSimulator.use((simulator) =>
      fault === null ? simulator.clearFaults : simulator.setFaults([{ fault, on }])
    )
  )

/** The id of a job that releases a SIM, which the telco refuses or cannot take. */
const release = async (
  number: number,
  fault: "refuse" | "unavailable",
  on: "cancelPackage" | "releaseProfile" = "cancelPackage"
): Promise<string> => {
  const line = await subscription(number)
  await telco(fault, on)
  const id = (await acme.get(line)).body.data.subscription_id
  await acme.call("DELETE", line)
  await world.admin("POST", "/clock/advance", { by: "1 hour" })
  await telco(null)
  return encodeURIComponent(`release:${id}`)
}

type Ask = () => Promise<World.Answer>

/** By route: the action, and what is done before and asked. */
const routes: Readonly<Record<string, readonly [action: string, prepare: () => Promise<Ask>]>> = {
  "POST /v3/subscription": [
    "subscription.create",
    async () => () => acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(1) })
  ],
  "DELETE /v3/subscriptions/{iccid}": [
    "subscription.delete",
    async () => {
      const line = await subscription(2)
      return () => acme.call("DELETE", line)
    }
  ],
  "POST /v3/subscriptions/{iccid}/plan-attachments/{id}/suspend": [
    "plan_attachment.suspend",
    async () => {
      const line = `${await subscription(3)}/plan-attachments`
      const id = (await acme.get(line)).body.data[0].plan_attachment_id
      return () => acme.post(`${line}/${id}/suspend`)
    }
  ],
  "POST /v3/subscriptions/{iccid}/replace": [
    "subscription.replace",
    async () => {
      const line = await subscription(6)
      return () => acme.post(`${line}/replace`)
    }
  ],
  "POST /v3/subscriptions/{iccid}/pause": [
    "subscription.pause",
    async () => {
      const line = await subscription(3)
      return () => acme.post(`${line}/pause`)
    }
  ],
  "POST /v3/subscriptions/{iccid}/resume": [
    "subscription.resume",
    async () => {
      const line = await subscription(3)
      await acme.post(`${line}/pause`)
      return () => acme.post(`${line}/resume`)
    }
  ],
  "POST /v3/subscriptions/{iccid}/send-sms": [
    "sim.send_sms",
    async () => {
      const line = await subscription(4)
      return () => acme.post(`${line}/send-sms`, { from: "a", message: "b" })
    }
  ],
  "POST /v3/plans": [
    "plan.create",
    async () => () => acme.post("/v3/plans", Inventory.planBody(stock.coverageId, { name: "Other" }))
  ],
  "DELETE /v3/plans/{planId}": [
    "plan.delete",
    async () => {
      const planId = await stock.plan({ name: "Deleted" })
      return () => acme.call("DELETE", `/v3/plans/${planId}`)
    }
  ],
  "POST /v3/plans/{planId}/archive": [
    "plan.archive",
    async () => {
      const planId = await stock.plan({ name: "Archived" })
      return () => acme.post(`/v3/plans/${planId}/archive`)
    }
  ],
  "POST /v3/plans/{planId}/unarchive": [
    "plan.unarchive",
    async () => {
      const planId = await stock.plan({ name: "Restored" })
      await acme.post(`/v3/plans/${planId}/archive`)
      return () => acme.post(`/v3/plans/${planId}/unarchive`)
    }
  ],
  "POST /v3/coverage-profiles/custom-region": [
    "coverage_profile.create",
    async () => () =>
      acme.post("/v3/coverage-profiles/custom-region", {
        region_name: "R",
        label: "Green",
        iso2_list: ["FR", "IT"]
      })
  ],
  "POST /v3/wallet/mobile-plan": [
    "sim.apply_mobile_plan",
    async () => () => acme.post("/v3/wallet/mobile-plan", { apply: true, label: "Green", iccid: World.iccid(5) })
  ],
  "PATCH /v3/sims/{iccid}": [
    "sim.withdraw",
    async () => () =>
      acme.call("PATCH", `/v3/sims/${World.iccid(20)}`, { body: { status: "withdrawn", reason: "lost" } })
  ],
  "POST /v3/sims/updates": [
    "sim.set_label",
    async () => () => acme.post("/v3/sims/updates", { sims: [{ iccid: World.iccid(19), label: "Blue" }] })
  ],
  "POST /admin/v1/organizations/{id}/sims/{iccid}/return": [
    "sim.return",
    async () => {
      const planId = await stock.plan({ name: "Bought" })
      const bundle = { load: "1 GB", top_up_load: null, price_limit: null, currency: null }
      await world.admin("PUT", `${of()}/plans/${planId}/bundle`, bundle)
      const { iccid } = (await acme.post("/v3/subscription", { plan_id: planId, metadata: "" })).body.esimdata
      await acme.call("DELETE", `/v3/subscriptions/${iccid}`)
      return () => world.admin("POST", `${of()}/sims/${iccid}/return`)
    }
  ],
  "POST /admin/v1/organizations/{id}/plans": [
    "plan.create",
    async () => () => world.admin("POST", `${of()}/plans`, Inventory.planBody(stock.coverageId, { name: "Shop" }))
  ],
  "DELETE /admin/v1/organizations/{id}/plans/{planId}": [
    "plan.delete",
    async () => {
      const planId = await stock.plan({ name: "Deleted by an operator" })
      return () => world.admin("DELETE", `${of()}/plans/${planId}`)
    }
  ],
  "POST /admin/v1/organizations/{id}/plans/{planId}/archive": [
    "plan.archive",
    async () => {
      const planId = await stock.plan({ name: "Archived by an operator" })
      return () => world.admin("POST", `${of()}/plans/${planId}/archive`)
    }
  ],
  "PUT /admin/v1/organizations/{id}/plans/{planId}/bundle": [
    "plan.set_bundle",
    async () => {
      const planId = await stock.plan({ name: "A bundle" })
      return () => world.admin("PUT", `${of()}/plans/${planId}/bundle`, { load: "1 GB" })
    }
  ],
  "PUT /admin/v1/organizations/{id}/plans/{planId}/price": [
    "plan.set_price",
    async () => {
      const planId = await stock.plan({ name: "A price" })
      return () => world.admin("PUT", `${of()}/plans/${planId}/price`, { price: "19.90", currency: "EUR" })
    }
  ],
  "POST /admin/v1/organizations/{id}/plans/from-bundle": [
    "plan.create",
    async () => () =>
      world.admin("POST", `${of()}/plans/from-bundle`, { telco: "simulator", bundle: "sim_1GB_7D_FR", label: "Green" })
  ],
  "POST /admin/v1/organizations/{id}/plans/{planId}/unarchive": [
    "plan.unarchive",
    async () => {
      const planId = await stock.plan({ name: "Restored by an operator" })
      await acme.post(`/v3/plans/${planId}/archive`)
      return () => world.admin("POST", `${of()}/plans/${planId}/unarchive`)
    }
  ],
  "PUT /admin/v1/organizations/{id}/sims/stock/levels": [
    "sim.set_stock_levels",
    async () => () => world.admin("PUT", `${of()}/sims/stock/levels`, { levels: [{ label: "Green", level: 2 }] })
  ],
  "POST /admin/v1/organizations/{id}/sims/updates": [
    "sim.set_label",
    async () => () => world.admin("POST", `${of()}/sims/updates`, { sims: [{ iccid: World.iccid(20), label: "Blue" }] })
  ],
  "POST /admin/v1/organizations/{id}/subscriptions/actions": [
    "subscription.pause",
    async () => {
      const iccid = (await subscription(16)).split("/").at(-1)
      return () => world.admin("POST", `${of()}/subscriptions/actions`, { action: "pause", search: iccid })
    }
  ],
  "POST /admin/v1/organizations/{id}/sims/actions": [
    "sim.withdraw",
    async () => () =>
      world.admin("POST", `${of()}/sims/actions`, { action: "withdraw", reason: "lost", search: World.iccid(17) })
  ],
  "POST /admin/v1/organizations/{id}/subscription": [
    "subscription.create",
    async () => () =>
      world.admin("POST", `${of()}/subscription`, { plan_id: stock.planId, metadata: "", iccid: World.iccid(7) })
  ],
  "DELETE /admin/v1/organizations/{id}/subscriptions/{iccid}": [
    "subscription.delete",
    async () => {
      const line = managed(await subscription(8))
      return () => world.admin("DELETE", line)
    }
  ],
  "POST /admin/v1/organizations/{id}/subscriptions/{iccid}/plan-attachments/{attachment_id}/suspend": [
    "plan_attachment.suspend",
    async () => {
      const line = `${await subscription(9)}/plan-attachments`
      const id = (await acme.get(line)).body.data[0].plan_attachment_id
      return () => world.admin("POST", `${managed(line)}/${id}/suspend`)
    }
  ],
  "POST /admin/v1/organizations/{id}/subscriptions/{iccid}/replace": [
    "subscription.replace",
    async () => {
      const line = managed(await subscription(15))
      return () => world.admin("POST", `${line}/replace`)
    }
  ],
  "POST /admin/v1/organizations/{id}/subscriptions/{iccid}/pause": [
    "subscription.pause",
    async () => {
      const line = managed(await subscription(9))
      return () => world.admin("POST", `${line}/pause`)
    }
  ],
  "POST /admin/v1/organizations/{id}/subscriptions/{iccid}/resume": [
    "subscription.resume",
    async () => {
      const line = managed(await subscription(9))
      await world.admin("POST", `${line}/pause`)
      return () => world.admin("POST", `${line}/resume`)
    }
  ],
  "POST /admin/v1/organizations/{id}/subscriptions/{iccid}/send-sms": [
    "sim.send_sms",
    async () => {
      const line = managed(await subscription(9))
      return () => world.admin("POST", `${line}/send-sms`, { from: "a", message: "b" })
    }
  ],
  "PATCH /admin/v1/organizations/{id}/sims/{iccid}": [
    "sim.withdraw",
    async () => () => world.admin("PATCH", `${of()}/sims/${World.iccid(18)}`, { status: "withdrawn", reason: "lost" })
  ],
  "POST /admin/v1/organizations/{id}/sims/{iccid}/notes": [
    "sim.note",
    async () => () => world.admin("POST", `${of()}/sims/${World.iccid(7)}/notes`, { note: "Called twice" })
  ],
  "POST /admin/v1/operators": [
    "operator.create",
    async () => () => world.admin("POST", "/operators", { name: "Ada", role: "support" })
  ],
  "DELETE /admin/v1/operators/{operator_id}": [
    "operator.delete",
    async () => {
      const path = await operator("Bob")
      return () => world.admin("DELETE", path)
    }
  ],
  "PUT /admin/v1/operators/{operator_id}/role": [
    "operator.set_role",
    async () => {
      const path = await operator("Ida")
      return () => world.admin("PUT", `${path}/role`, { role: "admin" })
    }
  ],
  "POST /admin/v1/operators/{operator_id}/rotate": [
    "operator.rotate",
    async () => {
      const path = await operator("Eve")
      return () => world.admin("POST", `${path}/rotate`)
    }
  ],
  "POST /admin/v1/session": ["session.create", async () => () => world.admin("POST", "/session")],
  "DELETE /admin/v1/session": [
    "session.delete",
    async () => {
      const { headers } = await world.admin("POST", "/session")
      const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";")
      return () => world.fetch("DELETE", "/admin/v1/session", { headers: { cookie, "sec-fetch-site": "same-origin" } })
    }
  ],
  "POST /admin/v1/organizations": [
    "organization.create",
    async () => () => world.admin("POST", "/organizations", { name: "Other" })
  ],
  "POST /admin/v1/organizations/{id}/api-keys": [
    "api_key.create",
    async () => () => world.admin("POST", `${of()}/api-keys`, { name: "more" })
  ],
  "DELETE /admin/v1/organizations/{id}/api-keys/{api_key_id}": [
    "api_key.revoke",
    async () => {
      const path = await key()
      return () => world.admin("DELETE", path)
    }
  ],
  "POST /admin/v1/organizations/{id}/api-keys/{api_key_id}/rotate": [
    "api_key.rotate",
    async () => {
      const path = await key()
      return () => world.admin("POST", `${path}/rotate`)
    }
  ],
  "POST /admin/v1/organizations/{id}/sims": [
    "sim.import",
    async () => () => world.admin("POST", `${of()}/sims`, { sims: Inventory.esims(100, 2) })
  ],
  "PUT /admin/v1/catalogue": [
    "catalogue.replace",
    async () => {
      const { body } = await world.admin("GET", "/catalogue")
      return () => world.admin("PUT", "/catalogue", body.data)
    }
  ],
  "POST /admin/v1/organizations/{id}/webhook-endpoints": [
    "webhook_endpoint.create",
    async () => () => world.admin("POST", `${of()}/webhook-endpoints`, { url: "https://hooks.example/" })
  ],
  "PATCH /admin/v1/organizations/{id}/webhook-endpoints/{webhook_endpoint_id}": [
    "webhook_endpoint.update",
    async () => {
      const path = await endpoint()
      return () => world.admin("PATCH", path, { description: "x" })
    }
  ],
  "DELETE /admin/v1/organizations/{id}/webhook-endpoints/{webhook_endpoint_id}": [
    "webhook_endpoint.delete",
    async () => {
      const path = await endpoint()
      return () => world.admin("DELETE", path)
    }
  ],
  "POST /admin/v1/organizations/{id}/webhook-endpoints/{webhook_endpoint_id}/rotate-key": [
    "webhook_endpoint.rotate_key",
    async () => {
      const path = await endpoint()
      return () => world.admin("POST", `${path}/rotate-key`)
    }
  ],
  "POST /admin/v1/organizations/{id}/webhook-endpoints/{webhook_endpoint_id}/test": [
    "webhook_endpoint.test",
    async () => {
      const path = await endpoint()
      return () => world.admin("POST", `${path}/test`)
    }
  ],
  "POST /admin/v1/organizations/{id}/deliveries/{delivery_id}/replay": [
    "delivery.replay",
    async () => {
      const id = await delivery()
      return () => world.admin("POST", `${of()}/deliveries/${id}/replay`)
    }
  ],
  "POST /admin/v1/organizations/{id}/deliveries/replay": [
    "delivery.replay",
    async () => {
      await delivery()
      return () => world.admin("POST", `${of()}/deliveries/replay`, { status: "delivered" })
    }
  ],
  "POST /admin/v1/jobs/{job_id}/retry": [
    "job.retry",
    async () => {
      const id = await release(11, "unavailable")
      return () => world.admin("POST", `/jobs/${id}/retry`)
    }
  ],
  "POST /admin/v1/jobs/retry": [
    "job.retry",
    async () => {
      await release(12, "unavailable")
      return () => world.admin("POST", "/jobs/retry", {})
    }
  ],
  "POST /admin/v1/problems/{problem_id}/retry": [
    "problem.retry",
    async () => {
      const id = await release(13, "refuse")
      return () => world.admin("POST", `/problems/${id}/retry`)
    }
  ],
  "POST /admin/v1/problems/{problem_id}/correct": [
    "problem.correct",
    async () => {
      const id = await release(16, "refuse")
      return () => world.admin("POST", `/problems/${id}/correct`)
    }
  ],
  "POST /admin/v1/problems/{problem_id}/resolve": [
    "problem.resolve",
    async () => {
      const id = await release(14, "refuse", "releaseProfile")
      return () => world.admin("POST", `/problems/${id}/resolve`)
    }
  ],
  "POST /admin/v1/clock/advance": [
    "clock.advance",
    async () => () => world.admin("POST", "/clock/advance", { by: "1 minute" })
  ],
  "PUT /v3/sims/stock/levels": [
    "sim.set_stock_levels",
    async () => () => acme.call("PUT", "/v3/sims/stock/levels", { body: { levels: [{ label: "Green", level: 1 }] } })
  ],
  "POST /admin/v1/telcos/comparisons": ["telco.compare", async () => () => world.admin("POST", "/telcos/comparisons")],
  "PUT /admin/v1/telcos/{name}/zones": [
    "coverage_profile.set_zone",
    async () => () =>
      world.admin("PUT", "/telcos/x/zones", { label: "Green", coverage_id: stock.coverageId, zone_id: 27 })
  ],
  "POST /telco/v1/events": ["sim.report", async () => () => report(6)]
}

/**
 * A system says that there is something to ask it for, or reports what it does not change by
 * itself.
 */
const NOTIFICATIONS = /^POST \/telco\/(ocs|es2plus|suppliers)\//

const logs = async (organizations: ReadonlyArray<string>) => {
  const all = await Promise.all(
    ["", ...organizations.map((id) => `/organizations/${id}`)].map(async (path) => {
      const { body } = await world.admin("GET", `${path}/audit?page_size=100`)
      return body.data as ReadonlyArray<{ readonly action: string; readonly audit_entry_id: string }>
    })
  )
  return all.flat()
}

it("all of the document are here", async () => {
  const { body } = await world.fetch("GET", "/openapi.json")
  const changing = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => !["get", "head", "parameters"].includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`)
  )
  expect(changing.filter((route) => !NOTIFICATIONS.test(route)).sort()).toEqual(Object.keys(routes).sort())
})

it.each(Object.keys(routes))("%s leaves its entry", async (route) => {
  const [action, prepare] = routes[route] ?? expect.fail()
  const ask = await prepare()
  const organizations = async (): Promise<ReadonlyArray<string>> =>
    (await world.admin("GET", "/organizations")).body.data.map(
      (one: { readonly organization_id: string }) => one.organization_id
    )
  const known = new Set((await logs(await organizations())).map((one) => one.audit_entry_id))
  const answer = await ask()
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text])
  const found = (await logs(await organizations())).filter((one) => !known.has(one.audit_entry_id))
  expect(found.map((one) => one.action)).toContain(action)
})
