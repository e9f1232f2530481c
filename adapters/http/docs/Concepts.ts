/**
 * The concepts that a caller needs, in short chapters: id, title and HTML.
 */
import { Delivery, Plan, Sms, TextLimit, WebhookEvent } from "simplan/ports"
import * as Samples from "../api/Samples.ts"
import * as Codes from "../wire/Codes.ts"
import * as Html from "./Html.ts"
import * as Pictures from "./Pictures.ts"

export interface Chapter {
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

export const chapters: ReadonlyArray<Chapter> = [
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
      ) + Pictures.states
  },
  {
    id: "active-period",
    title: "The seven rules of active_period",
    html:
      paragraphs("Rules 1 and 2 are for plans that do not recur, the others for recurring plans.") +
      `<ol>${Pictures.activePeriod}</ol>` +
      paragraphs("A `start` of a recurring plan more than 24 hours in the past is refused (400).")
  },
  {
    id: "idempotency",
    title: "Idempotency",
    html: paragraphs(
      "Every POST of `/v3` takes the header `Idempotency-Key`: 1 to 255 printable characters of your choice. The first final answer is kept for 24 hours and given again to each request with the same key and body, with `Idempotent-Replayed: true`. So a request whose answer was lost can be sent again without having its effect twice.",
      "While the first request is under way, another gets 409 `request_in_progress`. The same key with another body is 422. Answers 401, 429, 502 and 503 are not final: the next request is tried anew."
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
        `A 2xx within 15 s is success. Everything else is tried again, ${Delivery.retrySchedule.length} times over three days. An event can come twice, with the same \`id\`. A 410 disables the endpoint.`
      ) +
      `<pre>${Html.escape(JSON.stringify({ id: Samples.eventId, type: "subscription.esim.locationChanged", timestamp: 1_768_119_300, data: { esim: Samples.iccid, countryIso2: "SE", previousCountryIso2: "DK" } }, null, 2))}</pre>`
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
