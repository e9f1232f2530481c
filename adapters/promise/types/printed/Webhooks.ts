/** Printed from the views by `npm run print`: what hosts see and send. */
import type { InstantInput } from "../Calls.ts"
import type { EventType } from "./Events.ts"
import type { OfOrganization } from "./Organizations.ts"

/** Whether the event has arrived. */
export type DeliveryStatus = "pending" | "delivered" | "failed"

/** Names a webhook endpoint. */
export interface OfWebhookEndpoint extends OfOrganization {
  /** The endpoint's id. */
  readonly webhookEndpointId: string
}

/** Where an organization's events go. */
export interface WebhookEndpoint extends OfWebhookEndpoint {
  /** With `***` for its user and the values of its query, which may be tokens. */
  readonly url: string
  /** The types of events that are sent. */
  readonly events: ReadonlyArray<EventType>
  /** Free text of the operator. */
  readonly description: string
  /** Whether events are sent. */
  readonly enabled: boolean
  /**
   * Who or what disabled the endpoint: its organization, a response of 410, or five days of
   * failures.
   */
  readonly disabledReason: "organization" | "gone" | "failing" | null
  /** When the endpoint was disabled; null while it is enabled. */
  readonly disabledAt: Date | null
  /** When it was made. */
  readonly createdAt: Date
  /** Rises with each change: `ETag` has it, and the `If-Match` of an edit. */
  readonly version: number
}

/** How an endpoint's deliveries fare. */
export interface EndpointHealth {
  /**
   * Since when every attempt at the endpoint has failed; null where none has since the last success.
   */
  readonly failingSince: Date | null
  /** When an attempt at the endpoint last succeeded; null where none did. */
  readonly lastSuccessAt: Date | null
  /** How many deliveries are to be made. */
  readonly pendingDeliveries: number
}

/** A webhook endpoint, and how its deliveries fare. */
export interface ListedWebhookEndpoint extends WebhookEndpoint {
  /**
   * Since when every attempt at the endpoint has failed; null where none has since the last success.
   */
  readonly failingSince: Date | null
  /** When an attempt at the endpoint last succeeded; null where none did. */
  readonly lastSuccessAt: Date | null
  /** How many deliveries are to be made. */
  readonly pendingDeliveries: number
}

/** A webhook endpoint with its new signing key, which no later answer shows. */
export interface WebhookEndpointWithSigningKey extends WebhookEndpoint {
  /** The key that signs the calls: `whsec_` and base64. */
  readonly signingKey: string
}

/** What a new endpoint is to be. */
export interface CreateWebhookEndpoint extends OfOrganization {
  /** Where the events are sent. */
  readonly url: string
  /**
   * The types that are sent; if it is absent or null: attachment.allowanceConsumed,
   * subscription.esim.locationChanged, esim.smdp.stateChanged.
   */
  readonly events?: ReadonlyArray<EventType> | null | undefined
  /** Free text of the operator. */
  readonly description?: string | undefined
}

/** Changes of an endpoint. Absent fields stay as they are. */
export interface UpdateWebhookEndpoint extends OfWebhookEndpoint {
  /** Where the events are sent. */
  readonly url?: string | undefined
  /**
   * The types that are sent; if it is null: attachment.allowanceConsumed,
   * subscription.esim.locationChanged, esim.smdp.stateChanged.
   */
  readonly events?: ReadonlyArray<EventType> | null | undefined
  /** Free text of the operator. */
  readonly description?: string | undefined
  /** Whether events are sent. */
  readonly enabled?: boolean | undefined
  /**
   * The version that it is of (rule W16): where another one is there, it is refused. Absent: of
   * whichever is there.
   */
  readonly ifVersion?: number | undefined
}

/** An attempt of a delivery. */
export interface ShortDeliveryAttempt {
  /** Which attempt it was, from 1 on, replays included. */
  readonly number: number
  /** When it happened. */
  readonly at: Date
  /** How long it took, in ms. */
  readonly durationMs: number | null
  /** The status of the last answer; null without one. */
  readonly responseStatus: number | null
  /** Why the attempt failed; null if it succeeded. */
  readonly error: string | null
}

/** An attempt of a delivery, with what the receiver answered. */
export interface DeliveryAttempt {
  /** Which attempt it was, from 1 on, replays included. */
  readonly number: number
  /** When it happened. */
  readonly at: Date
  /** How long it took, in ms. */
  readonly durationMs: number | null
  /** The status of the last answer; null without one. */
  readonly responseStatus: number | null
  /** Why the attempt failed; null if it succeeded. */
  readonly error: string | null
  /** The first 1 KB of the answer; null without one. */
  readonly responseBody: string | null
}

/** Names a delivery. */
export interface OfDelivery extends OfOrganization {
  /** The delivery's id. */
  readonly deliveryId: string
}

/** An event on its way to an endpoint. */
export interface DeliveredEvent {
  /** The event's id. */
  readonly eventId: string
  /** The type. */
  readonly type:
    | "attachment.allowanceConsumed"
    | "subscription.esim.locationChanged"
    | "esim.smdp.stateChanged"
    | "subscription.created"
    | "subscription.deleted"
    | "subscription.replaced"
    | "esim.ready"
    | "subscription.paused"
    | "subscription.resumed"
    | "attachment.created"
    | "attachment.activated"
    | "attachment.expiring"
    | "attachment.expired"
    | "attachment.suspended"
    | "package.created"
    | "package.refused"
    | "package.allowanceConsumed"
    | "stock.low"
    | "endpoint.disabled"
    | "command.done"
    | "command.refused"
    | "endpoint.test"
  /** When the event happened, in Unix seconds. */
  readonly createdAt: Date
  /** What the event tells; it depends on the type. */
  readonly data: Readonly<Record<string, unknown>>
}

/** An event on its way to an endpoint, and what became of it. */
export interface Delivery extends OfDelivery {
  /** The endpoint's id. */
  readonly webhookEndpointId: string
  /** Whether the event has arrived. */
  readonly status: DeliveryStatus
  /** How often the event was sent. */
  readonly attempts: number
  /** The status of the last answer; null without one. */
  readonly responseStatus: number | null
  /** What went wrong last; null if nothing did. */
  readonly lastError: string | null
  /** When the event was sent last; null if it was not yet. */
  readonly lastAttemptAt: Date | null
  /** When the event is sent again; null if it is not. */
  readonly nextAttemptAt: Date | null
  /** When it was made. */
  readonly createdAt: Date
  /** The event that is delivered. */
  readonly event: DeliveredEvent
}

/** A header that an endpoint is called with. */
export interface DeliveryHeader {
  /** Its name, in lower case. */
  readonly name: string
  /** Its value; null: each attempt has one of its own. */
  readonly value: string | null
}

/** A delivery with its body, its headers and its attempts. */
export interface DeliveryWithAttempts extends Delivery {
  /** The body that is sent, byte for byte. */
  readonly body: string
  /** The headers by which a receiver takes the event. */
  readonly headers: ReadonlyArray<DeliveryHeader>
  /** The last 100 attempts, newest first. */
  readonly attemptLog: ReadonlyArray<DeliveryAttempt>
}

/** An event to one endpoint, as a SIM's history has it. */
export interface HistoryDelivery {
  /** The delivery's id. */
  readonly deliveryId: string
  /** The endpoint's URL without its secrets, or the name of a handler. */
  readonly endpoint: string
  /** Whether the event has arrived. */
  readonly status: DeliveryStatus
  /** What went wrong last; null if nothing did. */
  readonly lastError: string | null
}

/** Which deliveries are meant. An absent field filters nothing. */
export interface DeliveryFilter extends OfOrganization {
  /** Only those with this status. */
  readonly status?: DeliveryStatus | undefined
  /** Only those of this type. */
  readonly type?:
    | "attachment.allowanceConsumed"
    | "subscription.esim.locationChanged"
    | "esim.smdp.stateChanged"
    | "subscription.created"
    | "subscription.deleted"
    | "subscription.replaced"
    | "esim.ready"
    | "subscription.paused"
    | "subscription.resumed"
    | "attachment.created"
    | "attachment.activated"
    | "attachment.expiring"
    | "attachment.expired"
    | "attachment.suspended"
    | "package.created"
    | "package.refused"
    | "package.allowanceConsumed"
    | "stock.low"
    | "endpoint.disabled"
    | "command.done"
    | "command.refused"
    | "endpoint.test"
    | undefined
  /** Only those of this webhook endpoint. */
  readonly webhookEndpointId?: string | undefined
  /** Only events about this SIM. */
  readonly iccid?: string | undefined
  /** Only those from this instant on. */
  readonly from?: InstantInput | undefined
  /** Only those before this instant. */
  readonly to?: InstantInput | undefined
}

/**
 * Which deliveries are made once more. Those under way are never replayed. An absent field filters
 * nothing.
 */
export interface ReplayDeliveries extends DeliveryFilter {
  /** The `next` of the answer before; absent or null at first. */
  readonly after?: string | null | undefined
}

/** How far a replay of many deliveries has come. */
export interface ReplayedDeliveries {
  /** How many deliveries are sent again. */
  readonly replayed: number
  /** Whether more are left, for another request. */
  readonly hasMore: boolean
  /** Where to go on, for the field `after`; null where none are left. */
  readonly next: string | null
}
