import { execFileSync } from "node:child_process"
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

const at = "2026-01-10T12:00:00.000Z"

const organizations = (...names: ReadonlyArray<string>): FakeServer.Answer => {
  const data = names.map((name, index) => ({ organization_id: `org-${index + 1}`, name, created_at: at }))
  return { body: { error: false, data, next_page: null } }
}

const organization: FakeServer.Answer = {
  status: 201,
  body: { error: false, data: { organization_id: "o", name: "Acme", created_at: at } }
}

const refusal = (status: number, code: string, message: string): FakeServer.Answer => ({
  status,
  body: { error: true, message, code }
})

describe("a command calls", () => {
  it("the server that was started in this directory, with its kept token", async () => {
    const { asked, url } = await serve(() => organization)
    keep({ url, adminToken: "kept-token" })
    expect(await simplan(["org", "create", "Acme"])).toEqual({
      code: 0,
      out: `organization_id  o\nname             Acme\ncreated_at       ${at}\n`,
      err: ""
    })
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
    const { asked, url } = await serve(() => organization)
    const env = { SIMPLAN_URL: `${url}/`, SIMPLAN_ADMIN_TOKEN: "from-env" }
    await simplan(["org", "create", "Acme"], env)
    await simplan(["org", "create", "Acme", "--url", url, "--token", "from-flag"], {
      ...env,
      SIMPLAN_URL: "http://nowhere.invalid"
    })
    expect(asked.map((one) => one.authorization)).toEqual(["Bearer from-env", "Bearer from-flag"])
  })

  it("with a token from a file, which no list of processes shows", async () => {
    const { asked, url } = await serve(() => organization)
    writeFileSync("token", "from-file\n")
    await simplan(["org", "create", "Acme", "--url", url, "--token", "@token"])
    expect(asked.map((one) => one.authorization)).toEqual(["Bearer from-file"])
    const missing = await simplan(["org", "list", "--url", url, "--token", "@none"])
    expect(missing.code).toBe(1)
    expect(missing.err).toMatch(/^--token cannot be read: .+\n$/)
    writeFileSync("empty", "\n")
    const empty = await simplan(["org", "list", "--url", url, "--token", "@empty"])
    expect(empty).toMatchObject({ code: 2, err: "--token is @empty, and there is no text in it.\n" })
  })

  it("no server at all where the address or the credential has a misspelt name", async () => {
    keep({ url: "http://127.0.0.1:1", adminToken: "kept-token" })
    const misspelt: ReadonlyArray<readonly [wrong: string, right: string, ...args: ReadonlyArray<string>]> = [
      ["SIMPLAN_ADMIN_ULR", "SIMPLAN_ADMIN_URL", "org", "list"],
      ["SIMPLAN_ADMIN_TOKN", "SIMPLAN_ADMIN_TOKEN", "jobs", "list"],
      ["SIMPLAN_API_KEYS", "SIMPLAN_API_KEY", "sims", "list"]
    ]
    for (const [wrong, right, ...args] of misspelt) {
      const refused = await simplan(args, { [wrong]: "http://127.0.0.1:2" })
      expect(refused).toEqual({ code: 2, out: "", err: `${wrong} is no setting: ${right} is the nearest.\n` })
    }
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
    const url = "http://127.0.0.1:1"
    const outcome = await simplan([...lone, "--url", url])
    expect(outcome).toMatchObject({ code: 1, out: "" })
    expect(outcome.err).toMatch(new RegExp(`^No server answers at ${url}: .+\\.\n$`))
  })

  it("another address has the server", async () => {
    const elsewhere = await serve(() => organization)
    const { url } = await serve(() => ({ status: 301, location: elsewhere.url, body: {} }))
    const err = `What answers at ${url} is not simplan: it says 301.\n`
    expect(await simplan([...lone, "--url", url])).toEqual({ code: 1, out: "", err })
    expect(elsewhere.asked).toEqual([])
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
    expect(outcome).toMatchObject({ code: 1, out: "" })
    expect(outcome.err).toBe(`What answers at ${url} is not simplan: it says 502.\n`)
  })

  it("another program answers 200", async () => {
    const { url } = await serve(() => ({ body: "<html>" }))
    const outcome = await simplan(["org", "list", "--token", "t", "--url", url])
    expect(outcome).toMatchObject({ code: 1, out: "" })
    expect(outcome.err).toMatch(/^The server at .+ gave an answer that this version of simplan does not know\.\n$/)
  })

  it("a text is too long, without asking the server", async () => {
    const { asked, url } = await serve(() => organization)
    const outcome = await simplan(["org", "create", "x".repeat(256), "--token", "t", "--url", url])
    expect(outcome).toEqual({ code: 2, out: "", err: "name must have at most 255 characters.\n" })
    expect(asked).toEqual([])
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
    [
      ["events", "send", "--type", "call"],
      '--type is "call", but must be usage, first_use, package_end, location or smdp_state'
    ],
    [["sims", "import"], "Give FILE, or --from-ocs with --account"],
    [["webhook", "remove", ".."], 'ID is "..", but must be an id'],
    [["key", "list", "--org", ""], "--org needs a value: an id"],
    [["org", "list", "--limit", "many"], '--limit is "many", but must be a number (see'],
    [["org", "list", "--limit", "0"], '--limit is "0", but must be a number of at least 1'],
    [["audit", "--from", "yesterday"], '--from is "yesterday", but must be an instant with a zone'],
    [["audit", "--action", "org.explode"], '--action is "org.explode", but must be '],
    [["deliveries", "list", "--status", "lost"], '--status is "lost", but must be pending, delivered or failed'],
    [["deliveries", "replay"], "Name the ID of a delivery, or say which to replay"],
    [["deliveries", "replay", "d", "--status", "failed"], "Name the ID of a delivery, or say which to replay"],
    [["sims", "list"], "There is no API key for http://127.0.0.1:3000: give one with --key or SIMPLAN_API_KEY"],
    [["plans", "list", "--key", "k", "--org", "o"], "An API key belongs to one organization, so give either"],
    [["sims", "show"], "ICCID is missing"],
    [["subscriptions", "list", "--org", "o"], "There is no API key of organization o in .simplan/"]
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

describe("completion", () => {
  it("has all commands, flags and values, for each shell", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, out } = await simplan(["--completions", shell])
      expect(code).toBe(0)
      for (const word of ["subscriptions", "replay", "problems", "audit", "resource", "plan_attachment.suspend"]) {
        expect(out).toContain(word)
      }
    }
  })

  it("completes in bash", async () => {
    const { out } = await simplan(["--completions", "bash"])
    const complete = (...words: ReadonlyArray<string>): string => {
      const all = words.map((word) => `'${word}'`).join(" ")
      const ask = `COMP_WORDS=(${all}); COMP_CWORD=${words.length - 1}; COMP_LINE='${words.join(" ")}'; COMP_POINT=\${#COMP_LINE}`
      const call = `_simplan simplan '${words.at(-1)}' '${words.at(-2)}'; echo "\${COMPREPLY[*]}"`
      return execFileSync("bash", ["-c", `${out}\n${ask}\n${call}`], { encoding: "utf8" }).trim()
    }
    expect(complete("simplan", "su")).toBe("subscriptions")
    expect(complete("simplan", "deliveries", "")).toBe("list show replay")
    expect(complete("simplan", "deliveries", "list", "--status", "f")).toBe("failed")
    writeFileSync("sims.csv", "")
    expect(complete("simplan", "sims", "import", "si")).toBe("sims.csv")
  })
})

describe("the organization", () => {
  const fields = { api_key_id: "k", name: "n", scope: "read", hint: "cret", created_at: at }
  const never = { expires_at: null, revoked_at: null, last_used_at: null, previous_key_until: null }
  const data = { ...fields, ...never, key: "simplan_secret" }
  const key = { status: 201, body: { error: false, data } }

  it("may be omitted if there is only one", async () => {
    const { asked, url } = await serve(({ method }) => (method === "GET" ? organizations("Demo") : key))
    keep({ url, adminToken: "t" })
    const outcome = await simplan(["key", "create", "--name", "dashboard", "--scope", "read"])
    expect(outcome).toMatchObject({ code: 0, err: "The key is shown this once: keep it now.\n" })
    expect(outcome.out).toMatch(/^api_key_id +k\n(.+\n)+key +simplan_secret\n$/)
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
    const url = "https://hooks.example.com"
    const events = ["attachment.allowanceConsumed", "esim.smdp.stateChanged"]
    const endpoint = { webhook_endpoint_id: "e", url, events, description: "", enabled: true, created_at: at }
    const data = { ...endpoint, disabled_reason: null, disabled_at: null, version: 1, signing_key: "whsec_x" }
    const server = await serve(() => ({ status: 201, body: { error: false, data } }))
    const types = events.flatMap((type) => ["--event", type])
    const args = ["webhook", "add", url, ...types, "--org", "o", "--url", server.url, "--token", "t", "--json"]
    const outcome = await simplan(args)
    expect(outcome.code).toBe(0)
    expect(JSON.parse(outcome.out)).toEqual(data)
    expect(JSON.parse(server.asked[0]?.body ?? "")).toEqual({ url, events })
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
      path === "/admin/v1/clock"
        ? { body: { error: false, data: { now: "2026-02-01T00:00:00.000Z", virtual: true } } }
        : { body: taken }
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
