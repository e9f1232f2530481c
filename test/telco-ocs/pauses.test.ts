/** Pauses of SIMs at the charging system: what is done late, and packages, which start the service (rule S7). */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Api, Ocs, Orders } from "../../adapters/telco-ocs/index.ts"
import * as Model from "./Model.ts"
import { orderOf } from "./simulation/Orders.ts"

const iccid = "8988303000000000017"
const order = orderOf(iccid)

type Services = Telco.Telco | Ocs.Services | Journal.Journal

/**
 * Runs with what befalls the nth call that sets the status, and the nth order; `isPaused` is what the system has.
 */
const run = <A, E>(
  faults: ReadonlyArray<Model.Fault | null>,
  use: (world: { readonly isPaused: () => boolean; readonly calls: () => number }) => Effect.Effect<A, E, Services>,
  orders: Array<Model.Fault> = []
) => {
  let calls = 0
  const model = Model.make({
    fault: (name) =>
      name === "setSubscriberStatus"
        ? (faults[calls++] ?? null)
        : name === "affectPackage"
          ? (orders.shift() ?? null)
          : null
  })
  return use({ isPaused: () => model.suspended.has(iccid), calls: () => calls }).pipe(
    Effect.provide(
      Ocs.layer({
        telco: "ocs",
        resellerId: 1,
        zones: { Green: { FR: 27 } },
        mobilePlanId: null,
        watch: "15 minutes",
        listLag: 0
      }).pipe(Layer.provideMerge([Journal.layerMemory, Layer.succeed(Api.Api, model.api)]))
    ),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
}

const set = (key: string, active: boolean) =>
  Telco.Telco.use(({ setService }) => setService?.({ key, iccid, active }) ?? Effect.die("it cannot pause"))

/** A call without an answer ends by the clock. */
const setInVain = Effect.fnUntraced(function* (key: string, active: boolean) {
  const calling = yield* Effect.forkChild(Effect.flip(set(key, active)), { startImmediately: true })
  yield* TestClock.adjust("10 seconds")
  expect(yield* Fiber.join(calling)).toMatchObject({ _tag: "Telco.Unavailable" })
})

/** Settles the orders that are due. */
const settled = Orders.Orders.use(({ settle }) => settle({ limit: 10, report: () => Effect.void }))

describe("A pause", () => {
  it("is done once for each key, and what the last one says", () =>
    run([], ({ calls, isPaused }) =>
      Effect.gen(function* () {
        yield* set("a", false)
        yield* set("a", false)
        expect([isPaused(), calls()]).toEqual([true, 1])
        yield* set("b", true)
        yield* set("a", false)
        expect([isPaused(), calls()]).toEqual([false, 2])
      })
    ))

  it("that is done late, after its resumption, ends when nothing may come any more", () =>
    run([{ kind: "late", after: 120_000 }], ({ isPaused }) =>
      Effect.gen(function* () {
        yield* setInVain("a", false)
        yield* set("a", false)
        // It is made, and asked for again: the lost call may come after it.
        expect(yield* Effect.flip(set("b", true))).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: 900 })
        expect(isPaused()).toBe(false)
        yield* TestClock.adjust("2 minutes")
        expect(isPaused()).toBe(true)
        yield* TestClock.adjust("13 minutes")
        yield* set("b", true)
        expect(isPaused()).toBe(false)
      })
    ))

  it("stays refused by its key, and may be done under another one", () =>
    run([{ kind: "refused" }], ({ calls, isPaused }) =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) expect(yield* Effect.flip(set("a", false))).toMatchObject({ _tag: "Telco.Refused" })
        expect([isPaused(), calls()]).toEqual([false, 1])
        yield* set("a:1", false)
        expect(isPaused()).toBe(true)
      })
    ))

  it("that is refused, and not wanted any more, is none that later orders keep up", () =>
    run([{ kind: "refused" }, null, { kind: "refused" }], ({ calls, isPaused }) =>
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        expect(yield* Effect.flip(set("a", false))).toMatchObject({ _tag: "Telco.Refused" })
        yield* telco.createPackage(order("first:0"))
        expect([isPaused(), calls()]).toEqual([false, 1])
        // So is a resumption: the SIM is still paused.
        yield* set("b", false)
        expect(yield* Effect.flip(set("c", true))).toMatchObject({ _tag: "Telco.Refused" })
        yield* telco.createPackage(order("second:0"))
        expect([isPaused(), calls()]).toEqual([true, 4])
      })
    ))

  it("lasts though the SIM is given packages, which start its service", () =>
    run([null, null, { kind: "not reached" }], ({ calls, isPaused }) =>
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        yield* telco.createPackage(order("first:0"))
        expect([isPaused(), calls()]).toEqual([false, 0])
        yield* set("a", false)
        yield* telco.createPackage(order("second:0"))
        expect([isPaused(), calls()]).toEqual([true, 2])
        // The order is not answered before the SIM is paused once more.
        expect(yield* Effect.flip(telco.createPackage(order("third:0")))).toMatchObject({ _tag: "Telco.Unavailable" })
        expect(isPaused()).toBe(false)
        yield* telco.createPackage(order("third:0"))
        expect([isPaused(), calls()]).toEqual([true, 4])
        yield* set("b", true)
        yield* telco.createPackage(order("fourth:0"))
        expect([isPaused(), calls()]).toEqual([false, 5])
      })
    ))

  it("lasts though a package comes late, which starts its service: it ends with the settling of the order", () =>
    run(
      [],
      ({ isPaused }) =>
        Effect.gen(function* () {
          const telco = yield* Telco.Telco
          const ordering = yield* Effect.forkChild(Effect.flip(telco.createPackage(order("late:0"))), {
            startImmediately: true
          })
          yield* TestClock.adjust("10 seconds")
          expect(yield* Fiber.join(ordering)).toMatchObject({ _tag: "Telco.Unavailable" })
          yield* telco.cancelPackage({ iccid, packageId: "late:0" })
          yield* set("a", false)
          yield* TestClock.adjust("2 minutes")
          expect(isPaused()).toBe(false)
          yield* settled
          expect(isPaused()).toBe(true)
        }),
      [{ kind: "late", after: 60_000 }]
    ))

  it("lasts though a package comes a second time, late", () =>
    run(
      [],
      ({ isPaused }) =>
        Effect.gen(function* () {
          const telco = yield* Telco.Telco
          yield* telco.createPackage(order("twice:0"))
          yield* set("a", false)
          yield* TestClock.adjust("2 minutes")
          expect(isPaused()).toBe(false)
          yield* TestClock.adjust("13 minutes")
          yield* settled
          expect(isPaused()).toBe(true)
        }),
      [{ kind: "twice", after: 60_000 }]
    ))

  it("once more is in the journal while it has no answer: it is not done after a resumption", () =>
    run([null, { kind: "late", after: 60_000 }], ({ isPaused }) =>
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        yield* set("a", false)
        const ordering = yield* Effect.forkChild(Effect.flip(telco.createPackage(order("first:0"))), {
          startImmediately: true
        })
        yield* TestClock.adjust("10 seconds")
        expect(yield* Fiber.join(ordering)).toMatchObject({ _tag: "Telco.Unavailable" })
        expect(yield* Effect.flip(set("b", true))).toMatchObject({ _tag: "Telco.Unavailable" })
        yield* TestClock.adjust("2 minutes")
        expect(isPaused()).toBe(true)
        yield* TestClock.adjust("13 minutes")
        yield* set("b", true)
        expect(isPaused()).toBe(false)
      })
    ))

  it("once more is tried again with the settling of its order, until it is answered", () =>
    run(
      [null, { kind: "not reached" }],
      ({ isPaused }) =>
        Effect.gen(function* () {
          const telco = yield* Telco.Telco
          yield* telco.createPackage(order("twice:0"))
          yield* set("a", false)
          yield* TestClock.adjust("15 minutes")
          yield* settled
          expect(isPaused()).toBe(false)
          yield* TestClock.adjust("1 minute")
          yield* settled
          expect(isPaused()).toBe(true)
        }),
      [{ kind: "twice", after: 60_000 }]
    ))
})
