/**
 * Deliveries while many endpoints of one organization never answer: its other endpoints and those
 * of other organizations get theirs all the same.
 */
import { Context, Effect, Layer } from "effect"
import { Services, Worker } from "simplan"
import { Clocks, Delivery, Storage, type WebhookEndpoint } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Ports from "./Ports.ts"
import { expect } from "vitest"
import * as Values from "../domain/Values.ts"
import * as Tests from "../setup/Tests.ts"

const DEAD = 60
const EVENTS = 30

const endpoint = (organizationId: string, name: string): WebhookEndpoint.WebhookEndpoint =>
  Values.endpoint({
    organizationId,
    endpointId: `${organizationId}-${name}`,
    url: `https://receiver.example/${organizationId}/${name}`,
    createdAt: 0
  })

const events = (organizationId: string, createdAt: number) =>
  Array.from({ length: EVENTS }, (_, index) => ({
    organizationId,
    eventId: `${organizationId}-event-${String(index).padStart(3, "0")}`,
    createdAt: createdAt + index,
    payload: {
      type: "esim.smdp.stateChanged" as const,
      data: { sim: `sim-${index}`, smdpStateChange: { state: "Enable", modificationResult: "Success" } }
    }
  }))

Tests.scoped("endpoints that never answer do not delay others", function* () {
  const delivered: Array<string> = []
  const ports = Ports.make(Clocks.system, ({ eventId, url }) =>
    url.includes("dead")
      ? Effect.never
      : Effect.sync(() => {
          delivered.push(`${url} ${eventId}`)
          return { status: 204 }
        })
  ).pipe(Layer.provideMerge(Memory.layer))
  const context = yield* Layer.build(ports)
  const storage = Context.get(context, Storage.Storage)
  const dead = Array.from({ length: DEAD }, (_, index) => endpoint("many", `dead-${index}`))
  yield* storage.commit({ webhookEndpoints: [...dead, endpoint("many", "live"), endpoint("other", "live")] })
  const now = Date.now()
  yield* storage.commit({ events: events("many", now - 60_000) })
  yield* storage.commit({ events: events("other", now - 10_000) })
  // What does not answer would hold up the end as well.
  const services = Services.layer.pipe(Layer.provide(Layer.succeedContext(context)))
  yield* Effect.forkScoped(
    Effect.provide(
      Worker.Worker.use((of) => of.runForever),
      services
    )
  )
  while (delivered.length < 2 * EVENTS) yield* Effect.sleep(5)
  expect(new Set(delivered).size).toBe(2 * EVENTS)

  const statuses = Effect.map(
    storage.deliveries.page({ organizationId: "other", after: null, limit: 100 }),
    ({ items }) => items.map(({ delivery }) => delivery.status)
  )
  while ((yield* statuses).includes("Pending")) yield* Effect.sleep(5)
  expect(yield* statuses).toEqual(Array.from({ length: EVENTS }, () => "Delivered"))
  // Those to the dead ones are still to come.
  const waiting = yield* storage.deliveries.get({
    organizationId: "many",
    deliveryId: Delivery.deliveryId("many-event-029", "many-dead-0")
  })
  expect(waiting?.delivery.status).toBe("Pending")
})
