import { mkdirSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as FakeServer from "./FakeServer.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()
const serve = FakeServer.forEachTest()

const keep = (content: object): void => {
  mkdirSync(".simplan")
  writeFileSync(".simplan/credentials.json", JSON.stringify(content))
}

const organizations = (...names: ReadonlyArray<string>): FakeServer.Answer => ({
  body: { error: false, data: names.map((name, index) => ({ organization_id: `org-${index + 1}`, name })) }
})

const refusal = (status: number, code: string, message: string): FakeServer.Answer => ({
  status,
  body: { error: true, message, code }
})

describe("a command calls", () => {
  it("the server that was started in this directory, with its kept token", async () => {
    const { asked, url } = await serve(() => ({ status: 201, body: { error: false, data: { organization_id: "o" } } }))
    keep({ url, adminToken: "kept-token" })
    expect(await simplan(["org", "create", "Acme"])).toEqual({ code: 0, out: "organization_id  o\n", err: "" })
    expect(asked).toEqual([
      {
        method: "POST",
        path: "/admin/v1/organizations",
        authorization: "Bearer kept-token",
        type: "application/json",
        body: '{"name":"Acme"}'
      }
    ])
  })

  it("the server of the environment; flags come first", async () => {
    const { asked, url } = await serve(() => organizations())
    const env = { SIMPLAN_URL: `${url}/`, SIMPLAN_ADMIN_TOKEN: "from-env" }
    await simplan(["org", "create", "Acme"], env)
    await simplan(["org", "create", "Acme", "--url", url, "--token", "from-flag"], {
      ...env,
      SIMPLAN_URL: "http://nowhere.invalid"
    })
    expect(asked.map((one) => one.authorization)).toEqual(["Bearer from-env", "Bearer from-flag"])
  })

  it("no server of another machine with a kept token", async () => {
    keep({ url: "http://127.0.0.1:3000", adminToken: "kept-token" })
    const outcome = await simplan(["org", "create", "Acme", "--url", "https://elsewhere.example"])
    expect(outcome).toMatchObject({ code: 2, out: "" })
    expect(outcome.err).toMatch(/^There is no admin token for https:\/\/elsewhere\.example: .+\.\n$/)
  })
})

describe("one sentence says that", () => {
  const lone = ["org", "create", "Acme", "--token", "t"]

  it("no server is there", async () => {
    const { close, url } = await serve(() => organizations())
    await close()
    const outcome = await simplan([...lone, "--url", url])
    expect(outcome).toMatchObject({ code: 1, out: "" })
    expect(outcome.err).toMatch(new RegExp(`^No server answers at ${url}: .+\\.\n$`))
  })

  it("the server refuses the token, without its value", async () => {
    const { url } = await serve(() => refusal(401, "token_invalid", "Unauthorized: the token is not valid"))
    const outcome = await simplan(["org", "create", "Acme", "--url", url, "--token", "wrong-token"])
    expect(outcome).toEqual({ code: 1, out: "", err: `The server at ${url} refuses the token from --token.\n` })
  })

  it("the server has no management API", async () => {
    const { url } = await serve(() => refusal(404, "route_not_found", "There is no such route"))
    const outcome = await simplan([...lone, "--url", url])
    expect(outcome).toMatchObject({ code: 1, out: "" })
    expect(outcome.err).toContain("started without SIMPLAN_ADMIN_TOKEN")
  })

  it("the server refuses the request, with the server's message", async () => {
    const { url } = await serve(() => refusal(400, "invalid_field", "name must not be empty"))
    const outcome = await simplan([...lone, "--url", url])
    expect(outcome.err).toBe("The server refuses (400 invalid_field): name must not be empty.\n")
  })

  it("another program answers", async () => {
    const { url } = await serve(() => ({ status: 502, body: "<html>" }))
    const outcome = await simplan([...lone, "--url", url])
    expect(outcome.err).toMatch(
      /^What answers at .+ is not simplan: it says 502 to POST \/admin\/v1\/organizations\.\n$/
    )
  })

  it("the kept credentials are damaged", async () => {
    keep([])
    const outcome = await simplan(["org", "create", "Acme"])
    expect(outcome).toMatchObject({ code: 1, out: "" })
    expect(outcome.err).toMatch(/^\.simplan\/credentials\.json is not what simplan wrote there.+\.\n$/)
  })

  const misused: ReadonlyArray<readonly [args: ReadonlyArray<string>, sentence: string]> = [
    [["orgs"], 'simplan has no command "orgs"'],
    [["org", "create"], "NAME is missing"],
    [["org", "create", "Acme", "--colour", "red"], "simplan org create has no flag --colour"],
    [["org", "create", "Acme", "--url", "3000"], '--url is "3000", but must be an address'],
    [["key", "create", "--scope", "write"], '--scope is "write", but must be full or read'],
    [["clock", "advance"], "Say how far with either --to <instant> or --by <duration>"],
    [["clock", "advance", "--by", "1 day", "--to", "2026-01-01T00:00:00Z"], "Say how far with either --to"],
    [["events", "send"], "Name a FILE of events, or make one"],
    [["events", "send", "--type", "usage"], "An event needs --type"],
    [["events", "send", "--type", "call"], '--type is "call", but must be usage, first_use, location or smdp_state'],
    [["sims", "import"], "FILE is missing"]
  ]
  for (const [args, sentence] of misused) {
    it(`\`simplan ${args.join(" ")}\` is reported as misuse`, async () => {
      const outcome = await simplan(args)
      expect(outcome).toMatchObject({ code: 2, out: "" })
      expect(outcome.err.startsWith(sentence)).toBe(true)
      expect(outcome.err.trim()).not.toContain("\n")
    })
  }
})

describe("help is printed", () => {
  it("on request, with examples", async () => {
    const { code, err, out } = await simplan(["sims", "import", "--help"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("EXAMPLES")
    expect(out).toContain("simplan sims import sims.csv")
  })

  it("for a group of commands without a command", async () => {
    expect((await simplan([])).out).toContain("SUBCOMMANDS")
    expect((await simplan(["org"])).out).toContain("create")
  })
})

describe("the organization", () => {
  const key = { status: 201, body: { error: false, data: { api_key_id: "k", key: "simplan_secret" } } }

  it("may be omitted if there is only one", async () => {
    const { asked, url } = await serve(({ method }) => (method === "GET" ? organizations("Demo") : key))
    keep({ url, adminToken: "t" })
    const outcome = await simplan(["key", "create", "--name", "dashboard", "--scope", "read"])
    expect(outcome).toMatchObject({ code: 0, out: "api_key_id  k\nkey         simplan_secret\n" })
    expect(asked[1]).toMatchObject({
      path: "/admin/v1/organizations/org-1/api-keys",
      body: '{"name":"dashboard","scope":"read"}'
    })
  })

  it("must be named if there are several", async () => {
    const { url } = await serve(() => organizations("Acme", "Demo"))
    keep({ url, adminToken: "t" })
    const outcome = await simplan(["key", "create"])
    expect(outcome).toEqual({
      code: 2,
      out: "",
      err: "There are 2 organizations, so name one with --org: org-1 (Acme), org-2 (Demo).\n"
    })
  })
})

describe("webhook add", () => {
  it("sends the address and the events", async () => {
    const { asked, url } = await serve(() => ({
      status: 201,
      body: { data: { signing_key: "whsec_x", events: null } }
    }))
    const types = ["--event", "attachment.allowanceConsumed", "--event", "esim.smdp.stateChanged"]
    const args = ["webhook", "add", "https://hooks.example.com", ...types, "--org", "o", "--url", url, "--token", "t"]
    expect(await simplan([...args, "--json"])).toMatchObject({
      code: 0,
      out: '{"signing_key":"whsec_x","events":null}\n'
    })
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      url: "https://hooks.example.com",
      events: ["attachment.allowanceConsumed", "esim.smdp.stateChanged"]
    })
  })
})

describe("clock advance", () => {
  it("advances to an instant or by a duration, and prints the new time", async () => {
    const { asked, url } = await serve(() => ({ body: { error: false, data: { now: "2026-02-01T00:00:00.000Z" } } }))
    keep({ url, adminToken: "t" })
    expect((await simplan(["clock", "advance", "--by", "12 hours"])).out).toBe("now  2026-02-01T00:00:00.000Z\n")
    await simplan(["clock", "advance", "--to", "2026-02-01T00:00:00Z"])
    expect(asked.map((one) => one.body)).toEqual(['{"by":"12 hours"}', '{"to":"2026-02-01T00:00:00Z"}'])
  })
})

describe("events send", () => {
  const taken = { accepted: 1, duplicates: 0, rejected: [] }

  it("makes an event from its flags, at the time of the server's clock", async () => {
    const { asked, url } = await serve(({ path }) =>
      path === "/admin/v1/clock" ? { body: { data: { now: "2026-02-01T00:00:00.000Z" } } } : { body: taken }
    )
    keep({ url, adminToken: "a", telcoToken: "t" })
    const outcome = await simplan(["events", "send", "--type", "usage", "--iccid", "89", "--total-bytes", "5"])
    expect(outcome).toEqual({ code: 0, out: "1 accepted, 0 duplicates, 0 rejected\n", err: "" })
    expect(asked[1]?.authorization).toBe("Bearer t")
    expect(JSON.parse(asked[1]?.body ?? "")).toEqual({
      events: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: "usage",
          occurred_at: "2026-02-01T00:00:00.000Z",
          iccid: "89",
          total_bytes: 5
        }
      ]
    })
  })

  it("sends a file in parts, and fails if an event was rejected", async () => {
    const { asked, url } = await serve(({ body }) => {
      const { length } = JSON.parse(body).events
      const rejected = length === 200 ? [{ index: 7, id: "e", message: "iccid is unknown" }] : []
      return { body: { accepted: length - rejected.length, duplicates: 0, rejected } }
    })
    keep({ url, telcoToken: "t" })
    writeFileSync(
      "events.json",
      JSON.stringify({ events: Array.from({ length: 1_200 }, (_, id) => ({ id: `${id}` })) })
    )
    expect(await simplan(["events", "send", "events.json"])).toEqual({
      code: 1,
      out: "1199 accepted, 0 duplicates, 1 rejected\nevent 1008 (e): iccid is unknown\n",
      err: "1 of 1200 events were rejected.\n"
    })
    expect(asked).toHaveLength(2)
  })

  it("reports a file without events", async () => {
    keep({ telcoToken: "t" })
    writeFileSync("events.json", "{}")
    const outcome = await simplan(["events", "send", "events.json"])
    expect(outcome).toMatchObject({ code: 2, out: "" })
    expect(outcome.err).toMatch(/^events\.json is not JSON of the form .+\.\n$/)
  })
})
