/**
 * S5 against each fault of the telco: a 201 means that it has the package; anything else leaves no
 * subscription, no taken SIM and no package, once what was begun is undone.
 */
import { Time } from "simplan"
import { Telco } from "simplan/ports"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

let world: World.World
let iccid: string
let planId: string
beforeEach(async () => {
  world = await World.make()
  const [first = ""] = await world.importSims(1)
  iccid = first
  planId = await world.createPlan()
})

const create = (planId: string, iccid?: string) =>
  Calls.create(world, { planId, ...(iccid === undefined ? {} : { iccid }) })
const sim = (iccid: string) => Calls.sim(world, iccid)
const activePackages = () => Calls.activePackages(world)

describe("S5", () => {
  it("a creation that succeeds has its package at the telco", async () => {
    const created = await create(planId)
    expect(created).toMatchObject({ _tag: "Success", success: { sim: { iccid, allocation: { _tag: "InService" } } } })
    expect(await activePackages()).toHaveLength(1)
  })

  it("a refused creation leaves nothing, and the SIM is free at once", async () => {
    await world.setFaults([{ fault: "refuse", on: "createPackage", times: 1 }])
    expect(await create(planId)).toMatchObject({ _tag: "Failure", failure: { _tag: "TelcoRefused" } })
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Free" }, recycledAt: null })
    expect(await activePackages()).toHaveLength(0)
    expect(await create(planId)).toMatchObject({ _tag: "Success" })
  })

  it.each(["unavailable", "answer lost"] as const)("a creation whose telco is %s is undone by a job", async (fault) => {
    await world.setFaults([{ fault, on: "createPackage", times: 1 }])
    expect(await create(planId)).toMatchObject({ _tag: "Failure", failure: { _tag: "TelcoUnavailable" } })
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Releasing" } })
    expect(await create(planId, iccid)).toMatchObject({ _tag: "Failure", failure: { _tag: "SimBusy" } })
    await world.settle()
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Free" } })
    expect(await activePackages()).toHaveLength(0)
    expect(await create(planId, iccid)).toMatchObject({ _tag: "Success" })
  })

  it("a telco that says when to ask again is left alone until then, and its caller learns when", async () => {
    await world.setFaults([
      { fault: "unavailable", on: "createPackage", times: 1, retryAfterSeconds: 90 },
      { fault: "unavailable", on: "cancelPackage", times: 1, retryAfterSeconds: 600 }
    ])
    expect(await create(planId)).toMatchObject({ failure: { _tag: "TelcoUnavailable", retryAfterSeconds: 90 } })
    await world.settle()
    await world.advanceBy(599 * Time.SECOND)
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Releasing" } })
    await world.advanceBy(Time.SECOND)
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Free" } })
  })

  it("the SIM of an undone creation returns only when the telco has confirmed the cancellation", async () => {
    await world.setFaults([
      { fault: "answer lost", on: "createPackage", times: 1 },
      { fault: "unavailable", on: "cancelPackage", times: 3 }
    ])
    await create(planId)
    await world.settle()
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Releasing" } })
    await world.advanceBy(Time.HOUR)
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Free" } })
    expect(await activePackages()).toHaveLength(0)
  })

  it("a SIM returns only when what its telco lists beside the subscription's packages is cancelled", async () => {
    await create(planId)
    const [own] = await Calls.attachments(world, iccid)
    const { terms } = own?.attachment ?? expect.fail()
    const order = { packageId: "forgotten:0", iccid, window: null, terms }
    await world.run(Telco.Telco.use((telco) => telco.createPackage(order)))
    await world.setFaults([{ fault: "unavailable", on: "listPackages", times: 1 }])
    await Calls.remove(world, iccid)
    await world.settle()
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Releasing" } })
    await world.advanceBy(Time.HOUR)
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Free" } })
    expect(await activePackages()).toHaveLength(0)
  })

  it("a slow telco counts as unavailable, and what it does later is cancelled", async () => {
    await world.setFaults([{ fault: "slow", on: "createPackage", delay: "400 millis", times: 1 }])
    expect(await create(planId)).toMatchObject({
      _tag: "Failure",
      failure: { _tag: "TelcoUnavailable" }
    })
    await world.settle()
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Free" } })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await activePackages()).toHaveLength(0)
  })

  it("of several packages due at once, a later refusal takes back the earlier ones", async () => {
    const planId = await world.createPlan({
      recurrence: { periodicity: "Daily", frequency: 1, occurrences: 5 },
      periodDays: 2
    })
    await world.setFaults([{ fault: "refuse", on: "createPackage", when: ({ key }) => key.endsWith(":1"), times: 1 }])
    expect(await Calls.create(world, { planId, start: World.START - Time.DAY })).toMatchObject({
      _tag: "Failure",
      failure: { _tag: "TelcoRefused" }
    })
    await world.settle()
    expect(await sim(iccid)).toMatchObject({ allocation: { _tag: "Free" } })
    expect(await activePackages()).toHaveLength(0)
  })

  it("an undone top-up leaves the subscription as it was", async () => {
    await create(planId)
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    expect(await create(planId, iccid)).toMatchObject({ _tag: "Failure", failure: { _tag: "TelcoUnavailable" } })
    await world.settle()
    expect(await Calls.attachments(world, iccid)).toHaveLength(1)
    expect(await activePackages()).toHaveLength(1)
  })

  it("of many requests at once each gets another SIM, and none is refused for want of one while one is left", async () => {
    await world.importSims(19)
    const outcomes = await Promise.all(Array.from({ length: 25 }, () => create(planId)))
    const taken = outcomes.flatMap((outcome) => (outcome._tag === "Success" ? [outcome.success.sim.iccid] : []))
    expect(new Set(taken).size).toBe(20)
    expect(outcomes.filter((outcome) => outcome._tag === "Failure").map(({ failure }) => failure._tag)).toEqual(
      Array.from({ length: 5 }, () => "NoFreeSim")
    )
    expect(await activePackages()).toHaveLength(20)
  })
})
