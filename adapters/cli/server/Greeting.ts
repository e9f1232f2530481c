/**
 * What a server prints when it is really listening: its address, what it made for itself, and commands to paste.
 *
 * The commands work one by one and all at once in any POSIX shell, as often as one likes: each is one line that begins
 * with `curl`, and keeps its answer beside the credentials, where the next one finds what it needs. A token that was set
 * is not printed; its variable stands for it.
 */
import { Redacted } from "effect"
import type { Token, Tokens } from "../settings/Tokens.ts"

export interface Greeting {
  readonly url: string
  readonly version: string
  readonly database: string
  /** The directory, absolute, in which the commands keep their answers. */
  readonly directory: string
  /** The address of the telco; null for the simulated one. */
  readonly telco: string | null
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

/** A text that a POSIX shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** What the commands need to know. */
interface Place {
  readonly url: string
  readonly apiKey: string
  readonly coverageId: string
  readonly directory: string
}

const planFile = ({ directory }: Place): string => quoted(`${directory}/plan.json`)
const subscriptionFile = ({ directory }: Place): string => quoted(`${directory}/subscription.json`)

/** Takes the text of a field out of the JSON in a file. */
const field = (file: string, name: string): string => `$(sed -n 's/.*"${name}" *: *"\\([^"]*\\)".*/\\1/p' ${file})`

const plan = (place: Place): string => {
  const body = {
    name: "Demo 1 GB",
    coverage_id: place.coverageId,
    data_MBs: 1024,
    period_days: 30,
    recurring: false,
    throttling: false
  }
  const call = `curl -sS '${place.url}/v3/plans?key=${place.apiKey}' ${JSON_TYPE} -d '${JSON.stringify(body)}'`
  return `${call} | tee ${planFile(place)}; echo`
}

const subscribe = (place: Place): string => {
  const body = `'{"plan_id":"'"${field(planFile(place), "plan_id")}"'","metadata":"my first subscription"}'`
  const call = `curl -sS '${place.url}/v3/subscription?key=${place.apiKey}' ${JSON_TYPE} -d ${body}`
  return `${call} | tee ${subscriptionFile(place)}; echo`
}

// The event happens at the creation of the subscription, so it fits a virtual clock as well.
const report = (place: Place, token: Token): string => {
  const bearer = token._tag === "Made" ? Redacted.value(token.value) : "$SIMPLAN_TELCO_TOKEN"
  const taken = (name: string): string => `'"${field(subscriptionFile(place), name)}"'`
  const event = [
    `{"id":"usage-${taken("subscription_id")}"`,
    `"type":"usage"`,
    `"iccid":"${taken("iccid")}"`,
    `"occurred_at":"${taken("created_at")}"`,
    `"total_bytes":600000000}`
  ].join(",")
  const call = `curl -sS '${place.url}/telco/v1/events' -H "authorization: Bearer ${bearer}" ${JSON_TYPE}`
  return `${call} -d '{"events":[${event}]}'; echo`
}

const attachments = (place: Place): string => {
  const iccid = field(subscriptionFile(place), "iccid")
  return `curl -sS "${place.url}/v3/subscriptions/${iccid}/plan-attachments?key=${place.apiKey}"; echo`
}

interface Step {
  readonly title: string
  readonly line: string
}

const steps = (place: Place, telco: Token) => {
  const reported: ReadonlyArray<Step> =
    telco._tag === "Off" ? [] : [{ title: "report usage as the telco would", line: report(place, telco) }]
  return [
    { title: "create a plan", line: plan(place) },
    { title: "subscribe an eSIM to it", line: subscribe(place) },
    ...reported,
    { title: "see what became of it", line: attachments(place) }
  ]
}

// A shell may not know `#` as a comment when it is typed at, so a title has nothing in it that means something.
const toPaste = (commands: ReadonlyArray<Step>): ReadonlyArray<string> =>
  commands.flatMap(({ line, title }, index) => [`# ${index + 1} ${title}`, line, ""])

const next = ({ demo, directory, tokens, url }: Greeting): ReadonlyArray<string> => {
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
    ...toPaste(steps({ url, apiKey, coverageId, directory }, tokens.telco))
  ]
}

/** The whole text. */
export const text = (greeting: Greeting): string => {
  const { database, demo, telco, tokens, url, version, virtualNow } = greeting
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["address", url],
    ["reference", `${url}/docs`],
    ["data", database],
    ...(telco === null ? [] : [["telco", telco] as const]),
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
