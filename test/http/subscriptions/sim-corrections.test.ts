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

describe("The tags of a SIM (I14)", () => {
  it("are corrected whoever has it, and are in its details, its list item and the audit log", async () => {
    const tagged = async () => (await entries(3)).filter((action) => action === "sim.set_tags")
    const tagsOf = async (number: number) => (await acme.get(path(number))).body.data.tags
    expect(await tagsOf(3)).toEqual([])
    const { body, status } = await update(3, { tags: ["VIP", " airport "] })
    expect([status, body.data.tags]).toEqual([200, ["airport", "VIP"]])
    expect(await tagsOf(3)).toEqual(["airport", "VIP"])
    const listed = async (of: Promise<World.Answer>) =>
      (await of).body.data.find(({ iccid }: { readonly iccid: string }) => iccid === World.iccid(3)).tags
    expect(await listed(acme.get("/v3/sims"))).toEqual(["airport", "VIP"])
    expect(await listed(world.admin("GET", `/organizations/${acme.organizationId}/sims`))).toEqual(["airport", "VIP"])
    expect(await tagged()).toHaveLength(1)
    expect((await update(3, { tags: ["VIP", "airport"] })).status).toBe(200)
    expect(await tagged()).toHaveLength(1)
    const preview = await acme.call("PATCH", `${path(3)}?dry_run=true`, { body: { tags: [] } })
    expect([preview.body.data.tags, preview.body.preview]).toEqual([[], { changed: ["tags"] }])
    expect(await tagsOf(3)).toEqual(["airport", "VIP"])
    expect((await update(3, { tags: [] })).body.data.tags).toEqual([])
  })

  it.each([
    [["a", "A"], "tags must have each tag once"],
    [["a;b"], "tags must have no comma"],
    [[""], "tags must not be blank"],
    [["x".repeat(41)], "must have at most 40 characters"],
    [Array.from({ length: 21 }, String), "tags must"],
    ["VIP", "tags must"]
  ])("are refused: %j", async (tags, message) => {
    const { body, status } = await update(4, { tags })
    expect([status, body.code, body.message]).toEqual([400, "invalid_field", expect.stringContaining(message)])
  })

  it("stand in a file: what is empty stays, and a hyphen removes them", async () => {
    const send = async (raw: string) => {
      const type = { "content-type": "text/csv" }
      const answer = await acme.call("POST", "/v3/sims/updates", { raw, headers: type })
      return answer.body.data.map(
        ({ message, result }: { readonly message?: string; readonly result: string }) => message ?? result
      )
    }
    const iccid = World.iccid(5)
    const tagsOf = async () => (await acme.get(path(5))).body.data.tags
    expect(await send(`iccid,tags\n${iccid},VIP; airport;\n`)).toEqual(["corrected"])
    expect(await tagsOf()).toEqual(["airport", "VIP"])
    expect(await send(`iccid,label,tags\n${iccid},Green,\n`)).toEqual(["unchanged"])
    expect(await send(`iccid,tags\n${iccid},a;A\n`)).toEqual([expect.stringContaining("each tag once")])
    expect(await send(`iccid,tags\n${iccid},-\n`)).toEqual(["corrected"])
    expect(await tagsOf()).toEqual([])
    const rows = (tags: unknown) => acme.post("/v3/sims/updates", { sims: [{ iccid, tags }] })
    expect((await rows(["b"])).body.data[0].result).toBe("corrected")
    expect((await rows(null)).body.data[0].result).toBe("refused")
    expect((await rows([])).body.data[0].result).toBe("corrected")
    expect((await rows("VIP")).body.data[0]).toMatchObject({ result: "refused", code: "invalid_field" })
    // The same fields in another format are the same request (rule W2).
    const once = { "idempotency-key": "tags" }
    const type = { "content-type": "text/csv", ...once }
    const raw = `iccid,tags\n${iccid},VIP;airport\n`
    const first = await acme.call("POST", "/v3/sims/updates", { raw, headers: type })
    expect(first.body.data[0].result).toBe("corrected")
    const sims = [{ iccid, tags: ["VIP", "airport"] }]
    const again = await acme.call("POST", "/v3/sims/updates", { body: { sims }, headers: once })
    expect([again.status, again.body.data[0].result]).toEqual([200, "corrected"])
    expect((await rows([5])).body.data[0]).toMatchObject({ result: "refused", code: "invalid_field" })
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

  describe("under an idempotency key (W2)", () => {
    let serial = 0
    const keyed = async (key: string, body: { readonly raw?: string; readonly body?: unknown }, query = "") => {
      const type = body.raw === undefined ? "application/json" : "text/csv"
      const headers = { "content-type": type, "idempotency-key": key }
      const answer = await acme.call("POST", `/v3/sims/updates${query}`, { ...body, headers })
      return { ...answer, isReplay: answer.headers.get("idempotent-replayed") === "true" }
    }
    const stock = async (count: number) => {
      const first = 20_000 + 1_000 * serial++
      await world.admin("POST", `/organizations/${acme.organizationId}/sims`, { sims: Inventory.esims(first, count) })
      return first
    }

    it("have the first answer again, byte for byte, whatever the format and its order of columns", async () => {
      const first = await stock(2)
      const of = (name: string) =>
        `iccid,label\n${World.iccid(first)},${name}\n\n12,Blue\n${World.iccid(first + 1)},Blue\n`
      const one = await keyed("rows-1", { raw: of("Blue") })
      expect([one.status, one.isReplay]).toEqual([200, false])
      expect(one.body).toEqual({
        error: false,
        data: [
          { row: 1, line: 2, iccid: World.iccid(first), result: "corrected" },
          { row: 2, line: 4, iccid: "12", result: "refused", code: "invalid_field", message: expect.any(String) },
          { row: 3, line: 5, iccid: World.iccid(first + 1), result: "corrected" }
        ]
      })
      await acme.call("PATCH", path(first), { body: { label: "Red" } })
      const again = await keyed("rows-1", { raw: of("Blue") })
      expect([again.status, again.isReplay, again.text]).toEqual([200, true, one.text])
      expect(await label(first)).toBe("Red")
      const rows = [World.iccid(first), "12", `${World.iccid(first + 1)}F`]
      const json = await keyed("rows-1", { body: { sims: rows.map((iccid) => ({ label: "Blue", iccid })) } })
      expect([json.status, json.isReplay]).toEqual([200, true])
      const other = await keyed("rows-1", { raw: of("Red") })
      expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"])
      const { status } = await keyed("rows-1", { raw: of("Blue").replace(/\n12,Blue/, "") })
      expect([status, await label(first)]).toEqual([422, "Red"])
    })

    it("are not known by a dry run, and refuse what no key is, and more rows than are kept", async () => {
      const raw = `iccid,label\n${World.iccid(await stock(1))},Blue\n`
      const tried = await keyed("rows-2", { raw }, "?dry_run=true")
      expect([tried.body.data[0].result, tried.isReplay]).toEqual(["corrected", false])
      const done = await keyed("rows-2", { raw })
      expect([done.body.data[0].result, done.isReplay]).toEqual(["corrected", false])
      expect((await keyed("x".repeat(256), { raw })).body.code).toBe("invalid_idempotency_key")
      const many = await keyed("rows-3", { raw: `iccid,label\n${"12,Blue\n".repeat(25_001)}` })
      expect([many.status, many.body.code]).toEqual([413, "body_too_large"])
      const large = await keyed("rows-4", { raw: `iccid,label\n${`12,${"x".repeat(4_000)}\n`.repeat(1_100)}` })
      expect([large.status, large.body.code]).toEqual([413, "body_too_large"])
    })

    it("are in progress for a second request meanwhile", async () => {
      const first = await stock(600)
      const rows = Array.from({ length: 600 }, (_, index) => `${World.iccid(first + index)},Blue\n`)
      const raw = `iccid,label\n${rows.join("")}`
      const answers = await Promise.all([keyed("rows-5", { raw }), keyed("rows-5", { raw }), keyed("rows-5", { raw })])
      expect(answers.filter(({ isReplay, status }) => status === 200 && !isReplay)).toHaveLength(1)
      for (const { body, headers, isReplay, status } of answers) {
        if (status === 200) expect(body.data).toHaveLength(600)
        else
          expect([status, body.code, headers.get("retry-after")]).toEqual([
            409,
            "request_in_progress",
            expect.any(String)
          ])
        if (isReplay) expect(status).toBe(200)
      }
      expect((await keyed("rows-5", { raw })).isReplay).toBe(true)
    })

    it("say of refused rows beyond the first 1,000 that their reasons are not kept", async () => {
      const raw = `iccid,label\n${"12,Blue\n".repeat(1_001)}`
      const { body, text } = await keyed("rows-6", { raw })
      expect(body.data[999]).toMatchObject({ result: "refused", code: "invalid_field" })
      const { code, ...cut } = body.data[1_000]
      expect([code, cut]).toEqual([
        undefined,
        {
          row: 1_001,
          line: 1_002,
          iccid: "12",
          result: "refused",
          message: expect.stringContaining("first 1000 refused")
        }
      ])
      expect((await keyed("rows-6", { raw })).text).toBe(text)
    })
  })
})
