/**
 * S5 and W2 for an order that is repeated under its idempotency key while the telco fails: it holds
 * one SIM at most, goes on with the attempt that is there while nothing of it was cancelled, and
 * gets its eSIM when the telco is back.
 */
import { Problems, Time } from "simplan"
import type { Faults } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

let world: World.World
let iccids: ReadonlyArray<string>
let planId: string
beforeEach(async () => {
  world = await World.make()
  iccids = await world.importSims(10)
  planId = await world.createPlan()
})

/** The order under its key. */
const order = (key = "order-1", fingerprint = "the same order") => Calls.order(world, { planId, key, fingerprint })

const allocations = async () => {
  const sims = await Promise.all(iccids.map((iccid) => Calls.sim(world, iccid)))
  return sims.map(({ allocation }) => allocation._tag).filter((tag) => tag !== "Free")
}

const unavailable = { _tag: "Failure", failure: { _tag: "TelcoUnavailable" } }
const refusing: Faults.Fault = { fault: "unavailable", on: "createPackage", isDone: false }

describe("S5: an order that is repeated under its key", () => {
  it("takes no SIM from stock while the telco refuses connections, and begins anew when it is back", async () => {
    await world.setFaults([refusing])
    for (let time = 0; time < 15; time++) {
      expect(await order()).toMatchObject(unavailable)
      expect(await allocations()).toEqual([])
    }
    await world.setFaults([])
    expect(await order()).toMatchObject({ _tag: "Success", success: { sim: { iccid: iccids[0] } } })
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it.each(["unavailable", "answer lost"] as const)("holds one SIM while the telco is %s", async (fault) => {
    await world.setFaults([{ fault, on: "createPackage" }])
    for (let time = 0; time < 15; time++) {
      expect(await order()).toMatchObject(unavailable)
      expect(await allocations()).toEqual(["Releasing"])
      await world.advanceBy(Time.SECOND)
    }
    await world.setFaults([])
    const created = await order()
    expect(created).toMatchObject({ _tag: "Success", success: { sim: { iccid: iccids[0] } } })
    expect(await order()).toEqual(created)
    expect(await Calls.activePackages(world)).toHaveLength(1)
    expect(await allocations()).toEqual(["InService"])
  })

  it("goes on with the same package where the telco had made it", async () => {
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    expect(await order()).toMatchObject(unavailable)
    const [made] = await world.telcoPackages()
    expect(await order()).toMatchObject({ _tag: "Success" })
    expect(await world.telcoPackages()).toEqual([made])
  })

  it("is undone when it does not come again in time", async () => {
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    expect(await order()).toMatchObject(unavailable)
    await world.advanceBy(9 * Time.SECOND)
    expect(await allocations()).toEqual(["Releasing"])
    expect(await Calls.activePackages(world)).toHaveLength(1)
    await world.advanceBy(Time.SECOND)
    expect(await allocations()).toEqual([])
    expect(await Calls.activePackages(world)).toHaveLength(0)
  })

  it("is refused from the first cancellation on until it is undone, and begins anew then", async () => {
    await world.setFaults([
      { fault: "answer lost", on: "createPackage", times: 1 },
      { fault: "unavailable", on: "cancelPackage" }
    ])
    expect(await order()).toMatchObject(unavailable)
    await world.advanceBy(10 * Time.SECOND)
    for (let time = 0; time < 3; time++) expect(await order()).toMatchObject(unavailable)
    expect(await allocations()).toEqual(["Releasing"])
    await world.setFaults([])
    await world.advanceBy(Time.HOUR)
    expect(await allocations()).toEqual([])
    expect(await order()).toMatchObject({ _tag: "Success", success: { sim: { iccid: iccids[0] } } })
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it("is refused until it is undone where the telco has refused a part of it, and begins anew then", async () => {
    const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 3 } as const
    const daily = await world.createPlan({ periodDays: 1, recurrence })
    const start = World.START - 13 * Time.HOUR
    const orderOfTwo = () => Calls.order(world, { planId: daily, start })
    await world.setFaults([
      { fault: "refuse", on: "createPackage", after: 1, times: 1 },
      { fault: "unavailable", on: "cancelPackage" }
    ])
    expect(await orderOfTwo()).toMatchObject({ _tag: "Failure", failure: { _tag: "TelcoRefused" } })
    for (let time = 0; time < 3; time++) expect(await orderOfTwo()).toMatchObject(unavailable)
    expect(await allocations()).toEqual(["Releasing"])
    await world.setFaults([])
    await world.advanceBy(Time.HOUR)
    expect(await allocations()).toEqual([])
    expect(await orderOfTwo()).toMatchObject({ _tag: "Success", success: { sim: { iccid: iccids[0] } } })
    expect(await Calls.activePackages(world)).toHaveLength(2)
  })

  it("begins anew where what undoes it is refused for good, which is an operator's then", async () => {
    const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 3 } as const
    const daily = await world.createPlan({ periodDays: 1, recurrence })
    const start = World.START - 13 * Time.HOUR
    const orderOfTwo = () => Calls.order(world, { planId: daily, start })
    await world.setFaults([
      { fault: "refuse", on: "createPackage", after: 1, times: 1 },
      { fault: "refuse", on: "cancelPackage" }
    ])
    expect(await orderOfTwo()).toMatchObject({ _tag: "Failure", failure: { _tag: "TelcoRefused" } })
    expect(await orderOfTwo()).toMatchObject(unavailable)
    await world.advanceBy(Time.HOUR)
    const { items } = await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))
    expect(items.map(({ work }) => work._tag)).toEqual(["CancelPackages"])
    const created = await orderOfTwo()
    expect(created).toMatchObject({ _tag: "Success", success: { sim: { iccid: iccids[1] } } })
    // Once, as any order under its key; and what the operator has undone then takes nothing of it.
    expect(await orderOfTwo()).toEqual(created)
    expect(await allocations()).toEqual(["Releasing", "InService"])
    await world.setFaults([])
    const [{ jobId: problemId } = expect.fail()] = items
    await world.run(Problems.Problems.use((of) => of.retry({ problemId })))
    await world.advanceBy(Time.HOUR)
    expect(await allocations()).toEqual(["InService"])
    expect(await orderOfTwo()).toEqual(created)
    expect(await Calls.activePackages(world)).toHaveLength(2)
  })

  it("begins anew at once where the telco has refused it whole", async () => {
    await world.setFaults([{ fault: "refuse", on: "createPackage", times: 1 }])
    expect(await order()).toMatchObject({ _tag: "Failure", failure: { _tag: "TelcoRefused" } })
    expect(await order()).toMatchObject({ _tag: "Success", success: { sim: { iccid: iccids[0] } } })
  })

  it("another request under the key is refused as before", async () => {
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    await order()
    expect(await order("order-1", "another order")).toMatchObject({ failure: { _tag: "IdempotencyKeyReused" } })
  })

  it("of two repetitions at once one goes on, and the other is in progress or gets its outcome", async () => {
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    await order()
    const answers = await Promise.all([order(), order(), order()])
    Calls.expectOneToGoOn(answers)
    expect(await allocations()).toEqual(["InService"])
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it("two at once for the last eSIM: one gets it, and the other is in progress or gets its outcome", async () => {
    for (const iccid of iccids.slice(1)) await Calls.create(world, { planId, iccid })
    const answers = await Promise.all([order(), order()])
    Calls.expectOneToGoOn(answers)
  })

  it("two at once for one SIM: likewise", async () => {
    const [iccid = ""] = iccids
    const answers = await Promise.all([1, 2].map(() => Calls.order(world, { planId, iccid })))
    Calls.expectOneToGoOn(answers)
  })

  it.each([
    ["before it goes on", 1, "before"],
    ["after it went on", 1, "after"],
    ["before the telco's answer is committed", 2, "before"],
    ["after the telco's answer is committed", 2, "after"]
  ] as const)("whose process is killed %s has one package and one SIM", async (_, at, when) => {
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    await order()
    const beginAndCrash = world.crashAt(at, when)
    await beginAndCrash(() => order())
    await world.restart()
    await world.advanceBy(Time.MINUTE)
    const created = await order()
    expect(created).toMatchObject({ _tag: "Success" })
    expect(await Calls.activePackages(world)).toHaveLength(1)
    expect(await allocations()).toEqual(["InService"])
  })

  it("a top-up is repeated as one attachment with one package", async () => {
    const [iccid = ""] = iccids
    await Calls.create(world, { planId, iccid })
    const topUp = () => Calls.order(world, { planId, iccid, key: "top-up" })
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 3 }])
    for (let time = 0; time < 3; time++) expect(await topUp()).toMatchObject(unavailable)
    expect(await topUp()).toMatchObject({ _tag: "Success", success: { sim: { iccid } } })
    expect(await Calls.attachments(world, iccid)).toHaveLength(2)
    expect(await Calls.activePackages(world)).toHaveLength(2)
    expect(await world.telcoPackages()).toHaveLength(2)
  })
})

describe("S5: while SIMs are on their way back to stock", () => {
  const last = async () => {
    for (const iccid of iccids.slice(1)) await Calls.create(world, { planId, iccid })
  }
  const failure = async () => {
    const answer = await Calls.create(world, { planId })
    return answer._tag === "Failure" ? answer.failure._tag : "created"
  }

  it("no request is refused for want of a SIM", async () => {
    await last()
    await world.setFaults([
      { fault: "answer lost", on: "createPackage", times: 1 },
      { fault: "unavailable", on: "cancelPackage", times: 1 }
    ])
    expect(await failure()).toBe("TelcoUnavailable")
    expect(await failure()).toBe("SimsReleasing")
    await world.settle()
    expect(await failure()).toBe("SimsReleasing")
    await world.advanceBy(Time.MINUTE)
    expect(await failure()).toBe("created")
    expect(await failure()).toBe("NoFreeSim")
  })

  it("no order of a burst is refused for want of a SIM while another one may still fail", async () => {
    await last()
    await world.setFaults([
      { fault: "slow", on: "createPackage", delay: 100, times: 25 },
      { fault: "refuse", on: "createPackage", times: 25 }
    ])
    const failures = await Promise.all(Array.from({ length: 25 }, failure))
    expect(failures).toContain("TelcoRefused")
    expect(failures).not.toContain("NoFreeSim")
    await world.setFaults([])
    await world.advanceBy(Time.MINUTE)
    expect(await failure()).toBe("created")
    expect(await failure()).toBe("NoFreeSim")
  })

  it("one whose release the telco has refused for good counts as gone", async () => {
    await last()
    await world.setFaults([
      { fault: "answer lost", on: "createPackage", times: 1 },
      { fault: "refuse", on: "cancelPackage", times: 3 }
    ])
    expect(await failure()).toBe("TelcoUnavailable")
    await world.advanceBy(Time.HOUR)
    expect(await failure()).toBe("NoFreeSim")
  })

  it("neither refusal is kept under a key", async () => {
    await last()
    const [, first = ""] = iccids
    await Calls.create(world, { planId })
    expect(await order()).toMatchObject({ failure: { _tag: "NoFreeSim" } })
    await world.setFaults([{ fault: "unavailable", on: "cancelPackage", times: 1 }])
    await Calls.remove(world, first)
    expect(await order()).toMatchObject({ failure: { _tag: "SimsReleasing" } })
    await world.advanceBy(Time.MINUTE)
    expect(await order()).toMatchObject({ _tag: "Success", success: { sim: { iccid: first } } })
  })
})
