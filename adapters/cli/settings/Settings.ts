/**
 * The settings of a server, read from the environment (`SIMPLAN_*`).
 *
 * An empty variable counts as not set. All invalid settings are reported at once, each in a line
 * with the variable, its value and what is allowed. The value of a token or a password is never
 * shown.
 */
import { Config, Context, Effect, FileSystem, Option, Record, Redacted, Result } from "effect"
import type { Time } from "simplan/ports"
import { Messages } from "../../fields/index.ts"
import type { Routes } from "../../http/index.ts"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as Definitions from "./Definitions.ts"
import * as Secrets from "./Secrets.ts"

const { definitions, table, TELCO_KEY } = Definitions

/** What each setting is, `Definitions` says. */
export interface Settings extends Omit<Definitions.Values, "telcoUrl" | "telcoKey" | `oidc${string}`> {
  /**
   * Whether the environment has a `DATABASE_URL`, which is not read, and no setting of the
   * database.
   */
  readonly ignoresDatabaseUrl: boolean
  /**
   * The telco bridge; null for a telco that is simulated in this process, or for those of the file.
   */
  readonly telco: { readonly url: string; readonly key: Redacted.Redacted } | null
  /** The OpenID Connect provider that operators sign in with; null if there is none. */
  readonly openId: NonNullable<Routes.Options["openId"]> | null
}

/** Where the simulated telco of `simplan telco` keeps its books. */
export const TELCO_BOOKS = "SIMPLAN_TELCO_BOOKS"

/** The direct address of their database, if `TELCO_BOOKS` is that of a pooler. */
export const TELCO_BOOKS_DIRECT = "SIMPLAN_TELCO_BOOKS_DIRECT"

/** Variables of other commands than `serve`. */
const OF_COMMANDS = ["SIMPLAN_URL", "SIMPLAN_ADMIN_URL", "SIMPLAN_API_KEY", TELCO_BOOKS, TELCO_BOOKS_DIRECT]

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

/**
 * A variable that is none of simplan's and may be meant to be `name`; undefined if there is
 * none.
 */
export const misspelt = (env: Environment, name: string): string | undefined =>
  strangers(env).find((one) => Messages.nearest(one.slice(PREFIX.length), [name.slice(PREFIX.length)]) !== undefined)

/** The sentence of a variable that is none of simplan's. */
export const notOne = (name: string, nearest: string | undefined): string =>
  `${name} is no setting: ${nearest === undefined ? "simplan serve --help lists them" : `${nearest} is the nearest`}.`

/**
 * A sentence for each variable that begins as those of the settings and is none. `named` are those
 * that the settings file of telcos takes secrets from.
 */
export const unknown = (env: Environment, named: ReadonlyArray<string>): ReadonlyArray<string> =>
  strangers(env)
    .filter((name) => !named.includes(name))
    .map((name) => notOne(name, Messages.nearest(name, known)))

/** The text of a variable; undefined if it is not set or empty. */
export const text = (name: string): Effect.Effect<string | undefined, CommandFailed> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((found) => Option.getOrUndefined(found) || undefined),
    Effect.mapError(() => impossible(`${name} cannot be read.`))
  )

const setting = <A>(definition: Definitions.Definition<A>): Effect.Effect<Result.Result<A, string>, CommandFailed> =>
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

const alone = <A>(definition: Definitions.Definition<A>): Effect.Effect<A, CommandFailed> =>
  Effect.flatMap(setting(definition), (found) =>
    Result.isSuccess(found) ? Effect.succeed(found.success) : impossible(found.failure)
  )

/** The token for calls to the telco; null if it is not set. */
export const telcoKey: Effect.Effect<Redacted.Redacted | null, CommandFailed> = alone(definitions.telcoKey)

/** The keys of secrets in the database; null if they are not set. */
export const secretKeys: Effect.Effect<Redacted.Redacted | null, CommandFailed> = alone(definitions.secretKeys)

/** The schema of the database. */
export const schema: Effect.Effect<string, CommandFailed> = Effect.gen(function* () {
  const strange = misspelt(yield* Environment, definitions.schema.name)
  if (strange !== undefined) return yield* impossible(notOne(strange, definitions.schema.name))
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

type OpenIdResults = Pick<Results, Extract<keyof Results, `oidc${string}`>>

/** A sign-in by OpenID Connect needs the provider's address, the client's id, and the way back. */
const openIdOf = (results: OpenIdResults): Result.Result<Settings["openId"], string> =>
  Result.flatMap(Result.all(results), (found) => {
    const { oidcClientId: clientId, oidcIssuer: issuer, oidcRedirectUrl: redirectUrl } = found
    const beside = [found.oidcOrganizationClaim, found.oidcNameClaim]
    if (issuer === null && clientId === null && redirectUrl === null) return Result.succeed(null)
    if (issuer === null || clientId === null || redirectUrl === null) {
      const { OIDC_CLIENT_ID, OIDC_ISSUER, OIDC_REDIRECT_URL } = Definitions
      return Result.fail(
        `${OIDC_ISSUER}, ${OIDC_CLIENT_ID} and ${OIDC_REDIRECT_URL} belong together: set all of them, or none.`
      )
    }
    return Result.succeed({
      issuer,
      clientId,
      redirectUrl,
      clientSecret: found.oidcClientSecret,
      scope: found.oidcScope,
      roleClaim: found.oidcRoleClaim,
      organizationClaim: found.oidcOrganizationClaim.claim,
      nameClaim: found.oidcNameClaim.claim,
      requiredClaims: beside.flatMap(({ claim, isRequired }) => (isRequired ? [claim] : [])),
      renewalMillis: found.oidcRenewalMillis,
      sessionMillis: found.oidcSessionMillis
    })
  })

/** A direct address is for a pooler in front of a PostgreSQL. */
const directOf = ({
  database,
  databaseDirect
}: Pick<Results, "database" | "databaseDirect">): Results["databaseDirect"] =>
  Result.flatMap(Result.all({ database, databaseDirect }), (found) =>
    found.databaseDirect === null || found.database._tag === "Postgres"
      ? Result.succeed(found.databaseDirect)
      : Result.fail(
          `${definitions.databaseDirect.name} is set and ${definitions.database.name} names no PostgreSQL: the one is the direct address beside the other's pooler.`
        )
  )

/** The path of the settings file of telcos; null if it is not set. */
export const telcoFile: Effect.Effect<string | null, CommandFailed> = alone(definitions.telcoFile)

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

type Results = { readonly [Name in keyof Definitions.Values]: Result.Result<Definitions.Values[Name], string> }

/** What the environment says of each setting. */
function each(all: typeof definitions): Effect.Effect<Results, CommandFailed>
function each(all: Readonly<Record<string, Definitions.Definition<unknown>>>) {
  return Effect.all(Record.map(all, setting))
}

/** The settings of this process. */
export const read: Effect.Effect<Settings, CommandFailed> = Effect.gen(function* () {
  const {
    oidcClientId,
    oidcClientSecret,
    oidcIssuer,
    oidcNameClaim,
    oidcOrganizationClaim,
    oidcRedirectUrl,
    oidcRenewalMillis,
    oidcRoleClaim,
    oidcScope,
    oidcSessionMillis,
    telcoFile,
    telcoKey,
    telcoUrl,
    ...others
  } = yield* each(definitions)
  const hasDatabaseUrl = (yield* text("DATABASE_URL")) !== undefined
  const isDatabaseSet = (yield* text(definitions.database.name)) !== undefined
  const found = {
    ...others,
    // An invalid database is named once.
    databaseDirect: Result.isSuccess(others.database) ? directOf(others) : others.databaseDirect,
    telcoFile: fileAlone(telcoFile, Result.isSuccess(telcoUrl) ? telcoUrl : Result.succeed(null)),
    telco: bridge(telcoUrl, telcoKey),
    openId: openIdOf({
      oidcClientId,
      oidcClientSecret,
      oidcIssuer,
      oidcNameClaim,
      oidcOrganizationClaim,
      oidcRedirectUrl,
      oidcRenewalMillis,
      oidcRoleClaim,
      oidcScope,
      oidcSessionMillis
    }),
    ignoresDatabaseUrl: Result.succeed(hasDatabaseUrl && !isDatabaseSet)
  }
  const all = Result.all(found)
  if (Result.isSuccess(all)) return all.success
  const problems = Object.values(found).flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
  return yield* impossible(problems.join("\n"))
})

/** Registers the secrets among the settings, in each form in which they may be written. */
export const registerSecrets = (settings: Settings): void => {
  const { adminToken, database, databaseDirect, openId, secretKeys, telco, telcoToken, webhookProxy } = settings
  for (const secret of [adminToken, telcoToken, telco?.key, openId?.clientSecret])
    if (secret) Secrets.register(Redacted.value(secret))
  for (const key of secretKeys === null ? [] : Redacted.value(secretKeys).split(",")) Secrets.register(key.trim())
  Secrets.registerPassword(database.url)
  if (databaseDirect !== null) Secrets.registerPassword(databaseDirect)
  if (webhookProxy === null || webhookProxy.credentials === null) return
  const credentials = Redacted.value(webhookProxy.credentials)
  Secrets.register(credentials.slice(credentials.indexOf(":") + 1))
  Secrets.register(Buffer.from(credentials).toString("base64"))
}

/**
 * The variables that a settings file of telcos takes secrets from; none if it cannot be read,
 * which its reader says.
 */
const variablesIn = (path: string) =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((files) => files.readFileString(path)),
    Effect.match({
      onSuccess: (text) => Array.from(text.matchAll(/"env"\s*:\s*"(\w+)"/g), ([, name = ""]) => name),
      onFailure: () => []
    })
  )

/**
 * The settings of a command that opens the database itself. It fails with a sentence for each
 * invalid setting and for each variable that begins as a setting and is none. Their secrets are
 * registered.
 */
export const ofServer = Effect.gen(function* () {
  const settings = yield* Effect.result(read)
  // Failure: the same is wrong with the settings that are read above, which say so.
  const file = yield* Effect.orElseSucceed(telcoFile, () => null)
  const strange = unknown(yield* Environment, file === null ? [] : yield* variablesIn(file))
  if (Result.isSuccess(settings) && strange.length === 0) {
    registerSecrets(settings.success)
    return settings.success
  }
  const invalid = Result.isFailure(settings) ? [settings.failure.message] : []
  return yield* impossible([...invalid, ...strange].join("\n"))
})

/** What to say if a `DATABASE_URL` is not read. */
export const IGNORED_DATABASE_URL =
  "DATABASE_URL is set and is not read: the data are where SIMPLAN_DATABASE_URL says, which is not set"

/**
 * What of the settings is for trying out, and not for customers, a sentence for each: it is printed
 * at the start, and with `--production` the server does not start. `simulators` are the simulated
 * telcos of the settings file.
 */
export const unfit = (settings: Settings, simulators: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { adminPort, allowPrivateWebhooks, clock, database, ignoresDatabaseUrl, secretKeys, telco, telcoFile } =
    settings
  const found: ReadonlyArray<readonly [isUnfit: boolean, sentence: string]> = [
    [
      telco === null && telcoFile === null,
      "the telco is simulated: no SIM has service (SIMPLAN_TELCO_FILE, SIMPLAN_TELCO_URL)"
    ],
    [simulators.length > 0, `telcos of the settings file are simulated: ${simulators.join(", ")}`],
    [secretKeys === null, "signing keys, webhook URLs and activation codes are stored plain (SIMPLAN_SECRET_KEY)"],
    [adminPort === null, "/admin and /metrics answer beside /v3 (SIMPLAN_ADMIN_PORT)"],
    [allowPrivateWebhooks, "webhooks may go to private addresses (SIMPLAN_ALLOW_PRIVATE_WEBHOOKS)"],
    [clock._tag === "Virtual", "the clock is virtual (SIMPLAN_CLOCK)"],
    [database._tag === "Memory", "the data are lost when the process ends (SIMPLAN_DATABASE_URL)"],
    [ignoresDatabaseUrl, "DATABASE_URL is not read, and SIMPLAN_DATABASE_URL is not set"]
  ]
  return found.flatMap(([isUnfit, sentence]) => (isUnfit ? [sentence] : []))
}

/**
 * Where a virtual clock starts. It never goes back behind its stored time, null on the first start.
 */
export const virtualStart = (
  { from }: { readonly from: Time.Instant | null },
  stored: Time.Instant | null,
  machineNow: Time.Instant
): Time.Instant => (stored === null ? (from ?? machineNow) : Math.max(stored, from ?? stored))
