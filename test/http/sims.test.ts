/**
 * The SIM inventory, SM-DP+ history and the mobile plan, field by field.
 */
import { describe, expect, it } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

const at = new Date(World.START).toISOString()

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 30)
const acme = stock.tenant
await world.admin("POST", `/organizations/${acme.organizationId}/sims`, {
  sims: [{ iccid: World.iccid(90), label: "Blue", is_esim: false }]
})

describe("SIMs", () => {
  it("are listed page by page, in order of import", async () => {
    const first = await acme.get("/v3/sims")
    expect(first.body.data).toHaveLength(25)
    expect(first.body.data[0]).toStrictEqual({
      iccid: World.iccid(1),
      label: "Green",
      lpa: "LPA:1$smdp.example$M-1",
      used: false,
      esim_id: expect.any(String),
      created_at: at,
      is_esim: true,
      tags: []
    })
    const second = await acme.get(`/v3/sims?page_size=25&page=${first.body.next_page}`)
    expect(second.body.data).toHaveLength(6)
    expect(second.body.next_page).toBeNull()
  })

  it("come once each, whatever the page size", async () => {
    const seen: Array<string> = []
    for (let page = ""; ; ) {
      const { body } = await acme.get(`/v3/sims?page_size=9${page}`)
      seen.push(...body.data.map(({ iccid }: { readonly iccid: string }) => iccid))
      if (body.next_page === null) break
      page = `&page=${body.next_page}`
    }
    expect([new Set(seen).size, seen.length]).toEqual([31, 31])
  })

  it("are filtered", async () => {
    const physical = await acme.get("/v3/sims?is_esim=false")
    expect(physical.body.data).toMatchObject([{ iccid: World.iccid(90), lpa: null, is_esim: false }])
    expect((await acme.get("/v3/sims?label=Blue&is_esim=true")).body.data).toEqual([])
    expect((await acme.get("/v3/sims?label=Green&page_size=100")).body.data).toHaveLength(30)
  })

  it("are found by what a customer can name (rule L1)", async () => {
    const found = async (query: string) =>
      (await acme.get(`/v3/sims?${query}`)).body.data.map(({ iccid }: { readonly iccid: string }) => iccid)
    await world.admin("POST", `/organizations/${acme.organizationId}/sims`, {
      sims: [
        { iccid: World.iccid(20), label: "Green", is_esim: true, imsi: "240080000000020", msisdn: "+46701234520" },
        { iccid: World.iccid(21), label: "Green", is_esim: true, imsi: "240080000000021", msisdn: "46701234521" }
      ]
    })
    const named = { plan_id: stock.planId, metadata: "Order 4711", iccid: World.iccid(20) }
    const { body } = await acme.post("/v3/subscription", named)
    await acme.post("/v3/subscription", { ...named, metadata: "Påfyllning 1" })
    for (const search of [
      World.iccid(20),
      "240080000000020",
      "%2B46701234520",
      "+46701234520",
      "46701234520",
      body.subscription_id,
      "order%2047",
      "ORDER+4711",
      "p%C3%85FYLL"
    ]) {
      expect([search, await found(`search=${search}`)]).toEqual([search, [World.iccid(20)]])
    }
    expect(await found(`search=${World.iccid(21).slice(-4)}`)).toContain(World.iccid(21))
    expect(await found("search=order+4711&label=Blue")).toEqual([])
    expect(await found("search=471")).toEqual([])
    expect(await found("status=in_use")).toEqual([World.iccid(20)])
    expect(await found("status=releasing")).toEqual([])
    expect(await found("status=free&page_size=100")).toHaveLength(30)
    expect(await found(`created_after=${at}`)).toEqual([])
    expect(await found("created_after=2000-01-01T00:00:00Z&page_size=100")).toHaveLength(31)
    expect(await found("search=%20&page_size=100")).toHaveLength(31)
    expect((await acme.get("/v3/sims?search=order&page_size=1")).body.next_page).toBeNull()
  })

  it.each(["status=used", "created_after=today", `search=${"a".repeat(256)}`, "search=%00"])(
    "refuse %s",
    async (query) => {
      const refused = await acme.get(`/v3/sims?${query}`)
      expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
    }
  )

  it.each(["page_size=101", "page_size=0", "page_size=1.5", "is_esim=yes", "page=x", "page=LTE"])(
    "refuse %s",
    async (query) => {
      const refused = await acme.get(`/v3/sims?${query}`)
      expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
      expect(refused.body.message.startsWith(`${query.split("=")[0]} must`)).toBe(true)
    }
  )

  it("are shown one by one, in use or not", async () => {
    await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(2) })
    const { body } = await acme.get(`/v3/sims/${World.iccid(2)}`)
    expect(body).toMatchObject({ error: false, data: { iccid: World.iccid(2), used: true } })
    const none = await acme.get("/v3/sims/8944500000000000000")
    expect([none.status, none.body.code]).toEqual([404, "sim_not_found"])
  })
})

describe("SM-DP+ information", () => {
  const path = `/v3/sims/${World.iccid(2)}/smdp-info`

  it("is empty while nothing was reported", async () => {
    const { body } = await acme.get(path)
    expect(body).toStrictEqual({
      error: false,
      data: { iccid: World.iccid(2), state_history: [], current_status: null }
    })
  })

  it("shows the history, oldest first", async () => {
    const event = (id: string, state: string, rest = {}) => ({
      id,
      type: "smdp_state",
      iccid: World.iccid(2),
      occurred_at: at,
      state,
      ...rest
    })
    await world.telco([event("s1", "BPP Installation"), event("s2", "Enable", { modification_result: "Failed" })])
    const { body } = await acme.get(path)
    expect(body.data).toStrictEqual({
      iccid: World.iccid(2),
      state_history: [
        { state: "BPP Installation", modification_result: "Success", modified_at: at },
        { state: "Enable", modification_result: "Failed", modified_at: at }
      ],
      current_status: "BPP Installation"
    })
  })

  it("is 404 for a physical SIM and an unknown one", async () => {
    expect((await acme.get(`/v3/sims/${World.iccid(90)}/smdp-info`)).status).toBe(404)
    expect((await acme.get("/v3/sims/1/smdp-info")).status).toBe(404)
  })
})

describe("the mobile plan", () => {
  const set = (body: Readonly<Record<string, unknown>>) => acme.post("/v3/wallet/mobile-plan", body)

  it("is applied to an eSIM and removed from it", async () => {
    const applied = await set({ apply: true, label: "Green", iccid: World.iccid(3) })
    expect(applied.status).toBe(200)
    expect(applied.body).toStrictEqual({
      error: false,
      data: { iccid: World.iccid(3), mobile_plan_applied: true, id: expect.any(Number) }
    })
    const removed = await set({ apply: false, label: "Green", iccid: World.iccid(3) })
    expect(removed.body.data).toEqual({ ...applied.body.data, mobile_plan_applied: false })
    const chosen = await set({ apply: true, label: "Green" })
    expect(chosen.body.data.mobile_plan_applied).toBe(true)
  })

  it.each([
    [{ apply: false, label: "Green" }, 400, "invalid_field"],
    [{ apply: "true", label: "Green" }, 400, "invalid_field"],
    [{ apply: true, label: "Violet" }, 400, "invalid_field"],
    [{ apply: true, label: "Aqua" }, 404, "no_free_esim"],
    [{ apply: true, label: "Blue", iccid: World.iccid(3) }, 400, "label_mismatch"],
    [{ apply: true, label: "Green", iccid: "1" }, 404, "sim_not_found"]
  ])("refuses %j", async (body, status, code) => {
    const refused = await set(body)
    expect([refused.status, refused.body.code]).toEqual([status, code])
  })
})
