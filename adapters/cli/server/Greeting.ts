/**
 * What a server prints when it listens: its address, its generated tokens, and commands to paste.
 *
 * Each command is one line that begins with `curl` and works in any POSIX shell, alone or pasted with the others, any
 * number of times. It stores its answer beside the credentials for the next command. A token from the environment is not
 * printed; its variable stands for it.
 */
import { Redacted } from "effect"
import type { Token, Tokens } from "../settings/Tokens.ts"

export interface Greeting {
  readonly url: string
  readonly version: string
  readonly database: string
  /** The directory, absolute, where the commands store their answers. */
  readonly directory: string
  /** The address of the telco; null if the telco is simulated. */
  readonly telco: string | null
  /** The time of a virtual clock; null on the system clock. */
  readonly virtualNow: string | null
  readonly tokens: Tokens
  /** `coverageId`: a coverage profile for the label of the demonstration's SIMs; null if there is none. */
  readonly demo: { readonly apiKey: string; readonly coverageId: string | null } | null
}

const shown = (token: Token, variable: string): string => {
  switch (token._tag) {
    case "Generated":
      return Redacted.value(token.value)
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

interface Place extends Pick<Greeting, "url" | "directory"> {
  readonly apiKey: string
  readonly coverageId: string
  readonly telcoToken: Token
}

// An interactive shell may not treat `#` as a comment, so the titles contain no special characters.
const commands = ({ apiKey, coverageId, directory, telcoToken, url }: Place): ReadonlyArray<string> => {
  const planFile = quoted(`${directory}/plan.json`)
  const subscriptionFile = quoted(`${directory}/subscription.json`)
  const post = (path: string, body: string) => `curl -sS '${url}${path}?key=${apiKey}' ${JSON_TYPE} -d ${body}`
  const plan = JSON.stringify({
    name: "Demo 1 GB",
    coverage_id: coverageId,
    data_MBs: 1024,
    period_days: 30,
    recurring: false,
    throttling: false
  })
  const request = `'{"plan_id":"'"${field(planFile, "plan_id")}"'","metadata":"my first subscription"}'`

  const bearer = telcoToken._tag === "Generated" ? Redacted.value(telcoToken.value) : "$SIMPLAN_TELCO_TOKEN"
  const taken = (name: string): string => `"'"${field(subscriptionFile, name)}"'"`
  // Usage at the creation of the subscription is in the past on a virtual clock too.
  const event = [
    `{"id":"usage-'"${field(subscriptionFile, "subscription_id")}"'","type":"usage","iccid":${taken("iccid")}`,
    `"occurred_at":${taken("created_at")},"total_bytes":600000000}`
  ].join(",")
  const report =
    `curl -sS '${url}/telco/v1/events' -H "authorization: Bearer ${bearer}" ${JSON_TYPE} ` +
    `-d '{"events":[${event}]}'; echo`
  const attachments = `/v3/subscriptions/${field(subscriptionFile, "iccid")}/plan-attachments?key=${apiKey}`

  const steps: ReadonlyArray<readonly [title: string, line: string]> = [
    ["create a plan", `${post("/v3/plans", quoted(plan))} | tee ${planFile}; echo`],
    ["subscribe an eSIM to it", `${post("/v3/subscription", request)} | tee ${subscriptionFile}; echo`],
    ...(telcoToken._tag === "Off" ? [] : [["report usage as the telco would", report] as const]),
    ["see what became of it", `curl -sS "${url}${attachments}"; echo`]
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
  const { apiKey, coverageId } = demo
  if (coverageId === null) return []
  return [
    "To try it, paste these lines into another terminal, one by one or all at once:",
    "",
    ...commands({ url, apiKey, coverageId, directory, telcoToken: tokens.telco })
  ]
}

/** The whole text. */
export const text = (greeting: Greeting): string => {
  const { database, demo, telco, tokens, url, version, virtualNow } = greeting
  const facts: ReadonlyArray<readonly [name: string, value: string | null]> = [
    ["address", url],
    ["reference", `${url}/docs`],
    ["data", database],
    ["telco", telco],
    ["clock", virtualNow === null ? null : `virtual, stands at ${virtualNow}`],
    ["API key", demo === null ? null : demo.apiKey],
    ["admin token", shown(tokens.admin, "SIMPLAN_ADMIN_TOKEN")],
    ["telco token", shown(tokens.telco, "SIMPLAN_TELCO_TOKEN")]
  ]
  return [
    `simplan ${version} is listening.`,
    "",
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(11)}  ${value}`])),
    "",
    ...next(greeting)
  ]
    .join("\n")
    .trimEnd()
}
