import { writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as Suppliers from "../telco-routes/Suppliers.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()

const TOKEN = "token-of-the-charging-system"

let ocs: Fake.Fake
beforeEach(async () => {
  ocs = await Fake.start({ token: TOKEN, subscribers: 1 })
  writeFileSync("ocs.token", TOKEN)
})
afterEach(() => ocs.close())

const write = (changes: unknown = {}) => {
  const { url, urlV2: url_v2 } = ocs
  const system = {
    kind: "ocs",
    url,
    url_v2,
    token: { file: "ocs.token" },
    reseller_id: 1,
    zones: { Green: { FR: 27 } }
  }
  const telcos = { ocs: { ...system, ...Object(changes) }, sandbox: { kind: "simulator" } }
  writeFileSync("telcos.json", JSON.stringify({ telcos, routes: [{ packages: "ocs" }] }))
}

const check = (...flags: ReadonlyArray<string>) =>
  simplan(["telco", "check", "--file", "telcos.json", ...flags], {}, false, 200)

describe("telco check", () => {
  it("reports what works of each telco, and changes nothing", async () => {
    write()
    const before = ocs.books()
    const { code, err, out } = await check()
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out.trim().split("\n")).toEqual([
      expect.stringMatching(/^telco +what +works +message +kind$/),
      expect.stringMatching(/^ocs +location zones +yes +answers, and has all zones that the settings name +ocs$/),
      expect.stringMatching(/^ocs +package templates +yes +answers, and has 0 +ocs$/),
      expect.stringMatching(/^ocs +packages of a subscriber \(version 2\) +yes /),
      expect.stringMatching(/^ocs +book of usage +yes /),
      expect.stringMatching(/^ocs +limits +yes +sells no bundles; has no mobile plans +ocs$/),
      expect.stringMatching(/^sandbox +simulator +yes /)
    ])
    const { calls: _, ...after } = ocs.books()
    expect(before).toMatchObject(after)
  })

  it("reports what does not work, with exit code 1 and without the token", async () => {
    write({ zones: { Green: { FR: 99 } }, url_v2: "http://127.0.0.1:9/v2" })
    const { code, err, out } = await check("--json")
    expect(code).toBe(1)
    expect(err).toBe("2 of 6 things do not work.\n")
    expect(JSON.parse(out)).toMatchObject([
      {
        works: false,
        message: "telcos.ocs.zones.Green.FR is 99, and the telco has no location zone of that number"
      },
      { works: true },
      { what: "packages of a subscriber (version 2)", works: false },
      { what: "book of usage", works: true },
      { what: "limits", works: true },
      { telco: "sandbox", works: true }
    ])
    writeFileSync("ocs.token", "another-token-that-is-wrong")
    const wrong = await check()
    expect(wrong.code).toBe(1)
    expect(wrong.out + wrong.err).not.toContain("another-token-that-is-wrong")
  })

  it("needs a file, and reports its mistakes", async () => {
    expect(await simplan(["telco", "check"])).toMatchObject({
      code: 2,
      err: "Name the settings file of telcos by --file or SIMPLAN_TELCO_FILE.\n"
    })
    write({ reseller_id: 0 })
    const { code, err } = await simplan(["telco", "check"], { SIMPLAN_TELCO_FILE: "telcos.json" })
    expect(code).toBe(1)
    expect(err).toBe(
      "telcos.json, line 1: telcos.ocs.reseller_id must be an integer of at least 1 and at most 9007199254740991.\n"
    )
  })
})

it("says which bridges share the token of the server, and may speak for each other", async () => {
  writeFileSync("key", "key-of-the-bridges")
  const bridge = { kind: "http", url: "http://127.0.0.1:9", key: { file: "key" } }
  const reporting = async (telcos: unknown) => {
    writeFileSync("telcos.json", JSON.stringify({ telcos, routes: [{ packages: "one" }] }))
    const { out } = await check("--json")
    const findings: ReadonlyArray<{ readonly what: string }> = JSON.parse(out)
    return findings.filter(({ what }) => what === "reports")
  }
  const message =
    "the token of SIMPLAN_TELCO_TOKEN speaks for all of one, other: give each a token in its field reports"
  expect(await reporting({ one: bridge, other: bridge })).toEqual([
    { telco: "one", kind: "http", what: "reports", works: false, message },
    { telco: "other", kind: "http", what: "reports", works: false, message }
  ])
  const own = { ...bridge, reports: { token: { file: "key" } } }
  expect(await reporting({ one: bridge, other: own })).toMatchObject([
    { telco: "one", works: true, message: "come with the token of SIMPLAN_TELCO_TOKEN" },
    { telco: "other", works: true, message: "have a token of their own" }
  ])
})

describe.each(Suppliers.kinds)("an account at %s", (kind) => {
  let supplier: Suppliers.Started
  beforeEach(async () => {
    supplier = await Suppliers.start[kind]()
  })
  afterEach(() => supplier.close())

  const found = async (secret: string, changes: unknown = {}) => {
    writeFileSync("secret", secret)
    const telcos = { shop: { ...supplier.telco({ file: "secret" }), ...Object(changes) } }
    writeFileSync("telcos.json", JSON.stringify({ telcos, routes: [{ packages: "shop" }] }))
    const { code, err, out } = await check("--json")
    const findings: ReadonlyArray<unknown> = JSON.parse(out)
    return { code, err, findings }
  }

  it("is asked for its balance and its catalogue, and nothing is bought", async () => {
    const { findings, ...ended } = await found(supplier.secret)
    expect(ended).toEqual({ code: 0, err: "" })
    const message = expect.stringMatching(/^is [\d.]+ USD$/)
    const finding = { telco: "shop", kind, works: true }
    expect(findings).toEqual([
      { ...finding, what: "balance", message },
      { ...finding, what: "catalogue", message: expect.stringMatching(/^answers, and has [23] bundles$/) },
      ...(kind === "esim-go"
        ? [{ ...finding, what: "order", message: "of esim_1GB_7D_GB_V2 would cost 2.28 USD; nothing was bought" }]
        : []),
      { ...finding, what: "limits", message: expect.stringContaining("sells bundles only") }
    ])
    expect(supplier.sold()).toBe(0)
  })

  it("has too little if its balance is below the level", async () => {
    const { code, findings } = await found(supplier.secret, { balance_level: 1_000_000 })
    expect(code).toBe(1)
    const message = expect.stringMatching(/^is [\d.]+ USD, which is below the balance_level of 1000000$/)
    expect(findings).toMatchObject([{ works: false, message }, { works: true }, ...findings.slice(2)])
  })

  it("does not work with a wrong secret, which no message has", async () => {
    const { code, err, findings } = await found("a-secret-that-is-wrong")
    expect(code).toBe(1)
    expect(err).toBe("2 of 3 things do not work.\n")
    expect(findings).toMatchObject([{ works: false }, { works: false }, { what: "limits" }])
    expect(JSON.stringify(findings)).not.toContain("a-secret-that-is-wrong")
  })
})

describe("telco check --spend", () => {
  const seller = async (kind: Suppliers.Kind) => {
    const supplier = await Suppliers.start[kind]()
    onTestFinished(supplier.close)
    writeFileSync("secret", supplier.secret)
    const telcos = { shop: supplier.telco({ file: "secret" }), sandbox: { kind: "simulator" } }
    writeFileSync("telcos.json", JSON.stringify({ telcos, routes: [{ packages: "shop" }] }))
    return supplier
  }

  it.each([
    ["esim-go", /^(the money came back|the supplier took)/],
    ["esim-access", /^the money came back to the balance$/],
    ["airalo", /^the money was asked for; people at the supplier decide$/]
  ] as const)("%s: buys an eSIM and returns it, and says what it cost and what came back", async (kind, back) => {
    const supplier = await seller(kind)
    const { code, err, out } = await check("shop", "--spend", "--bundle", supplier.load, "--yes", "--json")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const findings: ReadonlyArray<{ readonly what: string; readonly telco: string }> = JSON.parse(out)
    expect(new Set(findings.map(({ telco }) => telco))).toEqual(new Set(["shop"]))
    const iccid = expect.stringMatching(/gave the eSIM \d{18,20}; (it cost \d+(\.\d+)? USD|the supplier does not say)/)
    expect(findings.slice(-2)).toMatchObject([
      { what: "purchase", works: true, message: iccid },
      { what: "return", works: true, message: expect.stringMatching(back) }
    ])
    expect(supplier.sold()).toBe(1)
    expect(out).not.toContain(supplier.secret)
  })

  it("buys the cheapest bundle if none is named, and nothing without being asked to", async () => {
    const supplier = await seller("airalo")
    expect((await check("shop", "--json")).code).toBe(0)
    expect(supplier.sold()).toBe(0)
    const { code, out } = await check("shop", "--spend", "--yes", "--json")
    expect(code).toBe(0)
    expect(JSON.parse(out).at(-2)).toMatchObject({ what: "purchase", works: true })
    expect(supplier.sold()).toBe(1)
  })

  it("says what the supplier refuses, and that nobody can be asked here", async () => {
    const supplier = await seller("airalo")
    expect(await check("shop", "--spend", "--bundle", supplier.load)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^This buys an eSIM with kallur.* of shop for 4\.5 USD.* add --yes if that is wanted\.\n$/
      )
    })
    expect(await check("--spend", "--yes")).toMatchObject({ code: 2, err: expect.stringContaining("Name the telco") })
    expect(await check("shop", "--bundle", "x")).toMatchObject({ code: 2, err: expect.stringContaining("add --spend") })
    expect(await check("none")).toMatchObject({ code: 1, err: "The file has no telco none.\n" })
    expect(await check("shop", "--spend", "--yes", "--bundle", "none")).toMatchObject({
      code: 1,
      err: "The telco shop sells no eSIM with the bundle none.\n"
    })
    supplier.setBalance(0)
    const { code, out } = await check("shop", "--spend", "--yes", "--json")
    expect(code).toBe(1)
    expect(JSON.parse(out).at(-1)).toMatchObject({ what: "purchase", works: false })
    expect(supplier.sold()).toBe(0)
  })
})
