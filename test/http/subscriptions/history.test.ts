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
      resource_id: expect.any(String)
    })
  })

  it("has the attempts to deliver each event", async () => {
    const { body } = await acme.get(path)
    const events = body.data.filter(({ type }: Entry) => type === "event")
    const made = { at: expect.any(String), duration_ms: expect.any(Number) }
    const attempts = [{ ...made, number: 1, response_status: 200, error: null }]
    const delivered = { detail: "Delivered", attempts }
    // The last one may be under way.
    expect(events.slice(1)).toMatchObject([delivered, delivered])
    expect(events[0].attempts).toHaveLength(events[0].detail === "Delivered" ? 1 : 0)
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
    const network = { type: "network", by: null, resource_id: null }
    expect(of("network")).toEqual([
      { ...network, at: at(2_000_000), what: "SE", detail: "Telia, 4G" },
      { ...network, at: at(1_900_000), what: "FR", detail: null }
    ])
    expect(of("usage")).toEqual([
      {
        at: "2026-01-10T00:00:00.000Z",
        ...{ type: "usage", what: "SE", detail: "3.0 MB", by: null },
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
})
