/**
 * Moving a subscription to another eSIM over HTTP (rule S8): its answer, what has moved, the
 * refusals, and the preview.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { TelcoSimulator } from "../../../adapters/telco-simulator/index.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 20)
const acme = stock.tenant

const subscribe = async (n: number) => {
  const body = { plan_id: stock.planId, metadata: `m${n}`, iccid: World.iccid(n) }
  const answer = await acme.post("/v3/subscription", body)
  expect(answer.status).toBe(201)
  return answer.body
}

const packagesOf = async (iccid: string) => {
  const all = await world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.packages))
  return all.filter((one) => one.iccid === iccid)
}

const path = (n: number, more = "") => `/v3/subscriptions/${World.iccid(n)}${more}`

describe("a subscription moves", () => {
  it("to a free eSIM, with its id, its attachments and the data that is left; the old SIM is withdrawn", async () => {
    const created = await subscribe(1)
    const iccid = World.iccid(1)
    const report = { id: "u1", type: "usage", iccid, total_bytes: 3 * 1_048_576 }
    const reported = await world.telco([{ ...report, occurred_at: new Date(World.START).toISOString() }])
    expect(reported.body).toMatchObject({ accepted: 1 })
    const before = (await acme.get(path(1, "/plan-attachments"))).body.data
    const { body, status } = await acme.post(path(1, "/replace?install=true"))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      error: false,
      data: { subscription_id: created.subscription_id, metadata: "m1", paused_at: null },
      replaced_iccid: iccid
    })
    const next = body.data.esim.iccid
    expect(next).not.toBe(iccid)
    expect(body.data.esim.install).toMatchObject({ apple: expect.stringContaining("https://") })
    const after = (await acme.get(`/v3/subscriptions/${next}/plan-attachments`)).body.data
    const id = before[0].plan_attachment_id
    expect(after).toEqual([{ ...before[0], packages: [{ ...before[0].packages[0], package_id: `${id}:0:1` }] }])
    expect((await acme.get(path(1))).body).toMatchObject({ code: "subscription_not_found" })
    expect((await acme.get(`/v3/sims/${iccid}`)).body.data).toMatchObject({
      status: "withdrawn",
      withdrawn_reason: "replaced",
      used: true
    })
    expect(await packagesOf(iccid)).toMatchObject([{ packageId: `${id}:0`, status: "cancelled" }])
    const megaBytes = before[0].plan.data_mega_bytes
    expect(await packagesOf(next)).toMatchObject([
      { packageId: `${id}:0:1`, status: "active", dataMegaBytes: megaBytes - 3 }
    ])
  })

  it("once for each key, and not again", async () => {
    await subscribe(3)
    const headers = { "idempotency-key": "move" }
    const first = await acme.post(path(3, "/replace"), undefined, headers)
    const again = await acme.post(path(3, "/replace"), undefined, headers)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
    expect((await acme.post(path(3, "/replace"))).body).toMatchObject({ code: "subscription_not_found" })
  })
})

describe("a move gives no data twice", () => {
  const MB = 1_048_576
  const jobs = (fields: string) => world.admin("GET", `/jobs?${fields}`)
  const simulator = <A>(use: (telco: TelcoSimulator.TelcoSimulator["Service"]) => Effect.Effect<A, unknown>) =>
    world.run(Effect.orDie(TelcoSimulator.TelcoSimulator.use(use)))
  const attachmentsOf = async (iccid: string) =>
    (await acme.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data
  const move = async (n: number) => {
    const { body, status } = await acme.post(path(n, "/replace"))
    expect(status).toBe(200)
    return body.data.esim.iccid
  }
  const reportOf = async (id: string, iccid: string, fields: object) => {
    const occurred_at = new Date(World.START).toISOString()
    return (await world.telco([{ id, type: "usage", iccid, occurred_at, ...fields }])).body
  }

  it("where the telco has counted more than it has reported, and what the old SIM still reports counts once", async () => {
    await subscribe(12)
    const iccid = World.iccid(12)
    const [{ plan, plan_attachment_id: id }] = await attachmentsOf(iccid)
    expect(await reportOf("m1", iccid, { total_bytes: 3 * MB })).toMatchObject({ accepted: 1 })
    const all = plan.data_mega_bytes
    await simulator((telco) => telco.use({ packageId: `${id}:0`, bytes: (all - 10) * MB }))
    const next = await move(12)
    expect(await packagesOf(next)).toMatchObject([{ packageId: `${id}:0:1`, dataMegaBytes: 10 }])
    const used = async () => (await attachmentsOf(next))[0].used_allowance.dataBytes
    expect(await used()).toBe((all - 10) * MB)
    // By its name there, by the telco's, and by none; what is counted already, and what comes late.
    expect(await reportOf("m2", iccid, { package_id: `${id}:0`, total_bytes: (all - 10) * MB })).toMatchObject({
      accepted: 1
    })
    expect(await used()).toBe((all - 10) * MB)
    expect(await reportOf("m3", iccid, { package_id: `telco-${id}:0`, total_bytes: (all - 9) * MB })).toMatchObject({
      accepted: 1
    })
    expect(await reportOf("m4", iccid, { total_bytes: (all - 8) * MB })).toMatchObject({ accepted: 1 })
    expect(await reportOf("m4", iccid, { total_bytes: (all - 8) * MB })).toMatchObject({ duplicates: 1 })
    expect(await used()).toBe((all - 8) * MB)
    expect(await reportOf("m5", next, { package_id: `${id}:0:1`, total_bytes: MB })).toMatchObject({ accepted: 1 })
    expect(await used()).toBe((all - 7) * MB)
    expect(await reportOf("m6", iccid, { package_id: `${id}:0:1`, total_bytes: MB })).toMatchObject({ accepted: 0 })
    const book = async (of: string) =>
      (await acme.get(`/v3/subscriptions/${of}/usage?by=day`)).body.data.reduce(
        (sum: number, one: { readonly used_bytes: number }) => sum + one.used_bytes,
        0
      )
    expect([await book(iccid), await book(next)]).toEqual([(all - 8) * MB, MB])
  })

  it("and says what it assumes where the telco refuses to say how much was used", async () => {
    await subscribe(16)
    const iccid = World.iccid(16)
    const [{ packages, plan, plan_attachment_id: id }] = await attachmentsOf(iccid)
    expect(packages[0]).not.toHaveProperty("assumed_used_allowance")
    expect(await reportOf("a1", iccid, { total_bytes: 3 * MB })).toMatchObject({ accepted: 1 })
    await simulator((telco) => telco.use({ packageId: `${id}:0`, bytes: 5 * MB }))
    await simulator((telco) => telco.setFaults([{ fault: "refuse", on: "readUsage", times: 100 }]))
    const next = await move(16)
    expect(await packagesOf(next)).toMatchObject([{ packageId: `${id}:0:1`, dataMegaBytes: plan.data_mega_bytes - 3 }])
    const [moved] = await attachmentsOf(next)
    expect(moved.packages).toMatchObject([{ assumed_used_allowance: { dataBytes: 3 * MB } }])
    // What is reported later counts, and what was ordered stays as it is.
    expect(await reportOf("a2", iccid, { package_id: `${id}:0`, total_bytes: 5 * MB })).toMatchObject({ accepted: 1 })
    const [later] = await attachmentsOf(next)
    expect(later.packages).toMatchObject([
      { used_allowance: { dataBytes: 5 * MB }, assumed_used_allowance: { dataBytes: 3 * MB } }
    ])
  })

  it("while the telco does not answer: the move waits for its count, and says so", async () => {
    await subscribe(14)
    const iccid = World.iccid(14)
    const [{ plan, plan_attachment_id: id }] = await attachmentsOf(iccid)
    await simulator((telco) => telco.use({ packageId: `${id}:0`, bytes: 5 * MB }))
    await simulator((telco) => telco.setFaults([{ fault: "unavailable", on: "readUsage", times: 100 }]))
    const next = await move(14)
    expect(await packagesOf(next)).toEqual([])
    // Stopped, so that no more is used, and not cancelled, so that it can be counted.
    expect(await packagesOf(iccid)).toMatchObject([{ packageId: `${id}:0`, status: "suspended" }])
    const waits = (await jobs("kind=ReplacePackage")).body.data
    expect(waits).toMatchObject([
      { iccid: next, last_message: expect.stringContaining("has not said how much was used") }
    ])
    expect((await jobs("kind=CancelPackages")).body.data).toMatchObject([{ iccid }])
    await simulator((telco) => telco.clearFaults)
    await world.admin("POST", "/clock/advance", { by: "2 hours" })
    expect(await packagesOf(next)).toMatchObject([{ packageId: `${id}:0:1`, dataMegaBytes: plan.data_mega_bytes - 5 }])
    expect(await packagesOf(iccid)).toMatchObject([{ packageId: `${id}:0`, status: "cancelled" }])
  })

  it("also where it is moved again while an order of the first move has no answer, and was used", async () => {
    await subscribe(18)
    const iccid = World.iccid(18)
    const [{ plan, plan_attachment_id: id }] = await attachmentsOf(iccid)
    await simulator((telco) => telco.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }]))
    const next = await move(18)
    expect(await packagesOf(next)).toMatchObject([{ packageId: `${id}:0:1`, status: "active" }])
    await simulator((telco) => telco.use({ packageId: `${id}:0:1`, bytes: 5 * MB }))
    await simulator((telco) => telco.setFaults([{ fault: "unavailable", on: "suspendPackage" }]))
    const { body } = await acme.post(`/v3/subscriptions/${next}/replace`)
    const last = body.data.esim.iccid
    // The order of the first move is tried again, and its SIM was left.
    await world.admin("POST", "/clock/advance", { by: "10 minutes" })
    expect(await packagesOf(last)).toEqual([])
    await simulator((telco) => telco.clearFaults)
    await world.admin("POST", "/clock/advance", { by: "2 hours" })
    expect(await packagesOf(next)).toMatchObject([{ packageId: `${id}:0:1`, status: "cancelled" }])
    expect(await packagesOf(last)).toMatchObject([{ packageId: `${id}:0:2`, dataMegaBytes: plan.data_mega_bytes - 5 }])
    expect((await attachmentsOf(last))[0].used_allowance.dataBytes).toBe(5 * MB)
  })
})

describe("a subscription has moved twice, and the SIM between is in stock again, or sold to somebody else", () => {
  const MB = 1_048_576
  const telco = TelcoSimulator.TelcoSimulator
  const begin = async () => {
    const own = await World.forTest()
    const { planId, tenant } = await Inventory.stock(own, 1, 4)
    const first = World.iccid(1)
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: first })
    const attachment = async (iccid: string) =>
      (await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data[0]
    const { plan, plan_attachment_id: id } = await attachment(first)
    await own.run(
      Effect.orDie(telco.use((of) => of.use({ packageId: `${id}:0`, bytes: (plan.data_mega_bytes - 10) * MB })))
    )
    const move = async (iccid: string) => (await tenant.post(`/v3/subscriptions/${iccid}/replace`)).body.data.esim.iccid
    const putBack = async (iccid: string) =>
      expect((await tenant.call("PATCH", `/v3/sims/${iccid}`, { body: { status: "available" } })).status).toBe(200)
    const ordered = async (iccid: string) =>
      (await own.run(telco.use((of) => of.packages))).flatMap((one) => (one.iccid === iccid ? [one.dataMegaBytes] : []))
    return { attachment, first, id, megaBytes: plan.data_mega_bytes, move, ordered, own, planId, putBack, tenant }
  }

  it.each([false, true])("what the first one still reports counts (sold: %s)", async (isSold) => {
    const { attachment, first, id, megaBytes, move, own, planId, putBack, tenant } = await begin()
    const second = await move(first)
    const third = await move(second)
    await putBack(second)
    if (isSold) await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: second })
    const occurred_at = new Date(World.START).toISOString()
    for (const [more, fields] of [
      [1, { package_id: `${id}:0` }],
      [2, {}]
    ] as const) {
      const total_bytes = (megaBytes - 10 + more) * MB
      const report = { ...{ id: `late ${more}`, type: "usage", iccid: first, occurred_at, total_bytes }, ...fields }
      expect((await own.telco([report])).body).toMatchObject({ accepted: 1 })
      expect((await attachment(third)).used_allowance.dataBytes).toBe(total_bytes)
    }
    expect((await tenant.get(`/v3/sims/${first}`)).body.data).toMatchObject({ reason: { moved_to: third } })
  })

  it("the first one is counted before the rest is ordered", async () => {
    const { attachment, first, megaBytes, move, ordered, own, putBack } = await begin()
    const when = (call: { readonly iccid: string }) => call.iccid === first
    await own.run(telco.use((of) => of.setFaults([{ fault: "unavailable", isDone: false, when, times: 1_000 }])))
    const second = await move(first)
    const third = await move(second)
    await own.admin("POST", "/clock/advance", { by: "10 minutes" })
    await putBack(second)
    await own.run(telco.use((of) => of.clearFaults))
    await own.admin("POST", "/clock/advance", { by: "2 hours" })
    expect([await ordered(second), await ordered(third)]).toEqual([[], [10]])
    expect((await attachment(third)).used_allowance.dataBytes).toBe((megaBytes - 10) * MB)
  })
})

describe("a move is refused", () => {
  it("where there is no subscription, and where no eSIM of the label is left", async () => {
    expect((await acme.post(path(99, "/replace"))).body).toMatchObject({ code: "subscription_not_found" })
    await subscribe(15)
    const free = (await acme.get("/v3/sims?status=free&page_size=100")).body.data
    for (const { iccid } of free) {
      await acme.call("PATCH", `/v3/sims/${iccid}`, { body: { status: "withdrawn", reason: "lost" } })
    }
    const before = await acme.get(path(15))
    expect((await acme.post(path(15, "/replace"))).body).toMatchObject({ code: "no_free_esim" })
    expect((await acme.post(path(15, "/replace?dry_run=true"))).body).toMatchObject({ code: "no_free_esim" })
    expect((await acme.get(path(15))).body).toEqual(before.body)
  })
})

describe("the SIM that a subscription has left, while the telco cannot confirm that", () => {
  /**
   * A world whose telco refuses connections when `away` is done, with a subscription on the first
   * SIM.
   */
  const begin = async () => {
    const own = await World.forTest()
    const { planId, tenant } = await Inventory.stock(own, 1, 4)
    const iccid = World.iccid(1)
    const body = { plan_id: planId, metadata: "", iccid }
    expect((await tenant.post("/v3/subscription", body)).status).toBe(201)
    const telco = TelcoSimulator.TelcoSimulator
    const away = () => own.run(telco.use((of) => of.setFaults([{ fault: "unavailable", isDone: false }])))
    const back = () => own.run(telco.use((of) => of.clearFaults))
    const move = () => tenant.post(`/v3/subscriptions/${iccid}/replace`)
    const sim = async () => (await tenant.get(`/v3/sims/${iccid}`)).body.data
    const advance = () => own.admin("POST", "/clock/advance", { by: "2 hours" })
    return { acme: tenant, advance, away, back, body, iccid, move, own, sim }
  }

  const withdrawn = { status: 409, body: { code: "sim_withdrawn" } }

  it("is put into service by nothing, nor after that", async () => {
    const { acme, advance, away, back, body, iccid, move, own, sim } = await begin()
    await away()
    expect((await move()).status).toBe(200)
    const refuses = async () => {
      expect(await acme.post("/v3/subscription", body)).toMatchObject(withdrawn)
      expect(await acme.post("/v3/subscription?dry_run=true", body)).toMatchObject(withdrawn)
      const wallet = { apply: true, label: "Green", iccid }
      expect(await acme.post("/v3/wallet/mobile-plan", wallet)).toMatchObject(withdrawn)
      expect(await sim()).toMatchObject({ status: "withdrawn", withdrawn_reason: "replaced", used: true })
    }
    await refuses()
    const available = { body: { status: "available" } }
    expect(await acme.call("PATCH", `/v3/sims/${iccid}`, available)).toMatchObject({ body: { code: "sim_busy" } })
    await advance()
    await refuses()
    await back()
    await own.run(
      TelcoSimulator.TelcoSimulator.use((of) => of.setFaults([{ fault: "refuse", on: "createPackage", times: 1 }]))
    )
    await refuses()
    await advance()
    await refuses()
    expect((await acme.call("PATCH", `/v3/sims/${iccid}`, available)).status).toBe(200)
    expect((await acme.post("/v3/subscription", body)).status).toBe(201)
  })

  it("gets nothing by a top-up that was 503 and comes again under its key", async () => {
    const { acme, advance, away, back, body, iccid, move, sim } = await begin()
    const topUp = () => acme.post("/v3/subscription", { ...body, metadata: "more" }, { "idempotency-key": "more" })
    await away()
    expect((await topUp()).status).toBe(503)
    const moved = await move()
    expect(moved.status).toBe(200)
    expect(await topUp()).toMatchObject(withdrawn)
    await back()
    await advance()
    expect(await topUp()).toMatchObject(withdrawn)
    expect(await sim()).toMatchObject({ status: "withdrawn" })
    expect((await acme.get(`/v3/subscriptions/${iccid}`)).status).toBe(404)
    const there = `/v3/subscriptions/${moved.body.data.esim.iccid}/plan-attachments`
    expect((await acme.get(there)).body.data).toHaveLength(1)
  })

  it("gets no mobile plan by a request that was 503 and comes again under its key", async () => {
    const { acme, advance, away, back, iccid, move, own } = await begin()
    const telco = TelcoSimulator.TelcoSimulator
    await own.run(telco.use((of) => of.setFaults([{ fault: "unavailable", on: "setMobilePlan", times: 1 }])))
    const apply = () =>
      acme.post("/v3/wallet/mobile-plan", { apply: true, label: "Green", iccid }, { "idempotency-key": "wallet" })
    expect((await apply()).status).toBe(503)
    await away()
    expect((await move()).status).toBe(200)
    await back()
    expect((await apply()).status).toBe(503)
    await advance()
    expect(await apply()).toMatchObject(withdrawn)
    const applied = await own.run(telco.use((of) => of.mobilePlans))
    expect(applied.get(iccid) ?? false).toBe(false)
  })

  it("gets nothing by top-ups at the same time", async () => {
    const { acme, advance, away, back, body, iccid, move, sim } = await begin()
    await away()
    const topUps = [1, 2, 3].map(() => acme.post("/v3/subscription", body))
    const [moved, ...answers] = await Promise.all([move(), ...topUps])
    for (const { status } of answers) expect([409, 503]).toContain(status)
    await back()
    await advance()
    const isMoved = moved?.status === 200
    expect((await sim()).status).toBe(isMoved ? "withdrawn" : "in_use")
    expect((await acme.get(`/v3/subscriptions/${iccid}`)).status).toBe(isMoved ? 404 : 200)
  })
})
