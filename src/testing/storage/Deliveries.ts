/**
 * Webhook deliveries: written by the commit that causes their event, handed out like jobs, settled and replayed.
 */
import { Effect } from "effect"
import type { Delivery } from "../../domain/Delivery.ts"
import { HOUR, MINUTE } from "../../domain/Time.ts"
import { body, type Payload, type WebhookEvent } from "../../domain/WebhookEvent.ts"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import type { Claim } from "../../ports/Jobs.ts"
import type { DeliveryLease } from "../../ports/Outbox.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./Rows.ts"
import * as World from "./World.ts"
import { scenario } from "./World.ts"

const fresh = (event: WebhookEvent, { endpointId }: WebhookEndpoint): Delivery => ({
  organizationId: event.organizationId,
  deliveryId: `${event.eventId}:${endpointId}`,
  eventId: event.eventId,
  endpointId,
  status: "Pending",
  attempts: 0,
  retryStep: 0,
  responseStatus: null,
  lastError: null,
  lastAttemptAt: null,
  nextAttemptAt: event.createdAt,
  createdAt: event.createdAt
})

const byDelivery = <A extends { readonly delivery: Delivery }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((a, b) => (a.delivery.deliveryId < b.delivery.deliveryId ? -1 : 1))

const log = (world: World.World) =>
  world.storage.deliveries.page({ organizationId: world.organizationId, after: null, limit: 1_000 })

/** An endpoint as it is stored once it was written. */
const hooked = (world: World.World, changes: Partial<WebhookEndpoint> = {}) => {
  const endpoint = Rows.endpoint(world, changes)
  return Effect.as(world.storage.commit({ webhookEndpoints: [endpoint] }), { ...endpoint, version: 1 })
}

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
      attachmentId: world.id()
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
  scenario("an event goes to the endpoints that are enabled, there and take its type, and to no other", (world) =>
    Effect.gen(function* () {
      const other = yield* World.neighbour(world)
      const all = yield* hooked(world)
      const some = yield* hooked(world, { events: ["esim.smdp.stateChanged", "attachment.allowanceConsumed"] })
      yield* hooked(world, { events: ["subscription.esim.locationChanged"] })
      yield* hooked(world, { events: [] })
      yield* hooked(world, { disabled: { reason: "Organization", at: world.now } })
      yield* hooked(world, { deletedAt: world.now })
      const theirs = yield* hooked(other)
      const [mine, foreign] = [Rows.event(world), Rows.event(other)]
      yield* world.storage.commit({ events: [mine, foreign] })
      const logged = byDelivery([all, some].map((endpoint) => ({ delivery: fresh(mine, endpoint), event: mine })))
      yield* Suite.equals("the log", byDelivery(yield* log(world)), logged)
      const due = [
        ...[all, some].map((endpoint) => ({ delivery: fresh(mine, endpoint), event: mine, endpoint })),
        { delivery: fresh(foreign, theirs), event: foreign, endpoint: theirs }
      ]
      yield* Suite.equals("claimed", yield* world.outbox.claim(World.claim(world)), byDelivery(due))
      yield* World.finishAll(world)
    })
  ),

  scenario(
    "an endpoint that the service has disabled misses what it would receive: kept as failed, and never due",
    (world) =>
      Effect.gen(function* () {
        const at = world.now
        const failing = yield* hooked(world, { events: ["package.created"], disabled: { reason: "Failing", at } })
        const gone = yield* hooked(world, { disabled: { reason: "Gone", at } })
        yield* hooked(world, { disabled: { reason: "Gone", at }, deletedAt: at })
        yield* hooked(world, { events: ["package.created"], disabled: { reason: "Organization", at } })
        const created = Rows.event(world, {
          payload: { type: "package.created", data: { ...expiring(world).data, packageId: world.id() } }
        })
        const standard = Rows.event(world)
        yield* world.storage.commit({ events: [created, standard] })
        const missed = (event: WebhookEvent, endpoint: WebhookEndpoint) => ({
          delivery: {
            ...fresh(event, endpoint),
            status: "Failed" as const,
            lastError: "the endpoint is disabled",
            nextAttemptAt: null
          },
          event
        })
        const logged = byDelivery([missed(created, failing), missed(standard, gone)])
        yield* Suite.equals("the log", byDelivery(yield* log(world)), logged)
        yield* Suite.equals("claimed", yield* world.outbox.claim(World.claim(world)), [])
      })
  ),

  scenario(
    "an opt-in type goes only to an endpoint that names it, and an endpoint without a filter takes the rest",
    (world) =>
      Effect.gen(function* () {
        yield* hooked(world)
        const asking = yield* hooked(world, { events: ["attachment.expiring", "esim.smdp.stateChanged"] })
        yield* hooked(world, { events: ["attachment.expired"] })
        const event = Rows.event(world, { payload: expiring(world) })
        const unasked = Rows.event(world, { payload: { ...expiring(world), type: "attachment.created" } })
        yield* world.storage.commit({ events: [event, unasked] })
        yield* Suite.equals("the log", yield* log(world), [{ delivery: fresh(event, asking), event }])
        yield* World.finishAll(world)
      })
  ),

  scenario("the types that filters name are those of endpoints that are enabled or miss events, each once", (world) =>
    Effect.gen(function* () {
      const other = yield* World.neighbour(world)
      const { organizationId, storage } = world
      const named = Effect.map(storage.webhookEndpoints.namedTypes({ organizationId }), (types) => types.toSorted())
      yield* hooked(world)
      yield* hooked(world, { events: [] })
      yield* Suite.equals("without a filter", yield* named, [])
      yield* hooked(world, { events: ["attachment.expiring", "subscription.created"] })
      yield* hooked(world, { events: ["subscription.created", "esim.smdp.stateChanged"] })
      yield* hooked(world, { events: ["package.refused"], disabled: { reason: "Organization", at: world.now } })
      yield* hooked(world, { events: ["attachment.suspended"], disabled: { reason: "Failing", at: world.now } })
      yield* hooked(world, {
        events: ["package.created"],
        disabled: { reason: "Organization", at: world.now },
        deletedAt: world.now
      })
      yield* hooked(other, { events: ["attachment.expired"] })
      yield* Suite.equals("named", yield* named, [
        "attachment.expiring",
        "attachment.suspended",
        "esim.smdp.stateChanged",
        "subscription.created"
      ])
    })
  ),

  scenario("an event's body is the same to the byte when it is claimed and logged", (world) =>
    Effect.gen(function* () {
      yield* hooked(world)
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
      const logged = yield* log(world)
      yield* Suite.equals(
        "logged",
        logged.map(({ event }) => body(event)),
        bodies.toReversed()
      )
      yield* World.finishAll(world)
    })
  ),

  scenario("deliveries are claimed by next attempt and id, up to the limit, with the endpoint as it is now", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const endpoint = yield* hooked(world)
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
          delivery: fresh(event, endpoint),
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
    })
  ),

  scenario("senders at once never get the same delivery, and together get all", (world) =>
    Effect.gen(function* () {
      yield* hooked(world)
      yield* hooked(world)
      const events = Array.from({ length: 20 }, () => Rows.event(world))
      yield* world.storage.commit({ events })
      const claims = Effect.map(
        Effect.suspend(() => world.outbox.claim(World.claim(world, { limit: 3 }))),
        (due) => due.map(({ delivery }) => delivery.deliveryId)
      )
      const senders = Array.from({ length: 6 }, () => World.takeAll(2 * events.length, claims))
      const sent = (yield* Effect.all(senders, { concurrency: "unbounded" })).flat()
      const logged = (yield* log(world)).map(({ delivery }) => delivery.deliveryId)
      yield* Suite.equals("deliveries", logged.length, 40)
      yield* Suite.equals("sent deliveries", sent.toSorted(), logged.toSorted())
      yield* World.finishAll(world)
    })
  ),

  scenario("a settled delivery is due again when it says, or never", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      yield* hooked(world)
      yield* storage.commit({ events: [Rows.event(world)] })
      const claim = World.claim(world)
      const claimed = yield* World.given("due delivery", (yield* world.outbox.claim(claim))[0])
      const retry: Delivery = {
        ...claimed.delivery,
        attempts: 1,
        retryStep: 1,
        responseStatus: 503,
        lastError: "The endpoint answered 503",
        lastAttemptAt: now,
        nextAttemptAt: now + MINUTE
      }
      const settle = (delivery: Delivery, token: string) => ({ deliveries: { settled: [{ delivery, token }] } })
      yield* storage.commit(settle(retry, claim.token))
      yield* World.conflicts(world, "settling twice", settle(retry, claim.token), "lease")
      yield* Suite.equals("pending", yield* world.outbox.pending(world), { dueAt: now + MINUTE, held: 0 })
      const early = World.claim(world, { now: now + MINUTE - 1 })
      yield* Suite.equals("too early", yield* world.outbox.claim(early), [])
      const later = World.claim(world, { now: now + MINUTE })
      yield* Suite.equals("in time", yield* world.outbox.claim(later), [{ ...claimed, delivery: retry }])
      const done: Delivery = {
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
    })
  ),

  scenario("a lease that is over hands the delivery over, and the old token changes nothing any more", (world) =>
    Effect.gen(function* () {
      yield* hooked(world)
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
        (yield* log(world)).map((row) => row.delivery),
        [delivery]
      )
      yield* world.storage.commit(settle(quick.token))
      yield* World.finishAll(world)
    })
  ),

  scenario("a delivery's renewed lease ends when it says, and one that was lost is not to be had again", (world) =>
    Effect.gen(function* () {
      const { machineNow, outbox } = world
      yield* hooked(world)
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
    })
  ),

  scenario("a replayed delivery is due again whatever became of it, and its lease is over", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      yield* hooked(world)
      yield* storage.commit({ events: [Rows.event(world)] })
      const first = World.claim(world)
      const { delivery } = yield* World.given("due delivery", (yield* world.outbox.claim(first))[0])
      const replayed: Delivery = { ...delivery, attempts: 4, retryStep: 0, nextAttemptAt: now + 1 }
      yield* storage.commit({ deliveries: { replayed: [replayed] } })
      const late = { deliveries: { settled: [{ delivery, token: first.token }] } }
      yield* World.conflicts(world, "settling the attempt before", late, "lease")
      const second = World.claim(world, { now: now + 1 })
      yield* Suite.equals(
        "held by none",
        (yield* world.outbox.claim(second)).map((due) => due.delivery),
        [replayed]
      )
      const failed: Delivery = { ...replayed, status: "Failed", nextAttemptAt: null, attempts: 5 }
      yield* storage.commit({ deliveries: { settled: [{ delivery: failed, token: second.token }] } })
      yield* Suite.equals("once it failed", (yield* storage.deliveries.get(delivery))?.delivery, failed)
      yield* storage.commit({ deliveries: { replayed: [replayed, { ...replayed, deliveryId: world.id() }] } })
      const third = World.claim(world, { now: now + 1 })
      yield* Suite.equals(
        "replayed",
        (yield* world.outbox.claim(third)).map((due) => due.delivery),
        [replayed]
      )
      yield* Suite.equals("the log", (yield* log(world)).length, 1)
      yield* World.finishAll(world)
    })
  ),

  scenario("what is pending in the outbox tells the next attempt and what is held, and releasing ends it", (world) =>
    Effect.gen(function* () {
      const { machineNow, now } = world
      yield* hooked(world)
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
    })
  ),

  scenario("the backlog of deliveries counts what is due and what is held, and tells since when", (world) =>
    Effect.gen(function* () {
      const { machineNow, now } = world
      const backlog = (at: { readonly machineNow?: number } = {}) => world.outbox.backlog({ now, machineNow, ...at })
      yield* hooked(world)
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
    })
  ),

  scenario("handing deliveries back ends their leases where they are held with the token, and no others", (world) =>
    Effect.gen(function* () {
      const { now } = world
      yield* hooked(world)
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
    })
  )
]
