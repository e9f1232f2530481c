/**
 * S5 for a SIM in stock on which its telco lists packages without an owner: it leaves the stock
 * before it is sold, and comes back when they are cancelled.
 */
import { Effect } from "effect"
import { Problems, Sims } from "simplan"
import { Telco } from "simplan/ports"
import { beforeEach, describe, expect, it } from "vitest"
import { orderOf } from "../../telco-ocs/simulation/Orders.ts"
import * as Calls from "../Calls.ts"
import * as World from "../World.ts"

let world: World.World
let planId: string
beforeEach(async () => {
  world = await World.make()
  planId = await world.createPlan()
})

/** Packages that another process has made and lost. */
const addStray = (iccid: string) =>
  world.run(Telco.Telco.use((telco) => telco.createPackage(orderOf(iccid)("stray:0"))))

/** Compares the SIM with what the telco lists on it. */
const withhold = (iccid: string, areOrdered = true) =>
  world.run(
    Effect.gen(function* () {
      const { listPackages } = yield* Telco.Telco
      const sims = yield* Sims.Sims
      const list = Effect.map(
        Effect.suspend(() => listPackages?.({ iccid }) ?? Effect.succeed(null)),
        (packageIds) => packageIds && { packageIds, areOrdered }
      )
      return yield* sims.withhold({ organizationId: world.organizationId, iccid, list })
    })
  )

const allocation = async (iccid: string) => (await Calls.sim(world, iccid)).allocation._tag

const problems = async () => (await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))).items

describe("S5: a SIM in stock with a package without an owner", () => {
  it("is sold only when that is cancelled", async () => {
    const [iccid = expect.fail()] = await world.importSims(1)
    await addStray(iccid)
    await world.setFaults([{ fault: "unavailable", on: "cancelPackage" }])
    expect([await withhold(iccid), await allocation(iccid)]).toEqual(["Withheld", "Releasing"])
    await world.settle()
    expect(await Calls.create(world, { planId })).toMatchObject({ failure: { _tag: "SimsReleasing" } })
    expect(await Calls.create(world, { planId, iccid })).toMatchObject({ failure: { _tag: "SimBusy" } })
    await world.setFaults([])
    await world.advanceBy(60_000)
    expect([await allocation(iccid), await Calls.activePackages(world)]).toEqual(["Free", []])
    expect(await Calls.create(world, { planId })).toMatchObject({ success: { sim: { iccid } } })
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it("is a problem where the telco refuses to cancel that, and no SIM that is on its way back", async () => {
    const [iccid = expect.fail()] = await world.importSims(1)
    await addStray(iccid)
    await world.setFaults([{ fault: "refuse", on: "cancelPackage" }])
    await withhold(iccid)
    await world.advanceBy(7_200_000)
    expect((await problems()).map(({ work }) => work)).toMatchObject([{ _tag: "CancelPackages", iccid }])
    expect(await Calls.create(world, { planId })).toMatchObject({ failure: { _tag: "NoFreeSim" } })
  })

  it("is not given to a request that has it reserved: that one gets another SIM", async () => {
    const [first = expect.fail(), second = expect.fail()] = await world.importSims(2)
    await addStray(first)
    let isOver = false
    world.beforeCommit(async () => {
      if (isOver) return
      isOver = true
      expect(await withhold(first)).toBe("Withheld")
    })
    expect(await Calls.create(world, { planId })).toMatchObject({ success: { sim: { iccid: second } } })
    await world.settle()
    expect([await allocation(first), await allocation(second)]).toEqual(["Free", "InService"])
  })

  it("stays in stock where nothing is listed, and with its customer where it is sold", async () => {
    const [first = expect.fail(), second = expect.fail()] = await world.importSims(2)
    expect([await withhold(first), await allocation(first)]).toEqual(["Kept", "Free"])
    await Calls.create(world, { planId, iccid: second })
    expect([await withhold(second), await allocation(second)]).toEqual(["NotFree", "InService"])
    expect(await withhold("8933019999999999999")).toBe("NotFree")
  })
})
