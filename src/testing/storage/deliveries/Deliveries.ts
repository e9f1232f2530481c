/**
 * Webhook deliveries as the commit that causes their event writes them: to which endpoints, and
 * with which body.
 */
import { Effect } from "effect"
import * as Delivery from "../../../domain/Delivery.ts"
import { body, type Payload, type WebhookEvent } from "../../../domain/WebhookEvent.ts"
import type { WebhookEndpoint } from "../../../domain/WebhookEndpoint.ts"
import * as Suite from "../../Suite.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

const byDelivery = <A extends { readonly delivery: Delivery.Delivery }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((a, b) => (a.delivery.deliveryId < b.delivery.deliveryId ? -1 : 1))

const expiring = (world: World.World) => ({
  type: "attachment.expiring" as const,
  data: {
    esim: world.iccid(),
    subscriptionId: world.id(),
    attachmentId: world.id(),
    planId: world.id(),
    activationAt: "2026-01-01T00:00:00.000Z",
    expirationAt: null
  }
})

const payloads = (world: World.World): ReadonlyArray<Payload> => [
  {
    type: "attachment.allowanceConsumed",
    data: {
      usagePercentage: 80,
      dataUsageBytes: 2 ** 53 - 1,
      esim: world.iccid(),
      planId: world.id(),
      attachmentId: world.id(),
      subscriptionId: world.id(),
      metadata: "order 4711"
    }
  },
  {
    type: "subscription.esim.locationChanged",
    data: { esim: world.iccid(), countryIso2: "SE", previousCountryIso2: null }
  },
  {
    type: "esim.smdp.stateChanged",
    data: { sim: world.iccid(), smdpStateChange: { state: "BPP Installation", modificationResult: 'Ok "é" \\ 👍' } }
  }
]

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "an event goes to the endpoints that are enabled, there and take its type, and to no other",
    function* (world) {
      const other = yield* World.neighbour(world)
      const all = yield* Rows.storedEndpoint(world)
      const some = yield* Rows.storedEndpoint(world, {
        events: ["esim.smdp.stateChanged", "attachment.allowanceConsumed"]
      })
      yield* Rows.storedEndpoint(world, { events: ["subscription.esim.locationChanged"] })
      yield* Rows.storedEndpoint(world, { events: [] })
      yield* Rows.storedEndpoint(world, { disabled: { reason: "Organization", at: world.now } })
      yield* Rows.storedEndpoint(world, { deletedAt: world.now })
      const theirs = yield* Rows.storedEndpoint(other)
      const [mine, foreign] = [Rows.event(world), Rows.event(other)]
      yield* world.storage.commit({ events: [mine, foreign] })
      const logged = byDelivery(
        [all, some].map((endpoint) => ({ delivery: Delivery.pending(mine, endpoint.endpointId), event: mine }))
      )
      yield* Suite.equals("the log", byDelivery(yield* World.deliveryLog(world)), logged)
      const due = [
        ...[all, some].map((endpoint) => ({
          delivery: Delivery.pending(mine, endpoint.endpointId),
          event: mine,
          endpoint
        })),
        { delivery: Delivery.pending(foreign, theirs.endpointId), event: foreign, endpoint: theirs }
      ]
      yield* Suite.equals("claimed", yield* world.outbox.claim(World.claim(world)), byDelivery(due))
      yield* World.finishAll(world)
    }
  ),

  scenario(
    "an endpoint that the service has disabled misses what it would receive: kept as failed, and never due",
    function* (world) {
      const at = world.now
      const failing = yield* Rows.storedEndpoint(world, {
        events: ["package.created"],
        disabled: { reason: "Failing", at }
      })
      const gone = yield* Rows.storedEndpoint(world, { disabled: { reason: "Gone", at } })
      yield* Rows.storedEndpoint(world, { disabled: { reason: "Gone", at }, deletedAt: at })
      yield* Rows.storedEndpoint(world, { events: ["package.created"], disabled: { reason: "Organization", at } })
      const created = Rows.event(world, {
        payload: { type: "package.created", data: { ...expiring(world).data, packageId: world.id() } }
      })
      const standard = Rows.event(world)
      yield* world.storage.commit({ events: [created, standard] })
      const missed = (event: WebhookEvent, endpoint: WebhookEndpoint) => ({
        delivery: {
          ...Delivery.pending(event, endpoint.endpointId),
          status: "Failed" as const,
          lastError: "the endpoint is disabled",
          nextAttemptAt: null
        },
        event
      })
      const logged = byDelivery([missed(created, failing), missed(standard, gone)])
      yield* Suite.equals("the log", byDelivery(yield* World.deliveryLog(world)), logged)
      yield* Suite.equals("claimed", yield* world.outbox.claim(World.claim(world)), [])
    }
  ),

  scenario(
    "an opt-in type goes only to an endpoint that names it, and an endpoint without a filter takes the rest",
    function* (world) {
      yield* Rows.storedEndpoint(world)
      const asking = yield* Rows.storedEndpoint(world, { events: ["attachment.expiring", "esim.smdp.stateChanged"] })
      yield* Rows.storedEndpoint(world, { events: ["attachment.expired"] })
      const event = Rows.event(world, { payload: expiring(world) })
      const unasked = Rows.event(world, { payload: { ...expiring(world), type: "attachment.created" } })
      yield* world.storage.commit({ events: [event, unasked] })
      yield* Suite.equals("the log", yield* World.deliveryLog(world), [
        { delivery: Delivery.pending(event, asking.endpointId), event }
      ])
      yield* World.finishAll(world)
    }
  ),

  scenario(
    "the types that filters name are those of endpoints that are enabled or miss events, each once",
    function* (world) {
      const other = yield* World.neighbour(world)
      const { organizationId, storage } = world
      const named = Effect.map(storage.webhookEndpoints.namedTypes({ organizationId }), (types) => types.toSorted())
      yield* Rows.storedEndpoint(world)
      yield* Rows.storedEndpoint(world, { events: [] })
      yield* Suite.equals("without a filter", yield* named, [])
      yield* Rows.storedEndpoint(world, { events: ["attachment.expiring", "subscription.created"] })
      yield* Rows.storedEndpoint(world, { events: ["subscription.created", "esim.smdp.stateChanged"] })
      yield* Rows.storedEndpoint(world, {
        events: ["package.refused"],
        disabled: { reason: "Organization", at: world.now }
      })
      yield* Rows.storedEndpoint(world, {
        events: ["attachment.suspended"],
        disabled: { reason: "Failing", at: world.now }
      })
      yield* Rows.storedEndpoint(world, {
        events: ["package.created"],
        disabled: { reason: "Organization", at: world.now },
        deletedAt: world.now
      })
      yield* Rows.storedEndpoint(other, { events: ["attachment.expired"] })
      yield* Suite.equals("named", yield* named, [
        "attachment.expiring",
        "attachment.suspended",
        "esim.smdp.stateChanged",
        "subscription.created"
      ])
    }
  ),

  scenario("an event's body is the same to the byte when it is claimed and logged", function* (world) {
    yield* Rows.storedEndpoint(world)
    const events = payloads(world).map((payload, index) =>
      Rows.event(world, { createdAt: world.now - 10 + index, payload })
    )
    yield* world.storage.commit({ events })
    const bodies = events.map(body)
    const claimed = yield* world.outbox.claim(World.claim(world))
    yield* Suite.equals(
      "claimed",
      claimed.map(({ event }) => body(event)),
      bodies
    )
    const logged = yield* World.deliveryLog(world)
    yield* Suite.equals(
      "logged",
      logged.map(({ event }) => body(event)),
      bodies.toReversed()
    )
    yield* World.finishAll(world)
  })
]
