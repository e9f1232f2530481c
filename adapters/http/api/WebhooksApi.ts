/**
 * The management API's webhook endpoints and their delivery log (rules W5 to W7).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { WebhookEvent } from "simplan/ports"
import * as Roles from "./Roles.ts"
import { Samples, Webhooks } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"
import { Fields } from "../../fields/index.ts"

const SentType = Schema.Literals([...WebhookEvent.types, WebhookEvent.TEST]).annotate({
  message: `must be one of ${[...WebhookEvent.types, WebhookEvent.TEST].join(", ")}`
})

const SENT = "attachment.allowanceConsumed"

export const CreateWebhookEndpoint = Views.body(Webhooks.CreateWebhookEndpoint)
export const UpdateWebhookEndpoint = Views.body(Webhooks.UpdateWebhookEndpoint)
export const ShortAttempt = Views.answer(Webhooks.ShortDeliveryAttempt)

const WebhookEndpoint = Views.answer(Webhooks.WebhookEndpoint)
const Delivery = Views.answer(Webhooks.Delivery)
const endpointId = Schemas.string(...Schemas.means.endpointId)
const Status = Fields.oneOf(Object.values(Webhooks.deliveryStatuses))

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

const NewSigningKeyItem = Schemas.data(Views.answer(Webhooks.WebhookEndpointWithSigningKey))
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
      success: Schemas.page(Views.answer(Webhooks.ListedWebhookEndpoint)),
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
      success: Schemas.data(Views.answer(Webhooks.DeliveryWithAttempts)),
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
