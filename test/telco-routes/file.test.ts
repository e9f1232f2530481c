import { Effect, Redacted, Result } from "effect"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Routing, TelcoFile } from "../../adapters/telco-routes/index.ts"
import { ENV, example, folder, ORGANIZATION, SECRETS } from "./Example.ts"

let directory = ""
beforeAll(() => {
  directory = folder()
})
afterAll(() => rmSync(directory, { recursive: true }))

const parse = (file: unknown, options: Partial<TelcoFile.Source> = {}) =>
  TelcoFile.parse({ text: JSON.stringify(file, null, 2), name: "telcos.json", directory, env: ENV, ...options })

const good = (file: unknown) => Result.getOrThrow(parse(file))

const message = (file: unknown, options: Partial<TelcoFile.Source> = {}) => {
  const read = parse(file, options)
  return Result.isFailure(read) ? read.failure.message : "no mistake"
}

/** The example with other telcos. */
const withTelcos = (telcos: Readonly<Record<string, unknown>>) => ({
  ...example,
  telcos: { ...example.telcos, ...telcos }
})
const withOcs = (fields: Readonly<Record<string, unknown>>) => withTelcos({ ocs: { ...example.telcos.ocs, ...fields } })

describe("the settings file of telcos", () => {
  it("is read with its secrets, spans in milliseconds and defaults", () => {
    const { telcos } = good(example)
    const [ocs, smdp, smsc, sandbox] = telcos
    if (ocs?.kind !== "ocs" || smdp?.kind !== "es2plus" || smsc?.kind !== "smpp") throw new Error("other kinds")
    expect(ocs).toMatchObject({
      name: "ocs",
      url: "http://127.0.0.1:9000/ocs-custo/main/v1",
      urlV2: "http://127.0.0.1:9000/ocs-custo/main/v2",
      resellerId: 1,
      zones: { Green: { FR: 27, EUROPE: 28 } },
      mobilePlanId: 10,
      callsPerSecond: 20,
      callsAtOnce: 16,
      timeoutMillis: 10_000,
      watchMillis: 900_000,
      poll: { fastestMillis: 10_000, slowestMillis: 21_600_000 }
    })
    expect(Redacted.value(ocs.token)).toBe(SECRETS.token)
    expect(ocs.notificationSecret === null ? null : Redacted.value(ocs.notificationSecret)).toBe(SECRETS.notification)
    expect(smdp.key === undefined ? null : Redacted.value(smdp.key)).toBe(SECRETS.key)
    expect(Redacted.value(smsc.password)).toBe(SECRETS.password)
    expect(smsc.address).toBeUndefined()
    expect(sandbox).toEqual({ name: "sandbox", kind: "simulator", callsAtOnce: 16, timeoutMillis: 10_000 })
  })

  it.each(["telcos", "suppliers"])("is read as the documents show it: %s", (name) => {
    writeFileSync(join(directory, "access.code"), SECRETS.token)
    const text = readFileSync(new URL(`../../examples/${name}.json`, import.meta.url), "utf8")
    expect(message(null, { text, env: { ...ENV, ESIM_GO_KEY: SECRETS.key } })).toBe("no mistake")
  })

  it("needs of an OCS no more than its address, token and reseller", () => {
    const { kind, reseller_id, token, url } = example.telcos.ocs
    const [ocs] = good({ telcos: { ocs: { kind, url, token, reseller_id } }, routes: [{ packages: "ocs" }] }).telcos
    expect(ocs).toMatchObject({
      urlV2: "http://127.0.0.1:9000/ocs-custo/main/v2",
      urlUsage: "http://127.0.0.1:9000/ocs-custo/as/v1",
      zones: {},
      mobilePlanId: null,
      notificationSecret: null,
      callsPerSecond: 20
    })
  })

  it("asks for an OCS's book of usage at the address beside that of version 1, another one, or none", () => {
    const urlUsage = (fields: Readonly<Record<string, unknown>>) => {
      const [ocs] = good(withOcs(fields)).telcos
      return ocs?.kind === "ocs" ? ocs.urlUsage : expect.fail()
    }
    const elsewhere = "http://127.0.0.1:9000/usage"
    expect(urlUsage({})).toBe("http://127.0.0.1:9000/ocs-custo/as/v1")
    expect(urlUsage({ url_usage: elsewhere })).toBe(elsewhere)
    expect(urlUsage({ url_usage: null })).toBeNull()
    expect(urlUsage({ url: "http://127.0.0.1:9000/v1" })).toBeNull()
  })

  it("shows no secret when its settings are printed", () => {
    const printed = `${JSON.stringify(good(example))} ${String(good(example).telcos)}`
    for (const secret of Object.values(SECRETS)) expect(printed).not.toContain(secret)
  })

  it("sends to each capability the telco that its route names, and else that of its packages", () => {
    const { routes } = good(example)
    expect(routes.map(({ telcos }) => telcos)).toEqual([
      { packages: "ocs", sms: "smsc", profiles: "smdp" },
      { packages: "sandbox", sms: "sandbox", profiles: "sandbox" },
      { packages: "sandbox", sms: "sandbox", profiles: "sandbox" }
    ])
  })

  it("takes the first route that fits", () => {
    const { routes } = good({
      ...withTelcos({ other: { kind: "simulator" } }),
      routes: [
        { label: "Green", organization_id: ORGANIZATION, packages: "other" },
        { label: "Green", packages: "ocs" },
        { organization_id: ORGANIZATION, packages: "sandbox" }
      ]
    })
    const packages = (label: "Green" | "Blue", organizationId: string) =>
      Routing.find(routes, { label, organizationId })?.telcos.packages
    expect(packages("Green", ORGANIZATION)).toBe("other")
    expect(packages("Green", "another")).toBe("ocs")
    expect(packages("Blue", ORGANIZATION)).toBe("sandbox")
    expect(packages("Blue", "another")).toBeUndefined()
  })

  it("is read from a path, relative to which its secrets are", async () => {
    const path = join(directory, "telcos.json")
    writeFileSync(path, JSON.stringify(example))
    const { telcos } = await Effect.runPromise(TelcoFile.read(path, { env: ENV }))
    expect(telcos.map(({ name }) => name)).toEqual(["ocs", "smdp", "smsc", "sandbox"])
    const missing = Effect.flip(TelcoFile.read(join(directory, "none.json")))
    expect((await Effect.runPromise(missing)).message).toBe(`${directory}/none.json cannot be read (ENOENT).`)
  })

  const mistakes: ReadonlyArray<readonly [what: string, file: unknown, message: string]> = [
    [
      "an unknown field",
      withOcs({ tokn: { file: "ocs.token" } }),
      "telcos.json, line 29: telcos.ocs.tokn is not known."
    ],
    [
      "a secret in plain text",
      withOcs({ token: "geheim" }),
      `telcos.json, line 7: telcos.ocs.token must be {"file": "<path>"} or {"env": "<NAME>"}.`
    ],
    [
      "a secret that is not set",
      withOcs({ token: { env: "NO_SUCH_TOKEN" } }),
      "telcos.json, line 7: telcos.ocs.token names the environment variable NO_SUCH_TOKEN, which is not set or empty."
    ],
    [
      "a wrong span",
      withOcs({ timeout: "10" }),
      'telcos.json, line 24: telcos.ocs.timeout must be a time from 100ms to 10m, such as "10 seconds".'
    ],
    [
      "a watch time that is too short",
      withOcs({ watch: "30s" }),
      'telcos.json, line 29: telcos.ocs.watch must be a time from 1m to 1d, such as "10 seconds".'
    ],
    [
      "a watch time in which a call may still be waited for",
      withOcs({ watch: "2m", timeout: "2m" }),
      "telcos.json, line 29: telcos.ocs.watch must be longer than timeout, in which a call is waited for."
    ],
    [
      "thresholds of an SM-DP+",
      withTelcos({
        smdp: {
          ...example.telcos.smdp,
          notifications: { secret: { env: "OCS_NOTIFICATION_SECRET" }, thresholds: [50] }
        }
      }),
      "telcos.json, line 43: telcos.smdp.notifications.thresholds is not known."
    ],
    [
      "an unknown label",
      withOcs({ zones: { Verde: { FR: 1 } } }),
      "telcos.json, line 11: telcos.ocs.zones must have zones by label and region code; the labels are Green, Aqua, Blue, Voilet, Red, Grey, Orange."
    ],
    [
      "an address with a password",
      withOcs({ url: "http://a:b@c/v1" }),
      "telcos.json, line 5: telcos.ocs.url must be an address such as https://telco.example/api, without a password or a query."
    ],
    [
      "an unknown kind",
      withTelcos({ smsc: { kind: "smtp" } }),
      "telcos.json, line 41: telcos.smsc.kind must be one of ocs, es2plus, smpp, esim-go, esim-access, airalo, simulator, http."
    ],
    [
      "an address of SIMs that no SMSC takes",
      withTelcos({ smsc: { ...example.telcos.smsc, address: "iccid" } }),
      "telcos.json, line 46: telcos.smsc.address must be msisdn or imsi."
    ],
    [
      "a telco that is not there",
      { ...example, routes: [{ packages: "osc" }] },
      "telcos.json, line 53: routes[0].packages names a telco that is not among telcos."
    ],
    [
      "a telco that cannot do it",
      { ...example, routes: [{ packages: "smsc" }] },
      "telcos.json, line 53: routes[0].packages names a telco of the kind smpp, which only takes sms."
    ],
    [
      "a route that nothing takes",
      { ...example, routes: [{ packages: "sandbox" }, { label: "Green", packages: "ocs" }] },
      "telcos.json, line 55: routes[1] is never taken, because routes[0] takes all of its SIMs."
    ],
    ["no route", { ...example, routes: [] }, "telcos.json, line 51: routes must have a route."],
    [
      "a name that is none",
      withTelcos({ "A b": { kind: "simulator" } }),
      "telcos.json, line 50: telcos.A b must be named by up to 63 small letters, digits, - and _."
    ]
  ]

  for (const [what, file, expected] of mistakes) {
    it(`is refused for ${what}, with the line`, () => expect(message(file)).toBe(expected))
  }

  it("names a secret's file that cannot be read, or is empty", () => {
    writeFileSync(join(directory, "empty"), " \n")
    expect(message(withOcs({ token: { file: "nowhere" } }))).toBe(
      `telcos.json, line 7: telcos.ocs.token names the file ${directory}/nowhere, which cannot be read (ENOENT).`
    )
    expect(message(withOcs({ token: { file: "empty" } }))).toContain(
      `names the file ${directory}/empty, which is empty.`
    )
  })

  it("names a notifications' secret that can be guessed, or that no path can have", () => {
    const env = (secret: string) => ({ env: { OCS_NOTIFICATION_SECRET: secret } })
    const named = "telcos.json, line 19: telcos.ocs.notifications.secret names a secret"
    expect(message(example, env("x".repeat(15)))).toBe(`${named} of less than 16 characters, which can be guessed.`)
    expect(message(example, env("x".repeat(16)))).toBe("no mistake")
    expect(message(example, env(`${"x".repeat(16)}/y`))).toContain(named)
  })

  it("is refused where it names a telco or a field twice", () => {
    const text = JSON.stringify(example, null, 2)
    const telco = text.replace('"sandbox": {', '"ocs": { "kind": "simulator" },\n    "sandbox": {')
    expect(message(null, { text: telco })).toMatch(/^telcos\.json, line \d+: "ocs" is named a second time\.$/)
    const field = text.replace('"kind": "ocs",', '"kind": "ocs",\n"reseller_id": 2,')
    expect(message(null, { text: field })).toMatch(/: "reseller_id" is named a second time\.$/)
  })

  it("tells all mistakes at once, by line, and shows no value", () => {
    const file = { ...withOcs({ token: "geheim", reseller_id: "eins" }), routes: [{ packages: "osc" }] }
    expect(message(file).split("\n")).toEqual([
      expect.stringContaining("line 7: telcos.ocs.token"),
      expect.stringContaining("line 8: telcos.ocs.reseller_id must be a number"),
      expect.stringContaining("routes[0].packages")
    ])
    expect(message(file)).not.toMatch(/geheim|eins/)
  })

  it("has a zone of the charging system that exists, or UTC", () => {
    const { kind, reseller_id, token, url } = example.telcos.ocs
    const zoneOf = (zone: object) => {
      const [ocs] = good({
        telcos: { ocs: { kind, url, token, reseller_id, ...zone } },
        routes: [{ packages: "ocs" }]
      }).telcos
      return ocs?.kind === "ocs" ? ocs.timeZone : null
    }
    expect([zoneOf({}), zoneOf({ time_zone: "Europe/Paris" })]).toEqual(["UTC", "Europe/Paris"])
    for (const time_zone of ["Europe/Nowhere", "", 1]) {
      const mistake = message({ ...withOcs({ time_zone }), routes: [{ packages: "ocs" }] })
      expect(mistake).toContain(
        "telcos.ocs.time_zone must be the IANA name of a time zone, such as Europe/Paris or UTC"
      )
    }
  })

  it("is refused where it is not JSON", () => {
    expect(message(null, { text: '{\n "telcos": }' })).toBe(
      'telcos.json, line 2: the file is not JSON: "}" is not allowed there.'
    )
  })

  it("takes only simulators on a virtual clock", () => {
    expect(message(example, { isVirtual: true }).split("\n")[0]).toBe(
      "telcos.json, line 4: telcos.ocs.kind must be simulator, because the clock is virtual."
    )
    const alone = { telcos: { sandbox: { kind: "simulator" } }, routes: [{ packages: "sandbox" }] }
    expect(message(alone, { isVirtual: true })).toBe("no mistake")
  })
})

describe("the tokens of reports", () => {
  const bridge = (token?: string) => ({
    kind: "http",
    url: "https://bridge.example",
    key: { env: "BRIDGE" },
    ...(token === undefined ? {} : { reports: { token: { env: token } } })
  })
  const env = {
    ...ENV,
    BRIDGE: "key",
    ONE: "token-of-one-bridge",
    OTHER: "token-of-the-other",
    SAME: "token-of-one-bridge"
  }
  const of = (one?: string, other?: string) => withTelcos({ one: bridge(one), other: bridge(other) })

  it("are one for each bridge; those that have none share that of the server", () => {
    const sharing = (file: unknown) => TelcoFile.sharing(Result.getOrThrow(parse(file, { env })))
    expect(sharing(of())).toEqual(["one", "other"])
    expect(sharing(of("ONE"))).toEqual([])
    expect(sharing(of("ONE", "OTHER"))).toEqual([])
    expect(sharing(example)).toEqual([])
  })

  it.each([
    ["SAME", "telcos.other.reports.token names the token of the telco one: each telco has one of its own."],
    ["SHORT", "names a secret of less than 16 characters, which can be guessed."],
    ["SPACED", "names a token that is not made of visible ASCII characters without spaces."],
    ["NONE", "names the environment variable NONE, which is not set or empty."]
  ])("are mistakes: %s", (other, sentence) => {
    const bad = { ...env, SHORT: "fifteen-letters", SPACED: "has spaces within it" }
    expect(message(of("ONE", other), { env: bad })).toContain(sentence)
    expect(message(of("ONE", other), { env: bad })).not.toMatch(/token-of|fifteen|spaces within/)
  })
})
