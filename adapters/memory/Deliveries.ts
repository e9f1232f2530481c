/**
 * Webhook deliveries: fanning events out to endpoints, replacing them, and handing them out under a lease.
 */
import { Delivery, type Jobs, type Outbox, type Storage, type WebhookEndpoint, type WebhookEvent } from "simplan"
import * as Claims from "./Claims.ts"
import * as Tables from "./Tables.ts"
import type { DeliveryRow } from "./Tenant.ts"

const takes = (endpoint: WebhookEndpoint.WebhookEndpoint, type: WebhookEvent.Type): boolean =>
  endpoint.enabled && endpoint.deletedAt === null && (endpoint.events === null || endpoint.events.includes(type))

/** Writes one pending delivery for each endpoint that takes the event. */
export const fanOut = (tables: Tables.Tables, event: WebhookEvent.WebhookEvent): void => {
  const tenant = Tables.tenant(tables, event.organizationId)
  for (const endpoint of tenant.endpoints.values()) {
    if (!takes(endpoint, event.payload.type)) continue
    const delivery: Delivery.Delivery = {
      organizationId: event.organizationId,
      deliveryId: Delivery.deliveryId(event.eventId, endpoint.endpointId),
      eventId: event.eventId,
      endpointId: endpoint.endpointId,
      status: "Pending",
      attempts: 0,
      rung: 0,
      responseStatus: null,
      lastError: null,
      lastAttemptAt: null,
      nextAttemptAt: event.createdAt,
      createdAt: event.createdAt
    }
    tenant.deliveryList.add({ createdAt: delivery.createdAt, id: delivery.deliveryId })
    put(tables, { delivery, event, lease: null })
  }
}

const isWaiting = ({ delivery }: DeliveryRow): boolean =>
  delivery.status === "Pending" && delivery.nextAttemptAt !== null

/** Writes a row in place of the one with its id, and queues it where an attempt is to come. */
export const put = (tables: Tables.Tables, row: DeliveryRow): void => {
  const { deliveries } = Tables.tenant(tables, row.delivery.organizationId)
  const known = deliveries.get(row.delivery.deliveryId)
  if (known !== undefined && isWaiting(known)) tables.deliveryQueue.remove(known)
  deliveries.set(row.delivery.deliveryId, row)
  if (isWaiting(row)) tables.deliveryQueue.add(row)
}

/** Replaces a delivery, ending its lease. */
export const replace = (tables: Tables.Tables, delivery: Delivery.Delivery): void => {
  const known = tables.tenants.get(delivery.organizationId)?.deliveries.get(delivery.deliveryId)
  if (known !== undefined) put(tables, { ...known, delivery, lease: null })
}

const known = ({ delivery }: DeliveryRow): Claims.Known => ({
  dueAt: delivery.nextAttemptAt ?? Number.POSITIVE_INFINITY,
  id: delivery.deliveryId,
  laneId: delivery.endpointId,
  organizationId: delivery.organizationId
})

export const claim = (tables: Tables.Tables, claim: Jobs.Claim): ReadonlyArray<Delivery.DueDelivery> => {
  const due: Array<Delivery.DueDelivery> = []
  const lease: Storage.Lease = { token: claim.token, until: claim.until }
  for (const row of Claims.chosen(tables.deliveryQueue, known, claim)) {
    const { delivery, event } = row
    const endpoint = Tables.tenant(tables, delivery.organizationId).endpoints.get(delivery.endpointId)
    if (endpoint === undefined) continue
    due.push({ delivery, event, endpoint })
    put(tables, { ...row, lease })
  }
  return due
}

export const renew = (tables: Tables.Tables, { held, until }: Outbox.Renewal): void => {
  for (const { deliveryId, organizationId, token } of held) {
    const known = tables.tenants.get(organizationId)?.deliveries.get(deliveryId)
    if (known?.lease?.token === token) put(tables, { ...known, lease: { token, until } })
  }
}

export const pending = (tables: Tables.Tables, at: Jobs.LookedFor): Jobs.Pending =>
  Claims.pending(tables.deliveryQueue, known, at)

export const lanes = (tables: Tables.Tables, at: Jobs.LanesAsked): Jobs.Lanes =>
  Claims.lanes(tables.deliveryQueue, known, at)

export const release = (tables: Tables.Tables, { now }: { readonly now: number }): void => {
  for (const row of tables.deliveryQueue.leased()) {
    if (known(row).dueAt <= now) put(tables, { ...row, lease: null })
  }
}

export const handBack = (tables: Tables.Tables, held: ReadonlyArray<Outbox.Held>): void => {
  for (const { deliveryId, organizationId, token } of held) {
    const known = tables.tenants.get(organizationId)?.deliveries.get(deliveryId)
    if (known?.lease?.token === token) put(tables, { ...known, lease: null })
  }
}

export const backlog = (
  tables: Tables.Tables,
  at: { readonly now: number; readonly machineNow: number }
): Jobs.Backlog => {
  let due = 0
  let oldestDueAt: number | null = null
  for (const { delivery } of tables.deliveryQueue.open(at.machineNow)) {
    if (delivery.nextAttemptAt === null || delivery.nextAttemptAt > at.now) break
    due += 1
    oldestDueAt ??= delivery.nextAttemptAt
  }
  return { due, held: Claims.heldCount(tables.deliveryQueue, known, at), oldestDueAt }
}
