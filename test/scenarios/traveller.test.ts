/**
 * The story of a traveller, told over HTTP against an embedded database, with webhooks received
 * over HTTP: from an inventory file with bad rows to the expiry of the last plan.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Result } from "effect"
import * as Pglite from "simplan/pglite"
import { HttpSender, Signature } from "simplan/webhooks"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as World from "../http/World.ts"
import * as Inventory from "../http/Inventory.ts"

const DAY = 86_400_000
const GIGABYTE = 1_024 * 1_048_576

interface Received {
  readonly body: string
  readonly headers: Record<string, string>
}

const received: Array<Received> = []
const receiver = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    received.push({ body: Buffer.concat(chunks).toString("utf8"), headers })
    response.writeHead(204).end()
  })
})

let world: World.World
let tenant: World.Tenant
let signingKey: string
let coverageId: string
let planId: string
let iccid: string
let attachmentId: string

/**
 * Names the webhooks that what comes next has to bring, as type and data, and no others; what is
 * returned compares.
 */
const expectWebhooks = (...webhooks: ReadonlyArray<object>) => {
  const before = received.length
  return () => {
    const arrived = received.slice(before).map(({ body }) => JSON.parse(body))
    expect(arrived.map(({ data, type }) => ({ type, ...data }))).toEqual(webhooks)
  }
}

const now = async (): Promise<number> => Date.parse((await world.admin("GET", "/clock")).body.data.now)
const advance = (by: string) => world.admin("POST", "/clock/advance", { by })
let reportIds = 0
const report = async (fields: Record<string, unknown>, at?: number) => {
  const occurred_at = new Date(at ?? (await now())).toISOString()
  const answer = await world.telco([{ id: `report-${++reportIds}`, iccid, occurred_at, ...fields }])
  // Webhooks that are due now go out before this returns.
  await advance("0 seconds")
  return answer.body
}
const attachment = async (id: string) =>
  (await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments/${id}`)).body.data

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  world = await World.start({
    checkUrl: Result.succeed,
    storage: Pglite.layer({}),
    sender: HttpSender.layer({ allowPrivateAddresses: true })
  })
  tenant = await World.tenant(world)
  const { port } = receiver.address() as AddressInfo
  const endpoint = await world.admin("POST", `/organizations/${tenant.organizationId}/webhook-endpoints`, {
    url: `http://127.0.0.1:${port}/hooks`
  })
  signingKey = endpoint.body.data.signing_key
})
afterAll(async () => {
  await world.close()
  receiver.close()
})

describe.sequential("a traveller", () => {
  it("the inventory comes from a file, whose bad rows stop no other", async () => {
    const csv = [
      "iccid,label,is_esim,lpa",
      `${World.iccid(1)},Green,true,LPA:1$smdp.example$ONE`,
      "not-an-iccid,Green,true,",
      `${World.iccid(2)},Purple,true,`,
      `${World.iccid(3)},Green,false,`,
      `${World.iccid(1)},Green,true,LPA:1$smdp.example$ONE`
    ].join("\n")
    const answer = await world.fetch("POST", `/admin/v1/organizations/${tenant.organizationId}/sims`, {
      raw: csv,
      headers: { authorization: `Bearer ${World.ADMIN_TOKEN}`, "content-type": "text/csv" }
    })
    expect(answer.body.data).toMatchObject({
      imported: 2,
      duplicates: 1,
      errors: [
        { row: 2, iccid: "not-an-iccid" },
        { row: 3, iccid: World.iccid(2) }
      ]
    })
  })

  it("a region of her own, and a throttled plan for it", async () => {
    const region = await tenant.post("/v3/coverage-profiles/custom-region", {
      region_name: "Alps",
      label: "Green",
      iso2_list: ["FR", "CH", "IT"]
    })
    expect(region.status).toBe(200)
    coverageId = region.body.data.coverage_id
    const terms = { name: "Alps 1 GB", data_MBs: 1024, ...Inventory.throttled }
    const plan = await tenant.post("/v3/plans", Inventory.planBody(coverageId, terms))
    expect(plan.status).toBe(201)
    planId = plan.body.plan_id
  })

  it("she subscribes without naming a SIM, and gets the eSIM", async () => {
    const created = await tenant.post("/v3/subscription", { plan_id: planId, metadata: "booking 4711" })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      metadata: "booking 4711",
      esimdata: { iccid: World.iccid(1), label: "Green" }
    })
    expect(created.body).not.toHaveProperty("activation_at")
    iccid = created.body.esimdata.iccid
    const [only] = (await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data
    expect(only).toMatchObject({
      state: "PENDING_FOR_FIRST_USE",
      activation_at: null,
      used_allowance: { dataBytes: 0 }
    })
    attachmentId = only.plan_attachment_id
  })

  it("she lands, and the first use starts the plan", async () => {
    await advance("3 days")
    const landed = await now()
    expect(await report({ type: "first_use" })).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
    expect(await attachment(planId)).toMatchObject({
      state: "ACTIVE",
      activation_at: new Date(landed).toISOString(),
      expiration_at: new Date(landed + 30 * DAY).toISOString()
    })
  })

  it("half of the allowance, four fifths, and all of it are notified, each once", async () => {
    const owner = { subscriptionId: expect.any(String), metadata: "booking 4711" }
    const common = { type: "attachment.allowanceConsumed", esim: iccid, planId, attachmentId, ...owner }
    const none = expectWebhooks()
    await report({ type: "usage", total_bytes: GIGABYTE / 2 - 1 })
    none()
    const half = expectWebhooks({ ...common, usagePercentage: 50, dataUsageBytes: GIGABYTE / 2 })
    await report({ type: "usage", total_bytes: GIGABYTE / 2 })
    half()
    const rest = expectWebhooks(
      { ...common, usagePercentage: 80, dataUsageBytes: GIGABYTE },
      { ...common, usagePercentage: 100, dataUsageBytes: GIGABYTE }
    )
    await report({ type: "usage", total_bytes: GIGABYTE })
    await report({ type: "usage", total_bytes: GIGABYTE / 4 })
    rest()
    expect(await attachment(attachmentId)).toMatchObject({ used_allowance: { dataBytes: GIGABYTE } })
  })

  it("each webhook verifies, with our verifier and with a library of Standard Webhooks", () => {
    for (const { body, headers } of received) {
      const header = headers["x-service-signature"] ?? ""
      expect(Signature.verify({ header, body, signingKey })).toMatchObject({ _tag: "Verified" })
      expect(new Webhook(signingKey).verify(body, headers)).toEqual(JSON.parse(body))
      expect(() => new Webhook(signingKey).verify(`${body} `, headers)).toThrow()
    }
  })

  it("she crosses a border", async () => {
    const common = { type: "subscription.esim.locationChanged", esim: iccid }
    const changed = expectWebhooks(
      { ...common, countryIso2: "FR", previousCountryIso2: null },
      { ...common, countryIso2: "CH", previousCountryIso2: "FR" }
    )
    const at = { operator: "Orange", rat: "4G", imei: "356938035643809" }
    await report({ type: "location", country_alpha_2: "FR", ...at })
    await report({ type: "location", country_alpha_2: "FR", ...at })
    await report({ type: "location", country_alpha_2: "CH", ...at, operator: "Swisscom" })
    changed()
    const location = await tenant.get(`/v3/subscriptions/${iccid}/location`)
    expect(location.body.last_operator).toMatchObject({
      country: "Switzerland",
      country_alpha_2: "CH",
      operator: "Swisscom",
      rat: "4G",
      imei: "356938035643809"
    })
  })

  it("the profile's installation is kept, and notified", async () => {
    const changes = (state: string) => expect.objectContaining({ smdpStateChange: expect.objectContaining({ state }) })
    const changed = expectWebhooks(changes("BPP Installation"), changes("Enable"))
    await report({ type: "smdp_state", state: "BPP Installation" })
    await report({ type: "smdp_state", state: "Enable", modification_result: "Failed" })
    await report({ type: "smdp_state", state: "Enable" })
    changed()
    const { data } = (await tenant.get(`/v3/sims/${iccid}/smdp-info`)).body
    expect(data.current_status).toBe("Enable")
    expect(data.state_history).toHaveLength(3)
  })

  it("an installed eSIM cannot be taken from her", async () => {
    const refused = await tenant.call("DELETE", `/v3/subscriptions/${iccid}`)
    expect(refused.status).toBe(403)
    expect(refused.body.message).toBe("Cannot delete a subscription whose esim was installed on a device")
  })

  it("she tops up: the same subscription, another attachment", async () => {
    const before = (await tenant.get(`/v3/subscriptions/${iccid}`)).body.data
    const topUp = await tenant.post("/v3/subscription", { plan_id: planId, metadata: "top-up", iccid })
    expect(topUp.body).toMatchObject({ subscription_id: before.subscription_id, metadata: "top-up" })
    expect((await tenant.get(`/v3/subscriptions/${iccid}`)).body.data.metadata).toBe("booking 4711")
    expect((await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data).toHaveLength(2)
  })

  it("the top-up is suspended, for good", async () => {
    const all = (await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data
    const { plan_attachment_id: id } = all[1]
    const suspend = () => tenant.post(`/v3/subscriptions/${iccid}/plan-attachments/${id}/suspend`)
    expect((await suspend()).body.message).toBe("Plan attachment suspended successfully")
    expect((await suspend()).status).toBe(200)
    expect(await attachment(id)).toMatchObject({ state: "SUSPENDED" })
    expect(await attachment(planId)).toMatchObject({ state: "ACTIVE", plan_attachment_id: attachmentId })
  })

  it("the plan expires, and is not to be suspended any more", async () => {
    await advance("30 days")
    expect(await attachment(attachmentId)).toMatchObject({ state: "EXPIRED" })
    const late = await tenant.post(`/v3/subscriptions/${iccid}/plan-attachments/${attachmentId}/suspend`)
    expect(late.status).toBe(409)
    const location = await tenant.get(`/v3/subscriptions/${iccid}/location`)
    expect(location.body.last_operator).toBeNull()
  })
})
