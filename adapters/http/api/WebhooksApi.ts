/**
 * The management API's webhook endpoints and their delivery log (rules W5 to W7).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { TextLimit, WebhookEvent } from "simplan/ports"
import * as Roles from "./Roles.ts"
import { Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import { Codes, Fields } from "../../fields/index.ts"

const EventType = Fields.oneOf(WebhookEvent.types)

const SentType = Schema.Literals([...WebhookEvent.types, WebhookEvent.TEST]).annotate({
  message: `must be one of ${[...WebhookEvent.types, WebhookEvent.TEST].join(", ")}`
})

const SENT = "attachment.allowanceConsumed"

const events = Schemas.optional(
  Schema.NullOr(Schemas.list(EventType, WebhookEvent.MOST_NAMED)),
  `The types that are sent; where it is absent or null: ${WebhookEvent.standardTypes.join(", ")}`,
  WebhookEvent.standardTypes
)

const about = {
  url: ["Where the events are sent", "https://acme.example.com/webhooks"],
  description: ["Free text of the operator", "orders"]
} as const

const endpointId = Schemas.string(...Schemas.means.endpointId)
const enabled = Schemas.field(Schema.Boolean, "Whether events are sent", true)

export const WebhookEndpoint = Schema.Struct({
  webhook_endpoint_id: endpointId,
  url: Schemas.string("With `***` for its user and the values of its query, which may be tokens", about.url[1]),
  events: Schemas.field(Schema.Array(EventType), "The types of events that are sent", WebhookEvent.standardTypes),
  description: Schemas.string(...about.description),
  enabled,
  disabled_reason: Schemas.field(
    Schema.NullOr(Schema.Literals(Object.values(Codes.disabledReasons))),
    "Who or what disabled the endpoint: its organization, a response of 410, or five days of failures",
    null
  ),
  disabled_at: Schemas.field(
    Schema.NullOr(Schemas.Timestamp),
    "When the endpoint was disabled; null while it is enabled",
    null
  ),
  created_at: Schemas.createdAt,
  version: Schemas.version
}).annotate({ identifier: "WebhookEndpoint" })

/** An endpoint as the list has it. */
export const ListedWebhookEndpoint = WebhookEndpoint.mapFields((fields) => ({
  ...fields,
  failing_since: Schemas.field(
    Schema.NullOr(Schemas.Timestamp),
    "Since when every attempt at the endpoint has failed; null where none has since the last success",
    null
  ),
  last_success_at: Schemas.field(
    Schema.NullOr(Schemas.Timestamp),
    "When an attempt at the endpoint last succeeded; null where none did",
    Samples.bought
  ),
  pending_deliveries: Schemas.field(Schema.Int, "How many deliveries are to be made", 0)
})).annotate({ identifier: "ListedWebhookEndpoint", description: "A webhook endpoint, and how its deliveries fare" })

/** An endpoint whose signing key was just made: the only answers that show it (rule W6). */
export const NewSigningKey = WebhookEndpoint.mapFields((fields) => ({
  ...fields,
  signing_key: Schemas.string("The key that signs the calls: `whsec_` and base64", "whsec_EXAMPLE")
})).annotate({
  identifier: "WebhookEndpointWithSigningKey",
  description: "A webhook endpoint with its new signing key, which no later answer shows"
})

export const CreateWebhookEndpoint = Schema.Struct({
  url: Schemas.field(Schemas.text(TextLimit.URL), ...about.url),
  events,
  description: Schemas.optional(Schemas.text(TextLimit.DESCRIPTION), ...about.description)
}).annotate({ identifier: "CreateWebhookEndpoint" })

export const UpdateWebhookEndpoint = Schema.Struct({
  url: Schemas.optional(Schemas.text(TextLimit.URL), ...about.url),
  events,
  description: Schemas.optional(Schemas.text(TextLimit.DESCRIPTION), ...about.description),
  enabled: Schema.optionalKey(enabled)
}).annotate({ identifier: "UpdateWebhookEndpoint" })

const Status = Fields.oneOf(Object.values(Codes.deliveryStatuses))

const responseStatus = Schemas.field(Schema.NullOr(Schema.Int), "The status of the last answer; null without one", 200)

export const ShortAttempt = Schema.Struct({
  number: Schemas.field(Schema.Int, "Which attempt it was, from 1 on, replays included", 1),
  at: Schemas.field(Schemas.Timestamp, "When it happened", Samples.bought),
  duration_ms: Schemas.field(Schema.NullOr(Schema.Int), "How long it took, in ms", 84),
  response_status: responseStatus,
  error: Schemas.field(Schema.NullOr(Schema.String), "Why the attempt failed; null if it succeeded", null)
}).annotate({ identifier: "ShortDeliveryAttempt" })

export const Attempt = Schema.Struct({
  ...ShortAttempt.fields,
  response_body: Schemas.field(Schema.NullOr(Schema.String), "The first 1 KB of the answer; null without one", "ok")
}).annotate({ identifier: "DeliveryAttempt" })

export const Delivery = Schema.Struct({
  delivery_id: Schemas.string("The delivery's id", Samples.deliveryId),
  webhook_endpoint_id: endpointId,
  status: Schemas.field(Status, "Whether the event has arrived", "delivered"),
  attempts: Schemas.field(Schema.Int, "How often the event was sent", 1),
  response_status: responseStatus,
  last_error: Schemas.field(Schema.NullOr(Schema.String), "What went wrong last; null if nothing did", null),
  last_attempt_at: Schemas.field(
    Schema.NullOr(Schemas.Timestamp),
    "When the event was sent last; null if it was not yet",
    Samples.used
  ),
  next_attempt_at: Schemas.field(
    Schema.NullOr(Schemas.Timestamp),
    "When the event is sent again; null if it is not",
    null
  ),
  created_at: Schemas.createdAt,
  event: Schemas.field(
    Schema.Struct({
      id: Schemas.string("The event's id", Samples.eventId),
      type: Schemas.field(SentType, "The type", SENT),
      timestamp: Schemas.field(Schema.Int, "When the event happened, in Unix seconds", 1_768_119_300),
      data: Schemas.field(
        Schema.Record(Schema.String, Schema.Unknown),
        "What the event tells; it depends on the type",
        { esim: Samples.iccid, countryIso2: "SE" }
      )
    }),
    "The event that is delivered"
  )
}).annotate({ identifier: "Delivery" })

export const DeliveryWithAttempts = Schema.Struct({
  ...Delivery.fields,
  attempt_log: Schemas.field(Schema.Array(Attempt), "The last 100 attempts, newest first")
}).annotate({ identifier: "DeliveryWithAttempts" })

/** Which deliveries are meant; an absent field filters nothing. */
const filter = {
  status: Schemas.optional(Status, "Only those with this status", "failed"),
  type: Schemas.optional(SentType, "Only those of this type", SENT),
  webhook_endpoint_id: Schema.optionalKey(Schemas.idOfQuery("Only those of this webhook endpoint", Samples.endpointId)),
  iccid: Schema.optionalKey(Schemas.iccidOfQuery("Only events about this SIM", Samples.iccid)),
  from: Schemas.optional(Schemas.InstantParameter, "Only those from this instant on", Samples.start),
  to: Schemas.optional(Schemas.InstantParameter, "Only those before this instant", Samples.end)
}

export const ReplayDeliveries = Schema.Struct({
  status: Schemas.optional(Status, "Only those with this status; those under way are never replayed", "failed"),
  type: Schemas.optional(SentType, "The type", SENT),
  webhook_endpoint_id: Schema.optionalKey(Schemas.idOfBody(...Schemas.means.endpointId)),
  iccid: Schema.optionalKey(Schemas.iccidOfBody("Only those about this SIM", Samples.iccid)),
  from: Schemas.optional(Schemas.Instant, "Only those created at this instant or later", Samples.start),
  to: Schemas.optional(Schemas.Instant, "Only those created before this instant", Samples.end),
  after: Schemas.after
}).annotate({ identifier: "ReplayDeliveries" })

const ReplayedDeliveries = Schemas.data(
  Schema.Struct({
    replayed: Schemas.field(Schema.Int, "How many deliveries are sent again", 12),
    has_more: Schemas.hasMore,
    next: Schemas.next
  }).annotate({ identifier: "ReplayedDeliveries" })
)

const NewSigningKeyItem = Schemas.data(NewSigningKey)
const RemovedWebhookEndpoint = Schemas.data(Schema.Struct({ webhook_endpoint_id: endpointId }))

const ofEndpoint = {
  ...Schemas.ofOrganization,
  endpoint_id: Schemas.idOfPath("The webhook endpoint's id", Samples.endpointId)
}
const ofDelivery = { ...Schemas.ofOrganization, delivery_id: Schemas.idOfPath("The delivery's id", Samples.deliveryId) }
const missing = ["organization_not_found", "webhook_endpoint_not_found"] as const

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/organizations/:id/webhook-endpoints", {
      params: Schemas.ofOrganization,
      payload: CreateWebhookEndpoint,
      success: NewSigningKeyItem.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.restricted, ...Schemas.withBody, "organization_not_found", "quota_exceeded")
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Register a webhook endpoint",
        "Registers a URL to which the organization's events are sent, signed with a key of its own."
      )
    ),
    HttpApiEndpoint.get("list", "/organizations/:id/webhook-endpoints", {
      params: Schemas.ofOrganization,
      query: Schemas.keyset,
      success: Schemas.page(ListedWebhookEndpoint),
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(
      Roles.operation("read", "List webhook endpoints, oldest first", "A page of the organization's endpoints.")
    ),
    HttpApiEndpoint.patch("update", "/organizations/:id/webhook-endpoints/:endpoint_id", {
      params: ofEndpoint,
      payload: UpdateWebhookEndpoint,
      success: Schemas.data(WebhookEndpoint),
      error: Schemas.problems(...Schemas.restricted, ...Schemas.withBody, ...missing, "changed_meanwhile")
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Change a webhook endpoint; absent fields stay",
        "Changes the fields that are given. An endpoint that was disabled can be enabled again; what it missed " +
          "since the service disabled it is among its failed deliveries, to be replayed."
      )
    ),
    HttpApiEndpoint.delete("remove", "/organizations/:id/webhook-endpoints/:endpoint_id", {
      params: ofEndpoint,
      success: RemovedWebhookEndpoint,
      error: Schemas.problems(...Schemas.restricted, ...missing)
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Remove a webhook endpoint",
        "Removes the endpoint. What was not delivered to it is not sent any more."
      )
    ),
    HttpApiEndpoint.post("rotateKey", "/organizations/:id/webhook-endpoints/:endpoint_id/rotate-key", {
      params: ofEndpoint,
      success: NewSigningKeyItem,
      error: Schemas.problems(...Schemas.restricted, ...missing)
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Make a new signing key; the one before signs along for 24 h",
        "Makes a new signing key. For 24 h each call has a signature by either key."
      )
    ),
    HttpApiEndpoint.get("deliveries", "/organizations/:id/deliveries", {
      params: Schemas.ofOrganization,
      query: { ...Schemas.paging(100, 25), ...filter },
      success: Schemas.page(Delivery),
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(
      Roles.operation(
        "read",
        "The delivery log, newest first",
        "A page of what was sent to the organization's endpoints, and of what is to be sent."
      )
    ),
    HttpApiEndpoint.get("delivery", "/organizations/:id/deliveries/:delivery_id", {
      params: ofDelivery,
      success: Schemas.data(DeliveryWithAttempts),
      error: Schemas.problems(...Schemas.managing, "organization_not_found", "delivery_not_found")
    }).annotateMerge(
      Roles.operation("read", "A delivery with its attempts", "One delivery, with each attempt to deliver it.")
    ),
    HttpApiEndpoint.post("replayAll", "/organizations/:id/deliveries/replay", {
      params: Schemas.ofOrganization,
      payload: ReplayDeliveries,
      success: ReplayedDeliveries,
      error: Schemas.problems(...Schemas.restricted, ...Schemas.withBody, ...missing, "webhook_endpoint_disabled")
    }).annotateMerge(
      Roles.operation(
        "support",
        "Deliver once more all that the filter takes, newest first",
        "Sends the events of all deliveries that the filter takes again."
      )
    ),
    HttpApiEndpoint.post("test", "/organizations/:id/webhook-endpoints/:endpoint_id/test", {
      params: ofEndpoint,
      success: RemovedWebhookEndpoint,
      error: Schemas.problems(...Schemas.restricted, ...missing, "webhook_endpoint_disabled")
    }).annotateMerge(
      Roles.operation(
        "support",
        "Send a test event",
        "Sends an event of the type `endpoint.test` to this endpoint only."
      )
    ),
    HttpApiEndpoint.post("replay", "/organizations/:id/deliveries/:delivery_id/replay", {
      params: ofDelivery,
      success: Schemas.data(Delivery),
      error: Schemas.problems(...Schemas.restricted, "organization_not_found", "delivery_not_found")
    }).annotateMerge(
      Roles.operation(
        "support",
        "Deliver once more, now",
        "Sends the event of the delivery again, under the same event id."
      )
    )
  )
  .annotateMerge(
    Schemas.group("Management: webhooks", "Where an organization's events are sent, and what became of them.")
  )
  .prefix("/admin/v1") {}
