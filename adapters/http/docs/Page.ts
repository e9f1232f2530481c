/**
 * The page at `/docs`: the concepts that a caller needs, in short chapters, with pictures as SVG of
 * the states of an attachment and of what each of the seven `active_period` rules makes of a
 * request; then the reference. It has no scripts and loads nothing. Its links are relative, so they
 * hold below a prefix.
 */
import { Record } from "effect"
import { Delivery, Plan, Sms, TextLimit, WebhookEvent } from "simplan/ports"
import { Samples } from "simplan/views"
import type * as Json from "../openapi/JsonSchema.ts"
import { Codes } from "../../fields/index.ts"
import * as Html from "./Html.ts"

const WIDTH = 640

/**
 * The width of a column: half a day, or as much as a picture needs; pictures are not to scale
 * beyond.
 */
const COLUMN = 64

const label = (x: number, y: number, text: string, kind = "muted"): string =>
  `<text class="${kind}" x="${x}" y="${y}" text-anchor="middle">${Html.escape(text)}</text>`

interface Bar {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly kind?: "package" | "later" | "waiting"
}

interface Mark {
  readonly at: number
  readonly text: string
}

interface Picture {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
  /** Above the line. */
  readonly above: ReadonlyArray<Mark>
  /** Below the line: what the service does. */
  readonly below: ReadonlyArray<Mark>
}

const LINE = 62

const bar = ({ from, kind = "package", text, to }: Bar): string => {
  const x = from * COLUMN
  const width = (to - from) * COLUMN
  return `<rect class="${kind}" x="${x}" y="${LINE - 24}" width="${width}" height="24" rx="3"/>${label(x + width / 2, LINE - 8, text, "ink")}`
}

const above = ({ at, text }: Mark): string =>
  `<line class="guide" x1="${at * COLUMN}" y1="24" x2="${at * COLUMN}" y2="${LINE}"/>${label(at * COLUMN, 18, text)}`

const below = ({ at, text }: Mark): string =>
  `<circle class="act" cx="${at * COLUMN}" cy="${LINE}" r="4"/>${label(at * COLUMN, LINE + 20, text)}`

const draw = ({ above: marks, bars, below: acts, title }: Picture): string =>
  [
    `<svg viewBox="0 0 ${WIDTH} 92" role="img" aria-label="${Html.escape(title)}">`,
    `<line class="axis" x1="16" y1="${LINE}" x2="${WIDTH - 16}" y2="${LINE}"/>`,
    ...bars.map(bar),
    ...marks.map(above),
    ...acts.map(below),
    "</svg>"
  ].join("")

const now = (at: number): Mark => ({ at, text: "request" })
const created = (at: number): Mark => ({ at, text: "package created" })

const pictures: ReadonlyArray<Picture> = [
  {
    title: "Without `active_period`, the package of a plan that does not recur activates at first use.",
    bars: [
      { from: 1, to: 4, text: "waits", kind: "waiting" },
      { from: 4, to: 8, text: "period_days" }
    ],
    above: [now(1), { at: 4, text: "first use" }],
    below: [created(1)]
  },
  {
    title: "With `active_period`, `start` and `end` are both required, and override the plan's validity.",
    bars: [{ from: 3, to: 7, text: "the package" }],
    above: [now(1), { at: 3, text: "start" }, { at: 7, text: "end" }],
    below: [created(1)]
  },
  {
    title: "Without `active_period`, a recurring plan begins at first use.",
    bars: [
      { from: 1, to: 3, text: "waits", kind: "waiting" },
      { from: 3, to: 5.5, text: "package 1" },
      { from: 5.5, to: 8, text: "package 2", kind: "later" }
    ],
    above: [now(1), { at: 3, text: "first use" }, { at: 5.5, text: "+ 1 cycle" }],
    below: [created(1), { at: 4.8, text: "12 h before" }]
  },
  {
    title: "With `active_period`, a recurring plan needs `start` alone; an `end` is ignored.",
    bars: [
      { from: 2, to: 4.5, text: "package 1" },
      { from: 4.5, to: 7, text: "package 2", kind: "later" },
      { from: 7, to: 9.5, text: "package 3", kind: "later" }
    ],
    above: [now(1), { at: 2, text: "start" }, { at: 6, text: "end: ignored" }],
    below: [created(1)]
  },
  {
    title: "A recurring plan's `start` may lie at most 24 hours in the past: the first package is created immediately.",
    bars: [
      { from: 2, to: 5.5, text: "package 1" },
      { from: 5.5, to: 9, text: "package 2", kind: "later" }
    ],
    above: [{ at: 2, text: "start" }, now(3.5)],
    below: [created(3.5)]
  },
  {
    title: "A recurring plan's `start` within the next 12 hours: the first package is created immediately.",
    bars: [
      { from: 3, to: 6, text: "package 1" },
      { from: 6, to: 9, text: "package 2", kind: "later" }
    ],
    above: [now(2), { at: 3, text: "start" }],
    below: [created(2)]
  },
  {
    title: "A recurring plan's `start` further ahead: the first package is created 12 hours before it.",
    bars: [{ from: 6, to: 9, text: "package 1" }],
    above: [now(1), { at: 6, text: "start" }],
    below: [{ at: 5, text: "created 12 h before" }]
  }
]

/** The seven rules, each with its picture. */
const activePeriod = pictures.map((picture) => `<li><p>${Html.text(picture.title)}</p>${draw(picture)}</li>`).join("")

const state = (x: number, y: number, width: number, name: string, kind: string): string =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="30" rx="5"/>${label(x + width / 2, y + 19, name, "ink")}`

const arrow = (path: string): string => `<path class="arrow" d="${path}" marker-end="url(#head)"/>`

/** The states of an attachment (rule T2). */
const states: string = [
  '<svg viewBox="0 0 640 200" role="img" aria-label="The states of an attachment">',
  '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
  '<path class="act" d="M0 0L8 4L0 8z"/></marker></defs>',
  state(10, 60, 90, "CREATED", "later"),
  state(190, 20, 190, "PENDING_FOR_FIRST_USE", "waiting"),
  state(440, 60, 70, "ACTIVE", "package"),
  state(560, 60, 72, "EXPIRED", "later"),
  state(250, 150, 100, "SUSPENDED", "stopped"),
  arrow("M100 66L188 38"),
  arrow("M380 38L438 64"),
  arrow("M100 80L438 80"),
  arrow("M510 75L558 75"),
  arrow("M55 90L55 165L248 165"),
  arrow("M300 50L300 148"),
  arrow("M475 90L475 165L352 165"),
  label(104, 28, "at the telco, waits for use"),
  label(440, 30, "first use"),
  label(205, 95, "activation comes"),
  label(534, 52, "expiry"),
  label(150, 182, "suspended, for good"),
  "</svg>"
].join("")

/** A concept that a caller needs: its id, its title, and HTML. */
interface Chapter {
  readonly id: string
  readonly title: string
  readonly html: string
}

const paragraphs = (...texts: ReadonlyArray<string>): string =>
  texts.map((text) => `<p>${Html.text(text)}</p>`).join("")

const statuses = [...new Set(Object.values(Codes.table).map(([status]) => status))].toSorted((a, b) => a - b)

const codes = Html.table(
  ["Status", "Codes"],
  statuses.map((status) => [
    String(status),
    Object.entries(Codes.table)
      .filter(([, [of]]) => of === status)
      .map(([code, [, means]]) => `<code>${code}</code> ${Html.text(means)}`)
      .join("<br>")
  ])
)

const events = Html.table(
  ["Type", "What has happened", "What its `data` has"].map(Html.text),
  Record.toEntries(WebhookEvent.catalogue).map(([type, { data, meaning }]) => [
    `<code>${type}</code>`,
    Html.text(meaning),
    Object.keys(data.fields)
      .map((name) => `<code>${name}</code>`)
      .join(" ")
  ])
)

const limits = Html.table(
  ["Limit", "Value"],
  [
    ["metadata", `${TextLimit.METADATA} characters`],
    ["names and descriptions", `${TextLimit.NAME} characters`],
    ["URLs", `${TextLimit.URL} characters`],
    ["a body", "1 MiB; an import 64 MiB, a catalogue 4 MiB"],
    ["data of a plan", `1 to ${Plan.limits.dataMegaBytes} MB of 1,048,576 bytes`],
    ["validity of a plan", `1 to ${Plan.limits.periodDays} days`],
    ["an SMS", `${Sms.limits.segments} segments`],
    ["reports in a request", "1,000"],
    ["requests of a key under way", "32, and 8 streamed lists, over all processes"]
  ]
)

const chapters: ReadonlyArray<Chapter> = [
  {
    id: "credentials",
    title: "Credentials",
    html: paragraphs(
      "Calls of `/v3` name an API key of an organization, in the header `x-api-key` or the query parameter `key`. The header is better: URLs end up in logs. A key of the scope `read` may only read (403).",
      "Calls of `/admin/v1` and `/telco/v1` have a token of their own: `Authorization: Bearer <token>`."
    )
  },
  {
    id: "states",
    title: "The states of an attachment",
    html:
      paragraphs(
        "An attachment is one plan on a subscription, with its own copy of the plan's terms. Its state is a function of the stored facts and the clock, so it is right after any downtime. `SUSPENDED` and `EXPIRED` are final."
      ) + states
  },
  {
    id: "active-period",
    title: "The seven rules of active_period",
    html:
      paragraphs("Rules 1 and 2 are for plans that do not recur, the others for recurring plans.") +
      `<ol>${activePeriod}</ol>` +
      paragraphs("A `start` of a recurring plan more than 24 hours in the past is refused (400).")
  },
  {
    id: "idempotency",
    title: "Idempotency",
    html: paragraphs(
      "Every POST of `/v3` takes the header `Idempotency-Key`: 1 to 255 printable characters of your choice. The first final answer is kept for 24 hours and given again to each request with the same key and body, with `Idempotent-Replayed: true`. So a request whose answer was lost can be sent again without having its effect twice.",
      "While the first request is under way, another gets 409 `request_in_progress`. The same key with another body is 422; bodies are compared as JSON values, so that the order of fields, white space and escapes do not count. Answers 401, 429, 502 and 503 are not final: the next request is tried anew."
    )
  },
  {
    id: "pages",
    title: "Pages and lists",
    html: paragraphs(
      "A page has `next_page`: send it as the parameter `page`, until it is null. What is added meanwhile disturbs no page. `GET /v3/subscription` and the coverage profiles come whole, as a stream."
    )
  },
  {
    id: "webhooks",
    title: "Webhooks",
    html:
      paragraphs(
        `An endpoint without a filter gets ${WebhookEvent.standardTypes.map((type) => `\`${type}\``).join(", ")}. Other types are sent to endpoints whose filter names them.`,
        "Each call is signed: `x-service-signature: t=<unix seconds>,v1=<hex>` is HMAC-SHA256 over `<t>.<body>`, keyed by the endpoint's signing key as UTF-8. Check it over the raw body, and refuse a `t` more than 5 minutes away. The headers of Standard Webhooks are sent too. `simplan/webhooks` has a verifier.",
        `A 2xx within 15 s is success. Everything else is tried again, ${Delivery.retrySchedule.length} times over three days. A 429 or 503 with \`Retry-After\` puts the next attempt off, by a day at most. An event can come twice, with the same \`id\`, and later than younger ones: ids of events about one SIM rise in the order in which they happened, while \`timestamp\`, which is in seconds, orders nothing. A 410 disables the endpoint.`
      ) +
      `<pre>${Html.escape(JSON.stringify({ id: Samples.eventId, type: "subscription.esim.locationChanged", timestamp: 1_768_119_300, data: { esim: Samples.iccid, countryIso2: "SE", previousCountryIso2: "DK" } }, null, 2))}</pre>` +
      events
  },
  {
    id: "errors",
    title: "Errors",
    html:
      paragraphs(
        'Every error is `{"error": true, "message", "code"}`. Programs go by `code`, which never changes; `message` is for people. Each answer has `X-Request-Id`, under which the log tells more.'
      ) + codes
  },
  {
    id: "limits",
    title: "Limits",
    html:
      paragraphs(
        "A key has a quota, of 100 requests a second unless the operator says otherwise. A request costs 1, and 1 more for each 64 KiB of its answer. `RateLimit` tells what is left, and a 429 by `Retry-After` when to come back."
      ) + limits
  }
]

/** The content security policy of the page. */
export const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const css = `:root{color-scheme:light dark;--ink:#1d2330;--muted:#5a6376;--ground:#fff;--rule:#e3e7ee;--code:#f3f5f9;
--package:#c2ead5;--later:#dde3ed;--waiting:#fde5b4;--stopped:#f8cccc;--act:#2f63c9}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebf2;--muted:#a0a9bb;--ground:#14171d;--rule:#2a303b;--code:#1e232c;
--package:#17472f;--later:#343c4b;--waiting:#54400f;--stopped:#5c2123;--act:#7ba6f7}}
body{margin:0 auto;padding:1.5rem 1rem;max-width:960px;background:var(--ground);color:var(--ink);
font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
nav a{margin-right:1rem;white-space:nowrap}
a{color:var(--act)}
h2{margin-top:2.5rem;border-bottom:1px solid var(--rule)}
h5{margin:1rem 0 .25rem}
code,pre{background:var(--code);border-radius:3px;font:13px/1.45 ui-monospace,Menlo,Consolas,monospace}
code{padding:.1em .3em;overflow-wrap:anywhere}
pre{padding:.75rem;overflow:auto;max-height:24rem}
table{width:100%;border-collapse:collapse;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--rule)}
@media (max-width:640px){td{overflow-wrap:anywhere}}
details{border-bottom:1px solid var(--rule);padding:.4rem 0}
summary{cursor:pointer}
svg{display:block;width:100%;max-width:720px;margin:.5rem 0 1rem;font:11px system-ui,sans-serif}
svg text.ink{fill:var(--ink)}svg text.muted{fill:var(--muted)}
.package{fill:var(--package)}.later{fill:var(--later)}.waiting{fill:var(--waiting)}.stopped{fill:var(--stopped)}
.axis,.guide{stroke:var(--muted)}.guide{stroke-dasharray:2 3}.act{fill:var(--act)}
.arrow{fill:none;stroke:var(--act);stroke-width:1.5}`

/** The page of a document. */
export const html = (document: Json.Record): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>simplan API</title>',
    `<style>${css}</style></head><body>`,
    "<header><h1>simplan API</h1><p>Subscription and plan management for eSIMs and physical SIM cards.</p><nav>",
    ...chapters.map(({ id, title }) => `<a href="#${id}">${title}</a>`),
    '<a href="#reference">Reference</a><a href="docs/reference">Try it</a><a href="openapi.json">openapi.json</a>',
    "</nav></header><main>",
    ...chapters.map(({ html, id, title }) => `<section><h2 id="${id}">${title}</h2>${html}</section>`),
    `<section><h2 id="reference">Reference</h2>${Html.reference(document)}</section>`,
    "</main></body></html>"
  ].join("\n")
