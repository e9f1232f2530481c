/**
 * Webhook endpoints, and the log of their deliveries.
 */
import { Effect, Schema } from "effect"
import { Refusal, Webhooks } from "simplan"
import { type Delivery, type Storage, TextLimit, WebhookEndpoint, WebhookEvent } from "simplan/ports"
import { Codes, Fields } from "../../fields/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Webhooks.ts"

const shape = (of: WebhookEndpoint.WebhookEndpoint): Types.WebhookEndpoint => ({
  organizationId: of.organizationId,
  endpointId: of.endpointId,
  url: of.url,
  events: of.events ?? WebhookEvent.standardTypes,
  description: of.description,
  enabled: WebhookEndpoint.isEnabled(of),
  disabledReason: of.disabled === null ? null : Codes.disabledReasons[of.disabled.reason],
  disabledAt: Arguments.toDateOrNull(of.disabled?.at ?? null),
  createdAt: Arguments.toDate(of.createdAt),
  version: of.version
})

const withKey = (of: WebhookEndpoint.WebhookEndpoint): Types.WebhookEndpointWithKey => ({
  ...shape(of),
  signingKey: of.signingKeys[0]?.key ?? ""
})

const delivered = ({ delivery, event }: Delivery.LoggedDelivery): Types.Delivery => ({
  organizationId: delivery.organizationId,
  deliveryId: delivery.deliveryId,
  endpointId: delivery.endpointId,
  status: Codes.deliveryStatuses[delivery.status],
  attempts: delivery.attempts,
  responseStatus: delivery.responseStatus,
  lastError: delivery.lastError,
  lastAttemptAt: Arguments.toDateOrNull(delivery.lastAttemptAt),
  nextAttemptAt: Arguments.toDateOrNull(delivery.nextAttemptAt),
  createdAt: Arguments.toDate(delivery.createdAt),
  event: {
    eventId: event.eventId,
    type: event.payload.type,
    createdAt: Arguments.toDate(event.createdAt),
    data: event.payload.data
  }
})

const withAttempts = ({ attempts, ...logged }: Webhooks.DeliveryWithAttempts): Types.DeliveryWithAttempts => ({
  ...delivered(logged),
  attemptLog: attempts.map(({ at, durationMillis, error, number, responseBody, responseStatus }) => ({
    number,
    at: Arguments.toDate(at),
    durationMillis,
    responseStatus,
    error,
    responseBody
  }))
})

const Events = Schema.Array(Fields.oneOf(WebhookEvent.types))
const Url = Fields.storable(TextLimit.URL)
const Description = Fields.storable(TextLimit.DESCRIPTION)
const ofEndpoint = { ...Arguments.ofOrganization, endpointId: Arguments.Id }

const decodeCreation = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    url: Url,
    events: Schema.optional(Events),
    description: Schema.optional(Description)
  })
)

const decodeUpdate = Arguments.decoder(
  Schema.Struct({
    ...ofEndpoint,
    url: Schema.optional(Url),
    events: Schema.optional(Schema.NullOr(Events)),
    description: Schema.optional(Description),
    enabled: Schema.optional(Arguments.Flag),
    ifVersion: Arguments.Version
  })
)

const named = Arguments.decoder(Schema.Struct(ofEndpoint))
const ofOrganization = Arguments.decoder(Schema.Struct(Arguments.ofOrganization))
const deliveryNamed = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, deliveryId: Arguments.Id }))

const filters = {
  ...Arguments.ofOrganization,
  status: Schema.optional(Fields.oneOf(Object.values(Codes.deliveryStatuses))),
  type: Schema.optional(Schema.Literals([...WebhookEvent.types, WebhookEvent.TEST])),
  endpointId: Schema.optional(Arguments.Id),
  iccid: Schema.optional(Arguments.Iccid),
  from: Schema.optional(Arguments.Instant),
  to: Schema.optional(Arguments.Instant)
}
const Filter = Schema.Struct(filters)
const filter = Arguments.decoder(Filter)
const decodeReplay = Arguments.decoder(
  Schema.Struct({ ...filters, after: Schema.optional(Schema.NullOr(Schema.String)) })
)

const query = ({ endpointId, from, iccid, organizationId, status, to, type }: typeof Filter.Type) =>
  ({
    organizationId,
    ...(status !== undefined && { statuses: Codes.statusesOf(status) }),
    ...(type !== undefined && { type }),
    ...(endpointId !== undefined && { endpointId }),
    ...(iccid !== undefined && { iccid }),
    ...(from !== undefined && { from: Arguments.toInstant(from) }),
    ...(to !== undefined && { to: Arguments.toInstant(to) })
  }) satisfies Storage.DeliveryFilter & { readonly organizationId: string }

const Replayed = Schema.Struct({ replayed: Schema.Number, next: Schema.NullOr(Schema.String) })

const service = Webhooks.Webhooks

/** The endpoint as it is now; its answer keeps no more than its id. */
const current = (of: Types.OfEndpoint) =>
  Effect.gen(function* () {
    const webhooks = yield* service
    let after: Storage.CreatedCursor | null = null
    do {
      const page: {
        readonly items: ReadonlyArray<WebhookEndpoint.WebhookEndpoint>
        readonly next: Storage.CreatedCursor | null
      } = yield* webhooks.page({ organizationId: of.organizationId, after, limit: 100 })
      const found = page.items.find(({ endpointId }) => endpointId === of.endpointId)
      if (found !== undefined) return found
      after = page.next
    } while (after !== null)
    return yield* new Refusal.NotFound({ resource: "webhook endpoint", id: of.endpointId })
  })

export const make = (runtime: Runtime): Types.Webhooks => {
  const checked = (url: string | undefined) =>
    url === undefined
      ? Effect.void
      : Effect.flatMap(
          Effect.promise(() => runtime.checkUrl(url)),
          (problem) =>
            problem === undefined
              ? Effect.void
              : Effect.fail(new Refusal.InvalidField({ field: "url", message: problem }))
        )

  return {
    create: Methods.writing(
      runtime,
      { name: "webhooks.create", decode: decodeCreation },
      ({ description = "", events = null, organizationId, url }) =>
        Methods.once(
          "Endpoint",
          Effect.andThen(
            checked(url),
            Effect.flatMap(service, (webhooks) => webhooks.create({ organizationId, url, events, description }))
          ),
          ({ endpointId }) => Effect.map(current({ organizationId, endpointId }), withKey)
        )
    ),
    list: Methods.paging(
      runtime,
      { name: "webhooks.list", decode: ofOrganization },
      Methods.byCreation,
      (of, page) => Effect.flatMap(service, (webhooks) => webhooks.page({ ...of, ...page })),
      shape
    ),
    update: Methods.writing(
      runtime,
      { name: "webhooks.update", decode: decodeUpdate },
      ({ description, enabled, endpointId, events, ifVersion, organizationId, url }) =>
        Methods.once(
          "Endpoint",
          Effect.andThen(
            checked(url),
            Effect.flatMap(service, (webhooks) =>
              webhooks.update({
                organizationId,
                endpointId,
                ifVersion: Arguments.versions(ifVersion),
                ...(url !== undefined && { url }),
                ...(events !== undefined && { events }),
                ...(description !== undefined && { description }),
                ...(enabled !== undefined && { enabled })
              })
            )
          ),
          () => Effect.map(current({ organizationId, endpointId }), shape)
        )
    ),
    remove: Methods.writing(runtime, { name: "webhooks.remove", decode: named }, (of) =>
      Methods.once(
        "Endpoint",
        Effect.flatMap(service, (webhooks) => Effect.as(webhooks.remove(of), of)),
        () => Effect.void
      )
    ),
    rotateKey: Methods.writing(runtime, { name: "webhooks.rotateKey", decode: named }, (of) =>
      Methods.once(
        "Endpoint",
        Effect.flatMap(service, (webhooks) => webhooks.rotateKey(of)),
        () => Effect.map(current(of), withKey)
      )
    ),
    test: Methods.writing(runtime, { name: "webhooks.test", decode: named }, (of) =>
      Methods.done(Effect.flatMap(service, (webhooks) => webhooks.test(of)))
    ),
    deliveries: Methods.paging(
      runtime,
      { name: "webhooks.deliveries", decode: filter },
      Methods.byCreation,
      (of, page) => Effect.flatMap(service, (webhooks) => webhooks.deliveries({ ...query(of), ...page })),
      delivered
    ),
    delivery: Methods.reading(runtime, { name: "webhooks.delivery", decode: deliveryNamed }, (of) =>
      Effect.flatMap(service, (webhooks) => Effect.map(webhooks.delivery(of), withAttempts))
    ),
    replay: Methods.writing(runtime, { name: "webhooks.replay", decode: deliveryNamed }, (of) =>
      Methods.once(
        "Done",
        Effect.flatMap(service, (webhooks) => Effect.as(webhooks.replay(of), null)),
        () => Effect.flatMap(service, (webhooks) => Effect.map(webhooks.delivery(of), delivered))
      )
    ),
    replayAll: Methods.writing(
      runtime,
      { name: "webhooks.replayAll", decode: decodeReplay },
      ({ after: token, ...of }) => {
        const after = Methods.position(Methods.byCreation, token, "webhooks.replayAll")
        const run = Effect.flatMap(service, (webhooks) =>
          Effect.map(webhooks.replayAll({ ...query(of), after }), ({ next, replayed }) => ({
            replayed,
            next: next === null ? null : Methods.byCreation.write(next)
          }))
        )
        return Methods.json(Replayed, run, Effect.succeed)
      }
    )
  }
}
