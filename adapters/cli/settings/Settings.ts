/**
 * The settings of a server, read from the environment (`SIMPLAN_*`).
 *
 * An empty variable counts as not set. All invalid settings are reported at once, each in a sentence with the variable,
 * its value and what is allowed. The value of a token or a password is never shown.
 */
import { Config, Context, Data, Effect, FileSystem, Option, Redacted, Result } from "effect"
import { Quota } from "simplan/ports"
import { TelcoUrl } from "../../fields/index.ts"
import { Nearest } from "../../fields/index.ts"
import * as Postgres from "../../postgres/index.ts"
import * as ClockSetting from "./ClockSetting.ts"
import * as DatabaseUrl from "./DatabaseUrl.ts"
import * as RateLimit from "./RateLimit.ts"
import * as Secrets from "./Secrets.ts"
import * as TimeSpan from "./TimeSpan.ts"
import * as WebhookSettings from "./WebhookSettings.ts"

export interface Settings extends WebhookSettings.WebhookSettings {
  readonly host: string
  readonly port: number
  /** Where the listener for operators listens. */
  readonly adminHost: string
  /** Null: the first listener serves operators too. */
  readonly adminPort: number | null
  readonly database: DatabaseUrl.DatabaseUrl
  /** Whether the environment has a `DATABASE_URL`, which is not read, and no setting of the database. */
  readonly ignoresDatabaseUrl: boolean
  /** The schema of the database that the tables are in. */
  readonly schema: string
  /** Null: not set. */
  readonly adminToken: Redacted.Redacted | null
  /** Null: not set. */
  readonly telcoToken: Redacted.Redacted | null
  /** The keys of secrets in the database; null: they are stored plain. */
  readonly secretKeys: Redacted.Redacted | null
  /** The path of the settings file of telcos; null: there is the bridge, or the simulated telco. */
  readonly telcoFile: string | null
  /** The telco bridge; null for a telco that is simulated in this process, or for those of the file. */
  readonly telco: { readonly url: string; readonly key: Redacted.Redacted } | null
  readonly clock: ClockSetting.ClockSetting
  readonly rateLimit: RateLimit.RateLimit | "off"
  /** Of one organization to one of its SIMs. */
  readonly smsLimit: RateLimit.RateLimit | "off"
  readonly maxRequestsPerKey: number
  /** How many API keys' limits all keys of an organization have together. */
  readonly organizationShare: number
  readonly maxConnections: number
  readonly maxConnectionsOfAddress: number
  /** The bytes of answers that may wait for clients that read. */
  readonly maxUnreadBytes: number
  /** How many plans an organization may have, archived ones included. */
  readonly maxPlans: number
  /** How many custom regions an organization may have. */
  readonly maxRegions: number
  /** How many webhook endpoints an organization may have. */
  readonly maxWebhookEndpoints: number
  /** How many API keys an organization may have that are not revoked. */
  readonly maxApiKeys: number
  /** How many proxies before the server pass the client's address in `X-Forwarded-For`. */
  readonly trustedProxies: number
  /** The time limit of one telco call. */
  readonly telcoTimeoutMillis: number
  /** How long a silent process keeps its jobs before another process takes them. */
  readonly leaseMillis: number
  /** How long audit entries are kept. */
  readonly auditRetentionMillis: number
  readonly retentionMillis: number
}

/** Invalid settings; the message has one line for each. */
export class BadSettings extends Data.TaggedError("BadSettings")<{ readonly message: string }> {}

interface Definition<A> {
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

export const ADMIN_TOKEN = "SIMPLAN_ADMIN_TOKEN"
export const TELCO_TOKEN = "SIMPLAN_TELCO_TOKEN"
/** The key that secrets in the database are encrypted with. */
export const SECRET_KEY = "SIMPLAN_SECRET_KEY"
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

const trueOrFalse = (text: string): boolean | undefined =>
  text === "true" ? true : text === "false" ? false : undefined

const readHost = (text: string): string | undefined => (/^[A-Za-z0-9._:%-]+$/.test(text) ? text : undefined)

const readPort = (text: string): number | undefined =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

const HOSTS = "a host name or an IP address to listen on, such as 127.0.0.1 or 0.0.0.0"
const PORTS = "a port from 0 to 65535 (0 takes any that is free)"

/** Shorter tokens can be guessed (rule W10). */
const SHORTEST = 16

const GENERATED = "where neither is set, both are made"

/** Null for none, undefined for a text that is no key. */
const toSecretKeys = (text: string): Redacted.Redacted | null | undefined => {
  if (text === "") return null
  const keys = Redacted.make(text)
  return Result.isSuccess(Postgres.SecretKeys.parse(keys)) ? keys : undefined
}

/** How many of a kind an organization may have (rule W13). */
const quota = (name: string, meaning: string, kind: Quota.Kind): Definition<number> => ({
  name,
  meaning,
  default: String(Quota.defaults[kind]),
  allowed: "a number from 1 to 1000000",
  read: (text) => (/^[1-9]\d{0,5}$|^1000000$/.test(text) ? Number(text) : undefined)
})

const definitions = {
  host: define({
    name: "SIMPLAN_HOST",
    meaning: "where it listens",
    default: "127.0.0.1",
    allowed: HOSTS,
    read: readHost
  }),
  port: define({
    name: "SIMPLAN_PORT",
    meaning: "where it listens",
    default: "3000",
    allowed: PORTS,
    read: readPort
  }),
  adminHost: define({
    name: "SIMPLAN_ADMIN_HOST",
    meaning: "where /admin and /metrics listen, with a port of their own",
    default: "127.0.0.1",
    allowed: HOSTS,
    read: readHost
  }),
  adminPort: define({
    name: "SIMPLAN_ADMIN_PORT",
    meaning: "a port of their own for /admin and /metrics",
    default: "",
    allowed: PORTS,
    read: (text) => (text === "" ? null : readPort(text)),
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
    read: toSecretKeys,
    show: null,
    shown: "none: they are stored plain"
  }),
  clock: define({
    name: "SIMPLAN_CLOCK",
    meaning: "system, or virtual[:<instant>]: stands still until it is advanced",
    default: "system",
    allowed: ClockSetting.allowed,
    read: ClockSetting.parse
  }),
  rateLimit: define({
    name: "SIMPLAN_RATE_LIMIT",
    meaning: "requests per API key and time, off for none",
    default: "100/1s",
    allowed: RateLimit.allowed,
    read: RateLimit.parse
  }),
  smsLimit: define({
    name: "SIMPLAN_SMS_LIMIT",
    meaning: "SMS of an organization to one SIM and time, off for none",
    default: "30/1m",
    allowed: RateLimit.allowed,
    read: RateLimit.parse
  }),
  maxRequestsPerKey: define({
    name: "SIMPLAN_MAX_REQUESTS_PER_KEY",
    meaning: "requests of an API key under way at a time",
    default: "32",
    allowed: "a number from 1 to 100000",
    read: (text) => (/^[1-9]\d{0,4}$|^100000$/.test(text) ? Number(text) : undefined)
  }),
  organizationShare: define({
    name: "SIMPLAN_ORGANIZATION_SHARE",
    meaning: "how many API keys' limits all keys of an organization have together",
    default: "4",
    allowed: "a number from 1 to 1000",
    read: (text) => (/^[1-9]\d{0,2}$|^1000$/.test(text) ? Number(text) : undefined)
  }),
  maxConnections: define({
    name: "SIMPLAN_MAX_CONNECTIONS",
    meaning: "open connections of clients, as far as the limit of open files allows",
    default: "10000",
    allowed: "a number from 1 to 1000000",
    read: (text) => (/^[1-9]\d{0,5}$|^1000000$/.test(text) ? Number(text) : undefined)
  }),
  maxConnectionsOfAddress: define({
    name: "SIMPLAN_MAX_CONNECTIONS_PER_ADDRESS",
    meaning: "open connections of an address, without SIMPLAN_TRUST_PROXY",
    default: "1000",
    allowed: "a number from 1 to 1000000",
    read: (text) => (/^[1-9]\d{0,5}$|^1000000$/.test(text) ? Number(text) : undefined)
  }),
  maxUnread: define({
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
    read: trueOrFalse
  }),
  webhookPorts: define({
    name: "SIMPLAN_WEBHOOK_PORTS",
    meaning: "ports that webhooks may go to",
    default: WebhookSettings.defaultPorts,
    allowed: "ports from 1 to 65535 with commas between them",
    read: WebhookSettings.toPorts
  }),
  webhookHttpsOnly: define({
    name: "SIMPLAN_WEBHOOK_HTTPS_ONLY",
    meaning: "let webhooks go to https:// only",
    default: "false",
    allowed: "true or false",
    read: trueOrFalse
  }),
  webhookProxy: define({
    name: "SIMPLAN_WEBHOOK_PROXY",
    meaning: "egress proxy for webhooks, http://[<user>:<password>@]<host>:<port>",
    default: "",
    allowed: "an address such as http://proxy.example:3128, with a user and password or without",
    read: WebhookSettings.toProxy,
    show: TelcoUrl.withoutPassword,
    shown: "none"
  }),
  dnsServers: define({
    name: "SIMPLAN_DNS_SERVERS",
    meaning: "name servers for the names of webhooks",
    default: "",
    allowed: "IP addresses with commas between them, each with a port or without, such as 10.0.0.2,10.0.0.3:5353",
    read: WebhookSettings.toServers,
    shown: "the machine's"
  }),
  telcoUrl: define({
    name: "SIMPLAN_TELCO_URL",
    meaning: "address of a telco bridge",
    default: "",
    allowed: TelcoUrl.allowed,
    read: (text) => (text === "" ? null : TelcoUrl.parse(text)),
    show: TelcoUrl.withoutPassword,
    shown: "none: the telco is simulated"
  }),
  telcoFile: define({
    name: "SIMPLAN_TELCO_FILE",
    meaning: "file with the settings of telcos, and of which SIM goes to which",
    default: "",
    allowed: "the path of a file",
    read: (text) => (text.includes("\0") ? undefined : text === "" ? null : text),
    shown: "none"
  }),
  telcoTimeout: define({
    name: "SIMPLAN_TELCO_TIMEOUT",
    meaning: "how long one telco call may take",
    default: "10s",
    allowed: "a time from 100ms to 10m",
    read: TimeSpan.between(100, 600_000)
  }),
  lease: define({
    name: "SIMPLAN_LEASE",
    meaning: "how long others leave a silent process its work",
    default: "15s",
    allowed: "a time from 1s to 1h",
    read: TimeSpan.between(1_000, 3_600_000)
  }),
  auditRetention: define({
    name: "SIMPLAN_AUDIT_RETENTION",
    meaning: "how long audit entries are kept",
    default: "365d",
    allowed: "a time from 1h to 3660d",
    read: TimeSpan.between(3_600_000, 3_660 * 86_400_000)
  }),
  // Not less than what tells how long an endpoint has been failing (`WebhookEndpoint.failuresAsked`).
  retention: define({
    name: "SIMPLAN_RETENTION",
    meaning: "how long webhook events and deliveries are kept",
    default: "30d",
    allowed: "a time from 10d to 3660d",
    read: TimeSpan.between(10 * 86_400_000, 3_660 * 86_400_000)
  }),
  adminToken: token(ADMIN_TOKEN, "bearer token of the management API", GENERATED, SHORTEST),
  telcoToken: token(TELCO_TOKEN, "bearer token of the telco's API", GENERATED, SHORTEST),
  telcoKey: token(TELCO_KEY, "bearer token of that bridge", "none")
}

/** The settings for the help. */
export const table: ReadonlyArray<{ readonly name: string; readonly meaning: string; readonly shown: string }> =
  Object.values(definitions).map(({ default: preset, meaning, name, shown }) => ({
    name,
    meaning,
    shown: shown ?? preset
  }))

/** Where the simulated telco of `simplan telco` keeps its books. */
export const TELCO_BOOKS = "SIMPLAN_TELCO_BOOKS"

/** Variables of other commands than `serve`. */
const OF_COMMANDS = ["SIMPLAN_URL", "SIMPLAN_ADMIN_URL", "SIMPLAN_API_KEY", TELCO_BOOKS]

const PREFIX = "SIMPLAN_"

const known: ReadonlyArray<string> = [...table.map(({ name }) => name), ...OF_COMMANDS]

/** The variables of this process, for what has to know their names. Tests provide their own. */
export const Environment = Context.Reference<Readonly<Record<string, string | undefined>>>("simplan/cli/Environment", {
  defaultValue: () => process.env
})

type Environment = Readonly<Record<string, string | undefined>>

const strangers = (env: Environment): ReadonlyArray<string> =>
  Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .sort()

/** A variable that is none of simplan's and may be meant to be `name`; undefined where there is none. */
export const misspelt = (env: Environment, name: string): string | undefined =>
  strangers(env).find((one) => Nearest.of(one.slice(PREFIX.length), [name.slice(PREFIX.length)]) !== undefined)

/** The sentence of a variable that is none of simplan's. */
export const notOne = (name: string, nearest: string | undefined): string =>
  `${name} is no setting: ${nearest === undefined ? "simplan serve --help lists them" : `${nearest} is the nearest`}.`

/**
 * A sentence for each variable that begins as those of the settings and is none. `named` are those that the settings file
 * of telcos takes secrets from.
 */
export const unknown = (env: Environment, named: ReadonlyArray<string>): ReadonlyArray<string> =>
  strangers(env)
    .filter((name) => !named.includes(name))
    .map((name) => notOne(name, Nearest.of(name, known)))

/** The text of a variable; undefined if it is not set or empty. */
export const text = (name: string): Effect.Effect<string | undefined, BadSettings> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((found) => Option.getOrUndefined(found) || undefined),
    Effect.mapError(() => new BadSettings({ message: `${name} cannot be read.` }))
  )

const setting = <A>(definition: Definition<A>): Effect.Effect<Result.Result<A, string>, BadSettings> =>
  Effect.map(text(definition.name), (found) => {
    const { allowed, name, read, show = (same: string) => same } = definition
    const given = found ?? definition.default
    const value = read(given)
    if (value !== undefined) return Result.succeed(value)
    return Result.fail(
      show === null
        ? `${name} has a value that is not allowed: it must be ${allowed}.`
        : `${name} is ${JSON.stringify(show(given))}, but must be ${allowed}.`
    )
  })

const alone = <A>(definition: Definition<A>): Effect.Effect<A, BadSettings> =>
  setting(definition).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.mapError((error) => (typeof error === "string" ? new BadSettings({ message: error }) : error))
  )

/** The token for calls to the telco; null if it is not set. */
export const telcoKey: Effect.Effect<Redacted.Redacted | null, BadSettings> = alone(definitions.telcoKey)

/** The keys of secrets in the database; null if they are not set. */
export const secretKeys: Effect.Effect<Redacted.Redacted | null, BadSettings> = alone(definitions.secretKeys)

/** The schema of the database. */
export const schema: Effect.Effect<string, BadSettings> = Effect.gen(function* () {
  const strange = misspelt(yield* Environment, definitions.schema.name)
  if (strange !== undefined) return yield* new BadSettings({ message: notOne(strange, definitions.schema.name) })
  return yield* alone(definitions.schema)
})

/** A bridge needs both an address and a token. */
const bridge = (
  url: Result.Result<string | null, string>,
  key: Result.Result<Redacted.Redacted | null, string>
): Result.Result<Settings["telco"], string> =>
  Result.flatMap(Result.all({ url, key }), ({ key, url }) => {
    if (url !== null && key !== null) return Result.succeed({ url, key })
    if (url === null && key === null) return Result.succeed(null)
    const names = [definitions.telcoUrl.name, TELCO_KEY]
    const [set, missing] = url === null ? names.reverse() : names
    return Result.fail(`${set} is set and ${missing} is not: a telco needs both.`)
  })

/** The path of the settings file of telcos; null if it is not set. */
export const telcoFile: Effect.Effect<string | null, BadSettings> = alone(definitions.telcoFile)

/** The file names all telcos, a bridge among them. */
const fileAlone = (
  file: Result.Result<string | null, string>,
  url: Result.Result<string | null, string>
): Result.Result<string | null, string> =>
  Result.flatMap(Result.all({ file, url }), ({ file, url }) =>
    file === null || url === null
      ? Result.succeed(file)
      : Result.fail(
          `${definitions.telcoFile.name} and ${definitions.telcoUrl.name} are both set: the file can name the bridge too, as a telco of the kind http.`
        )
  )

/** The settings of this process. */
export const read: Effect.Effect<Settings, BadSettings> = Effect.gen(function* () {
  const telcoUrl = yield* setting(definitions.telcoUrl)
  const found = {
    host: yield* setting(definitions.host),
    port: yield* setting(definitions.port),
    adminHost: yield* setting(definitions.adminHost),
    adminPort: yield* setting(definitions.adminPort),
    database: yield* setting(definitions.database),
    ignoresDatabaseUrl: Result.succeed(
      (yield* text("DATABASE_URL")) !== undefined && (yield* text(definitions.database.name)) === undefined
    ),
    schema: yield* setting(definitions.schema),
    secretKeys: yield* setting(definitions.secretKeys),
    adminToken: yield* setting(definitions.adminToken),
    telcoToken: yield* setting(definitions.telcoToken),
    clock: yield* setting(definitions.clock),
    telcoFile: fileAlone(
      yield* setting(definitions.telcoFile),
      Result.isSuccess(telcoUrl) ? telcoUrl : Result.succeed(null)
    ),
    telco: bridge(telcoUrl, yield* setting(definitions.telcoKey)),
    telcoTimeoutMillis: yield* setting(definitions.telcoTimeout),
    leaseMillis: yield* setting(definitions.lease),
    auditRetentionMillis: yield* setting(definitions.auditRetention),
    retentionMillis: yield* setting(definitions.retention),
    rateLimit: yield* setting(definitions.rateLimit),
    smsLimit: yield* setting(definitions.smsLimit),
    maxRequestsPerKey: yield* setting(definitions.maxRequestsPerKey),
    organizationShare: yield* setting(definitions.organizationShare),
    maxConnections: yield* setting(definitions.maxConnections),
    maxConnectionsOfAddress: yield* setting(definitions.maxConnectionsOfAddress),
    maxUnreadBytes: yield* setting(definitions.maxUnread),
    maxPlans: yield* setting(definitions.maxPlans),
    maxRegions: yield* setting(definitions.maxRegions),
    maxWebhookEndpoints: yield* setting(definitions.maxWebhookEndpoints),
    maxApiKeys: yield* setting(definitions.maxApiKeys),
    trustedProxies: yield* setting(definitions.trustedProxies),
    allowPrivateWebhooks: yield* setting(definitions.allowPrivateWebhooks),
    webhookPorts: yield* setting(definitions.webhookPorts),
    webhookHttpsOnly: yield* setting(definitions.webhookHttpsOnly),
    webhookProxy: yield* setting(definitions.webhookProxy),
    dnsServers: yield* setting(definitions.dnsServers)
  }
  const all = Result.all(found)
  if (Result.isSuccess(all)) return all.success
  const problems = Object.values(found).flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
  return yield* new BadSettings({ message: problems.join("\n") })
})

/** Registers the secrets among the settings, so that they are never written. */
export const registerSecrets = (settings: Settings): void => {
  const { adminToken, database, secretKeys, telco, telcoToken } = settings
  for (const secret of [adminToken, telcoToken, telco?.key]) if (secret) Secrets.register(Redacted.value(secret))
  for (const key of secretKeys === null ? [] : Redacted.value(secretKeys).split(",")) Secrets.register(key.trim())
  Secrets.registerPassword(database.url)
  WebhookSettings.registerSecrets(settings)
}

/** The variables that a settings file of telcos takes secrets from; none where it cannot be read, which its reader says. */
const variablesIn = (path: string) =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.readFileString(path)),
    Effect.match({
      onSuccess: (text) => Array.from(text.matchAll(/"env"\s*:\s*"(\w+)"/g), ([, name = ""]) => name),
      onFailure: () => []
    })
  )

/**
 * The settings of a command that opens the database itself. It fails with a sentence for each invalid setting and for each
 * variable that begins as a setting and is none. Their secrets are registered.
 */
export const ofServer = Effect.gen(function* () {
  const settings = yield* Effect.result(read)
  const file = yield* Effect.orElseSucceed(telcoFile, () => null)
  const strange = unknown(yield* Environment, file === null ? [] : yield* variablesIn(file))
  if (Result.isSuccess(settings) && strange.length === 0) {
    registerSecrets(settings.success)
    return settings.success
  }
  const invalid = Result.isFailure(settings) ? [settings.failure.message] : []
  return yield* new BadSettings({ message: [...invalid, ...strange].join("\n") })
})

/** What to say where a `DATABASE_URL` is not read. */
export const IGNORED_DATABASE_URL =
  "DATABASE_URL is set and is not read: the data are where SIMPLAN_DATABASE_URL says, which is not set"
