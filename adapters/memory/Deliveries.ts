/**
 * The log of webhook deliveries and their attempts.
 */
import type { Time } from "simplan"
import { type Delivery, EventHandler, type Storage, WebhookEvent } from "simplan/ports"
import * as Tables from "./Tables.ts"

/** The queue that a delivery waits in. */
export const queueOf = (tables: Tables.Tables, delivery: { readonly endpointId: string }) =>
  EventHandler.nameOf(delivery) === null ? tables.deliveries : tables.handlerDeliveries

/** The pending deliveries to a handler that are the first about their SIM (rule E2). */
export const firstOfHandler = (tables: Tables.Tables, handler: string): ReadonlySet<Delivery.LoggedDelivery> => {
  const first = new Map<string, Delivery.LoggedDelivery>()
  for (const logged of tables.handlerDeliveries.waiting()) {
    const { delivery, event } = logged
    if (EventHandler.nameOf(delivery) !== handler) continue
    const subject = WebhookEvent.iccid(event.payload) ?? `nothing ${delivery.deliveryId}`
    const known = first.get(subject)?.delivery
    if (known === undefined || Tables.byCreation(cursorOf(delivery), cursorOf(known)) < 0) first.set(subject, logged)
  }
  return new Set(first.values())
}

const cursorOf = ({ createdAt, deliveryId }: Delivery.Delivery): Storage.CreatedCursor => ({
  createdAt,
  id: deliveryId
})

/** Gives up what is due to a handler that is removed. */
export const removeHandler = (tables: Tables.Tables, name: string): void => {
  tables.handlers.delete(name)
  for (const { delivery, event } of tables.handlerDeliveries.waiting()) {
    if (EventHandler.nameOf(delivery) !== name) continue
    const given = { ...delivery, status: "Failed", nextAttemptAt: null, lastError: EventHandler.REMOVED } as const
    tables.handlerDeliveries.put({ delivery: given, event }, null)
  }
}

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
      const key = Tables.deliveryKey({ organizationId, deliveryId: id })
      const delivery = (tables.deliveries.get(key) ?? tables.handlerDeliveries.get(key))?.value.delivery
      if (delivery !== undefined) events.set(delivery.eventId, [...(events.get(delivery.eventId) ?? []), delivery])
    }
    const settled = [...events.values()].filter((event) => event.every(({ status }) => status !== "Pending"))
    for (const delivery of settled.slice(0, limit - gone).flat()) {
      deliveries.delete({ createdAt: delivery.createdAt, id: delivery.deliveryId })
      attempts.delete(delivery.deliveryId)
      queueOf(tables, delivery).delete(Tables.deliveryKey(delivery))
    }
    gone += Math.min(settled.length, limit - gone)
  }
  return gone
}
