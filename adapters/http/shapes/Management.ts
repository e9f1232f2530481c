/**
 * The resources of the management API as JSON: organizations, API keys, webhook endpoints, deliveries, audit
 * entries.
 */
import { type ApiKeys, Time } from "simplan"
import {
  type ApiKey,
  AuditEntry,
  type Delivery,
  type Organization,
  type WebhookEndpoint,
  WebhookEvent
} from "simplan/ports"
import type * as AuditApi from "../api/AuditApi.ts"
import type * as OrganizationsApi from "../api/OrganizationsApi.ts"
import type * as WebhooksApi from "../api/WebhooksApi.ts"
import * as Instants from "./Instants.ts"

export const organization = (one: Organization.Organization): typeof OrganizationsApi.Organization.Type => ({
  organization_id: one.organizationId,
  name: one.name,
  created_at: Time.toIso(one.createdAt)
})

export const apiKey = (one: ApiKey.ApiKey): typeof OrganizationsApi.ApiKey.Type => ({
  api_key_id: one.apiKeyId,
  name: one.name,
  scope: one.scope,
  hint: one.hint,
  created_at: Time.toIso(one.createdAt),
  expires_at: Instants.toWire(one.expiresAt),
  revoked_at: Instants.toWire(one.revokedAt)
})

export const newApiKey = (one: ApiKeys.NewKey): typeof OrganizationsApi.NewApiKey.Type => ({
  ...apiKey(one.apiKey),
  key: one.key
})

export const webhookEndpoint = (one: WebhookEndpoint.WebhookEndpoint): typeof WebhooksApi.WebhookEndpoint.Type => ({
  webhook_endpoint_id: one.endpointId,
  url: one.url,
  events: one.events ?? WebhookEvent.standardTypes,
  description: one.description,
  enabled: one.enabled,
  created_at: Time.toIso(one.createdAt)
})

/** With its newest signing key, which is shown once. */
export const newSigningKey = (one: WebhookEndpoint.WebhookEndpoint): typeof WebhooksApi.NewSigningKey.Type => ({
  ...webhookEndpoint(one),
  signing_key: one.signingKeys[0]?.key ?? ""
})

const statuses = { Pending: "pending", Delivered: "delivered", Failed: "failed" } as const satisfies Record<
  Delivery.Status,
  string
>

export const delivery = ({ delivery, event }: Delivery.LoggedDelivery): typeof WebhooksApi.Delivery.Type => ({
  delivery_id: delivery.deliveryId,
  webhook_endpoint_id: delivery.endpointId,
  status: statuses[delivery.status],
  attempts: delivery.attempts,
  response_status: delivery.responseStatus,
  last_error: delivery.lastError,
  last_attempt_at: Instants.toWire(delivery.lastAttemptAt),
  next_attempt_at: Instants.toWire(delivery.nextAttemptAt),
  created_at: Time.toIso(delivery.createdAt),
  event: {
    id: event.eventId,
    type: event.payload.type,
    timestamp: Math.floor(event.createdAt / 1000),
    data: event.payload.data
  }
})

export const auditEntry = (one: AuditEntry.AuditEntry): typeof AuditApi.AuditEntry.Type => ({
  audit_entry_id: one.entryId,
  created_at: Time.toIso(one.createdAt),
  actor: one.actor,
  action: one.action,
  resource_type: AuditEntry.resourceType(one.action),
  resource_id: one.resourceId,
  iccid: one.iccid,
  address: one.address,
  request_id: one.requestId
})
