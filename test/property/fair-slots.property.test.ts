/**
 * Rule W13: slots that organizations share. The turns go as a simple model says, and under a
 * virtual clock none starves.
 */
import * as fc from "fast-check"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FairSlots } from "simplan"
import { describe, expect, it } from "vitest"
import * as Tests from "../setup/Tests.ts"

const ORGANIZATIONS = ["a", "b", "c"]
const MOST_WAITING = 4

interface One {
  readonly id: number
  readonly organizationId: string
  readonly isUrgent: boolean
  readonly slots: number
}

const sum = (all: ReadonlyArray<One>): number => all.reduce((total, one) => total + one.slots, 0)

/** The same policy over plain lists: everything is worked out anew each time. */
const makeModel = (slots: number) => {
  let underWay: ReadonlyArray<One> = []
  let waiting: ReadonlyArray<One> = []
  /** Organizations in the order of their turns. */
  let order: ReadonlyArray<string> = []
  const passed = new Map<string, number>()
  const begun: Array<number> = []
  const heldBy = (id: string) => sum(underWay.filter(({ organizationId }) => organizationId === id))
  const mayBegin = (id: string, needed = 1) => {
    const active = new Set([...underWay, ...waiting].map(({ organizationId }) => organizationId)).add(id).size
    const left = slots - sum(underWay) - needed
    if (left < 0) return false
    return left >= FairSlots.reserved(slots) || heldBy(id) + needed <= FairSlots.evenShare(slots, active)
  }
  const next = (id: string): One | undefined => {
    const own = waiting.filter(({ organizationId }) => organizationId === id)
    const [urgent, other] = [own.find(({ isUrgent }) => isUrgent), own.find(({ isUrgent }) => !isUrgent)]
    const isUrgent = urgent !== undefined && (other === undefined || (passed.get(id) ?? 0) < 3)
    const one = isUrgent ? urgent : other
    if (one === undefined || !mayBegin(id, one.slots)) return undefined
    passed.set(id, isUrgent && other !== undefined ? (passed.get(id) ?? 0) + 1 : 0)
    return one
  }
  const settle = () => {
    for (;;) {
      const waits = order.filter((id) => waiting.some(({ organizationId }) => organizationId === id))
      const [turn] = waits.toSorted((left, right) => heldBy(left) - heldBy(right))
      if (turn === undefined) break
      const one = next(turn)
      if (one === undefined) break
      waiting = waiting.filter(({ id }) => id !== one.id)
      underWay = [...underWay, one]
      order = [...order.filter((id) => id !== turn), turn]
      begun.push(one.id)
    }
    const gone = (id: string) => ![...underWay, ...waiting].some(({ organizationId }) => organizationId === id)
    for (const id of ORGANIZATIONS) if (gone(id)) passed.delete(id)
  }
  return {
    begun,
    mayBegin,
    held: () => sum(underWay),
    open: () => Math.max(0, slots - sum(underWay) - FairSlots.reserved(slots)),
    underWay: () => underWay,
    waiting: () => waiting,
    ask: (one: One): void => {
      const own = waiting.filter(({ organizationId }) => organizationId === one.organizationId).length
      const isBehind = waiting.some(({ organizationId }) => heldBy(organizationId) <= heldBy(one.organizationId))
      if (own === 0 && !isBehind && mayBegin(one.organizationId, one.slots)) {
        underWay = [...underWay, one]
        begun.push(one.id)
        return
      }
      if (own >= MOST_WAITING) return
      if (own === 0) order = [...order.filter((id) => id !== one.organizationId), one.organizationId]
      waiting = [...waiting, one]
    },
    end: (id: number): void => {
      underWay = underWay.filter((one) => one.id !== id)
      settle()
    },
    withdraw: (id: number): void => {
      waiting = waiting.filter((one) => one.id !== id)
      settle()
    }
  }
}

const step = fc.oneof(
  fc.record({
    does: fc.constant("ask" as const),
    organizationId: fc.constantFrom(...ORGANIZATIONS),
    isUrgent: fc.boolean(),
    size: fc.constantFrom(0, 0, 0, 0.25, 1)
  }),
  fc.record({ does: fc.constantFrom("end" as const, "withdraw" as const), which: fc.nat(30) })
)

describe("W13: the turns of organizations", () => {
  it("are those of the model, whatever is asked for, ended and withdrawn", () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 18 }),
      fc.array(step, { maxLength: 200 }),
      (slots, steps) => {
        const turns = FairSlots.make({ slots, mostWaiting: MOST_WAITING })
        const model = makeModel(slots)
        const begun: Array<number> = []
        const known = new Map<number, FairSlots.Waiting>()
        for (const [id, one] of steps.entries()) {
          if (one.does === "ask") {
            const { isUrgent, organizationId } = one
            const size = Math.max(1, Math.floor((one.size * slots) / 2))
            const waiting = { organizationId, isUrgent, slots: size, begin: () => void begun.push(id) }
            known.set(id, waiting)
            if (turns.tryTake(organizationId, size)) begun.push(id)
            else turns.enter(waiting)
            model.ask({ id, organizationId, isUrgent, slots: size })
          } else {
            const all = one.does === "end" ? model.underWay() : model.waiting()
            const found = all[one.which % Math.max(1, all.length)]
            const waiting = known.get(found?.id ?? -1)
            if (found === undefined || waiting === undefined) continue
            if (one.does === "end") turns.give(found.organizationId, found.slots)
            else turns.withdraw(waiting)
            model[one.does](found.id)
          }
          expect(begun).toEqual(model.begun)
          expect(turns.held()).toBe(model.held())
          expect(turns.open()).toBe(model.open())
          expect(ORGANIZATIONS.map(turns.mayTake)).toEqual(ORGANIZATIONS.map((id) => model.mayBegin(id)))
        }
      }
    )
    fc.assert(property, { numRuns: 300 })
  })

  it("leave a place for the next organization, and share evenly what all want", () => {
    const turns = FairSlots.make({ slots: 16, mostWaiting: 100 })
    const ask = (organizationId: string) =>
      turns.tryTake(organizationId) || turns.enter({ organizationId, isUrgent: true, begin: () => undefined })
    for (let count = 0; count < 60; count++) ask("a")
    expect(turns.held("a")).toBe(14)
    for (let count = 0; count < 60; count++) ask("b")
    expect([turns.held("a"), turns.held("b")]).toEqual([14, 2])
    for (let count = 0; count < 6; count++) turns.give("a")
    expect([turns.held("a"), turns.held("b")]).toEqual([8, 8])
    for (let count = 0; count < 60; count++) ask("c")
    for (let count = 0; count < 6; count++) turns.give(count % 2 === 0 ? "a" : "b")
    expect(["a", "b", "c"].map((id) => turns.held(id))).toEqual([5, 5, 5])
  })
})

it("what needs many slots gets them, though others ask for few without an end", () => {
  const turns = FairSlots.make({ slots: 16, mostWaiting: 100 })
  for (const id of ["a", "b", "c"]) for (let count = 0; count < 4; count++) expect(turns.tryTake(id)).toBe(true)
  let hasBegun = false
  const heavy = { organizationId: "d", isUrgent: true, slots: 8, begin: () => (hasBegun = true) }
  expect(turns.tryTake("d", 8)).toBe(false)
  expect(turns.enter(heavy)).toBe(true)
  for (const id of ["a", "b", "a", "c", "a"]) {
    expect([hasBegun, turns.tryTake("e"), turns.tryTake(id)]).toEqual([false, false, false])
    turns.give(id)
  }
  turns.give("b")
  expect([hasBegun, turns.held("d"), turns.held()]).toEqual([true, 8, 14])
  turns.give("d", 8)
  expect([turns.held("d"), turns.tryTake("e")]).toEqual([0, true])
})

/** Effects that hold a slot for some time, under a virtual clock. */
const arrival = fc.record({
  at: fc.nat(2_000),
  organizationId: fc.constantFrom("loud", "loud", "loud", "loud", "quiet"),
  isUrgent: fc.boolean(),
  takes: fc.integer({ min: 1, max: 400 }),
  isInterrupted: fc.integer({ min: 0, max: 9 }).map((number) => number === 0)
})

describe("W13: effects that wait for slots", () => {
  it("are never more than the slots, are all done, and one organization's load delays another by calls and not by queues", () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 4, max: 10 }),
      fc.array(arrival, { maxLength: 120 }),
      (slots, all) =>
        Effect.gen(function* () {
          const fair = FairSlots.make({ slots, mostWaiting: 1_000 })
          let most = 0
          let isIdle = true
          const waits: Array<number> = []
          const quiet = all.filter(({ organizationId }) => organizationId === "quiet").length
          const fibers = yield* Effect.forEach(all, ({ at, isInterrupted, isUrgent, organizationId, takes }) =>
            Effect.gen(function* () {
              yield* Effect.sleep(at)
              const clock = yield* Effect.clockWith(Effect.succeed)
              const asked = clock.currentTimeMillisUnsafe()
              const held = Effect.suspend(() => {
                most = Math.max(most, fair.held())
                if (organizationId === "quiet") waits.push(clock.currentTimeMillisUnsafe() - asked)
                return Effect.sleep(takes)
              })
              const asking = { organizationId, isUrgent, waitLimitMillis: 1_000_000 }
              const own = fair.run(asking, held, Effect.die("no slot"))
              yield* isInterrupted ? Effect.timeoutOption(own, takes / 2) : own
            }).pipe(Effect.forkChild)
          )
          for (let second = 0; second < 200; second++) yield* TestClock.adjust(1_000)
          for (const fiber of fibers) {
            isIdle &&= fiber.pollUnsafe() !== undefined
            yield* Fiber.interrupt(fiber)
          }
          expect(isIdle).toBe(true)
          expect(most).toBeLessThanOrEqual(slots)
          expect([fair.held(), fair.active()]).toEqual([0, 0])
          // A turn comes with the next call of the loud one that ends; each call takes 400 ms at
          // most.
          for (const millis of waits) expect(millis).toBeLessThanOrEqual(400 * (1 + quiet))
        }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
    )
    return fc.assert(property, { numRuns: 25 })
  })

  Tests.onTestClock("go without where their time is over, and leave the slot to the next", function* () {
    const fair = FairSlots.make({ slots: 1, mostWaiting: 2 })
    const asking = { organizationId: "a", isUrgent: true, waitLimitMillis: 100 }
    const ask = (waitLimitMillis: number, takes: number) =>
      Effect.forkChild(
        fair.run({ ...asking, waitLimitMillis }, Effect.as(Effect.sleep(takes), "done"), Effect.succeed("none")),
        { startImmediately: true }
      )
    const first = yield* ask(100, 200)
    const second = yield* ask(100, 10)
    const third = yield* ask(300, 10)
    expect(yield* fair.run(asking, Effect.succeed("done"), Effect.succeed("none"))).toBe("none")
    yield* TestClock.adjust(100)
    expect(yield* Fiber.join(second)).toBe("none")
    yield* TestClock.adjust(110)
    expect([yield* Fiber.join(first), yield* Fiber.join(third)]).toEqual(["done", "done"])
    expect([fair.held(), fair.active()]).toEqual([0, 0])
  })
})
