/**
 * Handlers of webhook endpoints and the delivery log.
 */
import { Effect, Result } from "effect"
import { Webhooks } from "simplan"
import * as WebhooksApi from "../api/management/WebhooksApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Shapes from "../shapes/Management.ts"
import * as Query from "../wire/Query.ts"
import * as Errors from "../wire/Errors.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

/** Whether webhooks may go to a URL; the failure says why not. */
export type CheckUrl = (url: string) => Result.Result<unknown, string> | Effect.Effect<unknown, string>

const PAGE_SIZE = 25

const decodeCreation = Body.closedDecoder(WebhooksApi.CreateWebhookEndpoint)
const decodeUpdate = Body.closedDecoder(WebhooksApi.UpdateWebhookEndpoint)

const decodeReplay = Body.closedDecoder(WebhooksApi.ReplayDeliveries)

const badPlace = Errors.invalidField("after", "must be a token that next gave")

const endpoint = (params: { readonly id: string; readonly endpoint_id: string }) => ({
  organizationId: Text.id(params.id),
  endpointId: Text.id(params.endpoint_id)
})

const delivery = (params: { readonly id: string; readonly delivery_id: string }) => ({
  organizationId: Text.id(params.id),
  deliveryId: Text.id(params.delivery_id)
})

export const make = (guard: Auth.Guard<undefined>, checkUrl: CheckUrl) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks.Webhooks

    const checked = (url: string): Effect.Effect<unknown, Errors.Problem> => {
      const result = checkUrl(url)
      const done = Result.isResult(result) ? Effect.fromResult(result) : result
      return Effect.mapError(done, (message) => Errors.invalidField("url", message))
    }

    return Endpoints.group(WebhooksApi.WebhooksApi, guard, {
      create: Effect.fnUntraced(function* ({ params, request }) {
        const { value } = yield* Body.read(request)
        const { description, events, url } = yield* decodeCreation(value)
        yield* checked(url)
        const made = yield* webhooks.create({
          organizationId: Text.id(params.id),
          url,
          events: events ?? null,
          description: description ?? ""
        })
        return Responses.data(Shapes.newSigningKey(made))
      }),
      list: Effect.fnUntraced(function* ({ params, query }) {
        const of = { organizationId: Text.id(params.id), ...(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)) }
        const { items, next } = yield* webhooks.page(of)
        return Responses.page(items.map(Shapes.listedEndpoint), Query.createdToken(next))
      }),
      update: Effect.fnUntraced(function* ({ params, request }) {
        const { value } = yield* Body.read(request)
        const changes = yield* decodeUpdate(value)
        if (changes.url !== undefined) yield* checked(changes.url)
        const changed = yield* webhooks.update({ ...changes, ...endpoint(params) })
        return Responses.data(Shapes.webhookEndpoint(changed))
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        const of = endpoint(params)
        yield* webhooks.remove(of)
        return Responses.data({ webhook_endpoint_id: of.endpointId })
      }),
      rotateKey: Effect.fnUntraced(function* ({ params }) {
        const rotated = yield* webhooks.rotateKey(endpoint(params))
        return Responses.data(Shapes.newSigningKey(rotated))
      }),
      deliveries: Effect.fnUntraced(function* ({ params, query }) {
        yield* Query.texts(query)
        const page = yield* webhooks.deliveries({
          organizationId: Text.id(params.id),
          limit: Query.pageSize(query.page_size, PAGE_SIZE),
          after: yield* Effect.fromResult(Query.createdCursor(query.page)),
          ...Shapes.toFilter(query)
        })
        return Responses.page(page.items.map(Shapes.delivery), Query.createdToken(page.next))
      }),
      delivery: Effect.fnUntraced(function* ({ params }) {
        return Responses.data(Shapes.deliveryWithAttempts(yield* webhooks.delivery(delivery(params))))
      }),
      replayAll: Effect.fnUntraced(function* ({ params, request }) {
        const { value } = yield* Body.read(request)
        const { after, ...filter } = yield* decodeReplay(value)
        const { next, replayed } = yield* webhooks.replayAll({
          organizationId: Text.id(params.id),
          after: yield* Effect.mapError(Effect.fromResult(Query.createdCursor(after)), () => badPlace),
          ...Shapes.toFilter(filter)
        })
        return Responses.data({ replayed, has_more: next !== null, next: Query.createdToken(next) })
      }),
      test: Effect.fnUntraced(function* ({ params }) {
        const of = endpoint(params)
        yield* webhooks.test(of)
        return Responses.data({ webhook_endpoint_id: of.endpointId })
      }),
      replay: Effect.fnUntraced(function* ({ params }) {
        const replayed = yield* webhooks.replay(delivery(params))
        return Responses.data(Shapes.delivery(replayed))
      })
    })
  })
