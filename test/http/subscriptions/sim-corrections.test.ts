/**
 * Corrections of a SIM over HTTP (rule I9).
 */
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 6)
const acme = stock.tenant
const other = await World.tenant(world)

const path = (number: number): string => `/v3/sims/${World.iccid(number)}`
const update = (number: number, body: object) => acme.call("PATCH", path(number), { body })
const refusalOf = async (number: number, body: object) => {
  const { body: answer, status } = await update(number, body)
  return [status, answer.code]
}
const entries = async (number: number): Promise<ReadonlyArray<string>> => {
  const of = `/organizations/${acme.organizationId}/audit?resource_id=${World.iccid(number)}`
  const { body } = await world.admin("GET", of)
  return body.data.map((entry: { readonly action: string }) => entry.action)
}

describe("A SIM that no subscription holds", () => {
  it("gets another label and activation code, and the audit log has both", async () => {
    const { body, status } = await update(1, { label: "Blue", lpa_string: "LPA:1$smdp.example$NEW-1" })
    const expected = {
      iccid: World.iccid(1),
      label: "Blue",
      lpa: "LPA:1$smdp.example$NEW-1",
      used: false,
      status: "available",
      withdrawn_reason: null
    }
    expect([status, body]).toMatchObject([200, { error: false, data: expected }])
    expect((await acme.get(path(1))).body.data).toStrictEqual(body.data)
    expect((await acme.get("/v3/sims?label=Blue")).body.data).toHaveLength(1)
    expect((await entries(1)).toSorted()).toEqual(["sim.set_activation_code", "sim.set_label"])
    expect((await update(1, { label: "Blue" })).status).toBe(200)
    expect(await entries(1)).toHaveLength(2)
    expect((await update(1, { lpa_string: null })).body.data.lpa).toBeNull()
  })

  it("is withdrawn, is given to nobody, and is available again", async () => {
    const { body } = await update(2, { status: "withdrawn", reason: "broken" })
    expect(body.data).toMatchObject({ status: "withdrawn", withdrawn_reason: "broken", used: true })
    const create = (more: object) => acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "", ...more })
    const named = await create({ iccid: World.iccid(2) })
    expect([named.status, named.body]).toEqual([
      409,
      {
        error: true,
        code: "sim_withdrawn",
        message: `The SIM ${World.iccid(2)} is withdrawn: it is broken`
      }
    ])
    const chosen = (await create({})).body
    expect(chosen.esimdata.iccid).toBe(World.iccid(3))
    const plan = await acme.post("/v3/wallet/mobile-plan", { apply: true, label: "Green" })
    expect(plan.body.data.iccid).toBe(World.iccid(3))
    const applied = await acme.post("/v3/wallet/mobile-plan", { apply: true, label: "Green", iccid: World.iccid(2) })
    expect([applied.status, applied.body.code]).toEqual([409, "sim_withdrawn"])
    await update(2, { status: "available" })
    expect((await acme.get(path(2))).body.data).toMatchObject({ status: "available", withdrawn_reason: null })
    expect((await create({})).body.esimdata.iccid).toBe(World.iccid(2))
    expect(await entries(2)).toEqual(expect.arrayContaining(["sim.withdraw", "sim.restore"]))
  })

  it("is the last one: no eSIM is free while it is withdrawn", async () => {
    for (const number of [4, 5, 6]) await update(number, { status: "withdrawn", reason: "lost" })
    const refused = await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: "" })
    expect([refused.status, refused.body.code]).toEqual([404, "no_free_esim"])
    for (const number of [4, 5, 6]) await update(number, { status: "available" })
  })
})

describe("What is refused", () => {
  it("is a label or a withdrawal while a subscription holds the SIM", async () => {
    expect(await refusalOf(3, { label: "Blue" })).toEqual([409, "sim_in_use"])
    expect(await refusalOf(3, { status: "withdrawn", reason: "lost" })).toEqual([409, "sim_in_use"])
    expect((await update(3, { lpa_string: "LPA:1$smdp.example$NEW-3", status: "available" })).status).toBe(200)
  })

  it.each([
    [{}],
    [{ label: "Pink" }],
    [{ lpa_string: "LPA:1$smdp.example" }],
    [{ status: "sold" }],
    [{ status: "withdrawn" }],
    [{ status: "withdrawn", reason: "stolen" }],
    [{ reason: "lost" }],
    [{ lpa_string: 5 }]
  ])("is %j", async (body) => {
    expect(await refusalOf(4, body)).toEqual([400, "invalid_field"])
  })

  it("names the field of the request, and repeats no code", async () => {
    const { body } = await update(4, { lpa_string: "LPA:1$smdp$SECRET 1" })
    expect(body.message).toMatch(/^lpa_string must be an activation code/)
    expect(body.message).not.toContain("SECRET")
  })

  it("is a SIM that is not there, or another organization's", async () => {
    expect(await refusalOf(77, { label: "Blue" })).toEqual([404, "sim_not_found"])
    const foreign = await other.call("PATCH", path(4), { body: { label: "Blue" } })
    expect([foreign.status, foreign.body.code]).toEqual([404, "sim_not_found"])
  })
})

describe("Many corrections", () => {
  const send = (raw: string, query = "") =>
    acme.call("POST", `/v3/sims/updates${query}`, { raw, headers: { "content-type": "text/csv" } })
  const label = async (number: number): Promise<string> => (await acme.get(path(number))).body.data.label

  it("have a result for each row, and a refused one stops no other", async () => {
    await world.admin("POST", `/organizations/${acme.organizationId}/sims`, { sims: Inventory.esims(20, 4) })
    const csv = [
      "iccid,is_esim,label,lpa,status,reason",
      `${World.iccid(20)},true,Blue,LPA:1$smdp.example$NEW-20,,`,
      "",
      `${World.iccid(20)},,Blue,,,`,
      `${World.iccid(3)},,Blue,,,`,
      `${World.iccid(21)},,,,withdrawn,lost`,
      `${World.iccid(22)},,Pink,,,`,
      `${World.iccid(22)},,,,,`,
      `${World.iccid(77)},,Blue,,,`,
      "12,,Blue,,,",
      `${World.iccid(23)}F,,Red,,,`
    ].join("\n")
    const refused = (row: number, line: number, iccid: string, code: string) => ({
      row,
      line,
      iccid,
      result: "refused",
      code,
      message: expect.any(String)
    })
    const expected = [
      { row: 1, line: 2, iccid: World.iccid(20), result: "corrected" },
      { row: 2, line: 4, iccid: World.iccid(20), result: "unchanged" },
      refused(3, 5, World.iccid(3), "sim_in_use"),
      { row: 4, line: 6, iccid: World.iccid(21), result: "corrected" },
      refused(5, 7, World.iccid(22), "invalid_field"),
      refused(6, 8, World.iccid(22), "invalid_field"),
      refused(7, 9, World.iccid(77), "sim_not_found"),
      refused(8, 10, "12", "invalid_field"),
      { row: 9, line: 11, iccid: World.iccid(23), result: "corrected" }
    ]
    const tried = await send(csv, "?dry_run=true")
    expect([tried.status, tried.body]).toEqual([200, { error: false, data: expected }])
    expect([await label(20), await label(23)]).toEqual(["Green", "Green"])
    expect((await send(csv)).body.data).toEqual(expected)
    expect([await label(20), await label(23)]).toEqual(["Blue", "Red"])
    expect((await acme.get(path(21))).body.data).toMatchObject({ status: "withdrawn", withdrawn_reason: "lost" })
    expect((await entries(20)).toSorted()).toEqual(["sim.set_activation_code", "sim.set_label"])
    const again: ReadonlyArray<{ readonly result: string }> = (await send(csv)).body.data
    expect(again.filter(({ result }) => result === "corrected")).toEqual([])
    expect(await entries(20)).toHaveLength(2)
  })

  it("come as CSV, where a hyphen removes an activation code", async () => {
    const lpa = async (number: number) => (await acme.get(path(number))).body.data.lpa
    expect(await lpa(22)).toMatch(/^LPA:/)
    const csv = `iccid,lpa_string\n${World.iccid(22)},-\n${World.iccid(23)},\n`
    expect((await send(csv)).body.data).toMatchObject([{ result: "corrected" }, { result: "refused" }])
    expect(await lpa(22)).toBeNull()
    expect((await send(csv)).body.data).toMatchObject([{ result: "unchanged" }, { result: "refused" }])
    const ofJson = await acme.post("/v3/sims/updates", { sims: [{ iccid: World.iccid(23), lpa_string: "-" }] })
    expect(ofJson.body.data).toMatchObject([{ result: "refused", code: "invalid_field" }])
    expect(await lpa(23)).toMatch(/^LPA:/)
    const label = `iccid,label,lpa\n${World.iccid(23)},-,-\n`
    expect((await send(label)).body.data).toMatchObject([{ result: "refused", code: "invalid_field" }])
  })

  it("come as JSON, where null removes an activation code", async () => {
    const { body } = await acme.post("/v3/sims/updates", {
      sims: [{ iccid: World.iccid(20), lpa_string: null }, { iccid: World.iccid(22), label: 5 }, 7]
    })
    expect(body.data).toMatchObject([
      { row: 1, result: "corrected" },
      { row: 2, result: "refused", message: "label must be a string" },
      { row: 3, result: "refused" }
    ])
    expect((await acme.get(path(20))).body.data.lpa).toBeNull()
  })

  it("change no SIM of another organization", async () => {
    const { body } = await other.post("/v3/sims/updates", { sims: [{ iccid: World.iccid(22), label: "Blue" }] })
    expect(body.data).toMatchObject([{ result: "refused", code: "sim_not_found" }])
    expect(await label(22)).toBe("Green")
  })

  it("are refused as a whole where the body is none of them", async () => {
    const header = await send("label\nBlue\n")
    expect([header.status, header.body.code]).toEqual([400, "malformed_csv"])
    expect((await acme.post("/v3/sims/updates", { rows: [] })).status).toBe(400)
  })

  it("are thousands at once", async () => {
    await world.admin("POST", `/organizations/${acme.organizationId}/sims`, { sims: Inventory.esims(1_000, 3_000) })
    const rows = Array.from({ length: 3_000 }, (_, index) => `${World.iccid(1_000 + index)},Aqua\n`)
    const { body } = await send(`iccid,label\n${rows.join("")}`)
    expect(body.data).toHaveLength(3_000)
    expect(new Set(body.data.map(({ result }: { readonly result: string }) => result))).toEqual(new Set(["corrected"]))
    expect((await acme.get("/v3/sims?label=Aqua&page_size=100")).body.data).toHaveLength(100)
  })
})
