/**
 * What the API serves of the telcos of a settings file: their zones, and their notifications.
 */
import { Effect, Layer, Redacted, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import * as Telcos from "../Telcos.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const SECRET = "secret-of-the-notifications"

let world: World.World

const OCS = `/telco/ocs/x/notifications/${SECRET}`
const ES2PLUS = `/telco/es2plus/y/${SECRET}/gsma/rsp2/es2plus/handleDownloadProgressInfo`

describe("without telcos", () => {
  it("there are no zones and no notifications", async () => {
    world = await World.forTest({ telcos: undefined })
    expect((await world.admin("GET", "/telcos/x/zones")).body.code).toBe("route_not_found")
    for (const path of [OCS, ES2PLUS]) expect((await world.fetch("POST", path, { body: {} })).status).toBe(404)
  })
})

describe("a comparison of all SIMs", () => {
  it("is asked for at each telco that has books, and says how far it is", async () => {
    const { telcos } = Telcos.make()
    world = await World.forTest({ telcos })
    const none = { telco: "x", requested_at: null, compared: 0, unanswered: 0, done_at: null }
    expect((await world.admin("GET", "/telcos/comparisons")).body.data).toEqual([none])
    const begun = { ...none, requested_at: "2026-01-10T00:00:00.000Z" }
    expect((await world.admin("POST", "/telcos/comparisons")).body.data).toEqual([begun])
    expect((await world.admin("GET", "/telcos/comparisons")).body.data).toEqual([
      { ...begun, compared: 3, done_at: "2026-01-11T00:00:00.000Z" }
    ])
    expect((await world.admin("GET", "/audit")).body.data).toMatchObject([
      { action: "telco.compare", resource_type: "telco", resource_id: "x" }
    ])
  })
})

describe("the zones of a telco", () => {
  it("are set and listed, for regions of the zone's label, and leave an audit entry", async () => {
    const { telcos } = Telcos.make()
    world = await World.forTest({ telcos })
    const acme = await World.tenant(world)
    const region = await acme.post("/v3/coverage-profiles/custom-region", {
      region_name: "Alps",
      label: "Green",
      iso2_list: ["FR", "CH"]
    })
    const { coverage_id } = region.body.data
    const zone = { label: "Green", coverage_id, zone_id: 27 }
    expect(await world.admin("PUT", "/telcos/x/zones", zone)).toMatchObject({ status: 200, body: { data: zone } })
    expect((await world.admin("GET", "/telcos/x/zones")).body).toEqual({ error: false, data: [zone] })
    const audit = await world.admin("GET", `/organizations/${acme.organizationId}/audit`)
    expect(audit.body.data[0]).toMatchObject({
      actor: "bootstrap",
      action: "coverage_profile.set_zone",
      resource_id: coverage_id
    })
    const put = (changes: unknown, telco = "x") =>
      world.admin("PUT", `/telcos/${telco}/zones`, { ...zone, ...Object(changes) })
    expect((await put({ label: "Blue" })).body).toMatchObject({
      code: "invalid_field",
      message: "label must be that of the coverage profile, Green"
    })
    expect((await put({ zone_id: 0 })).body.code).toBe("invalid_field")
    expect((await put({ coverage_id: "none" })).body.code).toBe("coverage_profile_not_found")
    expect((await put({}, "y")).body.code).toBe("telco_not_found")
    expect((await put({}, "z")).body.code).toBe("telco_not_found")
    const { body } = await acme.get("/v3/coverage-profiles?region_code=FR&label=Blue")
    expect((await put({ label: "Blue", coverage_id: body.data[0].coverage_id })).status).toBe(200)
    const ofService = await world.admin("GET", "/audit")
    expect(ofService.body.data).toMatchObject([
      { action: "coverage_profile.set_zone", resource_id: body.data[0].coverage_id }
    ])
  })
})

describe("a notification", () => {
  it("is taken from who knows the secret, whatever its content type, and gets the telco's answer", async () => {
    const { taken, telcos } = Telcos.make(SECRET)
    world = await World.forTest({ telcos })
    expect(await world.fetch("POST", OCS, { body: { a: 1 } })).toMatchObject({
      status: 200,
      body: { result: { code: 0, msg: "OK" } }
    })
    expect((await world.fetch("POST", OCS, { raw: '{"a":2}', headers: { "content-type": "text/plain" } })).status).toBe(
      200
    )
    expect(await world.fetch("POST", ES2PLUS, { body: { a: 3 } })).toMatchObject({ status: 204, text: "" })
    const version3 = ES2PLUS.replace("handleDownloadProgressInfo", "handleNotification")
    expect(await world.fetch("POST", version3, { body: { a: 4 } })).toMatchObject({ status: 204, text: "" })
    expect(taken).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }])
    expect((await world.fetch("POST", OCS, { raw: "{" })).body.code).toBe("malformed_json")
    expect((await world.fetch("POST", OCS, { raw: new Uint8Array(1_048_577) })).body.code).toBe("body_too_large")
  })

  it("is needed in no other way: without the telco's token too, but only where the group is served", async () => {
    const { telcos } = Telcos.make(SECRET)
    world = await World.forTest({ telcos, telcoToken: undefined })
    expect((await world.fetch("POST", OCS, { body: {} })).status).toBe(200)
    await world.close()
    world = await World.forTest({ telcos, groups: ["v3", "admin"] })
    expect((await world.fetch("POST", OCS, { body: {} })).status).toBe(404)
  })

  it("has a warning at the start for each secret that can be guessed", async () => {
    const warned = async (secret: string, groups?: ReadonlyArray<"v3" | "telco">) => {
      const { telcos } = Telcos.make(secret)
      world = await World.forTest({ telcos, telcoToken: undefined, groups })
      return world.logs.filter((line) => /of the notifications of the telco [xy] can be guessed/.test(line)).length
    }
    expect(await warned("password-password")).toBe(2)
    expect(await warned("5f0c4b5a9d1e4b7f8a3c2d6e9b0a7c1d")).toBe(0)
    expect(await warned("password-password", ["v3"])).toBe(0)
  })

  it("is the same 404 for a wrong secret, name or kind, and counted by address like wrong keys", async () => {
    const { taken, telcos } = Telcos.make(SECRET)
    world = await World.forTest({ telcos, failedAuthentication: { requests: 5, window: "10 seconds" } })
    const wrong = [
      "/telco/ocs/x/notifications/wrong",
      `/telco/ocs/z/notifications/${SECRET}`,
      `/telco/ocs/y/notifications/${SECRET}`,
      ES2PLUS.replace("/y/", "/x/"),
      ES2PLUS.replace(SECRET, "wrong")
    ]
    for (const path of wrong) {
      expect((await world.fetch("POST", path, { body: {} })).body).toMatchObject({ code: "route_not_found" })
    }
    expect((await world.fetch("POST", wrong[0] ?? "", { body: {} })).status).toBe(429)
    expect((await world.fetch("POST", OCS, { body: { right: true } })).status).toBe(200)
    expect(taken).toEqual([{ right: true }])
  })

  it("shows its secret in no log, metric or trace, not even where it fails", async () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const { telcos } = Telcos.make(SECRET)
    const telco = telcos.get("x")
    if (telco === undefined || telco.notifications === null) throw new Error("no telco")
    const take = () => Effect.die(new Error(`broken at ${OCS}`))
    const broken = new Map([["x", { ...telco, notifications: { secret: Redacted.make(SECRET), take } }]])
    world = await World.forTest({ telcos: broken, around: Layer.succeed(Tracer.Tracer, tracer) })
    expect((await world.fetch("POST", OCS, { body: {} })).status).toBe(500)
    const metrics = await world.fetch("GET", "/metrics")
    expect(metrics.text).toContain("/telco/ocs/:name/notifications/:secret")
    expect(world.logs.join()).toContain("/telco/ocs/x/notifications/<redacted>")
    const traced = spans.map(({ attributes, name }) => `${name} ${[...attributes.values()].join(" ")}`).join(" ")
    expect(traced).toContain("POST /telco/ocs/:name/notifications/:secret")
    for (const text of [world.logs.join(), metrics.text, traced]) expect(text).not.toContain(SECRET)
  })
})

describe("a callback of a supplier", () => {
  const CALLBACKS = `/telco/suppliers/z/callbacks/${SECRET}`

  it("is taken as it comes from who knows the secret, and answered with 200, as HEAD is", async () => {
    const { called, telcos } = Telcos.make(SECRET)
    world = await World.forTest({ telcos, telcoToken: undefined })
    const bodies = ['{"iccid": 8944501234567890123}', "no JSON", ""]
    for (const raw of bodies) {
      const answer = await world.fetch("POST", CALLBACKS, { raw, headers: { "content-type": "text/plain" } })
      expect(answer).toMatchObject({ status: 200, body: { error: false } })
    }
    expect(called).toEqual(bodies)
    expect(await world.fetch("HEAD", CALLBACKS)).toMatchObject({ status: 200, text: "" })
    expect(await world.fetch("GET", CALLBACKS)).toMatchObject({ status: 200, body: { error: false } })
    const large = await world.fetch("POST", CALLBACKS, { raw: new Uint8Array(1_048_577) })
    expect(large.body.code).toBe("body_too_large")
  })

  it("is 404 for a wrong secret or name, counted by address, and the secret is in no log or metric", async () => {
    const { called, telcos } = Telcos.make(SECRET)
    world = await World.forTest({ telcos, failedAuthentication: { requests: 5, window: "10 seconds" } })
    const wrong = [CALLBACKS.replace(SECRET, "wrong"), CALLBACKS.replace("/z/", "/x/"), CALLBACKS.replace("/z/", "/q/")]
    for (const path of wrong) expect((await world.fetch("POST", path, { body: {} })).body.code).toBe("route_not_found")
    for (const path of wrong.slice(1)) expect((await world.fetch("HEAD", path)).status).toBe(404)
    expect((await world.fetch("POST", CALLBACKS.replace(SECRET, "wrong"), { body: {} })).status).toBe(429)
    expect(called).toEqual([])
    await world.fetch("POST", CALLBACKS, { body: {} })
    const metrics = await world.fetch("GET", "/metrics")
    expect(metrics.text).toContain("/telco/suppliers/:name/callbacks/:secret")
    for (const text of [world.logs.join(), metrics.text]) expect(text).not.toContain(SECRET)
  })

  it("has a warning at the start if its secret can be guessed", async () => {
    const { telcos } = Telcos.make("password-password")
    world = await World.forTest({ telcos })
    expect(world.logs.join()).toMatch(/of the callbacks of the telco z can be guessed/)
  })
})

describe("reports", () => {
  const [MINE, THEIRS] = ["token-of-my-reports", "token-of-their-reports"]
  const SIMS = { mine: World.iccid(1), theirs: World.iccid(2), sandbox: World.iccid(3) }

  /** A telco that may report of one SIM. */
  const telco = (kind: string, token: string | null, iccid: string) => ({
    kind,
    zones: null,
    notifications: null,
    reports: {
      token: token === null ? null : Redacted.make(token),
      mayReport: (reports: ReadonlyArray<{ readonly iccid: string }>) =>
        Effect.succeed(reports.map((one) => one.iccid === iccid))
    }
  })

  let batches = 0

  /** What comes of a location of each SIM, `401` where the token is none. */
  const taken = async (token: string | null) => {
    const batch = `batch ${++batches}`
    const events = Object.values(SIMS).map((iccid, index) => ({
      ...{ id: `${batch} ${index}`, type: "location", iccid, occurred_at: "2026-01-01T00:00:00Z" },
      ...{ country_alpha_2: "SE", operator: "Telia", rat: "5G", imei: "1" }
    }))
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const { body, status } = await world.fetch("POST", "/telco/v1/events", { body: { events }, headers })
    if (status !== 200) return `${status} ${body.code}`
    expect(body.rejected).toEqual(
      body.rejected.map((one: { readonly index: number }) => ({
        ...one,
        id: `${batch} ${one.index}`,
        message: "the iccid is not known"
      }))
    )
    const refused = body.rejected.map((one: { readonly index: number }) => one.index)
    expect(body.accepted).toBe(3 - refused.length)
    return Object.keys(SIMS).filter((_, index) => !refused.includes(index))
  }

  const start = async (telcos: ReadonlyArray<readonly [string, ReturnType<typeof telco>]>, changes: object = {}) => {
    world = await World.forTest({ telcos: new Map(telcos), ...changes })
    const acme = await World.tenant(world)
    await world.admin("POST", `/organizations/${acme.organizationId}/sims`, { sims: Inventory.esims(1, 3) })
  }
  const sandbox = ["sandbox", telco("simulator", null, SIMS.sandbox)] as const
  const mine = ["mine", telco("http", MINE, SIMS.mine)] as const

  it("come by a token of each telco, which speaks for what is routed to that one alone (R1)", async () => {
    await start([mine, ["theirs", telco("http", THEIRS, SIMS.theirs)], sandbox])
    expect(await taken(MINE)).toEqual(["mine"])
    expect(await taken(THEIRS)).toEqual(["theirs"])
    expect(await taken(World.TELCO_TOKEN)).toEqual(["sandbox"])
    expect(await taken("token-of-nobody-here")).toBe("401 token_invalid")
    expect(await taken(null)).toBe("401 token_missing")
  })

  it("of a token count once by the ids of its telco, and those of the settings by ids of their own (R1)", async () => {
    await start([mine, ["theirs", telco("http", THEIRS, SIMS.theirs)], sandbox])
    const answers: Array<unknown> = []
    const id = "x".repeat(250)
    for (const [token, iccid, sent = id] of [
      [World.TELCO_TOKEN, SIMS.sandbox, `mine/${id}`],
      [MINE, SIMS.mine],
      [THEIRS, SIMS.theirs],
      [World.TELCO_TOKEN, SIMS.sandbox],
      [THEIRS, SIMS.theirs],
      [THEIRS, SIMS.mine]
    ] as const) {
      const events = [
        {
          ...{ id: sent, type: "location", iccid, occurred_at: "2026-01-01T00:00:00Z" },
          ...{ country_alpha_2: "SE", operator: "Telia", rat: "5G", imei: "1" }
        }
      ]
      const headers = { authorization: `Bearer ${token}` }
      answers.push((await world.fetch("POST", "/telco/v1/events", { body: { events }, headers })).body)
    }
    const accepted = { accepted: 1, duplicates: 0, rejected: [] }
    expect(answers).toEqual([
      ...[accepted, accepted, accepted, accepted, { accepted: 0, duplicates: 1, rejected: [] }],
      { accepted: 0, duplicates: 0, rejected: [{ index: 0, id, message: "the iccid is not known" }] }
    ])
  })

  it("of the single telco without a token come by that of the settings, which is the operator's without one", async () => {
    await start([["theirs", telco("http", null, SIMS.theirs)], sandbox])
    expect(await taken(World.TELCO_TOKEN)).toEqual(["theirs", "sandbox"])
    await world.close()
    await start([sandbox])
    expect(await taken(World.TELCO_TOKEN)).toEqual(["mine", "theirs", "sandbox"])
  })

  it("need no token of the settings, and wrong tokens are counted by address", async () => {
    const failedAuthentication = { requests: 2, window: "10 seconds" }
    await start([mine, sandbox], { telcoToken: undefined, failedAuthentication })
    expect(await taken(MINE)).toEqual(["mine"])
    expect(await taken(null)).toBe("401 token_missing")
    const wrong = [await taken("wrong"), await taken("wrong"), await taken("wrong")]
    expect(wrong).toEqual(["401 token_invalid", "401 token_invalid", "429 rate_limited"])
    expect(await taken(MINE)).toEqual(["mine"])
    await world.close()
    await start([["mine", telco("http", null, SIMS.mine)], sandbox], { telcoToken: undefined })
    expect(await taken(World.TELCO_TOKEN)).toBe("401 token_invalid")
  })
})
