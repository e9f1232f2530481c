import { once } from "node:events"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"
import * as Random from "../../faults/Random.ts"

const occurred_at = new Date(World.START).toISOString()

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 4)

interface Field {
  readonly schema: string
  readonly name: string
  readonly limit: number
  /** Sends a request with that text in the field. */
  readonly send: (text: string) => Promise<World.Answer>
}

const endpoints = (): string => `/organizations/${stock.tenant.organizationId}/webhook-endpoints`
const url = (length: number): string => "https://hooks.example/".padEnd(length, "x")

const fields: ReadonlyArray<Field> = [
  {
    schema: "CreateSubscription",
    name: "metadata",
    limit: 4_096,
    send: (metadata) => stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata })
  },
  {
    schema: "CreatePlan",
    name: "name",
    limit: 255,
    send: (name) => stock.tenant.post("/v3/plans", Inventory.planBody(stock.coverageId, { name }))
  },
  {
    schema: "CreateRegion",
    name: "region_name",
    limit: 255,
    send: (region_name) =>
      stock.tenant.post("/v3/coverage-profiles/custom-region", {
        region_name,
        label: "Green",
        iso2_list: region_name.length > 300 ? ["FR", "DE", "PT"] : ["FR", "DE", "ES"]
      })
  },
  {
    schema: "CreateOrganization",
    name: "name",
    limit: 255,
    send: (name) => world.admin("POST", "/organizations", { name })
  },
  {
    schema: "CreateApiKey",
    name: "name",
    limit: 255,
    send: (name) => world.admin("POST", `/organizations/${stock.tenant.organizationId}/api-keys`, { name })
  },
  {
    schema: "CreateWebhookEndpoint",
    name: "url",
    limit: 2_048,
    send: (text) => world.admin("POST", endpoints(), { url: url([...text].length) })
  },
  {
    schema: "CreateWebhookEndpoint",
    name: "description",
    limit: 255,
    send: (description) => world.admin("POST", endpoints(), { url: url(30), description })
  }
]

describe("A text of a request (W9)", () => {
  it.each(fields)("$schema $name has at most $limit characters", async ({ limit, name, schema, send }) => {
    const { body } = await world.fetch("GET", "/openapi.json")
    expect(body.components.schemas[schema].properties[name]).toMatchObject({ type: "string", maxLength: limit })
    for (const text of ["x".repeat(limit), "😀".repeat(limit)]) {
      expect((await send(text)).status).toBeLessThan(300)
    }
    for (const text of ["x".repeat(limit + 1), "😀".repeat(limit + 1), "x".repeat(1_000_000)]) {
      const refused = await send(text)
      expect(refused.status).toBe(400)
      expect(refused.body.message).toBe(`${name} must have at most ${limit} characters`)
    }
  })

  it("is checked before anything is read", async () => {
    const metadata = "x".repeat(4_097)
    const { status } = await stock.tenant.post("/v3/subscription", { plan_id: "unknown", metadata })
    expect(status).toBe(400)
  })

  it("in a report is refused with its report alone", async () => {
    const seen = { type: "location", iccid: World.iccid(1), occurred_at, country_alpha_2: "FR", rat: "4G", imei: "1" }
    const { body } = await world.telco([
      { ...seen, id: "long", operator: "x".repeat(256) },
      { ...seen, id: "short", operator: "x".repeat(255) }
    ])
    expect(body).toMatchObject({
      accepted: 1,
      rejected: [{ index: 0, id: "long", message: "operator must have at most 255 characters" }]
    })
  })
})

describe("An array of a request (W9)", () => {
  const arrays: ReadonlyArray<{
    readonly schema: string
    readonly name: string
    readonly limit: number
    readonly send: (items: ReadonlyArray<unknown>) => Promise<World.Answer>
  }> = [
    {
      schema: "CreateRegion",
      name: "iso2_list",
      limit: 500,
      send: (iso2_list) =>
        stock.tenant.post("/v3/coverage-profiles/custom-region", { region_name: "A", label: "Green", iso2_list })
    },
    {
      schema: "CreateWebhookEndpoint",
      name: "events",
      limit: 100,
      send: (events) => world.admin("POST", endpoints(), { url: url(30), events })
    },
    {
      schema: "ReportEvents",
      name: "events",
      limit: 1_000,
      send: (events) =>
        world.fetch("POST", "/telco/v1/events", {
          body: { events },
          headers: { authorization: `Bearer ${World.TELCO_TOKEN}` }
        })
    }
  ]

  it.each(arrays)("$schema $name is measured before its items are", async ({ limit, name, schema, send }) => {
    const { body } = await world.fetch("GET", "/openapi.json")
    const text = JSON.stringify(body.components.schemas[schema].properties[name])
    expect(text).toContain(`"maxItems":${limit}`)
    for (const items of [Array(limit + 1).fill(1), Array(20_000).fill(1)]) {
      const refused = await send(items)
      expect([refused.status, refused.body.message]).toEqual([400, `${name} must have at most ${limit} items`])
    }
  })
})

describe("A body (W9)", () => {
  const send = (raw: string) =>
    world.fetch("POST", "/v3/coverage-profiles/custom-region", {
      raw,
      headers: { "x-api-key": stock.tenant.key, "content-type": "application/json" }
    })

  it.each([
    { of: "nested arrays", raw: "[".repeat(500_000) + "]".repeat(500_000) },
    { of: "arrays", raw: `[${"[],".repeat(50_000)}0]` },
    { of: "objects", raw: `[${"{},".repeat(50_000)}0]` },
    { of: "fields", raw: `{${'"a":0,'.repeat(60_000)}"b":0}` }
  ])("of too many $of is refused before it is parsed", async ({ raw }) => {
    const { body, status } = await send(raw)
    expect([status, body.code, body.message]).toEqual([400, "invalid_field", "body must have at most 25000 values"])
  })

  it("is read whole in chunks of any sizes", async () => {
    const random = Random.make(1)
    const blanks = Array.from({ length: 300_000 }, () => random.pick([" ", "\t", "\n"])).join("")
    const raw = `{"region_name":"In chunks",${blanks}"label":"Green","iso2_list":["FR","ES"]}`
    const headers = {
      "x-api-key": stock.tenant.key,
      "content-type": "application/json",
      "idempotency-key": "in chunks"
    }
    const sent = request(`${world.url}/v3/coverage-profiles/custom-region`, { method: "POST", headers })
    const answered = once(sent, "response")
    const bytes = Buffer.from(raw)
    for (let at = 0, next = 0; at < bytes.length; at = next) {
      next = at + random.pick([1, 1, 2, 300, 4_096, 4_097, 20_000, 70_000])
      sent.write(bytes.subarray(at, next))
      if (random.next() < 0.1) await new Promise(setImmediate)
    }
    sent.end()
    const [response] = await answered
    const first = JSON.parse(await text(response))
    expect(response.statusCode).toBe(200)
    // A key is used again only with the same value.
    const again = await world.fetch("POST", "/v3/coverage-profiles/custom-region", { raw, headers })
    expect([again.status, again.body]).toEqual([200, first])
    const other = await world.fetch("POST", "/v3/coverage-profiles/custom-region", { raw: `[${raw}]`, headers })
    expect(other.status).toBe(422)
  })

  it("may have any text in its strings", async () => {
    const { body } = await send(
      JSON.stringify({ region_name: '\\",[{'.repeat(60_000), label: "Green", iso2_list: ["FR"] })
    )
    expect(body.message).toBe("region_name must have at most 255 characters")
  })
})

describe("A list (W10)", () => {
  it("is read in pages of which two with the longest texts take less than 1 MB", async () => {
    const limits: Array<number> = []
    const storage = World.changed(({ subscriptions }) => ({
      subscriptions: {
        ...subscriptions,
        page: (query) => {
          limits.push(query.limit)
          return subscriptions.page(query)
        }
      }
    }))
    const listing = await World.start({ storage })
    const { tenant } = await Inventory.stock(listing, 1, 1)
    expect((await tenant.get("/v3/subscription")).status).toBe(200)
    await listing.close()
    // An emoji is one character and takes four bytes, in memory as in UTF-8.
    expect(limits).toHaveLength(1)
    for (const limit of limits) expect(2 * limit * 4 * (4_096 + 255)).toBeLessThan(1_048_576)
  })
})
