/**
 * The log of webhook deliveries and their attempts.
 */
import type { Time } from "simplan"
import { type Delivery, type Storage, WebhookEvent } from "simplan/ports"
import * as Tables from "./Tables.ts"

/** Whether the filter lets a delivery through. */
export const isAsked = (
  { endpointId, from, iccid, statuses, to, type }: Storage.DeliveryFilter,
  { delivery, event }: Delivery.LoggedDelivery
): boolean =>
  (statuses === undefined || statuses.includes(delivery.status)) &&
  (type === undefined || type === event.payload.type) &&
  (endpointId === undefined || endpointId === delivery.endpointId) &&
  (iccid === undefined || iccid === WebhookEvent.iccid(event.payload)) &&
  (from === undefined || from <= delivery.createdAt) &&
  (to === undefined || delivery.createdAt < to)

/** When an attempt at an endpoint first failed after the last one that succeeded. */
export const failingSince = (
  tables: Tables.Tables,
  asked: Parameters<Storage.Service["webhookEndpoints"]["failingSince"]>[0]
): Time.Instant | null => {
  const made: Array<Delivery.LoggedAttempt> = []
  for (const [deliveryId, attempts] of tables.tenants.get(asked.organizationId)?.attempts ?? []) {
    const { delivery } = tables.deliveries.get(Tables.deliveryKey({ ...asked, deliveryId }))?.value ?? {}
    if (delivery?.endpointId !== asked.endpointId || delivery.createdAt < asked.createdFrom) continue
    for (const attempt of attempts.values()) if (attempt.at >= asked.from) made.push(attempt)
  }
  const succeeded = Math.max(...made.filter(({ error }) => error === null).map(({ at }) => at))
  const failed = made.filter(({ at, error }) => error !== null && at > succeeded).map(({ at }) => at)
  return failed.length === 0 ? null : Math.min(...failed)
}

/** Purges old events with their deliveries. An event that no endpoint takes is not kept at all. */
export const purge = (
  tables: Tables.Tables,
  { before, limit }: Parameters<Storage.Service["purgeEvents"]>[0]
): number => {
  let gone = 0
  for (const [organizationId, { attempts, deliveries }] of tables.tenants) {
    const events = new Map<string, Array<Delivery.Delivery>>()
    for (const { createdAt, id } of deliveries.after(null)) {
      if (createdAt >= before) break
      const delivery = tables.deliveries.get(Tables.deliveryKey({ organizationId, deliveryId: id }))?.value.delivery
      if (delivery !== undefined) events.set(delivery.eventId, [...(events.get(delivery.eventId) ?? []), delivery])
    }
    const settled = [...events.values()].filter((event) => event.every(({ status }) => status !== "Pending"))
    for (const delivery of settled.slice(0, limit - gone).flat()) {
      deliveries.delete({ createdAt: delivery.createdAt, id: delivery.deliveryId })
      attempts.delete(delivery.deliveryId)
      tables.deliveries.delete(Tables.deliveryKey(delivery))
    }
    gone += Math.min(settled.length, limit - gone)
  }
  return gone
}
