/**
 * Handing out due deliveries, each with its event and its endpoint: what is asked most of this database under load.
 *
 * So what is taken is found again by its place and not by its key, and comes as lists without names.
 */
import { Effect } from "effect"
import type { Delivery, Jobs, WebhookEndpoint, WebhookEvent } from "simplan/ports"
import * as Claims from "./Claims.ts"
import type { Database, Row } from "../database/Database.ts"

export const queue: Claims.Queue = {
  table: "delivery",
  partition: "delivery.endpoint_id",
  dueAt: "delivery.next_attempt_at",
  id: "delivery.delivery_id",
  waits: "delivery.status = 'Pending' and delivery.handler is null",
  hasFunctions: true
}

const value = `json_build_array(
  json_build_array(
    delivery.organization_id, delivery.delivery_id, delivery.event_id, delivery.endpoint_id, delivery.status,
    delivery.attempts, delivery.retry_step, delivery.response_status, delivery.last_error, delivery.last_attempt_at,
    delivery.next_attempt_at, delivery.created_at
  ),
  json_build_array(event.created_at, event.payload),
  json_build_array(
    webhook_endpoint.url, webhook_endpoint.events, webhook_endpoint.description,
    webhook_endpoint.disabled_reason, webhook_endpoint.disabled_at, webhook_endpoint.failing_since,
    webhook_endpoint.signing_keys, webhook_endpoint.created_at, webhook_endpoint.deleted_at, webhook_endpoint.version
  )
)`

type Values<A, Names extends ReadonlyArray<keyof A>> = { readonly [Index in keyof Names]: A[Names[Index]] }

type OfDelivery = readonly [
  ...Values<
    Delivery.Delivery,
    ["organizationId", "deliveryId", "eventId", "endpointId", "status", "attempts", "retryStep"]
  >,
  ...Values<Delivery.Delivery, ["responseStatus", "lastError", "lastAttemptAt", "nextAttemptAt", "createdAt"]>
]

type OfEndpoint = readonly [
  ...Values<WebhookEndpoint.WebhookEndpoint, ["url", "events", "description"]>,
  disabledReason: WebhookEndpoint.DisabledReason | null,
  disabledAt: number | null,
  ...Values<WebhookEndpoint.WebhookEndpoint, ["failingSince", "signingKeys", "createdAt", "deletedAt", "version"]>
]

type Claimed = readonly [OfDelivery, Values<WebhookEvent.WebhookEvent, ["createdAt", "payload"]>, OfEndpoint]

const deliveryOf = (values: OfDelivery): Delivery.Delivery => {
  const [organizationId, deliveryId, eventId, endpointId, status, attempts, retryStep, ...last] = values
  const [responseStatus, lastError, lastAttemptAt, nextAttemptAt, createdAt] = last
  return {
    organizationId,
    deliveryId,
    eventId,
    endpointId,
    status,
    attempts,
    retryStep,
    responseStatus,
    lastError,
    lastAttemptAt,
    nextAttemptAt,
    createdAt
  }
}

const due = ([ofDelivery, [createdAt, payload], ofEndpoint]: Claimed): Delivery.DueDelivery => {
  const delivery = deliveryOf(ofDelivery)
  const { endpointId, eventId, organizationId } = delivery
  const [url, events, description, reason, disabledAt, ...rest] = ofEndpoint
  const [failingSince, signingKeys, endpointCreatedAt, deletedAt, version] = rest
  return {
    delivery,
    event: { organizationId, eventId, createdAt, payload },
    endpoint: {
      organizationId,
      endpointId,
      url,
      events,
      description,
      disabled: reason === null || disabledAt === null ? null : { reason, at: disabledAt },
      failingSince,
      signingKeys,
      createdAt: endpointCreatedAt,
      deletedAt,
      version
    }
  }
}

/** Hands out pending deliveries that are due and unheld, in due order. */
export const claim = (database: Database) => (of: Jobs.Claim) =>
  Effect.map(
    database.write((sql) => {
      const { isTaken, taken } = Claims.byPlace(sql, queue, of)
      return sql<Row<Claimed>>`
          with ${taken}, delivery as (
            update simplan.delivery set lease_token = ${of.token}, lease_until = ${of.until}::bigint
            where ${isTaken}
            returning delivery.*
          )
          select (${sql.literal(value)})::text as value
          from delivery
          join simplan.event on event.organization_id = delivery.organization_id
            and event.event_id = delivery.event_id
          join simplan.webhook_endpoint on webhook_endpoint.organization_id = delivery.organization_id
            and webhook_endpoint.endpoint_id = delivery.endpoint_id
          order by delivery.next_attempt_at, delivery.delivery_id`
    }),
    (rows) => rows.map(due)
  )
