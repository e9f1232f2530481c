/**
 * Which server a command calls, and with which token or API key. All come from the flags, else from
 * the environment, else from the file of a server that was started in this directory. The
 * management API may have an address of its own. Commands about an organization's SIMs, plans and
 * subscriptions call `/v3` with an API key, or the same in the management API with an operator's
 * token (rule W14).
 *
 * A secret from that file is sent only to the server that generated it, or to another port of this
 * machine.
 */
import { Effect, FileSystem, Option, Redacted, Stdio, Stream } from "effect"
import { Flag } from "effect/cli"
import { TextLimit } from "simplan/ports"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import * as Definitions from "../settings/Definitions.ts"
import * as Settings from "../settings/Settings.ts"

export interface Connection {
  readonly api: "admin" | "telco" | "v3"
  readonly url: string
  /** The token, or the API key for `/v3`. */
  readonly secret: Redacted.Redacted
  /** Where the secret comes from, for messages. */
  readonly from: string
  /** Why the command changes something, for the audit log. */
  readonly reason?: string | undefined
  /**
   * The organization for which an operator calls what `/v3` has, in the management API; none: the
   * only one. Absent where the command calls what it names.
   */
  readonly ofOperator?: Option.Option<string>
}

const ADMIN_URL = "SIMPLAN_ADMIN_URL"
const URL_VARIABLE = "SIMPLAN_URL"
const KEY = "SIMPLAN_API_KEY"

/** The flags of every command that calls a server. `urls`: the variables of its address. */
const serverFlags = (urls: string) => ({
  url: Flag.String("url").pipe(
    Flag.withMetavar("<address>"),
    Flag.withDescription(`Address of the server (else ${urls}, else the server started in this directory)`),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, a line for each item"), Flag.withDefault(false))
})

const tokenFlag = (description: string) =>
  Flag.Redacted("token").pipe(Flag.withMetavar("<token>"), Flag.withDescription(description), Flag.optional)

const flagsWith = (urls: string, variable: string) => ({
  ...serverFlags(urls),
  token: tokenFlag(
    `Token of the server, @FILE or @- (else ${variable}, else the one kept in ${Credentials.DIRECTORY}/)`
  )
})

/** The flags of every command that calls the management API. */
export const flags = {
  ...flagsWith(`${ADMIN_URL} or ${URL_VARIABLE}`, Definitions.ADMIN_TOKEN),
  auditReason: Flag.String("audit-reason").pipe(
    Flag.withMetavar("<text>"),
    Flag.withDescription("Why, for the audit log of what the command changes"),
    Flag.filter(
      (text) => text.isWellFormed() && TextLimit.isWithin(text, TextLimit.REASON),
      () => `a text of at most ${TextLimit.REASON} characters`
    ),
    Flag.optional
  )
}

/** The flags of every command that calls the telco's API. */
export const telcoFlags = flagsWith(URL_VARIABLE, Definitions.TELCO_TOKEN)

/** The flags of every command that calls `/v3`, or the same for an operator. */
export const keyFlags = {
  org: Flag.String("org").pipe(
    Flag.withMetavar("<id>"),
    Flag.withDescription(
      "Id of the organization, for an operator or if its key is kept; an API key tells its organization by itself"
    ),
    Flag.optional
  ),
  ...serverFlags(URL_VARIABLE),
  key: Flag.Redacted("key").pipe(
    Flag.withMetavar("<key>"),
    Flag.withDescription(
      `API key of the organization, @FILE or @- (else ${KEY}, else the one kept in ${Credentials.DIRECTORY}/)`
    ),
    Flag.optional
  ),
  token: tokenFlag(`Token of an operator in place of a key, @FILE or @- (else ${Definitions.ADMIN_TOKEN})`)
}

export interface Given {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
  readonly auditReason?: Option.Option<string>
}

export interface GivenKey extends Given {
  readonly key: Option.Option<Redacted.Redacted>
  readonly org: Option.Option<string>
}

const DEFAULT_URL = "http://127.0.0.1:3000"

const isLocal = (address: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)

const checked = (address: string, from: string): Effect.Effect<string, CommandFailed> =>
  URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
    ? Effect.succeed(address.replace(/\/+$/, ""))
    : misused(`${from} is ${JSON.stringify(address)}, but must be an address such as ${DEFAULT_URL}.`)

/**
 * The value of a variable of the environment; undefined if it is not set or empty. A misspelt one
 * is refused: without it the command would call another server, or with another secret.
 */
export const variable = Effect.fnUntraced(function* (name: string) {
  const set = yield* Settings.text(name)
  const misspelt = set === undefined ? Settings.misspelt(yield* Settings.Environment, name) : undefined
  return misspelt === undefined ? set : yield* misused(Settings.notOne(misspelt, name))
})

/** Where the address of an API is found. */
interface Address {
  /** The variables of its address; the first that is set counts. */
  readonly urls: ReadonlyArray<string>
  readonly keptUrl: (kept: Credentials.Kept) => string | undefined
}

interface Api extends Address {
  readonly api: "admin" | "telco"
  readonly token: string
  readonly keptToken: (kept: Credentials.Kept) => string | undefined
}

/**
 * The address that a command calls: that of `--url`, else of a variable, else of the server started
 * in this directory.
 */
const addressOf = Effect.fnUntraced(function* (api: Address, given: Pick<Given, "url">, kept: Credentials.Kept) {
  if (Option.isSome(given.url)) return yield* checked(given.url.value, "--url")
  for (const name of api.urls) {
    const set = yield* variable(name)
    if (set !== undefined) return yield* checked(set, name)
  }
  return api.keptUrl(kept) ?? DEFAULT_URL
})

/**
 * The secret that a flag gives. `@FILE` is the text of a file and `@-` that of standard input, so
 * that the secret does not stand in the list of processes.
 */
const secretOf = Effect.fnUntraced(function* (given: Redacted.Redacted, flag: string) {
  const text = Redacted.value(given)
  if (!text.startsWith("@")) return given
  const path = text.slice(1)
  const files = yield* FileSystem.FileSystem
  const { stdin } = yield* Stdio.Stdio
  const read = path === "-" ? Stream.mkString(Stream.decodeText(stdin)) : files.readFileString(path)
  const secret = yield* Effect.mapError(read, ({ message }) => impossible(`${flag} cannot be read: ${message}.`))
  if (secret.trim() === "") return yield* misused(`${flag} is ${text}, and there is no text in it.`)
  return Redacted.make(secret.trim())
})

/** Whether what the server of this directory generated may be sent to the address. */
const isOwn = (api: Address, url: string, kept: Credentials.Kept): boolean => url === api.keptUrl(kept) || isLocal(url)

/** The address of an API, and the connection to it if there is a token. */
const find = (api: Api) =>
  Effect.fnUntraced(function* (given: Given) {
    const kept = yield* Credentials.read
    const url = yield* addressOf(api, given, kept)
    const reason = Option.getOrUndefined(given.auditReason ?? Option.none())
    const to = (secret: Redacted.Redacted, from: string) => ({
      url,
      connection: { api: api.api, url, secret, from, reason } satisfies Connection
    })

    if (Option.isSome(given.token)) return to(yield* secretOf(given.token.value, "--token"), "--token")
    const set = yield* variable(api.token)
    if (set !== undefined) return to(Redacted.make(set), api.token)
    const generated = api.keptToken(kept)
    if (generated !== undefined && isOwn(api, url, kept)) return to(Redacted.make(generated), Credentials.FILE)
    return { url, connection: undefined }
  })

const resolve = (api: Api) =>
  Effect.fnUntraced(function* (given: Given) {
    const { connection, url } = yield* find(api)(given)
    if (connection !== undefined) return connection
    return yield* misused(
      `There is no ${api.api} token for ${url}: give it with --token or ${api.token}, ` +
        `or run this in the directory where the server was started.`
    )
  })

const management: Api = {
  api: "admin",
  urls: [ADMIN_URL, URL_VARIABLE],
  keptUrl: ({ adminUrl, url }) => adminUrl ?? url,
  token: Definitions.ADMIN_TOKEN,
  keptToken: ({ adminToken }) => adminToken
}

/** Opens the connection to the management API of the server. */
export const openAdmin = resolve(management)

/** That of an operator who calls what `/v3` has; undefined if there is no token. */
const openOperator = (given: GivenKey) =>
  Effect.map(find(management)(given), ({ connection }) =>
    connection === undefined ? undefined : { ...connection, ofOperator: given.org }
  )

/** Opens the connection to the telco's API of the server. */
export const openTelco = resolve({
  api: "telco",
  urls: [URL_VARIABLE],
  keptUrl: ({ url }) => url,
  token: Definitions.TELCO_TOKEN,
  keptToken: ({ telcoToken }) => telcoToken
})

const customers: Address = { urls: [URL_VARIABLE], keptUrl: ({ url }) => url }

const KEY_FILE = Credentials.fileOf("demoKey")

/** The API key of the demonstration of the server that was started last in this directory. */
const demoKey = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  // Failure: without a key the command says which settings name one.
  const text = yield* Effect.orElseSucceed(files.readFileString(KEY_FILE), () => "")
  return text.trim()
})

/**
 * Opens the connection to the `/v3` of the server, with the key of `--key`; else the kept one of
 * the organization that `--org` names; else that of the environment; else the demonstration's. An
 * operator's token takes the place of a key: that of `--token`, or one that is set or kept, where
 * there is no key.
 */
export const openCustomers = Effect.fnUntraced(function* (given: GivenKey) {
  const kept = yield* Credentials.read
  const url = yield* addressOf(customers, given, kept)
  const isOwnServer = isOwn(customers, url, kept)
  const to = (secret: Redacted.Redacted, from: string): Connection => ({ api: "v3", url, secret, from })

  if (Option.isSome(given.key) && Option.isSome(given.org)) {
    return yield* misused("An API key belongs to one organization, so give either --key or --org.")
  }
  if (Option.isSome(given.key) && Option.isSome(given.token)) {
    return yield* misused("An operator's token takes the place of an API key, so give either --key or --token.")
  }
  if (Option.isSome(given.key)) return to(yield* secretOf(given.key.value, "--key"), "--key")
  if (Option.isSome(given.org) && Option.isNone(given.token)) {
    const id = given.org.value
    const demo = Object.values(kept.demos ?? {}).find(({ organizationId }) => organizationId === id)
    if (demo !== undefined && isOwnServer) return to(Redacted.make(demo.apiKey), Credentials.FILE)
  }
  if (Option.isSome(given.org) || Option.isSome(given.token)) {
    const operator = yield* openOperator(given)
    if (operator !== undefined) return operator
    const id = Option.getOrElse(given.org, () => "")
    return yield* misused(
      `There is no API key of organization ${id} in ${Credentials.DIRECTORY}/ for ${url}: give one with --key, or the token of ` +
        `an operator with --token; \`simplan key create --org ${id} --scope read\` makes a key.`
    )
  }
  const set = yield* variable(KEY)
  if (set !== undefined) return to(Redacted.make(set), KEY)
  const own = isOwnServer ? yield* demoKey : ""
  if (own !== "") return to(Redacted.make(own), KEY_FILE)
  const operator = yield* openOperator(given)
  if (operator !== undefined) return operator
  return yield* misused(
    `There is no API key for ${url}: give one with --key or ${KEY} (\`simplan key create --scope read\` makes one), ` +
      `or the token of an operator with --token or ${Definitions.ADMIN_TOKEN}, or run this in the directory where a server made a demonstration.`
  )
})
