/**
 * Which server a command calls, and with which token. Both come from the flags, else from the environment, else from the
 * file of a server that was started in this directory.
 *
 * A token from that file is sent only to the server that generated it, or to another port of this machine.
 */
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import * as Settings from "../settings/Settings.ts"

export interface Connection {
  readonly url: string
  readonly token: Redacted.Redacted
  /** The source of the token, for messages. */
  readonly tokenFrom: string
}

const flagsWith = (variable: string) => ({
  url: Flag.String("url").pipe(
    Flag.withMetavar("<address>"),
    Flag.withDescription("Address of the server (else SIMPLAN_URL, else the server started in this directory)"),
    Flag.optional
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withMetavar("<token>"),
    Flag.withDescription(`Token of the server (else ${variable}, else the one kept in ${Credentials.DIRECTORY}/)`),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the answer as one line of JSON"), Flag.withDefault(false))
})

/** The flags of every command that calls the management API. */
export const flags = flagsWith(Settings.ADMIN_TOKEN)

/** The flags of every command that calls the telco's API. */
export const telcoFlags = flagsWith(Settings.TELCO_TOKEN)

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

const resolve = (kind: string, tokenVariable: string, keptToken: (kept: Credentials.Kept) => string | undefined) =>
  Effect.fnUntraced(function* (given: Given) {
    const kept = yield* Credentials.read
    const urlVariable = yield* variable("SIMPLAN_URL")
    const url = Option.isSome(given.url)
      ? yield* checked(given.url.value, "--url")
      : urlVariable !== undefined
        ? yield* checked(urlVariable, "SIMPLAN_URL")
        : (kept.url ?? DEFAULT_URL)
    const to = (token: Redacted.Redacted, tokenFrom: string): Connection => ({ url, token, tokenFrom })

    if (Option.isSome(given.token)) return to(given.token.value, "--token")
    const set = yield* variable(tokenVariable)
    if (set !== undefined) return to(Redacted.make(set), tokenVariable)
    const generated = keptToken(kept)
    if (generated !== undefined && (url === kept.url || isLocal(url))) {
      return to(Redacted.make(generated), Credentials.FILE)
    }
    return yield* misused(
      `There is no ${kind} token for ${url}: give it with --token or ${tokenVariable}, ` +
        `or run this in the directory where the server was started.`
    )
  })

/** The management API of the server. */
export const toAdmin = resolve("admin", Settings.ADMIN_TOKEN, ({ adminToken }) => adminToken)

/** The telco's API of the server. */
export const toTelco = resolve("telco", Settings.TELCO_TOKEN, ({ telcoToken }) => telcoToken)
