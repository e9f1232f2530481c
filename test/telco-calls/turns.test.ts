/**
 * The rate of calls: never more in a second than allowed, evenly, orders first, within bounds,
 * slower when asked. On a virtual clock.
 */
import * as fc from "fast-check"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Clocks, TelcoPorts } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as CallGate from "../../adapters/telco-calls/CallGate.ts"
import * as Turns from "../../adapters/telco-calls/Turns.ts"

const CALLS_PER_SECOND = 20
const AT_ONCE = 4
const LONGEST = { order: 2_000, poll: 10_000 }

interface Arrival {
  readonly at: number
  readonly priority: "order" | "poll"
  /** One of its own unless given. */
  readonly organizationId?: string
  /** How long the call takes. */
  readonly takes: number
}

interface Played {
  readonly started: ReadonlyArray<{ readonly id: number; readonly at: number }>
  readonly expired: ReadonlyArray<{ readonly id: number; readonly at: number }>
  /** Those that were refused at once, and what they were told to wait. */
  readonly refused: ReadonlyArray<{ readonly id: number; readonly waitMillis: number }>
  readonly mostAtOnce: number
}

/** Plays arrivals. The id of a call is its place in the arrivals. */
const play = (arrivals: ReadonlyArray<Arrival>, longest = LONGEST): Promise<Played> =>
  Effect.gen(function* () {
    const started: Array<{ id: number; at: number }> = []
    const expired: Array<{ id: number; at: number }> = []
    const refused: Array<{ id: number; waitMillis: number }> = []
    let underWay = 0
    let mostAtOnce = 0
    const turns = Turns.make({ pace: CallGate.makeRate(CALLS_PER_SECOND), window: AT_ONCE, waitMillis: longest.order })
    const start = yield* Clocks.monotonicNow
    const now = Effect.map(Clocks.monotonicNow, (at) => at - start)
    for (const [id, { at, organizationId = "one", priority, takes }] of arrivals.entries()) {
      const call = Effect.gen(function* () {
        yield* Effect.sleep(at)
        yield* turns.take({
          isPoll: priority === "poll",
          waitMillis: longest[priority],
          ready: Effect.void,
          use: () =>
            Effect.gen(function* () {
              started.push({ id, at: yield* now })
              underWay += 1
              mostAtOnce = Math.max(mostAtOnce, underWay)
              yield* Effect.sleep(takes)
              underWay -= 1
            }),
          tooLate: (waitMillis) =>
            Effect.flatMap(now, (late) => {
              if (late === at) refused.push({ id, waitMillis })
              else expired.push({ id, at: late })
              return Effect.fail("too late")
            })
        })
      })
      const caller = { organizationId, isAwaited: true, withinMillis: 10_000 }
      yield* Effect.forkChild(Effect.ignore(Effect.provideService(call, TelcoPorts.Caller, caller)))
    }
    yield* TestClock.adjust("90 seconds")
    return { started, expired, refused, mostAtOnce }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

const many = (count: number, arrival: Arrival): ReadonlyArray<Arrival> => Array.from({ length: count }, () => arrival)

describe("the rate of calls", () => {
  it("is even over the second", async () => {
    const { started } = await play(many(5, { at: 100, priority: "order", takes: 1 }))
    expect(started.map(({ at }) => at)).toEqual([100, 150, 200, 250, 300])
  })

  it("lets orders start before polls that came earlier", async () => {
    const polls = many(3, { at: 0, priority: "poll", takes: 1 })
    const orders = many(2, { at: 10, priority: "order", takes: 1 })
    expect((await play([...polls, ...orders])).started.map(({ id }) => id)).toEqual([0, 3, 4, 1, 2])
  })

  it("gives organizations turns, whatever one of them has waiting (rule W13)", async () => {
    const flood = many(30, { at: 0, priority: "order", organizationId: "loud", takes: 1 })
    const quiet = ["one", "two"].map(
      (organizationId): Arrival => ({ at: 120, priority: "order", organizationId, takes: 1 })
    )
    const { started } = await play([
      ...flood,
      ...quiet,
      { at: 121, priority: "order", organizationId: "one", takes: 1 }
    ])
    expect(started.slice(3, 8).map(({ at, id }) => [id, at])).toEqual([
      [3, 150],
      // This one had its turn already.
      [4, 200],
      [30, 250],
      [5, 300],
      [31, 350]
    ])
  })

  it("keeps a place for an order while polls are slow", async () => {
    const polls = many(6, { at: 0, priority: "poll", takes: 5_000 })
    const { started } = await play([...polls, { at: 1_000, priority: "order", takes: 1 }])
    expect(started.map(({ at, id }) => [id, at])).toEqual([
      [0, 0],
      [1, 50],
      [2, 100],
      [6, 1_000],
      [3, 5_000],
      [4, 5_050],
      [5, 5_100]
    ])
  })

  it("gives up a call that has waited to its bound, and refuses at once one that would", async () => {
    // One organization alone leaves one of the four slots to others.
    const slow = many(3, { at: 0, priority: "order", takes: 30_000 })
    const late = many(50, { at: 500, priority: "order", takes: 1 })
    const { expired, refused } = await play([...slow, ...late])
    expect(refused).toHaveLength(50 - 41)
    expect(expired).toHaveLength(41)
    expect(expired.every(({ at }) => at === 2_500)).toBe(true)
  })

  it("says how long to stay away", async () => {
    const flood = many(62, { at: 0, priority: "order", takes: 1 })
    // What others have waiting is not in the way of the first call of an organization.
    const other: Arrival = { at: 0, priority: "order", organizationId: "two", takes: 1 }
    const { refused } = await play([...flood, other], { order: 2_000, poll: 0 })
    expect(refused.map(({ id }) => id)).toEqual(Array.from({ length: 62 - 41 }, (_, index) => 41 + index))
    expect(refused[0]).toEqual({ id: 41, waitMillis: 2_050 })
  })

  it("is halved when the telco asks for it, once for calls together, and doubles every five seconds", () => {
    const rate = CallGate.makeRate(CALLS_PER_SECOND)
    const at = (...instants: ReadonlyArray<number>) => instants.map((now) => rate.interval(now))
    rate.slowDown(0)
    expect(at(0, 4_999, 5_000)).toEqual([100, 100, 50])
    rate.slowDown(999)
    expect(at(999)).toEqual([100])
    rate.slowDown(1_000)
    expect(at(1_000, 6_000, 11_000, 1e9)).toEqual([200, 100, 50, 50])
    for (let index = 2; index < 20; index++) rate.slowDown(index * 1_000)
    expect(at(19_000)).toEqual([50 * 32])
    expect(rate.at(19_000)).toBe(19_000 + 1_600)
  })

  it("holds for any calls: in each second, at once, orders in their order, and none is forgotten", async () => {
    const arrival = fc.record({
      at: fc.integer({ min: 0, max: 3_000 }),
      priority: fc.constantFrom("order", "poll"),
      organizationId: fc.constantFrom("one", "two"),
      takes: fc.integer({ min: 1, max: 1_500 })
    })
    const property = fc.asyncProperty(fc.array(arrival, { maxLength: 80 }), async (unsorted) => {
      const arrivals = unsorted.toSorted((left, right) => left.at - right.at)
      const { expired, mostAtOnce, refused, started } = await play(arrivals)
      const ownersOf = (id: number) => arrivals[id]?.organizationId
      expect(mostAtOnce).toBeLessThanOrEqual(AT_ONCE)
      for (const { at } of started) {
        const inSecond = started.filter((other) => other.at >= at && other.at < at + 1_000)
        expect(inSecond.length).toBeLessThanOrEqual(CALLS_PER_SECOND)
      }
      for (const priority of ["order", "poll"] as const) {
        for (const owner of ["one", "two"]) {
          const ids = started
            .map(({ id }) => id)
            .filter((id) => arrivals[id]?.priority === priority && ownersOf(id) === owner)
          expect(ids).toEqual(ids.toSorted((left, right) => left - right))
        }
      }
      for (const { at, id } of started) {
        const arrived = arrivals[id]
        expect(at - (arrived?.at ?? 0)).toBeLessThanOrEqual(LONGEST[arrived?.priority ?? "order"])
      }
      const all = [...started, ...expired, ...refused].map(({ id }) => id)
      expect(all.toSorted((left, right) => left - right)).toEqual(arrivals.map((_, id) => id))
    })
    await fc.assert(property, { numRuns: 25 })
  })
})
