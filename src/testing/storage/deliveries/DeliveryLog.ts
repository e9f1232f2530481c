/**
 * The log of webhook deliveries: its filter, the attempts, what the attempts show of an endpoint,
 * and its purge (rule W12); and events that are about an endpoint.
 */
import { Effect } from "effect"
import { type Answer, type Delivery, LAST_ATTEMPTS, type LoggedAttempt } from "../../../domain/Delivery.ts"
import { HOUR, type Instant, MINUTE } from "../../../domain/Time.ts"
import type { WebhookEndpoint } from "../../../domain/WebhookEndpoint.ts"
import type { DeliveryFilter } from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

const attempt = (number: number, at: Instant, changes: Partial<LoggedAttempt> = {}): LoggedAttempt => ({
  number,
  at,
  durationMillis: 12,
  responseStatus: 503,
  error: "status 503",
  responseBody: 'down, "sorry" \\ é 👍\n',
  ...changes
})

const success = { responseStatus: 200, error: null, responseBody: "" } as const

/** Claims the only due delivery and settles it with an attempt; it stays pending. */
const made = (world: World.World, logged: LoggedAttempt) =>
  Effect.gen(function* () {
    const claim = World.claim(world, { now: logged.at })
    const { delivery } = yield* World.given("due delivery", (yield* world.outbox.claim(claim))[0])
    const next = { ...delivery, attempts: logged.number, lastAttemptAt: logged.at, nextAttemptAt: logged.at }
    yield* world.storage.commit({ deliveries: { settled: [{ delivery: next, token: claim.token, attempt: logged }] } })
    return next
  })

/** The ids of the endpoints that an event went to. */
const receivers = (world: World.World) =>
  Effect.map(World.deliveryLog(world), (logged) => logged.map(({ delivery }) => delivery.endpointId).toSorted())

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("each attempt of a delivery is logged with the commit that settles it", function* (world) {
    const { now, storage } = world
    yield* Rows.storedEndpoint(world)
    const other = yield* World.neighbour(world)
    yield* storage.commit({ events: [Rows.event(world)] })
    const attempts = [
      attempt(1, now),
      attempt(2, now + MINUTE, { durationMillis: null, responseStatus: null, error: "refused", responseBody: null }),
      attempt(3, now + HOUR, success)
    ]
    let delivery: Delivery | undefined
    for (const one of attempts) delivery = yield* made(world, one)
    const { deliveryId } = yield* World.given("delivery", delivery)
    const logged = storage.deliveries.attempts({ ...World.of(world), deliveryId })
    yield* Suite.equals("the attempts, newest first", yield* logged, attempts.toReversed())
    const theirs = yield* storage.deliveries.attempts({ ...World.of(other), deliveryId })
    yield* Suite.equals("what another organization sees", theirs, [])
    const lately = (of: World.World) =>
      storage.deliveries.lastAttempts({ ...World.of(of), deliveryIds: [world.id(), deliveryId] })
    const short = attempts.map(({ responseBody: _, ...one }) => one).toReversed()
    yield* Suite.equals("of several deliveries", yield* lately(world), [{ deliveryId, attempts: short }])
    yield* Suite.equals("of another organization's", yield* lately(other), [])
    const again = attempt(3, now + 2 * HOUR)
    yield* made(world, again)
    yield* Suite.equals("one of the same number", (yield* logged)[0], again)
    yield* Suite.equals("their number", (yield* logged).length, 3)
    yield* World.finishAll(world)
    yield* Suite.equals("after a settlement without an attempt", (yield* logged).length, 3)
  }),

  scenario("of several deliveries the last attempts are read, and of one that was not tried none", function* (world) {
    const { now, storage } = world
    yield* Rows.storedEndpoint(world)
    yield* storage.commit({ events: [Rows.event(world)] })
    const numbers = Array.from({ length: LAST_ATTEMPTS + 2 }, (_, index) => index + 1)
    const deliveries = yield* Effect.forEach(numbers, (number) => made(world, attempt(number, now + number)))
    const { deliveryId } = yield* World.given("delivery", deliveries[0])
    yield* storage.commit({ events: [Rows.event(world)] })
    const logged = yield* World.deliveryLog(world)
    const deliveryIds = logged.map(({ delivery }) => delivery.deliveryId)
    const found = yield* storage.deliveries.lastAttempts({ ...World.of(world), deliveryIds })
    yield* Suite.equals(
      "the numbers of the attempts",
      found.map((one) => ({ deliveryId: one.deliveryId, numbers: one.attempts.map(({ number }) => number) })),
      [{ deliveryId, numbers: numbers.slice(2).toReversed() }]
    )
    yield* World.finishAll(world)
  }),

  scenario(
    "old events are purged in steps with deliveries and attempts, and one with a pending delivery stays",
    function* (world) {
      const { now, storage } = world
      const purge = (limit: number) => storage.purgeEvents({ before: now - 1, limit })
      while ((yield* purge(1_000)) > 0);
      yield* Rows.storedEndpoint(world)
      const second = yield* Rows.storedEndpoint(world)
      const events = [-6, -5, -4, -3, -2, -1, 0].map((at) => Rows.event(world, { createdAt: now + at }))
      yield* storage.commit({ events })
      const claim = World.claim(world)
      const claimed = yield* world.outbox.claim(claim)
      yield* Suite.equals("claimed deliveries", claimed.length, 14)
      const waits = (delivery: Delivery) =>
        delivery.eventId === events[1]?.eventId && delivery.endpointId === second.endpointId
      const settled = claimed.map(({ delivery }) => ({
        delivery: waits(delivery) ? delivery : { ...delivery, status: "Failed" as const, nextAttemptAt: null },
        token: claim.token,
        attempt: attempt(1, now)
      }))
      yield* storage.commit({ deliveries: { settled } })
      const replayed = claimed.filter(({ delivery }) => delivery.eventId === events[3]?.eventId).slice(0, 1)
      yield* storage.commit({ deliveries: { replayed: replayed.map(({ delivery }) => delivery) } })
      const steps = [yield* purge(2), yield* purge(2), yield* purge(2)]
      yield* Suite.equals("how many events went in each step", steps, [2, 1, 0])
      const isKept = ({ delivery }: (typeof claimed)[number]) =>
        [1, 3, 5, 6].some((index) => events[index]?.eventId === delivery.eventId)
      for (const one of claimed) {
        const found = yield* storage.deliveries.get(one.delivery)
        yield* Suite.equals("whether the delivery is kept", found !== null, isKept(one))
        const attempts = yield* storage.deliveries.attempts(one.delivery)
        yield* Suite.equals("its attempts", attempts.length, isKept(one) ? 1 : 0)
      }
      const logged = yield* World.deliveryLog(world)
      yield* Suite.equals("the log", logged.length, 8)
      yield* World.finishAll(world)
      yield* Suite.equals("how many went once they were done", yield* purge(10), 2)
    }
  ),

  scenario("no attempt is logged by a commit that fails", function* (world) {
    const { now, storage } = world
    yield* Rows.storedEndpoint(world)
    yield* storage.commit({ events: [Rows.event(world)] })
    const delivery = yield* made(world, attempt(1, now))
    const late = { delivery, token: world.id(), attempt: attempt(2, now) }
    yield* World.conflicts(world, "settling without a lease", { deliveries: { settled: [late] } }, "lease")
    yield* Suite.equals("the attempts", (yield* storage.deliveries.attempts(delivery)).length, 1)
    yield* World.finishAll(world)
  }),

  scenario("the log is filtered by status, type, endpoint, SIM and time", function* (world) {
    const { now, storage } = world
    const names = ["esim.smdp.stateChanged", "subscription.esim.locationChanged"] as const
    const first = yield* Rows.storedEndpoint(world)
    const second = yield* Rows.storedEndpoint(world, { events: [names[0]] })
    const moved = {
      type: names[1],
      data: { esim: world.iccid(), countryIso2: "SE", previousCountryIso2: null }
    }
    const events = [Rows.event(world), Rows.event(world, { createdAt: now + 10, payload: moved })]
    yield* storage.commit({ events })
    const [state, location] = events.map(({ eventId }) => eventId)
    const claim = World.claim(world, { now })
    const [due] = (yield* world.outbox.claim(claim)).filter((one) => one.endpoint.endpointId === first.endpointId)
    const { delivery } = yield* World.given("due delivery", due)
    const failed = { ...delivery, status: "Failed" as const, nextAttemptAt: null }
    yield* storage.commit({ deliveries: { settled: [{ delivery: failed, token: claim.token }] } })
    const found = (filter: DeliveryFilter, limit = 100) =>
      Effect.map(storage.deliveries.page({ ...World.of(world), ...filter, after: null, limit }), ({ items }) =>
        items.map((row) => row.delivery.deliveryId).toSorted()
      )
    const [ofFirst, ofSecond, ofLocation] = [
      `${state}:${first.endpointId}`,
      `${state}:${second.endpointId}`,
      `${location}:${first.endpointId}`
    ]
    const sorted = (...ids: ReadonlyArray<string>) => ids.toSorted()
    const { iccid } = { iccid: moved.data.esim }
    const expected: ReadonlyArray<readonly [string, DeliveryFilter, ReadonlyArray<string>]> = [
      ["nothing", {}, sorted(ofFirst, ofSecond, ofLocation)],
      ["failed", { statuses: ["Failed"] }, [ofFirst]],
      ["failed or pending", { statuses: ["Failed", "Pending"] }, sorted(ofFirst, ofSecond, ofLocation)],
      ["delivered", { statuses: ["Delivered"] }, []],
      ["type", { type: names[1] }, [ofLocation]],
      ["endpoint", { endpointId: second.endpointId }, [ofSecond]],
      ["an endpoint that is not there", { endpointId: world.id() }, []],
      ["SIM", { iccid }, [ofLocation]],
      ["SIM of a state", { iccid: Reflect.get(events[0]?.payload.data ?? {}, "sim") }, sorted(ofFirst, ofSecond)],
      ["from", { from: now + 10 }, [ofLocation]],
      ["to", { to: now + 10 }, sorted(ofFirst, ofSecond)],
      ["from and to", { from: now + 1, to: now + 10 }, []],
      [
        "all",
        { statuses: ["Pending"], type: names[0], endpointId: second.endpointId, from: now, to: now + 1 },
        [ofSecond]
      ]
    ]
    for (const [what, filter, ids] of expected) yield* Suite.equals(what, yield* found(filter), ids)
    yield* Suite.equals("a page of one", (yield* found({ type: names[0] }, 1)).length, 1)
    yield* World.finishAll(world)
  }),

  scenario("an endpoint has failed since the first failure after its last success", function* (world) {
    const { now, storage } = world
    const { endpointId } = yield* Rows.storedEndpoint(world)
    yield* storage.commit({ events: [Rows.event(world)] })
    const query = { ...World.of(world), endpointId }
    const since = (from: Instant, createdFrom = now) =>
      storage.webhookEndpoints.failingSince({ ...query, from, createdFrom })
    yield* Suite.equals("before any attempt", yield* since(now), null)
    yield* made(world, attempt(1, now))
    yield* made(world, attempt(2, now + MINUTE))
    yield* Suite.equals("after two failures", yield* since(now), now)
    yield* Suite.equals("from the second on", yield* since(now + 1), now + MINUTE)
    yield* Suite.equals("of later deliveries", yield* since(now, now + 1), null)
    yield* made(world, attempt(3, now + 2 * MINUTE, success))
    yield* Suite.equals("after a success", yield* since(now), null)
    yield* made(world, attempt(4, now + 3 * MINUTE))
    yield* made(world, attempt(5, now + 4 * MINUTE))
    yield* Suite.equals("after failures again", yield* since(now), now + 3 * MINUTE)
    const other = yield* Rows.storedEndpoint(world)
    const asked = { ...query, endpointId: other.endpointId, from: now, createdFrom: now }
    const theirs = yield* storage.webhookEndpoints.failingSince(asked)
    yield* Suite.equals("of another endpoint", theirs, null)
    yield* World.finishAll(world)
  }),

  scenario("the log says of an endpoint when it last succeeded and what is pending", function* (world) {
    const { now, storage } = world
    const { endpointId } = yield* Rows.storedEndpoint(world)
    const idle = (yield* Rows.storedEndpoint(world, { events: ["package.created"] })).endpointId
    const query = { ...World.of(world), endpointIds: [endpointId, idle] }
    const isAs = (what: string, lastSuccessAt: Instant | null, pending: number) =>
      Effect.flatMap(storage.webhookEndpoints.health(query), (found) =>
        Suite.equals(
          what,
          found.toSorted((left) => (left.endpointId === endpointId ? -1 : 1)),
          [
            { endpointId, lastSuccessAt, pending },
            { endpointId: idle, lastSuccessAt: null, pending: 0 }
          ]
        )
      )
    yield* isAs("before any delivery", null, 0)
    yield* storage.commit({ events: [Rows.event(world)] })
    yield* isAs("before any attempt", null, 1)
    yield* made(world, attempt(1, now))
    yield* made(world, attempt(2, now + MINUTE))
    yield* isAs("after two failures", null, 1)
    const delivered = (number: number, at: Instant) =>
      Effect.gen(function* () {
        const claim = World.claim(world, { now: at })
        const { delivery } = yield* World.given("due delivery", (yield* world.outbox.claim(claim))[0])
        const done = { status: "Delivered", attempts: number, lastAttemptAt: at, nextAttemptAt: null } as const
        const settled = { ...delivery, ...done, lastError: null, responseStatus: 200 }
        const last = attempt(number, at, success)
        yield* storage.commit({ deliveries: { settled: [{ delivery: settled, token: claim.token, attempt: last }] } })
        return settled
      })
    const first = yield* delivered(3, now + 2 * MINUTE)
    yield* isAs("after it was delivered", now + 2 * MINUTE, 0)
    yield* storage.commit({ deliveries: { replayed: [{ ...first, status: "Pending", nextAttemptAt: now }] } })
    yield* isAs("after it was replayed", now + 2 * MINUTE, 1)
    yield* made(world, attempt(4, now + 3 * MINUTE))
    yield* made(world, attempt(5, now + 4 * MINUTE))
    yield* isAs("after failures again", now + 2 * MINUTE, 1)
    yield* delivered(6, now + 5 * MINUTE)
    yield* isAs("after it was delivered again", now + 5 * MINUTE, 0)
    const { organizationId } = yield* World.neighbour(world)
    const theirs = yield* storage.webhookEndpoints.health({ organizationId, endpointIds: [endpointId] })
    const none = { endpointId, lastSuccessAt: null, pending: 0 }
    yield* Suite.equals("for another organization", theirs, [none])
  }),

  scenario("the endpoints that fail are counted, with since when the first of them does", function* (world) {
    const { now, storage } = world
    const other = yield* World.neighbour(world)
    const before = (yield* storage.webhookEndpoints.failing).count
    const isAs = (what: string, count: number, since: Instant) =>
      Effect.flatMap(storage.webhookEndpoints.failing, (found) =>
        Suite.equals(what, { ...found, count: found.count - before }, { count, since })
      )
    const first = yield* Rows.storedEndpoint(world, { failingSince: now - 2 * HOUR })
    const second = yield* Rows.storedEndpoint(other, { failingSince: now - HOUR })
    yield* Rows.storedEndpoint(world)
    yield* Rows.storedEndpoint(world, { failingSince: now - 9 * HOUR, disabled: { reason: "Failing", at: now } })
    yield* Rows.storedEndpoint(world, { failingSince: now - 9 * HOUR, deletedAt: now })
    yield* isAs("of both organizations", 2, now - 2 * HOUR)
    yield* storage.commit({ webhookEndpoints: [{ ...first, failingSince: null }] })
    yield* isAs("after one has succeeded", 1, now - HOUR)
    yield* storage.commit({ webhookEndpoints: [{ ...second, deletedAt: now }] })
    yield* Suite.equals("in the end", (yield* storage.webhookEndpoints.failing).count, before)
  }),

  scenario("deliveries that wait are counted by what their last attempts met", function* (world) {
    const { now, storage } = world
    const before = new Map((yield* storage.deliveries.waitingCounts).map((of) => [of.answer, of.count]))
    const counts = Effect.map(storage.deliveries.waitingCounts, (found) =>
      found
        .map(({ answer, count, nextAt }) => ({ answer, count: count - (before.get(answer) ?? 0), nextAt }))
        .filter(({ count }) => count > 0)
        .toSorted((a, b) => (a.answer < b.answer ? -1 : 1))
    )
    yield* Rows.storedEndpoint(world)
    const statuses = [200, 301, 404, 410, 503, 42, 700, null]
    yield* storage.commit({ events: [...statuses, "done", "untried"].map(() => Rows.event(world)) })
    const name = `handler-${world.id()}`
    const handler = { name, types: ["esim.smdp.stateChanged" as const], ...World.of(world), createdAt: now }
    yield* storage.commit({ eventHandlers: { put: [handler] } })
    yield* storage.commit({ events: [Rows.event(world, { createdAt: now + 1 })] })
    yield* Suite.equals("before any attempt", yield* counts, [{ answer: "untried", count: 11, nextAt: now }])
    const claim = World.claim(world, { limit: statuses.length + 1 })
    const [last, ...due] = yield* world.outbox.claim(claim)
    const { delivery } = yield* World.given("due delivery", last)
    const tried = due.map((one, index) => ({
      ...one.delivery,
      responseStatus: statuses[index] ?? null,
      lastAttemptAt: now,
      nextAttemptAt: now + index * MINUTE
    }))
    const done = { ...delivery, status: "Delivered" as const, responseStatus: 200, nextAttemptAt: null }
    const settled = [...tried, done].map((one) => ({ delivery: one, token: claim.token }))
    yield* storage.commit({ deliveries: { settled } })
    const countOf = (answer: Answer, count: number, minutes: number) => ({
      answer,
      count,
      nextAt: now + minutes * MINUTE
    })
    yield* Suite.equals("after attempts", yield* counts, [
      countOf("1xx", 1, 5),
      countOf("2xx", 1, 0),
      countOf("3xx", 1, 1),
      countOf("4xx", 2, 2),
      countOf("5xx", 2, 4),
      countOf("none", 1, 7),
      countOf("untried", 2, 0)
    ])
    yield* World.finishAll(world)
    yield* storage.commit({ eventHandlers: { removed: [name] } })
    yield* Suite.equals("after all were made", yield* counts, [])
  }),

  scenario(
    "that an endpoint was disabled is notified by the same commit to others that name the type",
    function* (world) {
      const { now, storage } = world
      const events = ["endpoint.disabled" as const]
      const gone = yield* Rows.storedEndpoint(world, { events })
      const asking = yield* Rows.storedEndpoint(world, { events })
      yield* Rows.storedEndpoint(world)
      const data = { webhookEndpointId: gone.endpointId, url: gone.url, reason: "gone", disabledAt: "" } as const
      const event = Rows.event(world, { payload: { type: "endpoint.disabled", data } })
      const disabled: WebhookEndpoint = { ...gone, disabled: { reason: "Gone", at: now }, failingSince: now - 1 }
      yield* storage.commit({ webhookEndpoints: [disabled], events: [event] })
      yield* Suite.equals("the receivers", yield* receivers(world), [asking.endpointId])
      const stored = yield* storage.webhookEndpoints.get({ ...World.of(world), endpointId: gone.endpointId })
      yield* Suite.equals("the endpoint", stored, { ...disabled, version: 2 })
      yield* World.finishAll(world)
    }
  ),

  scenario("a test event goes to its endpoint alone, whatever the filters", function* (world) {
    yield* Rows.storedEndpoint(world)
    const { endpointId } = yield* Rows.storedEndpoint(world, { events: ["package.created"] })
    const payload = { type: "endpoint.test", data: { webhookEndpointId: endpointId } } as const
    yield* world.storage.commit({ events: [Rows.event(world, { payload })] })
    yield* Suite.equals("the receivers", yield* receivers(world), [endpointId])
    yield* World.finishAll(world)
  })
]
