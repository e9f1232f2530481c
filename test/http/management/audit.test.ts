/**
 * The audit log over the wire: each change leaves one entry, and what is refused, replayed or no
 * change leaves none (rule W11).
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 20)
const acme = stock.tenant
const log = `/organizations/${acme.organizationId}/audit`

interface Entry {
  readonly [field: string]: unknown
}

const entries = async (query = ""): Promise<ReadonlyArray<Entry>> => {
  const answer = await world.admin("GET", log + query)
  expect(answer.status).toBe(200)
  return answer.body.data
}

/** The entries that the calls leave, oldest first. */
const left = async (calls: () => Promise<unknown>): Promise<ReadonlyArray<Entry>> => {
  const before = (await entries()).length
  await calls()
  const after = await entries()
  return after.slice(0, after.length - before).toReversed()
}

const actions = (found: ReadonlyArray<Entry>) => found.map(({ action }) => action)

const subscribe = (body: Readonly<Record<string, unknown>> = {}, headers = {}) =>
  acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", ...body }, headers)

describe("the audit log", () => {
  it("shows who did what to which resource, when, from where and under which request id", async () => {
    const [made] = await left(() => subscribe({ iccid: World.iccid(1) }, { "x-request-id": "order-7" }))
    const [key] = await entries("?action=api_key.create")
    const line = await acme.get(`/v3/subscriptions/${World.iccid(1)}`)
    expect(made).toEqual({
      audit_entry_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: new Date(World.START).toISOString(),
      actor: key?.["resource_id"],
      action: "subscription.create",
      resource_type: "subscription",
      resource_id: line.body.data.subscription_id,
      iccid: World.iccid(1),
      address: "127.0.0.1",
      request_id: "order-7",
      changed: [],
      reason: null
    })
    expect(key).toMatchObject({ actor: "bootstrap", resource_type: "api_key" })
  })

  it("has an entry of each change through /v3", async () => {
    const line = `/v3/subscriptions/${World.iccid(2)}`
    const found = await left(async () => {
      const planId = await stock.plan({})
      await acme.post(`/v3/plans/${planId}/archive`)
      await acme.post(`/v3/plans/${planId}/unarchive`)
      await acme.call("DELETE", `/v3/plans/${planId}`)
      await acme.post("/v3/coverage-profiles/custom-region", { region_name: "R", label: "Green", iso2_list: ["FR"] })
      const region = { region_name: "R", label: "Green", iso2_list: ["FR", "IT"] }
      await acme.post("/v3/coverage-profiles/custom-region", region)
      await subscribe({ iccid: World.iccid(2) })
      await subscribe({ iccid: World.iccid(2) })
      const period = { start: "2026-02-01T00:00:00Z" }
      const recurring = {
        recurring: true,
        nb_occurrence: 2,
        recurring_periodicity_type: "1",
        recurring_periodicity_frequency: 1
      }
      await subscribe({ iccid: World.iccid(3), plan_id: await stock.plan(recurring), active_period: period })
      const attachments = await acme.get(`${line}/plan-attachments`)
      await acme.post(`${line}/plan-attachments/${attachments.body.data[0].plan_attachment_id}/suspend`)
      await acme.post(`${line}/send-sms`, { from: "a", message: "b" })
      await acme.post("/v3/wallet/mobile-plan", { apply: true, label: "Green", iccid: World.iccid(4) })
      await acme.post("/v3/wallet/mobile-plan", { apply: false, label: "Green", iccid: World.iccid(4) })
      await acme.call("DELETE", line)
    })
    expect(actions(found)).toEqual([
      "plan.create",
      "plan.archive",
      "plan.unarchive",
      "plan.delete",
      "coverage_profile.create",
      "subscription.create",
      "plan_attachment.create",
      "plan.create",
      "subscription.create",
      "plan_attachment.suspend",
      "sim.send_sms",
      "sim.apply_mobile_plan",
      "sim.remove_mobile_plan",
      "subscription.delete"
    ])
    expect(new Set(found.map(({ actor }) => actor)).size).toBe(1)
    const ofLine = await entries(`?resource_id=${World.iccid(2)}`)
    expect(actions(ofLine.toReversed())).toEqual([
      "subscription.create",
      "plan_attachment.create",
      "plan_attachment.suspend",
      "sim.send_sms",
      "subscription.delete"
    ])
  })

  it("has an entry of each change through /admin, and the first of its organization is its creation", async () => {
    const of = `/organizations/${acme.organizationId}`
    const found = await left(async () => {
      const key = (await world.admin("POST", `${of}/api-keys`, { name: "second" })).body.data.api_key_id
      await world.admin("POST", `${of}/api-keys/${key}/rotate`)
      await world.admin("DELETE", `${of}/api-keys/${key}`)
      await world.admin("DELETE", `${of}/api-keys/${key}`)
      const hook = await world.admin("POST", `${of}/webhook-endpoints`, { url: "https://hooks.example/" })
      const endpoint = `${of}/webhook-endpoints/${hook.body.data.webhook_endpoint_id}`
      await world.admin("PATCH", endpoint, { description: "x" })
      await world.admin("POST", `${endpoint}/rotate-key`)
      await world.telco([
        { id: "s1", type: "smdp_state", iccid: World.iccid(5), occurred_at: "2026-01-10T11:00:00Z", state: "Enable" }
      ])
      const [delivery] = (await world.admin("GET", `${of}/deliveries`)).body.data
      await world.admin("POST", `${of}/deliveries/${delivery.delivery_id}/replay`)
      await world.admin("DELETE", endpoint)
      await world.admin("POST", `${of}/sims`, { sims: Inventory.esims(100, 1_001) })
      await world.admin("POST", `${of}/sims`, { sims: Inventory.esims(100, 2) })
    })
    expect(actions(found)).toEqual([
      "api_key.create",
      "api_key.rotate",
      "api_key.revoke",
      "webhook_endpoint.create",
      "webhook_endpoint.update",
      "webhook_endpoint.rotate_key",
      "sim.report",
      "delivery.replay",
      "webhook_endpoint.delete",
      "sim.import"
    ])
    expect(found.map(({ actor }) => actor)).toEqual(
      found.map(({ action }) => (action === "sim.report" ? "telco" : "bootstrap"))
    )
    expect((await entries()).at(-1)).toMatchObject({ action: "organization.create", resource_id: acme.organizationId })
  })

  it("has what changes have made of fields, without secrets, where the action does not say all", async () => {
    const of = `/organizations/${acme.organizationId}`
    const changed = async (calls: () => Promise<unknown>) => (await left(calls)).at(-1)?.["changed"]
    const hook = await world.admin("POST", `${of}/webhook-endpoints`, { url: "https://hooks.example/" })
    const endpoint = `${of}/webhook-endpoints/${hook.body.data.webhook_endpoint_id}`
    const next = { url: "https://hooks.example/?token=s", events: ["stock.low"], enabled: false }
    expect(await changed(() => world.admin("PATCH", endpoint, next))).toEqual([
      { field: "url", before: "https://hooks.example/", after: "https://hooks.example/?token=***" },
      { field: "event types", before: "all", after: "stock.low" },
      { field: "state", before: "enabled", after: "disabled" }
    ])
    await world.admin("DELETE", endpoint)
    const levels = (set: ReadonlyArray<object>) => () => world.admin("PUT", `${of}/sims/stock/levels`, { levels: set })
    expect(await changed(levels([{ label: "Green", level: 3 }]))).toEqual([
      { field: "level of Green", before: null, after: "3" }
    ])
    expect(await changed(levels([]))).toEqual([{ field: "level of Green", before: "3", after: null }])
    expect(
      await changed(() => world.admin("PATCH", `${of}/sims/${World.iccid(15)}`, { tags: ["vip", "fleet"] }))
    ).toEqual([{ field: "tags", before: null, after: "fleet; vip" }])
    const history = await world.admin("GET", `${of}/subscriptions/${World.iccid(15)}/history`)
    expect(history.body.data[0]).toMatchObject({ what: "sim.set_tags", detail: "tags: – → fleet; vip" })
  })

  it("has one entry of the reports of a request about a SIM's profile, and none of usage and locations", async () => {
    const at = { iccid: World.iccid(6), occurred_at: "2026-01-10T11:00:00Z" }
    await subscribe({ iccid: World.iccid(6) })
    const reports = [
      { ...at, id: "a1", type: "smdp_state", state: "BPP Installation" },
      { ...at, id: "a2", type: "smdp_state", state: "Enable" },
      { ...at, id: "a3", type: "first_use" },
      { ...at, id: "a4", type: "usage", total_bytes: 5 }
    ]
    const found = await left(() => world.telco(reports))
    expect(found).toMatchObject([{ actor: "telco", action: "sim.report", resource_id: World.iccid(6) }])
    const none = await left(async () => {
      await world.telco(reports)
      await world.telco([
        { ...at, id: "a5", type: "usage", total_bytes: 9 },
        { ...at, id: "a6", type: "location", country_alpha_2: "FR", operator: "O", rat: "4G", imei: "1" },
        { ...at, id: "a7", type: "smdp_state", state: "Enable", iccid: "8999999999999999999" }
      ])
    })
    expect(none).toEqual([])
  })

  it("has no entry of what is refused, replayed or no change", async () => {
    const key = { "idempotency-key": "once" }
    expect(actions(await left(() => subscribe({ iccid: World.iccid(7) }, key)))).toEqual(["subscription.create"])
    const none = await left(async () => {
      expect((await subscribe({ iccid: World.iccid(7) }, key)).headers.get("idempotent-replayed")).toBe("true")
      expect((await subscribe({ plan_id: "nope" })).status).toBe(404)
      expect((await subscribe({ iccid: 5 })).status).toBe(400)
      expect((await acme.post(`/v3/plans/${stock.planId}/unarchive`)).status).toBe(200)
      expect((await acme.call("DELETE", "/v3/subscriptions/8999999999999999999")).status).toBe(404)
      await acme.get("/v3/plans")
    })
    expect(none).toEqual([])
  })

  it("has no entry of what the telco refuses or cannot take", async () => {
    const telco = (fault: "refuse" | "unavailable") =>
      world.run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults([{ fault, times: 1 }])))
    const none = await left(async () => {
      await telco("refuse")
      expect((await subscribe({ iccid: World.iccid(8) })).status).toBe(502)
      await telco("refuse")
      const sms = await acme.post(`/v3/subscriptions/${World.iccid(7)}/send-sms`, { from: "a", message: "b" })
      expect(sms.status).toBe(502)
      await telco("refuse")
      const wallet = { apply: true, label: "Green", iccid: World.iccid(9) }
      expect((await acme.post("/v3/wallet/mobile-plan", wallet)).status).toBe(502)
      await telco("unavailable")
      expect((await acme.post("/v3/wallet/mobile-plan", wallet)).status).toBe(503)
      await telco("unavailable")
      expect((await subscribe({ iccid: World.iccid(8) })).status).toBe(503)
      await world.admin("POST", "/clock/advance", { by: "1 hour" })
    })
    expect(none).toEqual([])
  })

  it("comes in pages, by filters, or as one stream of JSON lines", async () => {
    const all = await entries()
    const read: Array<Entry> = []
    let page: string | null = ""
    while (page !== null) {
      const answer: World.Answer = await world.admin("GET", `${log}?page_size=7${page && `&page=${page}`}`)
      read.push(...answer.body.data)
      page = answer.body.next_page
    }
    expect(read).toEqual(all)
    const authorization = `Bearer ${World.ADMIN_TOKEN}`
    const headers = { authorization, accept: "application/x-ndjson" }
    const lines = await world.fetch("GET", `/admin/v1${log}`, { headers })
    expect(lines.headers.get("content-type")).toBe("application/x-ndjson")
    expect(lines.text.endsWith("\n")).toBe(true)
    expect(
      lines.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).toEqual(all)
    const none = await world.fetch("GET", `/admin/v1${log}?actor=nobody`, { headers })
    expect([none.status, none.text]).toEqual([200, ""])
    expect(await entries("?actor=telco&action=sim.report")).toEqual(
      all.filter(({ action, actor }) => actor === "telco" && action === "sim.report")
    )
    const start = new Date(World.START).toISOString()
    expect(await entries(`?to=${start}`)).toEqual([])
    expect(await entries(`?from=${start}`)).toEqual(all)
  })

  it("has an entry for the test of an endpoint", async () => {
    const { body } = await world.admin("POST", `/organizations/${acme.organizationId}/webhook-endpoints`, {
      url: "https://hooks.example/"
    })
    const id = body.data.webhook_endpoint_id
    const found = await left(() =>
      world.admin("POST", `/organizations/${acme.organizationId}/webhook-endpoints/${id}/test`)
    )
    expect(found).toMatchObject([{ action: "webhook_endpoint.test", resource_id: id, actor: "bootstrap" }])
  })

  it("of the service has what belongs to no organization: the catalogue and the clock", async () => {
    const { body } = await world.admin("GET", "/catalogue")
    await world.admin("PUT", "/catalogue", body.data)
    const { now } = (await world.admin("GET", "/clock")).body.data
    await world.admin("POST", "/clock/advance", { to: now })
    const before = await world.admin("GET", "/audit")
    expect(before.body.data[0]).toMatchObject({ action: "catalogue.replace", actor: "bootstrap", address: "127.0.0.1" })
    const moved = await world.admin("POST", "/clock/advance", { by: "40 days" })
    const after = await world.admin("GET", "/audit?action=clock.advance")
    expect(after.body.data[0]).toMatchObject({
      action: "clock.advance",
      actor: "bootstrap",
      created_at: now,
      resource_id: moved.body.data.now
    })
    expect((await world.admin("GET", "/audit")).body.data).toHaveLength(before.body.data.length + 1)
  })

  it("refuses what it does not know", async () => {
    for (const query of ["?action=nope", "?from=yesterday", "?page=x", "?page_size=0", `?actor=${"x".repeat(300)}`]) {
      expect([query, (await world.admin("GET", log + query)).status]).toEqual([query, 400])
    }
    const headers = { authorization: `Bearer ${World.ADMIN_TOKEN}`, accept: "application/x-ndjson" }
    const unknown = await world.fetch("GET", "/admin/v1/organizations/nope/audit", { headers })
    expect([unknown.status, unknown.body.code]).toEqual([404, "organization_not_found"])
    expect((await world.fetch("GET", `/admin/v1${log}`)).status).toBe(401)
  })
})

describe("the reason of an operator", () => {
  const as = (method: string, path: string, reason: string, body?: unknown) =>
    world.fetch(method, path, {
      headers: { authorization: `Bearer ${World.ADMIN_TOKEN}`, "x-audit-log-reason": reason },
      ...(body !== undefined && { body })
    })

  const of = `/admin/v1/organizations/${acme.organizationId}`
  const stolen = "Gestohlen: „weg“, 100 %"

  it("is kept with each entry of the request, and shown to operators by both logs and by the SIM's history", async () => {
    const iccid = World.iccid(10)
    const [made] = await left(() =>
      as("POST", `${of}/subscription`, encodeURIComponent(stolen), { plan_id: stock.planId, metadata: "", iccid })
    )
    expect(made).toMatchObject({ action: "subscription.create", actor: "bootstrap", reason: stolen })
    const change = { type: "change" }
    const history = await world.admin("GET", `/organizations/${acme.organizationId}/subscriptions/${iccid}/history`)
    expect(history.body.data).toMatchObject([{ ...change, by: "bootstrap", detail: stolen }])
    // The organization is shown neither that nor the operator.
    const given = await acme.get(`/v3/subscriptions/${iccid}/history`)
    expect(given.body.data).toMatchObject([{ ...change, by: "the operator of the service", detail: null }])
    expect(
      (await as("PUT", "/admin/v1/catalogue", "new%20tariff", (await world.admin("GET", "/catalogue")).body.data))
        .status
    ).toBe(200)
    const [replaced] = (await world.admin("GET", "/audit?action=catalogue.replace")).body.data
    expect(replaced.reason).toBe("new tariff")
  })

  it("is kept with what is read and audited, and with what a job does later", async () => {
    const [shown] = await left(() => as("GET", `${of}/sims/${World.iccid(10)}/qr.svg`, "asked%20by%20phone"))
    expect(shown).toMatchObject({ action: "sim.show_activation_code", reason: "asked by phone" })
    await world.run(TelcoSimulator.TelcoSimulator.use((to) => to.setFaults([{ fault: "unavailable", times: 1 }])))
    const later = await left(async () => {
      const body = { plan_id: stock.planId, metadata: "", iccid: World.iccid(11) }
      const headers = { "x-audit-log-reason": "later", "idempotency-key": "later" }
      const answer = await world.fetch("POST", `${of}/subscription`, {
        headers: { ...headers, authorization: `Bearer ${World.ADMIN_TOKEN}` },
        body
      })
      expect(answer.status).toBe(503)
      const again = await world.fetch("POST", `${of}/subscription`, {
        headers: { ...headers, authorization: `Bearer ${World.ADMIN_TOKEN}` },
        body
      })
      expect(again.status).toBe(201)
    })
    expect(later).toMatchObject([{ action: "subscription.create", reason: "later" }])
  })

  it("is nothing where it is empty, and where the organization's own key changes something", async () => {
    const found = await left(async () => {
      await as("POST", `${of}/subscriptions/${World.iccid(10)}/pause`, "%20 ")
      await acme.post(`/v3/subscriptions/${World.iccid(10)}/resume`, undefined, { "x-audit-log-reason": "%" })
    })
    expect(found.map(({ action, reason }) => [action, reason])).toEqual([
      ["subscription.pause", null],
      ["subscription.resume", null]
    ])
  })

  it("has at most 500 characters that storages keep, percent-encoded; nothing is done under another one", async () => {
    const pause = `${of}/subscriptions/${World.iccid(10)}/pause`
    const none = await left(async () => {
      for (const reason of ["x".repeat(501), encodeURIComponent("é".repeat(501)), "%", "%ff", "%00", "caf\u00e9"]) {
        const { body, status } = await as("POST", pause, reason)
        expect([reason, status, body.code]).toEqual([reason, 400, "invalid_field"])
        expect(body.message).toContain("X-Audit-Log-Reason")
      }
    })
    expect(none).toEqual([])
    const [kept] = await left(() => as("POST", pause, encodeURIComponent("😀".repeat(500))))
    expect(kept?.["reason"]).toBe("😀".repeat(500))
  })
})
