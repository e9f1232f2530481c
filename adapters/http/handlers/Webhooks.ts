/**
 * Handlers of webhook endpoints and the delivery log.
 */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Webhooks } from "simplan"
import { Api } from "../api/Api.ts"
import * as WebhooksApi from "../api/WebhooksApi.ts"
import * as Shapes from "../shapes/Management.ts"
import * as Cursor from "../wire/Cursor.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Text from "../wire/Text.ts"

type Item = typeof WebhooksApi.WebhookEndpointItem.Type
type List = typeof WebhooksApi.WebhookEndpointList.Type
type Removed = typeof WebhooksApi.RemovedWebhookEndpoint.Type
type DeliveryItem = typeof WebhooksApi.DeliveryItem.Type
type DeliveryPage = typeof WebhooksApi.DeliveryPage.Type

/** Whether webhooks may go to a URL; the failure says why not. */
export type CheckUrl = (url: string) => Result.Result<unknown, string>

const PAGE_SIZE = 25

const decodeCreation = JsonBody.decoder(WebhooksApi.CreateWebhookEndpoint)
const decodeUpdate = JsonBody.decoder(WebhooksApi.UpdateWebhookEndpoint)

const endpoint = (params: { readonly id: string; readonly endpoint_id: string }) => ({
  organizationId: Text.id(params.id),
  endpointId: Text.id(params.endpoint_id)
})

export const layer = (checkUrl: CheckUrl) =>
  HttpApiBuilder.group(
    Api,
    "webhooks",
    Effect.fnUntraced(function* (handlers) {
      const webhooks = yield* Webhooks.Webhooks

      const checked = (url: string): Effect.Effect<void, Errors.Problem> => {
        const result = checkUrl(url)
        return Result.isFailure(result) ? Effect.fail(Errors.invalidField("url", result.failure)) : Effect.void
      }

      return handlers
        .handleRaw(
          "create",
          Effect.fnUntraced(function* ({ params, request }) {
            const { value } = yield* JsonBody.read(request)
            const { description, events, url } = yield* decodeCreation(value)
            yield* checked(url)
            const made = yield* webhooks.create({
              organizationId: Text.id(params.id),
              url,
              events: events ?? null,
              description: description ?? ""
            })
            return Responses.created<Item>({ error: false, data: Shapes.webhookEndpoint(made) })
          }, ErrorResponses.handled)
        )
        .handle(
          "list",
          Effect.fnUntraced(function* ({ params }) {
            const all = yield* webhooks.list({ organizationId: Text.id(params.id) })
            return Responses.ok<List>({ error: false, data: all.map(Shapes.webhookEndpoint) })
          }, ErrorResponses.handled)
        )
        .handleRaw(
          "update",
          Effect.fnUntraced(function* ({ params, request }) {
            const { value } = yield* JsonBody.read(request)
            const changes = yield* decodeUpdate(value)
            if (changes.url !== undefined) yield* checked(changes.url)
            const changed = yield* webhooks.update({ ...changes, ...endpoint(params) })
            return Responses.ok<Item>({ error: false, data: Shapes.webhookEndpoint(changed) })
          }, ErrorResponses.handled)
        )
        .handle(
          "remove",
          Effect.fnUntraced(function* ({ params }) {
            const of = endpoint(params)
            yield* webhooks.remove(of)
            return Responses.ok<Removed>({ error: false, data: { webhook_endpoint_id: of.endpointId } })
          }, ErrorResponses.handled)
        )
        .handle(
          "rotateKey",
          Effect.fnUntraced(function* ({ params }) {
            const rotated = yield* webhooks.rotateKey(endpoint(params))
            return Responses.ok<Item>({ error: false, data: Shapes.webhookEndpoint(rotated) })
          }, ErrorResponses.handled)
        )
        .handle(
          "deliveries",
          Effect.fnUntraced(function* ({ params, query }) {
            const page = yield* webhooks.deliveries({
              organizationId: Text.id(params.id),
              limit: Query.pageSize(query.page_size, PAGE_SIZE),
              after: yield* Effect.fromResult(Cursor.toCreated(query.page))
            })
            return Responses.ok<DeliveryPage>({
              error: false,
              data: page.items.map(Shapes.delivery),
              next_page: Cursor.ofCreated(page.next)
            })
          }, ErrorResponses.handled)
        )
        .handle(
          "replay",
          Effect.fnUntraced(function* ({ params }) {
            const replayed = yield* webhooks.replay({
              organizationId: Text.id(params.id),
              deliveryId: Text.id(params.delivery_id)
            })
            return Responses.ok<DeliveryItem>({ error: false, data: Shapes.delivery(replayed) })
          }, ErrorResponses.handled)
        )
    })
  )
