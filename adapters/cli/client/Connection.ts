/**
 * Which server a command talks to, and with which token: from the flags, else the environment, else what a server that
 * was started in this directory has kept.
 *
 * A kept token goes only to the server that made it, or to another port of this machine: `--url` alone never sends it
 * elsewhere.
 */
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import * as Settings from "../settings/Settings.ts"

export interface Connection {
  readonly url: string
  readonly token: Redacted.Redacted
  /** Where the token is from, for a message. */
  readonly tokenFrom: string
}

const url = Flag.String("url").pipe(
  Flag.withMetavar("<address>"),
  Flag.withDescription("Address of the server (else SIMPLAN_URL, else the server started in this directory)"),
  Flag.optional
)

const tokenFlag = (variable: string) =>
  Flag.Redacted("token").pipe(
    Flag.withMetavar("<token>"),
    Flag.withDescription(`Token of the server (else ${variable}, else the one kept in ${Credentials.DIRECTORY}/)`),
    Flag.optional
  )

const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print the answer as one line of JSON"),
  Flag.withDefault(false)
)

/** The flags of every command that talks to the management API. */
export const flags = { url, token: tokenFlag(Settings.ADMIN_TOKEN), json }

/** The same for the telco's API. */
export const telcoFlags = { url, token: tokenFlag(Settings.TELCO_TOKEN), json }

export interface Given {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
}

const DEFAULT_URL = "http://127.0.0.1:3000"

const isHere = (address: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)

const checked = (address: string, from: string): Effect.Effect<string, CommandFailed> => {
  const isAddress = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
  return isAddress
    ? Effect.succeed(address.replace(/\/+$/, ""))
    : misused(`${from} is ${JSON.stringify(address)}, but must be an address such as ${DEFAULT_URL}.`)
}

interface Kind {
  readonly name: string
  readonly variable: string
  readonly kept: (kept: Credentials.Kept) => string | undefined
}

const admin: Kind = {
  name: "admin token",
  variable: Settings.ADMIN_TOKEN,
  kept: (kept) => kept.adminToken
}

const telco: Kind = {
  name: "telco token",
  variable: Settings.TELCO_TOKEN,
  kept: (kept) => kept.telcoToken
}

const variable = (name: string) => Settings.text(name).pipe(Effect.mapError((error) => impossible(error.message)))

const resolve = (kind: Kind) =>
  Effect.fnUntraced(function* (given: Given) {
    const kept = yield* Credentials.read
    const fromEnvironment = yield* variable("SIMPLAN_URL")
    const address = Option.isSome(given.url)
      ? yield* checked(given.url.value, "--url")
      : fromEnvironment !== undefined
        ? yield* checked(fromEnvironment, "SIMPLAN_URL")
        : (kept.url ?? DEFAULT_URL)
    const found = (token: Redacted.Redacted, tokenFrom: string): Connection => ({ url: address, token, tokenFrom })

    if (Option.isSome(given.token)) return found(given.token.value, "--token")
    const set = yield* variable(kind.variable)
    if (set !== undefined) return found(Redacted.make(set), kind.variable)
    const made = kind.kept(kept)
    if (made !== undefined && (address === kept.url || isHere(address))) {
      return found(Redacted.make(made), Credentials.FILE)
    }
    return yield* misused(
      `There is no ${kind.name} for ${address}: give it with --token or ${kind.variable}, ` +
        `or run this in the directory where the server was started.`
    )
  })

/** The management API of the server. */
export const toAdmin = resolve(admin)

/** The telco's API of the server. */
export const toTelco = resolve(telco)
