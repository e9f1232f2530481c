/**
 * The management API's webhook endpoints and their delivery log (rules W5 to W7).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { TextLimit, WebhookEvent } from "simplan/ports"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

const EventType = Schema.Literals(WebhookEvent.types).annotate({
  message: `must be one of ${WebhookEvent.types.join(", ")}`
})

const SentType = Schema.Literals([...WebhookEvent.types, WebhookEvent.TEST]).annotate({
  message: `must be one of ${[...WebhookEvent.types, WebhookEvent.TEST].join(", ")}`
})

const events = Schema.NullOr(Schemas.list(EventType, WebhookEvent.MOST_NAMED)).annotate({
  description: `The types that are sent; where it is absent or null: ${WebhookEvent.standardTypes.join(", ")}`
})

export const WebhookEndpoint = Schema.Struct({
  webhook_endpoint_id: Schema.String,
  url: Schema.String.annotate({
    description: "With `***` for its user and the values of its query, which may be tokens"
  }),
  events: Schema.Array(EventType),
  description: Schema.String,
  enabled: Schema.Boolean,
  disabled_reason: Schema.NullOr(Schema.Literals(["organization", "gone", "failing"])),
  disabled_at: Schema.NullOr(Schemas.Timestamp),
  created_at: Schemas.Timestamp
}).annotate({ identifier: "WebhookEndpoint" })

/** An endpoint as the list has it. */
export const ListedWebhookEndpoint = WebhookEndpoint.mapFields((fields) => ({
  ...fields,
  failing_since: Schema.NullOr(Schemas.Timestamp),
  last_success_at: Schema.NullOr(Schemas.Timestamp),
  pending_deliveries: Schema.Int
})).annotate({ identifier: "ListedWebhookEndpoint", description: "A webhook endpoint, and how its deliveries fare" })

/** An endpoint whose signing key was just made: the only answers that show it (rule W6). */
export const NewSigningKey = WebhookEndpoint.mapFields((fields) => ({
  ...fields,
  signing_key: Schema.String
})).annotate({
  identifier: "WebhookEndpointWithSigningKey",
  description: "A webhook endpoint with its new signing key, which no later answer shows"
})

export const CreateWebhookEndpoint = Schema.Struct({
  url: Schemas.text(TextLimit.URL),
  events: Schema.optionalKey(events),
  description: Schema.optionalKey(Schemas.text(TextLimit.DESCRIPTION))
}).annotate({ identifier: "CreateWebhookEndpoint" })

export const UpdateWebhookEndpoint = Schema.Struct({
  url: Schema.optionalKey(Schemas.text(TextLimit.URL)),
  events: Schema.optionalKey(events),
  description: Schema.optionalKey(Schemas.text(TextLimit.DESCRIPTION)),
  enabled: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "UpdateWebhookEndpoint" })

const Status = Schema.Literals(["pending", "delivered", "failed"]).annotate({
  message: "must be one of pending, delivered, failed"
})

export const Attempt = Schema.Struct({
  number: Schema.Int,
  at: Schemas.Timestamp,
  duration_ms: Schema.NullOr(Schema.Int),
  response_status: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  response_body: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DeliveryAttempt" })

export const Delivery = Schema.Struct({
  delivery_id: Schema.String,
  webhook_endpoint_id: Schema.String,
  status: Status,
  attempts: Schema.Int,
  response_status: Schema.NullOr(Schema.Int),
  last_error: Schema.NullOr(Schema.String),
  last_attempt_at: Schema.NullOr(Schemas.Timestamp),
  next_attempt_at: Schema.NullOr(Schemas.Timestamp),
  created_at: Schemas.Timestamp,
  event: Schema.Struct({
    id: Schema.String,
    type: SentType,
    timestamp: Schema.Int,
    data: Schema.Record(Schema.String, Schema.Unknown)
  })
}).annotate({ identifier: "Delivery" })

export const DeliveryWithAttempts = Schema.Struct({
  ...Delivery.fields,
  attempt_log: Schema.Array(Attempt)
}).annotate({ identifier: "DeliveryWithAttempts" })

/** Which deliveries are meant; an absent field filters nothing. */
const filter = {
  status: Schema.optionalKey(Status.annotate({ description: "Only those with this status" })),
  type: Schema.optionalKey(SentType.annotate({ description: "Only those of this type" })),
  webhook_endpoint_id: Schema.optionalKey(
    Schemas.Parameter.annotate({ description: "Only those of this webhook endpoint" })
  ),
  iccid: Schema.optionalKey(Schemas.Parameter.annotate({ description: "Only events about this SIM" })),
  from: Schema.optionalKey(Schemas.InstantParameter.annotate({ description: "Only those from this instant on" })),
  to: Schema.optionalKey(Schemas.InstantParameter.annotate({ description: "Only those before this instant" }))
}

export const ReplayDeliveries = Schema.Struct({
  status: Schema.optionalKey(Status),
  type: Schema.optionalKey(SentType),
  webhook_endpoint_id: Schema.optionalKey(Schema.String),
  iccid: Schema.optionalKey(Schema.String),
  from: Schema.optionalKey(Schemas.Instant),
  to: Schema.optionalKey(Schemas.Instant),
  after: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ReplayDeliveries" })

export const ReplayedDeliveries = Schemas.data(
  Schema.Struct({
    replayed: Schema.Int,
    has_more: Schema.Boolean,
    next: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "ReplayedDeliveries" })
)

export const WebhookEndpointItem = Schemas.data(WebhookEndpoint)
export const NewSigningKeyItem = Schemas.data(NewSigningKey)
export const WebhookEndpointPage = Schemas.page(ListedWebhookEndpoint)
export const RemovedWebhookEndpoint = Schemas.data(Schema.Struct({ webhook_endpoint_id: Schema.String }))
export const DeliveryItem = Schemas.data(Delivery)
export const DeliveryDetails = Schemas.data(DeliveryWithAttempts)
export const DeliveryPage = Schemas.page(Delivery)

const ofOrganization = { id: Schema.String }
const ofEndpoint = { id: Schema.String, endpoint_id: Schema.String }
const ofDelivery = { id: Schema.String, delivery_id: Schema.String }
const missing = ["organization_not_found", "webhook_endpoint_not_found"] as const

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/organizations/:id/webhook-endpoints", {
      params: ofOrganization,
      payload: CreateWebhookEndpoint,
      success: NewSigningKeyItem.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, "organization_not_found", "quota_exceeded")
    }).annotateMerge(OpenApi.annotations({ summary: "Register a webhook endpoint" })),
    HttpApiEndpoint.get("list", "/organizations/:id/webhook-endpoints", {
      params: ofOrganization,
      query: Schemas.keyset,
      success: WebhookEndpointPage,
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "List webhook endpoints, oldest first" })),
    HttpApiEndpoint.patch("update", "/organizations/:id/webhook-endpoints/:endpoint_id", {
      params: ofEndpoint,
      payload: UpdateWebhookEndpoint,
      success: WebhookEndpointItem,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, ...missing)
    }).annotateMerge(OpenApi.annotations({ summary: "Change a webhook endpoint; absent fields stay" })),
    HttpApiEndpoint.delete("remove", "/organizations/:id/webhook-endpoints/:endpoint_id", {
      params: ofEndpoint,
      success: RemovedWebhookEndpoint,
      error: Schemas.problems(...Schemas.managing, ...missing)
    }).annotateMerge(OpenApi.annotations({ summary: "Remove a webhook endpoint" })),
    HttpApiEndpoint.post("rotateKey", "/organizations/:id/webhook-endpoints/:endpoint_id/rotate-key", {
      params: ofEndpoint,
      success: NewSigningKeyItem,
      error: Schemas.problems(...Schemas.managing, ...missing)
    }).annotateMerge(OpenApi.annotations({ summary: "Make a new signing key; the one before signs along for 24 h" })),
    HttpApiEndpoint.get("deliveries", "/organizations/:id/deliveries", {
      params: ofOrganization,
      query: {
        page_size: Schema.optionalKey(Schemas.pageSize(100, 25)),
        page: Schema.optionalKey(Schemas.Parameter),
        ...filter
      },
      success: DeliveryPage,
      error: Schemas.problems(...Schemas.managing, "organization_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "The delivery log, newest first" })),
    HttpApiEndpoint.get("delivery", "/organizations/:id/deliveries/:delivery_id", {
      params: ofDelivery,
      success: DeliveryDetails,
      error: Schemas.problems(...Schemas.managing, "organization_not_found", "delivery_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "A delivery with its attempts" })),
    HttpApiEndpoint.post("replayAll", "/organizations/:id/deliveries/replay", {
      params: ofOrganization,
      payload: ReplayDeliveries,
      success: ReplayedDeliveries,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, ...missing, "webhook_endpoint_disabled")
    }).annotateMerge(OpenApi.annotations({ summary: "Deliver once more all that the filter takes, newest first" })),
    HttpApiEndpoint.post("test", "/organizations/:id/webhook-endpoints/:endpoint_id/test", {
      params: ofEndpoint,
      success: RemovedWebhookEndpoint,
      error: Schemas.problems(...Schemas.managing, ...missing, "webhook_endpoint_disabled")
    }).annotateMerge(OpenApi.annotations({ summary: "Send a test event" })),
    HttpApiEndpoint.post("replay", "/organizations/:id/deliveries/:delivery_id/replay", {
      params: ofDelivery,
      success: DeliveryItem,
      error: Schemas.problems(...Schemas.managing, "organization_not_found", "delivery_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Deliver once more, now" }))
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: webhooks" }))
  .prefix("/admin/v1") {}
