/**
 * Webhook endpoints, and the log of their deliveries.
 */
import { Effect } from "effect"
import { Refusal, Webhooks } from "simplan"
import type { Storage, WebhookEndpoint } from "simplan/ports"
import { Copy, Webhooks as Views } from "simplan/views"
import { WebhooksOperations } from "../../operations/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/WebhooksTypes.ts"

const toHost = Copy.toHost(Views.WebhookEndpoint)
const keyToHost = Copy.toHost(Views.WebhookEndpointWithSigningKey)

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
  const { check, shown } = Methods.urlsOf(runtime)
  const shape = (of: WebhookEndpoint.WebhookEndpoint) => toHost(Views.endpointOf(of, shown))
  const withKey = (of: WebhookEndpoint.WebhookEndpoint) => keyToHost(Views.endpointWithKeyOf(of, shown))

  return {
    ...Methods.ofRows(runtime, "webhooks", WebhooksOperations.webhooks),
    create: Methods.writing(runtime, Methods.method("webhooks.create", Views.CreateWebhookEndpoint), (request) =>
      Methods.once(
        "Endpoint",
        Effect.andThen(
          check(request.url),
          service.use((webhooks) => webhooks.create(request))
        ),
        ({ endpointId }) => Effect.map(current({ organizationId: request.organizationId, endpointId }), withKey)
      )
    ),
    update: Methods.writing(
      runtime,
      Methods.method("webhooks.update", Views.UpdateWebhookEndpoint),
      ({ ifVersion, ...changes }) =>
        Methods.once(
          "Endpoint",
          Effect.andThen(
            changes.url === undefined ? Effect.void : check(changes.url),
            service.use((webhooks) => webhooks.update({ ...changes, ifVersion: Arguments.versions(ifVersion) }))
          ),
          () => Effect.map(current(changes), shape)
        )
    ),
    remove: Methods.writing(runtime, Methods.method("webhooks.remove", Views.OfWebhookEndpoint), (of) =>
      Methods.once(
        "Endpoint",
        service.use((webhooks) => Effect.as(webhooks.remove(of), of)),
        () => Effect.void
      )
    ),
    rotateKey: Methods.writing(runtime, Methods.method("webhooks.rotateKey", Views.OfWebhookEndpoint), (of) =>
      Methods.once(
        "Endpoint",
        service.use((webhooks) => webhooks.rotateKey(of)),
        () => Effect.map(current(of), withKey)
      )
    )
  }
}
