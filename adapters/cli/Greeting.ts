/**
 * What a server prints when it is really listening: its address, what it made for itself, and commands to paste.
 *
 * The commands work one by one and all at once in any POSIX shell, as often as one likes: each is one line, and hands
 * on what the next one needs in a shell variable. A token that was set is not printed; its variable stands for it.
 */
import { Redacted } from "effect"
import type { Token, Tokens } from "./Tokens.ts"

export interface Greeting {
  readonly url: string
  readonly version: string
  readonly database: string
  /** Where a virtual clock stands; null on the system clock. */
  readonly virtualNow: string | null
  readonly tokens: Tokens
  /** `coverageId`: a coverage profile of the label that the demonstration's SIMs have; null where there is none. */
  readonly demo: { readonly apiKey: string; readonly coverageId: string | null } | null
}

const shown = (token: Token, variable: string): string => {
  switch (token._tag) {
    case "Made":
      return Redacted.value(token.value)
    case "Set":
      return `as set in ${variable}`
    case "Off":
      return `none, because ${variable} is not set`
  }
}

const JSON_TYPE = "-H 'content-type: application/json'"

/** Takes the text of a field out of the JSON in a shell variable. */
const field = (variable: string, name: string): string =>
  `$(printf '%s' "$${variable}" | sed -n 's/.*"${name}" *: *"\\([^"]*\\)".*/\\1/p')`

const plan = (url: string, demo: { readonly apiKey: string; readonly coverageId: string }): string => {
  const body = {
    name: "Demo 1 GB",
    coverage_id: demo.coverageId,
    data_MBs: 1024,
    period_days: 30,
    recurring: false,
    throttling: false
  }
  const call = `curl -sS '${url}/v3/plans?key=${demo.apiKey}' ${JSON_TYPE} -d '${JSON.stringify(body)}'`
  return `PLAN=$(${call}); printf "%s\\n" "$PLAN"; PLAN_ID=${field("PLAN", "plan_id")}`
}

const subscribe = (url: string, apiKey: string): string => {
  const body = `'{"plan_id":"'"$PLAN_ID"'","metadata":"my first subscription"}'`
  const call = `curl -sS '${url}/v3/subscription?key=${apiKey}' ${JSON_TYPE} -d ${body}`
  const taken = ["iccid", "subscription_id", "created_at"].map((name) => `${name.toUpperCase()}=${field("SUB", name)}`)
  return `SUB=$(${call}); printf "%s\\n" "$SUB"; ${taken.join("; ")}`
}

// The event happens at the creation of the subscription, so it fits a virtual clock as well.
const report = (url: string, token: Token): string => {
  const bearer = token._tag === "Made" ? Redacted.value(token.value) : "$SIMPLAN_TELCO_TOKEN"
  const event = [
    `{"id":"usage-'"$SUBSCRIPTION_ID"'"`,
    `"type":"usage"`,
    `"iccid":"'"$ICCID"'"`,
    `"occurred_at":"'"$CREATED_AT"'"`,
    `"total_bytes":600000000}`
  ].join(",")
  return `curl -sS '${url}/telco/v1/events' -H "authorization: Bearer ${bearer}" ${JSON_TYPE} -d '{"events":[${event}]}'; echo`
}

const attachments = (url: string, apiKey: string): string =>
  `curl -sS "${url}/v3/subscriptions/$ICCID/plan-attachments?key=${apiKey}"; echo`

interface Step {
  readonly title: string
  readonly line: string
}

const steps = (url: string, demo: { readonly apiKey: string; readonly coverageId: string }, telco: Token) => {
  const reported: ReadonlyArray<Step> =
    telco._tag === "Off" ? [] : [{ title: "report usage as the telco would", line: report(url, telco) }]
  return [
    { title: "create a plan", line: plan(url, demo) },
    { title: "subscribe an eSIM to it", line: subscribe(url, demo.apiKey) },
    ...reported,
    { title: "see what became of it", line: attachments(url, demo.apiKey) }
  ]
}

// A shell may not know `#` as a comment when it is typed at, so a title has nothing in it that means something.
const toPaste = (commands: ReadonlyArray<Step>): ReadonlyArray<string> =>
  commands.flatMap(({ line, title }, index) => [`# ${index + 1} ${title}`, line, ""])

const next = ({ demo, tokens, url }: Greeting): ReadonlyArray<string> => {
  if (demo === null) {
    const commands = [
      'npx simplan org create "Acme Mobile"',
      "npx simplan key create",
      "npx simplan sims import sims.csv"
    ]
    return tokens.admin._tag === "Off" ? [] : ["Next, in another terminal:", "", ...commands.map((one) => `  ${one}`)]
  }
  const { apiKey, coverageId } = demo
  if (coverageId === null) return []
  return [
    "To try it, paste these lines into another terminal, one by one or all at once:",
    "",
    ...toPaste(steps(url, { apiKey, coverageId }, tokens.telco))
  ]
}

/** The whole text. */
export const text = (greeting: Greeting): string => {
  const { database, demo, tokens, url, version, virtualNow } = greeting
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["address", url],
    ["reference", `${url}/docs`],
    ["data", database],
    ...(virtualNow === null ? [] : [["clock", `virtual, stands at ${virtualNow}`] as const]),
    ...(demo === null ? [] : [["API key", demo.apiKey] as const]),
    ["admin token", shown(tokens.admin, "SIMPLAN_ADMIN_TOKEN")],
    ["telco token", shown(tokens.telco, "SIMPLAN_TELCO_TOKEN")]
  ]
  const lines = [
    `simplan ${version} is listening.`,
    "",
    ...facts.map(([name, value]) => `  ${name.padEnd(11)}  ${value}`),
    "",
    ...next(greeting)
  ]
  return lines.join("\n").trimEnd()
}
