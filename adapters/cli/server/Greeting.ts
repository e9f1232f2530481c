/**
 * What a server prints when it listens: its address, its generated tokens, and commands to paste.
 *
 * Only a terminal is shown a generated secret; elsewhere its file is named, because output that is
 * not read is kept in logs. Each command fits a line and works in any shell, in the directory of
 * the server and any number of times: commands find the server and its secrets there.
 */
import { Redacted } from "effect"
import * as Credentials from "../settings/Credentials.ts"
import type { Token, Tokens } from "../settings/Credentials.ts"

export interface Greeting {
  readonly url: string
  /** The address of the listener for operators; null if it has none of its own. */
  readonly adminUrl: string | null
  /** Whether it serves the console. */
  readonly hasConsole: boolean
  readonly version: string
  readonly database: string
  /** The working directory, absolute, with the secrets' files in `.simplan/`. */
  readonly directory: string
  /** The address of the telco, or the names of several; null if the telco is simulated. */
  readonly telco: string | null
  /** The time of a virtual clock; null on the system clock. */
  readonly virtualNow: string | null
  readonly tokens: Tokens
  /**
   * `tried`: an eSIM of the demonstration and a coverage profile for its label; null if its SIMs
   * cannot be subscribed.
   */
  readonly demo: {
    readonly apiKey: string
    readonly tried: { readonly coverageId: string; readonly iccid: string } | null
  } | null
  /** What of the settings is not for production, a sentence for each. */
  readonly unfit: ReadonlyArray<string>
}

const shownToken = (token: Token, variable: string, show: (secret: string) => string): string => {
  switch (token._tag) {
    case "Generated":
      return show(Redacted.value(token.value))
    case "Set":
      return `as set in ${variable}`
    case "Off":
      return `none, because ${variable} is not set`
  }
}

const next = ({ demo, tokens, url }: Greeting): ReadonlyArray<string> => {
  if (demo === null) {
    if (tokens.admin._tag === "Off") return []
    return [
      "Next, in another terminal:",
      "",
      '  npx simplan org create "Acme Mobile"',
      "  npx simplan key create",
      "  npx simplan sims import sims.csv"
    ]
  }
  if (demo.tried === null) return []
  const { coverageId, iccid } = demo.tried
  return [
    "To try it, paste these lines into another terminal in this directory, one by one or all at once:",
    "",
    `npx simplan plans create Demo --coverage ${coverageId} --MB 1024 --days 30`,
    `npx simplan subscriptions create Demo --iccid ${iccid} --metadata "my first subscription"`,
    ...(tokens.telco._tag === "Off"
      ? []
      : [`npx simplan events send --type usage --iccid ${iccid} --total-bytes 600000000`]),
    `npx simplan subscriptions show ${iccid}`,
    `curl -sS -H "x-api-key: $(cat ${Credentials.fileOf("demoKey")})" ${url}/v3/subscription`
  ]
}

const consoleOf = (url: string): string => `${url}/admin/console, sign in with the admin token or an operator's`

/** The whole text, for a terminal or not. */
export const text = (greeting: Greeting, isTerminal: boolean): string => {
  const { adminUrl, database, demo, directory, hasConsole, telco, tokens, unfit, url, version, virtualNow } = greeting
  const shown =
    (name: Credentials.Secret) =>
    (secret: string): string =>
      isTerminal ? secret : `in ${directory}/${Credentials.fileOf(name)}`
  const facts: ReadonlyArray<readonly [name: string, value: string | null]> = [
    ["address", url],
    ["operators", adminUrl],
    ["console", hasConsole && tokens.admin._tag !== "Off" ? consoleOf(adminUrl ?? url) : null],
    ["reference", `${url}/docs`],
    ["data", database],
    ["telco", telco],
    ["clock", virtualNow === null ? null : `virtual, stands at ${virtualNow}`],
    ["API key", demo === null ? null : shown("demoKey")(demo.apiKey)],
    ["admin token", shownToken(tokens.admin, "SIMPLAN_ADMIN_TOKEN", shown("adminToken"))],
    ["telco token", shownToken(tokens.telco, "SIMPLAN_TELCO_TOKEN", shown("telcoToken"))]
  ]
  return [
    `simplan ${version} is listening.`,
    "",
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(11)}  ${value}`])),
    "",
    ...(unfit.length === 0 ? [] : ["Not for production:", ...unfit.map((one) => `  ${one}`), ""]),
    ...next(greeting)
  ]
    .join("\n")
    .trimEnd()
}
