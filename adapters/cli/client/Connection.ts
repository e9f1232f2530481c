/**
 * Which server a command calls, and with which token. Both come from the flags, else from the environment, else from the
 * file of a server that was started in this directory. The management API may have an address of its own.
 *
 * A token from that file is sent only to the server that generated it, or to another port of this machine.
 */
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import * as OwnerFile from "../settings/OwnerFile.ts"
import * as Settings from "../settings/Settings.ts"

export interface Connection {
  readonly url: string
  readonly token: Redacted.Redacted
  /** The source of the token, for messages. */
  readonly tokenFrom: string
}

const ADMIN_URL = "SIMPLAN_ADMIN_URL"
const URL_VARIABLE = "SIMPLAN_URL"

const flagsWith = (urls: string, variable: string) => ({
  url: Flag.String("url").pipe(
    Flag.withMetavar("<address>"),
    Flag.withDescription(`Address of the server (else ${urls}, else the server started in this directory)`),
    Flag.optional
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withMetavar("<token>"),
    Flag.withDescription(`Token of the server (else ${variable}, else the one kept in ${OwnerFile.DIRECTORY}/)`),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the answer as one line of JSON"), Flag.withDefault(false))
})

/** The flags of every command that calls the management API. */
export const flags = flagsWith(`${ADMIN_URL} or ${URL_VARIABLE}`, Settings.ADMIN_TOKEN)

/** The flags of every command that calls the telco's API. */
export const telcoFlags = flagsWith(URL_VARIABLE, Settings.TELCO_TOKEN)

export interface Given {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
}

const DEFAULT_URL = "http://127.0.0.1:3000"

const isLocal = (address: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)

const checked = (address: string, from: string): Effect.Effect<string, CommandFailed> =>
  URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
    ? Effect.succeed(address.replace(/\/+$/, ""))
    : misused(`${from} is ${JSON.stringify(address)}, but must be an address such as ${DEFAULT_URL}.`)

const variable = (name: string) => Effect.mapError(Settings.text(name), ({ message }) => impossible(message))

/** An API of the server: where its address and its token are found. */
interface Api {
  readonly name: string
  /** The variables of its address; the first that is set counts. */
  readonly urls: ReadonlyArray<string>
  readonly keptUrl: (kept: Credentials.Kept) => string | undefined
  readonly token: string
  readonly keptToken: (kept: Credentials.Kept) => string | undefined
}

const addressOf = Effect.fnUntraced(function* (api: Api, given: Given, kept: Credentials.Kept) {
  if (Option.isSome(given.url)) return yield* checked(given.url.value, "--url")
  for (const name of api.urls) {
    const set = yield* variable(name)
    if (set !== undefined) return yield* checked(set, name)
  }
  return api.keptUrl(kept) ?? DEFAULT_URL
})

const resolve = (api: Api) =>
  Effect.fnUntraced(function* (given: Given) {
    const kept = yield* Credentials.read
    const url = yield* addressOf(api, given, kept)
    const to = (token: Redacted.Redacted, tokenFrom: string): Connection => ({ url, token, tokenFrom })

    if (Option.isSome(given.token)) return to(given.token.value, "--token")
    const set = yield* variable(api.token)
    if (set !== undefined) return to(Redacted.make(set), api.token)
    const generated = api.keptToken(kept)
    if (generated !== undefined && (url === api.keptUrl(kept) || isLocal(url))) {
      return to(Redacted.make(generated), Credentials.FILE)
    }
    return yield* misused(
      `There is no ${api.name} token for ${url}: give it with --token or ${api.token}, ` +
        `or run this in the directory where the server was started.`
    )
  })

/** The management API of the server. */
export const toAdmin = resolve({
  name: "admin",
  urls: [ADMIN_URL, URL_VARIABLE],
  keptUrl: ({ adminUrl, url }) => adminUrl ?? url,
  token: Settings.ADMIN_TOKEN,
  keptToken: ({ adminToken }) => adminToken
})

/** The telco's API of the server. */
export const toTelco = resolve({
  name: "telco",
  urls: [URL_VARIABLE],
  keptUrl: ({ url }) => url,
  token: Settings.TELCO_TOKEN,
  keptToken: ({ telcoToken }) => telcoToken
})
