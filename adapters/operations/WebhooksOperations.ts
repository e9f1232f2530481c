/**
 * Webhook endpoints, and the log of their deliveries (rules W5 to W7). Their changes are by hand:
 * they find a version.
 */
import { Effect } from "effect"
import type { Webhooks } from "simplan"
import { Organizations, Webhooks as Views } from "simplan/views"
import * as Operation from "./Operation.ts"

const listed = (endpoint: Webhooks.ListedEndpoint, shown: (url: string) => string) => ({
  ...Views.endpointOf(endpoint, shown),
  failingSince: endpoint.failingSince,
  ...endpoint.health
})

const ofEndpoint = {
  request: Views.OfWebhookEndpoint,
  errors: ["webhook_endpoint_not_found"]
} as const

export const webhooks = {
  create: Operation.item({
    route: "POST /organizations/:id/webhook-endpoints",
    request: Views.CreateWebhookEndpoint,
    answer: Views.WebhookEndpointWithSigningKey,
    makes: true,
    role: "admin",
    errors: ["quota_exceeded"],
    title: "Register a webhook endpoint",
    text: "Registers a URL to which the organization's events are sent, signed with a key of its own.",
    call: ({ urls, webhooks }, request) =>
      Effect.andThen(
        urls.check(request.url),
        Effect.map(webhooks.create(request), (made) => Views.endpointWithKeyOf(made, urls.shown))
      )
  }),
  list: Operation.page({
    route: "GET /organizations/:id/webhook-endpoints",
    request: Organizations.OfOrganization,
    answer: Views.ListedWebhookEndpoint,
    role: "read",
    title: "List webhook endpoints, oldest first",
    text: "A page of the organization's endpoints.",
    call: ({ urls, webhooks }, page) =>
      Effect.map(webhooks.page(page), ({ items, next }) => ({
        items: items.map((endpoint) => listed(endpoint, urls.shown)),
        next
      }))
  }),
  remove: Operation.done({
    ...ofEndpoint,
    route: "DELETE /organizations/:id/webhook-endpoints/:webhook_endpoint_id",
    answer: Views.OfWebhookEndpoint,
    role: "admin",
    title: "Remove a webhook endpoint",
    text: "Removes the endpoint. What was not delivered to it is not sent any more.",
    call: ({ webhooks }, of) => webhooks.remove(of)
  }),
  rotateKey: Operation.item({
    ...ofEndpoint,
    route: "POST /organizations/:id/webhook-endpoints/:webhook_endpoint_id/rotate-key",
    answer: Views.WebhookEndpointWithSigningKey,
    role: "admin",
    title: "Make a new signing key; the one before signs along for 24 h",
    text: "Makes a new signing key. For 24 h each call has a signature by either key.",
    call: ({ urls, webhooks }, of) =>
      Effect.map(webhooks.rotateKey(of), (rotated) => Views.endpointWithKeyOf(rotated, urls.shown))
  }),
  test: Operation.done({
    ...ofEndpoint,
    route: "POST /organizations/:id/webhook-endpoints/:webhook_endpoint_id/test",
    answer: Views.OfWebhookEndpoint,
    role: "support",
    errors: [...ofEndpoint.errors, "webhook_endpoint_disabled"],
    title: "Send a test event",
    text: "Sends an event of the type `endpoint.test` to this endpoint only.",
    call: ({ webhooks }, of) => webhooks.test(of)
  }),
  deliveries: Operation.page({
    route: "GET /organizations/:id/deliveries",
    request: Views.DeliveryFilter,
    answer: Views.Delivery,
    pageSize: 25,
    role: "read",
    title: "The delivery log, newest first",
    text: "A page of what was sent to the organization's endpoints, and of what is to be sent.",
    call: ({ webhooks }, { after, limit, ...filter }) =>
      Effect.map(webhooks.deliveries({ ...Views.deliveriesOf(filter), after, limit }), ({ items, next }) => ({
        items: items.map(Views.deliveryOf),
        next
      }))
  }),
  delivery: Operation.item({
    route: "GET /organizations/:id/deliveries/:delivery_id",
    request: Views.OfDelivery,
    answer: Views.DeliveryWithAttempts,
    role: "read",
    errors: ["delivery_not_found"],
    title: "A delivery with its body, its headers and its attempts",
    text: "One delivery, with what is sent and each attempt to deliver it.",
    call: ({ webhooks }, of) =>
      Effect.map(webhooks.delivery(of), ({ attempts, ...logged }) => Views.deliveryWithAttemptsOf(logged, attempts))
  }),
  replayAll: Operation.part({
    route: "POST /organizations/:id/deliveries/replay",
    request: Views.ReplayDeliveries,
    answer: Views.ReplayedDeliveries,
    counts: "replayed",
    role: "support",
    errors: ["webhook_endpoint_not_found", "webhook_endpoint_disabled"],
    title: "Deliver once more all that the filter takes, newest first",
    text: "Sends the events of all deliveries that the filter takes again.",
    call: ({ webhooks }, { after, ...filter }) =>
      Effect.map(webhooks.replayAll({ ...Views.deliveriesOf(filter), after }), ({ next, replayed }) => ({
        count: replayed,
        next
      }))
  }),
  replay: Operation.item({
    route: "POST /organizations/:id/deliveries/:delivery_id/replay",
    request: Views.OfDelivery,
    answer: Views.Delivery,
    isKept: true,
    role: "support",
    errors: ["delivery_not_found"],
    title: "Deliver once more, now",
    text: "Sends the event of the delivery again, under the same event id.",
    call: ({ webhooks }, of) => Effect.map(webhooks.replay(of), Views.deliveryOf)
  })
}
