/**
 * Webhook endpoints, and the log of their deliveries.
 */
import { Effect, Schema } from "effect"
import { Refusal, Webhooks } from "simplan"
import { type Delivery, type Storage, type WebhookEndpoint, WebhookEvent } from "simplan/ports"
import { Organizations, Webhooks as Views } from "simplan/views"
import { Fields } from "../../fields/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Webhooks.ts"
import * as Copies from "./printed/Webhooks.ts"

const asItIs = (url: string): string => url

const shape = (of: WebhookEndpoint.WebhookEndpoint): Types.WebhookEndpoint =>
  Copies.webhookEndpoint(Views.endpointOf(of, asItIs))

const listed = (of: Webhooks.ListedEndpoint): Types.ListedWebhookEndpoint => ({
  ...shape(of),
  ...Copies.endpointHealth({ failingSince: of.failingSince, ...of.health })
})

const withKey = (of: WebhookEndpoint.WebhookEndpoint): Types.WebhookEndpointWithSigningKey => ({
  ...shape(of),
  signingKey: of.signingKeys[0]?.key ?? ""
})

const delivered = (logged: Delivery.LoggedDelivery): Types.Delivery => Copies.delivery(Views.deliveryOf(logged))

const withAttempts = ({ attempts, ...logged }: Webhooks.DeliveryWithAttempts): Types.DeliveryWithAttempts => ({
  ...delivered(logged),
  attemptLog: attempts.map(Copies.deliveryAttempt)
})

const filters = {
  ...Arguments.ofOrganization,
  status: Schema.optional(Fields.oneOf(Object.values(Views.deliveryStatuses))),
  type: Schema.optional(Schema.Literals([...WebhookEvent.types, WebhookEvent.TEST])),
  webhookEndpointId: Schema.optional(Arguments.Id),
  iccid: Schema.optional(Arguments.Iccid),
  from: Schema.optional(Arguments.Instant),
  to: Schema.optional(Arguments.Instant)
}
const Filter = Schema.Struct(filters)
const filter = Arguments.decoder(Filter)
const decodeReplay = Arguments.decoder(
  Schema.Struct({ ...filters, after: Schema.optional(Schema.NullOr(Schema.String)) })
)

const query = ({ from, iccid, organizationId, status, to, type, webhookEndpointId }: typeof Filter.Type) =>
  ({
    organizationId,
    ...(status !== undefined && { statuses: Views.statusesOf(status) }),
    ...(type !== undefined && { type }),
    ...(webhookEndpointId !== undefined && { endpointId: webhookEndpointId }),
    ...(iccid !== undefined && { iccid }),
    ...(from !== undefined && { from: Arguments.toInstant(from) }),
    ...(to !== undefined && { to: Arguments.toInstant(to) })
  }) satisfies Storage.DeliveryFilter & { readonly organizationId: string }

const Replayed = Schema.Struct({ replayed: Schema.Number, next: Schema.NullOr(Schema.String) })

const service = Webhooks.Webhooks

interface OfEndpoint {
  readonly organizationId: string
  readonly endpointId: string
}

/** The endpoint as it is now; its answer keeps no more than its id. */
const current = (of: OfEndpoint) =>
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
  const { done, method, pages, read } = Methods.group(runtime, "webhooks", service)

  return {
    create: Methods.writing(runtime, method("create", Views.CreateWebhookEndpoint), (request) =>
      Methods.once(
        "Endpoint",
        Effect.andThen(
          checked(request.url),
          service.use((webhooks) => webhooks.create(request))
        ),
        ({ endpointId }) => Effect.map(current({ organizationId: request.organizationId, endpointId }), withKey)
      )
    ),
    list: pages("list", Organizations.OfOrganization, (webhooks, of) => webhooks.page(of), listed),
    update: Methods.writing(runtime, method("update", Views.UpdateWebhookEndpoint), ({ ifVersion, ...changes }) =>
      Methods.once(
        "Endpoint",
        Effect.andThen(
          checked(changes.url),
          service.use((webhooks) => webhooks.update({ ...changes, ifVersion: Arguments.versions(ifVersion) }))
        ),
        () => Effect.map(current(changes), shape)
      )
    ),
    remove: Methods.writing(runtime, method("remove", Views.OfWebhookEndpoint), (of) =>
      Methods.once(
        "Endpoint",
        service.use((webhooks) => Effect.as(webhooks.remove(of), of)),
        () => Effect.void
      )
    ),
    rotateKey: Methods.writing(runtime, method("rotateKey", Views.OfWebhookEndpoint), (of) =>
      Methods.once(
        "Endpoint",
        service.use((webhooks) => webhooks.rotateKey(of)),
        () => Effect.map(current(of), withKey)
      )
    ),
    test: done("test", Views.OfWebhookEndpoint, (webhooks, of) => webhooks.test(of)),
    deliveries: Methods.paging(
      runtime,
      { name: "webhooks.deliveries", decode: filter },
      Methods.byCreation,
      (of, page) => service.use((webhooks) => webhooks.deliveries({ ...query(of), ...page })),
      delivered
    ),
    delivery: read("delivery", Views.OfDelivery, (webhooks, of) => webhooks.delivery(of), withAttempts),
    replay: Methods.writing(runtime, method("replay", Views.OfDelivery), (of) =>
      Methods.once(
        "Done",
        service.use((webhooks) => Effect.as(webhooks.replay(of), null)),
        () => service.use((webhooks) => Effect.map(webhooks.delivery(of), delivered))
      )
    ),
    replayAll: Methods.writing(
      runtime,
      { name: "webhooks.replayAll", decode: decodeReplay },
      ({ after: token, ...of }) => {
        const after = Methods.position(Methods.byCreation, token, "webhooks.replayAll")
        const run = service.use((webhooks) =>
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
