/**
 * The management API: organizations, keys, imports, webhooks, the clock, the catalogue.
 */
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as World from "../World.ts"

const at = new Date(World.START).toISOString()

const world = await World.forFile()
const acme = await World.tenant(world)

describe("organizations", () => {
  it("are created and listed", async () => {
    const made = await world.admin("POST", "/organizations", { name: "Globex" })
    expect(made.status).toBe(201)
    expect(made.body).toStrictEqual({
      error: false,
      data: { organization_id: expect.any(String), name: "Globex", created_at: at }
    })
    expect((await world.admin("GET", "/organizations")).body.data).toContainEqual(made.body.data)
    expect((await world.admin("POST", "/organizations", { name: "" })).status).toBe(400)
  })
})

describe("lists", () => {
  // The ids of all pages.
  const walk = async (path: string, name: string, pageSize: number) => {
    const ids: Array<string> = []
    let token: string | null = null
    do {
      const query: string = token === null ? "" : `&page=${token}`
      const { body } = await world.admin("GET", `${path}?page_size=${pageSize}${query}`)
      expect(body.data.length).toBeLessThanOrEqual(pageSize)
      ids.push(...body.data.map((one: Record<string, string>) => one[name]))
      token = body.next_page
    } while (token !== null)
    return ids
  }

  it("come in pages, each item once", async () => {
    const { organizationId } = await World.tenant(world)
    const path = `/organizations/${organizationId}`
    const made = { organizations: new Set([organizationId]), keys: new Set<string>(), endpoints: new Set<string>() }
    for (let count = 0; count < 5; count++) {
      const organization = await world.admin("POST", "/organizations", { name: `Organization ${count}` })
      made.organizations.add(organization.body.data.organization_id)
      const key = await world.admin("POST", `${path}/api-keys`, { name: `Key ${count}` })
      made.keys.add(key.body.data.api_key_id)
      const endpoint = await world.admin("POST", `${path}/webhook-endpoints`, { url: `https://example.com/${count}` })
      made.endpoints.add(endpoint.body.data.webhook_endpoint_id)
    }
    const organizations = await walk("/organizations", "organization_id", 2)
    expect(new Set(organizations).size).toBe(organizations.length)
    expect(organizations).toEqual(expect.arrayContaining([...made.organizations]))
    expect(await walk(`${path}/api-keys`, "api_key_id", 2)).toEqual(expect.arrayContaining([...made.keys]))
    expect(new Set(await walk(`${path}/webhook-endpoints`, "webhook_endpoint_id", 2))).toEqual(made.endpoints)
  })

  it("refuse a page or a size that there is not", async () => {
    for (const list of ["organizations", `organizations/${acme.organizationId}/api-keys`]) {
      for (const query of ["page_size=0", "page_size=101", "page=nope"]) {
        expect([query, (await world.admin("GET", `/${list}?${query}`)).status]).toEqual([query, 400])
      }
    }
  })
})

describe("API keys", () => {
  const path = () => `/organizations/${acme.organizationId}/api-keys`
  const works = async (key: string) => (await world.fetch("GET", `/v3/sims?key=${key}`)).status

  it("are shown once, listed without the key, rotated and revoked", async () => {
    const made = await world.admin("POST", path(), { name: "second", expires_at: "2026-02-01T00:00:00Z" })
    expect(made.status).toBe(201)
    const { key, ...rest } = made.body.data
    expect(rest).toStrictEqual({
      api_key_id: expect.any(String),
      name: "second",
      scope: "full",
      hint: key.slice(-4),
      previous_key_until: null,
      created_at: at,
      expires_at: "2026-02-01T00:00:00.000Z",
      revoked_at: null,
      last_used_at: null
    })
    expect(key).toMatch(/^[A-Za-z0-9_]+$/)
    expect((await world.admin("GET", path())).body.data).toContainEqual(rest)
    expect(await works(key)).toBe(200)
    const rotated = await world.admin("POST", `${path()}/${rest.api_key_id}/rotate`)
    expect([rotated.status, rotated.body.data.api_key_id]).toEqual([200, rest.api_key_id])
    expect([await works(key), await works(rotated.body.data.key)]).toEqual([401, 200])
    const revoked = await world.admin("DELETE", `${path()}/${rest.api_key_id}`)
    expect([revoked.status, revoked.body.data.revoked_at]).toEqual([200, at])
    expect(await works(rotated.body.data.key)).toBe(401)
  })

  it("are rotated with an overlap, for which the secret before goes on", async () => {
    const made = await world.admin("POST", path(), { name: "overlapping" })
    const own = `${path()}/${made.body.data.api_key_id}`
    for (const hours of ["", "-1", "1.5", "721", "a day"]) {
      const refused = await world.admin("POST", `${own}/rotate?overlap_hours=${hours}`)
      expect([hours, refused.status, refused.body.message]).toEqual([
        hours,
        400,
        "overlap_hours must be an integer from 0 to 720"
      ])
    }
    const next = await world.admin("POST", `${own}/rotate?overlap_hours=720`)
    const until = new Date(Date.parse(at) + 720 * 3_600_000).toISOString()
    expect([next.status, next.body.data.previous_key_until]).toEqual([200, until])
    const [before, now] = [made.body.data.key, next.body.data.key]
    expect([await works(before), await works(now)]).toEqual([200, 200])
    const last = await world.admin("POST", `${own}/rotate?overlap_hours=1`)
    expect([await works(before), await works(now), await works(last.body.data.key)]).toEqual([401, 200, 200])
    const alone = await world.admin("POST", `${own}/rotate?overlap_hours=0`)
    expect(alone.body.data.previous_key_until).toBeNull()
    expect([await works(now), await works(last.body.data.key), await works(alone.body.data.key)]).toEqual([
      401, 401, 200
    ])
    expect((await world.admin("DELETE", own)).status).toBe(200)
    expect(await works(alone.body.data.key)).toBe(401)
  })

  it("show when they were last used", async () => {
    const made = await world.admin("POST", path(), { name: "used" })
    const used = async () => {
      const { body } = await world.admin("GET", path())
      return body.data.find((key: { api_key_id: string }) => key.api_key_id === made.body.data.api_key_id).last_used_at
    }
    expect(await used()).toBeNull()
    expect(await works(made.body.data.key)).toBe(200)
    expect(await used()).toBe(at)
    const rotated = await world.admin("POST", `${path()}/${made.body.data.api_key_id}/rotate`)
    expect(rotated.body.data.last_used_at).toBe(at)
    expect(await works(made.body.data.key)).toBe(401)
  })

  it("may only read where their scope says so", async () => {
    const reader = await World.tenant(world, "read")
    expect((await reader.get("/v3/plans")).status).toBe(200)
    const refused = await reader.post("/v3/plans", "not even an object")
    expect([refused.status, refused.body.code]).toEqual([403, "key_read_only"])
    expect((await reader.call("DELETE", "/v3/plans/nope")).status).toBe(403)
  })

  it("answer 404 for unknown ones", async () => {
    expect((await world.admin("GET", "/organizations/nope/api-keys")).body.code).toBe("organization_not_found")
    expect((await world.admin("POST", "/organizations/nope/api-keys", { name: "x" })).status).toBe(404)
    expect((await world.admin("DELETE", `${path()}/nope`)).body.code).toBe("api_key_not_found")
    expect((await world.admin("POST", path(), { name: "x", scope: "write" })).body.message).toBe(
      "scope must be one of full, read"
    )
  })
})

describe("SIM imports", () => {
  const path = () => `/organizations/${acme.organizationId}/sims`
  const csv = (text: string | Uint8Array, type = "text/csv; charset=utf-8") =>
    world.fetch("POST", `/admin/v1${path()}`, {
      raw: text,
      headers: { "content-type": type, authorization: `Bearer ${World.ADMIN_TOKEN}` }
    })

  it("take JSON, row by row", async () => {
    const { body, status } = await world.admin("POST", path(), {
      sims: [
        { iccid: World.iccid(1), label: "Green", is_esim: true, lpa: "LPA:1$a$1" },
        { iccid: World.iccid(1), label: "Green", is_esim: true, lpa: "LPA:1$a$1" },
        { iccid: "12", label: "Green", is_esim: true },
        { iccid: World.iccid(2), label: "Green\0", is_esim: true },
        5
      ]
    })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ imported: 1, duplicates: 1, warnings: [] })
    expect(body.data.errors.map((error: { readonly row: number }) => error.row)).toEqual([3, 4, 5])
    expect(body.data.errors[0]).toEqual({ row: 3, line: 1, iccid: "12", message: expect.any(String) })
  })

  it("take CSV with columns in any order", async () => {
    const { body } = await csv(
      `is_esim,lpa,label,iccid\r\nyes,LPA:1$a$3,Green,${World.iccid(3)}\r\n0,,Green,${World.iccid(4)}\r\n`
    )
    expect(body.data).toStrictEqual({
      imported: 2,
      updated: 0,
      duplicates: 0,
      errors: [],
      error_count: 0,
      warnings: [],
      warning_count: 0
    })
    expect((await acme.get(`/v3/sims/${World.iccid(4)}`)).body.data.is_esim).toBe(false)
  })

  it("take what the telco knows a SIM by, also of a SIM that is there already (I7), and show it nowhere in /v3", async () => {
    const named = { iccid: World.iccid(5), label: "Green", is_esim: true, lpa: "LPA:1$a$5" }
    const importAll = async (...sims: ReadonlyArray<object>) => (await world.admin("POST", path(), { sims })).body.data
    expect(await importAll(named)).toMatchObject({ imported: 1, updated: 0, duplicates: 0 })
    const known = { ...named, imsi: "240080000000005", msisdn: "+46700000005", subscriber_id: "45046" }
    const counts = { imported: 0, updated: 1, duplicates: 0, error_count: 0 }
    expect(await importAll(known)).toMatchObject(counts)
    expect(await importAll(known, named)).toMatchObject({ ...counts, updated: 0, duplicates: 2 })
    // Of two rows with one ICCID the last one that has an identity gives it.
    expect(await importAll({ ...known, imsi: "240080000000006" }, known)).toMatchObject({ updated: 0, duplicates: 2 })
    expect(await importAll(named, { ...named, msisdn: "46700000006" })).toMatchObject({ updated: 1, duplicates: 1 })
    const text = `msisdn,is_esim,label,iccid,subscriber_id,imsi\n,yes,Green,${World.iccid(5)},45047,\n`
    expect((await csv(text)).body.data).toMatchObject(counts)
    const { organizationId } = acme
    const read = Storage.Storage.use((of) => of.sims.identities({ organizationId, iccid: World.iccid(5) }))
    expect(await world.run(read)).toEqual({
      imsi: "240080000000005",
      msisdn: "46700000006",
      subscriberId: "45047"
    })
    const shown = (await acme.get(`/v3/sims/${World.iccid(5)}`)).body.data
    expect(Object.keys(shown).filter((name) => /imsi|msisdn|subscriber/i.test(name))).toEqual([])
  })

  it("give an eSIM the activation code that it lacks, and replace none (I7)", async () => {
    const eSim = { iccid: World.iccid(6), label: "Green", is_esim: true }
    const importAll = async (...sims: ReadonlyArray<object>) => (await world.admin("POST", path(), { sims })).body.data
    const shown = async (): Promise<unknown> => (await acme.get(`/v3/sims/${eSim.iccid}`)).body.data.lpa
    expect(await importAll(eSim)).toMatchObject({ imported: 1, warning_count: 1 })
    expect(await importAll(eSim, { ...eSim, lpa: "LPA:1$a$6" })).toMatchObject({ updated: 1, duplicates: 1 })
    expect(await shown()).toBe("LPA:1$a$6")
    expect(await importAll({ ...eSim, lpa: "LPA:1$a$7" }, eSim)).toMatchObject({ updated: 0, duplicates: 2 })
    expect(await shown()).toBe("LPA:1$a$6")
  })

  it("list rows that differ from SIMs that are there, with both values and the line, and change nothing (I7)", async () => {
    const [one, two, three] = [7, 8, 9].map((index) => ({ iccid: World.iccid(index), lpa: `LPA:1$a$${index}` }))
    const header = "iccid,label,is_esim,lpa\n"
    await csv(`${header}${[one, two, three].map((sim) => `${sim?.iccid},Green,true,${sim?.lpa}\n`).join("")}`)
    const { body } = await csv(
      `${header}${one?.iccid},Blue,true,\n\n${two?.iccid},Green,true,LPA:1$a$other\n${three?.iccid},Green,false,\n` +
        `${three?.iccid},Red,true,\n`
    )
    expect(body.data).toMatchObject({ imported: 0, updated: 0, duplicates: 4, errors: [], differing_count: 4 })
    expect(body.data.differing).toEqual([
      { row: 1, line: 2, iccid: one?.iccid, stored: { label: "Green" }, given: { label: "Blue" } },
      { row: 2, line: 4, iccid: two?.iccid, stored: { lpa: two?.lpa }, given: { lpa: "LPA:1$a$other" } },
      { row: 3, line: 5, iccid: three?.iccid, stored: { is_esim: true }, given: { is_esim: false } },
      { row: 4, line: 6, iccid: three?.iccid, stored: { label: "Green" }, given: { label: "Red" } }
    ])
    const shown = (await acme.get(`/v3/sims/${two?.iccid}`)).body.data
    expect(shown).toMatchObject({ label: "Green", lpa: two?.lpa })
  })

  it("with dry_run say what would come of the rows, and write nothing (S9)", async () => {
    const [known, fresh] = [World.iccid(7), World.iccid(70)]
    const text = `iccid,label,is_esim,lpa\n${fresh},Green,true,LPA:1$a$70\n${known},Blue,true,\nx,Green,true,\n`
    const sent = (query: string) =>
      world.fetch("POST", `/admin/v1${path()}${query}`, {
        raw: text,
        headers: { authorization: `Bearer ${World.ADMIN_TOKEN}`, "content-type": "text/csv" }
      })
    const entries = async (): Promise<number> =>
      (await world.admin("GET", `/organizations/${acme.organizationId}/audit?action=sim.import`)).body.data.length
    const before = await entries()
    const { body } = await sent("?dry_run=true")
    expect(body.data).toMatchObject({
      ...{ imported: 1, updated: 0, duplicates: 1, differing_count: 1, error_count: 1 },
      differing: [{ row: 2, line: 3, iccid: known, stored: { label: "Green" }, given: { label: "Blue" } }],
      errors: [{ row: 3, line: 4, iccid: "x" }]
    })
    expect((await acme.get(`/v3/sims/${fresh}`)).status).toBe(404)
    expect(await entries()).toBe(before)
    expect((await sent("?dry_run=false")).body).toEqual(body)
    expect((await acme.get(`/v3/sims/${fresh}`)).status).toBe(200)
    expect((await sent("?dry_run=maybe")).body).toMatchObject({
      code: "invalid_field",
      message: expect.stringContaining("dry_run")
    })
  })

  it("refuse a row whose lpa is no activation code (I8), and repeat it nowhere", async () => {
    const { body } = await csv(`iccid,label,is_esim,lpa\n${World.iccid(10)},Green,true,LPA:1$smdp$SECRET_1\n`)
    expect(body.data.errors).toEqual([
      { row: 1, line: 2, iccid: World.iccid(10), message: expect.stringMatching(/^lpa must be an activation code/) }
    ])
    expect(JSON.stringify(body)).not.toContain("SECRET")
  })

  it("refuse a row whose identities are none, and name the column", async () => {
    const row = (number: number, more: object) => ({
      iccid: World.iccid(number),
      label: "Green",
      is_esim: false,
      ...more
    })
    const { body } = await world.admin("POST", path(), {
      sims: [row(6, { imsi: "1" }), row(7, { msisdn: 46_700_000_007 }), row(8, { subscriber_id: "x".repeat(65) })]
    })
    expect(body.data.errors.map((error: { readonly message: string }) => error.message)).toEqual([
      "imsi must have 6 to 15 digits",
      "msisdn must be a string",
      "subscriber_id must have at most 64 characters"
    ])
  })

  it.each([
    ["no header", ""],
    ["a column too few", "iccid,label\n1,2\n"],
    ["a column twice", "iccid,label,is_esim,label\n"],
    ["an open quote", 'iccid,label,is_esim\n"1,2,3\n']
  ])("refuse CSV with %s", async (_, text) => {
    const refused = await csv(text)
    expect([refused.status, refused.body.code]).toEqual([400, "malformed_csv"])
  })

  it("refuse other types, and organizations that are not there", async () => {
    expect((await csv("<sims/>", "text/xml")).status).toBe(415)
    expect((await csv("iccid,label,is_esim\n", "text/csv; charset=latin1")).status).toBe(415)
    expect((await world.admin("POST", "/organizations/nope/sims", { sims: [] })).status).toBe(404)
    expect((await world.admin("POST", path(), { sims: {} })).body.message).toBe("sims must be an array")
  })
})

describe("webhook endpoints", () => {
  const path = () => `/organizations/${acme.organizationId}/webhook-endpoints`

  it("are registered, changed, listed, rotated and removed", async () => {
    const made = await world.admin("POST", path(), {
      url: "https://example.com/hook",
      events: ["esim.smdp.stateChanged"]
    })
    expect(made.status).toBe(201)
    expect(made.body.data).toStrictEqual({
      webhook_endpoint_id: expect.any(String),
      url: "https://example.com/hook",
      events: ["esim.smdp.stateChanged"],
      description: "",
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      signing_key: expect.stringMatching(/^whsec_/),
      created_at: at,
      version: 1
    })
    const one = `${path()}/${made.body.data.webhook_endpoint_id}`
    const secret = await world.admin("PATCH", one, { url: "https://example.com/hook?token=T0ken" })
    expect(secret.body.data.url).toBe("https://example.com/hook?token=***")
    await world.admin("PATCH", one, { url: "https://example.com/hook" })
    const changed = await world.admin("PATCH", one, { events: null, enabled: false, description: "d" })
    expect(changed.body.data).toMatchObject({ enabled: false, description: "d", url: "https://example.com/hook" })
    expect(changed.body.data).toMatchObject({ disabled_reason: "organization", disabled_at: at })
    expect(changed.body.data.events).toHaveLength(3)
    expect(changed.body.data).not.toHaveProperty("signing_key")
    expect((await world.admin("GET", path())).body.data).toEqual([
      { ...changed.body.data, failing_since: null, last_success_at: null, pending_deliveries: 0 }
    ])
    const rotated = await world.admin("POST", `${one}/rotate-key`)
    expect(rotated.body.data.signing_key).toMatch(/^whsec_/)
    expect(rotated.body.data.signing_key).not.toBe(made.body.data.signing_key)
    expect((await world.admin("DELETE", one)).status).toBe(200)
    expect((await world.admin("GET", path())).body.data).toEqual([])
    expect((await world.admin("PATCH", one, {})).body.code).toBe("webhook_endpoint_not_found")
  })

  it("refuse what is no URL to call, and events that there are not", async () => {
    expect((await world.admin("POST", path(), { url: "ftp://x" })).body.message).toBe("url must start with https://")
    const refused = await world.admin("POST", path(), { url: "https://x", events: ["nope"] })
    expect(refused.body.message).toMatch(/^events\[0\] must be one of/)
    const { body } = await world.admin("POST", path(), { url: "https://x" })
    const one = `${path()}/${body.data.webhook_endpoint_id}`
    for (const [url, message] of [
      ["https://user:password@x", "url must not contain a user or a password: they would not be sent"],
      ["https://x/a\nb", "url must not contain control characters"]
    ]) {
      const expected = { error: true, code: "invalid_field", message }
      expect(await world.admin("POST", path(), { url })).toMatchObject({ status: 400, body: expected })
      expect(await world.admin("PATCH", one, { url })).toMatchObject({ status: 400, body: expected })
    }
    expect((await world.admin("GET", path())).body.data.map(({ url }: { url: string }) => url)).toEqual(["https://x"])
  })
})

describe("deliveries", () => {
  it("are logged, newest first, and replayed", async () => {
    const organization = `/organizations/${acme.organizationId}`
    await world.admin("POST", `${organization}/webhook-endpoints`, { url: "https://example.com/hook" })
    await world.telco([
      { id: "d1", type: "smdp_state", iccid: World.iccid(3), occurred_at: at, state: "BPP Installation" }
    ])
    await world.admin("POST", "/clock/advance", { by: "1 second" })
    const { body } = await world.admin("GET", `${organization}/deliveries?page_size=1`)
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({
      status: "delivered",
      attempts: 1,
      response_status: 200,
      next_attempt_at: null,
      event: {
        type: "esim.smdp.stateChanged",
        data: { sim: World.iccid(3), smdpStateChange: { state: "BPP Installation", modificationResult: "Success" } }
      }
    })
    const replayed = await world.admin("POST", `${organization}/deliveries/${body.data[0].delivery_id}/replay`)
    expect([replayed.status, replayed.body.data.status]).toEqual([200, "pending"])
    expect((await world.admin("POST", `${organization}/deliveries/nope/replay`)).body.code).toBe("delivery_not_found")
    expect((await world.admin("GET", `${organization}/deliveries?page=nope`)).status).toBe(400)
  })
})

describe("the clock", () => {
  it("is read and advanced", async () => {
    const before = await world.admin("GET", "/clock")
    expect(before.body.data.virtual).toBe(true)
    const now = Date.parse(before.body.data.now)
    const advanced = await world.admin("POST", "/clock/advance", { by: "12 hours" })
    expect(Date.parse(advanced.body.data.now)).toBe(now + 12 * 3_600_000)
    expect((await world.admin("POST", "/clock/advance", { to: advanced.body.data.now })).status).toBe(200)
    const short = await world.admin("POST", "/clock/advance", { by: "1.5s" })
    expect(Date.parse(short.body.data.now)).toBe(now + 12 * 3_600_000 + 1_500)
    const back = await world.admin("POST", "/clock/advance", { to: before.body.data.now })
    expect([back.status, back.body.message.startsWith("to must not be before now")]).toEqual([400, true])
  })

  it.each([
    {},
    { by: "soon" },
    { by: 5 },
    { by: "-1 hours" },
    { by: `${"9".repeat(400)} days` },
    { to: "tomorrow" },
    { by: "1 hour", to: at }
  ])("refuses %j", async (body) => {
    const refused = await world.admin("POST", "/clock/advance", body)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
  })
})

describe("the catalogue", () => {
  it("with dry_run answers the catalogue as it would be, or the refusal, and keeps the one that is there (S9)", async () => {
    const before = (await world.admin("GET", "/catalogue")).body.data
    const [profile] = before.profiles
    const asked = { ...before, profiles: [{ ...profile, region_name: "Elsewhere" }] }
    const preview = await world.admin("PUT", "/catalogue?dry_run=true", asked)
    expect(preview.body.data.profiles).toEqual([{ ...profile, region_name: "Elsewhere" }])
    expect((await world.admin("PUT", "/catalogue?dry_run=true", { operators: [], profiles: 5 })).status).toBe(400)
    expect((await world.admin("GET", "/catalogue")).body.data).toEqual(before)
    expect((await world.admin("GET", "/audit?action=catalogue.replace")).body.data).toEqual([])
  })

  it("is read, and takes its own answer back", async () => {
    const read = await world.admin("GET", "/catalogue")
    expect(Object.keys(read.body.data)).toEqual(["countries", "operators", "profiles"])
    const written = await world.admin("PUT", "/catalogue", read.body)
    expect(written.body).toEqual({ ...read.body, version: read.body.version + 1 })
    const refused = await world.admin("PUT", "/catalogue", { operators: [], profiles: 5 })
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
  })

  it("has a limit of bytes and of values, before it is parsed", async () => {
    const many = await world.admin("PUT", "/catalogue", { countries: Array<number>(200_000).fill(0) })
    expect([many.status, many.body.message]).toEqual([400, "body must have at most 200000 values"])
    const long = await world.admin("PUT", "/catalogue", { name: "x".repeat(4 * 1_048_576) })
    expect([long.status, long.body.code]).toEqual([413, "body_too_large"])
  })
})

describe("tokens", () => {
  it("are asked for, and there is no API without one", async () => {
    const missing = await world.fetch("GET", "/admin/v1/clock")
    expect([missing.status, missing.body.code]).toEqual([401, "token_missing"])
    for (const authorization of ["Bearer nope", `Basic ${World.ADMIN_TOKEN}`, `Bearer ${World.TELCO_TOKEN}`]) {
      expect((await world.fetch("GET", "/admin/v1/clock", { headers: { authorization } })).status).toBe(401)
    }
    const closed = await World.start({ adminToken: undefined, telcoToken: undefined })
    for (const [method, path] of [
      ["GET", "/admin/v1/clock"],
      ["PUT", "/admin/v1/clock"],
      ["OPTIONS", "/admin/v1/clock"],
      ["POST", "/telco/v1/events"],
      ["GET", "/telco/v1/events"]
    ] as const) {
      const response = await fetch(closed.url + path, {
        method,
        headers: { authorization: `Bearer ${World.ADMIN_TOKEN}` }
      })
      expect([response.status, method, path]).toEqual([404, method, path])
    }
    await closed.close()
  })
})
