/**
 * The intake of telco reports over the wire (rules R1 and U1): each event stands alone.
 */
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const occurred_at = new Date(World.START).toISOString()

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 3)
await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(1) })

const usage = (id: string, fields: Readonly<Record<string, unknown>>) => ({
  id,
  type: "usage",
  iccid: World.iccid(1),
  occurred_at,
  ...fields
})

describe("reports", () => {
  it("are accepted, and known again", async () => {
    const first = await world.telco([
      { id: "a", type: "first_use", iccid: World.iccid(1), occurred_at },
      usage("b", { total_bytes: 1000 }),
      usage("c", { delta_bytes: 24 })
    ])
    expect(first.body).toStrictEqual({ accepted: 3, duplicates: 0, rejected: [] })
    const { body } = await world.telco([usage("b", { total_bytes: 1000 })])
    expect(body).toStrictEqual({ accepted: 0, duplicates: 1, rejected: [] })
    const attachment = await stock.tenant.get(`/v3/subscriptions/${World.iccid(1)}/plan-attachments/${stock.planId}`)
    expect(attachment.body.data).toMatchObject({ used_allowance: { dataBytes: 1024 }, state: "ACTIVE" })
  })

  it("name the SIM and our package as telcos write them: with a pad, in capitals (I1, I13)", async () => {
    const short = "898520302104026905"
    const sims = [
      { iccid: "8988000000000000057", label: "Green", is_esim: true },
      { iccid: `${short}FF`, label: "Green", is_esim: true }
    ]
    await world.admin("POST", `/organizations/${stock.tenant.organizationId}/sims`, { sims })
    for (const iccid of ["8988000000000000057", short]) {
      await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
      const path = `/v3/subscriptions/${iccid}/plan-attachments/${stock.planId}`
      const { body } = await stock.tenant.get(path)
      const package_id = body.data.packages[0].package_id.toUpperCase()
      const padded = iccid === short ? `${iccid}FF` : `${iccid}F`
      const at = { iccid: padded, occurred_at }
      const seen = { type: "location", country_alpha_2: "FR", operator: "Orange", rat: "4G", imei: "1" }
      const events = [
        { ...at, id: `${iccid}-1`, type: "usage", total_bytes: 1_000 },
        { ...at, id: `${iccid}-2`, type: "usage", total_bytes: 2_000, package_id },
        { ...at, id: `${iccid}-3`, type: "usage", delta_bytes: 24, package_id },
        { ...at, id: `${iccid}-4`, type: "first_use", package_id },
        { ...at, id: `${iccid}-5`, type: "smdp_state", state: "Enable" },
        { ...at, id: `${iccid}-6`, ...seen },
        { ...at, iccid: padded.toLowerCase(), id: `${iccid}-6`, ...seen }
      ]
      expect((await world.telco(events)).body).toStrictEqual({ accepted: 6, duplicates: 1, rejected: [] })
      expect((await stock.tenant.get(path)).body.data.used_allowance.dataBytes).toBe(2_024)
    }
  })

  it("end a package before its time, and the SIM's history says why (R4, L3)", async () => {
    const iccid = World.iccid(2)
    await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
    const path = `/v3/subscriptions/${iccid}/plan-attachments/${stock.planId}`
    const { package_id } = (await stock.tenant.get(path)).body.data.packages[0]
    const end = { type: "package_end", iccid, occurred_at, reason: "lapsed" }
    const { body } = await world.telco([
      { ...end, id: "e1", package_id },
      { ...end, id: "e2" },
      { ...end, id: "e3", package_id, reason: "tired" },
      { ...end, id: "e4", package_id: "another" },
      { ...end, id: "e1", package_id }
    ])
    expect(body).toMatchObject({ accepted: 1, duplicates: 1 })
    expect(body.rejected.map(({ message }: { message: string }) => message)).toEqual([
      "package_id is required",
      "reason must be one of depleted, expired, revoked, lapsed",
      expect.stringContaining("is no package of this SIM")
    ])
    const attachment = await stock.tenant.get(path)
    const times = { activation_at: null, expiration_at: occurred_at }
    expect(attachment.body.data).toMatchObject({ state: "EXPIRED", ...times, packages: [times] })
    const history = await stock.tenant.get(`/v3/subscriptions/${iccid}/history`)
    const changes = history.body.data.filter(({ type }: { type: string }) => type === "change")
    expect(changes[0]).toMatchObject({ what: "sim.report", detail: `package ${package_id}: – → lapsed` })
  })

  it("that do not decode are rejected alone, with their place and id", async () => {
    const bad: ReadonlyArray<readonly [unknown, string | null, string]> = [
      [5, null, "event must be an object"],
      [null, null, "event must be an object"],
      [[], null, "event must be an object"],
      [{ id: "x" }, "x", "type must be one of"],
      [{ id: "x", type: "toString" }, "x", "type must be one of"],
      [{ id: 5, type: "first_use", iccid: "1", occurred_at }, null, "id must be a string"],
      [{ id: "", type: "first_use", iccid: "1", occurred_at }, "", "id must not be empty"],
      [usage("x", { iccid: Number("8988000000000000057"), total_bytes: 1 }), "x", "iccid must be text"],
      [usage("x", {}), "x", "total_bytes or delta_bytes"],
      [usage("x", { total_bytes: 1, delta_bytes: 1 }), "x", "total_bytes or delta_bytes"],
      [usage("x", { total_bytes: -1 }), "x", "total_bytes must not be negative"],
      [usage("x", { total_bytes: 1.5 }), "x", "total_bytes must be a whole number"],
      [usage("x", { total_bytes: 1, occurred_at: "today" }), "x", "occurred_at must be an RFC 3339"],
      [usage("x", { total_bytes: 1, package_id: 5 }), "x", "package_id must be a string"],
      [usage("x", { total_bytes: 1, country_alpha_2: "FRA" }), "x", "country_alpha_2 must be"],
      [usage("x", { total_bytes: 1, country_alpha_2: "" }), "x", "country_alpha_2 must be"],
      [usage("x", { total_bytes: 1, country_alpha_2: 5 }), "x", "country_alpha_2 must be"],
      [usage("x\0", { total_bytes: 1 }), null, "event.id must not contain"],
      [usage("x", { total_bytes: 1, note: "\ud800" }), "x", "event.note must not contain"],
      [{ id: "x", type: "smdp_state", iccid: "1", occurred_at, state: "Enabled" }, "x", "state must be one of"],
      [
        {
          id: "x",
          type: "location",
          iccid: "1",
          occurred_at,
          country_alpha_2: "FRA",
          operator: "a",
          rat: "b",
          imei: "c"
        },
        "x",
        "country_alpha_2 must be"
      ],
      [usage("x", { iccid: "8944500000000000000", total_bytes: 1 }), "x", ""]
    ]
    const good = usage("good", { total_bytes: 2000 })
    const { body, status } = await world.telco([...bad.map(([event]) => event), good])
    expect([status, body.accepted, body.duplicates]).toEqual([200, 1, 0])
    expect(body.rejected).toHaveLength(bad.length)
    for (const [index, [, id, message]] of bad.entries()) {
      expect(body.rejected[index]).toMatchObject({ index, id, message: expect.stringContaining(message) })
    }
  })

  it("come up to 1,000 at a time, in a list", async () => {
    const events = Array.from({ length: 1_001 }, (_, index) => usage(`m${index}`, { total_bytes: 3000 + index }))
    const tooMany = await world.telco(events)
    expect([tooMany.status, tooMany.body.message]).toEqual([400, "events must have at most 1000 items"])
    expect((await world.telco(events.slice(1))).body.accepted).toBe(1_000)
    expect((await world.telco([])).body).toStrictEqual({ accepted: 0, duplicates: 0, rejected: [] })
    expect((await world.telco({})).body.message).toBe("events must be an array")
  })

  it("need the telco's token", async () => {
    const answer = await world.fetch("POST", "/telco/v1/events", {
      body: { events: [] },
      headers: { authorization: `Bearer ${World.ADMIN_TOKEN}` }
    })
    expect([answer.status, answer.body.code]).toEqual([401, "token_invalid"])
  })
})
