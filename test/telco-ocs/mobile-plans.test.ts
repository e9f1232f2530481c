/**
 * Changes of a SIM's mobile plan that the charging system does late, over a model of it and a clock
 * of the test's.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { describe, expect } from "vitest"
import { MobilePlans } from "../../adapters/telco-ocs/index.ts"
import type * as Tests from "../setup/Tests.ts"
import type * as Model from "./Model.ts"
import * as Scripted from "./simulation/Scripted.ts"
import { iccid } from "./simulation/Scripted.ts"

const PLAN = 10

/**
 * A test in which the calls that set a plan end so, one by one; `calls` says how many there were.
 */
const run = (
  name: string,
  setMobilePlan: ReadonlyArray<Model.Fault | null>,
  body: Tests.Body<Scripted.Services, [world: { readonly plan: () => number | null; readonly calls: () => number }]>
): void =>
  Scripted.test(name, { setMobilePlan }, ({ calls, model }) =>
    body({ plan: () => model.mobilePlans.get(iccid) ?? null, calls: () => calls("setMobilePlan") })
  )

const set = (key: string, applied: boolean) => Telco.Telco.use((telco) => telco.setMobilePlan({ key, iccid, applied }))

const setInVain = Effect.fnUntraced(function* (key: string, applied: boolean) {
  expect(yield* Scripted.inVain(set(key, applied))).toMatchObject({ _tag: "Telco.Unavailable" })
})

const settle = MobilePlans.MobilePlans.use((plans) => plans.settle({ limit: 10 }))

describe("A mobile plan", () => {
  run(
    "that is taken away stays away, also where its application is done after that",
    [{ kind: "late", after: 120_000 }],
    function* ({ calls, plan }) {
      yield* setInVain("a", true)
      yield* set("b", false)
      // The retry of the older change does nothing.
      yield* set("a", true)
      expect([plan(), calls()]).toEqual([null, 2])
      yield* TestClock.adjust("2 minutes")
      expect([plan(), yield* settle]).toEqual([PLAN, 0])
      yield* TestClock.adjust("14 minutes")
      expect([yield* settle, plan(), calls()]).toEqual([1, null, 3])
      yield* TestClock.adjust("1 day")
      expect([yield* settle, calls()]).toEqual([0, 3])
    }
  )

  run(
    "is set once more by the newest of three changes alone",
    [{ kind: "late", after: 120_000 }],
    function* ({ calls, plan }) {
      yield* setInVain("a", true)
      yield* set("b", false)
      yield* TestClock.adjust("5 minutes")
      yield* set("c", true)
      yield* TestClock.adjust("11 minutes")
      expect([yield* settle, plan(), calls()]).toEqual([1, PLAN, 3])
      yield* TestClock.adjust("1 day")
      expect([yield* settle, calls()]).toEqual([0, 3])
    }
  )

  run(
    "is set once more until that has an answer, and a change that comes meanwhile sees to it itself",
    [{ kind: "request lost" }, null, { kind: "late", after: 120_000 }],
    function* ({ calls, plan }) {
      yield* setInVain("a", true)
      yield* set("b", false)
      yield* TestClock.adjust("15 minutes")
      const settling = yield* Effect.forkChild(settle, { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      expect([yield* Fiber.join(settling), calls()]).toEqual([1, 3])
      yield* set("c", true)
      // What was to be set once more is done late, and undoes the newest change until that is set
      // once more.
      yield* TestClock.adjust("2 minutes")
      expect(plan()).toBe(null)
      expect([yield* settle, calls()]).toEqual([1, 4])
      yield* TestClock.adjust("14 minutes")
      expect([yield* settle, plan(), calls()]).toEqual([1, PLAN, 5])
    }
  )

  run(
    "is set once where all calls are answered",
    [{ kind: "refused" }, { kind: "not reached" }],
    function* ({ calls }) {
      yield* Effect.flip(set("a", true))
      yield* Effect.flip(set("b", true))
      yield* set("b", true)
      yield* set("c", false)
      yield* TestClock.adjust("1 day")
      expect([yield* settle, calls()]).toEqual([0, 4])
    }
  )
})
