/**
 * eSIMs that were bought, were not sold, and are returned to their supplier (rule I15).
 */
import { Effect, Result, Stream } from "effect"
import { AuditLog, Plans, Problems, Returns, SimCorrections } from "simplan"
import { type Faults, TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, type World } from "../World.ts"

let world: World
let planId: string

beforeEach(async () => {
  world = await make({ telcoTimeoutMillis: 10_000 })
  planId = await world.createPlan()
  const { organizationId } = world
  const bundle = { load: "1 GB", topUpLoad: null, limit: null }
  await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
})

const create = async () => Result.getOrThrow(await Calls.create(world, { planId })).sim.iccid
const fail = (...faults: ReadonlyArray<Faults.Fault>) => world.setFaults(faults)
const of = (iccid: string) => ({ organizationId: world.organizationId, iccid })
const giveBack = (iccid: string) => world.run(Effect.result(Returns.Returns.use((one) => one.giveBack(of(iccid)))))
const returned = () => world.run(TelcoSimulator.TelcoSimulator.use((one) => one.returns))
const sold = () => world.run(TelcoSimulator.TelcoSimulator.use((one) => one.sales))
const makeAvailable = (iccid: string) =>
  world.run(
    Effect.result(SimCorrections.SimCorrections.use((one) => one.correct({ ...of(iccid), status: "available" })))
  )
const problems = async () =>
  (await world.run(Problems.Problems.use((one) => one.page({ after: null, limit: 100 })))).items
const stateOf = async (iccid: string) => {
  const { allocation, purchase } = await Calls.sim(world, iccid)
  return [allocation._tag, purchase?.returned]
}

/** An eSIM with its load that nobody has. */
const unsold = async () => {
  const iccid = await create()
  await Calls.remove(world, iccid)
  await world.settle()
  return iccid
}

describe("I15: a return", () => {
  it("withdraws the eSIM, and says whether money comes back; again it says the same", async () => {
    const iccid = await unsold()
    for (let time = 0; time < 2; time++) {
      expect(await giveBack(iccid)).toMatchObject({
        success: { allocation: { _tag: "Withdrawn", reason: "returned" }, purchase: { returned: "credit" } }
      })
    }
    expect(await returned()).toEqual([iccid])
    expect(await makeAvailable(iccid)).toMatchObject({ failure: { _tag: "SimWithdrawn", reason: "returned" } })
    expect(await create()).not.toBe(iccid)
    const { organizationId } = world
    const anything = { from: null, to: null, actor: null, resourceId: null }
    const audited = await world.run(
      AuditLog.AuditLog.use((one) => Stream.runCollect(one.list({ organizationId, ...anything, action: "sim.return" })))
    )
    expect(audited.map(({ actor, changed }) => [actor, changed])).toEqual([
      ["telco", [{ field: "return", before: "pending", after: "credit" }]],
      ["host", [{ field: "return", before: null, after: "pending" }]]
    ])
  })

  it("goes on until the supplier has answered, and nobody gets the eSIM meanwhile", async () => {
    const iccid = await unsold()
    await fail({ fault: "answer lost", on: "returnSim", times: 2 })
    expect(await giveBack(iccid)).toMatchObject({ success: { purchase: { returned: "pending" } } })
    expect(await makeAvailable(iccid)).toMatchObject({ failure: { _tag: "SimWithdrawn" } })
    expect(await Calls.create(world, { planId, iccid })).toMatchObject({ failure: { _tag: "SimWithdrawn" } })
    expect(await create()).not.toBe(iccid)
    await world.advanceBy(86_400_000)
    expect(await stateOf(iccid)).toEqual(["Withdrawn", "credit"])
    expect(await returned()).toEqual([iccid])
  })

  it("that is refused is a problem, and the eSIM is sold only once an operator has made it available", async () => {
    const iccid = await unsold()
    await fail({ fault: "refuse", on: "returnSim", message: "too late", times: 2 })
    expect(await giveBack(iccid)).toMatchObject({ success: { purchase: { returned: "refused" } } })
    const [problem = expect.fail()] = await problems()
    expect(problem).toMatchObject({ work: { _tag: "ReturnSim", iccid }, refused: { message: "too late" } })
    const retry = () => world.run(Problems.Problems.use((one) => one.retry({ problemId: problem.jobId })))
    await retry()
    await world.settle()
    expect(await stateOf(iccid)).toEqual(["Withdrawn", "refused"])
    expect(Result.isSuccess(await makeAvailable(iccid))).toBe(true)
    expect(await create()).toBe(iccid)
    // It has a customer by now.
    await fail()
    await retry()
    await world.settle()
    expect(await returned()).toEqual([])
    expect(await problems()).toEqual([])
    expect(await stateOf(iccid)).toEqual(["InService", undefined])
  })

  it("that is refused and asked for again is done in the end", async () => {
    const iccid = await unsold()
    await fail({ fault: "refuse", on: "returnSim", times: 1 })
    await giveBack(iccid)
    const [problem = expect.fail()] = await problems()
    await world.run(Problems.Problems.use((one) => one.retry({ problemId: problem.jobId })))
    await world.settle()
    expect(await stateOf(iccid)).toEqual(["Withdrawn", "credit"])
    expect(await problems()).toEqual([])
  })

  it("is refused of an eSIM that was imported, and of one that somebody has", async () => {
    const [imported = ""] = await world.importSims(1)
    expect(await giveBack(imported)).toMatchObject({ failure: { _tag: "NotSupported" } })
    expect(await giveBack(await create())).toMatchObject({ failure: { _tag: "SimInUse" } })
    expect(await giveBack("8933010000000099999")).toMatchObject({ failure: { _tag: "NotFound" } })
    expect(await returned()).toEqual([])
  })

  it("and a creation at once: the eSIM is either sold or returned", async () => {
    for (let time = 0; time < 5; time++) {
      const iccid = await unsold()
      const [given, back] = await Promise.all([create(), giveBack(iccid)])
      await world.settle()
      const isReturned = (await returned()).includes(iccid)
      expect(isReturned).toBe(Result.isSuccess(back))
      expect(given === iccid).toBe(!isReturned)
      if (!isReturned) await Calls.report(world, iccid, [Date.UTC(2026, 0, 31, 12), Calls.firstUse])
    }
    expect(new Set(await sold()).size).toBe((await sold()).length)
  })

  it.each([
    [1, "before"],
    [1, "after"],
    [2, "before"],
    [2, "after"]
  ] as const)("goes on if its process dies at commit %i, %s it", async (at, when) => {
    const iccid = await unsold()
    const standsStill = world.crashAt(at, when)
    await standsStill(() => giveBack(iccid))
    await world.restart()
    await world.advanceBy(60_000)
    await world.settle()
    const isBegun = !(at === 1 && when === "before")
    expect(await stateOf(iccid)).toEqual(isBegun ? ["Withdrawn", "credit"] : ["Free", undefined])
    expect(await returned()).toEqual(isBegun ? [iccid] : [])
  })
})
