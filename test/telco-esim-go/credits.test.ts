/** The money of packages that are taken off at eSIM Go (rule C1), over HTTP to the fake. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Fault } from "./SupplierServer.ts"
import * as World from "./World.ts"

const { buy, LOAD, order, OTHER, outcome, purchase, run } = World

const usd = (units: number) => ({ units, scale: 2, currency: "USD" })

const credited = { refunds: true, hasRefunds: true }

/** A SIM that was bought, with its load and a top-up, which begins to cost otherwise then. */
const sold = ({ supplier, telco }: World.World, load = LOAD) =>
  Effect.gen(function* () {
    const { iccid } = yield* buy(telco, purchase("one"))
    yield* telco.createPackage(order(iccid, "first:0"))
    yield* telco.createPackage(order(iccid, "second:0", load))
    for (const bundle of supplier.bundles.values()) supplier.bundles.set(bundle.name, { ...bundle, cents: 1 })
    return { iccid }
  })

const topUp = { load: LOAD, cost: usd(228) }

describe("a top-up that is taken off", () => {
  it("says what it was charged at, and what came back for it, each time", () =>
    run(credited, (world) =>
      Effect.gen(function* () {
        const { supplier, telco } = world
        const { iccid } = yield* sold(world)
        const { balance } = supplier
        const settled = { topUp, credit: usd(228) }
        expect(yield* telco.suspendPackage({ iccid, packageId: "second:0" })).toEqual(settled)
        expect(yield* telco.suspendPackage({ iccid, packageId: "second:0" })).toEqual(settled)
        for (let time = 0; time < 2; time++) {
          const answer = yield* telco.cancelPackage({ iccid, packageId: "second:0" })
          expect(answer).toEqual({ isLoadUsed: false, ...settled })
        }
        expect(supplier.balance - balance).toBe(228)
      })
    ))

  it.each<Fault>([{ fault: "answer lost" }, { fault: "status", status: 500, isDone: true }])(
    "says so too if the answer did not: %j",
    (fault) =>
      run(credited, (world) =>
        Effect.gen(function* () {
          const { other, server, telco } = world
          const { iccid } = yield* sold(world)
          server.faults.set("DELETE esims/:/bundles", [fault])
          const cancel = { iccid, packageId: "second:0" }
          expect(yield* outcome(telco.cancelPackage(cancel))).toBe("unavailable")
          const settled = { isLoadUsed: false, topUp, credit: usd(228) }
          expect(yield* (yield* other({ refunds: true })).telco.cancelPackage(cancel)).toEqual(settled)
        })
      )
  )

  it("has cost its price if nothing comes back", () =>
    run({}, (world) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(world, OTHER)
        const answer = yield* world.telco.cancelPackage({ iccid, packageId: "second:0" })
        expect(answer).toEqual({ isLoadUsed: false, topUp: { load: OTHER, cost: usd(2_999) } })
      })
    ))

  it("says what it has cost if it is kept, since it was used before its creation was undone", () =>
    run(credited, (world) =>
      Effect.gen(function* () {
        const { supplier, telco } = world
        const { iccid } = yield* sold(world)
        for (const one of supplier.esim(iccid).assignments) one.startedAt = supplier.now
        const undo = telco.cancelPackage({ iccid, packageId: "second:0", isUndone: true })
        expect(yield* Effect.flip(undo)).toMatchObject({ _tag: "Telco.Refused", topUp })
      })
    ))

  it("is told apart from what an eSIM was bought with", () =>
    run(credited, (world) =>
      Effect.gen(function* () {
        const { telco } = world
        const { iccid } = yield* sold(world)
        expect(yield* telco.suspendPackage({ iccid, packageId: "first:0" })).toMatchObject({ credit: usd(228) })
        expect(yield* telco.cancelPackage({ iccid, packageId: "second:0" })).toMatchObject({ credit: usd(228) })
        expect(yield* telco.cancelPackage({ iccid, packageId: "first:0" })).toMatchObject({ credit: usd(228) })
        expect(world.supplier.balance).toBe(1_000_000)
      })
    ))
})

describe("what an eSIM was bought with", () => {
  it("is credited once, whatever was credited of its ICCID before", () =>
    run({ ...credited, returnsEsims: true }, (world) =>
      Effect.gen(function* () {
        const { pass, supplier, telco } = world
        const first = yield* buy(telco, purchase("one"))
        yield* World.giveBack(telco, { purchaseId: "one", iccid: first.iccid })
        yield* pass(3_600_000)
        const again = yield* buy(telco, purchase("two"))
        expect(again.iccid).toBe(first.iccid)
        yield* telco.createPackage(order(again.iccid, "a:0"))
        supplier.use(again.iccid, 1)
        expect(yield* telco.suspendPackage({ iccid: again.iccid, packageId: "a:0" })).toEqual({})
        expect(yield* telco.cancelPackage({ iccid: again.iccid, packageId: "a:0" })).toEqual({ isLoadUsed: true })
      })
    ))
})
