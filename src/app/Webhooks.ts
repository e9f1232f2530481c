/**
 * Webhook endpoints of an organization and the log of what was delivered to them (rules W5 to W7).
 */
import { Context, type Effect } from "effect"
import type { LoggedDelivery } from "../domain/Delivery.ts"
import type { InvalidField, NotFound } from "../domain/Refusal.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { CreatedCursor, StorageError } from "../ports/Storage.ts"

interface OfEndpoint {
  readonly organizationId: string
  readonly endpointId: string
}

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** `events` null: all types. Whether the address is one to call is checked by the caller. */
    readonly create: (request: {
      readonly organizationId: string
      readonly url: string
      readonly events: ReadonlyArray<string> | null
      readonly description: string
    }) => Effect.Effect<WebhookEndpoint, InvalidField | NotFound | StorageError>
    readonly list: (of: {
      readonly organizationId: string
    }) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, NotFound | StorageError>
    /** Absent fields stay; `enabled: true` brings back an endpoint that was disabled by a 410. */
    readonly update: (
      of: OfEndpoint & {
        readonly url?: string
        readonly events?: ReadonlyArray<string> | null
        readonly description?: string
        readonly enabled?: boolean
      }
    ) => Effect.Effect<WebhookEndpoint, InvalidField | NotFound | StorageError>
    readonly remove: (of: OfEndpoint) => Effect.Effect<void, NotFound | StorageError>
    /** A new signing key; the one before signs along for 24 h. */
    readonly rotateKey: (of: OfEndpoint) => Effect.Effect<WebhookEndpoint, NotFound | StorageError>
    /** Newest first. */
    readonly deliveries: (of: {
      readonly organizationId: string
      readonly limit: number
      readonly after: CreatedCursor | null
    }) => Effect.Effect<
      { readonly items: ReadonlyArray<LoggedDelivery>; readonly next: CreatedCursor | null },
      NotFound | StorageError
    >
    /** Sends once more, now, with the whole ladder ahead. */
    readonly replay: (of: {
      readonly organizationId: string
      readonly deliveryId: string
    }) => Effect.Effect<LoggedDelivery, NotFound | StorageError>
  }
>()("simplan/Webhooks") {}
