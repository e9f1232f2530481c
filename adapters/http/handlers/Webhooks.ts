/**
 * Webhook endpoints and the delivery log: how they look as JSON, and their handlers.
 */
import { Effect, Result } from "effect"
import { Time, Webhooks } from "simplan"
import { type Delivery, type Storage, WebhookEndpoint, WebhookEvent } from "simplan/ports"
import { Codes } from "../../fields/index.ts"
import * as WebhooksApi from "../api/WebhooksApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Versions from "../wire/Versions.ts"

const shape = (one: WebhookEndpoint.WebhookEndpoint): typeof WebhooksApi.WebhookEndpoint.Type => ({
  webhook_endpoint_id: one.endpointId,
  url: WebhookEndpoint.shownUrl(one.url),
  events: one.events ?? WebhookEvent.standardTypes,
  description: one.description,
  enabled: WebhookEndpoint.isEnabled(one),
  disabled_reason: one.disabled === null ? null : Codes.disabledReasons[one.disabled.reason],
  disabled_at: Responses.instant(one.disabled?.at ?? null),
  created_at: Time.toIso(one.createdAt),
  version: one.version
})

/** As the list has it: with since when it fails, and what the log of its deliveries says. */
const listedEndpoint = (one: Webhooks.ListedEndpoint): typeof WebhooksApi.ListedWebhookEndpoint.Type => ({
  ...shape(one),
  failing_since: Responses.instant(one.failingSince),
  last_success_at: Responses.instant(one.health.lastSuccessAt),
  pending_deliveries: one.health.pending
})

/** With its newest signing key, which is shown once. */
const newSigningKey = (one: WebhookEndpoint.WebhookEndpoint): typeof WebhooksApi.NewSigningKey.Type => ({
  ...shape(one),
  signing_key: one.signingKeys[0]?.key ?? ""
})

/** The filter of a request. */
const toFilter = (asked: {
  readonly status?: Codes.DeliveryStatus
  readonly type?: WebhookEvent.Type
  readonly webhook_endpoint_id?: string
  readonly iccid?: string
  readonly from?: string
  readonly to?: string
}): Storage.DeliveryFilter => {
  const from = asked.from === undefined ? undefined : Time.fromIso(asked.from)
  const to = asked.to === undefined ? undefined : Time.fromIso(asked.to)
  return {
    ...(asked.status !== undefined && { statuses: Codes.statusesOf(asked.status) }),
    ...(asked.type !== undefined && { type: asked.type }),
    ...(asked.webhook_endpoint_id !== undefined && { endpointId: asked.webhook_endpoint_id }),
    ...(asked.iccid !== undefined && { iccid: asked.iccid }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to })
  }
}

export const shortAttempt = (one: Delivery.ShortAttempt): typeof WebhooksApi.ShortAttempt.Type => ({
  number: one.number,
  at: Time.toIso(one.at),
  duration_ms: one.durationMillis,
  response_status: one.responseStatus,
  error: one.error
})

const attempt = (one: Delivery.LoggedAttempt): typeof WebhooksApi.Attempt.Type => ({
  ...shortAttempt(one),
  response_body: one.responseBody
})

const shapeOfDelivery = ({ delivery, event }: Delivery.LoggedDelivery): typeof WebhooksApi.Delivery.Type => ({
  delivery_id: delivery.deliveryId,
  webhook_endpoint_id: delivery.endpointId,
  status: Codes.deliveryStatuses[delivery.status],
  attempts: delivery.attempts,
  response_status: delivery.responseStatus,
  last_error: delivery.lastError,
  last_attempt_at: Responses.instant(delivery.lastAttemptAt),
  next_attempt_at: Responses.instant(delivery.nextAttemptAt),
  created_at: Time.toIso(delivery.createdAt),
  event: {
    id: event.eventId,
    type: event.payload.type,
    timestamp: Math.floor(event.createdAt / 1000),
    data: event.payload.data
  }
})

const deliveryWithAttempts = ({
  attempts,
  ...logged
}: Webhooks.DeliveryWithAttempts): typeof WebhooksApi.DeliveryWithAttempts.Type => ({
  ...shapeOfDelivery(logged),
  attempt_log: attempts.map(attempt)
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
        const { description, events, url } = yield* decodeCreation(value)
        yield* checked(url)
        const made = yield* webhooks.create({
          organizationId: params.id,
          url,
          events: events ?? null,
          description: description ?? ""
        })
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
