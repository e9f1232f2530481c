/**
 * What was used, by day and country (rule U1): of a SIM, and of the organization, as JSON and as
 * CSV.
 */
import { Storage, UsageBook } from "simplan/ports"
import { beforeAll, describe, expect, it } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

const DAY = 86_400_000

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 3)
const acme = stock.tenant
const other = await World.tenant(world)

const day = (offset: number): string => new Date(World.START + offset * DAY).toISOString().slice(0, 10)
const at = (offset: number): string => new Date(World.START + offset * DAY).toISOString()

let [second, attachment] = ["", ""]

const usage = (n: number, id: string, delta_bytes: number, offset: number, fields: object = {}) => ({
  id,
  type: "usage",
  iccid: World.iccid(n),
  occurred_at: at(offset),
  delta_bytes,
  ...fields
})

beforeAll(async () => {
  second = await stock.plan({ name: "Second" })
  for (const n of [1, 2]) {
    const planId = n === 1 ? stock.planId : second
    await acme.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: World.iccid(n) })
  }
  const attachments = await acme.get(`/v3/subscriptions/${World.iccid(1)}/plan-attachments`)
  attachment = attachments.body.data[0].plan_attachment_id
  const named = { package_id: `${attachment}:0` }
  const place = { country_alpha_2: "DE", operator: "o", rat: "5G", imei: "1" }
  const { body } = await world.telco([
    { id: "seen", type: "location", iccid: World.iccid(1), occurred_at: at(-2), ...place },
    usage(1, "a", 1, -3, named),
    usage(1, "b", 2, -2, named),
    usage(1, "c", 4, -2, { ...named, country_alpha_2: "fr" }),
    usage(1, "c", 4, -2, { ...named, country_alpha_2: "FR" }),
    usage(1, "d", 8, 0, named),
    usage(2, "e", 16, 0, { country_alpha_2: "SE" })
  ])
  expect(body).toMatchObject({ accepted: 6, duplicates: 1, rejected: [] })
})

const ofSim = (query: string, n = 1) => acme.get(`/v3/subscriptions/${World.iccid(n)}/usage${query}`)

describe("a SIM's usage", () => {
  it("is by day, of the last 30 days", async () => {
    const { body, status } = await ofSim("")
    expect(status).toBe(200)
    expect(body).toStrictEqual({
      error: false,
      data: [
        { day: day(-3), used_bytes: 1 },
        { day: day(-2), used_bytes: 6 },
        { day: day(0), used_bytes: 8 }
      ]
    })
  })

  it("is by day and country, of the report or where the SIM was, and sums to what is used", async () => {
    const { body } = await ofSim(`?from=${day(-3)}&to=${day(0)}&by=country,day`)
    expect(body.data).toStrictEqual([
      { day: day(-3), country_alpha_2: null, used_bytes: 1 },
      { day: day(-2), country_alpha_2: "DE", used_bytes: 2 },
      { day: day(-2), country_alpha_2: "FR", used_bytes: 4 },
      { day: day(0), country_alpha_2: "DE", used_bytes: 8 }
    ])
    const attachments = await acme.get(`/v3/subscriptions/${World.iccid(1)}/plan-attachments`)
    expect(attachments.body.data[0].used_allowance.dataBytes).toBe(15)
  })

  it("is by country, by attachment, and of the days alone that are named", async () => {
    const days = `?from=${day(-2)}&to=${day(-1)}`
    expect((await ofSim(`${days}&by=country`)).body.data).toStrictEqual([
      { country_alpha_2: "DE", used_bytes: 2 },
      { country_alpha_2: "FR", used_bytes: 4 }
    ])
    expect((await ofSim(`${days}&by=attachment`)).body.data).toStrictEqual([
      { plan_attachment_id: attachment, used_bytes: 6 }
    ])
    expect((await ofSim(`?from=${day(1)}&to=${day(2)}`)).body.data).toStrictEqual([])
  })

  it("is a table with Accept: text/csv", async () => {
    const answer = await acme.call("GET", `/v3/subscriptions/${World.iccid(1)}/usage?by=day,country`, {
      headers: { accept: "text/csv" }
    })
    expect(answer.headers.get("content-type")).toMatch(/^text\/csv/)
    const lines = [`${day(-3)},,1`, `${day(-2)},DE,2`, `${day(-2)},FR,4`, `${day(0)},DE,8`]
    expect(answer.text).toBe(["day,country_alpha_2,used_bytes", ...lines, ""].join("\r\n"))
  })

  it("is none of a SIM that was not used, and 404 of one that is another's or unknown", async () => {
    expect((await ofSim("", 3)).body).toStrictEqual({ error: false, data: [] })
    const unknown = [await ofSim("", 77), await other.get(`/v3/subscriptions/${World.iccid(1)}/usage`)]
    for (const { body, status } of unknown) expect([status, body.code]).toEqual([404, "sim_not_found"])
  })
})

describe("the organization's usage", () => {
  it.each([
    [
      "day",
      () => [
        [day(-3), 1],
        [day(-2), 6],
        [day(0), 24]
      ],
      "day"
    ],
    [
      "country",
      () => [
        [null, 1],
        ["DE", 10],
        ["FR", 4],
        ["SE", 16]
      ],
      "country_alpha_2"
    ],
    [
      "plan",
      () =>
        [
          [stock.planId, 15],
          [second, 16]
        ].sort(),
      "plan_id"
    ],
    ["label", () => [["Green", 31]], "label"],
    [
      "sim",
      () => [
        [World.iccid(1), 15],
        [World.iccid(2), 16]
      ],
      "iccid"
    ],
    ["month", () => [[day(0).slice(0, 7), 31]], "month"]
  ] as const)("is by %s", async (by, expected, name) => {
    const { body, status } = await acme.get(`/v3/usage?from=${day(-3)}&to=${day(0)}&by=${by}`)
    expect(status).toBe(200)
    expect(body).toStrictEqual({
      error: false,
      data: expected().map(([key, used_bytes]) => ({ [name]: key, used_bytes }))
    })
  })

  it("is by several groups at once, in their order and not in that of the names", async () => {
    const days = `?from=${day(-3)}&to=${day(0)}`
    const byDay = [
      { day: day(-3), country_alpha_2: null, used_bytes: 1 },
      { day: day(-2), country_alpha_2: "DE", used_bytes: 2 },
      { day: day(-2), country_alpha_2: "FR", used_bytes: 4 },
      { day: day(0), country_alpha_2: "DE", used_bytes: 8 },
      { day: day(0), country_alpha_2: "SE", used_bytes: 16 }
    ]
    for (const by of ["day,country", "country,day"]) {
      expect((await acme.get(`/v3/usage${days}&by=${by}`)).body.data).toStrictEqual(byDay)
    }
    const ofPlan = (planId: string, country_alpha_2: string | null, used_bytes: number) => ({
      month: day(0).slice(0, 7),
      country_alpha_2,
      plan_id: planId,
      label: "Green",
      used_bytes
    })
    expect((await acme.get(`/v3/usage${days}&by=label,month,plan,country`)).body.data).toStrictEqual([
      ofPlan(stock.planId, null, 1),
      ofPlan(stock.planId, "DE", 10),
      ofPlan(stock.planId, "FR", 4),
      ofPlan(second, "SE", 16)
    ])
    const table = await acme.call("GET", `/v3/usage${days}&by=country,day`, { headers: { accept: "text/csv" } })
    const lines = byDay.map((one) => `${one.day},${one.country_alpha_2 ?? ""},${one.used_bytes}`)
    expect(table.text).toBe(["day,country_alpha_2,used_bytes", ...lines, ""].join("\r\n"))
  })

  it("is by day unless it is said otherwise, as CSV too, and its own alone", async () => {
    expect((await acme.get("/v3/usage")).body.data).toHaveLength(3)
    expect((await other.get("/v3/usage")).body).toStrictEqual({ error: false, data: [] })
    const answer = await acme.call("GET", "/v3/usage?by=sim", { headers: { accept: "text/csv" } })
    expect(answer.text).toBe(`iccid,used_bytes\r\n${World.iccid(1)},15\r\n${World.iccid(2)},16\r\n`)
  })

  it("stays when the subscription is deleted", async () => {
    const planId = await stock.plan({ name: "Third" })
    await acme.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: World.iccid(3) })
    expect((await acme.call("DELETE", `/v3/subscriptions/${World.iccid(3)}`)).status).toBe(200)
    expect((await acme.get("/v3/usage?by=label")).body.data).toStrictEqual([{ label: "Green", used_bytes: 31 }])
  })
})

it("usage of 400 days in five countries comes as a whole", async () => {
  const tenant = await World.tenant(world)
  const { organizationId } = tenant
  const iccid = World.iccid(60)
  await world.admin("POST", `/organizations/${organizationId}/sims`, { sims: Inventory.esims(60, 1) })
  const today = UsageBook.dayOf(World.START)
  const of = { organizationId, iccid, attachmentId: "a", planId: "p", label: "Green", bytes: 1 } as const
  const usage = Array.from({ length: 400 }, (_, index) => today - index * DAY).flatMap((start) =>
    ["DE", "FR", "NO", "SE", null].map((countryAlpha2) => ({ ...of, day: start, countryAlpha2 }))
  )
  await world.run(Storage.Storage.use((storage) => storage.commit({ reports: { usage } })))
  const path = `/v3/subscriptions/${iccid}/usage?from=${day(-399)}&to=${day(0)}`
  const { body } = await tenant.get(`${path}&by=day,country`)
  expect(body.data).toHaveLength(2_000)
  expect(new Set(body.data.map((item: object) => JSON.stringify(item))).size).toBe(2_000)
  expect((await tenant.get(path)).body.data).toEqual(
    Array.from({ length: 400 }, (_, index) => ({ day: day(index - 399), used_bytes: 5 }))
  )
  expect((await tenant.get(`${path}&by=attachment`)).body.data).toEqual([
    { plan_attachment_id: "a", used_bytes: 2_000 }
  ])
  const table = await tenant.call("GET", `${path}&by=day,country`, { headers: { accept: "text/csv" } })
  expect(table.text.split("\r\n")).toHaveLength(2_002)
  const all = `/v3/usage?from=${day(-399)}&to=${day(0)}`
  const totals = (await tenant.get(`${all}&by=day,country`)).body.data
  expect(totals).toHaveLength(2_000)
  expect(totals).toEqual(body.data)
  const months = (await tenant.get(`${all}&by=month,label`)).body.data
  expect(months.map(({ month }: { readonly month: string }) => month)).toEqual([
    ...new Set(Array.from({ length: 400 }, (_, index) => day(index - 399).slice(0, 7)))
  ])
  expect(months.reduce((sum: number, one: { readonly used_bytes: number }) => sum + one.used_bytes, 0)).toBe(2_000)
})

describe("usage is refused", () => {
  it.each([
    ["?from=2026-02-30", "from must be a day"],
    ["?from=2026-1-1", "from must be a day"],
    ["?to=yesterday", "to must be a day"],
    ["?from=2026-01-02&to=2026-01-01", "to must not be before from"],
    ["?from=2024-01-01&to=2025-02-05", "to must be within 400 days of from"],
    ["?from=2026-01-01&from=2026-01-02", "from must be given once"]
  ])("with %s", async (query, message) => {
    for (const answer of [await ofSim(query), await acme.get(`/v3/usage${query}`)]) {
      expect([answer.status, answer.body.code]).toEqual([400, "invalid_field"])
      expect(answer.body.message).toContain(message)
    }
  })

  it("with another group", async () => {
    for (const by of ["", "plan", "day,", "day;country", "day,day,day,day"]) {
      expect((await ofSim(`?by=${by}`)).body.message).toBe(
        "by must be a list of day, country, attachment, separated by commas"
      )
    }
    for (const by of ["", "attachment", "day,", "day;country", "sim,day", "day,day,day,day,day"]) {
      expect((await acme.get(`/v3/usage?by=${by}`)).body.message).toBe(
        "by must be sim, or a list of day or month, country, plan, label, separated by commas"
      )
    }
    for (const headers of [{}, { accept: "text/csv" }]) {
      const { body, status } = await acme.call("GET", "/v3/usage?by=month,country,day", { headers })
      expect([status, body.code, body.message]).toEqual([
        400,
        "invalid_field",
        "by must be sim, or a list of day or month, country, plan, label"
      ])
    }
  })

  it("without a key", async () => {
    expect((await world.fetch("GET", "/v3/usage")).status).toBe(401)
  })
})
