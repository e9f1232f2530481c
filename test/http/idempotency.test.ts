/**
 * Idempotency keys over the wire (rule W2).
 */
import * as fc from "fast-check"
import { TelcoSimulator } from "simplan/telco-simulator"
import { JsonText } from "simplan/testing"
import { expect, it } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 20)
const acme = stock.tenant

const withKey = (key: string, path: string, body?: unknown) => acme.post(path, body, { "idempotency-key": key })

it("replays every kind of answer, byte for byte", async () => {
  const made = await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(10) })
  expect(made.status).toBe(201)
  const line = `/v3/subscriptions/${World.iccid(10)}`
  const attachments = await acme.get(`${line}/plan-attachments`)
  const period = { start: "2026-01-11T00:00:00Z", end: "2026-01-12T00:00:00Z" }
  const calls: ReadonlyArray<readonly [string, unknown, number]> = [
    ["/v3/subscription", { plan_id: stock.planId, metadata: "a" }, 201],
    ["/v3/subscription", { plan_id: stock.planId, metadata: "a", active_period: period }, 201],
    ["/v3/plans", Inventory.planBody(stock.coverageId), 201],
    [`/v3/plans/${stock.planId}/archive`, undefined, 200],
    [`/v3/plans/${stock.planId}/unarchive`, undefined, 200],
    [`${line}/send-sms`, { from: "a", message: "b" }, 200],
    [`${line}/pause`, undefined, 200],
    [`${line}/resume`, undefined, 200],
    [`${line}/plan-attachments/${attachments.body.data[0].plan_attachment_id}/suspend`, undefined, 200],
    [`${line}/replace`, undefined, 200],
    ["/v3/coverage-profiles/custom-region", { region_name: "R", label: "Green", iso2_list: ["FR", "IT"] }, 200],
    ["/v3/coverage-profiles/custom-region", { region_name: "S", label: "Green", iso2_list: ["IT", "FR"] }, 409],
    ["/v3/coverage-profiles/custom-region", { region_name: "S", label: "Green", iso2_list: ["XX"] }, 400],
    ["/v3/wallet/mobile-plan", { apply: true, label: "Green" }, 200],
    ["/v3/subscription", { plan_id: "nope", metadata: "" }, 404],
    ["/v3/subscription", { plan_id: 5 }, 400]
  ]
  for (const [index, [path, body, status]] of calls.entries()) {
    const first = await withKey(`k${index}`, path, body)
    const second = await withKey(`k${index}`, path, body)
    expect([path, first.status]).toEqual([path, status])
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    expect([path, status, second.headers.get("idempotent-replayed")]).toEqual([path, status, "true"])
  }
})

it("replays every kind of answer to an operator, byte for byte, and does nothing twice", async () => {
  const iccid = World.iccid(12)
  await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  const of = `/admin/v1/organizations/${acme.organizationId}`
  const line = `${of}/subscriptions/${iccid}`
  const attachments = await acme.get(`/v3/subscriptions/${iccid}/plan-attachments`)
  const calls: ReadonlyArray<readonly [string, unknown, number]> = [
    [`${of}/subscription`, { plan_id: stock.planId, metadata: "more", iccid }, 201],
    [`${line}/send-sms`, { from: "a", message: "b" }, 200],
    [`${line}/pause`, undefined, 200],
    [`${line}/resume`, undefined, 200],
    [`${line}/plan-attachments/${attachments.body.data[0].plan_attachment_id}/suspend`, undefined, 200],
    [`${line}/replace`, undefined, 200],
    [`${of}/subscription`, { plan_id: "nope", metadata: "" }, 404]
  ]
  for (const [index, [path, body, status]] of calls.entries()) {
    const headers = { authorization: `Bearer ${World.ADMIN_TOKEN}`, "idempotency-key": `operator ${index}` }
    const first = await world.fetch("POST", path, { body, headers })
    const second = await world.fetch("POST", path, { body, headers })
    expect([path, first.status, first.headers.get("idempotent-replayed")]).toEqual([path, status, null])
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect([path, second.headers.get("idempotent-replayed")]).toEqual([path, "true"])
  }
  const { body } = await world.admin("GET", `/organizations/${acme.organizationId}/audit?actor=bootstrap`)
  const done = body.data.map(({ action }: { readonly action: string }) => action)
  expect(done.filter((action: string) => action === "plan_attachment.create")).toHaveLength(1)
  expect(done.filter((action: string) => action === "sim.send_sms")).toHaveLength(1)
})

it("refuses a key that comes with another body, path or route", async () => {
  const body = { plan_id: stock.planId, metadata: "first" }
  expect((await withKey("reused", "/v3/subscription", body)).status).toBe(201)
  for (const answer of [
    await withKey("reused", "/v3/subscription", { ...body, metadata: "second" }),
    await withKey("reused", "/v3/plans", body),
    await withKey("reused", "/v3/subscription", { metadata: 5 })
  ]) {
    expect([answer.status, answer.body.code]).toEqual([422, "idempotency_key_reused"])
    expect(answer.headers.get("idempotent-replayed")).toBeNull()
  }
})

/** A request with a body as it is given. */
const raw = (key: string, path: string, body: string) =>
  acme.call("POST", path, { raw: body, headers: { "content-type": "application/json", "idempotency-key": key } })

it("replays what is the same JSON, however it is written", async () => {
  const period = { start: "2026-01-11T00:00:00Z", end: "2026-01-12T00:00:00Z" }
  const bodies: ReadonlyArray<readonly [path: string, body: unknown]> = [
    ["/v3/subscription", { plan_id: stock.planId, metadata: "é/\n", active_period: period }],
    ["/v3/subscription", { plan_id: "nope", metadata: "", more: { b: [1, 20, 0.5], a: null } }],
    ["/v3/subscription", { plan_id: 5 }],
    ["/v3/plans", Inventory.planBody(stock.coverageId)],
    ["/v3/coverage-profiles/custom-region", { region_name: "Written", label: "Green", iso2_list: ["DE", "PL"] }],
    ["/v3/wallet/mobile-plan", { apply: true, label: "Green" }],
    [`/v3/subscriptions/${World.iccid(10)}/send-sms`, { from: "a", message: "b" }],
    [`/v3/plans/${stock.planId}/unarchive`, { unread: "body", list: [] }]
  ]
  for (const [index, [path, body]] of bodies.entries()) {
    const key = `written ${index}`
    const first = await raw(key, path, JSON.stringify(body))
    for (const text of fc.sample(JsonText.texts(body), { numRuns: 10, seed: index })) {
      const again = await raw(key, path, text)
      expect([text, again.status, again.text]).toEqual([text, first.status, first.text])
      expect(again.headers.get("idempotent-replayed")).toBe("true")
    }
    const other = await raw(key, path, JsonText.of({ ...Object(body), another: 1 }, index))
    expect([path, other.status, other.body.code]).toEqual([path, 422, "idempotency_key_reused"])
  }
  const made = await raw("order", "/v3/subscription", JSON.stringify({ plan_id: stock.planId, metadata: "x" }))
  const again = await raw("order", "/v3/subscription", JSON.stringify({ metadata: "x", plan_id: stock.planId }))
  expect([made.status, again.status, again.text]).toEqual([201, 201, made.text])
})

it("replays what names the same SIM and the same things, however they are spelled", async () => {
  const iccid = World.iccid(14)
  const of = { metadata: `${iccid}F`, plan_id: stock.planId, iccid }
  const first = await withKey("spelled", "/v3/subscription", of)
  expect(first.status).toBe(201)
  const others = [{ plan_id: stock.planId.toUpperCase() }, { iccid: `${iccid}F` }, { iccid: `${iccid}f` }]
  for (const other of others) {
    const again = await withKey("spelled", "/v3/subscription", { ...of, ...other })
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"])
  }
  // A text that is no name means what it says.
  expect((await withKey("spelled", "/v3/subscription", { ...of, metadata: iccid })).status).toBe(422)
  const sms = { from: "a", message: "b" }
  const sent = await withKey("spelled sms", `/v3/subscriptions/${iccid}/send-sms`, sms)
  const again = await withKey("spelled sms", `/v3/subscriptions/${iccid}F/send-sms`, sms)
  expect([sent.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, sent.text, "true"])
})

it("knows a path in each way it is escaped, and a body that is no JSON by its bytes", async () => {
  const [path, escaped] = [stock.planId, stock.planId.replace("-", "%2d")].map((id) => `/v3/plans/${id}/unarchive`)
  const first = await withKey("escaped", path ?? "")
  const again = await withKey("escaped", escaped ?? "")
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
  expect((await raw("bytes", path ?? "", "not JSON")).status).toBe(200)
  expect((await raw("bytes", path ?? "", "not JSON")).headers.get("idempotent-replayed")).toBe("true")
  expect((await raw("bytes", path ?? "", "not  JSON")).status).toBe(422)
})

it("creates once, however many twins there are", async () => {
  const body = { plan_id: stock.planId, metadata: "twin" }
  const answers = await Promise.all(Array.from({ length: 10 }, () => withKey("twins", "/v3/subscription", body)))
  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([])
  expect(statuses).toContain(201)
  const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text))
  expect(texts.size).toBe(1)
  const own = answers.filter(({ headers, status }) => status === 201 && headers.get("idempotent-replayed") === null)
  expect(own).toHaveLength(1)
  for (const { body, status } of answers) if (status === 409) expect(body.code).toBe("request_in_progress")
  const all = await acme.get("/v3/subscription")
  const twins = all.body.data.filter((one: { readonly metadata: string }) => one.metadata === "twin")
  expect(twins).toHaveLength(1)
})

it("lets a creation be repeated under its key once the telco takes it, also after it was undone meanwhile", async () => {
  const body = { plan_id: stock.planId, metadata: "", iccid: World.iccid(18) }
  const create = (key: string) => withKey(key, "/v3/subscription", body)
  const telco = TelcoSimulator.TelcoSimulator
  await world.run(telco.use((of) => of.setFaults([{ fault: "unavailable", on: "createPackage", times: 1 }])))
  expect((await create("undone")).status).toBe(503)
  expect(await create("another")).toMatchObject({ status: 409, body: { code: "sim_busy" } })
  await world.run(telco.use((of) => of.setFaults([{ fault: "unavailable", on: "cancelPackage" }])))
  await world.admin("POST", "/clock/advance", { by: "10 seconds" })
  expect(await create("undone")).toMatchObject({ status: 503, body: { code: "telco_unavailable" } })
  expect(await create("another")).toMatchObject({ status: 409, body: { code: "sim_busy" } })
  await world.run(telco.use((of) => of.setFaults([])))
  await world.admin("POST", "/clock/advance", { by: "1 minute" })
  expect((await create("undone")).status).toBe(201)
})

it("is per organization, and not kept for a request that was refused before its use case", async () => {
  const body = { plan_id: stock.planId, metadata: "mine" }
  await withKey("mine", "/v3/subscription", body)
  const other = await Inventory.stock(world, 50, 1)
  const theirs = { plan_id: other.planId, metadata: "theirs" }
  expect((await other.tenant.post("/v3/subscription", theirs, { "idempotency-key": "mine" })).status).toBe(201)
  const call = (raw: string) =>
    acme.call("POST", "/v3/plans", { raw, headers: { "content-type": "application/json", "idempotency-key": "late" } })
  expect((await call("{")).status).toBe(400)
  expect((await call(JSON.stringify(Inventory.planBody(stock.coverageId)))).status).toBe(201)
})

it("takes 1 to 255 printable characters", async () => {
  const body = Inventory.planBody(stock.coverageId)
  expect((await withKey("x".repeat(255), "/v3/plans", body)).status).toBe(201)
  for (const key of ["", "x".repeat(256), "a\tb", "é"]) {
    const refused = await withKey(key, "/v3/plans", body)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_idempotency_key"])
  }
})
