/**
 * What a server prints when it is really listening: its address, what it made for itself, and commands to paste.
 *
 * The commands work one by one and all at once in any POSIX shell, as often as one likes: each is one line, and hands
 * on what the next one needs in a shell variable. A token that was set is not printed; its variable stands for it.
 */
import type { Redacted } from "effect"

/** A token in force: made here, so that its value may be shown, or set by the operator. */
export type Token =
  | { readonly _tag: "Made"; readonly value: string }
  | { readonly _tag: "Set" }
  | { readonly _tag: "Off" }

export interface Greeting {
  readonly url: string
  readonly version: string
  readonly database: string
  /** Where a virtual clock stands; null on the system clock. */
  readonly virtualNow: string | null
  readonly adminToken: Token
  readonly telcoToken: Token
  readonly demo: { readonly apiKey: string; readonly coverageId: string } | null
}

/** How a token came to be in force. */
export const tokenOf = (set: Redacted.Redacted | null, made: string | undefined): Token =>
  set !== null ? { _tag: "Set" } : made === undefined ? { _tag: "Off" } : { _tag: "Made", value: made }

const shown = (token: Token, variable: string): string => {
  switch (token._tag) {
    case "Made":
      return token.value
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
  return `PLAN=$(${call}); echo "$PLAN"; PLAN_ID=${field("PLAN", "plan_id")}`
}

const subscribe = (url: string, apiKey: string): string => {
  const body = `'{"plan_id":"'"$PLAN_ID"'","metadata":"my first subscription"}'`
  const call = `curl -sS '${url}/v3/subscription?key=${apiKey}' ${JSON_TYPE} -d ${body}`
  const taken = ["iccid", "subscription_id", "created_at"].map((name) => `${name.toUpperCase()}=${field("SUB", name)}`)
  return `SUB=$(${call}); echo "$SUB"; ${taken.join("; ")}`
}

// The event happens at the creation of the subscription, so it fits a virtual clock as well.
const report = (url: string, token: Token): string => {
  const bearer = token._tag === "Made" ? token.value : "$SIMPLAN_TELCO_TOKEN"
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

/** The commands to paste. */
export const commands = (
  greeting: Pick<Greeting, "url" | "telcoToken"> & { readonly demo: Greeting["demo"] & {} }
): ReadonlyArray<{ readonly title: string; readonly line: string }> => {
  const { demo, telcoToken, url } = greeting
  const steps = [
    { title: "create a plan", line: plan(url, demo) },
    { title: "subscribe an eSIM to it", line: subscribe(url, demo.apiKey) },
    ...(telcoToken._tag === "Off"
      ? []
      : [{ title: "report usage, as the telco would", line: report(url, telcoToken) }]),
    { title: "see what became of it", line: attachments(url, demo.apiKey) }
  ]
  return steps
}

/** The whole text. */
export const text = (greeting: Greeting): string => {
  const { demo, url } = greeting
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["address", url],
    ["reference", `${url}/docs`],
    ["data", greeting.database],
    ...(greeting.virtualNow === null ? [] : [["clock", `stands at ${greeting.virtualNow}`] as const]),
    ...(demo === null ? [] : [["API key", demo.apiKey] as const]),
    ["admin token", shown(greeting.adminToken, "SIMPLAN_ADMIN_TOKEN")],
    ["telco token", shown(greeting.telcoToken, "SIMPLAN_TELCO_TOKEN")]
  ]
  const next =
    demo === null
      ? [
          "Next, in another terminal:",
          "",
          '  simplan org create "Acme Mobile"',
          "  simplan key create",
          "  simplan sims import sims.csv"
        ]
      : [
          "Try it: paste these lines into another terminal, one by one or all at once.",
          "",
          ...commands({ ...greeting, demo }).flatMap(({ line, title }, index) => [`# ${index + 1} ${title}`, line, ""])
        ]
  return [
    `simplan ${greeting.version} is listening.`,
    "",
    ...facts.map(([name, value]) => `  ${name.padEnd(11)}  ${value}`),
    "",
    ...next
  ]
    .join("\n")
    .trimEnd()
}
