import { ConfigProvider, Duration, Effect, Redacted } from "effect"
import { Time } from "simplan"
import { describe, expect, it } from "vitest"
import { CommandFailed } from "../../../adapters/cli/output/CommandFailed.ts"
import * as Secrets from "../../../adapters/cli/settings/Secrets.ts"
import * as Definitions from "../../../adapters/cli/settings/Definitions.ts"
import * as Settings from "../../../adapters/cli/settings/Settings.ts"

const read = (env: Record<string, string>) =>
  Effect.runPromise(Settings.read.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))))

const problem = (env: Record<string, string>): Promise<string> =>
  read(env).then(
    () => "accepted",
    (error: unknown) => (error instanceof CommandFailed ? error.message : String(error))
  )

describe("variables that begin as settings", () => {
  it("and are none are named, each with the nearest one; those of commands and of the telcos' file are known", () => {
    const env = {
      ...Object.fromEntries(Definitions.table.map(({ name }) => [name, ""])),
      SIMPLAN_URL: "http://127.0.0.1:3000",
      SIMPLAN_API_KEY: "",
      SIMPLAN_TELCO_BOOKS: "memory:",
      SIMPLAN_OCS_TOKEN: "secret",
      SIMPLAN_DATABSE_URL: "memory:",
      SIMPLAN_ADMIN_TOKENS: "",
      SIMPLAN_COLOUR_OF_THE_LOGO: "",
      HOME: "/home/me"
    }
    expect(Settings.unknown(env, ["SIMPLAN_OCS_TOKEN"])).toEqual([
      "SIMPLAN_ADMIN_TOKENS is no setting: SIMPLAN_ADMIN_TOKEN is the nearest.",
      "SIMPLAN_COLOUR_OF_THE_LOGO is no setting: simplan serve --help lists them.",
      "SIMPLAN_DATABSE_URL is no setting: SIMPLAN_DATABASE_URL is the nearest."
    ])
  })
})

describe("a setting's name", () => {
  it("is found where it is misspelt, and in no other variable", () => {
    const found = (name: string) => Settings.misspelt({ [name]: "x" }, "SIMPLAN_URL")
    expect(found("SIMPLAN_ULR")).toBe("SIMPLAN_ULR")
    for (const other of ["SIMPLAN_URL", "SIMPLAN_ADMIN_URL", "SIMPLAN_ORG", "SIMPLAN_OCS_TOKEN", "URL"]) {
      expect(found(other)).toBeUndefined()
    }
  })
})

describe("what is not for production", () => {
  it("is warned of the defaults and of what is for trying out, and of nothing that is set as it should be", async () => {
    const key = Buffer.alloc(32, 1).toString("base64")
    const fit = { SIMPLAN_TELCO_FILE: "telcos.json", SIMPLAN_SECRET_KEY: key, SIMPLAN_ADMIN_PORT: "9000" }
    expect(Settings.unfit(await read(fit), [])).toEqual([])
    const unfit = async (env: Record<string, string>, simulators: ReadonlyArray<string> = []) =>
      Settings.unfit(await read({ ...fit, ...env }), simulators)
    expect(await unfit({ SIMPLAN_TELCO_FILE: "" })).toEqual([expect.stringContaining("the telco is simulated")])
    expect(await unfit({}, ["sandbox"])).toEqual(["telcos of the settings file are simulated: sandbox"])
    expect(await unfit({ SIMPLAN_SECRET_KEY: "" })).toEqual([expect.stringContaining("stored plain")])
    expect(await unfit({ SIMPLAN_ADMIN_PORT: "" })).toEqual([expect.stringContaining("beside /v3")])
    expect(await unfit({ SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" })).toEqual([expect.stringContaining("private")])
    expect(await unfit({ SIMPLAN_CLOCK: "virtual" })).toEqual([expect.stringContaining("the clock is virtual")])
    expect(await unfit({ SIMPLAN_DATABASE_URL: "memory:" })).toEqual([expect.stringContaining("are lost")])
    const theirs = { DATABASE_URL: "postgres://me@db/mine" }
    expect(await unfit(theirs)).toEqual(["DATABASE_URL is not read, and SIMPLAN_DATABASE_URL is not set"])
    expect(await unfit({ ...theirs, SIMPLAN_DATABASE_URL: "postgres://me@db/ours" })).toEqual([])
    expect(Settings.unfit(await read({}), [])).toHaveLength(3)
  })
})

describe("the settings", () => {
  it("have their defaults", async () => {
    expect(await read({})).toEqual({
      host: "127.0.0.1",
      port: 3000,
      adminHost: "127.0.0.1",
      adminPort: null,
      database: { _tag: "Pglite", directory: "./.simplan/data", url: "pglite://./.simplan/data" },
      ignoresDatabaseUrl: false,
      databaseDirect: null,
      schema: "simplan",
      secretKeys: null,
      adminToken: null,
      telcoToken: null,
      telco: null,
      openId: null,
      consoleReadsOnly: false,
      telcoPauses: false,
      telcoFile: null,
      clock: { _tag: "System" },
      rateLimit: { requests: 100, window: Duration.seconds(1) },
      smsLimit: { requests: 30, window: Duration.minutes(1) },
      maxRequestsPerKey: 32,
      organizationShare: 4,
      maxConnections: 10_000,
      maxConnectionsOfAddress: 1_000,
      maxUnreadBytes: 134_217_728,
      maxPlans: 20_000,
      maxRegions: 1_000,
      maxWebhookEndpoints: 100,
      maxApiKeys: 1_000,
      trustedProxies: 0,
      allowPrivateWebhooks: false,
      webhookPorts: [80, 443, 8080, 8443],
      webhookHttpsOnly: false,
      webhookProxy: null,
      dnsServers: null,
      telcoTimeoutMillis: 10_000,
      leaseMillis: 15_000,
      auditRetentionMillis: 31_536_000_000,
      retentionMillis: 2_592_000_000,
      usageRetentionMillis: 34_560_000_000,
      console: true
    })
  })

  it("treat an empty variable as not set", async () => {
    const settings = await read({ SIMPLAN_PORT: "", SIMPLAN_ADMIN_TOKEN: "", SIMPLAN_CLOCK: "" })
    expect(settings).toMatchObject({ port: 3000, adminToken: null, clock: { _tag: "System" } })
  })

  it("are read from the environment", async () => {
    const settings = await read({
      SIMPLAN_HOST: "::1",
      SIMPLAN_PORT: "0",
      SIMPLAN_DATABASE_URL: "postgresql://me:secret@db.example:5433/simplan",
      SIMPLAN_ADMIN_TOKEN: "admin-token-of-16-or-more",
      SIMPLAN_TELCO_TOKEN: "telco/token+=16=",
      SIMPLAN_CLOCK: "virtual:2026-01-31T00:00:00+01:00",
      SIMPLAN_RATE_LIMIT: "off",
      SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true"
    })
    expect(settings).toMatchObject({
      host: "::1",
      port: 0,
      database: { _tag: "Postgres", url: "postgresql://me:secret@db.example:5433/simplan" },
      clock: { _tag: "Virtual", from: Date.UTC(2026, 0, 30, 23) },
      rateLimit: "off",
      allowPrivateWebhooks: true
    })
    expect(settings.adminToken && Redacted.value(settings.adminToken)).toBe("admin-token-of-16-or-more")
    expect(settings.telcoToken && Redacted.value(settings.telcoToken)).toBe("telco/token+=16=")
  })

  const fine: ReadonlyArray<readonly [name: string, value: string, expected: object]> = [
    ["SIMPLAN_DATABASE_URL", "memory:", { database: { _tag: "Memory" } }],
    ["SIMPLAN_DATABASE_URL", "pglite:///var/lib/simplan", { database: { directory: "/var/lib/simplan" } }],
    ["SIMPLAN_DATABASE_URL", "pglite://data", { database: { directory: "data" } }],
    ["SIMPLAN_DATABASE_URL", "postgres://localhost/simplan", { database: { _tag: "Postgres" } }],
    [
      "SIMPLAN_DATABASE_URL",
      "postgres://me:pw@a:1,[::1]:2,b/simplan?target_session_attrs=read-write",
      { database: { _tag: "Postgres" } }
    ],
    ["SIMPLAN_CLOCK", "virtual", { clock: { _tag: "Virtual", from: null } }],
    ["SIMPLAN_RATE_LIMIT", "50/500ms", { rateLimit: { requests: 50, window: Duration.millis(500) } }],
    ["SIMPLAN_SMS_LIMIT", "5/1m", { smsLimit: { requests: 5, window: Duration.minutes(1) } }],
    ["SIMPLAN_MAX_REQUESTS_PER_KEY", "1000", { maxRequestsPerKey: 1_000 }],
    ["SIMPLAN_ORGANIZATION_SHARE", "10", { organizationShare: 10 }],
    ["SIMPLAN_MAX_CONNECTIONS", "500", { maxConnections: 500 }],
    ["SIMPLAN_MAX_CONNECTIONS_PER_ADDRESS", "64", { maxConnectionsOfAddress: 64 }],
    ["SIMPLAN_MAX_UNREAD_MB", "512", { maxUnreadBytes: 536_870_912 }],
    ["SIMPLAN_TRUST_PROXY", "2", { trustedProxies: 2 }],
    ["SIMPLAN_RATE_LIMIT", "6000/m", { rateLimit: { requests: 6000, window: Duration.minutes(1) } }],
    ["SIMPLAN_WEBHOOK_PORTS", "443, 9443", { webhookPorts: [443, 9443] }],
    ["SIMPLAN_WEBHOOK_HTTPS_ONLY", "true", { webhookHttpsOnly: true }],
    [
      "SIMPLAN_WEBHOOK_PROXY",
      "http://proxy:3128",
      { webhookProxy: { hostname: "proxy", port: 3128, credentials: null } }
    ],
    ["SIMPLAN_DNS_SERVERS", "10.0.0.2, [::1]:5353", { dnsServers: ["10.0.0.2", "[::1]:5353"] }],
    ["SIMPLAN_TELCO_TIMEOUT", "750ms", { telcoTimeoutMillis: 750 }],
    ["SIMPLAN_TELCO_TIMEOUT", "1.5 minutes", { telcoTimeoutMillis: 90_000 }],
    ["SIMPLAN_MAX_PLANS", "100000", { maxPlans: 100_000 }],
    ["SIMPLAN_MAX_REGIONS", "5", { maxRegions: 5 }],
    ["SIMPLAN_MAX_WEBHOOK_ENDPOINTS", "1", { maxWebhookEndpoints: 1 }],
    ["SIMPLAN_MAX_API_KEYS", "1000000", { maxApiKeys: 1_000_000 }],
    ["SIMPLAN_LEASE", "2m", { leaseMillis: 120_000 }],
    ["SIMPLAN_AUDIT_RETENTION", "90d", { auditRetentionMillis: 90 * 86_400_000 }],
    ["SIMPLAN_DATABASE_SCHEMA", "esim_2", { schema: "esim_2" }],
    ["SIMPLAN_RETENTION", "10d", { retentionMillis: 10 * 86_400_000 }],
    ["SIMPLAN_TELCO_PAUSES", "true", { telcoPauses: true }],
    ["SIMPLAN_USAGE_RETENTION", "35d", { usageRetentionMillis: 35 * 86_400_000 }],
    ["SIMPLAN_CONSOLE", "off", { console: false }],
    ["SIMPLAN_CONSOLE_READ_ONLY", "true", { consoleReadsOnly: true }]
  ]
  for (const [name, value, expected] of fine) {
    it(`allow ${name}=${value}`, async () => {
      expect(await read({ [name]: value })).toMatchObject(expected)
    })
  }

  it("take an OpenID Connect provider whole, or not at all", async () => {
    const whole = {
      SIMPLAN_OIDC_ISSUER: "https://login.example/realms/ops",
      SIMPLAN_OIDC_CLIENT_ID: "simplan",
      SIMPLAN_OIDC_REDIRECT_URL: "https://sim.example/esim/admin/v1/signed-in"
    }
    expect((await read(whole)).openId).toMatchObject({
      issuer: new URL(whole.SIMPLAN_OIDC_ISSUER),
      clientId: "simplan",
      clientSecret: null,
      scope: "openid profile email",
      roleClaim: "simplan_role",
      renewalMillis: 300_000,
      sessionMillis: 3_600_000
    })
    for (const name of Object.keys(whole)) {
      await expect(read({ ...whole, [name]: "" })).rejects.toThrow("belong together: set all of them, or none.")
    }
  })

  const bad: ReadonlyArray<readonly [name: string, value: string]> = [
    ["SIMPLAN_HOST", "not a host"],
    ["SIMPLAN_CONSOLE", "false"],
    ["SIMPLAN_OIDC_ISSUER", "http://login.example"],
    ["SIMPLAN_OIDC_ISSUER", "login.example"],
    ["SIMPLAN_OIDC_REDIRECT_URL", "https://sim.example/admin/console"],
    ["SIMPLAN_OIDC_REDIRECT_URL", "http://sim.example/admin/v1/signed-in"],
    ["SIMPLAN_OIDC_SCOPE", "profile"],
    ["SIMPLAN_OIDC_RENEWAL", "59s"],
    ["SIMPLAN_OIDC_SESSION", "9h"],
    ["SIMPLAN_OIDC_ROLE_CLAIM", "the role"],
    ["SIMPLAN_ADMIN_HOST", "not a host"],
    ["SIMPLAN_ADMIN_PORT", "65536"],
    ["SIMPLAN_PORT", "65536"],
    ["SIMPLAN_PORT", "http"],
    ["SIMPLAN_PORT", "-1"],
    ["SIMPLAN_PORT", "3000.5"],
    ["SIMPLAN_DATABASE_URL", "pglite://"],
    ["SIMPLAN_DATABASE_URL", "mysql://localhost/simplan"],
    ["SIMPLAN_DATABASE_URL", "postgres://"],
    ["SIMPLAN_DATABASE_URL", "postgres://a,/simplan"],
    ["SIMPLAN_DATABASE_URL", "postgres://a:1,b:port/simplan"],
    ["SIMPLAN_DATABASE_URL", "postgres://a,b/simplan?target_session_attrs=standby"],
    ["SIMPLAN_DATABASE_URL", "simplan.db"],
    ["SIMPLAN_CLOCK", "virtual:tomorrow"],
    ["SIMPLAN_CLOCK", "virtual:2026-02-30T00:00:00Z"],
    ["SIMPLAN_CLOCK", "sundial"],
    ["SIMPLAN_MAX_REQUESTS_PER_KEY", "0"],
    ["SIMPLAN_MAX_UNREAD_MB", "32"],
    ["SIMPLAN_MAX_CONNECTIONS", "0"],
    ["SIMPLAN_MAX_CONNECTIONS_PER_ADDRESS", "many"],
    ["SIMPLAN_TRUST_PROXY", "true"],
    ["SIMPLAN_RATE_LIMIT", "0/1s"],
    ["SIMPLAN_RATE_LIMIT", "100"],
    ["SIMPLAN_RATE_LIMIT", "100/1d"],
    ["SIMPLAN_ALLOW_PRIVATE_WEBHOOKS", "yes"],
    ["SIMPLAN_WEBHOOK_PORTS", "443;80"],
    ["SIMPLAN_WEBHOOK_PORTS", "0"],
    ["SIMPLAN_WEBHOOK_PORTS", "65536"],
    ["SIMPLAN_WEBHOOK_HTTPS_ONLY", "1"],
    ["SIMPLAN_WEBHOOK_PROXY", "https://proxy.example"],
    ["SIMPLAN_WEBHOOK_PROXY", "proxy.example:3128"],
    ["SIMPLAN_WEBHOOK_PROXY", "http://proxy.example/path"],
    ["SIMPLAN_DNS_SERVERS", "dns.example"],
    ["SIMPLAN_TELCO_TIMEOUT", "10"],
    ["SIMPLAN_TELCO_TIMEOUT", "1ms"],
    ["SIMPLAN_TELCO_TIMEOUT", "1 mins"],
    ["SIMPLAN_TELCO_TIMEOUT", "-1s"],
    ["SIMPLAN_LEASE", "2h"],
    ["SIMPLAN_LEASE", "0s"],
    ["SIMPLAN_AUDIT_RETENTION", "59m"],
    ["SIMPLAN_DATABASE_SCHEMA", "Mine"],
    ["SIMPLAN_DATABASE_DIRECT_URL", "pglite://./data"],
    ["SIMPLAN_RETENTION", "9d"],
    ["SIMPLAN_USAGE_RETENTION", "34d"],
    ["SIMPLAN_TELCO_PAUSES", "yes"],
    ["SIMPLAN_TELCO_URL", "bridge.example"],
    ["SIMPLAN_TELCO_URL", "ftp://bridge.example"]
  ]
  for (const [name, value] of bad) {
    it(`refuse ${name}=${value} in one sentence with the name, the value and what is allowed`, async () => {
      const message = await problem({ [name]: value })
      expect(message).toMatch(new RegExp(`^${name} is .+, but must be .+\\.$`))
      expect(message).toContain(JSON.stringify(value))
      expect(message).not.toContain("\n")
    })
  }

  it("report all invalid variables at once", async () => {
    const message = await problem({ SIMPLAN_PORT: "http", SIMPLAN_CLOCK: "sundial" })
    expect(message.split("\n")).toHaveLength(2)
  })

  it("have a direct address beside a PostgreSQL alone", async () => {
    const direct = "postgres://me@db:5432/simplan"
    const pooled = { SIMPLAN_DATABASE_URL: "postgres://me@pooler:6432/simplan" }
    expect(await read({ ...pooled, SIMPLAN_DATABASE_DIRECT_URL: direct })).toMatchObject({ databaseDirect: direct })
    expect(await problem({ SIMPLAN_DATABASE_URL: "memory:", SIMPLAN_DATABASE_DIRECT_URL: direct })).toBe(
      "SIMPLAN_DATABASE_DIRECT_URL is set and SIMPLAN_DATABASE_URL names no PostgreSQL: the one is the direct address beside the other's pooler."
    )
  })

  it("have a telco if both its address and its key are set", async () => {
    const { telco } = await read({ SIMPLAN_TELCO_URL: "https://bridge.example/telco/", SIMPLAN_TELCO_KEY: "s3cret" })
    expect(telco?.url).toBe("https://bridge.example/telco")
    expect(telco && Redacted.value(telco.key)).toBe("s3cret")
    expect(await problem({ SIMPLAN_TELCO_URL: "http://localhost:3100" })).toBe(
      "SIMPLAN_TELCO_URL is set and SIMPLAN_TELCO_KEY is not: a telco needs both."
    )
    expect(await problem({ SIMPLAN_TELCO_KEY: "s3cret" })).toBe(
      "SIMPLAN_TELCO_KEY is set and SIMPLAN_TELCO_URL is not: a telco needs both."
    )
  })

  it("have the password of the proxy removed from what is written", async () => {
    const env = { SIMPLAN_WEBHOOK_PROXY: "http://me:proxy%2Fpass@proxy.example:3128" }
    const settings = await read(env)
    expect(JSON.stringify(settings)).not.toContain("pass")
    expect(settings.webhookProxy?.credentials && Redacted.value(settings.webhookProxy.credentials)).toBe(
      "me:proxy/pass"
    )
    Settings.registerSecrets(settings)
    const base64 = Buffer.from("me:proxy/pass").toString("base64")
    expect(Secrets.redact(`${env.SIMPLAN_WEBHOOK_PROXY} proxy/pass Basic ${base64}`)).toBe(
      "http://me:***@proxy.example:3128 *** Basic ***"
    )
  })

  it("never show a token or a password", async () => {
    expect(await problem({ SIMPLAN_ADMIN_TOKEN: "top secret" })).toBe(
      "SIMPLAN_ADMIN_TOKEN has a value that is not allowed: it must be made of at least 16 visible ASCII characters without spaces."
    )
    expect(await problem({ SIMPLAN_TELCO_TOKEN: "fifteen-letters" })).toBe(
      "SIMPLAN_TELCO_TOKEN has a value that is not allowed: it must be made of at least 16 visible ASCII characters without spaces."
    )
    const [first, second] = ["a".repeat(64), "b".repeat(62)]
    expect(await problem({ SIMPLAN_SECRET_KEY: `${first},${second}` })).toBe(
      "SIMPLAN_SECRET_KEY has a value that is not allowed: it must be 32 bytes in base64 or hexadecimal, or two of them with a comma between: the new key, the old key."
    )
    const { secretKeys } = await read({ SIMPLAN_SECRET_KEY: `${first},${second}bb` })
    expect(secretKeys && Redacted.value(secretKeys)).toBe(`${first},${second}bb`)
    expect(await problem({ SIMPLAN_TELCO_URL: "http://localhost", SIMPLAN_TELCO_KEY: "top secret" })).not.toContain(
      "secret"
    )
    expect(await problem({ SIMPLAN_TELCO_URL: "https://me:secret@bridge?key=hidden" })).toContain(
      '"https://***@bridge?***"'
    )
    expect(await problem({ SIMPLAN_WEBHOOK_PROXY: "http://me:secret@proxy/path" })).toContain('"http://***@proxy/path"')
    const message = await problem({ SIMPLAN_DATABASE_URL: "postgres://me:top/secret@db:port/simplan?password=hidden" })
    expect(message).toContain("postgres://me:***@db:port/simplan?password=***")
  })
})

describe("a virtual clock starts", () => {
  const at = (iso: string): Time.Instant => Time.fromIso(iso) ?? Number.NaN
  const [early, late, machine] = [at("2026-01-01T00:00:00Z"), at("2026-06-01T00:00:00Z"), at("2026-03-01T00:00:00Z")]

  it("at the setting, or at the machine's time, on the first start", () => {
    expect(Settings.virtualStart({ from: early }, null, machine)).toBe(early)
    expect(Settings.virtualStart({ from: null }, null, machine)).toBe(machine)
  })

  it("at the later of the stored time and the setting", () => {
    expect(Settings.virtualStart({ from: early }, late, machine)).toBe(late)
    expect(Settings.virtualStart({ from: late }, early, machine)).toBe(late)
    expect(Settings.virtualStart({ from: null }, early, machine)).toBe(early)
  })
})
