/**
 * The rate of calls: never more in a second than allowed, evenly, orders first, within bounds,
 * slower when asked.
 */
import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as CallRate from "../../adapters/telco-calls/CallRate.ts"

const limits: CallRate.Limits = { callsPerSecond: 20, concurrency: 4, longestWait: { order: 2_000, poll: 10_000 } }

interface Arrival {
  readonly at: number
  readonly priority: CallRate.Priority
  /** One of its own unless given. */
  readonly organizationId?: string
  /** How long the call takes. */
  readonly takes: number
}

interface Played {
  readonly started: ReadonlyArray<{ readonly id: number; readonly at: number }>
  readonly expired: ReadonlyArray<{ readonly id: number; readonly at: number }>
  readonly refused: ReadonlyArray<number>
  readonly mostAtOnce: number
}

/** Plays arrivals, millisecond by millisecond. The id of a call is its place in the arrivals. */
const play = (arrivals: ReadonlyArray<Arrival>): Played => {
  const started: Array<{ id: number; at: number }> = []
  const expired: Array<{ id: number; at: number }> = []
  const refused: Array<number> = []
  const ends = new Map<number, ReadonlyArray<string>>()
  const ownerOf = (id: number) => arrivals[id]?.organizationId ?? "one"
  const arriving = new Map<number, ReadonlyArray<Arrival & { readonly id: number }>>()
  for (const [id, arrival] of arrivals.entries()) {
    arriving.set(arrival.at, [...(arriving.get(arrival.at) ?? []), { ...arrival, id }])
  }
  let mostAtOnce = 0
  let state = CallRate.initial
  for (let now = 0; now < 20_000; now++) {
    for (const organizationId of ends.get(now) ?? []) state = CallRate.leave(state, organizationId)
    for (const { id, priority } of arriving.get(now) ?? []) {
      const entered = CallRate.enter(limits, state, { id, priority, organizationId: ownerOf(id), now })
      if (Result.isFailure(entered)) refused.push(id)
      else state = entered.success
    }
    for (;;) {
      const step = CallRate.next(limits, state, now)
      if (step._tag === "Idle") break
      state = step.state
      if (step._tag === "Started") {
        started.push({ id: step.id, at: now })
        const end = now + (arrivals[step.id]?.takes ?? 0)
        ends.set(end, [...(ends.get(end) ?? []), ownerOf(step.id)])
      } else expired.push({ id: step.id, at: now })
    }
    mostAtOnce = Math.max(mostAtOnce, state.underWay)
  }
  return { started, expired, refused, mostAtOnce }
}

const many = (count: number, arrival: Arrival): ReadonlyArray<Arrival> => Array.from({ length: count }, () => arrival)

describe("the rate of calls", () => {
  it("is even over the second", () => {
    const { started } = play(many(5, { at: 100, priority: "order", takes: 1 }))
    expect(started.map(({ at }) => at)).toEqual([100, 150, 200, 250, 300])
  })

  it("lets orders start before polls that came earlier", () => {
    const polls = many(3, { at: 0, priority: "poll", takes: 1 })
    const orders = many(2, { at: 10, priority: "order", takes: 1 })
    expect(play([...polls, ...orders]).started.map(({ id }) => id)).toEqual([0, 3, 4, 1, 2])
  })

  it("gives organizations turns, whatever one of them has waiting (rule W13)", () => {
    const flood = many(30, { at: 0, priority: "order", organizationId: "loud", takes: 1 })
    const quiet = ["one", "two"].map(
      (organizationId): Arrival => ({ at: 120, priority: "order", organizationId, takes: 1 })
    )
    const { started } = play([...flood, ...quiet, { at: 121, priority: "order", organizationId: "one", takes: 1 }])
    expect(started.slice(3, 8).map(({ at, id }) => [id, at])).toEqual([
      [3, 150],
      [30, 200],
      [31, 250],
      [4, 300],
      [32, 350]
    ])
  })

  it("keeps a place for an order while polls are slow", () => {
    const polls = many(6, { at: 0, priority: "poll", takes: 5_000 })
    const { started } = play([...polls, { at: 1_000, priority: "order", takes: 1 }])
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

  it("gives up a call that has waited to its bound, and refuses at once one that would", () => {
    const slow = many(4, { at: 0, priority: "order", takes: 30_000 })
    const late = many(50, { at: 500, priority: "order", takes: 1 })
    const { expired, refused } = play([...slow, ...late])
    expect(refused).toHaveLength(50 - 41)
    expect(expired).toHaveLength(41)
    expect(expired.every(({ at }) => at === 2_500)).toBe(true)
  })

  it("says how long to stay away", () => {
    const full = Array.from({ length: 61 }).reduce((state: CallRate.State, _, id) => {
      const entered = CallRate.enter({ ...limits, longestWait: { order: 60_000, poll: 0 } }, state, {
        id,
        priority: "order",
        organizationId: "one",
        now: 0
      })
      return Result.getOrThrow(entered)
    }, CallRate.initial)
    expect(CallRate.enter(limits, full, { id: 99, priority: "order", organizationId: "one", now: 0 })).toEqual(
      Result.fail(2)
    )
    // What others have waiting is not in the way of the first call of an organization.
    const other = { id: 99, priority: "order", organizationId: "two", now: 0 } as const
    expect(Result.isSuccess(CallRate.enter(limits, full, other))).toBe(true)
  })

  it("is halved when the telco asks for it, once for calls together, and doubles every five seconds", () => {
    const first = CallRate.slowDown(limits, CallRate.initial, 0)
    const together = CallRate.slowDown(limits, first, 999)
    const again = CallRate.slowDown(limits, together, 1_000)
    expect([0, 4_999, 5_000].map((now) => CallRate.interval(limits, first, now))).toEqual([100, 100, 50])
    expect(CallRate.interval(limits, together, 999)).toBe(100)
    expect([1_000, 6_000, 11_000, 1e9].map((now) => CallRate.interval(limits, again, now))).toEqual([200, 100, 50, 50])
    const slowest = Array.from({ length: 20 }).reduce(
      (state: CallRate.State, _, index) => CallRate.slowDown(limits, state, index * 1_000),
      CallRate.initial
    )
    expect(CallRate.interval(limits, slowest, 19_000)).toBe(50 * 32)
    expect(
      CallRate.next(
        limits,
        { ...slowest, waiting: { order: [{ id: 1, organizationId: "one", deadline: 1e9 }], poll: [] } },
        19_000
      )
    ).toEqual({
      _tag: "Idle",
      until: 19_000 + 1_600
    })
  })

  it("holds for any calls: in each second, at once, orders in their order, and none is forgotten", () => {
    const arrival = fc.record({
      at: fc.integer({ min: 0, max: 3_000 }),
      priority: fc.constantFrom<CallRate.Priority>("order", "poll"),
      organizationId: fc.constantFrom("one", "two"),
      takes: fc.integer({ min: 1, max: 1_500 })
    })
    const property = fc.property(fc.array(arrival, { maxLength: 80 }), (unsorted) => {
      const arrivals = unsorted.toSorted((left, right) => left.at - right.at)
      const { expired, mostAtOnce, refused, started } = play(arrivals)
      const ownersOf = (id: number) => arrivals[id]?.organizationId
      expect(mostAtOnce).toBeLessThanOrEqual(limits.concurrency)
      for (const { at } of started) {
        const inSecond = started.filter((other) => other.at >= at && other.at < at + 1_000)
        expect(inSecond.length).toBeLessThanOrEqual(limits.callsPerSecond)
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
        expect(at - (arrived?.at ?? 0)).toBeLessThanOrEqual(limits.longestWait[arrived?.priority ?? "order"])
      }
      const all = [...started.map(({ id }) => id), ...expired.map(({ id }) => id), ...refused]
      expect(all.toSorted((left, right) => left - right)).toEqual(arrivals.map((_, id) => id))
    })
    fc.assert(property, { numRuns: 25 })
  })
})
