/**
 * Pauses of SIMs at the charging system: what is done late, and packages, which start the service
 * (rule S7).
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { describe, expect } from "vitest"
import { Orders } from "../../adapters/telco-ocs/index.ts"
import type * as Tests from "../setup/Tests.ts"
import type * as Model from "./Model.ts"
import * as Scripted from "./simulation/Scripted.ts"
import { iccid } from "./simulation/Scripted.ts"
import { orderOf } from "./simulation/Orders.ts"

/**
 * A test with what befalls the nth call that sets the status, and the first order; `isPaused` is
 * what the system has.
 */
const run = (
  name: string,
  { order = null, statuses = [] }: Readonly<{ order?: Model.Fault | null; statuses?: Array<Model.Fault | null> }>,
  body: Tests.Body<Scripted.Services, [world: { readonly isPaused: () => boolean; readonly calls: () => number }]>
): void =>
  Scripted.test(name, { affectPackage: [order], setSubscriberStatus: statuses }, ({ calls, model }) =>
    body({ isPaused: () => model.suspended.has(iccid), calls: () => calls("setSubscriberStatus") })
  )

const set = (key: string, active: boolean) =>
  Telco.Telco.use(({ setService }) => setService?.({ key, iccid, active }) ?? Effect.die("it cannot pause"))

const setInVain = Effect.fnUntraced(function* (key: string, active: boolean) {
  expect(yield* Scripted.inVain(set(key, active))).toMatchObject({ _tag: "Telco.Unavailable" })
})

const create = (packageId: string) => Telco.Telco.use((telco) => telco.createPackage(orderOf(iccid)(packageId)))

const createInVain = Effect.fnUntraced(function* (packageId: string) {
  expect(yield* Scripted.inVain(create(packageId))).toMatchObject({ _tag: "Telco.Unavailable" })
})

/** Settles the orders that are due. */
const settled = Orders.Orders.use(({ settle }) => settle({ limit: 10, report: () => Effect.void }))

describe("A pause", () => {
  run("is done once for each key, and what the last one says", {}, function* ({ calls, isPaused }) {
    yield* set("a", false)
    yield* set("a", false)
    expect([isPaused(), calls()]).toEqual([true, 1])
    yield* set("b", true)
    yield* set("a", false)
    expect([isPaused(), calls()]).toEqual([false, 2])
  })

  run(
    "that is done late, after its resumption, ends when nothing may come any more",
    { statuses: [{ kind: "late", after: 120_000 }] },
    function* ({ isPaused }) {
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
    }
  )

  run(
    "stays refused by its key, and may be done under another one",
    { statuses: [{ kind: "refused" }] },
    function* ({ calls, isPaused }) {
      for (const _ of [1, 2]) expect(yield* Effect.flip(set("a", false))).toMatchObject({ _tag: "Telco.Refused" })
      expect([isPaused(), calls()]).toEqual([false, 1])
      yield* set("a:1", false)
      expect(isPaused()).toBe(true)
    }
  )

  run(
    "that is refused, and not wanted any more, is none that later orders keep up",
    { statuses: [{ kind: "refused" }, null, { kind: "refused" }] },
    function* ({ calls, isPaused }) {
      expect(yield* Effect.flip(set("a", false))).toMatchObject({ _tag: "Telco.Refused" })
      yield* create("first:0")
      expect([isPaused(), calls()]).toEqual([false, 1])
      // So is a resumption: the SIM is still paused.
      yield* set("b", false)
      expect(yield* Effect.flip(set("c", true))).toMatchObject({ _tag: "Telco.Refused" })
      yield* create("second:0")
      expect([isPaused(), calls()]).toEqual([true, 4])
    }
  )

  run(
    "lasts though the SIM is given packages, which start its service",
    { statuses: [null, null, { kind: "not reached" }] },
    function* ({ calls, isPaused }) {
      yield* create("first:0")
      expect([isPaused(), calls()]).toEqual([false, 0])
      yield* set("a", false)
      yield* create("second:0")
      expect([isPaused(), calls()]).toEqual([true, 2])
      // The order is not answered before the SIM is paused once more.
      expect(yield* Effect.flip(create("third:0"))).toMatchObject({ _tag: "Telco.Unavailable" })
      expect(isPaused()).toBe(false)
      yield* create("third:0")
      expect([isPaused(), calls()]).toEqual([true, 4])
      yield* set("b", true)
      yield* create("fourth:0")
      expect([isPaused(), calls()]).toEqual([false, 5])
    }
  )

  run(
    "lasts though a package comes late, which starts its service: it ends with the settling of the order",
    { order: { kind: "late", after: 60_000 } },
    function* ({ isPaused }) {
      yield* createInVain("late:0")
      yield* Telco.Telco.use((telco) => telco.cancelPackage({ iccid, packageId: "late:0" }))
      yield* set("a", false)
      yield* TestClock.adjust("2 minutes")
      expect(isPaused()).toBe(false)
      yield* settled
      expect(isPaused()).toBe(true)
    }
  )

  run(
    "lasts though a package comes a second time, late",
    { order: { kind: "twice", after: 60_000 } },
    function* ({ isPaused }) {
      yield* create("twice:0")
      yield* set("a", false)
      yield* TestClock.adjust("2 minutes")
      expect(isPaused()).toBe(false)
      yield* TestClock.adjust("13 minutes")
      yield* settled
      expect(isPaused()).toBe(true)
    }
  )

  run(
    "once more is in the journal while it has no answer: it is not done after a resumption",
    { statuses: [null, { kind: "late", after: 60_000 }] },
    function* ({ isPaused }) {
      yield* set("a", false)
      yield* createInVain("first:0")
      expect(yield* Effect.flip(set("b", true))).toMatchObject({ _tag: "Telco.Unavailable" })
      yield* TestClock.adjust("2 minutes")
      expect(isPaused()).toBe(true)
      yield* TestClock.adjust("13 minutes")
      yield* set("b", true)
      expect(isPaused()).toBe(false)
    }
  )

  run(
    "once more is tried again with the settling of its order, until it is answered",
    { order: { kind: "twice", after: 60_000 }, statuses: [null, { kind: "not reached" }] },
    function* ({ isPaused }) {
      yield* create("twice:0")
      yield* set("a", false)
      yield* TestClock.adjust("15 minutes")
      yield* settled
      expect(isPaused()).toBe(false)
      yield* TestClock.adjust("1 minute")
      yield* settled
      expect(isPaused()).toBe(true)
    }
  )
})
