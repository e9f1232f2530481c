/**
 * What each setting of a server is: its variable, its default, what is allowed, how its text is
 * read, and its line in the help. The type of its value, and what is asked of the environment,
 * follow from this table.
 */
import { Redacted, Result } from "effect"
import { Quota } from "simplan/ports"
import { Fields, TimeSpan } from "../../fields/index.ts"
import * as Postgres from "../../postgres/index.ts"
import { Destinations, Proxy } from "../../webhooks-http/index.ts"
import * as DatabaseUrl from "./DatabaseUrl.ts"
import * as Texts from "./Texts.ts"

export interface Definition<A> {
  readonly name: string
  readonly default: string
  /** The end of the sentence "… must be". */
  readonly allowed: string
  /** The value; undefined if it is not allowed. */
  readonly read: (text: string) => A | undefined
  /** How a message shows an invalid value; null if it must not. */
  readonly show?: ((text: string) => string) | null
  /** The description in the help. */
  readonly meaning: string
  /** The default in the help, if `default` is not clear by itself. */
  readonly shown?: string
}

const define = <A>(definition: Definition<A>): Definition<A> => definition

/** A length of time. */
const span = (least: string, most: string) => ({
  allowed: `a time from ${least} to ${most}`,
  read: TimeSpan.between(least, most)
})

export const ADMIN_TOKEN = "SIMPLAN_ADMIN_TOKEN"
export const TELCO_TOKEN = "SIMPLAN_TELCO_TOKEN"
/** The key that secrets in the database are encrypted with. */
export const SECRET_KEY = "SIMPLAN_SECRET_KEY"
/** What a sign-in by OpenID Connect needs. */
export const [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_REDIRECT_URL] = [
  "SIMPLAN_OIDC_ISSUER",
  "SIMPLAN_OIDC_CLIENT_ID",
  "SIMPLAN_OIDC_REDIRECT_URL"
]
/** The database's own address, beside a pooler's. */
export const DATABASE_DIRECT_URL = "SIMPLAN_DATABASE_DIRECT_URL"

/** The token with which the server calls the telco. */
export const TELCO_KEY = "SIMPLAN_TELCO_KEY"

// A token has to fit into an HTTP header unchanged. RFC 6750 allows a little less.
const token = (name: string, meaning: string, shown: string, shortest = 1): Definition<Redacted.Redacted | null> => ({
  name,
  meaning,
  shown,
  default: "",
  allowed:
    shortest === 1
      ? "made of visible ASCII characters without spaces"
      : `made of at least ${shortest} visible ASCII characters without spaces`,
  read: (text) => {
    if (text === "") return null
    return /^[!-~]+$/.test(text) && text.length >= shortest ? Redacted.make(text) : undefined
  },
  show: null
})

const claim = (name: string, meaning: string, preset: string): Definition<string> => ({
  name,
  meaning,
  default: preset,
  allowed: "the name of a claim; dots lead into objects",
  read: (text) => (/^\S+$/.test(text) ? text : undefined)
})

/** A claim, and whether it has to be there: one that was named has to. */
const requirable = (
  name: string,
  meaning: string,
  preset: string
): Definition<{ readonly claim: string; readonly isRequired: boolean }> => ({
  ...claim(name, meaning, ""),
  read: (text) => {
    if (text === "") return { claim: preset, isRequired: false }
    return /^\S+$/.test(text) ? { claim: text, isRequired: true } : undefined
  },
  shown: `${preset}, if it is there`
})

const HOSTS = "a host name or an IP address to listen on, such as 127.0.0.1 or 0.0.0.0"
const PORTS = "a port from 0 to 65535 (0 takes any that is free)"

/** Shorter tokens can be guessed (rule W10). */
const SHORTEST = 16

const GENERATED = "where neither is set, both are made"

const RATES = "off, or requests per time such as 100/1s, 50/500ms or 6000/1m"

/** A whole number from 1 to a power of ten. */
const upTo = (most: number): Pick<Definition<number>, "allowed" | "read"> => ({
  allowed: `a number from 1 to ${most}`,
  read: (text) => (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= most ? Number(text) : undefined)
})

/** How many of a kind an organization may have (rule W13). */
const quota = (name: string, meaning: string, kind: Quota.Kind): Definition<number> => ({
  name,
  meaning,
  default: String(Quota.defaults[kind]),
  ...upTo(1_000_000)
})

export const definitions = {
  host: define({
    name: "SIMPLAN_HOST",
    meaning: "where it listens",
    default: "127.0.0.1",
    allowed: HOSTS,
    read: Texts.host
  }),
  port: define({
    name: "SIMPLAN_PORT",
    meaning: "where it listens",
    default: "3000",
    allowed: PORTS,
    read: Texts.port
  }),
  adminHost: define({
    name: "SIMPLAN_ADMIN_HOST",
    meaning: "where /admin and /metrics listen, with a port of their own",
    default: "127.0.0.1",
    allowed: HOSTS,
    read: Texts.host
  }),
  adminPort: define({
    name: "SIMPLAN_ADMIN_PORT",
    meaning: "a port of their own for /admin and /metrics",
    default: "",
    allowed: PORTS,
    read: (text) => (text === "" ? null : Texts.port(text)),
    shown: "none: they are beside /v3"
  }),
  database: define({
    name: "SIMPLAN_DATABASE_URL",
    meaning: "pglite://<directory>, memory: or postgres://…",
    default: "pglite://./.simplan/data",
    allowed: DatabaseUrl.allowed,
    read: DatabaseUrl.parse,
    show: DatabaseUrl.withoutPassword
  }),
  databaseDirect: define({
    name: DATABASE_DIRECT_URL,
    meaning: "the database's own address, where the other one is a pooler's",
    default: "",
    allowed: DatabaseUrl.allowedDirect,
    read: DatabaseUrl.parseDirect,
    show: DatabaseUrl.withoutPassword,
    shown: "none: there is no pooler, or one in session mode"
  }),
  schema: define({
    name: "SIMPLAN_DATABASE_SCHEMA",
    meaning: "schema of the database that the tables are in",
    default: Postgres.DatabaseSchema.DEFAULT,
    allowed: Postgres.DatabaseSchema.allowed,
    read: (text) => Result.getOrUndefined(Postgres.DatabaseSchema.parse(text))
  }),
  secretKeys: define({
    name: SECRET_KEY,
    meaning: "key that secrets in the database are encrypted with, or new,old",
    default: "",
    allowed: Postgres.SecretKeys.allowed,
    read: Texts.secretKeys,
    show: null,
    shown: "none: they are stored plain"
  }),
  clock: define({
    name: "SIMPLAN_CLOCK",
    meaning: "system, or virtual[:<instant>]: stands still until it is advanced",
    default: "system",
    allowed: "system, virtual, or virtual:<instant> such as virtual:2026-01-31T00:00:00Z",
    read: Texts.clock
  }),
  rateLimit: define({
    name: "SIMPLAN_RATE_LIMIT",
    meaning: "requests per API key and time, off for none",
    default: "100/1s",
    allowed: RATES,
    read: Texts.rate
  }),
  smsLimit: define({
    name: "SIMPLAN_SMS_LIMIT",
    meaning: "SMS of an organization to one SIM and time, off for none",
    default: "30/1m",
    allowed: RATES,
    read: Texts.rate
  }),
  maxRequestsPerKey: define({
    name: "SIMPLAN_MAX_REQUESTS_PER_KEY",
    meaning: "requests of an API key under way at a time",
    default: "32",
    ...upTo(100_000)
  }),
  organizationShare: define({
    name: "SIMPLAN_ORGANIZATION_SHARE",
    meaning: "how many API keys' limits all keys of an organization have together",
    default: "4",
    ...upTo(1_000)
  }),
  maxConnections: define({
    name: "SIMPLAN_MAX_CONNECTIONS",
    meaning: "open connections of clients, as far as the limit of open files allows",
    default: "10000",
    ...upTo(1_000_000)
  }),
  maxConnectionsOfAddress: define({
    name: "SIMPLAN_MAX_CONNECTIONS_PER_ADDRESS",
    meaning: "open connections of an address, without SIMPLAN_TRUST_PROXY",
    default: "1000",
    ...upTo(1_000_000)
  }),
  maxUnreadBytes: define({
    name: "SIMPLAN_MAX_UNREAD_MB",
    meaning: "MB of answers that may wait until clients read them",
    default: "128",
    // A quarter of it holds the largest answers.
    allowed: "a number of MB from 64 to 65536",
    read: (text) => {
      const megabytes = /^\d{2,5}$/.test(text) ? Number(text) : 0
      return megabytes >= 64 && megabytes <= 65_536 ? megabytes * 1_048_576 : undefined
    }
  }),
  maxPlans: quota("SIMPLAN_MAX_PLANS", "plans of an organization, archived ones included", "plans"),
  maxRegions: quota("SIMPLAN_MAX_REGIONS", "custom regions of an organization", "regions"),
  maxWebhookEndpoints: quota(
    "SIMPLAN_MAX_WEBHOOK_ENDPOINTS",
    "webhook endpoints of an organization",
    "webhookEndpoints"
  ),
  maxApiKeys: quota("SIMPLAN_MAX_API_KEYS", "API keys of an organization that are not revoked", "apiKeys"),
  trustedProxies: define({
    name: "SIMPLAN_TRUST_PROXY",
    meaning: "proxies whose X-Forwarded-For is believed",
    default: "0",
    allowed: "the number of proxies before the server, from 0 to 9",
    read: (text) => (/^\d$/.test(text) ? Number(text) : undefined)
  }),
  allowPrivateWebhooks: define({
    name: "SIMPLAN_ALLOW_PRIVATE_WEBHOOKS",
    meaning: "let webhooks go to private addresses and all ports",
    default: "false",
    allowed: "true or false",
    read: Texts.trueOrFalse
  }),
  webhookPorts: define({
    name: "SIMPLAN_WEBHOOK_PORTS",
    meaning: "ports that webhooks may go to",
    default: Destinations.PORTS.join(","),
    allowed: "ports from 1 to 65535 with commas between them",
    read: Texts.ports
  }),
  webhookHttpsOnly: define({
    name: "SIMPLAN_WEBHOOK_HTTPS_ONLY",
    meaning: "let webhooks go to https:// only",
    default: "false",
    allowed: "true or false",
    read: Texts.trueOrFalse
  }),
  webhookProxy: define({
    name: "SIMPLAN_WEBHOOK_PROXY",
    meaning: "egress proxy for webhooks, http://[<user>:<password>@]<host>:<port>",
    default: "",
    allowed: "an address such as http://proxy.example:3128, with a user and password or without",
    read: (text) => (text === "" ? null : Proxy.parse(text)),
    show: Fields.withoutPassword,
    shown: "none"
  }),
  dnsServers: define({
    name: "SIMPLAN_DNS_SERVERS",
    meaning: "name servers for the names of webhooks",
    default: "",
    allowed: "IP addresses with commas between them, each with a port or without, such as 10.0.0.2,10.0.0.3:5353",
    read: Texts.servers,
    shown: "the machine's"
  }),
  telcoUrl: define({
    name: "SIMPLAN_TELCO_URL",
    meaning: "address of a telco bridge",
    default: "",
    allowed: Fields.TELCO_URL,
    read: (text) => (text === "" ? null : Fields.telcoUrl(text)),
    show: Fields.withoutPassword,
    shown: "none: the telco is simulated"
  }),
  telcoPauses: define({
    name: "SIMPLAN_TELCO_PAUSES",
    meaning: "whether that bridge can pause SIMs",
    default: "false",
    allowed: "true or false",
    read: Texts.trueOrFalse
  }),
  telcoFile: define({
    name: "SIMPLAN_TELCO_FILE",
    meaning: "file with the settings of telcos, and of which SIM goes to which",
    default: "",
    allowed: "the path of a file",
    read: (text) => (text.includes("\0") ? undefined : text === "" ? null : text),
    shown: "none"
  }),
  telcoTimeoutMillis: define({
    name: "SIMPLAN_TELCO_TIMEOUT",
    meaning: "how long one telco call may take",
    default: "10s",
    ...span("100ms", "10m")
  }),
  leaseMillis: define({
    name: "SIMPLAN_LEASE",
    meaning: "how long others leave a silent process its work",
    default: "15s",
    ...span("1s", "1h")
  }),
  auditRetentionMillis: define({
    name: "SIMPLAN_AUDIT_RETENTION",
    meaning: "how long audit entries are kept; they are deleted by whole months",
    default: "365d",
    ...span("1h", "3660d")
  }),
  // Not less than what tells how long an endpoint has been failing
  // (`WebhookEndpoint.failuresAsked`).
  retentionMillis: define({
    name: "SIMPLAN_RETENTION",
    meaning: "how long webhook events and deliveries are kept",
    default: "30d",
    ...span("10d", "3660d")
  }),
  usageRetentionMillis: define({
    name: "SIMPLAN_USAGE_RETENTION",
    meaning: "how long usage is kept by day and country",
    default: "400d",
    ...span("35d", "3660d")
  }),
  console: define({
    name: "SIMPLAN_CONSOLE",
    meaning: "whether /admin/console shows operators the console",
    default: "on",
    allowed: "on or off",
    read: (text) => (text === "on" ? true : text === "off" ? false : undefined)
  }),
  consoleReadsOnly: define({
    name: "SIMPLAN_CONSOLE_READ_ONLY",
    meaning: "whether those who signed in to the console may only read, whatever their roles",
    default: "false",
    allowed: "true or false",
    read: Texts.trueOrFalse
  }),
  oidcIssuer: define({
    name: OIDC_ISSUER,
    meaning: "address of the OpenID Connect provider that operators sign in to the console with",
    default: "",
    allowed: "an https address, or an http one of this machine",
    read: (text) => (text === "" ? null : Texts.secureUrl(text)),
    shown: "none: operators have tokens"
  }),
  oidcClientId: define({
    name: OIDC_CLIENT_ID,
    meaning: "the client's id at that provider",
    default: "",
    allowed: "a text",
    read: (text) => (text === "" ? null : text),
    shown: "none"
  }),
  oidcClientSecret: token(
    "SIMPLAN_OIDC_CLIENT_SECRET",
    "the client's secret at that provider",
    "none: a public client"
  ),
  oidcRedirectUrl: define({
    name: OIDC_REDIRECT_URL,
    meaning: "address of /admin/v1/signed-in as browsers reach it, and as the provider knows it",
    default: "",
    allowed: "an https address that ends with /admin/v1/signed-in, or an http one of this machine",
    read: (text) => {
      if (text === "") return null
      const url = Texts.secureUrl(text)
      return url?.pathname.endsWith("/admin/v1/signed-in") === true ? url : undefined
    },
    shown: "none"
  }),
  oidcScope: define({
    name: "SIMPLAN_OIDC_SCOPE",
    meaning: "the scopes that are asked for",
    default: "openid profile email",
    allowed: "names apart by spaces, openid among them",
    read: (text) => (text.split(" ").includes("openid") ? text : undefined)
  }),
  oidcRoleClaim: claim(
    "SIMPLAN_OIDC_ROLE_CLAIM",
    "the claim with read, support or admin, or a list with it",
    "simplan_role"
  ),
  oidcOrganizationClaim: requirable(
    "SIMPLAN_OIDC_ORGANIZATION_CLAIM",
    "the claim with the only organization that the operator sees, or * for all; once it is set here, it has to be there",
    "simplan_organization"
  ),
  oidcNameClaim: requirable(
    "SIMPLAN_OIDC_NAME_CLAIM",
    "the claim with the name that audit entries have; once it is set here, it has to be there",
    "email"
  ),
  oidcRenewalMillis: define({
    name: "SIMPLAN_OIDC_RENEWAL",
    meaning: "how long claims hold until the provider is asked again, where it gives a refresh token",
    default: "5m",
    ...span("1m", "8h")
  }),
  oidcSessionMillis: define({
    name: "SIMPLAN_OIDC_SESSION",
    meaning: "how long a sign-in lasts where it gives none",
    default: "1h",
    ...span("5m", "8h")
  }),
  adminToken: token(ADMIN_TOKEN, "bearer token of the management API", GENERATED, SHORTEST),
  telcoToken: token(TELCO_TOKEN, "bearer token of the telco's API", GENERATED, SHORTEST),
  telcoKey: token(TELCO_KEY, "bearer token of that bridge", "none")
}

/** The value of each setting. */
export type Values = {
  readonly [Name in keyof typeof definitions]: (typeof definitions)[Name] extends Definition<infer A> ? A : never
}

/** The settings for the help. */
export const table: ReadonlyArray<{ readonly name: string; readonly meaning: string; readonly shown: string }> =
  Object.values(definitions).map(({ default: preset, meaning, name, shown }) => ({
    name,
    meaning,
    shown: shown ?? preset
  }))
