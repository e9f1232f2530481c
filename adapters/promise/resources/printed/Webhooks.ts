/** Printed from the views by `npm run print`: copies to the host's form. */
import type { Webhooks as Views, View } from "simplan/views"
import * as Arguments from "../../Arguments.ts"
import type * as Types from "../../types/printed/Webhooks.ts"

export const webhookEndpoint = (of: View.Of<typeof Views.WebhookEndpoint>): Types.WebhookEndpoint => ({
  organizationId: of.organizationId,
  webhookEndpointId: of.endpointId,
  url: of.url,
  events: of.events,
  description: of.description,
  enabled: of.enabled,
  disabledReason: of.disabledReason,
  disabledAt: Arguments.toDateOrNull(of.disabledAt),
  createdAt: Arguments.toDate(of.createdAt),
  version: of.version
})

export const endpointHealth = (of: View.Of<typeof Views.EndpointHealth>): Types.EndpointHealth => ({
  failingSince: Arguments.toDateOrNull(of.failingSince),
  lastSuccessAt: Arguments.toDateOrNull(of.lastSuccessAt),
  pendingDeliveries: of.pending
})

export const shortDeliveryAttempt = (of: View.Of<typeof Views.ShortDeliveryAttempt>): Types.ShortDeliveryAttempt => ({
  number: of.number,
  at: Arguments.toDate(of.at),
  durationMs: of.durationMillis,
  responseStatus: of.responseStatus,
  error: of.error
})

export const deliveryAttempt = (of: View.Of<typeof Views.DeliveryAttempt>): Types.DeliveryAttempt => ({
  number: of.number,
  at: Arguments.toDate(of.at),
  durationMs: of.durationMillis,
  responseStatus: of.responseStatus,
  error: of.error,
  responseBody: of.responseBody
})

export const deliveredEvent = (of: View.Of<typeof Views.DeliveredEvent>): Types.DeliveredEvent => ({
  eventId: of.eventId,
  type: of.type,
  createdAt: Arguments.toDate(of.createdAt),
  data: of.data
})

export const delivery = (of: View.Of<typeof Views.Delivery>): Types.Delivery => ({
  organizationId: of.organizationId,
  deliveryId: of.deliveryId,
  webhookEndpointId: of.endpointId,
  status: of.status,
  attempts: of.attempts,
  responseStatus: of.responseStatus,
  lastError: of.lastError,
  lastAttemptAt: Arguments.toDateOrNull(of.lastAttemptAt),
  nextAttemptAt: Arguments.toDateOrNull(of.nextAttemptAt),
  createdAt: Arguments.toDate(of.createdAt),
  event: deliveredEvent(of.event)
})
