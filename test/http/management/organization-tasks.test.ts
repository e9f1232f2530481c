/**
 * The day's tasks of a SIM, as operators do them for its organization (rule W14): with the previews
 * and the answers of `/v3`.
 */
import { expect, it } from "vitest"
import * as Leaks from "../../setup/Leaks.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const { coverageId, planId, tenant } = await Inventory.stock(world, 1, 20)
const of = `/organizations/${tenant.organizationId}`

const { body: operator } = await world.admin("POST", "/operators", {
  name: "Sup",
  role: "support",
  organization_id: tenant.organizationId
})
Leaks.know(operator.data.token)

const ask = (method: string, path: string, body?: unknown) =>
  world.fetch(method, `/admin/v1${of}${path}`, {
    headers: { authorization: `Bearer ${operator.data.token}` },
    ...(body !== undefined && { body })
  })

/** An admin of the same organization: what deletes takes that role. */
const { body: admin } = await world.admin("POST", "/operators", {
  name: "Ada",
  role: "admin",
  organization_id: tenant.organizationId
})
Leaks.know(admin.data.token)

const askAdmin = (method: string, path: string, body?: unknown) =>
  world.fetch(method, `/admin/v1${of}${path}`, {
    headers: { authorization: `Bearer ${admin.data.token}` },
    ...(body !== undefined && { body })
  })

const buy = async (number: number): Promise<string> => {
  const iccid = World.iccid(number)
  await tenant.post("/v3/subscription", { plan_id: planId, metadata: "order 4711", iccid })
  return iccid
}

/** What the audit log has by the operator, oldest first. */
const done = async (): Promise<ReadonlyArray<readonly [string, string]>> => {
  const { body } = await world.admin("GET", `${of}/audit?actor=Sup`)
  return body.data
    .map(({ action, iccid }: { readonly action: string; readonly iccid: string }) => [action, iccid])
    .toReversed()
}

it("a preview of each does nothing, and is what the organization's own key gets", async () => {
  const iccid = await buy(1)
  const line = `/subscriptions/${iccid}`
  const attachments = (await tenant.get(`/v3${line}/plan-attachments`)).body.data
  const id = attachments[0].plan_attachment_id
  const before = await done()
  const previews: ReadonlyArray<readonly [method: string, path: string, body?: unknown]> = [
    ["POST", "/subscription", { plan_id: planId, metadata: "", iccid }],
    ["POST", `${line}/pause`],
    ["POST", `${line}/resume`],
    ["POST", `${line}/plan-attachments/${id}/suspend`],
    ["POST", `${line}/replace`],
    ["DELETE", line],
    ["PATCH", `/sims/${World.iccid(20)}`, { status: "withdrawn", reason: "broken" }]
  ]
  for (const [method, path, body] of previews) {
    const own = await tenant.call(method, `/v3${path}?dry_run=true`, body === undefined ? {} : { body })
    const answer = await (method === "DELETE" ? askAdmin : ask)(method, `${path}?dry_run=true`, body)
    // Rule I7: what the telco knows a SIM by is shown to operators alone.
    const alike = answer.text.replace(/"(?:imsi|msisdn)":(?:null|"\d*"),/g, "")
    expect([path, answer.status, alike]).toEqual([path, own.status, own.text])
    expect(answer.body.preview).toEqual(expect.any(Object))
  }
  expect(await done()).toEqual(before)
  expect((await tenant.get(`/v3${line}/plan-attachments`)).body.data).toEqual(attachments)
})

it("each is done, and the audit log names the operator", async () => {
  const iccid = await buy(2)
  const line = `/subscriptions/${iccid}`
  const since = (await done()).length
  expect((await ask("POST", "/subscription", { plan_id: planId, metadata: "top-up", iccid })).status).toBe(201)
  const attachments = (await tenant.get(`/v3${line}/plan-attachments`)).body.data
  expect(attachments.map(({ metadata }: { readonly metadata: string }) => metadata)).toEqual(["order 4711", "top-up"])
  expect((await ask("POST", `${line}/pause`)).status).toBe(200)
  expect((await tenant.get(`/v3${line}`)).body.data.paused_at).toEqual(expect.any(String))
  expect((await ask("POST", `${line}/resume`)).status).toBe(200)
  expect((await tenant.get(`/v3${line}`)).body.data.paused_at).toBeNull()
  const suspended = `${line}/plan-attachments/${attachments[1].plan_attachment_id}`
  expect((await ask("POST", `${suspended}/suspend`)).status).toBe(200)
  const { reason, state } = (await tenant.get(`/v3${suspended}`)).body.data
  // The organization is not shown the operator's name.
  expect([state, reason.by]).toEqual(["SUSPENDED", "the operator of the service"])
  expect(reason.message).not.toContain("Sup")
  const shown = (await ask("GET", suspended)).body.data.reason
  expect([shown.by, shown.message]).toEqual(["Sup", expect.stringMatching(/ by Sup$/)])
  expect((await ask("POST", `${line}/send-sms`, { from: "a", message: "b" })).body.segments).toBe(1)
  const moved = await ask("POST", `${line}/replace`)
  expect(moved.body.replaced_iccid).toBe(iccid)
  const { iccid: next } = moved.body.data.esim
  const withdrawn = await ask("PATCH", `/sims/${World.iccid(19)}`, { status: "withdrawn", reason: "broken" })
  expect(withdrawn.body.data.withdrawn_reason).toBe("broken")
  expect((await done()).slice(since)).toEqual([
    ["plan_attachment.create", iccid],
    ["subscription.pause", iccid],
    ["subscription.resume", iccid],
    ["plan_attachment.suspend", iccid],
    ["sim.send_sms", iccid],
    ["subscription.replace", next],
    ["sim.withdraw", iccid],
    ["sim.withdraw", World.iccid(19)]
  ])
  // The role of the day's tasks deletes nothing.
  expect((await ask("DELETE", `/subscriptions/${next}`)).body.message).toBe("Forbidden: it takes the role admin")
  expect((await tenant.get(`/v3/subscriptions/${next}`)).status).toBe(200)
  expect((await askAdmin("DELETE", `/subscriptions/${next}`)).status).toBe(200)
})

it("an admin of an organization makes, archives and deletes its plans, with the answers of /v3", async () => {
  const made = await askAdmin("POST", "/plans", Inventory.planBody(coverageId, { name: "By its shop" }))
  expect([made.status, made.body]).toEqual([
    201,
    { error: false, message: expect.any(String), plan_id: expect.any(String) }
  ])
  const plan = `/plans/${made.body.plan_id}`
  expect((await tenant.get(`/v3${plan}`)).body.data.plan_name).toBe("By its shop")
  for (const [verb, archived] of [
    ["archive", expect.any(String)],
    ["unarchive", null]
  ] as const) {
    expect((await ask("POST", `${plan}/${verb}`)).status).toBe(403)
    expect((await askAdmin("POST", `${plan}/${verb}`)).status).toBe(200)
    expect((await tenant.get(`/v3${plan}`)).body.data.archived_at).toEqual(archived)
  }
  expect((await ask("POST", "/plans", Inventory.planBody(coverageId))).status).toBe(403)
  expect((await ask("DELETE", plan)).status).toBe(403)
  expect((await askAdmin("DELETE", plan)).status).toBe(200)
  expect((await tenant.get(`/v3${plan}`)).status).toBe(404)
})

it("the role of the day's tasks sets levels of stock, and an admin corrects many SIMs at once", async () => {
  const levels = { levels: [{ label: "Green", level: 7 }] }
  expect((await ask("PUT", "/sims/stock/levels", levels)).body.data).toEqual(levels)
  const level = (await tenant.get("/v3/sims/stock")).body.data.find(
    ({ label }: { readonly label: string }) => label === "Green"
  )
  expect(level.level).toBe(7)
  const rows = { sims: [{ iccid: World.iccid(16), label: "Blue" }] }
  expect((await ask("POST", "/sims/updates", rows)).status).toBe(403)
  const tried = await askAdmin("POST", "/sims/updates?dry_run=true", rows)
  expect(tried.body.data).toMatchObject([{ iccid: World.iccid(16), result: "corrected" }])
  expect((await tenant.get(`/v3/sims/${World.iccid(16)}`)).body.data.label).toBe("Green")
  expect((await askAdmin("POST", "/sims/updates", rows)).body).toEqual(tried.body)
  expect((await tenant.get(`/v3/sims/${World.iccid(16)}`)).body.data.label).toBe("Blue")
})

it("a note on a SIM is in its history, with who has left it; the organization is not shown what it says", async () => {
  const iccid = World.iccid(15)
  const note = "Has two phones; asks for the eSIM on the second one"
  const left = await ask("POST", `/sims/${iccid}/notes`, { note: ` ${note} ` })
  expect([left.status, left.body.data.iccid]).toEqual([201, iccid])
  const path = `/subscriptions/${iccid}/history`
  const [entry] = (await ask("GET", path)).body.data
  expect(entry).toMatchObject({ type: "change", what: "sim.note", detail: note, by: "Sup", resource_id: iccid })
  const [own] = (await tenant.get(`/v3${path}`)).body.data
  expect(own).toMatchObject({ what: "sim.note", detail: null, by: "the operator of the service" })
  for (const [sim, body, status, message] of [
    [iccid, { note: " " }, 400, "note must not be blank"],
    [iccid, { note: "x".repeat(501) }, 400, "note must have at most 500 characters"],
    [World.iccid(9_999), { note }, 404, "SIM not found"]
  ] as const) {
    const refused = await ask("POST", `/sims/${sim}/notes`, body)
    expect([refused.status, refused.body.message]).toEqual([status, expect.stringContaining(message)])
  }
  expect((await ask("GET", path)).body.data).toHaveLength(1)
})

it("a refusal is that of /v3", async () => {
  for (const [method, path, body] of [
    ["POST", "/subscription", { plan_id: "nope", metadata: "" }],
    ["POST", "/subscription", { plan_id: 5 }],
    ["POST", `/subscriptions/${World.iccid(18)}/pause`, undefined],
    ["POST", `/subscriptions/${World.iccid(18)}/send-sms`, {}],
    ["PATCH", `/sims/${World.iccid(18)}`, { status: "gone" }]
  ] as const) {
    const own = await tenant.call(method, `/v3${path}`, body === undefined ? {} : { body })
    const answer = await ask(method, path, body)
    expect([path, answer.status, answer.body.code, answer.body.message]).toEqual([
      path,
      own.status,
      own.body.code,
      own.body.message
    ])
    expect(answer.status).toBeGreaterThanOrEqual(400)
  }
})

it("the QR code that an operator gets is in the audit log, by its name; that of its own key is not", async () => {
  const iccid = World.iccid(17)
  const shown = async () => {
    const { body } = await world.admin("GET", `${of}/audit?action=sim.show_activation_code`)
    return body.data.map(({ actor, iccid: seen, request_id }: { readonly [name: string]: string }) => [
      actor,
      seen,
      request_id
    ])
  }
  await tenant.get(`/v3/sims/${iccid}/qr.svg`)
  expect(await shown()).toEqual([])
  const answer = await ask("GET", `/sims/${iccid}/qr.svg`)
  expect(answer.text).toContain("<svg")
  expect(await shown()).toEqual([["Sup", iccid, answer.headers.get("x-request-id")]])
  expect((await ask("GET", `/sims/${World.iccid(9_999)}/qr.svg`)).status).toBe(404)
  expect(await shown()).toHaveLength(1)
})
