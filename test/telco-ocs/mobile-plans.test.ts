/** Changes of a SIM's mobile plan that the charging system does late, over a model of it and a clock of the test's. */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Api, MobilePlans, Ocs } from "../../adapters/telco-ocs/index.ts"
import * as Model from "./Model.ts"
import type * as Tests from "../setup/Tests.ts"

const iccid = "8988303000000000017"
const PLAN = 10

type Services = Telco.Telco | Ocs.Services | Journal.Journal

/** Runs with what befalls the nth call that sets a plan; `calls` says how many there were. */
/** A test in which the calls that order end so, one by one. */
const run = (
  name: string,
  faults: ReadonlyArray<Model.Fault | null>,
  body: Tests.Body<Services, [world: { readonly plan: () => number | null; readonly calls: () => number }]>
): void =>
  it(name, () => {
    let calls = 0
    const model = Model.make({ fault: (name) => (name === "setMobilePlan" ? (faults[calls++] ?? null) : null) })
    return Effect.gen(() => body({ plan: () => model.mobilePlans.get(iccid) ?? null, calls: () => calls })).pipe(
      Effect.provide(
        Ocs.layer({ telco: "ocs", resellerId: 1, zones: {}, mobilePlanId: PLAN, watch: "15 minutes" }).pipe(
          Layer.provideMerge([Journal.layerMemory, Layer.succeed(Api.Api, model.api)])
        )
      ),
      Effect.provide(TestClock.layer()),
      Effect.runPromise
    )
  })

const set = (key: string, applied: boolean) => Telco.Telco.use((telco) => telco.setMobilePlan({ key, iccid, applied }))

/** A call without an answer ends by the clock. */
const setInVain = Effect.fnUntraced(function* (key: string, applied: boolean) {
  const calling = yield* Effect.forkChild(Effect.flip(set(key, applied)), { startImmediately: true })
  yield* TestClock.adjust("10 seconds")
  expect(yield* Fiber.join(calling)).toMatchObject({ _tag: "Telco.Unavailable" })
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
      // What was to be set once more is done late, and undoes the newest change until that is set once more.
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
