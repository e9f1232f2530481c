/** Printed from the views by `npm run print`: copies to the wire's form, and from the bodies of requests. */
import { Time } from "simplan"
import type { Webhooks as Views, View } from "simplan/views"
import * as Responses from "../../wire/Responses.ts"

export const webhookEndpoint = (
  of: View.Of<typeof Views.WebhookEndpoint>
): View.OnWire<typeof Views.WebhookEndpoint> => ({
  webhook_endpoint_id: of.endpointId,
  url: of.url,
  events: of.events,
  description: of.description,
  enabled: of.enabled,
  disabled_reason: of.disabledReason,
  disabled_at: Responses.instant(of.disabledAt),
  created_at: Time.toIso(of.createdAt),
  version: of.version
})

export const endpointHealth = (of: View.Of<typeof Views.EndpointHealth>): View.OnWire<typeof Views.EndpointHealth> => ({
  failing_since: Responses.instant(of.failingSince),
  last_success_at: Responses.instant(of.lastSuccessAt),
  pending_deliveries: of.pending
})

export const shortDeliveryAttempt = (
  of: View.Of<typeof Views.ShortDeliveryAttempt>
): View.OnWire<typeof Views.ShortDeliveryAttempt> => ({
  number: of.number,
  at: Time.toIso(of.at),
  duration_ms: of.durationMillis,
  response_status: of.responseStatus,
  error: of.error
})

export const deliveryAttempt = (
  of: View.Of<typeof Views.DeliveryAttempt>
): View.OnWire<typeof Views.DeliveryAttempt> => ({
  number: of.number,
  at: Time.toIso(of.at),
  duration_ms: of.durationMillis,
  response_status: of.responseStatus,
  error: of.error,
  response_body: of.responseBody
})

export const deliveredEvent = (of: View.Of<typeof Views.DeliveredEvent>): View.OnWire<typeof Views.DeliveredEvent> => ({
  id: of.eventId,
  type: of.type,
  timestamp: Math.floor(of.createdAt / 1000),
  data: of.data
})

export const delivery = (of: View.Of<typeof Views.Delivery>): View.OnWire<typeof Views.Delivery> => ({
  delivery_id: of.deliveryId,
  webhook_endpoint_id: of.endpointId,
  status: of.status,
  attempts: of.attempts,
  response_status: of.responseStatus,
  last_error: of.lastError,
  last_attempt_at: Responses.instant(of.lastAttemptAt),
  next_attempt_at: Responses.instant(of.nextAttemptAt),
  created_at: Time.toIso(of.createdAt),
  event: deliveredEvent(of.event)
})

export const createWebhookEndpoint = (
  of: View.OwnOnWire<typeof Views.CreateWebhookEndpoint>
): View.OwnOf<typeof Views.CreateWebhookEndpoint> => ({
  url: of.url,
  events: of.events ?? null,
  description: of.description ?? ""
})
