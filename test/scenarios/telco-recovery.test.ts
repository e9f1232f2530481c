/**
 * S5 and S6 after an outage: what waits for the telco is done soon after it answers again, at a
 * rate that doubles with its answers and ends with them.
 */
import { Effect } from "effect"
import { Problems, Time } from "simplan"
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

let world: World.World
beforeEach(async () => {
  world = await World.make()
})

const cancellations = () =>
  world.run(
    Effect.map(
      TelcoSimulator.TelcoSimulator.use((of) => of.calls),
      (calls) => calls.cancelPackage
    )
  )

const busy = async (iccids: ReadonlyArray<string>) => {
  const sims = await Promise.all(iccids.map((iccid) => Calls.sim(world, iccid)))
  return sims.filter(({ allocation }) => allocation._tag !== "Free").length
}

describe("S5: after an outage of the telco", () => {
  /**
   * Orders whose answers are lost, one every few seconds for 7 minutes, and whose undoing waits for
   * the telco.
   */
  const outage = async (orders: number) => {
    const iccids = await world.importSims(orders)
    const planId = await world.createPlan()
    await world.setFaults([
      { fault: "answer lost", on: "createPackage" },
      { fault: "unavailable", on: "cancelPackage" }
    ])
    for (const iccid of iccids) {
      await Calls.create(world, { planId, iccid })
      await world.advanceBy((7 * Time.MINUTE) / orders)
    }
    expect(await busy(iccids)).toBe(orders)
    return iccids
  }

  it("everything is back within a minute", async () => {
    const iccids = await outage(100)
    await world.setFaults([])
    await world.advanceBy(Time.MINUTE)
    expect(await busy(iccids)).toBe(0)
  })

  it("everything is back within a minute, also what was held back for longer while calls hung", async () => {
    const iccids = await outage(20)
    // Calls that hang take all slots, so that others wait for so long as those take.
    await world.setFaults([{ fault: "unavailable", isAsked: false, retryAfterSeconds: 600 }])
    await world.advanceBy(8 * Time.MINUTE)
    await world.setFaults([])
    await world.advanceBy(Time.MINUTE)
    expect(await busy(iccids)).toBe(0)
  })

  it("a probe that was held back once is followed by another one", async () => {
    const iccids = await outage(20)
    await world.advanceBy(Time.HOUR)
    await world.setFaults([{ fault: "unavailable", isAsked: false, times: 1, retryAfterSeconds: 1 }])
    await world.advanceBy(Time.MINUTE)
    expect(await busy(iccids)).toBe(0)
  })

  it("a single job is back within a minute, however long the outage was", async () => {
    const iccids = await outage(1)
    await world.advanceBy(3 * Time.HOUR)
    expect(await busy(iccids)).toBe(1)
    await world.setFaults([])
    await world.advanceBy(Time.MINUTE)
    expect(await busy(iccids)).toBe(0)
  })

  it.each([1, 2])(
    "everything is back within a minute, also if a write fails that has %i tried sooner",
    async (count) => {
      const iccids = await outage(count === 1 ? 1 : 20)
      await world.advanceBy(3 * Time.HOUR)
      const hasFailed = world.failNextCommit(({ jobs }) => jobs?.hastened?.length === count)
      if (count === 1) await world.advanceBy(Time.MINUTE)
      await world.setFaults([])
      await world.advanceBy(Time.MINUTE)
      expect([hasFailed(), await busy(iccids)]).toEqual([true, 0])
    }
  )

  it("what the telco refuses then is a problem soon, however often it was unavailable before (rule S6)", async () => {
    await outage(1)
    await world.advanceBy(3 * Time.HOUR)
    await world.setFaults([{ fault: "refuse", on: "cancelPackage" }])
    await world.advanceBy(Time.MINUTE)
    const { items } = await world.run(Problems.Problems.use((problems) => problems.page({ after: null, limit: 2 })))
    expect(items).toHaveLength(1)
  })

  it("what may not be tried before a later instant holds up nothing behind it, however much that is", async () => {
    const planId = await world.createPlan()
    const order = async (orders: number) => {
      const iccids = await world.importSims(orders)
      for (const iccid of iccids) await Calls.create(world, { planId, iccid })
      return iccids
    }
    const lost = { fault: "answer lost", on: "createPackage" } as const
    await world.setFaults([lost, { fault: "unavailable", on: "cancelPackage", retryAfterSeconds: 7_200 }])
    const first = await order(150)
    await world.advanceBy(Time.MINUTE)
    await world.setFaults([lost, { fault: "unavailable", on: "cancelPackage" }])
    const behind = await order(1)
    await world.advanceBy(50 * Time.MINUTE)
    await world.setFaults([])
    await world.advanceBy(Time.MINUTE)
    expect([await busy(first), await busy(behind)]).toEqual([150, 0])
  })

  it("a telco that is down gets a probe every ten seconds, and little more", async () => {
    await outage(40)
    await world.advanceBy(Time.HOUR)
    const before = await cancellations()
    await world.advanceBy(Time.HOUR)
    const made = (await cancellations()) - before
    expect(made).toBeGreaterThan(300)
    expect(made).toBeLessThan(360 + 2 * 40)
  })

  it("a telco that is unavailable again after some answers is left alone", async () => {
    const iccids = await outage(60)
    const before = await cancellations()
    await world.setFaults([{ fault: "unavailable", on: "cancelPackage", after: 5 }])
    await world.advanceBy(30 * Time.SECOND)
    expect(await busy(iccids)).toBe(55)
    // Each answer pulls two forward, which meet the fault; then there are probes and those whose
    // pause is over.
    expect((await cancellations()) - before).toBeLessThan(5 + 10 + 15)
  })
})
