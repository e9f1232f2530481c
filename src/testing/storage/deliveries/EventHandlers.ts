/**
 * Handlers of events (rule E2): what is due to them, in order per SIM, and that endpoints and their
 * log see none of it.
 */
import { Effect } from "effect"
import * as Delivery from "../../../domain/Delivery.ts"
import * as EventHandler from "../../../domain/EventHandler.ts"
import { MINUTE } from "../../../domain/Time.ts"
import type { FilterType, Payload } from "../../../domain/WebhookEvent.ts"
import type { HandlerClaim } from "../../../ports/Outbox.ts"
import * as Suite from "../../Suite.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

const TYPE = "esim.smdp.stateChanged"

const handler = (world: World.World, changes: Partial<EventHandler.EventHandler> = {}): EventHandler.EventHandler => ({
  name: `handler-${world.id()}`,
  types: [TYPE],
  organizationId: null,
  createdAt: world.now,
  ...changes
})

const remove = (world: World.World, names: ReadonlyArray<string>) =>
  Effect.ignore(world.storage.commit({ eventHandlers: { removed: names } }))

/** Has these handlers until the case ends: they would take the events of other cases too. */
const having = (world: World.World, handlers: ReadonlyArray<EventHandler.EventHandler>) =>
  Effect.acquireRelease(world.storage.commit({ eventHandlers: { put: handlers } }), () =>
    remove(
      world,
      handlers.map(({ name }) => name)
    )
  )

const about = (iccid: string, type: typeof TYPE = TYPE): Payload => ({
  type,
  data: { sim: iccid, smdpStateChange: { state: "Enable", modificationResult: "Success" } }
})

const claimOf = (
  world: World.World,
  { name }: { readonly name: string },
  changes: Partial<HandlerClaim> = {}
): HandlerClaim => {
  const { limit, machineNow, now, token, until } = World.claim(world)
  return { limit, machineNow, now, token, until, handler: name, ...changes }
}

const eventIds = (claimed: ReadonlyArray<Delivery.LoggedDelivery>) => claimed.map(({ event }) => event.eventId)

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "an event goes to the handlers that take its type, in any organization or their own, and to no other",
    function* (world) {
      const other = yield* World.neighbour(world)
      const all = handler(world)
      const own = handler(world, { organizationId: world.organizationId })
      const theirs = handler(world, { organizationId: other.organizationId })
      const silent = handler(world, { types: ["attachment.expired", "subscription.created"] })
      const handlers = [all, own, theirs, silent]
      yield* having(world, handlers)
      const event = Rows.event(world)
      const test = Rows.event(world, {
        payload: { type: "endpoint.test", data: { webhookEndpointId: world.id() } }
      })
      yield* world.storage.commit({ events: [event, test] })
      const expected = (of: EventHandler.EventHandler) => [
        { delivery: Delivery.pending(event, EventHandler.endpointId(of.name)), event }
      ]
      for (const [of, due] of [
        [all, expected(all)],
        [own, expected(own)],
        [theirs, []],
        [silent, []]
      ] as const) {
        yield* Suite.equals(of.name, yield* world.outbox.claimForHandler(claimOf(world, of)), due)
      }
      const query = { organizationId: world.organizationId, after: null, limit: 100 }
      yield* Suite.equals("the log of endpoints", yield* World.items(world.storage.deliveries.page(query)), [])
      const named = {
        organizationId: world.organizationId,
        deliveryId: expected(all)[0]?.delivery.deliveryId ?? ""
      }
      yield* Suite.equals("in that log by its id", yield* world.storage.deliveries.get(named), null)
      yield* Suite.equals("due to endpoints", yield* world.outbox.claim(World.claim(world)), [])
      yield* Suite.equals("pending for endpoints", (yield* world.outbox.pending(world)).held, 0)
    }
  ),

  scenario("what handlers take counts among the types that are named, until they are removed", function* (world) {
    const { organizationId, storage } = world
    const named = Effect.map(storage.webhookEndpoints.namedTypes({ organizationId }), (types) => types.toSorted())
    const types: ReadonlyArray<FilterType> = ["attachment.expired", "package.created"]
    const all = handler(world, { types })
    const foreign = handler(world, { types: ["attachment.expiring"], organizationId: world.id() })
    yield* storage.commit({
      webhookEndpoints: [Rows.endpoint(world, { events: ["package.created", "package.refused"] })]
    })
    const whileTaken = Effect.gen(function* () {
      yield* having(world, [all, foreign])
      yield* Suite.equals("types", yield* named, ["attachment.expired", "package.created", "package.refused"])
      const changed = { ...all, types: ["attachment.created"] as const, createdAt: world.now + 1 }
      yield* storage.commit({ eventHandlers: { put: [changed] } })
      const listed = (yield* storage.eventHandlers.list).filter(({ name }) => name === all.name)
      yield* Suite.equals("registered again", listed, [{ ...changed, createdAt: world.now }])
      yield* Suite.equals("types then", yield* named, ["attachment.created", "package.created", "package.refused"])
    })
    yield* Effect.scoped(whileTaken)
    yield* Suite.equals("types at the end", yield* named, ["package.created", "package.refused"])
  }),

  scenario(
    "of a SIM's deliveries to a handler the next is handed out once the one before is settled",
    function* (world) {
      const { machineNow, now, outbox, storage } = world
      const [one, other] = [handler(world), handler(world)]
      const [busy, quiet] = [world.iccid(), world.iccid()]
      const event = (iccid: string, place: number) =>
        Rows.event(world, { createdAt: now - 10 + place, payload: about(iccid) })
      const [first, second, third] = [event(busy, 0), event(busy, 1), event(busy, 2)]
      const apart = event(quiet, 1)
      yield* having(world, [one, other])
      yield* storage.commit({ events: [first, second, third, apart] })
      const claim = claimOf(world, one)
      const claimed = yield* outbox.claimForHandler(claim)
      yield* Suite.equals("the first of each SIM", eventIds(claimed), [first.eventId, apart.eventId])
      yield* Suite.equals("while they are held", yield* outbox.claimForHandler(claimOf(world, one)), [])
      const pendingQuery = { now, machineNow, handler: one.name }
      yield* Suite.equals("pending", yield* outbox.pendingForHandler(pendingQuery), { dueAt: null, held: 2 })
      yield* Suite.equals(
        "of another handler",
        eventIds(yield* outbox.claimForHandler(claimOf(world, other, { limit: 1 }))),
        [first.eventId]
      )

      const held = yield* World.given("delivery", claimed[0])
      const retried: Delivery.Delivery = {
        ...held.delivery,
        attempts: 1,
        retryStep: 1,
        nextAttemptAt: now + MINUTE
      }
      yield* storage.commit({ deliveries: { settled: [{ delivery: retried, token: claim.token }] } })
      yield* Suite.equals("while the first is tried again", yield* outbox.claimForHandler(claimOf(world, one)), [])
      yield* Suite.equals("pending then", yield* outbox.pendingForHandler(pendingQuery), {
        dueAt: now + MINUTE,
        held: 1
      })

      const again = claimOf(world, one, { now: now + MINUTE })
      yield* Suite.equals("again", eventIds(yield* outbox.claimForHandler(again)), [first.eventId])
      const done = { ...retried, status: "Delivered", nextAttemptAt: null } as const
      yield* storage.commit({ deliveries: { settled: [{ delivery: done, token: again.token }] } })
      const next = claimOf(world, one)
      const second_ = yield* outbox.claimForHandler(next)
      yield* Suite.equals("once it is delivered", eventIds(second_), [second.eventId])
      const lost = yield* World.given("delivery", second_[0])
      const failed = { ...lost.delivery, status: "Failed", nextAttemptAt: null } as const
      yield* storage.commit({ deliveries: { settled: [{ delivery: failed, token: next.token }] } })
      yield* Suite.equals("once it is given up", eventIds(yield* outbox.claimForHandler(claimOf(world, one))), [
        third.eventId
      ])
    }
  ),

  scenario(
    "what was given up for a handler is listed oldest first, of all organizations, until it is replayed",
    function* (world) {
      const { now, outbox, storage } = world
      const [one, other] = [handler(world), handler(world)]
      const neighbour = yield* World.neighbour(world)
      const event = (place: number, organizationId = world.organizationId) =>
        Rows.event(world, { organizationId, createdAt: now - 10 + place, payload: about(world.iccid()) })
      const events = [event(1), event(3, neighbour.organizationId), event(0), event(2), event(4)]
      yield* having(world, [one, other])
      yield* storage.commit({ events })
      const failed = (query: object = {}) =>
        storage.eventHandlers.failed({ name: one.name, eventId: null, after: null, limit: 10, ...query })
      yield* Suite.equals("while nothing is given up", yield* failed(), [])
      const claim = claimOf(world, one, { limit: 10 })
      const claimed = yield* outbox.claimForHandler(claim)
      const [pending, ...lost] = claimed.toReversed()
      const kept = yield* World.given("delivery", pending)
      const given = lost.toReversed().map(({ delivery, event: of }) => ({
        event: of,
        delivery: { ...delivery, status: "Failed", attempts: 10, lastError: "no", nextAttemptAt: null } as const
      }))
      const settled = given.map(({ delivery }) => ({ delivery, token: claim.token }))
      yield* storage.commit({ deliveries: { settled } })
      yield* Suite.equals("all", yield* failed(), given)
      const first = yield* failed({ limit: 3 })
      yield* Suite.equals("a page", first, given.slice(0, 3))
      const last = yield* World.given("the last one", first[2])
      const after = { createdAt: last.delivery.createdAt, id: last.delivery.deliveryId }
      yield* Suite.equals("the next page", yield* failed({ limit: 3, after }), given.slice(3))
      yield* Suite.equals("of an event", yield* failed({ eventId: last.event.eventId }), [last])
      yield* Suite.equals("of an event that is pending", yield* failed({ eventId: kept.event.eventId }), [])
      yield* Suite.equals("of the other handler", yield* failed({ name: other.name }), [])
      yield* Suite.equals("by its id", yield* storage.eventHandlers.delivery(last.delivery), last)
      const stranger = { ...last.delivery, organizationId: world.id() }
      yield* Suite.equals("of nobody", yield* storage.eventHandlers.delivery(stranger), null)
      const replayed = { ...last.delivery, status: "Pending", retryStep: 0, nextAttemptAt: now } as const
      yield* storage.commit({ deliveries: { replayed: [replayed] } })
      yield* Suite.equals("once one is replayed", (yield* failed()).length, given.length - 1)
      const again = yield* outbox.claimForHandler(claimOf(world, one))
      yield* Suite.equals("handed out again", eventIds(again), [last.event.eventId])
    }
  ),

  scenario("a lease on a delivery to a handler ends, is renewed and handed back like any other", function* (world) {
    const { machineNow, organizationId, outbox, storage } = world
    const registered = handler(world)
    const events = [Rows.event(world)]
    yield* having(world, [registered])
    yield* storage.commit({ events })
    const claim = claimOf(world, registered)
    const { delivery } = yield* World.given("delivery", (yield* outbox.claimForHandler(claim))[0])
    const lease = { organizationId, deliveryId: delivery.deliveryId, token: claim.token }
    yield* outbox.renew({ leases: [lease], until: machineNow + 3 * MINUTE })
    const later = claimOf(world, registered, { machineNow: machineNow + 2 * MINUTE })
    yield* Suite.equals("while it is renewed", yield* outbox.claimForHandler(later), [])
    const over = claimOf(world, registered, { machineNow: machineNow + 3 * MINUTE, until: machineNow + 4 * MINUTE })
    yield* Suite.equals("once it is over", (yield* outbox.claimForHandler(over)).length, 1)
    const late = { deliveries: { settled: [{ delivery, token: claim.token }] } }
    yield* World.conflicts(world, "settling under the lost lease", late, "lease")
    yield* outbox.handBack([{ ...lease, token: over.token }])
    const last = claimOf(world, registered)
    yield* Suite.equals("once it is handed back", (yield* outbox.claimForHandler(last)).length, 1)
    yield* outbox.release(world)
    yield* Suite.equals("once all are released", (yield* outbox.claimForHandler(claimOf(world, registered))).length, 1)
  }),

  scenario(
    "what is due to a handler that is removed is given up, and an event with a pending one is not purged",
    function* (world) {
      const { now, outbox, storage } = world
      const registered = handler(world)
      const old = { before: now + 1, limit: 100 }
      yield* having(world, [registered])
      yield* storage.commit({ events: [Rows.event(world)] })
      const claim = claimOf(world, registered)
      const { delivery } = yield* World.given("delivery", (yield* outbox.claimForHandler(claim))[0])
      yield* storage.purgeEvents(old)
      const attempt = Delivery.logged(delivery, { _tag: "Threw", message: "no" }, now, null)
      const settled = { delivery: { ...delivery, attempts: 1 }, token: claim.token, attempt }
      yield* storage.commit({ deliveries: { settled: [settled] } })
      const second = claimOf(world, registered)
      yield* Suite.equals("kept", (yield* outbox.claimForHandler(second)).length, 1)
      yield* remove(world, [registered.name])
      const late = { deliveries: { settled: [{ delivery, token: second.token }] } }
      yield* World.conflicts(world, "settling it then", late, "lease")
      yield* storage.commit({ eventHandlers: { put: [registered] }, events: [] })
      yield* Suite.equals("registered anew", yield* outbox.claimForHandler(claimOf(world, registered)), [])
      yield* storage.purgeEvents(old)
    }
  )
]
