/**
 * Webhook endpoints and the delivery log: how they look as JSON, and their handlers.
 */
import { Effect, Result } from "effect"
import { Time, Webhooks } from "simplan"
import { type Delivery, type Storage, WebhookEndpoint, type WebhookEvent } from "simplan/ports"
import { Webhooks as Views } from "simplan/views"
import * as WebhooksApi from "../api/WebhooksApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Versions from "../wire/Versions.ts"
import * as Copies from "./printed/Webhooks.ts"

const shape = (one: WebhookEndpoint.WebhookEndpoint) =>
  Copies.webhookEndpoint(Views.endpointOf(one, WebhookEndpoint.shownUrl))

/** As the list has it: with since when it fails, and what the log of its deliveries says. */
const listedEndpoint = (one: Webhooks.ListedEndpoint) => ({
  ...shape(one),
  ...Copies.endpointHealth({ failingSince: one.failingSince, ...one.health })
})

/** With its newest signing key, which is shown once. */
const newSigningKey = (one: WebhookEndpoint.WebhookEndpoint) => ({
  ...shape(one),
  signing_key: one.signingKeys[0]?.key ?? ""
})

/** The filter of a request. */
const toFilter = (asked: {
  readonly status?: Views.DeliveryStatus
  readonly type?: WebhookEvent.Type
  readonly webhook_endpoint_id?: string
  readonly iccid?: string
  readonly from?: string
  readonly to?: string
}): Storage.DeliveryFilter => {
  const from = asked.from === undefined ? undefined : Time.fromIso(asked.from)
  const to = asked.to === undefined ? undefined : Time.fromIso(asked.to)
  return {
    ...(asked.status !== undefined && { statuses: Views.statusesOf(asked.status) }),
    ...(asked.type !== undefined && { type: asked.type }),
    ...(asked.webhook_endpoint_id !== undefined && { endpointId: asked.webhook_endpoint_id }),
    ...(asked.iccid !== undefined && { iccid: asked.iccid }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to })
  }
}

const shapeOfDelivery = (logged: Delivery.LoggedDelivery) => Copies.delivery(Views.deliveryOf(logged))

const deliveryWithAttempts = ({ attempts, ...logged }: Webhooks.DeliveryWithAttempts) => ({
  ...shapeOfDelivery(logged),
  attempt_log: attempts.map(Copies.deliveryAttempt)
})

/** Whether webhooks may go to a URL; the failure says why not. */
export type CheckUrl = (url: string) => Result.Result<unknown, string> | Effect.Effect<unknown, string>

const PAGE_SIZE = 25

const decodeCreation = Body.closedDecoder(WebhooksApi.CreateWebhookEndpoint)
const decodeUpdate = Body.closedDecoder(WebhooksApi.UpdateWebhookEndpoint)

const decodeReplay = Body.closedDecoder(WebhooksApi.ReplayDeliveries)

const badPlace = Errors.invalidField("after", "must be a token that next gave")

const endpoint = (params: { readonly id: string; readonly endpoint_id: string }) => ({
  organizationId: params.id,
  endpointId: params.endpoint_id
})

const delivery = (params: { readonly id: string; readonly delivery_id: string }) => ({
  organizationId: params.id,
  deliveryId: params.delivery_id
})

export const make = (guard: OperatorAuth.Guard, checkUrl: CheckUrl) =>
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
        const asked = Copies.createWebhookEndpoint(yield* decodeCreation(value))
        yield* checked(asked.url)
        const made = yield* webhooks.create({ organizationId: params.id, ...asked })
        return Responses.data(newSigningKey(made))
      }),
      list: Effect.fnUntraced(function* ({ params, query }) {
        const of = {
          organizationId: params.id,
          ...(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE))
        }
        const { items, next } = yield* webhooks.page(of)
        return Responses.page(items.map(listedEndpoint), Query.createdToken(next))
      }),
      update: Effect.fnUntraced(function* ({ ifVersion, params, request, respond }) {
        const { value } = yield* Body.read(request)
        const changes = yield* decodeUpdate(value)
        if (changes.url !== undefined) yield* checked(changes.url)
        const changed = yield* webhooks.update({ ...changes, ...endpoint(params), ifVersion })
        return Versions.tagged(respond(Responses.data(shape(changed))), changed.version)
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        const of = endpoint(params)
        yield* webhooks.remove(of)
        return Responses.data({ webhook_endpoint_id: of.endpointId })
      }),
      rotateKey: Effect.fnUntraced(function* ({ params }) {
        const rotated = yield* webhooks.rotateKey(endpoint(params))
        return Responses.data(newSigningKey(rotated))
      }),
      deliveries: Effect.fnUntraced(function* ({ params, query }) {
        yield* Query.texts(query)
        const page = yield* webhooks.deliveries({
          organizationId: params.id,
          limit: Query.pageSize(query.page_size, PAGE_SIZE),
          after: yield* Effect.fromResult(Query.createdCursor(query.page)),
          ...toFilter(query)
        })
        return Responses.page(page.items.map(shapeOfDelivery), Query.createdToken(page.next))
      }),
      delivery: Effect.fnUntraced(function* ({ params }) {
        return Responses.data(deliveryWithAttempts(yield* webhooks.delivery(delivery(params))))
      }),
      replayAll: Effect.fnUntraced(function* ({ params, request }) {
        const { value } = yield* Body.read(request)
        const { after, ...filter } = yield* decodeReplay(value)
        const { next, replayed } = yield* webhooks.replayAll({
          organizationId: params.id,
          after: yield* Effect.mapError(Effect.fromResult(Query.createdCursor(after)), () => badPlace),
          ...toFilter(filter)
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
        return Responses.data(shapeOfDelivery(replayed))
      })
    })
  })
