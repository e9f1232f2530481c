/**
 * The settings of a server, read from the environment (`SIMPLAN_*`).
 *
 * A setting that is empty counts as not set. A bad one fails with a sentence that names the variable, its value and
 * what is allowed; all bad ones are named at once, and the value of a token or a password never is.
 */
import { Config, Data, Effect, Option, Redacted, Result } from "effect"
import * as ClockSetting from "./ClockSetting.ts"
import * as DatabaseUrl from "./DatabaseUrl.ts"
import * as RateLimit from "./RateLimit.ts"
import * as Secrets from "./Secrets.ts"
import * as Span from "./Span.ts"
import * as TelcoUrl from "./TelcoUrl.ts"

export interface Settings {
  readonly host: string
  readonly port: number
  readonly database: DatabaseUrl.DatabaseUrl
  /** Null where it is not set. Likewise below. */
  readonly adminToken: Redacted.Redacted | null
  readonly telcoToken: Redacted.Redacted | null
  /** The telco to call; null for the simulated one in this process. */
  readonly telco: { readonly url: string; readonly key: Redacted.Redacted } | null
  readonly clock: ClockSetting.ClockSetting
  readonly rateLimit: RateLimit.RateLimit | "off"
  readonly allowPrivateWebhooks: boolean
  /** How long one telco call may take. */
  readonly telcoTimeoutMillis: number
  /** How long a process that shows no sign of life keeps its work from the others. */
  readonly leaseMillis: number
}

/** Settings that cannot be used; the message has one sentence, and one line, for each. */
export class BadSettings extends Data.TaggedError("BadSettings")<{ readonly message: string }> {}

/** How one setting is written. */
interface Definition<A> {
  readonly name: string
  readonly default: string
  /** What is allowed, as the end of "… is not". */
  readonly allowed: string
  /** Undefined for a value that is not allowed. */
  readonly read: (text: string) => A | undefined
  /** How an offending value may be shown: null not at all. */
  readonly show?: ((text: string) => string) | null
  /** For help. */
  readonly meaning: string
  /** The default, for help, where it does not say enough itself. */
  readonly shown?: string
}

const define = <A>(definition: Definition<A>): Definition<A> => definition

const definitions = {
  host: define({
    name: "SIMPLAN_HOST",
    meaning: "where it listens",
    default: "127.0.0.1",
    allowed: "a host name or an IP address to listen on, such as 127.0.0.1 or 0.0.0.0",
    read: (text) => (/^[A-Za-z0-9._:%-]+$/.test(text) ? text : undefined)
  }),
  port: define({
    name: "SIMPLAN_PORT",
    meaning: "where it listens",
    default: "3000",
    allowed: "a port from 0 to 65535 (0 takes any that is free)",
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined)
  }),
  database: define({
    name: "SIMPLAN_DATABASE_URL",
    meaning: "pglite://<directory>, memory: or postgres://…",
    default: "pglite://./.simplan/data",
    allowed: DatabaseUrl.allowed,
    read: DatabaseUrl.parse,
    show: DatabaseUrl.withoutPassword
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
  allowPrivateWebhooks: define({
    name: "SIMPLAN_ALLOW_PRIVATE_WEBHOOKS",
    meaning: "let webhooks go to private addresses",
    default: "false",
    allowed: "true or false",
    read: (text) => (text === "true" ? true : text === "false" ? false : undefined)
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
  telcoTimeout: define({
    name: "SIMPLAN_TELCO_TIMEOUT",
    meaning: "how long one telco call may take",
    default: "10s",
    allowed: "a time from 100ms to 10m",
    read: Span.millis(100, 600_000)
  }),
  lease: define({
    name: "SIMPLAN_LEASE",
    meaning: "how long others leave a silent process its work",
    default: "15s",
    allowed: "a time from 1s to 1h",
    read: Span.millis(1_000, 3_600_000)
  })
}

/** The variables of the tokens: those that the server asks for, and the one that it calls the telco with. */
export const ADMIN_TOKEN = "SIMPLAN_ADMIN_TOKEN"
export const TELCO_TOKEN = "SIMPLAN_TELCO_TOKEN"
export const TELCO_KEY = "SIMPLAN_TELCO_KEY"

// What RFC 6750 lets a bearer token consist of, and a little more: it has to survive an HTTP header as it is.
const token = (name: string, meaning: string, shown: string): Definition<Redacted.Redacted | null> => ({
  name,
  meaning,
  shown,
  default: "",
  allowed: "made of visible ASCII characters without spaces",
  read: (text) => (text === "" ? null : /^[!-~]+$/.test(text) ? Redacted.make(text) : undefined),
  show: null
})

const MADE = "where neither is set, both are made"

const tokens = {
  admin: token(ADMIN_TOKEN, "bearer token of the management API", MADE),
  telco: token(TELCO_TOKEN, "bearer token of the telco's API", MADE),
  telcoKey: token(TELCO_KEY, "bearer token of that bridge", "none")
}

/** The settings for a person to read. */
export const table: ReadonlyArray<{ readonly name: string; readonly meaning: string; readonly shown: string }> = [
  ...Object.values(definitions),
  ...Object.values(tokens)
].map(({ default: preset, meaning, name, shown }) => ({ name, meaning, shown: shown ?? preset }))

/** The text of a variable; undefined where it is not set or empty. */
export const text = (name: string): Effect.Effect<string | undefined, BadSettings> =>
  Config.String(name)
    .pipe(Config.option)
    .pipe(
      Effect.map((found) => Option.getOrUndefined(found) || undefined),
      Effect.mapError(() => new BadSettings({ message: `${name} cannot be read.` }))
    )

const setting = <A>(definition: Definition<A>): Effect.Effect<Result.Result<A, string>, BadSettings> =>
  Effect.map(text(definition.name), (found) => {
    const given = found ?? definition.default
    const value = definition.read(given)
    if (value !== undefined) return Result.succeed(value)
    if (definition.show === null) {
      return Result.fail(`${definition.name} has a value that is not allowed: it must be ${definition.allowed}.`)
    }
    const shown = JSON.stringify((definition.show ?? ((same: string) => same))(given))
    return Result.fail(`${definition.name} is ${shown}, but must be ${definition.allowed}.`)
  })

/** The token that the telco is called with; null where it is not set. */
export const telcoKey: Effect.Effect<Redacted.Redacted | null, BadSettings> = Effect.flatMap(
  setting(tokens.telcoKey),
  (found) =>
    Result.isFailure(found) ? Effect.fail(new BadSettings({ message: found.failure })) : Effect.succeed(found.success)
)

/** Both or neither: an address without a key, or a key without an address, is a mistake. */
const telcoOf = (
  url: Result.Result<string | null, string>,
  key: Result.Result<Redacted.Redacted | null, string>
): Result.Result<Settings["telco"], string> => {
  if (Result.isFailure(url)) return Result.fail(url.failure)
  if (Result.isFailure(key)) return Result.fail(key.failure)
  const [address, secret] = [url.success, key.success]
  if (address !== null && secret !== null) return Result.succeed({ url: address, key: secret })
  if (address === null && secret === null) return Result.succeed(null)
  const [set, other] =
    address === null ? [TELCO_KEY, definitions.telcoUrl.name] : [definitions.telcoUrl.name, TELCO_KEY]
  return Result.fail(`${set} is set and ${other} is not: a telco needs both.`)
}

/** The settings in force. */
export const read: Effect.Effect<Settings, BadSettings> = Effect.gen(function* () {
  const found = {
    host: yield* setting(definitions.host),
    port: yield* setting(definitions.port),
    database: yield* setting(definitions.database),
    adminToken: yield* setting(tokens.admin),
    telcoToken: yield* setting(tokens.telco),
    clock: yield* setting(definitions.clock),
    telco: telcoOf(yield* setting(definitions.telcoUrl), yield* setting(tokens.telcoKey)),
    telcoTimeoutMillis: yield* setting(definitions.telcoTimeout),
    leaseMillis: yield* setting(definitions.lease),
    rateLimit: yield* setting(definitions.rateLimit),
    allowPrivateWebhooks: yield* setting(definitions.allowPrivateWebhooks)
  }
  const problems = Object.values(found).flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
  const all = Result.all(found)
  if (Result.isFailure(all)) return yield* new BadSettings({ message: problems.join("\n") })
  return all.success
})

/** Sees to it that none of the secrets among the settings is ever written. */
export const knowSecrets = ({ adminToken, database, telco, telcoToken }: Settings): void => {
  for (const secret of [adminToken, telcoToken, telco?.key]) if (secret) Secrets.know(Redacted.value(secret))
  Secrets.knowPassword(database.url)
}
