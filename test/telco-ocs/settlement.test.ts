/**
 * Settles orders in their watch time, over a model of the charging system and a clock of the
 * test's.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { describe, expect } from "vitest"
import { Orders, type Settlement } from "../../adapters/telco-ocs/index.ts"
import * as Values from "../domain/Values.ts"
import type * as Tests from "../setup/Tests.ts"
import type * as Model from "./Model.ts"
import * as Scripted from "./simulation/Scripted.ts"
import { iccid } from "./simulation/Scripted.ts"

const order = (packageId: string): Telco.PackageOrder => ({
  packageId,
  iccid,
  window: null,
  terms: Values.terms({
    name: "Week",
    coverageId: "8a4a4f0e-3f8e-5a58-9a44-2d4d0c3f1f10",
    regionCode: "FR",
    dataMegaBytes: 100,
    periodDays: 7
  })
})

/** A test in which the calls that order end so, one by one. */
const run = (
  name: string,
  affectPackage: ReadonlyArray<Model.Fault | null>,
  body: Tests.Body<Scripted.Services, [model: Model.Model]>
): void => Scripted.test(name, { affectPackage }, ({ model }) => body(model))

const create = (key: string) => Telco.Telco.use((telco) => telco.createPackage(order(key)))
const cancel = (packageId: string) => Telco.Telco.use((telco) => telco.cancelPackage({ packageId, iccid }))

const settle = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const kept: Array<Settlement.Duplicate> = []
  const settled = yield* orders.settle({ limit: 10, report: (more) => Effect.sync(() => void kept.push(...more)) })
  return { ...settled, kept }
})

/** A further package, as of a sale of others in five minutes that the journal does not know. */
const placeFurther = Effect.fnUntraced(function* (model: Model.Model) {
  const [{ id } = { id: 0 }] = model.templates
  yield* TestClock.adjust("5 minutes")
  return model.place(iccid, id, null, 300_000)
})

const createInVain = (key: string) => Scripted.inVain(create(key))

describe("The settling of an order in its watch time", () => {
  run(
    "deletes a duplicate of a call without an answer that was not used",
    [{ kind: "late", after: 60_000 }],
    function* (model) {
      yield* createInVain("a:0")
      const { telcoPackageId } = yield* create("a:0")
      yield* TestClock.adjust("3 minutes")
      expect([...model.packages.keys()]).toHaveLength(2)
      expect(yield* settle).toEqual({ due: 1, deleted: 1, kept: [] })
      expect([...model.packages.keys()]).toEqual([Number(telcoPackageId)])
      yield* TestClock.adjust("1 hour")
      yield* settle
      expect(yield* settle).toMatchObject({ due: 0 })
    }
  )

  run("keeps a further package where all calls were answered, and reports it", [], function* (model) {
    const { telcoPackageId } = yield* create("a:0")
    const duplicateId = yield* placeFurther(model)
    yield* TestClock.adjust("10 minutes")
    const kept = [{ iccid, packageId: "a:0", duplicateId, usedBytes: 0, isExplained: false, order: "Created" }]
    expect(yield* settle).toEqual({ due: 1, deleted: 0, kept })
    expect([...model.packages.keys()].map(String)).toEqual([telcoPackageId, String(duplicateId)])
  })

  run("keeps a further package of a SIM whose order was cancelled, and reports it", [], function* (model) {
    yield* create("a:0")
    yield* cancel("a:0")
    const duplicateId = yield* placeFurther(model)
    expect(
      yield* Telco.Telco.use((telco) => telco.listPackages?.({ iccid, onlyAttachments: [] }) ?? Effect.succeed([]))
    ).toEqual([`ocs/${duplicateId}`])
    yield* TestClock.adjust("10 minutes")
    expect(yield* settle).toMatchObject({ due: 1, deleted: 0, kept: [{ duplicateId, isExplained: false }] })
    expect([...model.packages.keys()]).toEqual([duplicateId])
  })

  run("reports a duplicate that was used, and leaves it", [{ kind: "twice", after: 60_000 }], function* (model) {
    const { telcoPackageId } = yield* create("a:0")
    yield* TestClock.adjust("15 minutes")
    const duplicateId = [...model.packages.keys()].find((id) => String(id) !== telcoPackageId) ?? 0
    model.use(duplicateId, 5, 0)
    const kept = [{ iccid, packageId: "a:0", duplicateId, usedBytes: 5, isExplained: false, order: "Created" }]
    expect(yield* settle).toEqual({ due: 1, deleted: 0, kept })
    expect(model.packages.size).toBe(2)
  })

  run(
    "reports again what was not taken, as with a process that died, until it is",
    [{ kind: "twice", after: 60_000 }],
    function* (model) {
      const { telcoPackageId } = yield* create("a:0")
      yield* TestClock.adjust("15 minutes")
      const duplicateId = [...model.packages.keys()].find((id) => String(id) !== telcoPackageId) ?? 0
      model.use(duplicateId, 5, 0)
      const { settle: settling } = yield* Orders.Orders
      expect(yield* Effect.flip(settling({ limit: 10, report: () => Effect.fail("no storage") }))).toBe("no storage")
      const dying = yield* Effect.forkChild(settling({ limit: 10, report: () => Effect.never }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(dying)
      yield* TestClock.adjust("1 minute")
      expect(yield* settle).toMatchObject({ due: 1, kept: [{ packageId: "a:0", duplicateId }] })
      yield* TestClock.adjust("1 hour")
      expect(yield* settle).toMatchObject({ due: 0 })
    }
  )

  run(
    "comes at once where an order ends only after its watch time, and reports what was used until then",
    [{ kind: "late", after: 20_000 }],
    function* (model) {
      yield* createInVain("a:0")
      yield* TestClock.adjust("1 minute")
      const [duplicateId = 0] = model.packages.keys()
      model.use(duplicateId, 5, 0)
      yield* TestClock.adjust("16 minutes")
      expect(yield* settle).toEqual({ due: 1, deleted: 0, kept: [] })
      expect(yield* settle).toMatchObject({ due: 0 })
      yield* cancel("a:0")
      const kept = [{ iccid, packageId: "a:0", duplicateId, usedBytes: 5, isExplained: true, order: "Cancelled" }]
      expect(yield* settle).toEqual({ due: 1, deleted: 0, kept })
      yield* TestClock.adjust("1 hour")
      expect(yield* settle).toMatchObject({ due: 0 })
    }
  )

  run(
    "comes at once where an order takes one of two packages only after its watch time, and deletes the other",
    [
      { kind: "late", after: 20_000 },
      { kind: "late", after: 20_000 }
    ],
    function* (model) {
      yield* createInVain("a:0")
      yield* createInVain("a:0")
      yield* TestClock.adjust("16 minutes")
      expect(yield* settle).toMatchObject({ due: 1 })
      expect(model.packages.size).toBe(2)
      const { telcoPackageId } = yield* create("a:0")
      expect(yield* settle).toEqual({ due: 1, deleted: 1, kept: [] })
      expect([...model.packages.keys()].map(String)).toEqual([telcoPackageId])
    }
  )

  run(
    "comes soon after a call without an answer, and deletes what a cancelled order's call makes late",
    [{ kind: "late", after: 20_000 }],
    function* (model) {
      expect(yield* createInVain("a:0")).toMatchObject({ _tag: "Telco.Unavailable" })
      yield* cancel("a:0")
      expect(model.packages.size).toBe(0)
      yield* TestClock.adjust("31 seconds")
      expect(model.packages.size).toBe(1)
      expect(yield* settle).toEqual({ due: 1, deleted: 1, kept: [] })
      expect(model.packages.size).toBe(0)
      expect(yield* Effect.flip(create("a:0"))).toMatchObject({ _tag: "Telco.Refused" })
    }
  )

  run(
    "leaves a package to an order that is still open, which takes it",
    [
      { kind: "late", after: 20_000 },
      { kind: "late", after: 300_000 }
    ],
    function* (model) {
      yield* createInVain("a:0")
      yield* createInVain("b:0")
      yield* cancel("a:0")
      yield* TestClock.adjust("1 minute")
      expect(yield* settle).toMatchObject({ due: 1, deleted: 0 })
      const { telcoPackageId } = yield* create("b:0")
      yield* TestClock.adjust("15 minutes")
      while ((yield* settle).due > 0) yield* TestClock.adjust("1 minute")
      expect([...model.packages.keys()].map(String)).toEqual([telcoPackageId])
    }
  )
})
