/**
 * Subscriptions, their attachments, SMS and location, field by field as the interface names them.
 */
import { describe, expect, it } from "vitest"
import { TelcoSimulator } from "../../../adapters/telco-simulator/index.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const iso = (millis: number): string => new Date(millis).toISOString()
const HOUR = 3_600_000
const DAY = 24 * HOUR

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 20)
const acme = stock.tenant
await world.admin("POST", `/organizations/${acme.organizationId}/sims`, {
  sims: [{ iccid: World.iccid(90), label: "Green", is_esim: false }, ...Inventory.esims(80, 1, "Blue")]
})

const subscribe = (n: number, body: Readonly<Record<string, unknown>> = {}) =>
  acme.post("/v3/subscription", { plan_id: stock.planId, metadata: `m${n}`, iccid: World.iccid(n), ...body })

describe("creating a subscription", () => {
  it("answers 201, not wrapped, without times where no active period was sent", async () => {
    for (const [n, period] of [
      [1, {}],
      [2, { active_period: null }]
    ] as const) {
      const { body, status } = await subscribe(n, period)
      expect(status).toBe(201)
      expect(body).toStrictEqual({
        subscription_id: expect.any(String),
        created_at: iso(World.START),
        metadata: `m${n}`,
        esimdata: {
          esim_id: expect.any(String),
          iccid: World.iccid(n),
          label: "Green",
          lpa_string: `LPA:1$smdp.example$M-${n}`
        }
      })
    }
  })

  it("shows the times where an active period was sent", async () => {
    const { body } = await subscribe(3, {
      active_period: { start: "2026-01-11T01:00:00+01:00", end: "2026-01-20T00:00:00Z" }
    })
    expect(body.activation_at).toBe("2026-01-11T00:00:00.000Z")
    expect(body.expiration_at).toBe("2026-01-20T00:00:00.000Z")
  })

  it("takes a free eSIM, and shows a physical SIM without an LPA", async () => {
    const chosen = await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "" })
    expect(chosen.body.esimdata.iccid).toBe(World.iccid(4))
    const physical = await subscribe(90)
    expect(physical.body.esimdata.lpa_string).toBeNull()
  })

  it("adds a plan to the subscription that the SIM has", async () => {
    const first = await subscribe(1, { metadata: "top-up" })
    expect(first.status).toBe(201)
    expect(first.body.metadata).toBe("top-up")
    const { body } = await acme.get(`/v3/subscriptions/${World.iccid(1)}`)
    expect(first.body.subscription_id).toBe(body.data.subscription_id)
    expect(body.data.metadata).toBe("m1")
  })

  it.each([
    ["an unknown plan", { plan_id: "nope" }, 404, "plan_not_found"],
    ["an unknown SIM", { iccid: "8944500000000000000" }, 404, "sim_not_found"],
    ["another label", { iccid: World.iccid(80) }, 400, "label_mismatch"],
    ["no end", { active_period: { start: "2026-01-11T00:00:00Z" } }, 400, "invalid_field"],
    ["no start", { active_period: { end: "2026-01-11T00:00:00Z" } }, 400, "invalid_field"],
    ["no zone", { active_period: { start: "2026-01-11T00:00:00", end: "2026-01-12T00:00:00Z" } }, 400, "invalid_field"],
    [
      "no such day",
      { active_period: { start: "2026-02-30T00:00:00Z", end: "2026-03-12T00:00:00Z" } },
      400,
      "invalid_field"
    ]
  ])("refuses %s", async (_, fields, status, code) => {
    const answer = await subscribe(5, fields)
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.error).toBe(true)
  })

  it("names the field that is wrong as the wire does", async () => {
    const answer = await subscribe(5, { active_period: { start: "2026-01-12T00:00:00Z", end: "2026-01-11T00:00:00Z" } })
    expect(answer.body.message).toMatch(/^active_period\.end must be after/)
  })

  it("answers 404 where no eSIM of the label is free", async () => {
    const blue = await acme.get("/v3/coverage-profiles?region_code=FR&label=Blue")
    const planId = await stock.plan({ coverage_id: blue.body.data[0].coverage_id })
    expect((await acme.post("/v3/subscription", { plan_id: planId, metadata: "" })).status).toBe(201)
    const none = await acme.post("/v3/subscription", { plan_id: planId, metadata: "" })
    expect([none.status, none.body.code]).toEqual([404, "no_free_esim"])
  })

  it("answers 409 for an archived plan, 404 for a deleted one", async () => {
    const planId = await stock.plan({})
    await acme.post(`/v3/plans/${planId}/archive`)
    const archived = await subscribe(5, { plan_id: planId })
    expect([archived.status, archived.body.code]).toEqual([409, "plan_archived"])
    await acme.call("DELETE", `/v3/plans/${planId}`)
    expect((await subscribe(5, { plan_id: planId })).status).toBe(404)
  })

  it("answers 502 where the telco refuses, and 503 with Retry-After where it is away", async () => {
    await world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.setFaults([{ fault: "refuse", times: 1 }])))
    const refused = await subscribe(6)
    expect([refused.status, refused.body.code]).toEqual([502, "telco_refused"])
    await world.run(
      TelcoSimulator.TelcoSimulator.use((telco) => telco.setFaults([{ fault: "unavailable", on: "createPackage" }]))
    )
    const away = await subscribe(7)
    expect([away.status, away.body.code]).toEqual([503, "telco_unavailable"])
    expect(Number(away.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    await world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.clearFaults))
  })
})

describe("reading subscriptions", () => {
  it("shows one, and all of them", async () => {
    const one = await acme.get(`/v3/subscriptions/${World.iccid(1)}`)
    expect(one.body).toStrictEqual({
      error: false,
      data: {
        subscription_id: expect.any(String),
        created_at: iso(World.START),
        metadata: "m1",
        paused_at: null,
        esim: {
          esim_id: expect.any(String),
          iccid: World.iccid(1),
          lpa_string: "LPA:1$smdp.example$M-1",
          label: "Green"
        }
      }
    })
    const all = await acme.get("/v3/subscription")
    expect(all.body.error).toBe(false)
    expect(all.body.data).toContainEqual(one.body.data)
    expect(all.headers.get("content-length")).not.toBeNull()
  })

  it("answers 404 for a SIM without one", async () => {
    const none = await acme.get(`/v3/subscriptions/${World.iccid(15)}`)
    expect([none.status, none.body.code]).toEqual([404, "subscription_not_found"])
  })
})

describe("plan attachments", () => {
  it("are listed with their plan and packages", async () => {
    const { body } = await acme.get(`/v3/subscriptions/${World.iccid(3)}/plan-attachments`)
    const [attachment] = body.data
    const times = { activation_at: "2026-01-11T00:00:00.000Z", expiration_at: "2026-01-20T00:00:00.000Z" }
    expect(body).toStrictEqual({
      error: false,
      data: [
        {
          plan_attachment_id: expect.any(String),
          created_at: iso(World.START),
          ...times,
          used_allowance: { dataBytes: 0 },
          metadata: "m3",
          state: "CREATED",
          reason: {
            code: "waits_for_start",
            message: `The package activates at ${times.activation_at}`,
            at: times.activation_at
          },
          plan: {
            name: "France 1 GB",
            _id: stock.planId,
            coverage_id: stock.coverageId,
            region_code: "FR",
            label: "Green",
            throttling: false,
            recurring: false,
            data_mega_bytes: 1000,
            period_days: 30
          },
          packages: [{ package_id: `${attachment.plan_attachment_id}:0`, ...times, used_allowance: { dataBytes: 0 } }]
        }
      ]
    })
    for (const id of [stock.planId, attachment.plan_attachment_id]) {
      const one = await acme.get(`/v3/subscriptions/${World.iccid(3)}/plan-attachments/${id}`)
      expect(one.body).toStrictEqual({ error: false, data: attachment })
    }
  })

  it("are pending until their first use, with null times", async () => {
    const { body } = await acme.get(`/v3/subscriptions/${World.iccid(2)}/plan-attachments/${stock.planId}`)
    expect(body.data).toMatchObject({ state: "PENDING_FOR_FIRST_USE", activation_at: null, expiration_at: null })
    expect(body.data.reason).toStrictEqual({
      code: "waits_for_first_use",
      message: "The package activates at the first use of the SIM"
    })
  })

  it("are suspended for good, by their own id only", async () => {
    const path = `/v3/subscriptions/${World.iccid(2)}/plan-attachments`
    const byPlan = await acme.post(`${path}/${stock.planId}/suspend`)
    expect([byPlan.status, byPlan.body.code]).toEqual([404, "plan_attachment_not_found"])
    const { body } = await acme.get(`${path}/${stock.planId}`)
    for (const _ of [1, 2]) {
      const suspended = await acme.post(`${path}/${body.data.plan_attachment_id}/suspend`)
      expect(suspended.status).toBe(200)
      expect(suspended.body).toStrictEqual({ error: false, message: "Plan attachment suspended successfully" })
    }
    const after = (await acme.get(`${path}/${stock.planId}`)).body.data
    expect(after.state).toBe("SUSPENDED")
    expect(after.reason).toStrictEqual({
      code: "suspended",
      message: expect.stringMatching(/^It was suspended at .* by /),
      at: iso(World.START),
      by: expect.any(String)
    })
  })

  it("of an expired plan cannot be suspended", async () => {
    const past = { start: iso(World.START - DAY), end: iso(World.START + HOUR) }
    await subscribe(10, { active_period: past })
    await world.admin("POST", "/clock/advance", { by: "2 hours" })
    const path = `/v3/subscriptions/${World.iccid(10)}/plan-attachments`
    const { body } = await acme.get(`${path}/${stock.planId}`)
    expect(body.data).toMatchObject({ state: "EXPIRED", reason: { code: "over", at: past.end } })
    const refused = await acme.post(`${path}/${body.data.plan_attachment_id}/suspend`)
    expect([refused.status, refused.body.code]).toEqual([409, "attachment_expired"])
  })
})

describe("a pause", () => {
  it("lasts until the subscription is resumed, again and again, and is shown", async () => {
    const line = `/v3/subscriptions/${World.iccid(11)}`
    await subscribe(11)
    const services = () => world.run(TelcoSimulator.TelcoSimulator.use((of) => of.services))
    expect((await acme.get(line)).body.data.paused_at).toBeNull()
    const before = (await acme.get(`${line}/plan-attachments`)).body.data
    const clock = (await world.admin("GET", "/clock")).body.data
    for (const _ of [1, 2]) {
      const paused = await acme.post(`${line}/pause`)
      expect(paused.status).toBe(200)
      expect(paused.body).toStrictEqual({ error: false, message: "Subscription paused successfully" })
    }
    await world.admin("POST", "/clock/advance", { by: "1 minute" })
    expect((await services()).get(World.iccid(11))).toBe(false)
    expect((await acme.get(line)).body.data.paused_at).toBe(clock.now)
    const listed = (await acme.get("/v3/subscription")).body.data
    expect(listed.filter((one: { paused_at: unknown }) => one.paused_at !== null)).toMatchObject([
      { paused_at: clock.now }
    ])
    const onlyThose = async (status: string) =>
      (await acme.get(`/v3/subscription?${status}`)).body.data.map((one: { esim: { iccid: string } }) => one.esim.iccid)
    expect(await onlyThose("status=paused")).toEqual([World.iccid(11)])
    expect(await onlyThose("status=paused&label=Blue")).toEqual([])
    const active = await onlyThose("status=active")
    expect([active.length, active.includes(World.iccid(11))]).toEqual([listed.length - 1, false])
    const refused = await acme.get("/v3/subscription?status=ACTIVE")
    expect([refused.status, refused.body.message]).toEqual([400, "status must be one of active, paused"])
    const since = `The SIM has no service: the subscription has been paused since ${clock.now}`
    const ofPaused = (reason: object) => async () => {
      const [{ reason: actual, ...rest }] = (await acme.get(`${line}/plan-attachments`)).body.data
      expect(actual).toEqual(reason)
      return rest
    }
    const [{ reason: waits, ...others }] = before
    const pending = ofPaused({ ...waits, message: `${waits.message}. ${since}`, paused_at: clock.now })
    expect(await pending()).toEqual(others)
    await world.telco([{ type: "first_use", id: "first", iccid: World.iccid(11), occurred_at: clock.now }])
    expect(await ofPaused({ code: "paused", message: since, at: clock.now })()).toMatchObject({ state: "ACTIVE" })
    for (const _ of [1, 2]) {
      const resumed = await acme.post(`${line}/resume`)
      expect(resumed.status).toBe(200)
      expect(resumed.body).toStrictEqual({ error: false, message: "Subscription resumed successfully" })
    }
    await world.admin("POST", "/clock/advance", { by: "1 minute" })
    expect((await services()).get(World.iccid(11))).toBe(true)
    expect((await acme.get(line)).body.data.paused_at).toBeNull()
    expect((await acme.get(`${line}/plan-attachments`)).body.data).toMatchObject([{ state: "ACTIVE", reason: null }])
  })

  it("needs a subscription", async () => {
    for (const action of ["pause", "resume"]) {
      const { body, status } = await acme.post(`/v3/subscriptions/${World.iccid(19)}/${action}`)
      expect([status, body.code]).toEqual([404, "subscription_not_found"])
    }
  })
})

describe("SMS and location", () => {
  it("sends an SMS", async () => {
    const sent = await acme.post(`/v3/subscriptions/${World.iccid(1)}/send-sms`, {
      from: "simplan",
      message: "Bonjour ☕"
    })
    expect(sent.status).toBe(200)
    expect(sent.body).toStrictEqual({ error: false, message: "SMS sent successfully", segments: 1 })
    const messages = await world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.messages))
    expect(messages).toMatchObject([{ iccid: World.iccid(1), from: "simplan", text: "Bonjour ☕" }])
    const empty = await acme.post(`/v3/subscriptions/${World.iccid(1)}/send-sms`, { from: "simplan", message: "" })
    expect([empty.status, empty.body.message.startsWith("message ")]).toEqual([400, true])
    const unassigned = await acme.post(`/v3/subscriptions/${World.iccid(15)}/send-sms`, { from: "a", message: "b" })
    expect(unassigned.status).toBe(404)
  })

  it("answers the segments of an SMS, and refuses senders and texts that the network does not carry", async () => {
    const send = (from: string, message: string) =>
      acme.post(`/v3/subscriptions/${World.iccid(1)}/send-sms`, { from, message })
    const longest = await send("+123456789012345", "[".repeat(760))
    expect([longest.status, longest.body.segments]).toEqual([200, 10])
    for (const [from, message, field] of [
      ["twelve chars", "a", "from"],
      ["simplan ☕", "a", "from"],
      ["1234567890123456", "a", "from"],
      ["", "a", "from"],
      ["simplan", "[".repeat(761), "message"],
      ["simplan", "é".repeat(1531), "message"]
    ] as const) {
      const refused = await send(from, message)
      expect([refused.status, refused.body.code, refused.body.message.split(" ")[0]], from).toEqual([
        400,
        "invalid_field",
        field
      ])
    }
  })

  it("sends one SIM so many SMS in a minute, and then says when to come back (W13)", async () => {
    const send = () => acme.post(`/v3/subscriptions/${World.iccid(1)}/send-sms`, { from: "a", message: "b" })
    const answers = []
    for (let count = 0; count < 35; count++) answers.push(await send())
    const refused = answers.at(-1)
    expect(refused?.body).toMatchObject({ error: true, code: "sms_limited" })
    expect(refused?.status).toBe(429)
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("shows the last operator, and null without activity", async () => {
    const path = `/v3/subscriptions/${World.iccid(1)}/location`
    expect((await acme.get(path)).body).toStrictEqual({ error: false, last_operator: null })
    const { body } = await world.telco([
      {
        id: "l1",
        type: "location",
        iccid: World.iccid(1),
        occurred_at: iso(World.START + HOUR),
        country_alpha_2: "fr",
        operator: "Orange",
        rat: "4G",
        imei: "490154203237518"
      }
    ])
    expect(body).toStrictEqual({ accepted: 1, duplicates: 0, rejected: [] })
    expect((await acme.get(path)).body).toStrictEqual({
      error: false,
      last_operator: {
        country: "France",
        country_alpha_2: "FR",
        operator: "Orange",
        rat: "4G",
        imei: "490154203237518"
      }
    })
  })
})

describe("deleting a subscription", () => {
  it("gives the SIM back", async () => {
    const deleted = await acme.call("DELETE", `/v3/subscriptions/${World.iccid(3)}`)
    expect(deleted.status).toBe(200)
    expect(deleted.body).toStrictEqual({ error: false, message: "Subscription deleted successfully" })
    expect((await acme.get(`/v3/subscriptions/${World.iccid(3)}`)).status).toBe(404)
  })

  it("is refused once the eSIM was installed", async () => {
    const refused = await acme.call("DELETE", `/v3/subscriptions/${World.iccid(1)}`)
    expect(refused.status).toBe(403)
    expect(refused.body).toStrictEqual({
      error: true,
      message: "Cannot delete a subscription whose esim was installed on a device",
      code: "esim_installed"
    })
  })
})
