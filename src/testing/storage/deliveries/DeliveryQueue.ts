/**
 * The queue of webhook deliveries: they are handed out like jobs, under leases, from a place on and
 * by partitions, which are endpoints; settled, replayed and handed back.
 */
import { Effect } from "effect"
import * as Delivery from "../../../domain/Delivery.ts"
import { HOUR, MINUTE } from "../../../domain/Time.ts"
import type { Claim, Partition } from "../../../ports/Jobs.ts"
import type { DeliveryLease } from "../../../ports/Outbox.ts"
import * as Suite from "../../Suite.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "deliveries are claimed by next attempt and id, up to the limit, with the endpoint as it is now",
    function* (world) {
      const { now, storage } = world
      const endpoint = yield* Rows.storedEndpoint(world)
      const changed = { disabled: { reason: "Organization" as const, at: now }, url: "https://moved.example/" }
      const events = [-3, -3, -2, 0, 1].map((offset) => Rows.event(world, { createdAt: now + offset }))
      yield* storage.commit({ events: events.toReversed() })
      yield* storage.commit({
        webhookEndpoints: [{ ...endpoint, ...changed }]
      })
      const expected = events
        .filter((event) => event.createdAt <= now)
        .sort((a, b) => a.createdAt - b.createdAt || (a.eventId < b.eventId ? -1 : 1))
        .map((event) => ({
          delivery: Delivery.pending(event, endpoint.endpointId),
          event,
          endpoint: {
            ...endpoint,
            ...changed,
            version: 2
          }
        }))
      const first = yield* world.outbox.claim(World.claim(world, { limit: 3 }))
      const second = yield* world.outbox.claim(World.claim(world, { limit: 3 }))
      yield* Suite.equals("the first three", first, expected.slice(0, 3))
      yield* Suite.equals("the rest that is due", second, expected.slice(3))
      yield* Suite.equals("pending", yield* world.outbox.pending(world), { dueAt: now + 1, held: 4 })
      yield* World.finishAll(world)
    }
  ),

  scenario("senders at once never get the same delivery, and together get all", function* (world) {
    yield* Rows.storedEndpoint(world)
    yield* Rows.storedEndpoint(world)
    const events = Array.from({ length: 20 }, () => Rows.event(world))
    yield* world.storage.commit({ events })
    const claims = Effect.map(
      Effect.suspend(() => world.outbox.claim(World.claim(world, { limit: 3 }))),
      (due) => due.map(({ delivery }) => delivery.deliveryId)
    )
    const senders = Array.from({ length: 6 }, () => World.takeAll(2 * events.length, claims))
    const sent = (yield* Effect.all(senders, { concurrency: "unbounded" })).flat()
    const logged = (yield* World.deliveryLog(world)).map(({ delivery }) => delivery.deliveryId)
    yield* Suite.equals("deliveries", logged.length, 40)
    yield* Suite.equals("sent deliveries", sent.toSorted(), logged.toSorted())
    yield* World.finishAll(world)
  }),

  scenario("deliveries are claimed from a place on, and by partitions, which are endpoints", function* (world) {
    const { now, outbox, storage } = world
    const other = yield* World.neighbour(world)
    const endpoints = [Rows.endpoint(world), Rows.endpoint(world), Rows.endpoint(other)]
    yield* storage.commit({ webhookEndpoints: endpoints })
    const mine = [-3, -2, 1].map((offset) => Rows.event(world, { createdAt: now + offset }))
    const theirs = Rows.event(other, { createdAt: now - 1 })
    yield* storage.commit({ events: [...mine, theirs] })
    const partitions = endpoints.map(({ endpointId, organizationId }, index): Partition => {
      const event = index === 2 ? theirs : mine[0]
      const first = { dueAt: event?.createdAt ?? 0, id: `${event?.eventId}:${endpointId}` }
      return { partitionId: endpointId, organizationId, first }
    })
    for (const limit of [1, 100]) {
      yield* Suite.equals(
        `partitions by ${limit}`,
        yield* World.partitions(world, outbox.partitions, limit),
        partitions.toSorted((left, right) => (left.partitionId < right.partitionId ? -1 : 1))
      )
    }
    const [one, , foreign] = partitions
    const shares = [one, foreign].flatMap((partition) =>
      partition === undefined ? [] : [{ ...partition, from: partition.first, limit: 1 }]
    )
    const claimed = yield* outbox.claim(World.claim(world, { shares }))
    yield* Suite.equals(
      "by partitions",
      claimed.map(({ delivery }) => delivery.deliveryId),
      [one?.first.id ?? "", foreign?.first.id ?? ""]
    )
    const from = { dueAt: now - 2, id: "" }
    const { machineNow } = world
    yield* Suite.equals("pending there", (yield* outbox.pending({ now: world.now, machineNow, from })).dueAt, now - 2)
    const there = yield* outbox.claim(World.claim(world, { from }))
    yield* Suite.equals(
      "from a place on",
      there.map(({ event }) => event.eventId),
      [mine[1]?.eventId, mine[1]?.eventId]
    )
    yield* World.finishAll(world)
  }),

  scenario("a settled delivery is due again when it says, or never", function* (world) {
    const { now, storage } = world
    yield* Rows.storedEndpoint(world)
    yield* storage.commit({ events: [Rows.event(world)] })
    const claim = World.claim(world)
    const claimed = yield* World.given("due delivery", (yield* world.outbox.claim(claim))[0])
    const retry: Delivery.Delivery = {
      ...claimed.delivery,
      attempts: 1,
      retryStep: 1,
      responseStatus: 503,
      lastError: "The endpoint answered 503",
      lastAttemptAt: now,
      nextAttemptAt: now + MINUTE
    }
    const settle = (delivery: Delivery.Delivery, token: string) => ({
      deliveries: { settled: [{ delivery, token }] }
    })
    yield* storage.commit(settle(retry, claim.token))
    yield* World.conflicts(world, "settling twice", settle(retry, claim.token), "lease")
    yield* Suite.equals("pending", yield* world.outbox.pending(world), { dueAt: now + MINUTE, held: 0 })
    const early = World.claim(world, { now: now + MINUTE - 1 })
    yield* Suite.equals("too early", yield* world.outbox.claim(early), [])
    const later = World.claim(world, { now: now + MINUTE })
    yield* Suite.equals("in time", yield* world.outbox.claim(later), [{ ...claimed, delivery: retry }])
    const done: Delivery.Delivery = {
      ...retry,
      attempts: 2,
      retryStep: 2,
      status: "Delivered",
      responseStatus: 204,
      lastError: null,
      nextAttemptAt: null
    }
    yield* storage.commit(settle(done, later.token))
    const { event } = claimed
    yield* Suite.equals("the delivery", yield* storage.deliveries.get(done), { delivery: done, event })
    yield* Suite.equals("held", (yield* world.outbox.pending(world)).held, 0)
    const never = World.claim(world, { now: now + HOUR, machineNow: world.machineNow + HOUR })
    yield* Suite.equals("once it is delivered", yield* world.outbox.claim(never), [])
  }),

  scenario(
    "a lease that is over hands the delivery over, and the old token changes nothing any more",
    function* (world) {
      yield* Rows.storedEndpoint(world)
      yield* world.storage.commit({ events: [Rows.event(world)] })
      const slow = World.claim(world)
      const quick = World.claim(world, { machineNow: world.machineNow + MINUTE })
      const { delivery } = yield* World.given("due delivery", (yield* world.outbox.claim(slow))[0])
      const early = World.claim(world, { machineNow: world.machineNow + MINUTE - 1 })
      yield* Suite.equals("before the lease is over", yield* world.outbox.claim(early), [])
      yield* Suite.equals("from its end on", (yield* world.outbox.claim(quick)).length, 1)
      const settle = (token: string) => ({
        deliveries: { settled: [{ delivery: { ...delivery, attempts: 1 }, token }] }
      })
      yield* World.conflicts(world, "settling late", settle(slow.token), "lease")
      yield* Suite.equals(
        "the log",
        (yield* World.deliveryLog(world)).map((row) => row.delivery),
        [delivery]
      )
      yield* world.storage.commit(settle(quick.token))
      yield* World.finishAll(world)
    }
  ),

  scenario(
    "a delivery's renewed lease ends when it says, and one that was lost is not to be had again",
    function* (world) {
      const { machineNow, outbox } = world
      yield* Rows.storedEndpoint(world)
      yield* world.storage.commit({ events: [Rows.event(world), Rows.event(world)] })
      const slow = World.claim(world)
      const { token } = slow
      const [first, second] = (yield* outbox.claim(slow)).map(({ delivery }) => delivery)
      const held = yield* World.given("first delivery", first)
      const other = yield* World.given("second delivery", second)
      const until = machineNow + 3 * MINUTE
      const foreign = { ...other, token: world.id() }
      yield* outbox.renew({ leases: [{ ...held, token }, foreign, { ...held, deliveryId: world.id(), token }], until })
      const taken = (claim: Claim) =>
        Effect.map(outbox.claim(claim), (due) => due.map(({ delivery }) => delivery.deliveryId))
      const quick = World.claim(world, { machineNow: until - 1, until: until + MINUTE })
      yield* Suite.equals("what was not renewed", yield* taken(quick), [other.deliveryId])
      yield* outbox.renew({ leases: [{ ...other, token }], until: until + HOUR })
      const last = World.claim(world, { machineNow: until + MINUTE })
      yield* Suite.equals("once both are over", yield* taken(last), [held.deliveryId, other.deliveryId])
      yield* World.finishAll(world)
    }
  ),

  scenario("a replayed delivery is due again whatever became of it, and its lease is over", function* (world) {
    const { now, storage } = world
    yield* Rows.storedEndpoint(world)
    yield* storage.commit({ events: [Rows.event(world)] })
    const first = World.claim(world)
    const { delivery } = yield* World.given("due delivery", (yield* world.outbox.claim(first))[0])
    const replayed: Delivery.Delivery = { ...delivery, attempts: 4, retryStep: 0, nextAttemptAt: now + 1 }
    yield* storage.commit({ deliveries: { replayed: [replayed] } })
    const late = { deliveries: { settled: [{ delivery, token: first.token }] } }
    yield* World.conflicts(world, "settling the attempt before", late, "lease")
    const second = World.claim(world, { now: now + 1 })
    yield* Suite.equals(
      "held by none",
      (yield* world.outbox.claim(second)).map((due) => due.delivery),
      [replayed]
    )
    const failed: Delivery.Delivery = { ...replayed, status: "Failed", nextAttemptAt: null, attempts: 5 }
    yield* storage.commit({ deliveries: { settled: [{ delivery: failed, token: second.token }] } })
    yield* Suite.equals("once it failed", (yield* storage.deliveries.get(delivery))?.delivery, failed)
    yield* storage.commit({ deliveries: { replayed: [replayed, { ...replayed, deliveryId: world.id() }] } })
    const third = World.claim(world, { now: now + 1 })
    yield* Suite.equals(
      "replayed",
      (yield* world.outbox.claim(third)).map((due) => due.delivery),
      [replayed]
    )
    yield* Suite.equals("the log", (yield* World.deliveryLog(world)).length, 1)
    yield* World.finishAll(world)
  }),

  scenario(
    "what is pending in the outbox has the next attempt and what is held, and releasing ends it",
    function* (world) {
      const { machineNow, now } = world
      yield* Rows.storedEndpoint(world)
      yield* world.storage.commit({
        events: [Rows.event(world, { createdAt: now - 1 }), Rows.event(world, { createdAt: now + 1 })]
      })
      yield* Suite.equals("before", yield* world.outbox.pending(world), { dueAt: now - 1, held: 0 })
      yield* world.outbox.claim(World.claim(world))
      yield* Suite.equals("while it is held", yield* world.outbox.pending(world), { dueAt: now + 1, held: 1 })
      const over = { now, machineNow: machineNow + MINUTE }
      yield* Suite.equals("once it is over", yield* world.outbox.pending(over), { dueAt: now - 1, held: 0 })
      yield* world.outbox.release(world)
      yield* Suite.equals("released", yield* world.outbox.pending(world), { dueAt: now - 1, held: 0 })
      yield* Suite.equals("due again", (yield* world.outbox.claim(World.claim(world))).length, 1)
      yield* World.finishAll(world)
    }
  ),

  scenario("the backlog of deliveries counts what is due and what is held, and since when", function* (world) {
    const { machineNow, now } = world
    const backlog = (at: { readonly machineNow?: number } = {}) => world.outbox.backlog({ now, machineNow, ...at })
    yield* Rows.storedEndpoint(world)
    yield* Suite.equals("of nothing", yield* backlog(), { due: 0, held: 0, oldestDueAt: null })
    yield* world.storage.commit({
      events: [-2, -1, 1].map((offset) => Rows.event(world, { createdAt: now + offset }))
    })
    yield* Suite.equals("before", yield* backlog(), { due: 2, held: 0, oldestDueAt: now - 2 })
    const claim = World.claim(world, { limit: 1 })
    const [due] = yield* world.outbox.claim(claim)
    yield* Suite.equals("one is held", yield* backlog(), { due: 1, held: 1, oldestDueAt: now - 1 })
    const over = { machineNow: machineNow + MINUTE }
    yield* Suite.equals("once that is over", yield* backlog(over), { due: 2, held: 0, oldestDueAt: now - 2 })
    const { delivery } = yield* World.given("due delivery", due)
    const delivered = { ...delivery, status: "Delivered" as const, nextAttemptAt: null }
    yield* world.storage.commit({ deliveries: { settled: [{ delivery: delivered, token: claim.token }] } })
    yield* Suite.equals("one is delivered", yield* backlog(), { due: 1, held: 0, oldestDueAt: now - 1 })
    yield* World.finishAll(world)
  }),

  scenario(
    "handing deliveries back ends their leases where they are held with the token, and no others",
    function* (world) {
      const { now } = world
      yield* Rows.storedEndpoint(world)
      yield* world.storage.commit({
        events: [Rows.event(world, { createdAt: now - 2 }), Rows.event(world, { createdAt: now - 1 })]
      })
      const held: Array<DeliveryLease> = []
      for (const token of [world.id(), world.id()]) {
        const claimed = yield* world.outbox.claim(World.claim(world, { token, limit: 1 }))
        held.push(
          ...claimed.map(({ delivery: { deliveryId, organizationId } }) => ({ organizationId, deliveryId, token }))
        )
      }
      yield* world.outbox.handBack(held.map((one) => ({ ...one, token: world.id() })))
      yield* Suite.equals("of nobody", yield* world.outbox.pending(world), { dueAt: null, held: 2 })
      yield* world.outbox.handBack(held.slice(0, 1))
      yield* Suite.equals("pending", yield* world.outbox.pending(world), { dueAt: now - 2, held: 1 })
      yield* Suite.equals("due again", (yield* world.outbox.claim(World.claim(world))).length, 1)
      yield* World.finishAll(world)
    }
  )
]
