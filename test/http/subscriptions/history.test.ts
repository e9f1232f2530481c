/**
 * The history of a SIM (rule L3): all that happened, newest first, in pages, and nothing of another
 * organization.
 */
import { Problems } from "simplan"
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 3)
const acme = stock.tenant
const iccid = World.iccid(1)
const path = `/v3/subscriptions/${iccid}/history`

interface Entry {
  readonly at: string
  readonly type: string
  readonly what: string
}

const types = ["subscription.created", "attachment.created", "attachment.suspended"]
await world.admin("POST", `/organizations/${acme.organizationId}/webhook-endpoints`, {
  url: "https://hooks.example.com/",
  events: types
})
await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "first", iccid })
await world.admin("POST", "/clock/advance", { by: "1 hour" })
await world.telco([
  { type: "first_use", id: "use", iccid, occurred_at: new Date(World.START + 1_800_000).toISOString() },
  {
    type: "smdp_state",
    id: "state",
    iccid,
    state: "Enable",
    occurred_at: new Date(World.START + 900_000).toISOString()
  }
])
const { body: attachments } = await acme.get(`/v3/subscriptions/${iccid}/plan-attachments`)
await acme.post(`/v3/subscriptions/${iccid}/plan-attachments/${attachments.data[0].plan_attachment_id}/suspend`)

describe("L3: the history of a SIM", () => {
  it("has changes, events, states of the profile and packages, newest first", async () => {
    const { body, status } = await acme.get(path)
    expect([status, body.error, body.next_page]).toEqual([200, false, null])
    const whats = body.data.map(({ type, what }: Entry) => `${type} ${what}`)
    expect(whats.slice(0, 2).toSorted()).toEqual(["change plan_attachment.suspend", "event attachment.suspended"])
    expect(whats).toEqual(
      expect.arrayContaining([
        "change subscription.create",
        "package active",
        "profile Enable",
        "event subscription.created"
      ])
    )
    const times = body.data.map(({ at }: Entry) => at)
    expect(times).toEqual(times.toSorted().toReversed())
    expect(body.data.at(-1)).toStrictEqual({
      at: new Date(World.START).toISOString(),
      type: "change",
      what: "subscription.create",
      detail: null,
      by: expect.any(String),
      resource_id: expect.any(String),
      iccid
    })
  })

  it("has the attempts to deliver each event", async () => {
    const { body } = await acme.get(path)
    const events = body.data.filter(({ type }: Entry) => type === "event")
    const made = { at: expect.any(String), duration_ms: expect.any(Number) }
    const attempts = [{ ...made, number: 1, response_status: 200, error: null }]
    const deliveries = [
      {
        ...{ delivery_id: expect.any(String), endpoint: "https://hooks.example.com/" },
        ...{ status: "delivered", last_error: null }
      }
    ]
    const delivered = { detail: "https://hooks.example.com/: delivered", attempts, deliveries }
    // The last one may be under way.
    expect(events.slice(1)).toMatchObject([delivered, delivered])
    expect(events[0].attempts).toHaveLength(events[0].detail === delivered.detail ? 1 : 0)
    expect(body.data.filter((entry: object) => "attempts" in entry)).toEqual(events)
  })

  it("has what the telco has reported of its network and its usage", async () => {
    const at = (offset: number) => new Date(World.START + offset).toISOString()
    const place = { type: "location", iccid, operator: "Telia", rat: "4G", imei: "490154203237518" }
    await world.telco([
      { ...place, id: "there", country_alpha_2: "FR", occurred_at: at(1_900_000) },
      { ...place, id: "here", country_alpha_2: "SE", occurred_at: at(2_000_000) },
      { type: "usage", id: "used", iccid, total_bytes: 3_145_728, occurred_at: at(2_100_000) }
    ])
    const { body } = await acme.get(path)
    const of = (kind: string) => body.data.filter(({ type }: Entry) => type === kind)
    const network = { iccid, type: "network", by: null, resource_id: null }
    expect(of("network")).toEqual([
      { ...network, at: at(2_000_000), what: "SE", detail: "Telia, 4G" },
      { ...network, at: at(1_900_000), what: "FR", detail: null }
    ])
    expect(of("usage")).toEqual([
      {
        at: "2026-01-10T00:00:00.000Z",
        ...{ iccid, type: "usage", what: "SE", detail: "3.0 MB", by: null },
        resource_id: attachments.data[0].plan_attachment_id
      }
    ])
    expect(body.data.at(-1).type).toBe("usage")
  })

  it("has the work that waits, and what its last try met for operators alone", async () => {
    const of = World.iccid(2)
    await world.run(
      TelcoSimulator.TelcoSimulator.use((telco) => telco.setFaults([{ fault: "unavailable", on: "cancelPackage" }]))
    )
    await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: of })
    await acme.call("DELETE", `/v3/subscriptions/${of}`)
    const jobs = async (read: Promise<World.Answer>) =>
      (await read).body.data.filter(({ type }: Entry) => type === "job")
    const [own] = await jobs(acme.get(`/v3/subscriptions/${of}/history`))
    expect(own).toMatchObject({ what: "CancelPackages", by: null, resource_id: expect.stringMatching(/^release:/) })
    expect(own.detail).toMatch(/^unavailable, next try at \d{4}-\S+Z$/)
    const managed = `/organizations/${acme.organizationId}/subscriptions/${of}/history`
    expect((await jobs(world.admin("GET", managed)))[0].detail).toBe(`${own.detail}: The telco is out of reach`)
    await world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.clearFaults))
    await world.admin("POST", "/clock/advance", { by: "1 hour" })
    expect(await jobs(acme.get(`/v3/subscriptions/${of}/history`))).toEqual([])
  })

  it("comes in pages, each entry once", async () => {
    const whole = (await acme.get(path)).body.data
    const read: Array<Entry> = []
    for (let page = ""; ; ) {
      const { body } = await acme.get(`${path}?page_size=2${page}`)
      read.push(...body.data)
      if (body.next_page === null) break
      page = `&page=${body.next_page}`
    }
    expect(read).toEqual(whole)
  })

  it("has its problems, however many another organization and another SIM have", async () => {
    const another = World.iccid(1_001)
    await Inventory.stock(world, 1_001, 1)
    const finding = (id: string, of: string) => ({ findingId: id, iccid: of, message: `${id} differs` })
    const findings = Array.from({ length: 1_000 }, (_, index) => finding(`a${index}`, another))
    const before = Array.from({ length: 1_001 }, (_, index) => finding(`B${index}`, World.iccid(2)))
    await world.run(Problems.Problems.use((of) => of.add({ findings: [...findings, ...before, finding("b", iccid)] })))
    const { body } = await acme.get(path)
    expect(body.data.filter(({ type }: Entry) => type === "problem")).toMatchObject([{ detail: "b differs" }])
    const many = new Set<string>()
    for (let page: string | null = ""; page !== null; ) {
      const read = await acme.get(`/v3/subscriptions/${World.iccid(2)}/history?page_size=100${page}`)
      for (const { detail, type } of read.body.data) if (type === "problem") many.add(detail)
      page = read.body.next_page === null ? null : `&page=${read.body.next_page}`
    }
    expect(many.size).toBe(1_001)
    await world.run(Problems.Problems.use((of) => of.withdraw({ findingIds: ["b", "c"] })))
    const after = await acme.get(path)
    expect(after.body.data.filter(({ type }: Entry) => type === "problem")).toEqual([])
  })

  it("is empty for a SIM that nothing happened to, and of no other organization", async () => {
    expect((await acme.get(`/v3/subscriptions/${World.iccid(3)}/history`)).body).toStrictEqual({
      error: false,
      data: [],
      next_page: null
    })
    const other = await World.tenant(world)
    const none = await other.get(path)
    expect([none.status, none.body.code]).toEqual([404, "sim_not_found"])
    const refused = await acme.get(`${path}?page=x`)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
  })

  it("has an event once, however many endpoints it goes to, with each of them and its threshold", async () => {
    const many = await Inventory.stock(world, 500, 1)
    const [sold, of] = [World.iccid(500), many.tenant.organizationId]
    const hooks = ["a", "b", "c"].map((name) => `https://hooks.example.com/${name}`)
    for (const url of hooks) await world.admin("POST", `/organizations/${of}/webhook-endpoints`, { url })
    await many.tenant.post("/v3/subscription", { plan_id: many.planId, metadata: "", iccid: sold })
    await world.telco([
      {
        ...{ type: "usage", id: "much", iccid: sold, total_bytes: 850 * 1_048_576 },
        occurred_at: (await world.admin("GET", "/clock")).body.data.now
      }
    ])
    await world.admin("POST", "/clock/advance", { by: "1 minute" })
    const read: Array<{ readonly what: string; readonly detail: string; readonly deliveries?: unknown }> = []
    for (let page: string | null = ""; page !== null; ) {
      const { body } = await many.tenant.get(`/v3/subscriptions/${sold}/history?page_size=1${page}`)
      read.push(...body.data)
      page = body.next_page === null ? null : `&page=${body.next_page}`
    }
    const consumed = read.filter(({ what }) => what === "attachment.allowanceConsumed")
    expect(consumed.map(({ detail }) => detail.slice(0, 4)).toSorted()).toEqual(["50 %", "80 %"])
    for (const { deliveries, detail } of consumed) {
      for (const url of hooks) expect(detail).toContain(`${url}: delivered`)
      expect(deliveries).toHaveLength(3)
    }
    expect(read).toEqual((await many.tenant.get(`/v3/subscriptions/${sold}/history?page_size=100`)).body.data)
  })
})

describe("L3: the history of a subscription over its SIMs", () => {
  const advance = (by: string) => world.admin("POST", "/clock/advance", { by })
  const now = async (): Promise<string> => (await world.admin("GET", "/clock")).body.data.now
  const report = async (of: string, fields: object): Promise<void> => {
    const event = { id: crypto.randomUUID(), iccid: of, occurred_at: await now(), ...fields }
    expect((await world.telco([event])).body).toMatchObject({ accepted: 1, rejected: [] })
  }
  const read = async (of: string, size = 100, across = true): Promise<ReadonlyArray<Entry & { iccid: string }>> => {
    const found: Array<Entry & { iccid: string }> = []
    for (let page = ""; ; ) {
      const asked = `/v3/subscriptions/${of}/history?across_sims=${across}&page_size=${size}${page}`
      const { body } = await acme.get(asked)
      found.push(...body.data)
      if (body.next_page === null) return found
      page = `&page=${body.next_page}`
    }
  }
  const linesOf = (entries: Awaited<ReturnType<typeof read>>) =>
    entries.map(({ iccid: of, what }) => `${sims.indexOf(of)} ${what}`)
  const sims: Array<string> = []

  it("has its creation, top-ups, pauses, moves and what was reported, of all its SIMs, SIM by SIM", async () => {
    await Inventory.stock(world, 2_001, 1)
    const made = await Inventory.stock(world, 3_001, 4)
    const { tenant, planId } = made
    const call = async (method: string, path: string, body?: object) => (await tenant.call(method, path, { body })).body
    Object.assign(acme, tenant)
    const [first, second, third] = [3_001, 3_002, 3_003].map((place) => World.iccid(place))
    sims.push(first ?? "", second ?? "", third ?? "")
    // The SIM that it comes to had another subscription before.
    await call("POST", "/v3/subscription", { plan_id: planId, metadata: "other", iccid: second })
    await advance("1 hour")
    await call("DELETE", `/v3/subscriptions/${second}`)
    await advance("1 hour")
    await call("POST", "/v3/subscription", { plan_id: planId, metadata: "", iccid: first })
    await call("POST", "/v3/subscription", { plan_id: planId, metadata: "more", iccid: first })
    await report(first ?? "", { type: "usage", total_bytes: 1_048_576 })
    await advance("1 minute")
    await call("POST", `/v3/subscriptions/${first}/pause`)
    await advance("1 minute")
    await call("POST", `/v3/subscriptions/${first}/resume`)
    await advance("1 minute")
    // Never used ones come first.
    const moved = await call("POST", `/v3/subscriptions/${first}/replace`)
    sims[2] = moved.data.esim.iccid
    await advance("1 day")
    await report(sims[2] ?? "", { type: "usage", total_bytes: 2_097_152 })
    await call("POST", "/v3/subscription", { plan_id: planId, metadata: "more", iccid: sims[2] })
    await advance("1 minute")
    await call("POST", `/v3/subscriptions/${sims[2]}/replace`)
    const all = await tenant.get("/v3/subscription")
    sims.push(all.body.data[0].esim.iccid)
    await advance("1 minute")
    await report(first ?? "", { type: "location", country_alpha_2: "FR", operator: "Orange", rat: "4G", imei: "1" })

    const whole = await read(sims[3] ?? "")
    expect([...new Set(whole.map(({ iccid: of }) => of))]).toEqual([sims[3], sims[2], sims[0]])
    for (const of of sims) {
      const times = whole.filter((one) => one.iccid === of).map(({ at }) => at)
      expect(times).toEqual(times.toSorted().toReversed())
    }
    expect(linesOf(whole.filter(({ type }) => type === "change"))).toEqual([
      "3 subscription.replace",
      "2 sim.withdraw",
      "2 plan_attachment.create",
      "2 subscription.replace",
      "0 sim.withdraw",
      "0 subscription.resume",
      "0 subscription.pause",
      "0 plan_attachment.create",
      "0 subscription.create"
    ])
    expect(linesOf(whole.filter(({ type }) => type === "usage"))).toEqual(["2 unknown", "0 unknown"])
    expect(linesOf(whole.filter(({ type }) => type === "network"))).toEqual(["0 FR"])
    // Each beginning of a package once, where it was then.
    expect(linesOf(whole.filter(({ type }) => type === "package"))).toEqual(["0 active"])
  })

  it("is the same from each of its SIMs, and in pages of any size, each entry once", async () => {
    const whole = await read(sims[3] ?? "")
    for (const of of [sims[0], sims[2]]) expect(await read(of ?? "")).toEqual(whole)
    for (const size of [1, 2, 3, 7]) expect(await read(sims[3] ?? "", size)).toEqual(whole)
    expect((await read(sims[3] ?? "", 100, false)).every(({ iccid: of }) => of === sims[3])).toBe(true)
  })

  it("ends with the SIM that is put back into stock and sold again, and is no other subscription's", async () => {
    const [first, , second, third] = sims
    const before = (await read(third ?? "")).filter(({ type }) => type !== "network")
    await acme.call("PATCH", `/v3/sims/${second}`, { body: { status: "available" } })
    await acme.call("PATCH", `/v3/sims/${first}`, { body: { status: "available" } })
    await advance("1 hour")
    const { data } = (await acme.get("/v3/plans")).body
    await acme.post("/v3/subscription", { plan_id: data[0]._id ?? data[0].plan_id, metadata: "next", iccid: first })
    await advance("1 hour")
    expect((await read(third ?? "")).filter(({ type }) => type !== "network")).toEqual(before)
    const others = await read(first ?? "")
    expect(linesOf(others.filter(({ type }) => type === "change"))).toEqual(["0 subscription.create"])
  })

  it("ends with its deletion, for whoever asks from a SIM before", async () => {
    const [, , second, third] = sims
    const one = await acme.post(`/v3/subscriptions/${third}/replace`)
    const fourth: string = one.body.data.esim.iccid
    await advance("1 hour")
    await acme.call("DELETE", `/v3/subscriptions/${fourth}`)
    await advance("1 hour")
    const whole = await read(third ?? "")
    expect(whole[0]).toMatchObject({ iccid: fourth, what: expect.stringMatching(/delete/) })
    expect(new Set(whole.map(({ iccid: of }) => of)).has(second ?? "")).toBe(true)
    const { data } = (await acme.get("/v3/plans")).body
    await acme.post("/v3/subscription", { plan_id: data[0]._id ?? data[0].plan_id, metadata: "next", iccid: fourth })
    await advance("1 hour")
    expect(await read(third ?? "")).toEqual(whole)
  })
})
