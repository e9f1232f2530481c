/**
 * Webhook endpoints and the log of their deliveries, as hosts and callers see them (rules W5 to
 * W7).
 */
import * as Rules from "../domain/Delivery.ts"
import * as SimHistory from "../domain/SimHistory.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import * as Endpoint from "../domain/WebhookEndpoint.ts"
import * as WebhookEvent from "../domain/WebhookEvent.ts"
import { OfOrganization } from "./Organizations.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, instant, nullOr, optional } = View

/** The codes of who or what disables an endpoint. */
export const disabledReasons = {
  Organization: "organization",
  Gone: "gone",
  Failing: "failing"
} as const satisfies Readonly<Record<Endpoint.DisabledReason, string>>

/** The codes of the states of deliveries. */
export const deliveryStatuses = {
  Pending: "pending",
  Delivered: "delivered",
  Failed: "failed"
} as const satisfies Readonly<Record<Rules.Status, string>>

/** The code of a delivery's state. */
export type DeliveryStatus = (typeof deliveryStatuses)[Rules.Status]

/** The state of a code, as filters take it. */
export const statusesOf = (code: DeliveryStatus): ReadonlyArray<Rules.Status> =>
  Rules.statuses.filter((status) => deliveryStatuses[status] === code)

const endpointId = View.named({ from: "endpointId" }, field(View.id, "The endpoint's id", Samples.endpointId))
const url = [View.limited(TextLimit.URL), "Where the events are sent", "https://acme.example.com/webhooks"] as const
const description = [View.limited(TextLimit.DESCRIPTION), "Free text of the operator", "orders"] as const
const enabled = [View.boolean, "Whether events are sent", true] as const
const eventType = View.oneOf(WebhookEvent.types, "EventType")

export const OfWebhookEndpoint = View.request(
  "OfWebhookEndpoint",
  "Names a webhook endpoint",
  { webhookEndpointId: endpointId },
  OfOrganization
)

export const WebhookEndpoint = View.answer(
  "WebhookEndpoint",
  "Where an organization's events go",
  {
    url: field(View.text, "With `***` for its user and the values of its query, which may be tokens", url[2]),
    events: field(View.list(eventType), "The types of events that are sent", WebhookEvent.standardTypes),
    description: field(...description),
    enabled: field(...enabled),
    disabledReason: field(
      nullOr(View.oneOf(Object.values(disabledReasons))),
      "Who or what disabled the endpoint: its organization, a response of 410, or five days of failures",
      null
    ),
    disabledAt: field(nullOr(instant), "When the endpoint was disabled; null while it is enabled", null),
    createdAt: field(instant, "When it was made", Samples.bought),
    version: field(View.integer(), "Rises with each change: `ETag` has it, and the `If-Match` of an edit", 3)
  },
  OfWebhookEndpoint
)

/** `shown` is the URL as the face shows it. */
export const endpointOf = (
  of: Endpoint.WebhookEndpoint,
  shown: (url: string) => string
): View.Of<typeof WebhookEndpoint> => ({
  organizationId: of.organizationId,
  endpointId: of.endpointId,
  url: shown(of.url),
  events: of.events ?? WebhookEvent.standardTypes,
  description: of.description,
  enabled: Endpoint.isEnabled(of),
  disabledReason: of.disabled === null ? null : disabledReasons[of.disabled.reason],
  disabledAt: of.disabled?.at ?? null,
  createdAt: of.createdAt,
  version: of.version
})

/** With its newest signing key. */
export const endpointWithKeyOf = (
  of: Endpoint.WebhookEndpoint,
  shown: (url: string) => string
): View.Of<typeof WebhookEndpointWithSigningKey> => ({
  ...endpointOf(of, shown),
  signingKey: of.signingKeys[0]?.key ?? ""
})

const health = {
  failingSince: field(
    nullOr(instant),
    "Since when every attempt at the endpoint has failed; null where none has since the last success",
    null
  ),
  lastSuccessAt: field(
    nullOr(instant),
    "When an attempt at the endpoint last succeeded; null where none did",
    Samples.bought
  ),
  pendingDeliveries: View.named({ from: "pending" }, field(View.integer(), "How many deliveries are to be made", 0))
}

export const EndpointHealth = View.answer("EndpointHealth", "How an endpoint's deliveries fare", health)

export const ListedWebhookEndpoint = View.answer(
  "ListedWebhookEndpoint",
  "A webhook endpoint, and how its deliveries fare",
  health,
  WebhookEndpoint
)

export const WebhookEndpointWithSigningKey = View.answer(
  "WebhookEndpointWithSigningKey",
  "A webhook endpoint with its new signing key, which no later answer shows",
  { signingKey: field(View.text, "The key that signs the calls: `whsec_` and base64", "whsec_EXAMPLE") },
  WebhookEndpoint
)

/** `unnamed` is what stands for the standard types. */
const events = (unnamed: string) =>
  optional(
    nullOr(View.list(eventType, WebhookEvent.MOST_NAMED)),
    `The types that are sent; if it is ${unnamed}: ${WebhookEvent.standardTypes.join(", ")}`,
    WebhookEvent.standardTypes
  )

export const CreateWebhookEndpoint = View.request(
  "CreateWebhookEndpoint",
  "What a new endpoint is to be",
  {
    url: field(...url),
    events: View.preset(null, events("absent or null")),
    description: View.preset("", optional(...description))
  },
  OfOrganization
)

export const UpdateWebhookEndpoint = View.request(
  "UpdateWebhookEndpoint",
  "Changes of an endpoint. Absent fields stay as they are",
  {
    url: optional(...url),
    events: events("null"),
    description: optional(...description),
    enabled: optional(...enabled),
    ifVersion: View.named(
      { on: null },
      optional(
        View.integer(),
        "The version that it is of (rule W16): where another one is there, it is refused. Absent: of whichever is there"
      )
    )
  },
  OfWebhookEndpoint
)

const attempt = {
  number: field(View.integer(), "Which attempt it was, from 1 on, replays included", 1),
  at: field(instant, "When it happened", Samples.bought),
  durationMs: View.named({ from: "durationMillis" }, field(nullOr(View.integer()), "How long it took, in ms", 84)),
  responseStatus: field(nullOr(View.integer()), "The status of the last answer; null without one", 200),
  error: field(nullOr(View.text), "Why the attempt failed; null if it succeeded", null)
}

export const ShortDeliveryAttempt = View.answer("ShortDeliveryAttempt", "An attempt of a delivery", attempt)

export const DeliveryAttempt = View.answer(
  "DeliveryAttempt",
  "An attempt of a delivery, with what the receiver answered",
  {
    ...attempt,
    responseBody: field(nullOr(View.text), "The first 1 KB of the answer; null without one", "ok")
  }
)

export const OfDelivery = View.request(
  "OfDelivery",
  "Names a delivery",
  { deliveryId: field(View.id, "The delivery's id", Samples.deliveryId) },
  OfOrganization
)

export const DeliveredEvent = View.answer("DeliveredEvent", "An event on its way to an endpoint", {
  eventId: View.named({ on: "id" }, field(View.text, "The event's id", Samples.eventId)),
  type: field(
    View.oneOf<WebhookEvent.Type>([...WebhookEvent.types, WebhookEvent.TEST]),
    "The type",
    "attachment.allowanceConsumed"
  ),
  createdAt: View.named(
    { on: "timestamp" },
    field(View.unixSeconds, "When the event happened, in Unix seconds", 1_768_119_300)
  ),
  data: field(View.json, "What the event tells; it depends on the type", {
    esim: Samples.iccid,
    countryIso2: "SE"
  })
})

export const Delivery = View.answer(
  "Delivery",
  "An event on its way to an endpoint, and what became of it",
  {
    webhookEndpointId: endpointId,
    status: field(
      View.oneOf(Object.values(deliveryStatuses), "DeliveryStatus"),
      "Whether the event has arrived",
      "delivered"
    ),
    attempts: field(View.integer(), "How often the event was sent", 1),
    responseStatus: attempt.responseStatus,
    lastError: field(nullOr(View.text), "What went wrong last; null if nothing did", null),
    lastAttemptAt: field(nullOr(instant), "When the event was sent last; null if it was not yet", Samples.used),
    nextAttemptAt: field(nullOr(instant), "When the event is sent again; null if it is not", null),
    createdAt: field(instant, "When it was made", Samples.bought),
    event: field(View.nested(DeliveredEvent), "The event that is delivered")
  },
  OfDelivery
)

export const deliveryOf = ({ delivery, event }: Rules.LoggedDelivery): View.Of<typeof Delivery> => ({
  organizationId: delivery.organizationId,
  deliveryId: delivery.deliveryId,
  endpointId: delivery.endpointId,
  status: deliveryStatuses[delivery.status],
  attempts: delivery.attempts,
  responseStatus: delivery.responseStatus,
  lastError: delivery.lastError,
  lastAttemptAt: delivery.lastAttemptAt,
  nextAttemptAt: delivery.nextAttemptAt,
  createdAt: delivery.createdAt,
  event: { eventId: event.eventId, type: event.payload.type, createdAt: event.createdAt, data: event.payload.data }
})

export const DeliveryHeader = View.answer("DeliveryHeader", "A header that an endpoint is called with", {
  name: field(View.text, "Its name, in lower case", "webhook-id"),
  value: field(nullOr(View.text), "Its value; null: each attempt has one of its own", Samples.eventId)
})

export const DeliveryWithAttempts = View.answer(
  "DeliveryWithAttempts",
  "A delivery with its body, its headers and its attempts",
  {
    body: field(
      View.text,
      "The body that is sent, byte for byte",
      `{"id":"${Samples.eventId}","type":"esim.smdp.stateChanged","timestamp":1768119300,"data":{}}`
    ),
    headers: field(View.list(View.nested(DeliveryHeader)), "The headers by which a receiver takes the event"),
    attemptLog: field(View.list(View.nested(DeliveryAttempt)), "The last 100 attempts, newest first")
  },
  Delivery
)

/** `attempts`: newest first. */
export const deliveryWithAttemptsOf = (
  logged: Rules.LoggedDelivery,
  attempts: ReadonlyArray<Rules.LoggedAttempt>
): View.Of<typeof DeliveryWithAttempts> => ({
  ...deliveryOf(logged),
  body: WebhookEvent.body(logged.event),
  headers: WebhookEvent.headersOf(logged.event),
  attemptLog: attempts
})

export const HistoryDelivery = View.answer("HistoryDelivery", "An event to one endpoint, as a SIM's history has it", {
  deliveryId: field(View.text, "The delivery's id", Samples.deliveryId),
  endpoint: field(View.text, "The endpoint's URL without its secrets, or the name of a handler", url[2]),
  status: field(
    View.oneOf(Object.values(deliveryStatuses), "DeliveryStatus"),
    "Whether the event has arrived",
    "delivered"
  ),
  lastError: field(nullOr(View.text), "What went wrong last; null if nothing did", null)
})

/** What became of an event at each of its endpoints. */
export const historyDeliveriesOf = (sending: SimHistory.Sending): ReadonlyArray<View.Of<typeof HistoryDelivery>> =>
  sending.sent.map(({ delivery }) => ({
    deliveryId: delivery.deliveryId,
    endpoint: SimHistory.nameOf(sending, delivery),
    status: deliveryStatuses[delivery.status],
    lastError: delivery.lastError
  }))

const SENT = "attachment.allowanceConsumed"
const sentType = View.oneOf<WebhookEvent.Type>([...WebhookEvent.types, WebhookEvent.TEST])

export const DeliveryFilter = View.request(
  "DeliveryFilter",
  "Which deliveries are meant. An absent field filters nothing",
  {
    status: optional(
      View.oneOf(Object.values(deliveryStatuses), "DeliveryStatus"),
      "Only those with this status",
      "failed"
    ),
    type: optional(sentType, "Only those of this type", SENT),
    webhookEndpointId: View.named(
      { from: "endpointId" },
      optional(View.id, "Only those of this webhook endpoint", Samples.endpointId)
    ),
    iccid: optional(View.iccid, "Only events about this SIM", Samples.iccid),
    from: optional(instant, "Only those from this instant on", Samples.start),
    to: optional(instant, "Only those before this instant", Samples.end)
  },
  OfOrganization
)

export const ReplayDeliveries = View.request(
  "ReplayDeliveries",
  "Which deliveries are made once more. Those under way are never replayed. An absent field filters nothing",
  { after: optional(...View.after) },
  DeliveryFilter
)

export const ReplayedDeliveries = View.answer("ReplayedDeliveries", "How far a replay of many deliveries has come", {
  replayed: field(View.integer(), "How many deliveries are sent again", 12),
  hasMore: field(...View.hasMore),
  next: field(...View.next)
})

/** The filter as the log takes it. */
export const deliveriesOf = ({ status, ...filter }: View.Of<typeof DeliveryFilter>) => ({
  ...filter,
  ...(status !== undefined && { statuses: statusesOf(status) })
})
