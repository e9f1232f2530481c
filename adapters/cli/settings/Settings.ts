/**
 * The settings of a server, read from the environment (`SIMPLAN_*`).
 *
 * An empty variable counts as not set. All invalid settings are reported at once, each in a sentence with the variable,
 * its value and what is allowed. The value of a token or a password is never shown.
 */
import { Config, Context, Data, Effect, FileSystem, Option, Redacted, Result } from "effect"
import { Nearest } from "../../fields/index.ts"
import type * as ClockSetting from "./ClockSetting.ts"
import type * as DatabaseUrl from "./DatabaseUrl.ts"
import * as Definitions from "./Definitions.ts"
import * as Secrets from "./Secrets.ts"
import * as WebhookSettings from "./WebhookSettings.ts"

const { definitions, table, TELCO_KEY } = Definitions

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
  readonly rateLimit: Definitions.RateLimit | "off"
  /** Of one organization to one of its SIMs. */
  readonly smsLimit: Definitions.RateLimit | "off"
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

const setting = <A>(definition: Definitions.Definition<A>): Effect.Effect<Result.Result<A, string>, BadSettings> =>
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

const alone = <A>(definition: Definitions.Definition<A>): Effect.Effect<A, BadSettings> =>
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
