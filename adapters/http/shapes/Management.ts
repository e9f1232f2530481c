/**
 * The resources of the management API as JSON: organizations, API keys, webhook endpoints, deliveries, audit
 * entries.
 */
import { type ApiKeys, Time, type Webhooks } from "simplan"
import {
  type ApiKey,
  AuditEntry,
  type Delivery,
  type Job,
  type Organization,
  type Storage,
  WebhookEndpoint,
  WebhookEvent
} from "simplan/ports"
import type * as AuditApi from "../api/management/AuditApi.ts"
import type * as JobsApi from "../api/management/JobsApi.ts"
import type * as OrganizationsApi from "../api/management/OrganizationsApi.ts"
import type * as ProblemsApi from "../api/management/ProblemsApi.ts"
import type * as WebhooksApi from "../api/management/WebhooksApi.ts"
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

const reasons = { Organization: "organization", Gone: "gone", Failing: "failing" } as const satisfies Record<
  WebhookEndpoint.DisabledReason,
  string
>

export const webhookEndpoint = (one: WebhookEndpoint.WebhookEndpoint): typeof WebhooksApi.WebhookEndpoint.Type => ({
  webhook_endpoint_id: one.endpointId,
  url: WebhookEndpoint.shownUrl(one.url),
  events: one.events ?? WebhookEvent.standardTypes,
  description: one.description,
  enabled: WebhookEndpoint.isEnabled(one),
  disabled_reason: one.disabled === null ? null : reasons[one.disabled.reason],
  disabled_at: Instants.toWire(one.disabled?.at ?? null),
  created_at: Time.toIso(one.createdAt)
})

/** As the list has it: with since when it fails, and what the log of its deliveries says. */
export const listedEndpoint = (one: Webhooks.ListedEndpoint): typeof WebhooksApi.ListedWebhookEndpoint.Type => ({
  ...webhookEndpoint(one),
  failing_since: Instants.toWire(one.failingSince),
  last_success_at: Instants.toWire(one.health.lastSuccessAt),
  pending_deliveries: one.health.pending
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

const statusOf = { pending: "Pending", delivered: "Delivered", failed: "Failed" } as const

/** The filter of a request. */
export const toFilter = (asked: {
  readonly status?: keyof typeof statusOf
  readonly type?: WebhookEvent.Type
  readonly webhook_endpoint_id?: string
  readonly iccid?: string
  readonly from?: string
  readonly to?: string
}): Storage.DeliveryFilter => {
  const from = asked.from === undefined ? undefined : Time.fromIso(asked.from)
  const to = asked.to === undefined ? undefined : Time.fromIso(asked.to)
  return {
    ...(asked.status !== undefined && { statuses: [statusOf[asked.status]] }),
    ...(asked.type !== undefined && { type: asked.type }),
    ...(asked.webhook_endpoint_id !== undefined && { endpointId: asked.webhook_endpoint_id }),
    ...(asked.iccid !== undefined && { iccid: asked.iccid }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to })
  }
}

const attempt = (one: Delivery.LoggedAttempt): typeof WebhooksApi.Attempt.Type => ({
  number: one.number,
  at: Time.toIso(one.at),
  duration_ms: one.durationMillis,
  response_status: one.responseStatus,
  error: one.error,
  response_body: one.responseBody
})

export const deliveryWithAttempts = ({
  attempts,
  ...logged
}: Webhooks.DeliveryWithAttempts): typeof WebhooksApi.DeliveryWithAttempts.Type => ({
  ...delivery(logged),
  attempt_log: attempts.map(attempt)
})

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

export const waitingJob = (job: Job.WaitingJob): typeof JobsApi.WaitingJob.Type => ({
  job_id: job.jobId,
  kind: job.work._tag,
  organization_id: job.organizationId,
  iccid: "iccid" in job.work ? job.work.iccid : null,
  reason: job.waiting.reason,
  last_message: job.waiting.message,
  since: Time.toIso(job.waiting.since),
  next_try_at: Time.toIso(job.dueAt),
  attempts: job.attempts,
  created_at: Time.toIso(job.createdAt)
})

export const problem = (job: Job.Job): typeof ProblemsApi.Problem.Type => ({
  problem_id: job.jobId,
  kind: job.work._tag,
  organization_id: job.organizationId,
  iccid: "iccid" in job.work ? job.work.iccid : null,
  since: Time.toIso(job.refused?.since ?? job.createdAt),
  ended_at: Time.toIso(job.endedAt ?? job.createdAt),
  attempts: job.attempts,
  last_message: job.refused?.message ?? ""
})
