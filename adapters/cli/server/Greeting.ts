/**
 * What a server prints when it listens: its address, its generated tokens, and commands to paste.
 *
 * Only a terminal is shown a generated secret; elsewhere its file is named, because output that is
 * not read is kept in logs. Each command is one line that begins with `curl` and works in any POSIX
 * shell, alone or pasted with the others, any number of times. It reads secrets from their files,
 * and stores its answer beside them for the next command. For a token from the environment its
 * variable stands.
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
  /**
   * The working directory, absolute, with the secrets' files and the commands' answers in
   * `.simplan/`.
   */
  readonly directory: string
  /** The address of the telco, or the names of several; null if the telco is simulated. */
  readonly telco: string | null
  /** The time of a virtual clock; null on the system clock. */
  readonly virtualNow: string | null
  readonly tokens: Tokens
  /**
   * `coverageId`: a coverage profile for the label of the demonstration's SIMs; null if they cannot
   * be subscribed.
   */
  readonly demo: { readonly apiKey: string; readonly coverageId: string | null } | null
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

const JSON_TYPE = "-H 'content-type: application/json'"

/** The text in single quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A substitution that reads a field of the JSON in a file. */
const field = (file: string, name: string): string => `$(sed -n 's/.*"${name}" *: *"\\([^"]*\\)".*/\\1/p' ${file})`

/** A substitution that reads a file. */
const content = (path: string): string => `$(cat ${quoted(path)})`

interface Place extends Pick<Greeting, "url" | "directory"> {
  readonly coverageId: string
  readonly telcoToken: Token
}

// An interactive shell may not treat `#` as a comment, so the titles contain no special characters.
const commands = ({ coverageId, directory, telcoToken, url }: Place): ReadonlyArray<string> => {
  const planFile = quoted(`${directory}/${Credentials.DIRECTORY}/plan.json`)
  const subscriptionFile = quoted(`${directory}/${Credentials.DIRECTORY}/subscription.json`)
  const secret = (name: Credentials.Secret): string => content(`${directory}/${Credentials.fileOf(name)}`)
  const withKey = (path: string): string => `curl -sS "${url}${path}?key=${secret("demoKey")}"`
  const post = (path: string, body: string): string => `${withKey(path)} ${JSON_TYPE} -d ${body}`
  const plan = JSON.stringify({
    name: "Demo 1 GB",
    coverage_id: coverageId,
    data_MBs: 1024,
    period_days: 30,
    recurring: false,
    throttling: false
  })
  const request = `'{"plan_id":"'"${field(planFile, "plan_id")}"'","metadata":"my first subscription"}'`

  const bearer = telcoToken._tag === "Generated" ? secret("telcoToken") : "$SIMPLAN_TELCO_TOKEN"
  const taken = (name: string): string => `"'"${field(subscriptionFile, name)}"'"`
  // Usage at the creation of the subscription is in the past on a virtual clock too.
  const event = [
    `{"id":"usage-'"${field(subscriptionFile, "subscription_id")}"'","type":"usage","iccid":${taken("iccid")}`,
    `"occurred_at":${taken("created_at")},"total_bytes":600000000}`
  ].join(",")
  const report =
    `curl -sS '${url}/telco/v1/events' -H "authorization: Bearer ${bearer}" ${JSON_TYPE} ` +
    `-d '{"events":[${event}]}'; echo`
  const attachments = `/v3/subscriptions/${field(subscriptionFile, "iccid")}/plan-attachments`

  const steps: ReadonlyArray<readonly [title: string, line: string]> = [
    ["create a plan", `${post("/v3/plans", quoted(plan))} | tee ${planFile}; echo`],
    ["subscribe an eSIM to it", `${post("/v3/subscription", request)} | tee ${subscriptionFile}; echo`],
    ...(telcoToken._tag === "Off" ? [] : [["report usage as the telco would", report] as const]),
    ["see what became of it", `${withKey(attachments)}; echo`]
  ]
  return steps.flatMap(([title, line], index) => [`# ${index + 1} ${title}`, line, ""])
}

const next = ({ demo, directory, tokens, url }: Greeting): ReadonlyArray<string> => {
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
  if (demo.coverageId === null) return []
  return [
    "To try it, paste these lines into another terminal, one by one or all at once:",
    "",
    ...commands({ url, coverageId: demo.coverageId, directory, telcoToken: tokens.telco })
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
