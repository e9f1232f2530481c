/**
 * Plans, field by field as the interface and rule P3 name them.
 */
import { beforeAll, describe, expect, it } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 1)
const acme = stock.tenant

const recurring = {
  recurring: true,
  nb_occurrence: 12,
  recurring_periodicity_type: "2",
  recurring_periodicity_frequency: 1
}

const create = (fields: Readonly<Record<string, unknown>> = {}) =>
  acme.post("/v3/plans", Inventory.planBody(stock.coverageId, fields))

describe("creating a plan", () => {
  it("answers 201 with a message and the id", async () => {
    const { body, status } = await create()
    expect(status).toBe(201)
    expect(body).toStrictEqual({ error: false, message: expect.any(String), plan_id: expect.any(String) })
  })

  const wrong: ReadonlyArray<readonly [fields: Readonly<Record<string, unknown>>, message: string]> = [
    [{ data_MBs: 0 }, "data_MBs "],
    [{ data_MBs: 1.5 }, "data_MBs must be an integer"],
    [{ data_MBs: "5" }, "data_MBs "],
    [{ data_MBs: 2 ** 31 }, "data_MBs "],
    [{ period_days: 3661 }, "period_days "],
    [{ name: " " }, "name must not be empty"],
    [{ name: 5 }, "name must be a string"],
    [{ recurring: "true" }, "recurring must be true or false"],
    [{ ...Inventory.throttled, throttling_threshold1_perc: undefined }, "throttling_threshold1_perc "],
    [{ ...Inventory.throttled, throttling_threshold2_perc: 50 }, "throttling_threshold2_perc "],
    [{ ...Inventory.throttled, throttling_threshold3_limit: 128 }, "throttling_threshold3_limit "],
    [{ ...Inventory.throttled, throttling_threshold1_limit: "64" }, "throttling_threshold1_limit "],
    [{ ...recurring, nb_occurrence: 0 }, "nb_occurrence "],
    [{ ...recurring, nb_occurrence: undefined }, "nb_occurrence "],
    [{ ...recurring, nb_occurrence: "12" }, "nb_occurrence must be an integer from 1 to 1000"],
    ...["3", "-1", "", "00", "Daily", 0, 2, null, undefined].map(
      (type) =>
        [
          { ...recurring, recurring_periodicity_type: type },
          'recurring_periodicity_type must be a string: "0" (Daily), "1" (Weekly) or "2" (Monthly)'
        ] as const
    ),
    ...["32", "100", "0", "", " 128", 128, null, undefined].map(
      (limit) =>
        [
          { ...Inventory.throttled, throttling_threshold2_limit: limit },
          'throttling_threshold2_limit must be a string: one of "128", "256"'
        ] as const
    ),
    [
      { ...Inventory.throttled, throttling_threshold3_perc: "90" },
      "throttling_threshold3_perc must be an integer from 1 to 100"
    ],
    [{ ...recurring, recurring_periodicity_frequency: "1" }, "recurring_periodicity_frequency "],
    [{ alert_thresholds: [50, 0] }, "alert_thresholds"],
    [{ alert_thresholds: [50, 101] }, "alert_thresholds"],
    [{ alert_thresholds: [50.5] }, "alert_thresholds"],
    [{ alert_thresholds: ["50"] }, "alert_thresholds"],
    [{ alert_thresholds: 50 }, "alert_thresholds"],
    [{ metadata: "x".repeat(4_097) }, "metadata"],
    [{ metadata: 1 }, "metadata"],
    [{ price: "19.90" }, "currency must be three capital letters"],
    [{ price: "19.90", currency: "sek" }, "currency must be three capital letters"],
    [{ currency: "SEK" }, "price must be given with a currency"],
    [{ price: "19,90", currency: "SEK" }, "price must be a decimal"],
    [{ price: 19.9, currency: "SEK" }, "price"],
    [{ price: "-1", currency: "SEK" }, "price must not be negative"],
    [{ alert_thresholds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }, "alert_thresholds"]
  ]

  it.each(wrong)("refuses %j", async (fields, message) => {
    const refused = await create(fields)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
    expect(refused.body.message.startsWith(message)).toBe(true)
  })

  it("ignores what belongs to a feature that is off", async () => {
    const made = await create({
      nb_occurrence: "many",
      throttling_threshold1_perc: [],
      throttling_threshold1_limit: null
    })
    expect(made.status).toBe(201)
    const { body } = await acme.get(`/v3/plans/${made.body.plan_id}`)
    expect(body.data).not.toHaveProperty("nb_occurrence")
    expect(body.data).not.toHaveProperty("throttling_threshold1_perc")
  })

  it("answers 404 for an unknown coverage profile", async () => {
    const refused = await create({ coverage_id: "nope" })
    expect([refused.status, refused.body.code]).toEqual([404, "coverage_profile_not_found"])
  })
})

describe("reading a plan", () => {
  it("shows every field of one that is plain", async () => {
    const { body } = await acme.get(`/v3/plans/${stock.planId}`)
    expect(body).toStrictEqual({
      error: false,
      data: {
        plan_name: "France 1 GB",
        plan_id: stock.planId,
        coverage_id: stock.coverageId,
        archived_at: null,
        region_code: "FR",
        label: "Green",
        throttling: false,
        recurring: false,
        archive: false,
        data_mega_bytes: 1000,
        period_days: 30
      }
    })
  })

  it("shows the percentages of alerts that were named (U2)", async () => {
    const planId = await stock.plan({ alert_thresholds: [100, 25, 75, 25] })
    const { body } = await acme.get(`/v3/plans/${planId}`)
    expect(body.data.alert_thresholds).toEqual([25, 75, 100])
  })

  it("shows the text and the price that were given, in lists too (P7)", async () => {
    const said = { metadata: "article 1200", price: "19.90", currency: "SEK" }
    const planId = await stock.plan({ name: "Sold for 19.90", ...said })
    const { body } = await acme.get(`/v3/plans/${planId}`)
    expect(body.data).toMatchObject(said)
    expect((await acme.get("/v3/plans?search_query=19.90")).body.data).toMatchObject([said])
    const managed = `/organizations/${acme.organizationId}/plans/${planId}`
    expect((await world.admin("GET", managed)).body.data).toMatchObject(said)
    const dearer = { price: "24", currency: "SEK" }
    const set = await world.admin("PUT", `${managed}/price`, dearer)
    expect([set.status, set.body.data]).toEqual([200, { plan_id: planId, ...dearer }])
    expect((await acme.get(`/v3/plans/${planId}`)).body.data).toMatchObject({ ...said, ...dearer })
    expect((await world.admin("PUT", `${managed}/price`, { price: "1" })).status).toBe(400)
    expect((await world.admin("PUT", `${managed}/price`, {})).body.data).toMatchObject({ price: null, currency: null })
    const unpriced = (await acme.get(`/v3/plans/${planId}`)).body.data
    expect(unpriced).toMatchObject({ metadata: "article 1200" })
    expect(unpriced).not.toHaveProperty("price")
    const log = await world.admin("GET", `/organizations/${acme.organizationId}/audit?action=plan.set_price`)
    expect(log.body.data.map(({ changed }: { readonly changed: unknown }) => changed)).toEqual([
      [{ field: "price", before: "24 SEK", after: null }],
      [{ field: "price", before: "19.90 SEK", after: "24 SEK" }]
    ])
  })

  it("shows throttling and recurrence", async () => {
    const planId = await stock.plan({ ...Inventory.throttled, ...recurring })
    const { body } = await acme.get(`/v3/plans/${planId}`)
    expect(body.data).toMatchObject({ ...Inventory.throttled, ...recurring })
  })

  it("answers 404 for an unknown one", async () => {
    const none = await acme.get("/v3/plans/00000000-0000-7000-8000-000000000000")
    expect([none.status, none.body]).toEqual([404, { error: true, message: "Plan not found", code: "plan_not_found" }])
  })
})

describe("archiving and deleting", () => {
  it("archives, restores and deletes", async () => {
    const planId = await stock.plan({})
    for (const _ of [1, 2]) {
      const archived = await acme.post(`/v3/plans/${planId}/archive`)
      expect([archived.status, archived.body]).toEqual([200, { error: false, message: expect.any(String) }])
    }
    const { body } = await acme.get(`/v3/plans/${planId}`)
    expect(body.data).toMatchObject({ archive: true, archived_at: new Date(World.START).toISOString() })
    await acme.post(`/v3/plans/${planId}/unarchive`)
    expect((await acme.get(`/v3/plans/${planId}`)).body.data).toMatchObject({ archive: false, archived_at: null })
    const deleted = await acme.call("DELETE", `/v3/plans/${planId}`)
    expect([deleted.status, deleted.body]).toEqual([200, { error: false, message: expect.any(String) }])
    expect((await acme.get(`/v3/plans/${planId}`)).status).toBe(404)
    expect((await acme.post(`/v3/plans/${planId}/archive`)).status).toBe(404)
  })
})

describe("listing plans", () => {
  let many: World.Tenant
  const names = async (query: string): Promise<ReadonlyArray<string>> => {
    const { body } = await many.get(`/v3/plans?${query}`)
    return body.data.map((plan: { readonly plan_name: string }) => plan.plan_name).sort()
  }

  beforeAll(async () => {
    many = await World.tenant(world)
    for (const n of Array.from({ length: 12 }, (_, index) => index)) {
      await many.post("/v3/plans", Inventory.planBody(stock.coverageId, { name: `Plan ${n}` }))
    }
    const europe = await many.get("/v3/coverage-profiles?region_code=EUROPE&label=Aqua")
    const made = await many.post("/v3/plans", Inventory.planBody(europe.body.data[0].coverage_id, { name: "Roaming" }))
    await many.post(`/v3/plans/${made.body.plan_id}/archive`)
  })

  it("pages through all of them, ten at a time", async () => {
    const first = await many.get("/v3/plans")
    expect(first.body.data).toHaveLength(10)
    expect(first.body.data[0]).toStrictEqual({
      ...(await many.get(`/v3/plans/${first.body.data[0].plan_id}`)).body.data,
      created_at: new Date(World.START).toISOString()
    })
    const rest = await many.get(`/v3/plans?page=${first.body.next_page}`)
    expect(rest.body.data).toHaveLength(3)
    expect(rest.body.next_page).toBeNull()
    expect(await names("page_size=25")).toHaveLength(13)
  })

  it("filters", async () => {
    expect(await names("archived=true")).toEqual(["Roaming"])
    expect(await names("archived=false&page_size=25")).toHaveLength(12)
    expect(await names("search_query=pLaN%201&page_size=25")).toEqual(["Plan 1", "Plan 10", "Plan 11"])
    expect(await names("label=Aqua")).toEqual(["Roaming"])
    expect(await names("label=Violet")).toEqual([])
    expect(await names("country_iso_2=fr,DE&page_size=25")).toEqual(["Roaming"])
    expect(await names("country_iso_2=FR&page_size=25")).toHaveLength(13)
    expect(await names("country_iso_2=US")).toEqual([])
    expect(await names("country_iso_2=, fr ,&page_size=25")).toHaveLength(13)
  })

  it.each([
    "page_size=0",
    "page_size=26",
    "page_size=ten",
    "archived=1",
    "page=",
    "page=!",
    "page=bm90IGEgcGxhY2U",
    "country_iso_2=FRANCE",
    "country_iso_2=FR,%C3%9F",
    "page_size=1&page_size=2"
  ])("refuses %s", async (query) => {
    const refused = await many.get(`/v3/plans?${query}`)
    const field = query.split("=")[0]
    expect([refused.status, refused.body.message.startsWith(`${field} must`)]).toEqual([400, true])
  })
})
